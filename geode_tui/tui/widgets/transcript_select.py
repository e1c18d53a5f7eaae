"""What is selected in the transcript, as places in raw text. Pure functions.

Places survive folding, a change of width and layout in idle time; lines of the
page would not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from textual.selection import Selection

from geode_tui.domain.display import visible
from geode_tui.tui.widgets.transcript_body import Row, RowKind
from geode_tui.tui.widgets.transcript_layout import Page
from geode_tui.tui.widgets.transcript_paint import GUTTER

_WORD = re.compile(r"\w+|[^\w\s]+")
_REACH = 400
"""Characters that are looked at for the next word."""


class Place(NamedTuple):
    """A position of the message in the order shown, and an offset of its raw text."""

    item: int
    raw: int


class Range(NamedTuple):
    """A selection from one place to another, which may be in another message."""

    start: Place
    end: Place

    def within(self, index: int, length: int) -> tuple[int, int] | None:
        """The selected stretch of a message of ``length`` characters."""
        if not self.start.item <= index <= self.end.item:
            return None
        start = self.start.raw if index == self.start.item else 0
        end = self.end.raw if index == self.end.item else length
        return (start, end) if end > start else None


@dataclass(frozen=True, slots=True)
class KeySelection:
    """Lines of one message chosen by keys; either end can then move by words.

    Attributes:
        index: position of the message.
        anchor, point: raw offsets of the first line chosen, and of the last.
        start, end: what is selected.
    """

    index: int
    anchor: tuple[int, int]
    point: tuple[int, int]
    start: int
    end: int

    @classmethod
    def of_row(cls, index: int, row: Row) -> KeySelection:
        """One line."""
        span = (row.start, row.end)
        return cls(index, span, span, row.start, row.end)

    def to_row(self, row: Row) -> KeySelection:
        """Up to another line, from the line where it began."""
        start = min(self.anchor[0], row.start)
        end = max(self.anchor[1], row.end)
        return replace(self, point=(row.start, row.end), start=start, end=end)

    def end_by_word(self, text: str, step: int) -> KeySelection:
        """Move the end by a word."""
        if step > 0:
            found = _WORD.search(text, self.end)
            end = found.end() if found else self.end
        else:
            low = max(self.start, self.end - _REACH)
            ends = [m.end() for m in _WORD.finditer(text, low, self.end)]
            end = next((e for e in reversed(ends) if e < self.end), self.end)
        return replace(self, end=end)

    def start_by_word(self, text: str, step: int) -> KeySelection:
        """Move the beginning by a word."""
        if step > 0:
            starts = (m.start() for m in _WORD.finditer(text, self.start, self.end))
            start = next((s for s in starts if s > self.start), self.start)
        else:
            low = max(0, self.start - _REACH)
            found = [m.start() for m in _WORD.finditer(text, low, self.start)]
            start = found[-1] if found else self.start
        return replace(self, start=start)

    @property
    def range(self) -> Range:
        """What is selected."""
        return Range(Place(self.index, self.start), Place(self.index, self.end))


def mouse_range(page: Page, selection: Selection) -> Range | None:
    """Where a mouse selection of the page begins and ends."""
    if not page.limit:
        return None
    last = page.limit - 1
    start, end = selection.start, selection.end
    first = _place(page, start.x, start.y) if start else Place(0, 0)
    final = (
        _place(page, end.x, end.y, ends=True)
        if end
        else Place(last, len(page.messages[last].text))
    )
    return Range(first, final) if first < final else None


def _place(page: Page, x: int, y: int, *, ends: bool = False) -> Place:
    """The place at character ``x`` of page line ``y``."""
    index, row = page.find(max(0, min(y, page.height - 1)))
    body = page.body(index)
    row -= page.head(index)
    if row < 0:
        return Place(index, 0)
    if row >= body.height:
        return Place(index, len(body.message.text))
    found = body.row(row)
    block = found.block
    if block is None:
        return Place(index, found.end if ends else found.start)
    at = found.first + max(0, min(x - GUTTER, found.last - found.first))
    if ends and at > found.first:
        return Place(index, block.start + block.shown.raw_span(at - 1, at).end)
    return Place(index, block.start + block.shown.to_raw(at))


def selected_text(page: Page, chosen: Range) -> str:
    """The text of a selection, safe to show, over as many messages as it spans."""
    pieces: list[str] = []
    for index in range(chosen.start.item, min(chosen.end.item + 1, page.limit)):
        text = page.messages[index].text
        stretch = chosen.within(index, len(text))
        if stretch:
            pieces.append(visible(text[stretch[0] : stretch[1]]))
    return "\n".join(pieces)


def row_beside(page: Page, chosen: KeySelection, step: int) -> Row | None:
    """The next line of text above or below the point of a selection."""
    body = page.body(chosen.index)
    row = body.row_of(chosen.point[0]) + step
    body.measure_rows(row, row + 1)
    while 0 <= row < body.height:
        found = body.row(row)
        if found.kind is RowKind.FOLD:
            return None
        if found.kind is RowKind.TEXT and (found.start, found.end) != chosen.point:
            return found
        row += 1 if step > 0 else -1
    return None
