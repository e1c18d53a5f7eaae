"""``geode-tui`` without a command: open the app."""

from __future__ import annotations

from geode_tui.cli.options import Invocation


def open_app(invocation: Invocation) -> None:
    """Open the app in the workspace that ``invocation`` means.

    Raises:
        WorkspaceError: there is no workspace.
        ConfigError: its settings, or the rater's name, cannot be used.
    """
    from geode_tui.tui.app import run_app

    # Both are looked up after the first paint.
    run_app(invocation.workspace, invocation.named_rater)
