"""Where to break a JSON value over lines, without touching what it says.

The result is a list of edits for ``domain.display``: only blanks between
tokens change, so offsets into the raw text keep their meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from geode_tui.domain.display import Edit

LONG = 80
"""A value written on one line of at most this many characters stays as it is."""

MOST = 40_000
"""A longer value is shown as written."""

_INDENT = "  "
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[\[\]{},]|\s+|[^"\[\]{},\s]+|"')
_OPENING = re.compile(r"[\[{]")
_TRIES = 4
_CLOSES = {"{": "}", "[": "]"}


def json_edits(text: str, start: int, end: int) -> list[Edit]:
    """Edits that lay out the first long JSON value in ``text[start:end]``.

    Containers of at most ``LONG`` characters stay on one line. None where there
    is no such value, or it is unclosed, or already over many lines.
    """
    for _ in range(_TRIES):
        opening = _OPENING.search(text, start, end)
        if opening is None:
            break
        begin = opening.start()
        tokens = _tokens(text, begin, min(end, begin + MOST))
        if tokens and tokens[-1][1] - begin > LONG:
            return list(_edits(text, tokens, _long_ones(tokens)))
        start = tokens[-1][1] if tokens else begin + 1
    return []


Token = tuple[int, int, str]
"""Start, end, and the token itself where it is a bracket or a comma, else ""."""


def _tokens(text: str, begin: int, end: int) -> list[Token]:
    """Tokens of the value at ``begin``, blanks left out; none if it is no value."""
    tokens: list[Token] = []
    open_: list[str] = []
    for match in _TOKEN.finditer(text, begin, end):
        found = match.group()
        if found.isspace():
            if "\n" in found:
                return []
            continue
        kind = found if found in "[]{}," else ""
        tokens.append((match.start(), match.end(), kind))
        if kind in _CLOSES:
            open_.append(_CLOSES[kind])
        elif kind and kind != ",":
            if open_.pop() != kind:
                return []
            if not open_:
                return tokens
        elif found == '"':
            return []
    return []


def _long_ones(tokens: list[Token]) -> set[int]:
    """Starts of the brackets, opening and closing, of containers worth breaking."""
    long: set[int] = set()
    opened: list[int] = []
    for start, end, kind in tokens:
        if kind in _CLOSES:
            opened.append(start)
        elif kind in {"]", "}"}:
            begin = opened.pop()
            if end - begin > LONG:
                long |= {begin, start}
    return long


def _edits(text: str, tokens: list[Token], long: set[int]) -> Iterator[Edit]:
    depth = 0
    broken: list[bool] = []
    for (start, end, kind), (after, _, follows) in pairwise(tokens):
        if kind in _CLOSES:
            broken.append(start in long)
            depth += broken[-1]
        elif kind in {"]", "}"}:
            broken.pop()
        closing = follows in {"]", "}"}
        if closing and after in long:
            depth -= 1
            yield end, after, "\n" + _INDENT * depth
        elif (kind == "," or kind in _CLOSES) and broken[-1] and not closing:
            yield end, after, "\n" + _INDENT * depth
