"""The app refuses to start where it could not be seen."""

from __future__ import annotations

import sys

import pytest

from geode_tui.errors import TerminalError
from geode_tui.tui.app import run_app


class Redirected:
    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize("stream", ["__stdin__", "__stderr__"])
def test_without_a_terminal(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    for name in ("__stdin__", "__stderr__"):
        monkeypatch.setattr(sys, name, Terminal())
    monkeypatch.setattr(sys, stream, Redirected())

    def never() -> None:
        raise AssertionError("nothing may be opened")

    with pytest.raises(TerminalError, match="needs a terminal"):
        run_app(never, None)  # type: ignore[arg-type]
