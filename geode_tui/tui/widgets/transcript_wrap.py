"""Breaking safe text into lines of a width: two arrays of offsets, no copies."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from sys import maxsize

from rich.cells import cell_len, split_graphemes

_NOT_NARROW = re.compile(
    "[^\x20-\x7e\n\u00a0-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e"
    "\u20a0-\u20bf\u2190-\u2199\u2200-\u22ff\u2400-\u243f\u2500-\u25a1\ufffd]"
)
"""Anything that might not take exactly one cell."""

_PIECE = 2_000
"""Characters of a line with wide characters that are measured at a time."""


@dataclass(slots=True)
class Lines:
    """Visual lines of a text: line ``i`` shows ``text[starts[i]:ends[i]]``."""

    starts: array[int]
    ends: array[int]

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, offset: int) -> int:
        """The line that shows display offset ``offset``."""
        return max(0, bisect_right(self.starts, offset) - 1)


def wrap(text: str, width: int, end: int | None = None, most: int = maxsize) -> Lines:
    """Break ``text[:end]`` into lines of at most ``width`` cells.

    Breaks after blanks where it can; words longer than a line are cut. Narrow
    text is measured by length, anything else by grapheme. Stops after about
    ``most`` lines: at least that many, where there are so many.
    """
    stop = len(text) if end is None else end
    starts, ends = array("I"), array("I")
    width = max(width, 2)
    narrow = text.isascii() or _NOT_NARROW.search(text, 0, stop) is None
    at = 0
    find, rfind = text.find, text.rfind
    add_start, add_end = starts.append, ends.append
    while at <= stop:
        line_end = find("\n", at, stop)
        if line_end < 0:
            line_end = stop
        if narrow or _NOT_NARROW.search(text, at, line_end) is None:
            while line_end - at > width:
                cut = rfind(" ", at, at + width + 1) + 1
                if cut <= at:
                    cut = at + width
                add_start(at)
                add_end(min(cut, at + width))
                at = cut
                if len(starts) >= most:
                    return Lines(starts, ends)
            add_start(at)
            add_end(line_end)
        else:
            _wrap_wide(text, at, line_end, width, most, starts, ends)
        if len(starts) >= most:
            break
        at = line_end + 1
    return Lines(starts, ends)


def _wrap_wide(
    text: str,
    at: int,
    end: int,
    width: int,
    most: int,
    starts: array[int],
    ends: array[int],
) -> None:
    """Wrap one logical line that holds wide or combining characters."""
    begin, used, blank, used_at_blank = at, 0, -1, 0
    while at < end:
        piece = text[at : min(at + _PIECE, end)]
        for first, last, size in split_graphemes(piece)[0]:
            here = at + first
            if used + size > width and here > begin:
                cut, before = (blank, used_at_blank) if blank > begin else (here, used)
                starts.append(begin)
                ends.append(cut)
                begin, used, blank = cut, used - before, -1
                if len(starts) >= most:
                    return
            used += size
            if piece[first] == " ":
                blank, used_at_blank = at + last, used
        at += len(piece)
    starts.append(begin)
    ends.append(end)


def cells(text: str) -> int:
    """Terminal cells of safe text on one line."""
    return len(text) if text.isascii() else cell_len(text)
