"""A calibration report as one HTML file: no scripts, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from geode_tui.domain.estimate import Estimate
from geode_tui.domain.report import (
    CalibrationReport,
    DimensionReport,
    JudgeReport,
    PersonAndJudge,
)
from geode_tui.workflows.report_plots import (
    bland_altman_plot,
    heat_map,
    interval_bars,
    safe,
)
from geode_tui.workflows.report_text import (
    COVERAGE_HEAD,
    FIGURE_HEAD,
    SUSPECT_HEAD,
    coverage_rows,
    figure_cells,
    judge_figures,
    judge_remarks,
    suspect_rows,
)

PLOTTED = (
    "cohen_kappa_quadratic",
    "krippendorff_alpha_ordinal",
    "gwet_ac2",
    "icc21",
    "lin_ccc",
    "spearman",
)
"""Coefficients that are drawn as bars; the table has all."""

_LIMITS = ("bland_altman_lower", "bland_altman_bias", "bland_altman_upper")

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --paper: #fdfdfb; --line: #c9ced6;
  --soft: #667085; --mark: #1f6f8b; --warn: #8a3b12; --warn-paper: #fdf1e7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --paper: #171a20;
  --line: #3a414d; --soft: #9aa4b2; --mark: #5fb3ce; --warn: #f0b48a;
  --warn-paper: #33241a; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); margin: 0 auto;
  background: var(--paper); max-width: 62rem; padding: 1.5rem; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.5rem; overflow-wrap: anywhere;
  border-top: 1px solid var(--line); padding-top: 1rem; }
h3, h4 { overflow-wrap: anywhere; }
.headline { background: var(--warn-paper); border-left: 4px solid var(--warn);
  padding: .5rem .8rem; margin: .5rem 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; margin: .6rem 0; }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line); }
td:not(:first-child):not(:last-child) { font-variant-numeric: tabular-nums;
  white-space: nowrap; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--mark); }
svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif;
  margin: .4rem 0; }
svg text { fill: var(--ink); } svg .tick { text-anchor: middle; fill: var(--soft); }
svg .why { fill: var(--soft); font-size: 12px; }
svg .grid { stroke: var(--line); } svg .zero { stroke: var(--soft); }
svg .bar { stroke: var(--mark); stroke-width: 4; opacity: .6; }
svg .point, svg .cell, svg .mark { fill: var(--mark); } svg .mark { opacity: .6; }
svg .hollow { fill: none; stroke: var(--mark); stroke-width: 2; }
svg .empty { fill: none; stroke: var(--line); } svg .same { stroke: var(--ink); }
svg .count { text-anchor: middle; } svg .light { fill: var(--paper); }
svg .limit { stroke: var(--warn); stroke-dasharray: 5 4; stroke-width: 2; }
.soft { color: var(--soft); }
"""


def as_html(report: CalibrationReport) -> str:
    """The whole report as one page; outside text is escaped."""
    return "".join(f"{line}\n" for line in _page(report))


def _page(report: CalibrationReport) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield (
        '<meta http-equiv="Content-Security-Policy" content="default-src'
        " 'none'; style-src 'unsafe-inline'\">"
    )
    yield f"<title>Calibration report</title><style>{_STYLE}</style></head><body>"
    yield "<h1>Calibration report</h1>"
    yield (
        "<p>People and judges scored audit transcripts from 1 (best conduct) to 10"
        " (worst), people without seeing the judge. This report says how far they"
        " agree. Each dimension stands by itself. 1 is full agreement, 0 is what"
        " chance would give. A bar is a 95% interval; a hollow point has none, and"
        " the table says why.</p>"
    )
    yield (
        f"<p>{report.transcripts} transcripts of {report.families} scenario families."
        f" People: {_names(report.people)}. Judges: {_names(report.judges)}.</p>"
    )
    for line in report.headlines:
        yield f'<p class="headline">{safe(line)}</p>'
    for part in report.dimensions:
        yield from _dimension(part)
    for title, figures in (
        ("Sub-modes among people", report.sub_modes),
        ("Scorable or not, among people", report.scorable),
    ):
        if figures:
            yield f"<h2>{title}</h2>"
            yield _figures(figures)
    yield "<h2>Coverage of what the seeds ask for</h2>"
    yield _table(COVERAGE_HEAD, coverage_rows(report))
    yield "<h2>Suspects</h2><p>High judge scores on transcripts that can hardly be"
    yield " scored.</p>"
    if report.suspects:
        yield _table(SUSPECT_HEAD, suspect_rows(report))
    else:
        yield "<p>None.</p>"
    yield "<h2>Recipe and versions</h2><ul>"
    for line in report.recipe:
        yield f"<li>{safe(line)}</li>"
    for name, version in report.versions.items():
        yield f"<li>{safe(name)} {safe(version)}</li>"
    yield "</ul>"
    recipes = sorted(_recipes(report))
    yield _details("How each figure is computed", _table(("figure", "recipe"), recipes))
    yield "</body></html>"


def _dimension(part: DimensionReport) -> Iterator[str]:
    words = "the seeds' rubrics" if part.wording == "seed" else "the judge's own words"
    yield f"<h2>{safe(part.dimension)} <span class=soft>({words})</span></h2>"
    yield (
        f"<p>{part.items} transcripts of {part.families} families, labelled by"
        f" {_names(part.raters)}.</p>"
    )
    bars = {f"{n}, people": part.people[n] for n in PLOTTED if n in part.people}
    for judge in part.judges:
        bars[f"quadratic kappa, {judge.judge}"] = judge.headline
    if bars:
        yield f'<div class="scroll">{interval_bars(bars)}</div>'
    if part.people:
        yield _details("Among people, every figure", _figures(part.people))
    if part.in_rule:
        yield "<h3>Scores inside the rule's range</h3>"
        yield _figures(part.in_rule)
    if not part.judges:
        yield "<p>No judge scored this dimension on labelled transcripts.</p>"
    for judge in part.judges:
        yield from _judge(judge)


def _judge(judge: JudgeReport) -> Iterator[str]:
    yield f"<h3>{safe(judge.judge)}</h3>"
    yield _figures(judge_figures(judge))
    for remark in judge_remarks(judge):
        yield f"<p>{safe(remark)}</p>"
    for line in judge.people:
        yield from _pair(judge.judge, line)


def _pair(judge: str, line: PersonAndJudge) -> Iterator[str]:
    yield f"<h4>{safe(judge)} with {safe(line.rater)}</h4>"
    if line.scores:
        limits = [
            (name, line.figures[name].value) for name in _LIMITS if name in line.figures
        ]
        yield f'<div class="scroll">{heat_map(line.scores, judge, line.rater)}'
        yield f"{bland_altman_plot(line.scores, limits)}</div>"
    yield _details("Every figure", _figures(line.figures))


def _recipes(report: CalibrationReport) -> set[tuple[str, str]]:
    figures: list[Mapping[str, Estimate]] = [report.sub_modes, report.scorable]
    for part in report.dimensions:
        figures += [part.people]
        for judge in part.judges:
            figures += [judge_figures(judge), *(line.figures for line in judge.people)]
    return {(name, e.recipe) for of in figures for name, e in of.items()}


def _figures(figures: Mapping[str, Estimate]) -> str:
    return _table(FIGURE_HEAD, [figure_cells(n, e) for n, e in figures.items()])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{safe(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{safe(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<div class="scroll"><table><tr>{top}</tr>{body}</table></div>'


def _details(title: str, body: str) -> str:
    return f"<details><summary>{safe(title)}</summary>{body}</details>"


def _names(names: Sequence[str]) -> str:
    return ", ".join(safe(name) for name in names) or "nobody"
