"""A table of ratings: items by raters, gaps as NaN, with scenario families."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.errors import CalibrationError

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

SCALE = tuple(range(LOWEST_SCORE, HIGHEST_SCORE + 1))
"""The fixed scale. Categories are never inferred from the data."""


def group_codes(groups: Iterable[Hashable]) -> Codes:
    """Whole numbers from 0 for group names, in order of first appearance."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(g, len(seen)) for g in groups], dtype=np.int64)


def drop_duplicates(keys: Sequence[Hashable]) -> tuple[list[int], int]:
    """Positions of the first item of each key, and how many copies were dropped.

    ``keys`` are content hashes, one per item: exact copies count once.
    """
    first: dict[Hashable, int] = {}
    for position, key in enumerate(keys):
        first.setdefault(key, position)
    return list(first.values()), len(keys) - len(first)


@dataclass(frozen=True, eq=False)
class Ratings:
    """What raters gave the same items on one dimension.

    Attributes:
        values: (items, raters), NaN where a rater gave no score.
        raters: names, one per column.
        groups: (items,) code of each item's scenario family.
        scale: every score that could be given, ascending.
    """

    values: Matrix
    raters: tuple[str, ...]
    groups: Codes
    scale: tuple[float, ...] = SCALE

    def __post_init__(self) -> None:
        items, raters = self.values.shape
        if raters != len(self.raters) or items != len(self.groups):
            raise CalibrationError(
                f"ratings of {items} items by {raters} raters come with"
                f" {len(self.raters)} names and {len(self.groups)} groups."
            )
        if np.isinf(self.values).any():
            raise CalibrationError("a score is infinite.")

    @classmethod
    def of(
        cls,
        values: Sequence[Sequence[float | None]] | Matrix,
        *,
        raters: Sequence[str] | None = None,
        groups: Sequence[Hashable] | None = None,
        scale: Sequence[float] = SCALE,
    ) -> Ratings:
        """Ratings from rows of items; without ``groups`` every item is its own."""
        matrix = np.array(values, dtype=np.float64)
        if matrix.ndim != 2:
            matrix = matrix.reshape(0, len(raters or ()))
        names = tuple(raters or (f"r{i + 1}" for i in range(matrix.shape[1])))
        codes = np.arange(len(matrix)) if groups is None else group_codes(groups)
        return cls(matrix, names, codes, tuple(scale))

    @classmethod
    def from_table(
        cls,
        table: Mapping[str, Mapping[str, float | None]],
        *,
        groups: Mapping[str, Hashable] | None = None,
        scale: Sequence[float] = SCALE,
    ) -> Ratings:
        """Ratings from ``{rater: {item: score or None}}``.

        Items without a group are groups of their own.

        Raises:
            CalibrationError: a score is not on the scale; rater and item named.
        """
        items = list(dict.fromkeys(item for of in table.values() for item in of))
        row = {item: i for i, item in enumerate(items)}
        values = np.full((len(items), len(table)), np.nan)
        allowed = {float(s) for s in scale}
        for column, (rater, scores) in enumerate(table.items()):
            for item, score in scores.items():
                if score is None:
                    continue
                if float(score) not in allowed:
                    raise CalibrationError(
                        f"the score {score!r} is not on the scale"
                        f" {min(allowed):g} to {max(allowed):g}.",
                        where=f"rater {rater}, item {item}",
                        hint="Mend the score, leave it out, or name another scale.",
                    )
                values[row[item], column] = score
        known = groups or {}
        names: list[Hashable] = [
            ("group", known[i]) if i in known else ("item", i) for i in items
        ]
        return cls(values, tuple(table), group_codes(names), tuple(scale))

    def column(self, rater: str) -> Vector:
        """One rater's scores, (items,).

        Raises:
            CalibrationError: no such rater.
        """
        if rater not in self.raters:
            raise CalibrationError(
                f"there is no rater {rater!r}; there are {', '.join(self.raters)}."
            )
        return self.values[:, self.raters.index(rater)]

    def only(self, raters: Sequence[str]) -> Ratings:
        """The same items with these raters alone."""
        columns = np.column_stack([self.column(r) for r in raters])
        return Ratings(columns, tuple(raters), self.groups, self.scale)
