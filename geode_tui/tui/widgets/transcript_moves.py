"""Moving about in a transcript, folding it, laying it out another way."""

from __future__ import annotations

from dataclasses import replace

from textual.events import Click

from geode_tui.domain.base import Span
from geode_tui.tui.widgets.transcript_body import RowKind
from geode_tui.tui.widgets.transcript_page import TranscriptPage
from geode_tui.tui.widgets.transcript_painter import PaintedPage


class MovingPage(TranscriptPage):
    """Goes to messages, places, branches and calls; opens and closes folds."""

    _call_at: tuple[int, int] | None = None

    # ---- moving ----

    def _go(self, index: int, raw: int | None = None) -> None:
        """Put the cursor on a message and bring it, or a place in it, into sight."""
        page = self._page
        y, height = self.scroll_offset.y, self.size.height
        page.measure_before(index, height)
        if raw is None:
            y = page.start(index)
        else:
            line = page.line_of(index, raw)
            if not y <= line < y + height - 1:
                y = max(line - height // 3, 0)
        y = page.bring(page.anchor(y), height)
        self.set_reactive(PaintedPage.cursor, index)
        self._extend()
        self.scroll_to(y=min(y, self.max_scroll_y), animate=False, force=True)
        self._look()
        if self.cursor != index:  # a short last message cannot come to the top
            self.set_reactive(PaintedPage.cursor, index)
        self._repaint()
        self._tell_cursor()

    def jump_to(self, m: int, span: Span | None = None) -> bool:
        """Bring a message, or a stretch of its raw text, into sight.

        False where there is no such message, or a replay has not come to it.
        """
        index = self._page.index_of(m)
        if index is None:
            return False
        if index >= self._page.limit:
            self.notify(f"The replay has not come to M{m} yet.", markup=False)
            return False
        if span is not None:
            self._open(index, span.start)
        self._go(index, span.start if span is not None else None)
        return True

    def _open(self, index: int, raw: int) -> None:
        """Show what a fold hides at this place."""
        hidden = self._page.body(index).hides(raw)
        if hidden is not RowKind.REASONING or self._reasoning_allowed:
            self._page.reveal(index, raw)
            self._page.settle()
            self._extend()
            self._work()

    def action_line(self, step: int) -> None:
        """Scroll by a line."""
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by a page, two lines less than what is in sight."""
        page = max(self.size.height - 2, 1)
        self.scroll_to(y=self.scroll_offset.y + step * page, animate=False)

    def action_edge(self, step: int) -> None:
        """To the first or last message."""
        if not self._page.limit:
            return
        if step < 0:
            self._go(0)
            return
        last = self._page.limit - 1
        self._page.body(last).measure_rows(self._page.body(last).height - 200, 1 << 62)
        self._go(last)
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def action_message(self, step: int) -> None:
        """To the next message, or the beginning of this or the previous one."""
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
        opens = [index for index in self._page.opens if index < self._page.limit]
        ahead = [i for i in opens if (i > self.cursor if step > 0 else i < self.cursor)]
        if ahead:
            self._go(ahead[0] if step > 0 else ahead[-1])

    def action_call(self, step: int) -> None:
        """To the next or previous tool call."""
        self.jump_call(step)

    def jump_call(self, step: int) -> None:
        """To the next or previous tool call; to counted ones where there are any."""
        page = self._page
        if self._counted:
            known = [(page.index_of(m), span.start) for m, span in self._counted]
            places = sorted((i, at) for i, at in known if i is not None)
        else:
            places = [
                (index, call.span.start)
                for index, message in enumerate(page.messages)
                for call in message.tool_calls
            ]
        last = self._call_at
        here = last if last and last[0] == self.cursor else (self.cursor, -1)
        ahead = [
            place
            for place in places
            if (place > here if step > 0 else place < here) and place[0] < page.limit
        ]
        if ahead:
            index, offset = ahead[0] if step > 0 else ahead[-1]
            self._call_at = (index, offset)
            self._open(index, offset)
            self._go(index, offset)

    def on_click(self, event: Click) -> None:
        """The message clicked has the cursor; a fold that is clicked opens."""
        line = event.y + self.scroll_offset.y
        page = self._page
        if not page.limit or line >= page.height or self._range is not None:
            return
        index, row = page.find(line)
        self.cursor = index
        row -= page.head(index)
        body = page.body(index)
        if 0 <= row < body.height:
            found = body.row(row)
            if found.kind is not RowKind.TEXT:
                self._open(index, found.start)
                self._repaint()

    # ---- folding and layout ----

    def action_fold(self) -> None:
        """Fold or unfold the message under the cursor."""
        self.toggle_fold()

    def toggle_fold(self) -> None:
        """Fold or unfold the message under the cursor."""
        if self._page.limit:
            anchor = self._page.anchor(self.scroll_offset.y)
            self._page.turn(self.cursor)
            self._page.settle()
            self._put_back(anchor)
            self._work()

    def action_fold_all(self) -> None:
        """Unfold everything, or fold it where it is unfolded."""
        self.fold_all(not self._page.options.folded)

    def fold_all(self, folded: bool) -> None:
        """Fold or unfold every long message."""
        self._lay_out(replace(self._page.options, folded=folded))

    def action_reasoning(self) -> None:
        """Show or fold the target's reasoning everywhere."""
        self.toggle_reasoning()

    def toggle_reasoning(self) -> None:
        """Show or fold the target's reasoning everywhere."""
        if self._reasoning_allowed:
            options = self._page.options
            self._lay_out(replace(options, reasoning=not options.reasoning))

    def action_layout(self) -> None:
        """Show JSON laid out over lines, or as written."""
        options = self._page.options
        self._lay_out(replace(options, laid_out=not options.laid_out))

    def action_ascii_safe(self) -> None:
        """Escape what terminals measure differently, or show it."""
        options = self._page.options
        self._lay_out(replace(options, ascii_safe=not options.ascii_safe))
