"""``geode-tui agreement``: every coefficient for a table of ratings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import click

from geode_tui.cli.options import examples, json_option
from geode_tui.cli.printing import Column, print_json, print_table, say
from geode_tui.domain.estimate import Estimate


@click.command(
    epilog=examples(
        "geode-tui agreement ratings.json --json",
        "geode-tui agreement ratings.csv --scale 1-5 --level interval",
        "geode-tui agreement labels.csv --dimension redundant_tool_invocation",
    )
)
@click.argument("ratings", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--scale",
    default="1-10",
    show_default=True,
    help="Every score that could be given: 1-10, or 0,0.5,1.",
)
@click.option(
    "--level",
    type=click.Choice(["nominal", "ordinal", "interval"]),
    default="ordinal",
    show_default=True,
    help="Of the alpha called krippendorff_alpha.",
)
@click.option("--dimension", help="The one to read from a table that holds several.")
@click.option(
    "--resamples",
    type=click.IntRange(100, 1_000_000),
    default=10_000,
    show_default=True,
    help="Of the intervals.",
)
@json_option
def agreement(
    ratings: Path,
    scale: str,
    level: Literal["nominal", "ordinal", "interval"],
    dimension: str | None,
    resamples: int,
    as_json: bool,
) -> None:
    """Every agreement coefficient for the ratings in a JSON or CSV file.

    Each comes with an interval, or the reason why there is none. Items of one
    group (scenario family) are resampled together.
    """
    from geode_tui.workflows.ratings_file import agreement_of_file

    figures = agreement_of_file(
        ratings, scale=scale, level=level, dimension=dimension, resamples=resamples
    )
    if as_json:
        print_json({name: estimate_record(e) for name, e in figures.items()})
        return
    print_estimates(figures)


def estimate_record(estimate: Estimate) -> dict[str, Any]:
    """One figure as documented in docs/cli.md."""
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "reason": estimate.reason,
        "interval_reason": estimate.interval_reason,
        "warnings": list(estimate.warnings),
        "notes": list(estimate.notes),
        "n_items": estimate.n_items,
        "n_groups": estimate.n_groups,
        "n_pairs": estimate.n_pairs,
        "recipe": estimate.recipe,
        "interval_method": estimate.interval.method if estimate.interval else None,
        "details": estimate.details,
    }


def print_estimates(figures: Mapping[str, Estimate]) -> None:
    """Figures as a table, then what has to be known to read them."""
    columns = (
        Column("figure", shrinks=True),
        Column("value", right=True),
        Column("95% interval"),
        Column("items", right=True),
        Column("groups", right=True),
        Column("pairs", right=True),
        Column("why not", shrinks=True),
    )
    print_table(columns, [_row(name, e) for name, e in figures.items()])
    remarks = list(dict.fromkeys(n for e in figures.values() for n in e.notes))
    for note in remarks:
        say(f"! {note}")
    methods = {e.interval.method for e in figures.values() if e.interval}
    for method in sorted(methods):
        say(f"Intervals: {method}.")


def _row(name: str, e: Estimate) -> list[str]:
    why = e.reason or e.interval_reason
    return [
        name,
        "-" if e.value is None else f"{e.value:.3f}",
        "-" if e.interval is None else f"{e.low:.3f} to {e.high:.3f}",
        str(e.n_items),
        str(e.n_groups),
        str(e.n_pairs),
        why.sentence if why else "",
    ]
