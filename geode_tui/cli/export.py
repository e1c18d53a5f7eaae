"""``geode-tui export``: labels and their history as files."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from geode_tui.cli.options import (
    RATER_VARIABLE,
    Invocation,
    examples,
    pass_invocation,
    rater_option,
    workspace_option,
)
from geode_tui.cli.printing import say
from geode_tui.errors import ExchangeError


@click.command(
    epilog=examples(
        "geode-tui export > labels.jsonl",
        "geode-tui export --rater ann --out annotations/ann.jsonl",
        "geode-tui export --format csv --out labels.csv",
        "geode-tui export --unblind --rater eve --out everybody.jsonl",
    ),
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "csv"]),
    default="jsonl",
    show_default=True,
    help="jsonl: every event, complete, can be imported again. "
    "csv: the current labels, one row per rater, transcript and dimension.",
)
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to FILE, replaced in one step. Default: print.",
)
@click.option(
    "--unblind",
    is_flag=True,
    help="Everybody's events, where NAME may see them. Needs --rater; saves a reveal.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format jsonl.")
@workspace_option
@rater_option()
@pass_invocation
def export(
    invocation: Invocation, kind: str, out: Path | None, unblind: bool, as_json: bool
) -> None:
    """Export labels with their whole history.

    You get your own events. Other raters' events stay out unless --unblind
    asks for them and you may see them: an auditor may, a rater once the reveal
    rule of the workspace allows it. Where you alone label, an export is
    complete without any option.
    """
    workspace, named = invocation.workspace(), invocation.named_rater()
    if unblind and named is None:
        raise click.UsageError(
            f"--unblind needs to know who looks: give --rater NAME or {RATER_VARIABLE}."
        )
    from geode_tui.workflows.exchange import export_csv, export_jsonl, scope_of
    from geode_tui.workflows.workspace import replace_file

    rater = named or invocation.likely_rater(workspace)
    write = export_csv if kind == "csv" and not as_json else export_jsonl
    with workspace.open_store() as store:
        scope = scope_of(store, workspace.config, rater, unblind=unblind)
        if out is None:
            if hasattr(sys.stdout, "reconfigure"):
                # One spelling on every system, whatever the terminal's encoding.
                sys.stdout.reconfigure(encoding="utf-8", newline="")
            write(store, sys.stdout, scope)
        else:
            counts: list[int] = []
            try:
                replace_file(out, lambda file: counts.append(write(store, file, scope)))
            except OSError as error:
                raise ExchangeError(
                    f"cannot be written: {error.strerror or error}.",
                    where=str(out),
                    hint="Name another file, or check the folder.",
                ) from error
            what = "rows" if write is export_csv else "events"
            say(f"Wrote {counts[0]} {what} to {out}", err=True)
    if scope.hidden:
        others = (
            "another rater" if scope.hidden == 1 else f"{scope.hidden} other raters"
        )
        say(
            f"These are {scope.rater}'s own. The events of {others} are left out:"
            " see `geode-tui export --help`, --unblind.",
            err=True,
        )
