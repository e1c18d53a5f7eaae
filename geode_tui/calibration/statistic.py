"""A statistic as sums over items and a formula of the sums.

Because every figure is a function of sums, a resample of scenario families is
one matrix product, and figures that share resamples can be subtracted pair by
pair. Formulas work on many rows of sums at once and give NaN where they are
undefined; NaN never leaves this package (see ``resampling``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from geode_tui.calibration.ratings import Mask, Matrix, Vector
from geode_tui.domain.estimate import Caution, Reason

Formula = Callable[[Matrix], Vector]


class Shape(Enum):
    """Where a statistic lives, which decides how its interval is formed."""

    COEFFICIENT = "coefficient"
    """At most 1, as correlations: the interval is formed on Fisher's z."""
    SHARE = "share"
    """From 0 to 1: Wilson's interval with the effective number of items."""
    SIZE = "size"
    """0 or more: cut at 0."""
    REAL = "real"
    """Any number: symmetric."""


@dataclass(frozen=True, eq=False)
class Statistic:
    """Sums over items and what to make of them.

    Attributes:
        recipe: formula and choices in words.
        sums: (items, d) what each item adds; zero rows for items not used.
        used: (items,) the items that enter.
        formula: (b, d) rows of summed ``sums`` -> (b,) values.
        n_pairs: pairs of ratings compared.
        reason: set where there is no value; then ``formula`` is never called.
        no_interval: set where there is a value, but never an interval.
        at_stake: for shares, the items whose outcome the share counts.
        details: further formulas by name, evaluated at the full sample.
    """

    recipe: str
    sums: Matrix
    used: Mask
    formula: Formula
    shape: Shape = Shape.COEFFICIENT
    n_pairs: int = 0
    reason: Reason | None = None
    no_interval: Reason | None = None
    warnings: tuple[Caution, ...] = ()
    notes: tuple[str, ...] = ()
    at_stake: Mask | None = None
    details: dict[str, float] = field(default_factory=dict)


def undefined(
    recipe: str,
    reason: Reason,
    used: Mask,
    *,
    n_pairs: int = 0,
    notes: tuple[str, ...] = (),
    details: dict[str, float] | None = None,
) -> Statistic:
    """A statistic without a value."""
    return Statistic(
        recipe=recipe,
        sums=np.zeros((len(used), 0)),
        used=used,
        formula=lambda sums: np.full(len(sums), np.nan),
        n_pairs=n_pairs,
        reason=reason,
        notes=notes,
        details=details or {},
    )


def combine(
    parts: Sequence[Statistic],
    formula: Callable[[list[Vector]], Vector],
    recipe: str,
    shape: Shape,
) -> Statistic:
    """A function of several statistics of the same items, resampled together."""
    used = np.logical_or.reduce([p.used for p in parts])
    pairs = sum(p.n_pairs for p in parts)
    notes = tuple(dict.fromkeys(n for p in parts for n in p.notes))
    for part in parts:
        if part.reason is not None:
            return undefined(recipe, part.reason, used, n_pairs=pairs, notes=notes)
    edges = np.cumsum([0, *(p.sums.shape[1] for p in parts)])

    def together(sums: Matrix) -> Vector:
        slices = [
            p.formula(sums[:, edges[i] : edges[i + 1]]) for i, p in enumerate(parts)
        ]
        return formula(slices)

    return Statistic(
        recipe=recipe,
        sums=np.hstack([p.sums for p in parts]),
        used=used,
        formula=together,
        shape=shape,
        n_pairs=pairs,
        warnings=tuple(dict.fromkeys(w for p in parts for w in p.warnings)),
        notes=notes,
    )


def mean_of(parts: Sequence[Statistic], recipe: str) -> Statistic:
    """The plain mean of several statistics that have values.

    Parts without a value are left out and named in the notes; without any,
    the first part's reason is the reason.
    """
    good = [p for p in parts if p.reason is None]
    if not good:
        return combine(parts, _mean, recipe, parts[0].shape)
    out = combine(good, _mean, recipe, good[0].shape)
    if len(good) == len(parts):
        return out
    note = f"{len(parts) - len(good)} of {len(parts)} had no value and are left out."
    return Statistic(**{**vars(out), "notes": (*out.notes, note)})


def difference(first: Statistic, second: Statistic, recipe: str) -> Statistic:
    """``first - second`` under the same resamples (paired)."""
    return combine([first, second], lambda v: v[0] - v[1], recipe, Shape.REAL)


def _mean(values: list[Vector]) -> Vector:
    return np.asarray(np.mean(np.stack(values), axis=0))
