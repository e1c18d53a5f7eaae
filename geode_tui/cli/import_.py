"""``geode-tui import``: logs and annotation files into the workspace."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
from geode_tui.cli.printing import Column, print_json, print_table, say, terminal_width
from geode_tui.domain.display import one_line
from geode_tui.domain.imported import Refused

if TYPE_CHECKING:
    from geode_tui.workflows.intake import FileResult, ImportSummary, Step

SOME_REFUSED, NOTHING_READ = 3, 4
_SHOWN = 20
"""Reasons and notes of one file that are printed; --json has all."""

_COLUMNS = (
    Column("file", shrinks=True),
    Column("status"),
    Column("new", right=True),
    Column("known", right=True),
    Column("events", right=True),
    Column("refused", right=True),
)


@click.command(
    name="import",
    epilog=examples(
        "geode-tui import logs/",
        "geode-tui import run1.eval session.jsonl --json",
        "geode-tui import annotations/ann.jsonl",
    ),
)
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@workspace_option
@json_option
@click.pass_context
@pass_invocation
def import_(
    invocation: Invocation,
    context: click.Context,
    paths: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Import logs, chats and annotation files.

    Folders are walked. Read are Inspect .eval and .json logs, Petri 1
    transcripts, OpenAI-style and Anthropic-style messages, Claude Code sessions,
    and events written by `geode-tui export`; the content tells which.
    Importing a file again changes nothing. A file, sample or line that cannot
    be read is listed with its reason, and everything else goes in.

    Exit code: 0 all in, 3 some refused, 4 nothing could be read.
    """
    workspace = invocation.workspace()
    from geode_tui.workflows.intake import (
        FileResult,
        import_paths,
        load_seeds,
        summarise,
    )

    with workspace.open_store() as store:
        steps = import_paths(store, workspace, paths)
        results = [s for s in _followed(steps) if isinstance(s, FileResult)]
        seeds = load_seeds(store, workspace)
    summary = summarise(results)
    if as_json:
        print_json(_record(summary, seeds.refused))
    else:
        _print(summary, seeds.refused)
    if summary.nothing_read:
        context.exit(NOTHING_READ)
    if summary.refused:
        context.exit(SOME_REFUSED)


def _followed(steps: Iterator[Step | FileResult]) -> Iterator[Step | FileResult]:
    """``steps``, with one line of progress on stderr where that is a terminal."""
    if not sys.stderr.isatty():
        yield from steps
        return
    from geode_tui.workflows.intake import FileResult

    files = done = 0
    try:
        for step in steps:
            if isinstance(step, FileResult):
                files += 1
            else:
                done += step.done > 0
                total = f" of {step.total}" if step.total else ""
                name = Path(step.path).name
                at = f"file {files + 1}, sample {step.done}{total}"
                _show(f"{at}, {done} in all: {name}")
            yield step
    finally:
        _show("")


def _show(text: str) -> None:
    width = (terminal_width() or 80) - 1
    click.echo(f"\r\x1b[2K{one_line(text, width)}", nl=False, err=True)


def _record(summary: ImportSummary, seeds: tuple[Refused, ...]) -> dict[str, Any]:
    return {
        "files": [result.model_dump(mode="json") for result in summary.files],
        "added": summary.added,
        "unchanged": summary.unchanged,
        "refused": summary.refused,
        "events": summary.events,
        "events_added": summary.events_added,
        "seeds_refused": [refused.model_dump(mode="json") for refused in seeds],
    }


def _print(summary: ImportSummary, seeds: tuple[Refused, ...]) -> None:
    if not summary.files:
        say("Nothing to import: there is no log and no annotation file there.")
        return
    rows = [
        [
            Path(result.path).name,
            result.status.value,
            str(result.added),
            str(result.unchanged),
            str(result.events),
            str(len(result.refused)),
        ]
        for result in summary.files
    ]
    print_table(_COLUMNS, rows)
    for result in summary.files:
        lines = [f"refused: {_place(refused)}" for refused in result.refused]
        lines += [f"note: {note}" for note in result.notes]
        if lines:
            say(f"\n{result.path}")
            for line in lines[:_SHOWN]:
                say(f"  {line}")
            if len(lines) > _SHOWN:
                say(f"  and {len(lines) - _SHOWN} more; --json lists all.")
    for refused in seeds:
        say(f"\nSeed not read: {refused.reason}")
    say(
        f"\n{summary.added} new, {summary.unchanged} known, {summary.refused} refused"
        + (f", {summary.events_added} new events" if summary.events else "")
    )


def _place(refused: Refused) -> str:
    parts = []
    if refused.sample_id is not None:
        parts.append(f"sample {refused.sample_id}")
    if refused.epoch is not None:
        parts.append(f"epoch {refused.epoch}")
    if refused.line is not None:
        parts.append(f"line {refused.line}")
    return f"{', '.join(parts)}: {refused.reason}" if parts else refused.reason
