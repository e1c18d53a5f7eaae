"""Krippendorff's alpha for any number of raters with gaps.

Each item adds its share of the coincidences; items with fewer than two
ratings add nothing. Alpha = 1 - (n - 1) observed / expected disagreement, with
n the pairable ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from geode_tui.calibration.pairs import dominance
from geode_tui.calibration.ratings import Codes, Mask, Matrix, Ratings, Vector
from geode_tui.calibration.statistic import Formula, Statistic, undefined
from geode_tui.domain.estimate import MIN_ITEMS, Caution, Reason

Level = Literal["nominal", "ordinal", "interval", "ratio"]

MOST_LEVELS = 200


def krippendorff_alpha(ratings: Ratings, *, level: Level = "ordinal") -> Statistic:
    """Alpha with the difference function of ``level``.

    The ordinal difference uses the margins of the pairable ratings and is
    computed anew in every resample.
    """
    recipe = f"Krippendorff's alpha, {level} differences, items with 2+ ratings"
    values = ratings.values
    used, reason, notes = pairable(values)
    pairs = count_pairs(values[used])
    if reason is not None:
        return undefined(recipe, reason, used, n_pairs=pairs, notes=notes)
    kept = np.where(used[:, None], values, np.nan)
    given = ~np.isnan(kept)
    weight = given.sum(axis=1).astype(float)
    if level == "interval":
        sums, formula = _interval(kept, given, weight)
    else:
        steps, coded = np.unique(kept[given], return_inverse=True)
        if len(steps) > MOST_LEVELS:
            note = f"More than {MOST_LEVELS} distinct scores."
            return undefined(recipe, Reason.NOT_APPLICABLE, used, notes=(note,))
        codes = np.full(kept.shape, -1, dtype=np.int64)
        codes[given] = coded
        if level == "ordinal":
            sums, formula = _ordinal(codes, weight, len(steps))
        else:
            gap = (steps[:, None] != steps[None, :]).astype(float)
            if level == "ratio":
                total = steps[:, None] + steps[None, :]
                gap = (steps[:, None] - steps[None, :]) / np.where(total == 0, 1, total)
            sums, formula = fixed_distance(codes, weight, gap**2)
    warnings, notes = _remarks(kept, ratings.raters)
    return Statistic(
        recipe=recipe,
        sums=sums,
        used=used,
        formula=formula,
        n_pairs=pairs,
        no_interval=Reason.IDENTICAL_SCORES if unanimous(kept[used]) else None,
        warnings=warnings,
        notes=notes,
    )


def pairable(values: Matrix) -> tuple[Mask, Reason | None, tuple[str, ...]]:
    """Items with two ratings or more, and why there is no value if so.

    Variance is judged on those items alone. Of a single item nobody expects
    variance: that is too few items.
    """
    given = ~np.isnan(values)
    used = np.asarray(given.sum(axis=1) >= 2)
    if not used.any():
        reason = Reason.NO_OVERLAP if given.any() else Reason.NO_DATA
        counts = ", ".join(str(c) for c in given.sum(axis=0))
        note = f"Items scored per rater: {counts}; none is shared."
        return used, reason, (note,) if given.any() else ()
    paired = values[used][given[used]]
    if used.sum() > 1 and np.ptp(paired) == 0:
        return used, Reason.NO_VARIANCE, ()
    if used.sum() < MIN_ITEMS:
        return used, Reason.TOO_FEW_ITEMS, ()
    return used, None, ()


def count_pairs(values: Matrix) -> int:
    """Pairs of ratings within items."""
    m = (~np.isnan(values)).sum(axis=1)
    return int((m * (m - 1) // 2).sum())


def fixed_distance(
    codes: Codes, weight: Vector, distance: Matrix
) -> tuple[Matrix, Formula]:
    """Sums and formula for squared differences that do not depend on the sample.

    Args:
        codes: (items, raters) category of each rating, -1 for gaps; items with
            one rating must have weight 0 or 1.
        weight: (items,) ratings per item.
        distance: (q, q) squared differences.
    """
    n, q = len(codes), len(distance)
    used = weight >= 2
    margins = _margins(codes, used, q)
    observed = np.zeros(n)
    for i in range(codes.shape[1]):
        for j in range(i + 1, codes.shape[1]):
            there = used & (codes[:, i] >= 0) & (codes[:, j] >= 0)
            observed[there] += distance[codes[there, i], codes[there, j]]
    observed[used] *= 2 / (weight[used] - 1)
    sums = np.column_stack([observed, margins])

    def formula(s: Matrix) -> Vector:
        counts = s[:, 1:]
        expected = ((counts @ distance) * counts).sum(axis=1)
        return np.asarray(1 - (counts.sum(axis=1) - 1) * s[:, 0] / expected)

    return sums, formula


def _margins(codes: Codes, used: Mask, q: int) -> Matrix:
    margins = np.zeros((len(codes), q))
    for column in codes.T:
        there = used & (column >= 0)
        margins[there, column[there]] += 1
    return margins


def _interval(kept: Matrix, given: Mask, weight: Vector) -> tuple[Matrix, Formula]:
    x = np.where(given, kept - np.nanmean(kept), 0.0)
    total, squares = x.sum(axis=1), (x * x).sum(axis=1)
    used = weight >= 2
    # The sum over ordered pairs of (x - y)^2 is 2 (m sum x^2 - (sum x)^2).
    observed = np.zeros(len(x))
    observed[used] = 2 * (weight * squares - total**2)[used] / (weight[used] - 1)
    n = np.where(used, weight, 0.0)
    sums = np.column_stack([n, total, squares, observed])

    def formula(s: Matrix) -> Vector:
        n, total, squares, observed = s.T
        return np.asarray(1 - (n - 1) * observed / (2 * (n * squares - total**2)))

    return sums, formula


def _ordinal(codes: Codes, weight: Vector, q: int) -> tuple[Matrix, Formula]:
    n = len(codes)
    used = weight >= 2
    margins = _margins(codes, used, q)
    low, high = np.triu_indices(q, k=1)
    column = np.full((q, q), -1, dtype=np.int64)
    column[low, high] = column[high, low] = np.arange(len(low))
    coincidence = np.zeros((n, len(low)))
    share = np.where(used, 2 / np.maximum(weight - 1, 1), 0.0)
    for i in range(codes.shape[1]):
        for j in range(i + 1, codes.shape[1]):
            x, y = codes[:, i], codes[:, j]
            there = used & (x >= 0) & (y >= 0) & (x != y)
            coincidence[there, column[x[there], y[there]]] += share[there]
    seen = np.flatnonzero(coincidence.any(axis=0))
    low, high = low[seen], high[seen]
    sums = np.column_stack([margins, coincidence[:, seen]])

    def formula(s: Matrix) -> Vector:
        counts, off = s[:, :q], s[:, q:]
        # The ordinal difference is that of the mid-ranks of the margins.
        rank = np.cumsum(counts, axis=1) - counts / 2
        total = counts.sum(axis=1)
        rank -= total[:, None] / 2
        observed = (off * (rank[:, high] - rank[:, low]) ** 2).sum(axis=1)
        expected = 2 * (
            total * (counts * rank**2).sum(axis=1) - (counts * rank).sum(axis=1) ** 2
        )
        return np.asarray(1 - (total - 1) * observed / expected)

    return sums, formula


def unanimous(values: Matrix) -> bool:
    """True where no item's raters differ; every item has a rating."""
    return bool((np.nanmax(values, axis=1) == np.nanmin(values, axis=1)).all())


def _remarks(
    kept: Matrix, raters: Sequence[str]
) -> tuple[tuple[Caution, ...], tuple[str, ...]]:
    given = [column[~np.isnan(column)] for column in kept.T]
    warnings, notes = dominance([column for column in given if column.size])
    for name, column in zip(raters, given, strict=True):
        if column.size > 1 and np.ptp(column) == 0:
            warnings = (*warnings, Caution.CONSTANT_RATER)
            notes = (*notes, f"Rater {name} gave {column[0]:g} throughout.")
    return tuple(dict.fromkeys(warnings)), notes
