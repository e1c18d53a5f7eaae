"""JSON lines: one value a line; a bad line costs only itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from geode_tui.domain.imported import Refused
from geode_tui.files.limits import UnreadableError, next_line


class Line(NamedTuple):
    """A line of the file, numbered from 1, and the value written in it."""

    number: int
    value: Any


def read_lines(path: Path) -> Iterator[Line | Refused]:
    """The values of a file in order, and its unreadable lines; blank ones skipped.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        number = 0
        while True:
            number += 1
            try:
                raw = next_line(file)
            except UnreadableError as error:
                yield bad_line(path, number, str(error))
                continue
            if not raw:
                return
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if not raw.strip():
                continue
            try:
                yield Line(number, json.loads(raw))
            except (ValueError, RecursionError) as error:
                yield bad_line(path, number, _why(error, raw))


def bad_line(path: Path, number: int, reason: str) -> Refused:
    """The refusal of one line."""
    return Refused(path=str(path), reason=reason, line=number)


def _why(error: Exception, raw: bytes) -> str:
    if not raw.endswith(b"\n") and isinstance(error, json.JSONDecodeError):
        return "The last line is only half written; it is left out."
    if isinstance(error, json.JSONDecodeError):
        return f"The line is no JSON ({error.msg}, column {error.colno}); left out."
    return "The line is no readable JSON; it is left out."
