"""``geode-tui import-scores``: scores that a judge or people gave elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from geode_tui.cli.options import (
    Invocation,
    examples,
    json_option,
    pass_invocation,
    workspace_option,
)
from geode_tui.cli.printing import print_json, say

SOME_REFUSED, NOTHING_READ = 3, 4


@click.command(
    name="import-scores",
    epilog=examples(
        "geode-tui import-scores judge.csv --by new-prompt",
        "geode-tui import-scores ann.csv --human --by ann --map transcript=item",
        "geode-tui import-scores all.jsonl --human --map rater=annotator",
    ),
)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--human", is_flag=True, help="Labels of people; otherwise a judge's verdicts."
)
@click.option("--by", metavar="NAME", help="Whose they are, where no column says it.")
@click.option("--dimension", help="Of every row, where no column says it.")
@click.option(
    "--map",
    "pairs",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Where a field stands: transcript, sample_id, epoch, rater, dimension, "
    "score, note. May be repeated.",
)
@workspace_option
@json_option
@click.pass_context
@pass_invocation
def import_scores(
    invocation: Invocation,
    context: click.Context,
    path: Path,
    human: bool,
    by: str | None,
    dimension: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Import scores from a CSV or JSONL, one row per rater and dimension.

    A transcript is named by its id, or by sample_id and epoch. Importing the
    same file again changes nothing; a bad row costs only itself.
    """
    workspace = invocation.workspace()
    from geode_tui.files.scores import FIELDS
    from geode_tui.workflows.scores import import_scores as take_in

    columns = {}
    for pair in pairs:
        field, _, column = pair.partition("=")
        if field not in FIELDS or not column:
            raise click.BadParameter(
                f"{pair!r} is not FIELD=COLUMN; fields: {', '.join(FIELDS)}.",
                param_hint="--map",
            )
        columns[field] = column
    with workspace.open_store() as store:
        intake = take_in(
            store,
            workspace.config,
            path,
            human=human,
            rater=by,
            dimension=dimension,
            columns=columns,
        )
    if as_json:
        print_json(intake.model_dump(mode="json"))
    else:
        for one in intake.refused:
            say(f"line {one.line or '-'}: {one.reason}", err=True)
        what = "labels" if human else "verdicts"
        say(
            f"{intake.rows} rows: {intake.added} new {what},"
            f" {intake.unchanged} known, {len(intake.refused)} refused"
        )
    if intake.refused:
        read = intake.added or intake.unchanged
        context.exit(SOME_REFUSED if read else NOTHING_READ)
