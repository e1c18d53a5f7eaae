"""``geode-tui init``: make a workspace."""

from __future__ import annotations

from pathlib import Path

import click

from geode_tui.cli.options import examples
from geode_tui.cli.printing import say


@click.command(
    epilog=examples(
        "geode-tui init my-audit",
        "cp seeds-of-mine/*.md my-audit/seeds/",
        "geode-tui --workspace my-audit import logs/",
        "geode-tui --workspace my-audit",
    ),
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Make a workspace in DIR.

    DIR gets seeds/ for scenario documents, annotations/ for the database and
    exports, and geode.toml with every setting explained. Nothing that is there
    already is overwritten.
    """
    from geode_tui.workflows.workspace import init_workspace

    workspace = init_workspace(folder)
    say(f"Made a workspace in {workspace.root}")
    say("Next: put seed documents into seeds/, then run `geode-tui import LOGS` there.")
