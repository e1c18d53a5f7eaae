"""An error of the project's own in a key's action is said, and nothing stops.

An exception that leaves a message handler ends that handler's message loop, so
a screen must not let one out for what can happen: a database that is away.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from textual.screen import Screen

from geode_tui.errors import GeodeError
from geode_tui.tui.screens.modals import told

S = TypeVar("S", bound=Screen[Any])
P = ParamSpec("P")


def guarded(
    method: Callable[Concatenate[S, P], None],
) -> Callable[Concatenate[S, P], None]:
    """Show a ``GeodeError`` of a screen's method in a dialog."""

    @wraps(method)
    def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(self, *args, **kwargs)
        except GeodeError as error:
            self.app.push_screen(told(error))

    return run


def guarded_work(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, None]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, None]]:
    """The same for a worker; ``after_error`` of the screen is called then."""

    @wraps(method)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            await method(self, *args, **kwargs)
        except GeodeError as error:
            after = getattr(self, "after_error", None)
            if after is not None:
                after()
            self.app.push_screen(told(error))

    return run
