"""The ``geode-tui`` command: registers the commands and says what went wrong."""

from __future__ import annotations

import io
import sys
from typing import Any

import click

from geode_tui import __version__
from geode_tui.cli.agreement import agreement
from geode_tui.cli.annotate import annotate
from geode_tui.cli.app import open_app
from geode_tui.cli.demo import demo
from geode_tui.cli.doctor import doctor
from geode_tui.cli.export import export
from geode_tui.cli.import_ import import_
from geode_tui.cli.init import init
from geode_tui.cli.list_ import list_
from geode_tui.cli.options import (
    Invocation,
    examples,
    pass_invocation,
    rater_option,
    workspace_option,
)
from geode_tui.cli.rule import rule
from geode_tui.cli.seeds import seeds
from geode_tui.cli.show import show
from geode_tui.domain.display import visible
from geode_tui.errors import GeodeError


class GeodeGroup(click.Group):
    """A group in which an error of the project ends as one line on stderr."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; ``GeodeError`` becomes ``Error: ...``, exit code 1."""
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show a character must not end the program.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except GeodeError as error:
            raise click.ClickException(visible(str(error))) from error


@click.group(
    cls=GeodeGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "geode-tui demo              look around in a ready workspace",
        "geode-tui init my-audit     make your own",
        "geode-tui import logs/      fill it",
        "geode-tui                   label",
    ),
)
@click.version_option(__version__, "--version", "-V", prog_name="geode-tui")
@workspace_option
@rater_option(read_environment=True)
@click.pass_context
@pass_invocation
def main(invocation: Invocation, context: click.Context) -> None:
    """Label audit transcripts beside their rubric, blind to the judge.

    Without a command, the app opens in the workspace here.
    """
    if context.invoked_subcommand is None:
        open_app(invocation)


for command in (
    init,
    demo,
    import_,
    seeds,
    list_,
    show,
    annotate,
    rule,
    agreement,
    export,
    doctor,
):
    main.add_command(command)
