"""Looking up a judge's quotes in the messages they name.

There is no fuzzy match: it would bless a paraphrase. A quote is found as it
stands, or with typography evened out, or with parts left out between them, or
it is not found.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from geode_tui.domain.base import Span
from geode_tui.domain.transcript import Message, Role, Transcript

SHORTEST_QUOTE = 12
"""Quotes below this many characters (white space evened out) prove nothing."""


class QuoteState(StrEnum):
    """Where a quote was found."""

    EXACT = "exact"
    NORMALISED = "normalised"
    """Equal once quotes, dashes, zero-width characters and space are evened out."""
    ELIDED = "elided"
    """Its parts between ``...`` stand in the message in order."""
    WRONG_MESSAGE = "wrong_message"
    """In another message than the one named."""
    ABSENT = "absent"
    UNKNOWN_MESSAGE = "unknown_message"
    TOO_SHORT = "too_short"

    @property
    def found(self) -> bool:
        """True where the named message holds the quote."""
        return self in {QuoteState.EXACT, QuoteState.NORMALISED, QuoteState.ELIDED}


@dataclass(frozen=True)
class CheckedQuote:
    """A quote and where it was found.

    Attributes:
        m: the message that holds it; the named one where none does.
        span: code points of that message's raw text, where it was found.
        speaker: who said it; a tool's or user's words are no evidence of what
            the target said. ``prefill`` counts as the auditor's.
    """

    state: QuoteState
    m: int
    span: Span | None = None
    speaker: Role | None = None
    prefill: bool = False


_SAME = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'",
        "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
    }
)  # fmt: skip
_ELISION = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\.{3,}|…)\s*")
_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")


@dataclass(frozen=True)
class _Even:
    """A text with typography evened out, and each character's raw offset."""

    text: str
    at: Sequence[int]

    def span(self, start: int, end: int) -> Span:
        return Span(start=self.at[start], end=self.at[end - 1] + 1)


def _even(raw: str) -> _Even:
    out: list[str] = []
    at: list[int] = []
    for index, character in enumerate(raw):
        if character in _INVISIBLE:
            continue
        for piece in unicodedata.normalize("NFKC", character).translate(_SAME):
            if piece.isspace():
                if out and out[-1] != " ":
                    out.append(" ")
                    at.append(index)
            else:
                out.append(piece)
                at.append(index)
    return _Even("".join(out), at)


def check_quote(transcript: Transcript, m: int, quote: str) -> CheckedQuote:
    """Look ``quote`` up in message ``m``, then in all others."""
    wanted = quote.strip().strip("\"“”'‘’`").strip()
    evened = _even(wanted).text.strip()
    if not 1 <= m <= len(transcript.messages):
        return CheckedQuote(QuoteState.UNKNOWN_MESSAGE, m)
    named = transcript.message(m)
    if len(evened) < SHORTEST_QUOTE:
        return _checked(QuoteState.TOO_SHORT, named, None)
    found = _find(named.text, wanted, evened)
    if found is not None:
        return _checked(found[0], named, found[1])
    for other in transcript.messages:
        if other.m != m:
            elsewhere = _find(other.text, wanted, evened)
            if elsewhere is not None:
                return _checked(QuoteState.WRONG_MESSAGE, other, elsewhere[1])
    return _checked(QuoteState.ABSENT, named, None)


def _checked(state: QuoteState, message: Message, span: Span | None) -> CheckedQuote:
    return CheckedQuote(state, message.m, span, message.role, message.prefill)


def _find(raw: str, wanted: str, evened: str) -> tuple[QuoteState, Span] | None:
    at = raw.find(wanted)
    if at >= 0:
        return QuoteState.EXACT, Span(start=at, end=at + len(wanted))
    # Evening out is slow: skip messages that cannot hold the quote.
    if len(raw) < len(wanted) // 4:
        return None
    text = _even(raw)
    at = text.text.find(evened)
    if at >= 0:
        return QuoteState.NORMALISED, text.span(at, at + len(evened))
    parts = [part for part in _ELISION.split(evened) if part]
    if len(parts) < 2 or sum(map(len, parts)) < SHORTEST_QUOTE:
        return None
    start = end = -1
    for part in parts:
        at = text.text.find(part, max(end, 0))
        if at < 0:
            return None
        start = at if start < 0 else start
        end = at + len(part)
    return QuoteState.ELIDED, text.span(start, end)
