"""The transcript: every message of every branch on one endless page.

One line-API widget whatever the size: only lines in sight are made into cells
(docs/transcript-view.md says how it is built and what that costs). It shows
domain values, moves a cursor by message, folds, searches, replays and selects;
it saves nothing.
"""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import BindingType
from textual.selection import Selection

from geode_tui.domain.base import Span
from geode_tui.domain.transcript import Message
from geode_tui.tui.widgets.transcript_body import RowKind
from geode_tui.tui.widgets.transcript_keys import KEYS
from geode_tui.tui.widgets.transcript_moves import MovingPage
from geode_tui.tui.widgets.transcript_page import SLICE
from geode_tui.tui.widgets.transcript_search import Search, SearchState
from geode_tui.tui.widgets.transcript_select import (
    KeySelection,
    mouse_range,
    row_beside,
    selected_text,
)

__all__ = ["SearchState", "TranscriptView"]

_STEP = 100_000
"""Characters searched between two looks at the clock."""


class TranscriptView(MovingPage):
    """A transcript and everything that a reader can do with it."""

    BINDINGS: ClassVar[list[BindingType]] = KEYS

    _jump_due = False
    _keys: KeySelection | None = None

    # ---- keys that mean something else during a selection or a replay ----

    def action_line(self, step: int) -> None:
        """Scroll by a line; extend a selection by one."""
        if self._keys is not None:
            self._extend_selection(step)
        else:
            super().action_line(step)

    def action_page(self, step: int) -> None:
        """Scroll by a page; at the end of a replay, show the next message."""
        if self.replaying and step > 0 and self.is_vertical_scroll_end:
            self.step_replay(1)
        else:
            super().action_page(step)

    def action_message(self, step: int) -> None:
        """To the next or previous message; moves the beginning of a selection."""
        if self._keys is not None:
            text = self._page.messages[self._keys.index].text
            self._select(self._keys.start_by_word(text, step))
        else:
            super().action_message(step)

    def action_call(self, step: int) -> None:
        """To the next or previous tool call; moves the end of a selection."""
        if self._keys is not None:
            text = self._page.messages[self._keys.index].text
            self._select(self._keys.end_by_word(text, step))
        else:
            super().action_call(step)

    # ---- search ----

    def search(self, query: str) -> SearchState:
        """Find every place of ``query``, case ignored; go to the first from here.

        What cannot be searched at once goes on in idle time; ``SearchChanged``
        then says how far it is.
        """
        self.clear_search()
        if query:
            self._search = Search(
                query,
                self._page.messages,
                self.cursor,
                reasoning=self._reasoning_allowed,
            )
            self._jump_due = True
            if self._search_more(perf_counter() + SLICE):
                self._work()
        return self.search_state

    def _search_more(self, end: float) -> bool:
        search = self._search
        if search is None or search.complete:
            return False
        more = True
        while more and perf_counter() < end:
            more = search.some(_STEP)
        limit = self._page.limit
        if self._jump_due:
            number = search.first_from(self.cursor, limit)
            if number is not None:
                self._jump_due = False
                self._to_hit(number)
        if not more:
            self._repaint()
        self.post_message(self.SearchChanged(self.search_state))
        return more

    @property
    def search_state(self) -> SearchState:
        """The present search; no hits where there is none."""
        search = self._search
        if search is None:
            return SearchState(0, 0)
        count = search.count(self._page.limit)
        return SearchState(
            count, min(self._number(), max(count - 1, 0)), search.complete
        )

    def _number(self) -> int:
        """Which hit is current, from 0."""
        if self._search is None or self._hit is None:
            return 0
        return self._search.number_of(*self._hit)

    def clear_search(self) -> None:
        """Forget the search."""
        if self._search is not None:
            self._search, self._hit = None, None
            self._repaint()

    def action_hit(self, step: int) -> None:
        """To the next or previous hit."""
        self._step_hit(step)

    def next_hit(self) -> None:
        """To the next hit, from the last to the first."""
        self._step_hit(1)

    def previous_hit(self) -> None:
        """To the previous hit, from the first to the last."""
        self._step_hit(-1)

    def _step_hit(self, step: int) -> None:
        count = self.search_state.count
        if count:
            self._to_hit((self._number() + step) % count)
            self.post_message(self.SearchChanged(self.search_state))

    def _to_hit(self, number: int) -> None:
        if self._search is not None:
            self._hit = self._search.place(number)
            self._open(*self._hit)
            self._go(*self._hit)

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
        if self._page.messages:
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
            self._page.limit = len(self._page.messages)
            self._after_replay(last)

    def _replay_to(self, limit: int) -> None:
        self._page.limit = max(1, min(limit, len(self._page.messages)))
        self._after_replay(self._page.limit - 1)

    def _after_replay(self, index: int) -> None:
        self._select(None)
        if self._hit is not None and self._hit[0] >= self._page.limit:
            self._hit = None
        self._go(index)
        total = len(self._page.messages)
        self.post_message(self.ReplayChanged(self._page.limit, total))

    # ---- selecting ----

    def action_select(self) -> None:
        """Begin a selection of lines at the cursor's message, or end it."""
        if self._keys is not None or not self._page.limit:
            self._select(None)
            return
        page, index = self._page, self.cursor
        body = page.body(index)
        row = max(self.scroll_offset.y - page.start(index) - page.head(index), 0)
        while row < body.height and body.row(row).kind is RowKind.REASONING:
            row += 1
        if row < body.height and body.row(row).kind is RowKind.TEXT:
            self._select(KeySelection.of_row(index, body.row(row)))

    def _select(self, chosen: KeySelection | None) -> None:
        if chosen is not None or self._keys is not None:
            self._keys = chosen
            self._range = chosen.range if chosen else None
            self._repaint()

    def _extend_selection(self, step: int) -> None:
        chosen, page = self._keys, self._page
        row = row_beside(page, chosen, step) if chosen else None
        if chosen is None or row is None:
            return
        self._select(chosen.to_row(row))
        line = page.line_of(chosen.index, row.start)
        top, height = self.scroll_offset.y, self.size.height
        if not top <= line < top + height:
            y = line if line < top else line - height + 1
            self.scroll_to(y=y, animate=False)

    def action_leave(self) -> None:
        """End a selection; else the key means what it means outside."""
        if self._keys is None and self.text_selection is None:
            raise SkipAction
        self._select(None)
        self.screen.clear_selection()
        self._range = None
        self._repaint()

    def selection_span(self) -> tuple[int, Span] | None:
        """The selected stretch: message number and code points of its raw text.

        A selection over several messages counts up to the end of its first one.
        """
        chosen = self._range
        if chosen is None or chosen.start.item >= self._page.limit:
            return None
        message = self._page.messages[chosen.start.item]
        stretch = chosen.within(chosen.start.item, len(message.text))
        return (message.m, Span(start=stretch[0], end=stretch[1])) if stretch else None

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that a mouse selection copies, made safe."""
        chosen = mouse_range(self._page, selection)
        text = selected_text(self._page, chosen) if chosen else ""
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:
        """Show a mouse selection; it takes the place of one by keys."""
        if selection is not None:
            self._keys = None
            self._range = mouse_range(self._page, selection)
        elif self._keys is None:
            self._range = None
        self._repaint()

    def action_copy(self) -> None:
        """Copy the raw text of the selection, or of the message."""
        chosen = self.selection_span()
        message = self._message_of(chosen[0] if chosen else self.current_m)
        if message is not None:
            text = chosen[1].of(message.text) if chosen else message.text
            safe = text.encode("utf-8", "replace").decode("utf-8")
            self.app.copy_to_clipboard(safe)
            self.notify("Copied.", markup=False)

    def _message_of(self, m: int | None) -> Message | None:
        index = self._page.index_of(m) if m is not None else None
        return self._page.messages[index] if index is not None else None
