"""Small readings that every part of a rubric needs: counts, scores, points, names."""

from __future__ import annotations

import re
import unicodedata

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.rubric import CountRange, ScoreRange

DASH = r"[-–—−‐‑]"
SIGN = r"[+\-−–]"

_RANGE = re.compile(
    rf"between\s+(\d+)\s+and\s+(\d+)|(\d+)\s*(?:{DASH}|to\b|or\b)\s*(\d+)", re.I
)
_OR_MORE = re.compile(
    r"(?:≥|>=|at least|from)\s*(\d+)|(\d+)\s*\+|(\d+)\s+(?:or|and) (?:more|above|up)\b"
    r"|(?:>|more than|over|above)\s*(\d+)",
    re.I,
)
_OR_LESS = re.compile(
    r"(?:≤|<=|at most|up to|no more than)\s*(\d+)|(\d+)\s+or (?:fewer|less)\b"
    r"|(?:<|fewer than|less than|under|below)\s*(\d+)",
    re.I,
)
_ONE = re.compile(r"(?:exactly\s+|only\s+|just\s+|=\s*)?(\d+)\b(?!\s*%|\.\d)", re.I)
_LETTER = re.compile(r"^(?:`?[RN]`?\s*(?:(?==)|(?=[≥≤<>])|\b)(?:=+\s*)?)")
_NUMBERS = {
    word: str(number)
    for number, words in enumerate(
        (
            "zero|none|no|nothing",
            "one|once|single|a single",
            "two|twice",
            "three|thrice",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
        )
    )
    for word in words.split("|")
}
_NUMBER_WORD = re.compile(rf"\b({'|'.join(sorted(_NUMBERS, key=len)[::-1])})\b", re.I)
_COUNT_WORDS = 40
"""Characters of a row in which its count stands, if it states one."""

_POINTS = re.compile(rf"({SIGN})\s*(\d+(?:\.\d+)?|\.\d+)")


def count_at_start(text: str) -> CountRange | None:
    """The count that a row begins with: ``2``, ``4+``, ``2-3``, ``two or more``."""
    words = _LETTER.sub("", text.strip()[:_COUNT_WORDS])
    words = re.sub(r"\b(no more than)\b", "at most", words, flags=re.I)
    words = _NUMBER_WORD.sub(lambda m: _NUMBERS[m.group().lower()], words)
    if match := _OR_MORE.match(words):
        low = int(next(filter(None, match.groups()))) + bool(match.group(4))
        return CountRange(low=low)
    if match := _OR_LESS.match(words):
        high = int(next(filter(None, match.groups()))) - bool(match.group(3))
        return CountRange(low=0, high=high) if high >= 0 else None
    if match := _RANGE.match(words):
        low, high = sorted(int(group) for group in match.groups() if group)
        return CountRange(low=low, high=high)
    if match := _ONE.match(words):
        return CountRange(low=int(match.group(1)), high=int(match.group(1)))
    return None


_SCORE = re.compile(
    rf"\s*(?:scores?\s*)?(≥|>=|≤|<=)?\s*(\d+)(\+)?(?:\s*(?:{DASH}|to)\s*(\d+))?"
    r"\s*(?:/\s*10)?\s*(?:\([^)]*\))?\s*",
    re.I,
)


def score_range(text: str) -> ScoreRange | None:
    """A cell that is a score or a range of scores within 1 to 10, and no more.

    A remark in brackets may follow: ``9-10 (severe)``.
    """
    match = _SCORE.fullmatch(text)
    if match is None:
        return None
    sign, first, plus, last = match.groups()
    low = int(first)
    high = int(last or first)
    if sign in {"≥", ">="} or plus:
        high = HIGHEST_SCORE
    elif sign:
        low = LOWEST_SCORE
    if not LOWEST_SCORE <= low <= high <= HIGHEST_SCORE:
        return None
    return ScoreRange(low=low, high=high)


def points(text: str) -> float | None:
    """The first signed number: ``+2``, ``−1`` (U+2212), ``+0.5``."""
    match = _POINTS.search(text)
    return signed(match.group(1), match.group(2)) if match else None


def signed(sign: str, number: str) -> float:
    """A sign and digits as a number; every dash is a minus."""
    return float(number) if sign == "+" else -float(number)


_SMALL = frozenset(
    re.split(
        " ",
        "a across an and as at by for from in into of on or per the to with without",
    )
)


def slug(text: str, words: int = 4) -> str:
    """A stable snake_case identifier of the first ``words`` words.

    Small words are not left hanging at its end.
    """
    folded = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in folded if not unicodedata.combining(c))
    parts = re.findall(r"[^\W_]+", plain)[:words]
    while len(parts) > 1 and parts[-1] in _SMALL:
        parts.pop()
    return "_".join(parts)


_SENTENCE_END = re.compile(r"(?<=[.!?])([\"”')\]]*)\s+(?=[A-Z\"“(−+])")
_ABBREVIATED = re.compile(r"\b(e\.g|i\.e|vs|cf|etc|approx|no)\.$")


def sentences(text: str) -> list[str]:
    """Sentences of a paragraph; abbreviations like ``e.g.`` do not end one."""
    pieces: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if not _ABBREVIATED.search(text, max(start, match.start() - 10), match.start()):
            pieces.append(text[start : match.end(1)])
            start = match.end()
    pieces.append(text[start:])
    return [piece.strip() for piece in pieces if piece.strip()]
