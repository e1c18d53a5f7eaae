"""``geode-tui demo``: a ready workspace to look around in."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from geode_tui.cli.options import Invocation, examples, pass_invocation, rater_option
from geode_tui.cli.printing import say


@click.command(
    epilog=examples(
        "geode-tui demo",
        "geode-tui demo --into look-around --rater ann",
        "geode-tui demo --no-app",
    ),
)
@click.option(
    "--into",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Make the demo in DIR and keep it. Default: a temporary folder.",
)
@click.option("--no-app", is_flag=True, help="Only make it and print its folder.")
@rater_option()
@pass_invocation
def demo(invocation: Invocation, into: Path | None, no_app: bool) -> None:
    """Open a ready workspace: seeds, transcripts, two raters, a judge.

    All of it was written by hand for the demo and says nothing about any model.
    A temporary demo is deleted when you leave; --into keeps it.
    """
    rater = invocation.named_rater()
    from geode_tui.workflows.demo import build_demo

    if no_app:
        folder = into or Path(tempfile.mkdtemp(prefix="geode-demo-"))
        say(str(build_demo(folder).root))
        return
    from geode_tui.tui.app import run_app

    if into is not None:
        run_app(build_demo(into), rater)
        return
    with tempfile.TemporaryDirectory(
        prefix="geode-demo-", ignore_cleanup_errors=True
    ) as temporary:
        run_app(build_demo(Path(temporary)), rater)
    say("The demo is deleted; `geode-tui demo --into DIR` makes one that stays.")
