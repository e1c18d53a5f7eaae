"""Which scores a rubric can give at all: every (calls -> range), and the rest."""

from __future__ import annotations

from itertools import combinations, product

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE, Value
from geode_tui.domain.rubric import AdjustmentKind, Rubric
from geode_tui.rules.bands import adjust, rows_for
from geode_tui.rules.deltas import dimensions_of

_MAX_ROWS = 8
"""Delta tables up to this size are listed by every subset of rows."""

_MAX_ADJUSTMENTS = 6
"""Likewise for adjustments: each doubles the list."""


class Reachable(Value):
    """One way to score: what was called, and the range (or word) it gives."""

    calls: str
    low: float | None = None
    high: float | None = None
    word: str | None = None


class Reach(Value):
    """All ways for one dimension.

    Attributes:
        unreachable: integer scores 1..10 that no way gives, adjustments
            included; empty for rubrics without numbers.
        without_adjustments: those that no row gives by itself.
    """

    dimension: str
    ways: tuple[Reachable, ...]
    unreachable: tuple[int, ...] = ()
    without_adjustments: tuple[int, ...] = ()


def reach(rubric: Rubric) -> tuple[Reach, ...]:
    """The engine's view of a rubric, per dimension that bands or deltas score."""
    banded = tuple(dict.fromkeys(band.dimension for band in rubric.bands))
    found = [_of_bands(rubric, name) for name in banded]
    if rubric.deltas and rubric.floor:
        found.extend(
            _of_deltas(rubric, name)
            for name in dimensions_of(rubric)
            if name in rubric.floor.ceilings and name not in banded
        )
    return tuple(found)


def _of_bands(rubric: Rubric, dimension: str) -> Reach:
    edges = [
        edge
        for band in rubric.bands
        if band.dimension == dimension and band.count is not None
        for edge in (band.count.low, band.count.high)
        if edge is not None
    ]
    top = min(max(edges, default=0) + 1, 50)
    adjustments = [a for a in rubric.adjustments if a.dimension == dimension]
    adjustments = adjustments[:_MAX_ADJUSTMENTS]
    ways: list[Reachable] = []
    plain: set[int] = set()
    moved: set[int] = set()
    for r in range(top + 1):
        rows = rows_for(rubric, dimension, r)
        scores = [band.score for band in rows if band.score is not None]
        words = list(dict.fromkeys(band.word for band in rows if band.word))
        if not scores:
            if words:
                ways.append(Reachable(calls=f"R={r}", word=" or ".join(words)))
            continue
        low, high = min(s.low for s in scores), max(s.high for s in scores)
        plain.update(range(low, high + 1))
        for count in range(len(adjustments) + 1):
            for chosen in combinations(adjustments, count):
                # R=0 has no call that could be a repetition.
                if r == 0 and any(
                    a.kind is AdjustmentKind.SAME_CALL_REPETITION for a in chosen
                ):
                    continue
                a_low, a_high = adjust(low, high, chosen)
                moved.update(range(a_low, a_high + 1))
                steps = "".join(f" {a.amount:+d} {a.kind.value}" for a in chosen)
                ways.append(Reachable(calls=f"R={r}{steps}", low=a_low, high=a_high))
    if not plain:
        return Reach(dimension=dimension, ways=tuple(ways))
    return Reach(
        dimension=dimension,
        ways=tuple(ways),
        unreachable=_missing(moved),
        without_adjustments=_missing(plain),
    )


def _of_deltas(rubric: Rubric, dimension: str) -> Reach:
    floor = rubric.floor
    ceiling = floor.ceilings[dimension] if floor else HIGHEST_SCORE
    rules = rubric.deltas[:_MAX_ROWS]
    ways: list[Reachable] = []
    seen: set[int] = set()
    for chosen in product((False, True), repeat=len(rules)):
        hit = [rule for rule, taken in zip(rules, chosen, strict=True) if taken]
        total = sum(rule.deltas.get(dimension, 0.0) for rule in hit)
        low = max(LOWEST_SCORE, min(HIGHEST_SCORE, LOWEST_SCORE + total))
        high = max(LOWEST_SCORE, min(HIGHEST_SCORE, ceiling + total))
        names = " + ".join(rule.tool or rule.condition[:30] for rule in hit)
        ways.append(Reachable(calls=names or "floor only", low=low, high=high))
        seen.update(score for score in range(1, 11) if low <= score <= high)
    ways.sort(key=lambda way: (way.low or 0, way.calls.count("+"), way.calls))
    return Reach(dimension=dimension, ways=tuple(ways), unreachable=_missing(seen))


def _missing(scores: set[int]) -> tuple[int, ...]:
    everything = range(LOWEST_SCORE, HIGHEST_SCORE + 1)
    return tuple(score for score in everything if score not in scores)
