"""Searching the raw text of messages, a few at a time; case is ignored.

Only the number of places per message is kept; where they are is found again
for the messages in sight.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from geode_tui.domain.transcript import Message
from geode_tui.tui.widgets.transcript_blocks import CHUNK, reasoning_spans

_KEPT = 256
"""Messages whose places are kept."""


@dataclass(frozen=True, slots=True)
class SearchState:
    """How far a search is.

    Attributes:
        count: places found.
        index: the current one, from 0; 0 where there is none.
        complete: every message has been searched.
    """

    count: int
    index: int
    complete: bool = True


class Search:
    """The places of one query in a list of messages.

    Args:
        query: literal text; at least one character.
        messages: in the order in which they are shown.
        first: search from this one on, then from the beginning.
        reasoning: False leaves out what is reasoning.
    """

    def __init__(
        self,
        query: str,
        messages: Sequence[Message],
        first: int = 0,
        *,
        reasoning: bool = True,
    ) -> None:
        self.query = query
        self.length = len(query)
        self._needle = query.lower()
        self._plain = len(self._needle) == len(query)
        self._pattern = re.compile(re.escape(query), re.I)
        self._messages = messages
        self._reasoning = reasoning
        self._counts = array("I", bytes(4 * len(messages)))
        self._first = first
        self._done = 0
        self._before: list[int] | None = None
        self._kept: dict[int, Sequence[int]] = {}

    @property
    def complete(self) -> bool:
        """True where every message has been searched."""
        return self._done >= len(self._messages)

    def some(self, enough: int) -> bool:
        """Search messages of about ``enough`` characters; False when all are."""
        messages, counts = self._messages, self._counts
        total = len(messages)
        searched = 0
        while self._done < total and searched < enough:
            index = (self._first + self._done) % total
            text = messages[index].text
            found = self._count(index, text)
            if found:
                counts[index] = found
            searched += len(text) + 50
            self._done += 1
        self._before = None
        return not self.complete

    def _count(self, index: int, text: str) -> int:
        if self._plain and len(text) <= CHUNK:
            lowered = text.lower()
            if len(lowered) == len(text):
                found = lowered.count(self._needle)
                if not found or self._reasoning:
                    return found
        return len(self.places(index))

    def places(self, index: int) -> Sequence[int]:
        """Raw offsets in one message at which the query stands."""
        found = self._kept.get(index)
        if found is None:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            found = self._kept[index] = self._find(self._messages[index])
        return found

    def places_between(self, index: int, start: int, end: int) -> Sequence[int]:
        """The places of one message that touch its raw stretch ``start..end``."""
        places = self.places(index)
        if not places:
            return ()
        low = bisect_right(places, start - self.length)
        return places[low : bisect_left(places, end, low)]

    def _find(self, message: Message) -> Sequence[int]:
        text = message.text
        lowered = text.lower()
        found = array("I")
        if self._plain and len(lowered) == len(text):
            needle, length, add = self._needle, self.length, found.append
            at = lowered.find(needle)
            while at >= 0:
                add(at)
                at = lowered.find(needle, at + length)
        else:
            found.extend(match.start() for match in self._pattern.finditer(text))
        if self._reasoning or not message.segments:
            return found
        for start, end in reasoning_spans(message):
            low = bisect_left(found, start - self.length + 1)
            del found[low : bisect_left(found, end, low)]
        return found

    # ---- places in their order; ``limit`` is how many messages exist for now ----

    def _sums(self) -> list[int]:
        if self._before is None:
            self._before = list(accumulate(self._counts, initial=0))
        return self._before

    def count(self, limit: int) -> int:
        """Places found so far in the first ``limit`` messages."""
        return self._sums()[limit]

    def number_of(self, index: int, raw: int) -> int:
        """Which place, from 0, the one at a raw offset of a message is."""
        return self._sums()[index] + bisect_left(self.places(index), raw)

    def place(self, number: int) -> tuple[int, int]:
        """(message index, raw offset) of a place by its number."""
        sums = self._sums()
        index = bisect_right(sums, number) - 1
        return index, self.places(index)[number - sums[index]]

    def first_from(self, index: int, limit: int) -> int | None:
        """The first place in message ``index`` or later, else the first of all."""
        sums = self._sums()
        total = sums[limit]
        if not total:
            return None
        return sums[index] if sums[index] < total else 0
