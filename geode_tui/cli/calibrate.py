"""``geode-tui calibrate``: how far people and judges agree, as a report."""

from __future__ import annotations

from pathlib import Path

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
from geode_tui.errors import ExchangeError


@click.command(
    epilog=examples(
        "geode-tui calibrate --rater eve",
        "geode-tui calibrate --rater eve --json",
        "geode-tui calibrate --rater eve --html report.html",
    )
)
@click.option("--markdown", is_flag=True, help="Print Markdown (this is the default).")
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write one page with plots that needs nothing else, replaced in one step.",
)
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
    html: Path | None,
    after_reveal: bool,
    resamples: int,
    as_json: bool,
) -> None:
    """Report agreement per dimension, coverage, suspects; with intervals.

    The report holds everybody's values. An auditor may see it at any time, a
    rater once the queue is done; each look is saved as a reveal.
    """
    if markdown + as_json + (html is not None) > 1:
        raise click.UsageError("Choose one of --markdown, --html and --json.")
    workspace = invocation.workspace()
    rater = invocation.likely_rater(workspace)
    from geode_tui.workflows.calibrate import calibrate as compute
    from geode_tui.workflows.gather import gather, record_comparison
    from geode_tui.workflows.report_html import as_html
    from geode_tui.workflows.report_text import as_markdown
    from geode_tui.workflows.workspace import replace_file

    with workspace.open_store() as store:
        if rater is not None:
            record_comparison(store, workspace.config, rater)
        gathered = gather(store, workspace.config, after_reveal=after_reveal)
    report = compute(gathered, resamples=resamples)
    if as_json:
        print_json(report.model_dump(mode="json"))
    elif html is not None:
        page = as_html(report)
        try:
            replace_file(html, lambda file: print(page, end="", file=file))
        except OSError as error:
            raise ExchangeError(
                f"cannot be written: {error.strerror or error}.",
                where=str(html),
                hint="Name another file, or check the folder.",
            ) from error
        say(f"Wrote {html}", err=True)
    else:
        say(as_markdown(report).rstrip("\n"))
