"""``geode-tui calibrate``: how far people and judges agree, as a report."""

from __future__ import annotations

import click

from geode_tui.cli.options import (
    Invocation,
    examples,
    json_option,
    pass_invocation,
    rater_option,
    workspace_option,
)
from geode_tui.cli.printing import print_json, say


@click.command(
    epilog=examples(
        "geode-tui calibrate --rater eve",
        "geode-tui calibrate --rater eve --json",
    )
)
@click.option("--markdown", is_flag=True, help="Print Markdown (this is the default).")
@click.option(
    "--after-reveal",
    is_flag=True,
    help="Count labels that were made after a look at others' values too.",
)
@click.option(
    "--resamples",
    type=click.IntRange(100, 1_000_000),
    default=10_000,
    show_default=True,
    help="Of the intervals.",
)
@workspace_option
@rater_option()
@json_option
@pass_invocation
def calibrate(
    invocation: Invocation,
    markdown: bool,
    after_reveal: bool,
    resamples: int,
    as_json: bool,
) -> None:
    """Report agreement per dimension, coverage, suspects; with intervals.

    The report holds everybody's values. An auditor may see it at any time, a
    rater once the queue is done; each look is saved as a reveal.
    """
    if markdown and as_json:
        raise click.UsageError("Choose --markdown or --json.")
    workspace = invocation.workspace()
    rater = invocation.likely_rater(workspace)
    from geode_tui.workflows.calibrate import calibrate as compute
    from geode_tui.workflows.gather import gather, record_comparison
    from geode_tui.workflows.report_text import as_markdown

    with workspace.open_store() as store:
        if rater is not None:
            record_comparison(store, workspace.config, rater)
        gathered = gather(store, workspace.config, after_reveal=after_reveal)
    report = compute(gathered, resamples=resamples)
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        say(as_markdown(report).rstrip("\n"))
