"""Fenced blocks of a text, found in one pass."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

_MARKER = re.compile(r"^[ ]{0,8}(`{3,}|~{3,})([^\n]*)", re.MULTILINE)
_REACH = 50
"""How many markers without a language are looked at for the end of a fence."""

CALL_FENCES = frozenset(
    {"tool_call", "tool-call", "toolcall", "tool_use", "tool_code", "function_call"}
)
"""Languages of a fence that holds a call."""

OPEN_FENCES = frozenset({"", "json", "json5", "jsonc", "xml", "text", "txt", "plain"})
"""Languages of a fence in which a call may be written in another form."""


class Fence(NamedTuple):
    """A fenced block; all positions are offsets into the text.

    Attributes:
        start: its first sign.
        body: first character of its content.
        stop: end of the content (exclusive).
        end: end of the closing line (exclusive), without its line break.
        closed: False where no closing line follows; then it ends with the text.
    """

    language: str
    start: int
    body: int
    stop: int
    end: int
    closed: bool


class Fences:
    """The markers of a text and the fences that they open."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._marks = (
            list(_MARKER.finditer(text)) if "```" in text or "~~~" in text else []
        )
        self._starts = [mark.start() for mark in self._marks]
        self._plain = [mark for mark in self._marks if not mark.group(2).strip()]
        self._plain_starts = [mark.start() for mark in self._plain]

    def at(self, start: int) -> Fence | None:
        """The fence that the marker at ``start`` opens, or None without a marker."""
        index = bisect_left(self._starts, start)
        if index >= len(self._starts) or self._starts[index] != start:
            return None
        mark = self._marks[index]
        info = mark.group(2)
        language = info.strip().split(" ")[0].split("{")[0].casefold()
        if language in CALL_FENCES and "{" in info:
            return self._on_one_line(language, mark)
        body = min(mark.end() + 1, len(self._text))
        first = bisect_left(self._plain_starts, start + 1)
        for other in self._plain[first : first + _REACH]:
            if _closes(other, mark):
                stop = max(other.start(), body)
                return Fence(language, mark.start(1), body, stop, other.end(), True)
        size = len(self._text)
        return Fence(language, mark.start(1), body, size, size, False)

    def _on_one_line(self, language: str, mark: re.Match[str]) -> Fence:
        body = self._text.index("{", mark.start(2))
        line = self._text[body : mark.end()].rstrip()
        signs = mark.group(1)
        closed = line.endswith(signs)
        end = body + len(line)
        stop = end - len(signs) if closed else end
        return Fence(language, mark.start(1), body, stop, end, closed)

    def after(self, position: int) -> tuple[int, int]:
        """Where the content of a fence stops, and where the fence ends.

        For a fence whose content is known to reach at least to ``position``.
        """
        index = bisect_left(self._starts, position)
        if index < len(self._marks):
            return max(self._starts[index], position), self._marks[index].end()
        return position, len(self._text)


def _closes(mark: re.Match[str], opener: re.Match[str]) -> bool:
    signs = opener.group(1)
    return mark.group(1)[0] == signs[0] and len(mark.group(1)) >= len(signs)
