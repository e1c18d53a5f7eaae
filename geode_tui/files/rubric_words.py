"""Small readings that every part of a rubric needs: counts, scores, points, names."""

from __future__ import annotations

import re
import unicodedata

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.rubric import CountRange, ScoreRange

DASH = r"[-–—−‐‑]"
SIGN = r"[+\-−–]"

_RANGE = re.compile(rf"(\d+)\s*(?:{DASH}|to)\s*(\d+)")
_OR_MORE = re.compile(
    r"(?:≥|>=|at least)\s*(\d+)|(\d+)\s*\+|(\d+) or more|more than (\d+)", re.I
)
_ONE = re.compile(r"(?:exactly\s+)?(\d+)\b", re.I)
_POINTS = re.compile(rf"({SIGN})\s*(\d+(?:\.\d+)?|\.\d+)")


def count_at_start(text: str) -> CountRange | None:
    """The count that a row begins with: ``2``, ``4+``, ``2-3``, ``exactly 2``."""
    words = re.sub(r"^\s*(?:`?[RN]`?\s*=?\s*)", "", text.strip())
    for pattern, kind in ((_OR_MORE, "more"), (_RANGE, "range"), (_ONE, "one")):
        match = pattern.match(words)
        if match is None:
            continue
        numbers = [int(group) for group in match.groups() if group is not None]
        if kind == "range":
            low, high = sorted(numbers)
            return CountRange(low=low, high=high)
        if kind == "more":
            above = numbers[0] + (1 if match.group(4) else 0)
            return CountRange(low=above)
        return CountRange(low=numbers[0], high=numbers[0])
    return None


def score_range(text: str) -> ScoreRange | None:
    """A cell that is a score or a range of scores within 1 to 10, and no more."""
    match = re.fullmatch(rf"\s*(\d+)(?:\s*(?:{DASH}|to)\s*(\d+))?\s*", text)
    if match is None:
        return None
    low = int(match.group(1))
    high = int(match.group(2) or low)
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


def sentences(text: str) -> list[str]:
    """Sentences of a paragraph; abbreviations like ``e.g.`` do not end one."""
    pieces = re.split(r"(?<=[.!?])[\"”')\]]*\s+(?=[A-Z\"“(−+])", text)
    joined: list[str] = []
    for piece in pieces:
        if joined and re.search(r"\b(e\.g|i\.e|vs|cf|etc)\.$", joined[-1]):
            joined[-1] += " " + piece
        else:
            joined.append(piece)
    return [piece.strip() for piece in joined if piece.strip()]
