"""What is selected in the transcript, by whole lines or by mouse."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import get_character_cell_size
from textual.selection import Selection

from geode_tui.tui.widgets.transcript_layout import Page
from geode_tui.tui.widgets.transcript_paint import GUTTER


@dataclass(frozen=True, slots=True)
class LineSelection:
    """Lines of one message chosen by keys: page lines, both ends included."""

    entry: int
    anchor: int
    point: int

    def holds(self, line: int) -> bool:
        """True for a chosen line."""
        return min(self.anchor, self.point) <= line <= max(self.anchor, self.point)


def display_stretch(
    page: Page, lines: LineSelection | None, mouse: Selection | None
) -> tuple[int, int, int] | None:
    """(entry, start, end) of the selection in that entry's display text."""
    if lines is not None:
        entry = page.entries[lines.entry]
        laid = entry.lines(page.width)
        first = page.start(lines.entry) + entry.head
        low = min(lines.anchor, lines.point) - first
        high = max(lines.anchor, lines.point) - first
        if not 0 <= low <= high < len(laid):
            return None
        return lines.entry, laid.starts[low], laid.ends[high]
    if mouse is None or mouse.start is None or mouse.end is None or not page.limit:
        return None
    begin = _place(page, mouse.start.x, mouse.start.y)
    if begin is None:
        return None
    index, start = begin
    finish = _place(page, mouse.end.x, mouse.end.y)
    entry = page.entries[index]
    end = finish[1] if finish and finish[0] == index else len(entry.shown.text)
    return (index, min(start, end), max(start, end))


def _place(page: Page, x: int, y: int) -> tuple[int, int] | None:
    """The entry and display offset at a cell of the page."""
    if not 0 <= y < page.height:
        return None
    index, row = page.find(y)
    entry = page.entries[index]
    row -= entry.head
    laid = entry.lines(page.width)
    if row < 0:
        return index, 0
    if row >= min(len(laid), entry.body(page.width)):
        return index, len(entry.shown.text)
    at, end = laid.starts[row], laid.ends[row]
    cells = x - GUTTER
    text = entry.shown.text
    while at < end and cells > 0:
        cells -= get_character_cell_size(text[at])
        at += 1
    return index, at


def selected_text(page: Page, selection: Selection) -> str:
    """The shown text of a mouse selection, over as many messages as it spans."""
    start, end = selection.start, selection.end
    begin = _place(page, start.x, start.y) if start else (0, 0)
    finish = _place(page, end.x, end.y) if end else None
    if begin is None or not page.limit:
        return ""
    last = page.limit - 1
    to = finish or (last, len(page.entries[last].shown.text))
    pieces: list[str] = []
    for index in range(begin[0], to[0] + 1):
        text = page.entries[index].shown.text
        low = begin[1] if index == begin[0] else 0
        high = to[1] if index == to[0] else len(text)
        pieces.append(text[low:high])
    return "\n".join(pieces)
