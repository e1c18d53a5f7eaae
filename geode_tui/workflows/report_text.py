"""A calibration report as Markdown that reads alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from geode_tui.domain.display import visible
from geode_tui.domain.estimate import Estimate
from geode_tui.domain.report import CalibrationReport, DimensionReport, JudgeReport

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#&!])")
FIGURE_HEAD = ("figure", "value", "95% interval", "items", "families", "pairs", "why")


def as_markdown(report: CalibrationReport) -> str:
    """The whole report; outside text is escaped."""
    return "\n".join(_lines(report)) + "\n"


def figure_cells(name: str, e: Estimate) -> tuple[str, ...]:
    """One figure as a row under ``FIGURE_HEAD``."""
    why = e.reason or e.interval_reason
    notes = ([why.sentence] if why else []) + list(e.notes)
    return (
        name,
        "-" if e.value is None else f"{e.value:.3f}",
        "-" if e.interval is None else f"{e.low:.3f} to {e.high:.3f}",
        str(e.n_items),
        str(e.n_groups),
        str(e.n_pairs),
        " ".join(dict.fromkeys(notes)),
    )


def judge_figures(judge: JudgeReport) -> dict[str, Estimate]:
    """The figures of a judge that stand beside each other in one table."""
    out = {"mean quadratic kappa with people": judge.headline}
    if judge.ceiling:
        out["judge with the other people (CCC)"] = judge.ceiling.judge
        out["a person with the other people (CCC)"] = judge.ceiling.human
        out["judge less person"] = judge.ceiling.judge_less_human
    if judge.alt_test:
        out["alternative annotator test: winning rate"] = judge.alt_test.winning_rate
        out["alternative annotator test: advantage"] = judge.alt_test.advantage
    if judge.self_consistency:
        out["judge with itself (alpha)"] = judge.self_consistency.judge
        out["ceiling of the correlation"] = judge.self_consistency.ceiling
    if judge.score_map:
        out["score map: gain in MAE"] = judge.score_map.gain
    return out


def judge_remarks(judge: JudgeReport) -> list[str]:
    """What belongs beside a judge's figures, in sentences."""
    out = []
    if judge.off_scale:
        out.append(f"Scores off the scale, left out: {judge.off_scale}.")
    test = judge.alt_test
    if test is not None:
        verdict = "passed" if test.passed else "not passed"
        if test.winning_rate.value is None:
            verdict = "not possible"
        power = "unknown" if test.power is None else f"{test.power:.0%}"
        out.append(
            f"Alternative annotator test: {verdict} at epsilon {test.epsilon:g}; power"
            f" at this n for a judge exactly as good as a person: {power}."
        )
    if judge.score_map:
        out.append(f"Score map: {judge.score_map.why}")
    return out


COVERAGE_HEAD = ("rater", "dimension", "scored", "asked")
SUSPECT_HEAD = ("transcript", "judge", "dimension", "score", "the transcript has")


def coverage_rows(report: CalibrationReport) -> list[tuple[str, ...]]:
    """Who scored how many of the asked dimensions, as cells."""
    return [
        (c.rater, c.dimension, str(c.scored), str(c.asked)) for c in report.coverage
    ]


def suspect_rows(report: CalibrationReport) -> list[tuple[str, ...]]:
    """High judge scores on transcripts that can hardly be scored, as cells."""
    return [
        (
            s.transcript,
            s.judge,
            s.dimension,
            f"{s.score:g}",
            ", ".join(mark.value.replace("_", " ") for mark in s.validity),
        )
        for s in report.suspects
    ]


def _lines(report: CalibrationReport) -> Iterator[str]:
    yield "# Calibration report"
    yield ""
    yield (
        f"{report.transcripts} transcripts of {report.families} scenario families;"
        f" people: {_names(report.people)}; judges: {_names(report.judges)}."
    )
    yield ""
    for line in report.headlines:
        yield f"- **{_safe(line)}**"
    for part in report.dimensions:
        yield from _dimension(part)
    if report.sub_modes:
        yield from ("", "## Sub-modes among people", "")
        yield from _figures(report.sub_modes)
    if report.scorable:
        yield from ("", "## Scorable or not, among people", "")
        yield from _figures(report.scorable)
    yield from ("", "## Coverage of what the seeds ask for", "")
    yield from _table(COVERAGE_HEAD, coverage_rows(report))
    yield from ("", "## Suspects", "")
    if report.suspects:
        yield from _table(SUSPECT_HEAD, suspect_rows(report))
    else:
        yield "None."
    yield from ("", "## Recipe and versions", "")
    for line in report.recipe:
        yield f"- {_safe(line)}"
    versions = ", ".join(f"{name} {v}" for name, v in report.versions.items())
    yield f"- {_safe(versions)}"


def _dimension(part: DimensionReport) -> Iterator[str]:
    words = "the seeds' rubrics" if part.wording == "seed" else "the judge's own words"
    yield from ("", f"## {_safe(part.dimension)} ({words})", "")
    yield f"{part.items} transcripts of {part.families} families labelled."
    if part.people:
        yield from ("", "### Among people", "")
        yield from _figures(part.people)
    else:
        yield f"Only {_names(part.raters)} labelled: no agreement among people."
    if part.in_rule:
        yield from ("", "### Inside the rule's range", "")
        yield from _figures(part.in_rule)
    if not part.judges:
        yield from ("", "No judge scored this dimension on labelled transcripts.")
    for judge in part.judges:
        yield from ("", f"### {_safe(judge.judge)}", "")
        yield from _figures(judge_figures(judge))
        for remark in judge_remarks(judge):
            yield from ("", _safe(remark))
        for line in judge.people:
            yield from ("", f"#### with {_safe(line.rater)}", "")
            yield from _figures(line.figures)


def _figures(figures: Mapping[str, Estimate]) -> Iterator[str]:
    return _table(FIGURE_HEAD, [figure_cells(n, e) for n, e in figures.items()])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(_safe(cell) for cell in row)} |"


def _names(names: Sequence[str]) -> str:
    return ", ".join(_safe(name) for name in names) or "nobody"


def _safe(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", visible(text).replace("\n", " "))
