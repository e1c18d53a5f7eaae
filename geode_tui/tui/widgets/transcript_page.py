"""One transcript on one endless page: layout, marks, painting, the message cursor."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.events import Resize
from textual.geometry import Region, Size
from textual.message import Message as Notice
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from geode_tui.domain.base import Span
from geode_tui.domain.display import one_line
from geode_tui.domain.score import Evidence
from geode_tui.domain.transcript import Transcript
from geode_tui.tui.widgets import transcript_paint as paint
from geode_tui.tui.widgets.transcript_layout import FOLD, Entry, Hit, Page
from geode_tui.tui.widgets.transcript_select import LineSelection

SLICE = 0.008
"""Seconds of layout between two turns of the event loop."""

_NO_MARKS = paint.Marks()


@dataclass(frozen=True, slots=True)
class SearchState:
    """How many places a search found, and which one is current (from 0)."""

    count: int
    index: int


class TranscriptPage(ScrollView, can_focus=True):
    """Lays out and paints one transcript; moves only when told to."""

    DEFAULT_CSS = """
    TranscriptPage {
        background: $background;
        color: $foreground;
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

    class CursorMoved(Notice, namespace="transcript_view"):
        """The message cursor is on another message."""

        def __init__(self, m: int, branch: int) -> None:
            self.m, self.branch = m, branch
            super().__init__()

    class TopChanged(Notice, namespace="transcript_view"):
        """Another message is at the top of the view."""

        def __init__(self, m: int, branch: int) -> None:
            self.m, self.branch = m, branch
            super().__init__()

        def can_replace(self, message: Notice) -> bool:
            """Only the newest position matters."""
            return isinstance(message, TranscriptPage.TopChanged)

    class SearchChanged(Notice, namespace="transcript_view"):
        """Another search hit is current."""

        def __init__(self, state: SearchState) -> None:
            self.state = state
            super().__init__()

    class ReplayChanged(Notice, namespace="transcript_view"):
        """A replay shows ``at`` of ``total`` messages."""

        def __init__(self, at: int, total: int) -> None:
            self.at, self.total = at, total
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._transcript: Transcript | None = None
        self._page = Page(None, 80)
        self._marks: dict[int, paint.Marks] = {}
        self._evidence: tuple[Evidence, ...] = ()
        self._counted: tuple[tuple[int, Span], ...] = ()
        self._hits: list[Hit] = []
        self._hit = -1
        self._query = ""
        self._strips: dict[tuple[int, int], Strip] = {}
        self._segments: dict[int, list[tuple[int, int, str]]] = {}
        self._styles: dict[str, Style] = {}
        self._base: Style | None = None
        self._painting = False
        self._lines: LineSelection | None = None
        self._idle: Timer | None = None
        self._top = -1
        self.replaying = False

    # ---- what is shown ----

    def show(self, transcript: Transcript, *, show_reasoning: bool = True) -> None:
        """Show a transcript from its first message; everything else is forgotten.

        ``show_reasoning`` False leaves reasoning folded and not openable.
        """
        self._transcript = transcript
        self._page = Page(transcript, self._width)
        self._reasoning_allowed = show_reasoning
        self._evidence, self._counted = (), ()
        self._hits, self._hit, self._query = [], -1, ""
        self._lines, self.replaying, self._top = None, False, -1
        self._marks.clear()
        self._segments.clear()
        self.set_reactive(TranscriptPage.cursor, 0)
        self._extend()
        self.scroll_to(0, 0, animate=False, force=True)
        self._look()
        self._repaint()
        self._work()
        self._tell_cursor()

    _reasoning_allowed = True

    @property
    def _width(self) -> int:
        known = self.scrollable_content_region.width
        return max(known - paint.GUTTER, 2) if known else self._page.width

    @property
    def current_m(self) -> int | None:
        """The number of the message under the cursor; None where there is none."""
        entries = self._page.entries
        return entries[self.cursor].message.m if entries else None

    def set_evidence(self, evidence: Sequence[Evidence]) -> None:
        """Mark what a label cites."""
        self._evidence = tuple(evidence)
        self._remark()

    def set_highlights(self, calls: Sequence[tuple[int, Span]]) -> None:
        """Mark calls that a rule counted; ``t`` then steps through these."""
        self._counted = tuple(calls)
        self._remark()

    def _remark(self) -> None:
        marks: dict[int, paint.Marks] = {}
        for cited in self._evidence:
            index = self._page.index_of(cited.m)
            if index is None:
                continue
            found = marks.setdefault(index, paint.Marks())
            if cited.span is None:
                found.whole = "evidence"
            else:
                entry = self._page.entries[index]
                found.spans.append(paint.span_mark(entry, cited.span, "evidence"))
        for m, span in self._counted:
            index = self._page.index_of(m)
            if index is not None:
                entry = self._page.entries[index]
                found = marks.setdefault(index, paint.Marks())
                found.spans.append(paint.span_mark(entry, span, "counted"))
        self._marks = marks
        self._repaint()

    # ---- layout ----

    def on_resize(self, event: Resize) -> None:
        """Wrap for another width; what was at the top stays there."""
        if self._width == self._page.width:
            self._look()
            return
        anchor = self._anchor()
        self._page.resize(self._width)
        self._extend()
        self._settle(anchor)
        self._work()

    def _anchor(self) -> tuple[int, float]:
        """The entry at the top and how far into it the view has come (0..1)."""
        if not self._page.limit:
            return 0, 0.0
        index, row = self._page.find(self.scroll_offset.y)
        height = self._page.start(index + 1) - self._page.start(index)
        return index, row / max(height, 1)

    def _settle(self, anchor: tuple[int, float]) -> None:
        """Make what is in sight exact and put the anchor back to the top."""
        index, part = anchor
        for _ in range(3):
            changed = self._page.measure_range(index, self._last_seen(index))
            if not changed:
                break
        self._extend()
        if self._page.limit:
            height = self._page.start(index + 1) - self._page.start(index)
            y = self._page.start(index) + int(part * height)
            self.scroll_to(y=min(y, self.max_scroll_y), animate=False, force=True)
        self._repaint()
        self._look()

    def _last_seen(self, first: int) -> int:
        bottom = self._page.start(first) + self.size.height
        last, _ = self._page.find(bottom) if self._page.limit else (0, 0)
        return last + 1

    def _extend(self) -> None:
        self.virtual_size = Size(self._width + paint.GUTTER, self._page.height)

    def _work(self) -> None:
        if self._idle is None and self.is_attached and self.size:
            self._idle = self.set_timer(0.001, self._slice)

    def _slice(self) -> None:
        """Measure more messages while nobody waits for anything."""
        self._idle = None
        end = perf_counter() + SLICE
        more = True
        while more and perf_counter() < end:
            more = self._page.measure_some(20_000)
        if more:
            self._work()
            return
        anchor = self._anchor()
        self._page.settle_heights()
        if self._page.height != self.virtual_size.height:
            self._settle(anchor)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measure what comes into sight; the cursor follows when left behind."""
        super().watch_scroll_y(old_value, new_value)
        if self._page.limit:
            self._look()

    def _look(self) -> None:
        if not self._page.limit or not self.size:
            return
        top, _ = self._page.find(self.scroll_offset.y)
        if self._page.measure_range(top, self._last_seen(top)):
            self._extend()
            self._repaint()
        last, _ = self._page.find(self.scroll_offset.y + max(self.size.height - 1, 0))
        if not top <= self.cursor <= last:
            self.cursor = top if self.cursor < top else last
        if top != self._top:
            self._top = top
            message = self._page.entries[top].message
            self.post_message(self.TopChanged(message.m, self._branch(message.m)))

    def _branch(self, m: int) -> int:
        return self._transcript.branch_of.get(m, 1) if self._transcript else 1

    def watch_cursor(self, old: int, new: int) -> None:
        """Repaint the two gutters and say where the cursor is."""
        for index in (old, new):
            if index < len(self._page.entries):
                top = self._page.start(index) - self.scroll_offset.y
                height = self._page.start(index + 1) - self._page.start(index)
                if top < self.size.height and top + height > 0:
                    self.refresh(Region(0, max(top, 0), self.size.width, height))
        self._tell_cursor()

    def _tell_cursor(self) -> None:
        m = self.current_m
        if m is not None:
            self.post_message(self.CursorMoved(m, self._branch(m)))

    # ---- painting ----

    def _repaint(self) -> None:
        self._base = None
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Take over a change of theme."""
        super().notify_style_update()
        self._base = None
        self._styles.clear()
        self._strips.clear()

    def _style(self, name: str) -> Style:
        if name not in self._styles:
            self._styles[name] = self.get_component_rich_style(
                f"transcript--{name}", partial=name != "text"
            )
        return self._styles[name]

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        width = self.size.width
        line = y + self.scroll_offset.y
        if self._base is None:
            self._base = self.rich_style
        if not self._page.limit or line >= self._page.height:
            return Strip.blank(width, self._base)
        index, row = self._page.find(line)
        strip = self._strips.get((index, row))
        if strip is None:
            if len(self._strips) > 4096:
                self._strips.clear()
            segments = [Segment(" ", self._base), *self._paint(index, row, self._base)]
            strip = paint.filled(segments, width, self._base)
            self._strips[index, row] = strip
        if index == self.cursor:
            sign = Segment("┃", self._base + self._style("cursor"))
            strip = Strip([sign, *list(strip)[1:]], width)
        if self._selected(line):
            strip = strip.apply_style(self._style("selected"))
        return strip if self._painting else strip.apply_offsets(0, line)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint without the offsets that only a mouse selection asks for."""
        self._painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._painting = False

    def _paint(self, index: int, row: int, base: Style) -> list[Segment]:
        """A line without its first cell, which is the cursor's: mark, then text."""
        entry = self._page.entries[index]
        width = self._page.width
        if entry.opens is not None and row == 0:
            words = paint.rule(paint.branch_text(entry), width + 2)
            return [Segment(words, base + self._style("branch"))]
        row -= entry.head
        if row < 0:
            total = len(entry.lines(width))
            text = one_line(paint.head_text(entry.message, total), width + 2)
            name = "head-target" if entry.message.by_target else "head"
            return [Segment(text, base + self._style(name))]
        if row >= entry.body(width):
            return []
        cut = entry.cut(width)
        if cut and row == FOLD:
            words = f"  … {cut:,} more lines, z unfolds"
            return [Segment(words, base + self._style("note"))]
        lines = entry.lines(width)
        note = lines.notes.get(row)
        if note is not None:
            return [Segment(note, base + self._style("note"))]
        start, end = lines.starts[row], lines.ends[row]
        marks = self._marks.get(index, _NO_MARKS)
        segments = self._segments_of(index, entry)
        hits = self._hits_on(index, start, end) if self._hits else ()
        over = [
            (begin, stop, name)
            for begin, stop, name in (*segments, *marks.spans, *hits)
            if begin < end and stop > start
        ]
        text = entry.shown.text
        sign = paint.mark_of(start, end, marks, segments)
        if not over:
            return [Segment(f"{sign} {text[start:end]}", base)]
        spans = [(begin, stop, self._style(name)) for begin, stop, name in over]
        body = paint.styled(text, start, end, spans, base)
        return [Segment(f"{sign} ", base + self._style("gutter")), *body]

    def _segments_of(self, index: int, entry: Entry) -> list[tuple[int, int, str]]:
        found = self._segments.get(index)
        if found is None:
            if len(self._segments) > 512:
                self._segments.clear()
            found = self._segments[index] = paint.segment_marks(entry)
        return found

    def _hits_on(self, index: int, start: int, end: int) -> list[tuple[int, int, str]]:
        """Search hits on one line; a hit that ends on it may begin before it."""
        first = bisect_left(self._hits, (index, start - len(self._query), 0))
        last = bisect_left(self._hits, (index, end, 0))
        return [
            (begin, stop, "hit-current" if number == self._hit else "hit")
            for number, (_, begin, stop) in enumerate(self._hits[first:last], first)
        ]
