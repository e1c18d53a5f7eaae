"""``geode-tui plan``: how many more labels, which ones, by whom."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from geode_tui.workflows.plan import Plan


@click.command(
    epilog=examples(
        "geode-tui plan --rater eve",
        "geode-tui plan --width 0.15 --next 40 --for ann --for bob --rater eve",
    )
)
@click.option(
    "--width",
    type=click.FloatRange(0, 2, min_open=True),
    default=0.2,
    show_default=True,
    help="The interval that is wanted, from end to end.",
)
@click.option(
    "--next",
    "count",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="How many transcripts to assign.",
)
@click.option(
    "--overlap",
    type=click.FloatRange(0, 1),
    default=0.3,
    show_default=True,
    help="Share of them that two people label.",
)
@click.option(
    "--for",
    "people",
    multiple=True,
    metavar="NAME",
    help="Who shall label; may be repeated. Default: the raters known here.",
)
@workspace_option
@rater_option()
@json_option
@pass_invocation
def plan(
    invocation: Invocation,
    width: float,
    count: int,
    overlap: float,
    people: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say how many more labels are needed, and share the next ones out.

    Transcripts are spread over the judge's bands and scenario families; those
    on which judge and rule differ, or with rare sub-modes, come first. That
    tells of the judge, so only an auditor, or a rater whose queue is done, may
    see it; each look is saved as a reveal.
    """
    workspace = invocation.workspace()
    rater = invocation.likely_rater(workspace)
    from geode_tui.workflows.gather import gather, record_comparison
    from geode_tui.workflows.plan import make_plan, people_of
    from geode_tui.workflows.workspace import rater_name

    names = [rater_name(name) for name in people]
    with workspace.open_store() as store:
        if rater is not None:
            record_comparison(store, workspace.config, rater)
        gathered = gather(store, workspace.config)
    made = make_plan(
        gathered,
        names or people_of(workspace.config, gathered),
        width=width,
        count=count,
        overlap=overlap,
    )
    if as_json:
        print_json(_record(made))
    else:
        _print(made)


def _record(made: Plan) -> dict[str, Any]:
    return {
        "needs": [
            {
                "dimension": need.dimension,
                "wording": need.wording,
                "figure": need.figure,
                "now": need.now.model_dump(mode="json"),
                **need.needed.model_dump(mode="json"),
                "more_items": need.needed.more_items,
            }
            for need in made.needs
        ],
        "assignments": [one.model_dump(mode="json") for one in made.assignments],
    }


def _print(made: Plan) -> None:
    columns = (
        Column("dimension", shrinks=True),
        Column("figure", shrinks=True),
        Column("have", right=True),
        Column("more", right=True),
        Column("families needed", right=True),
        Column("why not", shrinks=True),
    )
    rows = [
        [
            need.dimension,
            need.figure,
            str(need.needed.have_items),
            _number(need.needed.more_items),
            _number(need.needed.need_groups),
            need.needed.reason or "",
        ]
        for need in made.needs
    ]
    if rows:
        print_table(columns, rows)
        say()
    shared = (
        Column("label next"),
        Column("by", shrinks=True),
        Column("judge band"),
        Column("because", shrinks=True),
    )
    print_table(
        shared,
        [
            [one.transcript, ", ".join(one.raters), one.stratum, "; ".join(one.why)]
            for one in made.assignments
        ],
    )


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)
