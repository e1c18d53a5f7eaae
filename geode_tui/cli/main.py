"""The ``geode-tui`` command: registers the commands and says what went wrong."""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any

import click

from geode_tui import __version__
from geode_tui.cli.app import open_app
from geode_tui.cli.options import (
    Invocation,
    examples,
    pass_invocation,
    rater_option,
    workspace_option,
)
from geode_tui.errors import GeodeError

COMMANDS = {
    "init": "init:init",
    "demo": "demo:demo",
    "import": "import_:import_",
    "import-scores": "import_scores:import_scores",
    "seeds": "seeds:seeds",
    "list": "list_:list_",
    "show": "show:show",
    "annotate": "annotate:annotate",
    "rule": "rule:rule",
    "calibrate": "calibrate:calibrate",
    "disputes": "disputes:disputes",
    "adjudicate": "adjudicate:adjudicate",
    "plan": "plan:plan",
    "agreement": "agreement:agreement",
    "export": "export:export",
    "doctor": "doctor:doctor",
}
"""Command -> module and object in it; a module is imported when it is needed."""


class GeodeGroup(click.Group):
    """A group in which an error of the project ends as one line on stderr.

    Commands are found in ``COMMANDS``, so that opening the app imports none.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of ``COMMANDS``."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and give a command; None where there is no such command."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        command = getattr(importlib.import_module(f"geode_tui.cli.{module}"), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{place} is no command")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; ``GeodeError`` becomes ``Error: ...``, exit code 1."""
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show a character must not end the program.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except GeodeError as error:
            from geode_tui.domain.display import visible

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
