"""``geode-tui list``: the transcripts of a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from geode_tui.cli.options import (
    Invocation,
    examples,
    json_option,
    pass_invocation,
    rater_option,
    workspace_option,
)
from geode_tui.cli.printing import Column, print_json, print_table, say
from geode_tui.domain.labelling import LabelState, QueueFilter, QueueOrder, QueueRow
from geode_tui.domain.transcript import Validity

if TYPE_CHECKING:
    from geode_tui.store.blind import BlindReader
    from geode_tui.workflows.annotate import Annotate

_PAGE = 1_000
_NOBODY = "rule:nobody"
"""A name that no rater can have: reads the queue where nobody was named."""

_COLUMNS = (
    Column("id"),
    Column("seed", shrinks=True),
    Column("sample", shrinks=True),
    Column("ep", right=True),
    Column("model", shrinks=True),
    Column("msgs", right=True),
    Column("br", right=True),
    Column("validity", shrinks=True),
    Column("state"),
)


@click.command(
    name="list",
    epilog=examples(
        "geode-tui list",
        "geode-tui list --rater ann --state todo --sort length",
        'geode-tui list --text "refund window" --json',
    ),
)
@click.option("--text", default="", metavar="WORDS", help="Only where these occur.")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice([state.value for state in LabelState]),
    help="Only these states of the rater's own label; may be repeated.",
)
@click.option(
    "--validity",
    "validity",
    multiple=True,
    type=click.Choice([mark.value for mark in Validity]),
    help="Only transcripts with one of these marks; may be repeated.",
)
@click.option(
    "--sort",
    type=click.Choice([order.value for order in QueueOrder]),
    default=QueueOrder.IMPORTED.value,
    show_default=True,
)
@click.option("--descending", is_flag=True, help="Turn the order round.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many.")
@workspace_option
@rater_option()
@json_option
@pass_invocation
def list_(
    invocation: Invocation,
    text: str,
    states: tuple[str, ...],
    validity: tuple[str, ...],
    sort: str,
    descending: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """List transcripts, with the state of your own label of each."""
    from geode_tui.workflows.annotate import Annotate

    workspace = invocation.workspace()
    rater = invocation.likely_rater(workspace)
    if states and rater is None:
        raise click.UsageError("--state needs to know whose: give --rater NAME.")
    wanted = QueueFilter(
        text=text,
        states=tuple(LabelState(state) for state in states),
        validity=tuple(Validity(mark) for mark in validity),
        order=QueueOrder(sort),
        descending=descending,
    )
    with workspace.open_store() as store:
        queue = (
            Annotate(store, workspace.config, rater) if rater else store.blind(_NOBODY)
        )
        rows = list(_rows(queue, wanted, limit))
    if as_json:
        print_json([_record(row, rater) for row in rows])
    elif rows:
        print_table(_COLUMNS, (_cells(row, rater) for row in rows))
    else:
        say("No transcripts. `geode-tui import LOGS` brings some in.", err=True)


def _rows(
    queue: Annotate | BlindReader, wanted: QueueFilter, limit: int | None
) -> Iterator[QueueRow]:
    offset = 0
    while limit is None or offset < limit:
        size = _PAGE if limit is None else min(_PAGE, limit - offset)
        page = queue.page(wanted, offset, size)
        yield from page
        offset += len(page)
        if len(page) < size:
            return


def _record(row: QueueRow, rater: str | None) -> dict[str, Any]:
    record = row.model_dump(mode="json")
    return record if rater else {**record, "state": None}


def _cells(row: QueueRow, rater: str | None) -> list[str]:
    return [
        row.id,
        row.seed,
        row.sample_id,
        str(row.epoch),
        row.model,
        str(row.messages),
        str(row.branches),
        ", ".join(mark.value.replace("_", " ") for mark in row.validity),
        row.state.value.replace("_", " ") if rater else "",
    ]
