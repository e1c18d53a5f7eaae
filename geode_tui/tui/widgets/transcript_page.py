"""One transcript on one endless page: what is shown, layout, the message cursor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from textual.events import Resize
from textual.geometry import Region, Size
from textual.message import Message as Notice
from textual.timer import Timer

from geode_tui.domain.base import Span
from geode_tui.domain.score import Evidence
from geode_tui.domain.transcript import Transcript
from geode_tui.tui.widgets import transcript_paint as paint
from geode_tui.tui.widgets.transcript_body import Options
from geode_tui.tui.widgets.transcript_layout import Anchor, Page
from geode_tui.tui.widgets.transcript_painter import PaintedPage
from geode_tui.tui.widgets.transcript_search import SearchState

SLICE = 0.008
"""Seconds of layout between two turns of the event loop."""

_STEP = 20_000
"""Characters measured between two looks at the clock."""


class TranscriptPage(PaintedPage):
    """Lays out one transcript; moves only when told to."""

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
        """Another search hit is current, or the search has gone on."""

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
        self._evidence: tuple[Evidence, ...] = ()
        self._counted: tuple[tuple[int, Span], ...] = ()
        self._reasoning_allowed = True
        self._looking = False
        self._idle: Timer | None = None
        self._version: tuple[Page, int, int] | None = None
        self._top = -1
        self.replaying = False

    # ---- what is shown ----

    def show(
        self,
        transcript: Transcript,
        *,
        show_reasoning: bool = True,
        harness_errors: Sequence[str] = (),
    ) -> None:
        """Show a transcript from its first message; everything else is forgotten.

        Args:
            transcript: any; nothing of its text is trusted.
            show_reasoning: False leaves reasoning folded, not to be opened and
                not found by a search.
            harness_errors: patterns of a harness's own error texts; replies
                that match are called so in their head.
        """
        self._transcript = transcript
        options = replace(self._page.options, width=self._width, reasoning=False)
        self._page = Page(transcript, replace(options, folded=True))
        self._reasoning_allowed = show_reasoning
        self._harness_errors = tuple(harness_errors)
        self._evidence, self._counted = (), ()
        self._search, self._hit, self._range = None, None, None
        self.replaying, self._top = False, -1
        self._marks.clear()
        self._whole.clear()
        self._message_marks.clear()
        self.set_reactive(PaintedPage.cursor, 0)
        self._extend()
        self.scroll_to(0, 0, animate=False, force=True)
        self._look()
        self._repaint()
        self._work()
        self._tell_cursor()

    @property
    def _width(self) -> int:
        known = self.scrollable_content_region.width
        return max(known - paint.GUTTER, 2) if known else self._page.options.width

    @property
    def current_m(self) -> int | None:
        """The number of the message under the cursor; None where there is none."""
        messages = self._page.messages
        return messages[self.cursor].m if messages else None

    def set_evidence(self, evidence: Sequence[Evidence]) -> None:
        """Mark what a label cites."""
        self._evidence = tuple(evidence)
        self._remark()

    def set_highlights(self, calls: Sequence[tuple[int, Span]]) -> None:
        """Mark calls that a rule counted; ``t`` then steps through these."""
        self._counted = tuple(calls)
        self._remark()

    def _remark(self) -> None:
        self._marks, self._whole = {}, set()
        for cited in self._evidence:
            if cited.span is not None:
                self._mark(cited.m, cited.span, "evidence")
            elif (index := self._page.index_of(cited.m)) is not None:
                self._whole.add(index)
        for m, span in self._counted:
            self._mark(m, span, "counted")
        self._repaint()

    def _mark(self, m: int, span: Span, style: str) -> None:
        index = self._page.index_of(m)
        if index is not None:
            mark = paint.Mark(span.start, span.end, style)
            self._marks.setdefault(index, []).append(mark)

    # ---- layout ----

    def on_resize(self, event: Resize) -> None:
        """Wrap for another width; what was at the top stays there."""
        if self._width == self._page.options.width:
            self._look()
        else:
            self._lay_out(replace(self._page.options, width=self._width))

    def _lay_out(self, options: Options) -> None:
        anchor = self._page.anchor(self.scroll_offset.y)
        self._page.lay_out(options)
        self._put_back(anchor)
        self._work()

    def _put_back(self, anchor: Anchor) -> None:
        """Bring an anchored line to where it was, the top, after a change."""
        y = self._page.bring(anchor, self.size.height)
        self._extend()
        self.scroll_to(y=min(y, self.max_scroll_y), animate=False, force=True)
        self._look()

    def _extend(self) -> None:
        """Take over that lines have moved."""
        version = (self._page, self._page.version, self._page.limit)
        if version == self._version:
            return
        self._version = version
        self.virtual_size = Size(self._width + paint.GUTTER, self._page.height)
        self._repaint()

    def _work(self) -> None:
        if self._idle is None and self.is_attached and self.size:
            self._idle = self.set_timer(0.001, self._slice)

    def _slice(self) -> None:
        """Search and measure more messages while nobody waits for anything."""
        self._idle = None
        end = perf_counter() + SLICE
        more = self._search_more(end)
        while not more and perf_counter() < end:
            if not self._page.measure_some(_STEP):
                break
        else:
            self._work()
            return
        anchor = self._page.anchor(self.scroll_offset.y)
        self._page.settle()
        self._put_back(anchor)

    def _search_more(self, end: float) -> bool:
        """Go on with a search; True where it is not complete. Overridden."""
        return False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measure what comes into sight; the cursor follows when left behind."""
        super().watch_scroll_y(old_value, new_value)
        self._look()

    def _look(self) -> None:
        page = self._page
        if not page.limit or not self.size or self._looking:
            return
        y, height = self.scroll_offset.y, self.size.height
        there = page.bring(page.anchor(y), height)
        self._extend()
        there = min(there, self.max_scroll_y)
        if there != y:
            self._looking = True
            self.scroll_to(y=there, animate=False, force=True)
            self._looking = False
            y = there
        top, _ = page.find(y)
        last, _ = page.find(min(y + height, page.height) - 1)
        if not top <= self.cursor <= last:
            self.set_reactive(PaintedPage.cursor, top if self.cursor < top else last)
            self.refresh()
            self._tell_cursor()
        if top != self._top:
            self._top = top
            message = page.messages[top]
            self.post_message(self.TopChanged(message.m, self._branch(message.m)))

    def watch_cursor(self, old: int, new: int) -> None:
        """Repaint the two gutters and say where the cursor is."""
        for index in (old, new):
            if index < len(self._page.messages):
                top = self._page.start(index) - self.scroll_offset.y
                bottom = self._page.start(index + 1) - self.scroll_offset.y
                top, bottom = max(top, 0), min(bottom, self.size.height)
                if top < bottom:
                    self.refresh(Region(0, top, self.size.width, bottom - top))
        self._tell_cursor()

    def _tell_cursor(self) -> None:
        m = self.current_m
        if m is not None:
            self.post_message(self.CursorMoved(m, self._branch(m)))
