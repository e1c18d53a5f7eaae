"""The transcript: every message of every branch on one endless page.

One line-API widget whatever the size: only lines in sight are made into cells
(docs/transcript-view.md says what that costs). It shows domain values, moves a
cursor by message, folds, searches, replays and selects; it saves nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import BindingType
from textual.selection import Selection

from geode_tui.domain.base import Span
from geode_tui.domain.transcript import Message
from geode_tui.tui.widgets.transcript_keys import KEYS
from geode_tui.tui.widgets.transcript_page import SearchState, TranscriptPage
from geode_tui.tui.widgets.transcript_select import (
    LineSelection,
    display_stretch,
    selected_text,
)

__all__ = ["SearchState", "TranscriptView"]


class TranscriptView(TranscriptPage):
    """A transcript and everything that a reader can do with it."""

    BINDINGS: ClassVar[list[BindingType]] = KEYS

    # ---- moving ----

    def _go(self, index: int, line: int | None = None) -> None:
        """Put the cursor on an entry and bring it, or one line of it, into sight."""
        self._page.measure_range(index, index + 1)
        self._extend()
        start = self._page.start(index)
        if line is None:
            y = start
        else:
            seen = (
                self.scroll_offset.y
                <= line
                < self.scroll_offset.y + self.size.height - 1
            )
            y = self.scroll_offset.y if seen else max(line - self.size.height // 3, 0)
        self.set_reactive(TranscriptPage.cursor, index)
        self.scroll_to(y=min(y, self.max_scroll_y), animate=False, force=True)
        self._repaint()
        self._tell_cursor()

    def jump_to(self, m: int, span: Span | None = None) -> None:
        """Bring a message, or a stretch of its raw text, into sight."""
        index = self._page.index_of(m)
        if index is None:
            return
        if index >= self._page.limit:
            self.stop_replay()
        line = None
        if span is not None:
            entry = self._page.entries[index]
            offset = entry.shown.to_display(span.start)
            self._open(index, offset)
            line = self._page.line_of(index, offset)
        self._go(index, line)

    def _open(self, index: int, offset: int) -> None:
        entry = self._page.entries[index]
        if entry.unfold_for(offset, self._page.width):
            self._page.remeasure(index)
            self._extend()

    def action_line(self, step: int) -> None:
        """Scroll by a line, or extend the selection by one."""
        if self._lines is not None:
            self._extend_selection(step)
        else:
            self.scroll_to(y=self.scroll_offset.y + step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by a page; in a replay, show the next message."""
        if self.replaying and step > 0:
            self.step_replay(1)
            return
        page = max(self.size.height - 2, 1)
        self.scroll_to(y=self.scroll_offset.y + step * page, animate=False)

    def action_edge(self, step: int) -> None:
        """To the first or last message."""
        if not self._page.limit:
            return
        if step < 0:
            self._go(0)
            return
        self._page.measure_range(self._page.limit - 30, self._page.limit)
        self._extend()
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
        self.cursor = self._page.limit - 1

    def action_message(self, step: int) -> None:
        """To the next or previous message."""
        index = self.cursor + step
        if step < 0 and self.scroll_offset.y > self._page.start(self.cursor):
            index = self.cursor
        if 0 <= index < self._page.limit:
            self._go(index)

    def action_branch(self, step: int) -> None:
        """To where the next or previous branch begins."""
        self.jump_branch(step)

    def jump_branch(self, step: int) -> None:
        """To where the next or previous branch begins."""
        entries = self._page.entries[: self._page.limit]
        opens = [i for i, entry in enumerate(entries) if entry.opens is not None]
        ahead = [i for i in opens if (i > self.cursor if step > 0 else i < self.cursor)]
        if ahead:
            self._go(ahead[0] if step > 0 else ahead[-1])

    def action_call(self, step: int) -> None:
        """To the next or previous tool call."""
        self.jump_call(step)

    def jump_call(self, step: int) -> None:
        """To the next or previous tool call; to counted ones where there are any."""
        if self._counted:
            places = [
                (index, span.start)
                for m, span in self._counted
                if (index := self._page.index_of(m)) is not None
                and index < self._page.limit
            ]
        else:
            places = list(self._page.calls())
        last = (
            self._call_at if self._call_at and self._call_at[0] == self.cursor else None
        )
        here = last or (self.cursor, -1)
        places.sort()
        ahead = [p for p in places if (p > here if step > 0 else p < here)]
        if ahead:
            index, offset = ahead[0] if step > 0 else ahead[-1]
            message = self._page.entries[index].message
            self._call_at = (index, offset)
            self.jump_to(message.m, Span(start=offset, end=offset))

    _call_at: tuple[int, int] | None = None

    # ---- folding ----

    def action_fold(self) -> None:
        """Fold or unfold the message under the cursor."""
        self.toggle_fold()

    def toggle_fold(self) -> None:
        """Fold or unfold the message under the cursor."""
        if self._page.limit:
            entry = self._page.entries[self.cursor]
            entry.folded = not entry.folded
            self._page.remeasure(self.cursor)
            self._settle((self._anchor()[0], self._anchor()[1]))

    def action_fold_all(self) -> None:
        """Fold everything, or unfold it where everything is folded."""
        entries = self._page.entries
        self.fold_all(not all(entry.folded for entry in entries))

    def fold_all(self, folded: bool) -> None:
        """Fold or unfold every long message."""
        index, _ = self._anchor()
        for entry in self._page.entries:
            entry.folded = folded
        self._page.remeasure_all()
        self._settle((index, 0.0))
        self._work()

    def action_reasoning(self) -> None:
        """Show or fold the target's reasoning everywhere."""
        self.toggle_reasoning()

    def toggle_reasoning(self) -> None:
        """Show or fold the target's reasoning everywhere."""
        if not self._reasoning_allowed:
            return
        index, _ = self._anchor()
        shown = any(entry.reasoning for entry in self._page.entries)
        for entry in self._page.entries:
            if entry.reasoning == shown:
                entry.reasoning = not shown
                entry.forget()
        self._page.remeasure_all()
        self._settle((index, 0.0))
        self._work()

    # ---- search ----

    def search(self, query: str) -> SearchState:
        """Find every place of ``query``, case ignored; go to the first from here."""
        self._query = query
        self._hits = self._page.search(query)
        self._hit = -1
        if self._hits:
            ahead = bisect_left(self._hits, (self.cursor, 0, 0))
            self._to_hit(ahead if ahead < len(self._hits) else 0)
        else:
            self._repaint()
        return self.search_state

    @property
    def search_state(self) -> SearchState:
        """The present search; no hits where there is none."""
        return SearchState(len(self._hits), max(self._hit, 0))

    def clear_search(self) -> None:
        """Forget the search."""
        self._hits, self._hit, self._query = [], -1, ""
        self._repaint()

    def action_hit(self, step: int) -> None:
        """To the next or previous hit."""
        if step > 0:
            self.next_hit()
        else:
            self.previous_hit()

    def next_hit(self) -> None:
        """To the next hit, from the last to the first."""
        self._step_hit(1)

    def previous_hit(self) -> None:
        """To the previous hit, from the first to the last."""
        self._step_hit(-1)

    def _step_hit(self, step: int) -> None:
        if self._hits:
            self._to_hit((self._hit + step) % len(self._hits))
            self.post_message(self.SearchChanged(self.search_state))

    def _to_hit(self, number: int) -> None:
        self._hit = number
        entry, start, _ = self._hits[number]
        self._open(entry, start)
        self._page.measure_range(entry, entry)
        self._go(entry, self._page.line_of(entry, start))

    # ---- replay ----

    def action_replay(self) -> None:
        """Start or end a replay."""
        if self.replaying:
            self.stop_replay()
        else:
            self.start_replay()

    def action_replay_back(self) -> None:
        """In a replay, hide the last message again."""
        if not self.replaying:
            raise SkipAction
        self.step_replay(-1)

    def start_replay(self) -> None:
        """Hide everything but the first message."""
        if self._page.entries:
            self.replaying = True
            self._replay_to(1)

    def step_replay(self, step: int) -> None:
        """Show one message more or less."""
        if self.replaying:
            self._replay_to(self._page.limit + step)

    def stop_replay(self) -> None:
        """Show everything; the last message revealed stays in sight."""
        if self.replaying:
            last = self._page.limit - 1
            self.replaying = False
            self._page.limit = len(self._page.entries)
            self._after_replay(last)

    def _replay_to(self, limit: int) -> None:
        self._page.limit = max(1, min(limit, len(self._page.entries)))
        self._after_replay(self._page.limit - 1)

    def _after_replay(self, index: int) -> None:
        if self._query:
            self._hits = self._page.search(self._query)
            self._hit = min(self._hit, len(self._hits) - 1)
        self._page.measure_range(index - 30, index)
        self._extend()
        self._go(index)
        self.post_message(self.ReplayChanged(self._page.limit, len(self._page.entries)))

    # ---- selecting ----

    def action_select(self) -> None:
        """Begin a selection of lines at the cursor's message, or end it."""
        if self._lines is not None or not self._page.limit:
            self._lines = None
        else:
            entry = self._page.entries[self.cursor]
            first = self._page.start(self.cursor) + entry.head
            line = max(first, self.scroll_offset.y)
            last = first + max(entry.body(self._page.width) - 1, 0)
            self._lines = LineSelection(self.cursor, min(line, last), min(line, last))
        self._repaint()

    def _extend_selection(self, step: int) -> None:
        chosen = self._lines
        if chosen is None:
            return
        entry = self._page.entries[chosen.entry]
        first = self._page.start(chosen.entry) + entry.head
        last = first + max(entry.body(self._page.width) - 1, 0)
        point = max(first, min(last, chosen.point + step))
        self._lines = LineSelection(chosen.entry, chosen.anchor, point)
        top, bottom = self.scroll_offset.y, self.scroll_offset.y + self.size.height - 1
        if point > bottom:
            self.scroll_to(y=top + point - bottom, animate=False)
        elif point < top:
            self.scroll_to(y=point, animate=False)
        self._repaint()

    def _selected(self, line: int) -> bool:
        return self._lines is not None and self._lines.holds(line)

    def action_leave(self) -> None:
        """End a selection; else the key means what it means outside."""
        if self._lines is None and self.text_selection is None:
            raise SkipAction
        self._lines = None
        self.screen.clear_selection()
        self._repaint()

    def selection_span(self) -> tuple[int, Span] | None:
        """The selected stretch: message number and code points of its raw text.

        A selection over several messages counts up to the end of its first one.
        """
        stretch = display_stretch(self._page, self._lines, self.text_selection)
        if stretch is None:
            return None
        index, start, end = stretch
        entry = self._page.entries[index]
        span = entry.shown.raw_span(start, end)
        return (entry.message.m, span) if span.end > span.start else None

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that a mouse selection copies, as shown."""
        text = selected_text(self._page, selection)
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:
        """Show a mouse selection."""
        self._repaint()

    def action_copy(self) -> None:
        """Copy the raw text of the selection, or of the message."""
        chosen = self.selection_span()
        message = self._message_of(chosen[0] if chosen else self.current_m)
        if message is not None:
            text = chosen[1].of(message.text) if chosen else message.text
            safe = text.encode("utf-8", "replace").decode("utf-8")
            self.app.copy_to_clipboard(safe)
            self.app.notify("Copied.", markup=False)

    def _message_of(self, m: int | None) -> Message | None:
        index = self._page.index_of(m) if m is not None else None
        return self._page.entries[index].message if index is not None else None
