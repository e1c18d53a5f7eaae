"""One message laid out for a width: blocks of raw text, measured when needed.

A block is a stretch of at most a few thousand characters that is made safe and
wrapped by itself, so a message of any size costs what is in sight of it.
Reasoning that is not shown is a block of one line.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

from geode_tui.domain.display import Display, display
from geode_tui.domain.transcript import Message
from geode_tui.tui.widgets.transcript_blocks import (
    CHUNK,
    blocks_of,
    edits_of,
    edits_within,
)
from geode_tui.tui.widgets.transcript_wrap import Lines, wrap

FOLD = 20
"""Lines of a long message that stay in sight when it is folded."""

SLACK = 6
"""A fold that would hide no more lines than this is not worth it."""

_KEPT = 64
"""Blocks of one message whose lines are kept."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a message is to be laid out.

    Attributes:
        width: cells of a line, from 2.
        folded: only the first lines of a long message are shown.
        reasoning: reasoning is shown rather than one line in its place.
        laid_out: JSON written on one long line is broken over lines.
        ascii_safe: characters that terminals disagree about are escaped.
    """

    width: int
    folded: bool = True
    reasoning: bool = False
    laid_out: bool = True
    ascii_safe: bool = False


class RowKind(StrEnum):
    """What a row of a body is."""

    TEXT = "text"
    REASONING = "reasoning"
    """Stands for reasoning that is not shown."""
    FOLD = "fold"
    """Stands for the lines that the fold hides."""


class Row(NamedTuple):
    """One row of a body.

    Attributes:
        kind: text, or words of ours in place of text.
        start, end: code points of the message's raw text.
        block: where the text is; None for a row that stands for something.
        first, last: stretch of the block's display text.
    """

    kind: RowKind
    start: int
    end: int
    block: Laid | None = None
    first: int = 0
    last: int = 0

    @property
    def text(self) -> str:
        """What is shown, as safe text on one line."""
        return self.block.shown.text[self.first : self.last] if self.block else ""


class Laid(NamedTuple):
    """A block made safe and wrapped: from raw offset ``start`` on."""

    start: int
    shown: Display
    lines: Lines

    def to_shown(self, raw: int) -> int:
        """Where a raw offset of the message stands in the block's text."""
        return self.shown.to_display(raw - self.start)

    def row(self, index: int) -> Row:
        """One line."""
        first, last = self.lines.starts[index], self.lines.ends[index]
        start, end = self.shown.raw_range(first, last)
        if last == first:
            end = start
        at = self.start
        return Row(RowKind.TEXT, at + start, at + end, self, first, last)


class Body:
    """The rows of one message under given options. Options never change."""

    __slots__ = (
        "_edits",
        "_exact",
        "_laid",
        "_next",
        "_rows",
        "_starts",
        "blocks",
        "fold_at",
        "message",
        "options",
    )

    def __init__(self, message: Message, options: Options) -> None:
        self.message = message
        self.options = options
        self.blocks = list(blocks_of(message, options.reasoning))
        self._edits = edits_of(message) if options.laid_out else ()
        self._laid: dict[int, Laid] = {}
        self.fold_at: int | None = None
        """Raw offset of the first hidden character; None where nothing is folded."""
        self._next = 0
        self._exact = [block.hidden for block in self.blocks]
        if options.folded:
            self._rows = self._fold()
        else:
            rate = self._rate() if self.long else 0
            self._rows = [
                1 if block.hidden else 1 + int(rate * (block.end - block.start))
                for block in self.blocks
            ]
            if not self.long:
                for index, exact in enumerate(self._exact):
                    if not exact:
                        self._measure(index)
        self._sum()

    @property
    def long(self) -> bool:
        """True where measuring it all at once would take too long."""
        return len(self.message.text) > 2 * CHUNK

    def forget_lines(self) -> None:
        """Give memory back; heights stay known."""
        self._laid.clear()

    def _sum(self) -> None:
        self._starts = list(accumulate(self._rows, initial=0))

    def _fold(self) -> list[int]:
        """Rows of each block; measures no more than what a fold leaves in sight."""
        most = FOLD + SLACK + 1
        rows: list[int] = []
        seen = 0
        for index, block in enumerate(self.blocks):
            count = 1 if block.hidden else self._count(index, most - seen)
            rows.append(count)
            self._exact[index] = True
            seen += count
            if seen >= most:
                return self._cut(rows)
        return rows

    def _cut(self, rows: list[int]) -> list[int]:
        """Leave ``FOLD`` rows and one that says what is not in sight."""
        left = FOLD
        for index, count in enumerate(rows):
            if count > left:
                self.fold_at = self._row_in(index, left).start
                rows = [*rows[:index], left + 1]
                break
            left -= count
        more = len(self.blocks) - len(rows)
        self._exact = [True] * len(self.blocks)
        return rows + [0] * more

    # ---- measuring ----

    def _rate(self) -> float:
        """Lines per character, as the first block has them."""
        index = next(i for i, b in enumerate(self.blocks) if not b.hidden)
        block = self.blocks[index]
        self._laid.pop(index, None)  # a fold may have laid its first lines only
        return self._count(index) / max(block.end - block.start, 1)

    @property
    def height(self) -> int:
        """Rows as far as they are known."""
        return self._starts[-1]

    @property
    def exact(self) -> bool:
        """True where every block has been measured."""
        return all(self._exact)

    def measure_some(self, enough: int) -> bool:
        """Measure blocks of about ``enough`` characters; False when all are."""
        done = 0
        while self._next < len(self.blocks) and done < enough:
            if not self._exact[self._next]:
                self._measure(self._next)
                done += CHUNK
            self._next += 1
        self._sum()
        return self._next < len(self.blocks)

    def measure_rows(self, first: int, last: int) -> None:
        """Measure the blocks that show these rows, as far as they are known now."""
        if self.exact:
            return
        index = max(0, min(self._block_of(max(first, 0)), len(self.blocks) - 1))
        row = self._starts[index]
        while index < len(self.blocks) and row <= last:
            if not self._exact[index]:
                self._measure(index)
            row += self._rows[index]
            index += 1
        self._sum()

    def measure_at(self, raw: int) -> None:
        """Measure the block that holds a raw offset."""
        index = self._holding(raw)
        if self.blocks and not self._exact[index]:
            self._measure(index)
            self._sum()

    def _measure(self, index: int) -> None:
        self._rows[index] = self._count(index)
        self._exact[index] = True

    def _count(self, index: int, most: int = 0) -> int:
        return len(self._lay(index, most).lines)

    def _lay(self, index: int, most: int = 0) -> Laid:
        """Make a block safe and wrap it, or its first ``most`` lines at least."""
        laid = self._laid.get(index)
        if laid is not None:
            return laid
        block, options = self.blocks[index], self.options
        text = self.message.text[block.start : block.end]
        shown = display(
            text,
            ascii_safe=options.ascii_safe,
            edits=edits_within(self._edits, block) if self._edits else (),
        )
        end = len(shown.text)
        if index < len(self.blocks) - 1 and shown.text.endswith("\n"):
            end -= 1  # the next block begins a line of its own
        if block.blank:
            lines = wrap("", options.width)
            lines.starts.pop()
            lines.ends.pop()
        elif most:
            lines = wrap(shown.text, options.width, end, most)
        else:
            lines = wrap(shown.text, options.width, end)
        laid = Laid(block.start, shown, lines)
        if len(self._laid) >= _KEPT:
            del self._laid[next(iter(self._laid))]
        self._laid[index] = laid
        return laid

    # ---- rows and offsets ----

    def _block_of(self, row: int) -> int:
        return bisect_right(self._starts, row) - 1

    def _holding(self, raw: int) -> int:
        index = bisect_right(self.blocks, raw, key=lambda block: block.start) - 1
        return max(index, 0)

    def row(self, row: int) -> Row:
        """Row ``row`` of 0..height-1."""
        if self.fold_at is not None and row >= FOLD:
            return Row(RowKind.FOLD, self.fold_at, len(self.message.text))
        index = min(self._block_of(max(row, 0)), len(self.blocks) - 1)
        return self._row_in(index, row - self._starts[index])

    def _row_in(self, index: int, row: int) -> Row:
        block = self.blocks[index]
        if block.hidden:
            return Row(RowKind.REASONING, block.start, block.end)
        laid = self._lay(index)
        if not laid.lines:
            return Row(RowKind.REASONING, block.start, block.end)
        return laid.row(max(0, min(row, len(laid.lines) - 1)))

    def row_of(self, raw: int) -> int:
        """The row that shows a raw offset, or stands for it."""
        if self.fold_at is not None and raw >= self.fold_at:
            return FOLD
        if not self.blocks:
            return 0
        index = self._holding(raw)
        block = self.blocks[index]
        within = 0
        if not block.hidden:
            laid = self._lay(index)
            within = laid.lines.at(laid.to_shown(raw))
            within = max(0, min(within, self._rows[index] - 1))
        return self._starts[index] + within

    def hides(self, raw: int) -> RowKind | None:
        """What keeps a raw offset out of sight: the fold, hidden reasoning."""
        if self.fold_at is not None and raw >= self.fold_at:
            return RowKind.FOLD
        if self.blocks and self.blocks[self._holding(raw)].hidden:
            return RowKind.REASONING
        return None

    def more(self) -> str:
        """How much the fold hides, in words."""
        if self.fold_at is None:
            return ""
        rest = len(self.message.text) - self.fold_at
        if self.long:
            return f"about {round(rest * self._rate()) or 1:,} more lines"
        whole = Body(self.message, replace(self.options, folded=False))
        return f"{whole.height - FOLD:,} more lines"
