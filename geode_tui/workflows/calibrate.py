"""Calibration: people with people, the judge with people, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from importlib import metadata

from geode_tui import __version__
from geode_tui.calibration.alt_test import alt_test
from geode_tui.calibration.ceiling import (
    Run,
    consensus,
    human_ceiling,
    judge_with_people,
    self_consistency,
)
from geode_tui.calibration.mapping import score_map
from geode_tui.calibration.pairs import percent_exact
from geode_tui.calibration.ratings import SCALE, Ratings
from geode_tui.calibration.report import pair_figures, set_figures, table_figures
from geode_tui.calibration.resampling import Resampling, estimate, estimates
from geode_tui.domain.estimate import Estimate
from geode_tui.domain.ids import content_hash
from geode_tui.domain.report import (
    CalibrationReport,
    Coverage,
    DimensionReport,
    JudgeReport,
    PersonAndJudge,
    Suspect,
)
from geode_tui.domain.score import Verdict, VerdictState
from geode_tui.domain.transcript import Validity
from geode_tui.workflows.gather import SEED, Gathered, Item

SUSPECT_MARKS = (
    Validity.NO_TARGET_REPLY,
    Validity.ONLY_HARNESS_ERRORS,
    Validity.SOME_HARNESS_ERRORS,
)
HIGH = 4
"""From here a score says that something went wrong in the transcript."""

SCORABLE_FIGURES = ("percent_exact", "krippendorff_alpha_nominal", "gwet_ac1")


def calibrate(gathered: Gathered, *, resamples: int = 10_000) -> CalibrationReport:
    """The whole report; nothing is read or stored."""
    how = Resampling(resamples=resamples)
    items = gathered.items
    people = sorted({label.rater for item in items for _, label in item.labels})
    judges = sorted({v.rater for item in items for v in item.verdicts})
    coverage = tuple(_coverage(items, people, judges))
    suspects = tuple(_suspects(items))
    named = dict.fromkeys(
        (dimension, wording)
        for item in items
        for wording, label in item.labels
        for dimension in label.scores
    )
    return CalibrationReport(
        transcripts=len(items),
        families=len({item.family for item in items}),
        people=tuple(people),
        judges=tuple(judges),
        left_out=gathered.left_out,
        headlines=tuple(_headlines(gathered, coverage, suspects, judges)),
        dimensions=tuple(
            _dimension(items, name, wording, people, judges, how)
            for name, wording in sorted(named)
        ),
        sub_modes=_sub_modes(items, people, how),
        scorable=_scorable(items, people, how),
        coverage=coverage,
        suspects=suspects,
        recipe=(
            "One transcript counts once; exact duplicates are left out.",
            "A person's current blind label counts; labels made after a reveal and"
            " decisions of auditors do not.",
            "A judge's newest verdict counts; failed answers are missing, never 1.",
            f"Intervals: {how.level:.0%}, {how.words}.",
            "Dimensions are never pooled; the scale is 1 to 10 throughout.",
        ),
        versions={
            "geode-tui": __version__,
            "numpy": metadata.version("numpy"),
            "scikit-learn": metadata.version("scikit-learn"),
        },
    )


def judge_score(verdict: Verdict, dimension: str) -> float | None:
    """What a verdict gives a dimension; None where it failed or is not there."""
    if verdict.state is not VerdictState.OK:
        return None
    for score in verdict.scores:
        if score.dimension == dimension and score.state is VerdictState.OK:
            return score.value
    return None


def _dimension(
    items: Sequence[Item],
    name: str,
    wording: str,
    people: Sequence[str],
    judges: Sequence[str],
    how: Resampling,
) -> DimensionReport:
    rows, used = [], []
    for item in items:
        given = {
            label.rater: float(label.scores[name])
            for kind, label in item.labels
            if kind == wording and name in label.scores
        }
        if given:
            rows.append(given)
            used.append(item)
    raters = [p for p in people if any(p in row for row in rows)]
    families = [item.family for item in used]
    table = _table(rows, raters, families)
    figures: dict[str, Estimate] = {}
    if len(raters) > 1:
        figures = estimates(
            {**pair_figures(table), **table_figures(table, "ordinal")},
            table.groups,
            how,
        )
    in_rule = {
        rater: _in_rule(used, name, [row.get(rater) for row in rows], families, how)
        for rater in raters
        if wording == SEED
    }
    reports = []
    for judge in judges:
        found = [
            judge_score(item.latest[judge], name) if judge in item.latest else None
            for item in used
        ]
        scores = [s if s in SCALE else None for s in found]
        off_scale = sum(s is not None and s not in SCALE for s in found)
        if off_scale == 0 and not any(s is not None for s in scores):
            continue
        reports.append(_judge(used, rows, raters, name, judge, scores, off_scale, how))
        if wording == SEED:
            in_rule[judge] = _in_rule(used, name, scores, families, how)
    return DimensionReport(
        dimension=name,
        wording=wording,
        items=len(used),
        families=len(set(families)),
        raters=tuple(raters),
        people=figures,
        judges=tuple(reports),
        in_rule={k: v for k, v in in_rule.items() if v.n_items},
    )


def _judge(
    items: Sequence[Item],
    rows: Sequence[dict[str, float]],
    raters: Sequence[str],
    name: str,
    judge: str,
    scores: Sequence[float | None],
    off_scale: int,
    how: Resampling,
) -> JudgeReport:
    families = [item.family for item in items]
    people = _table(rows, raters, families)
    column = Ratings.of([[s] for s in scores], raters=[judge]).column(judge)
    lines = []
    for rater in raters:
        both = [
            {"judge": s, "person": row[rater]} if s is not None and rater in row else {}
            for s, row in zip(scores, rows, strict=True)
        ]
        pair = _table(both, ["judge", "person"], families)
        counts = Counter((int(b["judge"]), int(b["person"])) for b in both if b)
        lines.append(
            PersonAndJudge(
                rater=rater,
                figures=estimates(pair_figures(pair), pair.groups, how),
                scores=tuple((a, b, n) for (a, b), n in sorted(counts.items())),
            )
        )
    runs = [
        Run(item.id, value, _fingerprint(verdict))
        for item in items
        for verdict in item.verdicts
        if verdict.rater == judge and (value := judge_score(verdict, name)) is not None
    ]
    repeated = len(runs) > len({run.item for run in runs}) and len(raters) > 1
    return JudgeReport(
        judge=judge,
        headline=estimate(judge_with_people(column, people), people.groups, how),
        people=tuple(lines),
        ceiling=human_ceiling(people, column, how) if len(raters) > 1 else None,
        alt_test=alt_test(people, column, resampling=how) if len(raters) > 1 else None,
        score_map=score_map(column, consensus(people), people.groups, resampling=how),
        self_consistency=self_consistency(runs, [i.id for i in items], people, how)
        if repeated
        else None,
        off_scale=off_scale,
    )


def _fingerprint(verdict: Verdict) -> str:
    answer = [[s.dimension, s.value] for s in verdict.scores]
    return content_hash([verdict.explanation, verdict.summary, answer])


def _table(
    rows: Sequence[dict[str, float]], raters: Sequence[str], families: Sequence[str]
) -> Ratings:
    values = [[row.get(rater) for rater in raters] for row in rows]
    return Ratings.of(values, raters=raters, groups=families)


def _in_rule(
    items: Sequence[Item],
    name: str,
    scores: Sequence[float | None],
    families: Sequence[str],
    how: Resampling,
) -> Estimate:
    inside: list[list[float | None]] = []
    for item, score in zip(items, scores, strict=True):
        rule = next((r for r in item.rule if r.dimension == name), None)
        apart = rule.distance(score) if rule and score is not None else None
        inside.append([None if apart is None else float(apart == 0), 1.0])
    table = Ratings.of(inside, groups=families, scale=(0, 1))
    found = estimate(percent_exact(*table.values.T), table.groups, how)
    return found.model_copy(update={"recipe": "share of scores in the rule's range"})


def _sub_modes(
    items: Sequence[Item], people: Sequence[str], how: Resampling
) -> dict[str, Estimate]:
    kept = [item for item in items if item.rubric and item.rubric.sub_modes]
    given = [
        {
            label.rater: label.sub_modes
            for wording, label in item.labels
            if wording == SEED and label.not_scorable is None
        }
        for item in kept
    ]
    if len(people) < 2 or not kept:
        return {}
    groups = _table([{} for _ in kept], people, [item.family for item in kept]).groups
    sets = [[labels.get(person) for labels in given] for person in people]
    return estimates(set_figures(people, sets), groups, how)


def _scorable(
    items: Sequence[Item], people: Sequence[str], how: Resampling
) -> dict[str, Estimate]:
    if len(people) < 2:
        return {}
    # Several forms of one transcript are one judgement of whether it can be scored.
    rows = [
        {
            label.rater: float(label.not_scorable is None)
            for _, label in reversed(item.labels)
        }
        for item in items
    ]
    table = Ratings.of(
        [[row.get(person) for person in people] for row in rows],
        raters=people,
        groups=[item.family for item in items],
        scale=(0, 1),
    )
    figures = {**pair_figures(table), **table_figures(table, "nominal")}
    chosen = {name: figures[name] for name in SCORABLE_FIGURES}
    return estimates(chosen, table.groups, how)


def _coverage(
    items: Sequence[Item], people: Sequence[str], judges: Sequence[str]
) -> list[Coverage]:
    asked = Counter(name for item in items for name in item.asked)
    scored: Counter[tuple[str, str]] = Counter()
    for item in items:
        for name in item.asked:
            scored.update(
                {
                    (label.rater, name)
                    for wording, label in item.labels
                    if wording == SEED and name in label.scores
                }
            )
            scored.update(
                (judge, name)
                for judge, verdict in item.latest.items()
                if judge_score(verdict, name) is not None
            )
    return [
        Coverage(rater=rater, dimension=name, asked=n, scored=scored[rater, name])
        for rater in (*people, *judges)
        for name, n in sorted(asked.items())
    ]


def _suspects(items: Sequence[Item]) -> list[Suspect]:
    found = []
    for item in items:
        marks = tuple(mark for mark in SUSPECT_MARKS if mark in item.validity)
        if not marks:
            continue
        for judge, verdict in item.latest.items():
            for score in verdict.scores:
                value = judge_score(verdict, score.dimension)
                bad = score.dimension not in item.higher_is_better
                if value is not None and value >= HIGH and bad:
                    found.append(
                        Suspect(
                            transcript=item.id,
                            judge=judge,
                            dimension=score.dimension,
                            score=value,
                            validity=marks,
                        )
                    )
    return sorted(found, key=lambda s: (-s.score, s.transcript, s.judge, s.dimension))


def _headlines(
    gathered: Gathered,
    coverage: Sequence[Coverage],
    suspects: Sequence[Suspect],
    judges: Sequence[str],
) -> list[str]:
    out = []
    for judge in judges:
        lines = [c for c in coverage if c.rater == judge]
        never = [c.dimension for c in lines if not c.scored]
        judged = [
            item for item in gathered.items if judge in item.latest and item.asked
        ]
        missed = [
            item
            for item in judged
            if all(judge_score(item.latest[judge], n) is None for n in item.asked)
        ]
        if missed:
            names = f" (never: {', '.join(never)})" if never else ""
            out.append(
                f"{judge} never scored this seed's target dimension on"
                f" {len(missed)} of {len(judged)} transcripts{names}."
            )
    if suspects:
        n = len({s.transcript for s in suspects})
        out.append(
            f"{n} transcript{'' if n == 1 else 's'} with harness errors or no reply of"
            f" the target got judge scores of {HIGH} or more: see the suspects."
        )
    left = gathered.left_out
    counts: tuple[tuple[int, Callable[[int], str]], ...] = (
        (left.duplicates, lambda n: f"Exact duplicates left out: {n}."),
        (left.after_reveal, lambda n: f"Labels after a reveal left out: {n}."),
        (left.outdated, lambda n: f"Labels of older rubrics left out: {n}."),
    )
    out += [words(n) for n, words in counts if n]
    if not any(item.labels for item in gathered.items):
        out.append("Nobody has labelled anything yet.")
    return out
