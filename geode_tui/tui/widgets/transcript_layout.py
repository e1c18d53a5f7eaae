"""Where every message of a transcript stands on an endless page. No terminal here.

Heights start as guesses and become exact for what is in sight at once, for the
rest in idle slices. Whoever lets heights change puts an ``Anchor`` back to
where it was; so what is being read stays where it is.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from geode_tui.domain.transcript import Branch, Message, Transcript
from geode_tui.tui.widgets.transcript_blocks import CHUNK
from geode_tui.tui.widgets.transcript_body import (
    FOLD,
    SLACK,
    Body,
    Options,
    RowKind,
)

_KEPT = 128
"""Messages whose layout is kept."""

_CHARACTERS = 60
"""Characters of a line, for guesses."""


class Anchor(NamedTuple):
    """A line of the page that survives a change of layout.

    Attributes:
        item: position of the message in the order shown.
        row: line from the message's top, where no text is on it.
        raw: raw offset at which its text starts, else None.
    """

    item: int
    row: int
    raw: int | None = None


class Page:
    """All messages one under the other, and where each one starts.

    A message takes its head (one line, two where it opens a branch), its body,
    and a blank line.

    Attributes:
        messages: in the order of the branches.
        opens: for the first message of each branch, where there are many: which.
        limit: how many messages exist for now (replay shows them one by one).
        version: another number whenever lines have moved.
    """

    def __init__(self, transcript: Transcript | None, options: Options) -> None:
        self.options = options
        self.version = 0
        self.messages: list[Message] = []
        self.opens: dict[int, Branch] = {}
        self._index: dict[int, int] = {}
        self._turned: set[int] = set()
        self._thinking: set[int] = set()
        self._bodies: dict[int, Body] = {}
        if transcript is not None:
            many = len(transcript.branches) > 1
            for branch in transcript.branches:
                if many and branch.own:
                    self.opens[len(self.messages)] = branch
                self.messages += [transcript.message(m) for m in branch.own]
        self._index = {message.m: i for i, message in enumerate(self.messages)}
        self.limit = len(self.messages)
        self._guess()

    def _guess(self) -> None:
        """Heights by length alone; nothing is exact any more."""
        per_line = min(self.options.width, _CHARACTERS)
        heights = [2 + 1 + len(m.text) // per_line for m in self.messages]
        if self.options.folded:
            most, folded = 2 + FOLD + SLACK, 2 + FOLD + 1
            heights = [h if h <= most else folded for h in heights]
        for index in self.opens:
            heights[index] += 1
        self._heights = heights
        self._exact = bytearray(len(heights))
        self._next = 0
        self._bodies.clear()
        self._sum()

    def _sum(self) -> None:
        self._starts = list(accumulate(self._heights, initial=0))
        self._changed = False
        self.version += 1

    # ---- places ----

    @property
    def height(self) -> int:
        """Lines of the messages that exist for now."""
        return self._starts[self.limit]

    def index_of(self, m: int) -> int | None:
        """The position of the message numbered ``m``."""
        return self._index.get(m)

    def start(self, index: int) -> int:
        """The first line of a message."""
        return self._starts[index]

    def head(self, index: int) -> int:
        """Lines above a message's body."""
        return 2 if index in self.opens else 1

    def find(self, y: int) -> tuple[int, int]:
        """Which message line ``y`` belongs to, and which of its lines it is."""
        at = bisect_right(self._starts, y, 0, self.limit + 1) - 1
        index = max(min(at, self.limit - 1), 0)
        return index, y - self._starts[index]

    def anchor(self, y: int) -> Anchor:
        """Line ``y`` in a form that survives a change of heights."""
        if not self.limit:
            return Anchor(0, 0)
        index, row = self.find(y)
        body = self.body(index)
        within = row - self.head(index)
        if not 0 <= within < body.height:
            return Anchor(index, min(row, self.head(index) + body.height))
        found = body.row(within)
        return Anchor(index, row, found.start if found.kind is RowKind.TEXT else None)

    def line_at(self, anchor: Anchor) -> int:
        """Where an anchored line is now."""
        if not self.limit:
            return 0
        index = min(anchor.item, self.limit - 1)
        if anchor.raw is not None and index == anchor.item:
            return self.line_of(index, anchor.raw)
        tall = self._starts[index + 1] - self._starts[index]
        return self._starts[index] + min(anchor.row, tall - 1)

    def line_of(self, index: int, raw: int) -> int:
        """The page line that shows a raw offset of a message."""
        return self._starts[index] + self.head(index) + self.body(index).row_of(raw)

    # ---- layout ----

    def body(self, index: int) -> Body:
        """A message laid out; kept while it is among the latest asked for."""
        body = self._bodies.get(index)
        if body is None:
            if len(self._bodies) >= _KEPT:
                self._forget_some()
            body = self._bodies[index] = Body(
                self.messages[index], self._options_of(index)
            )
        return body

    def _forget_some(self) -> None:
        """Drop what is cheap to lay out again; of long messages, keep the heights."""
        for index in list(self._bodies)[: _KEPT // 2]:
            body = self._bodies.pop(index)
            if body.long:
                body.forget_lines()
                self._bodies[index] = body

    def _options_of(self, index: int) -> Options:
        options = self.options
        if index in self._turned:
            options = replace(options, folded=not options.folded)
        if index in self._thinking:
            options = replace(options, reasoning=True)
        return options

    def lay_out(self, options: Options) -> None:
        """Lay everything out under other options."""
        if options.folded != self.options.folded:
            self._turned.clear()
        if options.reasoning != self.options.reasoning:
            self._thinking.clear()
        self.options = options
        self._guess()

    def folded(self, index: int) -> bool:
        """True where a long message shows its first lines only."""
        return self.options.folded is not (index in self._turned)

    def turn(self, index: int) -> None:
        """Fold a message, or unfold it."""
        self._turned ^= {index}
        self._again(index)

    def reveal(self, index: int, raw: int) -> None:
        """Open whatever hides a raw offset."""
        if self.body(index).hides(raw) is RowKind.REASONING:
            self._thinking.add(index)
            self._again(index)
        if self.body(index).hides(raw) is RowKind.FOLD:
            self._turned ^= {index}
            self._again(index)
        body = self.body(index)
        body.measure_at(raw)
        self._take(index, body)

    def _again(self, index: int) -> None:
        self._bodies.pop(index, None)
        self._exact[index] = 0
        self._next = min(self._next, index)
        self._changed = True
        self._take(index, self.body(index))

    def _take(self, index: int, body: Body) -> None:
        height = self.head(index) + body.height + 1
        if height != self._heights[index]:
            self._heights[index] = height
            self._changed = True
        self._exact[index] = body.exact

    def bring(self, anchor: Anchor, count: int) -> int:
        """Make ``count`` lines from an anchored one on exact; where it is then."""
        if not self.limit:
            return 0
        index = min(anchor.item, self.limit - 1)
        body = self.body(index)
        if anchor.raw is not None:
            body.measure_at(anchor.raw)
        self._take(index, body)
        self.settle()
        self._measure_view(self.line_at(anchor), count)
        return self.line_at(anchor)

    def _measure_view(self, y: int, count: int) -> None:
        index, row = self.find(y)
        need = count + row
        while index < self.limit and need > 0:
            if not self._exact[index]:
                body = self.body(index)
                head = self.head(index)
                body.measure_rows(row - head, need - head)
                self._take(index, body)
            need -= self._heights[index]
            row = 0
            index += 1
        self.settle()

    def measure_before(self, index: int, count: int) -> None:
        """Make at least ``count`` lines before a message exact."""
        while index > 0 and count > 0:
            index -= 1
            if not self._exact[index]:
                body = self.body(index)
                body.measure_rows(body.height - count, body.height)
                self._take(index, body)
            count -= self._heights[index]
        self.settle()

    def measure_some(self, enough: int) -> bool:
        """Measure messages of about ``enough`` characters; False when all are.

        Starts are left as they are until ``settle``: a slice stays cheap.
        """
        done = 0
        total = len(self.messages)
        while self._next < total:
            index = self._next
            if not self._exact[index]:
                message = self.messages[index]
                body = self._bodies.get(index)
                if body is None and len(message.text) <= 2 * CHUNK:
                    body = Body(message, self._options_of(index))
                elif body is None:
                    body = self.body(index)
                if not body.exact and body.measure_some(enough - done):
                    return True
                self._take(index, body)
                done += len(message.text) + 200
            self._next += 1
            if done >= enough:
                return True
        return False

    def settle(self) -> None:
        """Make starts agree with the heights measured."""
        if self._changed:
            self._sum()
