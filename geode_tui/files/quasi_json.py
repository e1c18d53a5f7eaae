"""JSON as models write it: values inside prose, and values that are nearly JSON.

Nothing here raises on bad input, and every function takes time in proportion
to the text that it reads.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder(strict=False, parse_constant=str)
"""Allows raw line breaks in strings; NaN and Infinity stay words."""

_WINDOW = 4096
_LONGEST_TOKEN = 16
"""A word or escape that a window cuts makes an error this near to its end."""

_SPACE = re.compile(r"[ \t\r\n]*")
_STRUCTURE = re.compile(r'["{}\[\]]')
_STRING_END = re.compile(r'["\\]')
_TRAILING_COMMA = re.compile(r",(\s{0,200}[}\]])")
_ELISION = re.compile(r"^\s*(\.\.\.|…)?\s*$")

MENDABLE = 200_000
"""Longest text, in characters, on which mending is tried."""


class Decoded(NamedTuple):
    """A JSON value found in a text.

    Attributes:
        end: where it ends (exclusive); where it is no JSON, how far was read.
    """

    value: Any
    end: int
    ok: bool = True


def decode_at(text: str, at: int) -> Decoded:
    """The JSON value that starts at ``at``.

    It is looked for in a window that grows, because an error of the JSON
    reader costs time in proportion to all the text in front of it.
    """
    size = _WINDOW
    while True:
        window = text[at : at + size]
        cut = at + size < len(text)
        try:
            value, end = _DECODER.raw_decode(window)
        except json.JSONDecodeError as error:
            unclosed = error.msg.startswith("Unterminated string")
            reached = len(window) if unclosed else error.pos + 1
            if not (cut and reached > len(window) - _LONGEST_TOKEN):
                return Decoded(None, at + min(reached, len(window)), ok=False)
        except (RecursionError, ValueError):  # ValueError: a number too long
            return Decoded(None, at + len(window), ok=False)
        else:
            if not (cut and end == len(window)):
                return Decoded(value, at + end)
        size *= 16


def elements_at(text: str, at: int) -> list[tuple[Any, int, int]]:
    """The elements of the JSON list that starts at ``at``: value, start, end.

    [] where it is no list that can be read.
    """
    found: list[tuple[Any, int, int]] = []
    position = skip_space(text, at + 1)
    while not text.startswith("]", position):
        element = decode_at(text, position)
        if not element.ok:
            return []
        found.append((element.value, position, element.end))
        position = skip_space(text, element.end)
        if text.startswith(",", position):
            position = skip_space(text, position + 1)
        elif not text.startswith("]", position):
            return []
    return found


def skip_space(text: str, at: int) -> int:
    """The first position from ``at`` that holds no JSON white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def closing(text: str, at: int, stop: int | None = None) -> int | None:
    """Where the bracket that opens at ``at`` is closed; None if it never is.

    Brackets inside double-quoted strings do not count. The end is exclusive.
    """
    stop = len(text) if stop is None else stop
    depth, position = 0, at
    while match := _STRUCTURE.search(text, position, stop):
        position = match.end()
        sign = match.group()
        if sign == '"':
            position = _string_end(text, position, stop)
        elif sign in "{[":
            depth += 1
        else:
            depth -= 1
            if depth <= 0:
                return position
    return None


def _string_end(text: str, at: int, stop: int) -> int:
    while match := _STRING_END.search(text, at, stop):
        if match.group() == '"':
            return match.end()
        at = match.end() + 1
    return stop


def loads(text: str) -> Any:
    """The value of a whole text, mended where it is nearly JSON.

    Mended are raw line breaks in strings and trailing commas.

    Raises:
        ValueError: it is not JSON, with what is wrong.
    """
    try:
        return _whole(text)
    except ValueError as error:
        if len(text) <= MENDABLE:
            mended = _TRAILING_COMMA.sub(r"\1", text)
            if mended != text:
                try:
                    return _whole(mended)
                except ValueError:
                    pass
        raise error


def _whole(text: str) -> Any:
    try:
        return json.loads(text, strict=False, parse_constant=str)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None


def scalar(text: str) -> Any:
    """A parameter written as text: a JSON number, list, object, ... or the text.

    ``30`` is a number and ``C-30`` a text; a quoted ``"30"`` is the text 30.
    """
    bare = text.strip()
    if bare[:1] in '-0123456789[{"tfn' and bare:
        try:
            value = json.loads(bare, strict=False, parse_constant=str)
        except (ValueError, RecursionError):
            return text
        return text if bare[:1] in "-NI" and isinstance(value, str) else value
    return text


def is_elision(text: str) -> bool:
    """True where a text is empty or only dots: an example, not a value."""
    return len(text) < 200 and bool(_ELISION.match(text))
