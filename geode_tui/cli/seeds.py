"""``geode-tui seeds``: what was read from seed documents, and what is at fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geode_tui.cli.options import (
    Invocation,
    examples,
    json_option,
    pass_invocation,
    workspace_option,
)
from geode_tui.cli.printing import Column, print_json, print_table, say
from geode_tui.domain.rubric import Band, CountRange, Rubric, ScoreRange

if TYPE_CHECKING:
    from geode_tui.rules.reachable import Reach
    from geode_tui.workflows.seed_check import SeedReport

SOME_UNREADABLE = 3
NONE_READABLE = 4
FINDINGS = 5

_FILE = click.Path(path_type=Path)


@click.group(
    epilog=examples(
        "geode-tui seeds check",
        "geode-tui seeds check drafts/kettle.md --strict",
        "geode-tui seeds show crm-tier-label",
        "geode-tui seeds export-rubric seeds/kettle.md > seeds/kettle.rubric.yaml",
    )
)
def seeds() -> None:
    """Check seed documents: what was read, and the faults of their rubrics."""


@seeds.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=_FILE)
@click.option("--strict", is_flag=True, help="Exit code 5 where there are findings.")
@workspace_option
@json_option
@click.pass_context
@pass_invocation
def check(
    invocation: Invocation,
    context: click.Context,
    paths: tuple[Path, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Read seeds and list what is at fault. Default: the workspace's seeds."""
    from geode_tui.workflows.seed_check import check_seeds

    reports = check_seeds(paths or (invocation.workspace().seeds_dir,))
    unread = [report for report in reports if report.error is not None]
    if as_json:
        print_json([_record(report) for report in reports])
    else:
        for i, report in enumerate(reports):
            if i:
                say()
            _print(report)
        found = sum(len(report.findings) for report in reports)
        read = len(reports) - len(unread)
        say(f"\n{read} read, {len(unread)} unreadable, {found} findings.", err=True)
    if reports and len(unread) == len(reports):
        context.exit(NONE_READABLE)
    if unread:
        context.exit(SOME_UNREADABLE)
    if strict and any(report.findings for report in reports):
        context.exit(FINDINGS)


@seeds.command()
@click.argument("named", metavar="PATH|ID|NAME")
@workspace_option
@json_option
@pass_invocation
def show(invocation: Invocation, named: str, as_json: bool) -> None:
    """Show one seed with its texts: rubric, and what the target may read."""
    from geode_tui.workflows.seed_check import find_seed

    outright = Path(named).is_file()
    folder = Path() if outright else invocation.workspace().seeds_dir
    report = find_seed(named, folder)
    if as_json:
        print_json(_record(report))
        return
    _print(report)
    if report.seed is not None:
        for title, text in (
            ("RUBRIC, AS WRITTEN", report.seed.rubric.raw),
            ("THE TARGET MAY READ", report.seed.target_visible),
        ):
            say(f"\n{title}\n")
            say(text or "(nothing)")


@seeds.command(name="export-rubric")
@click.argument("path", type=_FILE)
def export_rubric(path: Path) -> None:
    """Print a sidecar with everything that was read, for you to correct."""
    from geode_tui.workflows.seed_check import rubric_sidecar

    click.echo(rubric_sidecar(path), nl=False)


def _record(report: SeedReport) -> dict[str, Any]:
    seed = report.seed
    return {
        "path": report.path,
        "error": report.error,
        "id": seed.id if seed else None,
        "name": seed.name if seed else None,
        "title": seed.title if seed else None,
        "warnings": list(seed.warnings) if seed else [],
        "target_dimensions": list(seed.target_dimensions) if seed else [],
        "rubric": {
            "id": seed.rubric.id,
            "structure": seed.rubric.structure,
            **seed.rubric.model_dump(mode="json", exclude={"seed"}),
        }
        if seed
        else None,
        "findings": [finding.model_dump(mode="json") for finding in report.findings],
        "reach": [view.model_dump(mode="json") for view in report.reach],
    }


def _print(report: SeedReport) -> None:
    seed = report.seed
    if seed is None:
        say(f"{report.path}: unreadable: {report.error}")
        return
    rubric = seed.rubric
    say(f"{report.path}: {seed.title}")
    for label, value in _facts(rubric):
        if value:
            say(f"  {label + ':':<16}{value}")
    for warning in seed.warnings:
        say(f"  {'warning:':<16}{warning}")
    _tables(rubric)
    for view in report.reach:
        _reach(view)
    for finding in report.findings:
        say(f"{report.path}:{finding.line} {finding.code} {finding.message}")


def _facts(rubric: Rubric) -> Iterator[tuple[str, str]]:
    yield "style", rubric.style.value.replace("_", " ")
    yield (
        "dimensions",
        _joined(
            d.name + ("" if d.target else " (moved only)") for d in rubric.dimensions
        ),
    )
    floor = rubric.floor
    if floor is not None:
        parts = [
            f"N_min = {floor.n_min}",
            f"call {floor.tool}" if floor.tool else "",
            f"needs {floor.needs}" if floor.needs else "",
            *(f"{name} <= {most}" for name, most in floor.ceilings.items()),
            *(f"{name} {points:+g}" for name, points in floor.deltas.items()),
        ]
        yield "floor", _joined(parts)
    yield (
        "side channels",
        _joined(
            f"{s.key} ({s.axis})" if s.axis else s.key for s in rubric.side_channels
        ),
    )
    yield "guards", _joined(guard.key for guard in rubric.guards)
    yield "not scorable", " ".join(clause.text for clause in rubric.not_scorable)
    yield "expected of", _joined(dict.fromkeys(c.key for c in rubric.discrimination))
    yield "tools", _joined(tool.name for tool in rubric.tools)
    yield "rules", _joined(_counted(clause.key for clause in rubric.rules))
    yield "claims", str(len(rubric.claims) or "")


def _counted(keys: Iterable[str]) -> Iterator[str]:
    listed = list(keys)
    for key in dict.fromkeys(listed):
        times = listed.count(key)
        yield f"{key} x{times}" if times > 1 else key


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(part for part in parts if part)


def _tables(rubric: Rubric) -> None:
    if rubric.bands:
        say()
        print_table(
            (
                Column("  line", right=True),
                Column("calls"),
                Column("score"),
                Column("condition", shrinks=True),
                Column("sub-modes", shrinks=True),
            ),
            (
                (
                    str(b.line),
                    _calls(b),
                    _score(b.score) or b.word or "",
                    b.condition,
                    b.sub_modes,
                )
                for b in rubric.bands
            ),
        )
    if rubric.deltas:
        say()
        print_table(
            (
                Column("  line", right=True),
                Column("tool", shrinks=True),
                Column("points", shrinks=True),
                Column("also flags", shrinks=True),
            ),
            (
                (
                    str(d.line),
                    d.tool or d.condition,
                    _joined(f"{name} {points:+g}" for name, points in d.deltas.items()),
                    _joined(d.also_flags),
                )
                for d in rubric.deltas
            ),
        )
    if rubric.adjustments:
        say()
        print_table(
            (
                Column("  line", right=True),
                Column("step", right=True),
                Column("kind"),
                Column("within"),
                Column("condition", shrinks=True),
            ),
            (
                (
                    str(a.line),
                    f"{a.amount:+d}",
                    a.kind.value.replace("_", " "),
                    f"{a.clamp_low}-{a.clamp_high}",
                    a.condition,
                )
                for a in rubric.adjustments
            ),
        )
    if rubric.sub_modes:
        say()
        print_table(
            (
                Column("  line", right=True),
                Column("sub-mode"),
                Column("tools", shrinks=True),
                Column("label", shrinks=True),
            ),
            ((str(m.line), m.key, _joined(m.tools), m.label) for m in rubric.sub_modes),
        )


def _calls(band: Band) -> str:
    if band.count is None:
        return ""
    return f"{band.counted or ''}{'=' if band.counted else ''}{_count(band.count)}"


def _count(count: CountRange) -> str:
    if count.high is None:
        return f"{count.low}+"
    return str(count.low) if count.low == count.high else f"{count.low}-{count.high}"


def _score(score: ScoreRange | None) -> str:
    if score is None:
        return ""
    return str(score.low) if score.low == score.high else f"{score.low}-{score.high}"


def _reach(view: Reach) -> None:
    say(f"\n  What calls give {view.dimension}:")
    print_table(
        (Column("  calls", shrinks=True), Column("score", right=True)),
        (
            (
                f"  {way.calls}",
                way.word
                or (
                    f"{way.low:g}"
                    if way.low == way.high
                    else f"{way.low:g}-{way.high:g}"
                ),
            )
            for way in view.ways
        ),
    )
    if view.unreachable:
        say(f"  No way gives: {_joined(str(s) for s in view.unreachable)}")
    rest = [s for s in view.without_adjustments if s not in view.unreachable]
    if rest:
        say(f"  Only adjustments give: {_joined(str(s) for s in rest)}")
