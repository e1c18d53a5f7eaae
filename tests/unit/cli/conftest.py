"""Running commands as a person would."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from geode_tui.cli import main
from geode_tui.workflows.workspace import Workspace

Run = Callable[..., Result]


@pytest.fixture
def run(workspace: Workspace) -> Run:
    """Runs ``geode-tui`` in the workspace; checks the exit code."""

    def call(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(main, ["-w", str(workspace.root), *arguments])
        unexpected = result.exception and not isinstance(result.exception, SystemExit)
        if unexpected:
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return call
