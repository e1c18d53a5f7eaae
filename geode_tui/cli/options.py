"""Options that several commands share, and what they resolve to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from geode_tui.workflows.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])

RATER_VARIABLE = "GEODE_RATER"


@dataclass
class Invocation:
    """What was said about place and person, before or after the command's name.

    Attributes:
        folder: ``--workspace``; None looks here and in the folders above.
        rater: ``--rater`` or ``GEODE_RATER``; None where nobody was named.
    """

    folder: Path | None = None
    rater: str | None = None

    def workspace(self) -> Workspace:
        """The workspace that was named, or the one around the present folder.

        Raises:
            WorkspaceError: there is none; the message says how to make one.
            ConfigError: its settings cannot be used.
        """
        from geode_tui.workflows.workspace import find_workspace

        if self.folder is not None:
            return find_workspace(self.folder)
        return find_workspace(Path.cwd(), upward=True)

    def named_rater(self) -> str | None:
        """The rater named in this call, checked; None where nobody was.

        Raises:
            ConfigError: the name cannot be used.
        """
        from geode_tui.workflows.workspace import rater_name

        return None if self.rater is None else rater_name(self.rater)

    def likely_rater(self, workspace: Workspace) -> str | None:
        """The rater named in this call, else whoever labelled here last."""
        from geode_tui.workflows.workspace import recall_rater

        return self.named_rater() or recall_rater(workspace)


def examples(*lines: str) -> str:
    """Examples as the end of a help text; lines are kept as they are."""
    # A backspace on a line of its own keeps click from wrapping what follows.
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


pass_invocation = click.make_pass_decorator(Invocation, ensure=True)


def _keep(field: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value is not None:
            setattr(context.ensure_object(Invocation), field, value)

    return callback


workspace_option: Callable[[F], F] = click.option(
    "--workspace",
    "-w",
    metavar="DIR",
    type=click.Path(path_type=Path),
    expose_value=False,
    callback=_keep("folder"),
    help="The workspace folder. Default: here, or the nearest one above.",
)


def rater_option(*, read_environment: bool = False) -> Callable[[F], F]:
    """``--rater``. Only the outermost one reads the environment.

    Otherwise ``geode-tui --rater ann list`` would be overruled by it.
    """
    return click.option(
        "--rater",
        "-r",
        metavar="NAME",
        envvar=RATER_VARIABLE if read_environment else None,
        expose_value=False,
        callback=_keep("rater"),
        help=f"Who is asking. Default: {RATER_VARIABLE}, then who labelled here last.",
    )


json_option: Callable[[F], F] = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON (see docs/cli.md)."
)
