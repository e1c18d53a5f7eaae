"""Where every message of a transcript stands on an endless page. No terminal here.

Text is made safe and wrapped only when it is needed: heights start as
estimates and become exact for what is in sight at once, for the rest in idle
slices. A message's visual lines are two arrays of offsets into its display
text; nothing is copied per line.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from rich.cells import cell_len, get_character_cell_size

from geode_tui.domain.display import Display, display
from geode_tui.domain.transcript import Branch, Message, SegmentKind, Transcript

FOLD = 20
"""Lines of a long message that stay in sight when it is folded."""

SLACK = 6
"""A fold that would hide no more lines than this is not worth it."""

_NOT_NARROW = re.compile(
    "[^\x20-\x7e\n\u00a0-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e"
    "\u20a0-\u20bf\u2190-\u21ff\u2200-\u22ff\u2400-\u243f\u2500-\u25ff\ufffd]"
)


@dataclass(slots=True)
class Lines:
    """The visual lines of one message's body.

    Line ``i`` shows ``text[starts[i]:ends[i]]``, unless ``notes`` has words of
    our own for it (a folded stretch).
    """

    starts: array[int]
    ends: array[int]
    notes: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, offset: int) -> int:
        """The line that shows display offset ``offset``."""
        return max(0, bisect_right(self.starts, offset) - 1)


def wrap(text: str, width: int, start: int = 0, end: int | None = None) -> Lines:
    """Break ``text[start:end]`` into lines of at most ``width`` cells.

    Breaks after blanks where it can; words longer than a line are cut. Narrow
    text is measured by length, anything else cell by cell.
    """
    stop = len(text) if end is None else end
    starts, ends = array("I"), array("I")
    width = max(width, 2)
    narrow = _NOT_NARROW.search(text, start, stop) is None
    at = start
    find, rfind = text.find, text.rfind
    add_start, add_end = starts.append, ends.append
    while at <= stop:
        line_end = find("\n", at, stop)
        if line_end < 0:
            line_end = stop
        if line_end - at <= width and (narrow or _fits(text, at, line_end, width)):
            add_start(at)
            add_end(line_end)
        elif narrow or _NOT_NARROW.search(text, at, line_end) is None:
            while line_end - at > width:
                cut = rfind(" ", at, at + width + 1)
                cut = cut + 1 if cut > at else at + width
                add_start(at)
                add_end(min(cut, at + width))
                at = cut
            add_start(at)
            add_end(line_end)
        else:
            _wrap_wide(text, at, line_end, width, starts, ends)
        at = line_end + 1
    return Lines(starts, ends)


def _fits(text: str, start: int, end: int, width: int) -> bool:
    return cell_len(text[start:end]) <= width


def _wrap_wide(
    text: str, at: int, end: int, width: int, starts: array[int], ends: array[int]
) -> None:
    """Wrap one logical line that holds wide or combining characters."""
    begin, used, blank = at, 0, -1
    while at < end:
        size = get_character_cell_size(text[at])
        if used + size > width and at > begin:
            cut = blank if begin < blank <= at else at
            starts.append(begin)
            ends.append(cut)
            begin = cut
            used = cell_len(text[begin:at])
            blank = -1
        used += size
        if text[at] == " ":
            blank = at + 1
        at += 1
    starts.append(begin)
    ends.append(end)


class Entry:
    """One message on the page: a head of one or two lines, its body, a blank.

    Attributes:
        message: the message.
        opens: the branch whose first message this is, if it is one.
        folded: only the first lines of a long body are shown.
        reasoning: reasoning is shown rather than folded to one line.
    """

    __slots__ = (
        "_estimate",
        "_lines",
        "_shown",
        "_width",
        "folded",
        "message",
        "opens",
        "reasoning",
    )

    def __init__(self, message: Message, opens: Branch | None) -> None:
        self.message = message
        self.opens = opens
        self.folded = True
        self.reasoning = False
        self._shown: Display | None = None
        self._lines: Lines | None = None
        self._width = 0
        self._estimate = 0

    @property
    def shown(self) -> Display:
        """The message's text made safe; kept, for clean text at no cost."""
        if self._shown is None:
            self._shown = display(self.message.text)
        return self._shown

    @property
    def head(self) -> int:
        """Lines above the body."""
        return 2 if self.opens is not None else 1

    @property
    def exact(self) -> bool:
        """True where the height is measured, not estimated."""
        return self._lines is not None

    def lines(self, width: int) -> Lines:
        """The body's visual lines at this width, all of them."""
        if self._lines is None or self._width != width:
            self._lines = self._laid(width)
            self._width = width
        return self._lines

    def forget(self) -> None:
        """Lay out anew: the width or what is folded has changed."""
        self._lines = None

    def _laid(self, width: int) -> Lines:
        shown = self.shown
        hidden = () if self.reasoning else self._hidden(shown)
        if not hidden:
            return wrap(shown.text, width)
        whole = Lines(array("I"), array("I"))
        at = 0
        for start, end in hidden:
            if start > at:
                _append(whole, wrap(shown.text, width, at, start), shown.text)
            count = shown.text.count("\n", start, end) + 1
            words = "line" if count == 1 else "lines"
            whole.notes[len(whole)] = f"~ reasoning, {count:,} {words}, R shows it"
            whole.starts.append(start)
            whole.ends.append(start)
            at = end + 1 if shown.text[end : end + 1] == "\n" else end
        if at < len(shown.text):
            _append(whole, wrap(shown.text, width, at), shown.text)
        return whole

    def _hidden(self, shown: Display) -> list[tuple[int, int]]:
        return [
            (shown.to_display(s.span.start), shown.to_display(s.span.end))
            for s in self.message.segments
            if s.kind is SegmentKind.REASONING and s.span.end > s.span.start
        ]

    def body(self, width: int) -> int:
        """Visible body lines at this width; measured."""
        count = len(self.lines(width))
        return FOLD + 1 if self.folded and count > FOLD + SLACK else count

    def cut(self, width: int) -> int:
        """How many lines the fold hides; 0 where nothing is folded."""
        count = len(self.lines(width))
        return count - FOLD if self.folded and count > FOLD + SLACK else 0

    def height(self, width: int) -> int:
        """Lines this entry takes: measured where laid out, else estimated."""
        if self._lines is not None and self._width == width:
            return self.head + self.body(width) + 1
        if self._estimate == 0:
            # Counting line breaks would read every text before the first paint.
            self._estimate = 2 * len(self.message.text) // max(width, 1) + 1
        body = self._estimate
        if self.folded and body > FOLD + SLACK:
            body = FOLD + 1
        return self.head + body + 1

    def measure(self, width: int) -> int:
        """Lay the entry out and give its height."""
        self.lines(width)
        return self.height(width)

    def unfold_for(self, offset: int, width: int) -> bool:
        """Open what hides display offset ``offset``; True where anything did."""
        changed = False
        if not self.reasoning and any(
            start <= offset < end for start, end in self._hidden(self.shown)
        ):
            self.reasoning = True
            self.forget()
            changed = True
        if self.cut(width) and self.lines(width).at(offset) >= FOLD:
            self.folded = False
            changed = True
        return changed


def _append(whole: Lines, part: Lines, text: str) -> None:
    """Join lines; a stretch that is only the line break before a fold adds none."""
    starts, ends = part.starts, part.ends
    if len(starts) > 1 and starts[-1] == ends[-1]:
        starts, ends = starts[:-1], ends[:-1]
    if len(starts) == 1 and not text[starts[0] : ends[0]].strip():
        return
    whole.starts.extend(starts)
    whole.ends.extend(ends)


Hit = tuple[int, int, int]
"""A search hit: entry index, start and end in its display text."""


class Page:
    """All entries one under the other, and where each one starts.

    Attributes:
        entries: in the order of the branches.
        limit: how many entries exist for now (replay shows them one by one).
    """

    def __init__(self, transcript: Transcript | None, width: int) -> None:
        self.width = max(width, 2)
        self.entries: list[Entry] = []
        self.limit = 0
        self._index: dict[int, int] = {}
        self._heights: list[int] = []
        self._starts: list[int] = [0]
        self._measured = 0
        if transcript is not None:
            many = len(transcript.branches) > 1
            for branch in transcript.branches:
                opens: Branch | None = branch if many else None
                for m in branch.own:
                    self._index[m] = len(self.entries)
                    self.entries.append(Entry(transcript.message(m), opens))
                    opens = None
        self.limit = len(self.entries)
        self._settle()

    def _settle(self) -> None:
        self._heights = [entry.height(self.width) for entry in self.entries]
        self._sum()

    def _sum(self) -> None:
        self._starts = list(accumulate(self._heights, initial=0))

    @property
    def height(self) -> int:
        """Lines of the entries that exist for now."""
        return self._starts[self.limit]

    def index_of(self, m: int) -> int | None:
        """The entry of message ``m``."""
        return self._index.get(m)

    def start(self, index: int) -> int:
        """The first line of an entry."""
        return self._starts[index]

    def find(self, y: int) -> tuple[int, int]:
        """Which entry line ``y`` belongs to, and which of its lines it is."""
        index = min(
            bisect_right(self._starts, y, 0, self.limit + 1) - 1, self.limit - 1
        )
        return max(index, 0), y - self._starts[max(index, 0)]

    def resize(self, width: int) -> None:
        """Lay everything out for another width; estimates until measured."""
        self.width = max(width, 2)
        for entry in self.entries:
            entry.forget()
            entry._estimate = 0
        self._measured = 0
        self._settle()

    def remeasure(self, index: int) -> None:
        """Take over the height of one entry after a change."""
        self._heights[index] = self.entries[index].measure(self.width)
        self._sum()

    def measure_range(self, first: int, last: int) -> bool:
        """Make the heights of these entries exact; True where one changed."""
        changed = False
        for index in range(max(first, 0), min(last + 1, len(self.entries))):
            if not self.entries[index].exact:
                height = self.entries[index].measure(self.width)
                if height != self._heights[index]:
                    self._heights[index] = height
                    changed = True
        if changed:
            self._sum()
        return changed

    def measure_some(self, enough: int) -> bool:
        """Measure entries of about ``enough`` characters; False when all are.

        Starts are summed anew only by ``settle_heights``: a slice stays cheap.
        """
        done = 0
        while self._measured < len(self.entries):
            entry = self.entries[self._measured]
            if not entry.exact:
                self._heights[self._measured] = entry.measure(self.width)
                done += len(entry.message.text) + 200
            self._measured += 1
            if done >= enough:
                return True
        return False

    def settle_heights(self) -> None:
        """Make starts agree with the heights measured since."""
        self._sum()

    def remeasure_all(self) -> None:
        """After folding everything: heights anew, exact ones stay exact."""
        self._settle()
        self._measured = 0

    def line_of(self, index: int, offset: int) -> int:
        """The page line that shows display offset ``offset`` of an entry."""
        entry = self.entries[index]
        return self._starts[index] + entry.head + entry.lines(self.width).at(offset)

    def search(self, query: str) -> list[Hit]:
        """Every place of ``query`` in the entries that exist, case ignored."""
        if not query:
            return []
        needle = query.lower()
        pattern = re.compile(re.escape(query), re.I)
        length = len(needle)
        hits: list[Hit] = []
        add = hits.append
        for index in range(self.limit):
            text = self.entries[index].shown.text
            lowered = text.lower()
            if len(lowered) == len(text):
                at = lowered.find(needle)
                while at >= 0:
                    add((index, at, at + length))
                    at = lowered.find(needle, at + length)
            else:
                for found in pattern.finditer(text):
                    add((index, *found.span()))
        return hits

    def calls(self) -> Sequence[tuple[int, int]]:
        """(entry, raw offset) of every tool call that exists, in order."""
        return [
            (index, call.span.start)
            for index in range(self.limit)
            for call in self.entries[index].message.tool_calls
        ]
