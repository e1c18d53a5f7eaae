"""Painting the page: lines in sight become strips of cells, and are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from geode_tui.domain.display import one_line
from geode_tui.domain.harness import is_harness_error
from geode_tui.domain.transcript import Transcript
from geode_tui.tui.widgets import transcript_paint as paint
from geode_tui.tui.widgets.transcript_body import Options, Row, RowKind
from geode_tui.tui.widgets.transcript_layout import Page
from geode_tui.tui.widgets.transcript_search import Search
from geode_tui.tui.widgets.transcript_select import Range
from geode_tui.tui.widgets.transcript_wrap import cells

_KEPT = 1024
"""Painted lines that are kept."""


class PaintedPage(ScrollView, can_focus=True):
    """Shows a ``Page`` with its marks, search hits, selection and cursor."""

    DEFAULT_CSS = """
    PaintedPage {
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: scroll;  /* always there, so that the width never changes */
        & > .transcript--head { color: $text-muted; text-style: bold; }
        & > .transcript--head-target { color: $text-accent; text-style: bold; }
        & > .transcript--branch { color: $text-warning; text-style: bold; }
        & > .transcript--note { color: $text-muted; text-style: italic; }
        & > .transcript--reasoning { color: $text-muted; text-style: italic; }
        & > .transcript--call { color: $text-primary; }
        & > .transcript--result { color: $text-secondary; }
        & > .transcript--attachment { color: $text-muted; }
        & > .transcript--evidence { background: $success-muted; text-style: bold; }
        & > .transcript--counted { background: $primary-muted; text-style: bold; }
        & > .transcript--hit { background: $warning-muted; text-style: underline; }
        & > .transcript--hit-current { text-style: reverse bold; }
        & > .transcript--selected { text-style: reverse; }
        & > .transcript--gutter { color: $text-muted; }
        & > .transcript--cursor { color: $text-accent; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{n}" for n in paint.STYLES}

    cursor: reactive[int] = reactive(0, repaint=False)
    """Position of the message under the cursor, in the order shown."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._transcript: Transcript | None = None
        self._page = Page(None, Options(80))
        self._harness_errors: tuple[str, ...] = ()
        self._marks: dict[int, list[paint.Mark]] = {}
        self._whole: set[int] = set()
        self._message_marks: dict[int, list[paint.Mark]] = {}
        self._search: Search | None = None
        self._hit: tuple[int, int] | None = None
        self._range: Range | None = None
        self._strips: dict[int, list[Segment]] = {}
        self._styles: dict[tuple[str, ...], Style] = {}
        self._base = Style.null()
        self._painting = False

    def _branch(self, m: int) -> int:
        return self._transcript.branch_of.get(m, 1) if self._transcript else 1

    def _repaint(self) -> None:
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Take over a change of theme."""
        super().notify_style_update()
        self._styles.clear()
        self._strips.clear()

    def _style(self, names: tuple[str, ...]) -> Style:
        """Named styles laid over the widget's own."""
        style = self._styles.get(names)
        if style is None:
            style = self._base
            for name in names:
                style += self.get_component_rich_style(f"transcript--{name}")
            self._styles[names] = style
        return style

    def _take_base(self) -> None:
        base = self.rich_style
        if base != self._base:
            self._base = base
            self._styles.clear()
            self._strips.clear()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The visible lines; what holds for all of them is looked up once."""
        self._take_base()
        self._painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._painting = False

    def render_line(self, y: int) -> Strip:
        """One line of the view; asked for by itself, with offsets for the mouse."""
        if not self._painting:
            self._take_base()
        line = y + self.scroll_offset.y
        page = self._page
        width = self.size.width
        if not page.limit or line >= page.height:
            return Strip.blank(width, self._base)
        index, row = page.find(line)
        segments = self._strips.get(line)
        if segments is None:
            if len(self._strips) >= _KEPT:
                self._strips.clear()
            segments = self._strips[line] = self._paint(index, row, width)
        if index == self.cursor:
            text, style, _ = segments[0]
            sign = Segment("┃", self._style(("cursor",)))
            rest = [Segment(text[1:], style)] if len(text) > 1 else []
            segments = [sign, *rest, *segments[1:]]
        strip = Strip(segments, width)
        return strip if self._painting else strip.apply_offsets(0, line)

    def _paint(self, index: int, row: int, width: int) -> list[Segment]:
        """A line with its gutter: cursor cell, mark cell, a blank, text."""
        page = self._page
        message = page.messages[index]
        head = page.head(index)
        room = width - 1
        if row == head - 1:
            branch = self._branch(message.m)
            text = paint.head_text(
                message,
                branch if page.opens else None,
                harness_error=bool(self._harness_errors)
                and is_harness_error(message, self._harness_errors),
            )
            style = "head-target" if message.by_target else "head"
            return self._segments([(" ", ()), (one_line(text, room), (style,))], width)
        if row < head:
            text = paint.rule(paint.branch_text(page.opens[index]), room)
            return self._segments([(" ", ()), (text, ("branch",))], width)
        body = page.body(index)
        if row - head >= body.height:
            return self._segments([(" ", ())], width)
        found = body.row(row - head)
        if found.kind is not RowKind.TEXT:
            words = one_line(paint.stand_in(found, body), room)
            return self._segments([(" ", ()), (words, ("note",))], width)
        marks = paint.touching(self._marks_of(index), found)
        whole = "evidence" if index in self._whole else ""
        sign = paint.sign_of(marks, whole)
        marks += self._passing(index, found)
        pieces = paint.pieces(found, marks)
        if sign == " ":
            return self._segments([("   ", ()), *pieces], width)
        return self._segments([(" ", ()), (f"{sign} ", ("gutter",)), *pieces], width)

    def _segments(self, pieces: Sequence[paint.Piece], width: int) -> list[Segment]:
        """Pieces in exactly ``width`` cells, in as few segments as can be."""
        segments: list[Segment] = []
        used = 0
        pending, names = "", pieces[0][1]
        for text, over in pieces:
            used += cells(text)
            if over == names:
                pending += text
            else:
                segments.append(Segment(pending, self._style(names)))
                pending, names = text, over
        blanks = " " * (width - used)
        if names and blanks:
            segments.append(Segment(pending, self._style(names)))
            pending, names = "", ()
        segments.append(Segment(pending + blanks, self._style(names)))
        if used > width:
            return Segment.adjust_line_length(segments, width, self._base)
        return segments

    def _marks_of(self, index: int) -> list[paint.Mark]:
        """What a message's text is, and what a label or a rule says of it."""
        found = self._message_marks.get(index)
        if found is None:
            if len(self._message_marks) > 512:
                self._message_marks.clear()
            message = self._page.messages[index]
            found = self._message_marks[index] = paint.segment_marks(message)
        marks = self._marks.get(index)
        return found + marks if marks else found

    def _passing(self, index: int, row: Row) -> list[paint.Mark]:
        """Search hits and the selection on one line of text."""
        marks: list[paint.Mark] = []
        if self._search is not None:
            length = self._search.length
            for at in self._search.places_between(index, row.start, row.end):
                style = "hit-current" if (index, at) == self._hit else "hit"
                marks.append(paint.Mark(at, at + length, style))
        if self._range is not None:
            stretch = self._range.within(index, len(self._page.messages[index].text))
            if stretch and stretch[0] < row.end and stretch[1] > row.start:
                marks.append(paint.Mark(*stretch, "selected"))
        return marks
