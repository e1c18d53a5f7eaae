"""``geode-tui doctor``: is everything here that labelling needs?"""

from __future__ import annotations

import os
import shutil
import sys

import click

from geode_tui.cli.options import (
    Invocation,
    examples,
    json_option,
    pass_invocation,
    workspace_option,
)
from geode_tui.cli.printing import print_json, say
from geode_tui.errors import GeodeError


@click.command(
    epilog=examples(
        "geode-tui doctor",
        "geode-tui doctor --workspace my-audit --json",
    ),
)
@workspace_option
@json_option
@click.pass_context
@pass_invocation
def doctor(invocation: Invocation, context: click.Context, as_json: bool) -> None:
    """Check that all is here that labelling needs.

    That is Python, SQLite, the terminal, the workspace, its database and seeds.

    Exit code: 0 where nothing is wrong, 1 otherwise. Of credentials it says
    only whether they are set.
    """
    from geode_tui.workflows.doctor import Finding, Terminal, examine
    from geode_tui.workflows.workspace import Workspace

    size = shutil.get_terminal_size() if sys.stdout.isatty() else None
    terminal = Terminal(
        columns=size.columns if size else None,
        lines=size.lines if size else None,
        encoding=sys.stdout.encoding or "",
    )
    workspace: Workspace | GeodeError
    try:
        workspace = invocation.workspace()
    except GeodeError as error:
        workspace = error
    checks = list(examine(workspace, terminal, os.environ))
    if as_json:
        print_json([check.model_dump(mode="json") for check in checks])
    else:
        for check in checks:
            say(f"{check.finding.value:<6}{check.name}: {check.detail}")
            if check.advice:
                say(f"{'':<6}{check.advice}")
    if any(check.finding is Finding.WRONG for check in checks):
        context.exit(1)
