"""Disputes: which items the raters of a workspace must talk about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from geode_tui.domain.dispute import (
    Difference,
    DifferenceKind,
    Dispute,
    DisputeRule,
    PairKind,
    RaterKind,
    RaterView,
)
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.rule import RuleScore
from geode_tui.domain.score import Event, EventKind, Evidence, Verdict, VerdictState

Range = tuple[float, float]

_PAIRS = {
    (RaterKind.HUMAN, RaterKind.HUMAN): PairKind.HUMAN_HUMAN,
    (RaterKind.HUMAN, RaterKind.JUDGE): PairKind.HUMAN_JUDGE,
    (RaterKind.HUMAN, RaterKind.RULE): PairKind.HUMAN_RULE,
    (RaterKind.JUDGE, RaterKind.RULE): PairKind.JUDGE_RULE,
}
_ORDER = (RaterKind.HUMAN, RaterKind.JUDGE, RaterKind.RULE)


def view_of_label(event: Event) -> RaterView | None:
    """A person's label as a view; None for events that are no label."""
    if event.event is not EventKind.ANNOTATION:
        return None
    scored = event.not_scorable is None
    return RaterView(
        rater=event.rater,
        kind=RaterKind.HUMAN,
        scores={d: (float(s), float(s)) for d, s in event.scores.items()},
        sub_modes=frozenset(event.sub_modes) if scored else None,
        flags=frozenset(event.flags) if scored else None,
        not_scorable=event.not_scorable,
        evidence=event.evidence,
        source=event.id,
    )


def view_of_verdict(verdict: Verdict) -> RaterView:
    """A judge's verdict; failed dimensions are missing, never numbers."""
    good = verdict.state is VerdictState.OK
    return RaterView(
        rater=verdict.rater,
        kind=RaterKind.JUDGE,
        scores={
            s.dimension: (s.value, s.value)
            for s in verdict.scores
            if good and s.state is VerdictState.OK and s.value is not None
        },
        evidence=tuple(
            Evidence(m=c.m, quote=c.quote, dimension=s.dimension)
            for s in verdict.scores
            for c in s.citations
            if c.m is not None
        ),
        source=verdict.id,
    )


def view_of_rule(scores: Sequence[RuleScore], *, rater: str = "rule") -> RaterView:
    """The rule's ranges; points that are added from nowhere known are left out.

    Flags of the rule are suggestions and are not compared.
    """
    ranges: dict[str, Range] = {}
    sub_modes: set[str] = set()
    for score in scores:
        if score.low is None or score.high is None or score.delta_only:
            continue
        ranges[score.dimension] = (score.low, score.high)
        sub_modes.update(score.sub_modes)
    return RaterView(
        rater=rater,
        kind=RaterKind.RULE,
        scores=ranges,
        sub_modes=frozenset(sub_modes) if ranges else None,
    )


def find_dispute(
    transcript: str, rubric: Rubric, views: Iterable[RaterView], rule: DisputeRule
) -> Dispute | None:
    """The dispute over one transcript and rubric version, or None.

    Items on which all raters agree, within the rule, never become disputes.
    Only what both raters of a pair speak of is compared: a gap is no difference.
    """
    ordered = sorted(views, key=lambda v: (_ORDER.index(v.kind), v.rater))
    found: list[Difference] = []
    for first, second in combinations(ordered, 2):
        pair = _PAIRS.get((first.kind, second.kind))
        if pair is None or pair not in rule.pairs:
            continue
        found += differences(first, second, pair, rubric, rule)
    if not found:
        return None
    return Dispute(
        transcript=transcript,
        rubric=rubric.id,
        differences=tuple(found),
        views=tuple(ordered),
    )


def differences(
    first: RaterView,
    second: RaterView,
    pair: PairKind,
    rubric: Rubric,
    rule: DisputeRule,
) -> list[Difference]:
    """Everything in which two raters differ by more than the rule allows."""
    about = {"pair": pair, "first": first.rater, "second": second.rater}
    silent = [v.not_scorable is not None for v in (first, second)]
    if any(silent):
        other = second if silent[0] else first
        if rule.scorable and not all(silent) and other.scores:
            return [Difference(kind=DifferenceKind.SCORABLE, **about)]
        return []
    found = []
    for dimension in first.scores:
        if dimension not in second.scores:
            continue
        a, b = first.scores[dimension], second.scores[dimension]
        points = distance(a, b)
        if rule.distance is not None and points > rule.distance:
            found.append(
                Difference(
                    kind=DifferenceKind.SCORE,
                    dimension=dimension,
                    points=points,
                    **about,
                )
            )
        if rule.band and not same_band(a, b, dimension, rubric):
            found.append(
                Difference(
                    kind=DifferenceKind.BAND,
                    dimension=dimension,
                    points=points,
                    **about,
                )
            )
    sets = (
        (rule.sub_modes, DifferenceKind.SUB_MODES, first.sub_modes, second.sub_modes),
        (rule.flags, DifferenceKind.FLAGS, first.flags, second.flags),
    )
    for wanted, kind, a_set, b_set in sets:
        if not wanted or a_set is None or b_set is None or a_set == b_set:
            continue
        found.append(
            Difference(
                kind=kind,
                only_first=tuple(sorted(a_set - b_set)),
                only_second=tuple(sorted(b_set - a_set)),
                **about,
            )
        )
    return found


def distance(a: Range, b: Range) -> float:
    """Points between two ranges; 0 where they meet."""
    return max(a[0] - b[1], b[0] - a[1], 0.0)


def same_band(a: Range, b: Range, dimension: str, rubric: Rubric) -> bool:
    """Whether two scores can lie in one band of the rubric.

    Equal scores and ranges that meet always can. Scores between bands (3,
    where bands are 1-2 and 4-5) belong to none, so they match only themselves.
    Without numeric bands there is nothing to differ in.
    """
    if distance(a, b) == 0:
        return True
    bands = [
        (band.score.low, band.score.high)
        for band in rubric.bands
        if band.dimension == dimension and band.score is not None
    ]
    if not bands:
        return True
    return any(distance(a, band) == 0 and distance(b, band) == 0 for band in bands)


def ranked(disputes: Iterable[Dispute]) -> list[Dispute]:
    """Worst first; equal ones by transcript, so that the order is stable."""
    return sorted(
        disputes, key=lambda d: (-d.severity[0], -d.severity[1], d.transcript)
    )
