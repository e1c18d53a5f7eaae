"""Intraclass correlations from the two-way table (Shrout and Fleiss, 1979)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from geode_tui.calibration.alpha import pairable, unanimous
from geode_tui.calibration.ratings import Matrix, Ratings, Vector
from geode_tui.calibration.statistic import Statistic, undefined
from geode_tui.domain.estimate import MIN_ITEMS, Caution, Reason

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]

_WORDS = {
    "1": "one-way",
    "2": "two-way random, absolute agreement",
    "3": "two-way mixed, consistency",
}


def icc(ratings: Ratings, *, form: Form = "2,1") -> Statistic:
    """ICC of the items that every rater scored; how many were dropped is said.

    ``2,1`` is one rater's absolute agreement, ``2,k`` that of the mean of all.
    """
    model, of = form.split(",")
    unit = "a single rater" if of == "1" else "the mean of all raters"
    recipe = f"ICC({form}), {_WORDS[model]}, of {unit}; complete items only"
    values = ratings.values
    _, reason, notes = pairable(values)
    used = ~np.isnan(values).any(axis=1) & (values.shape[1] >= 2)
    n, k = int(used.sum()), values.shape[1]
    pairs = n * k * (k - 1) // 2
    dropped = int((~np.isnan(values)).any(axis=1).sum()) - n
    if dropped and not notes:
        notes = (f"{dropped} items without a score from every rater are left out.",)
    if reason is None and n == 0:
        reason = Reason.NO_OVERLAP
    if reason is None and n > 1 and np.ptp(values[used]) == 0:
        reason = Reason.NO_VARIANCE
    if reason is None and n < MIN_ITEMS:
        reason = Reason.TOO_FEW_ITEMS
    if reason is not None:
        return undefined(recipe, reason, used, n_pairs=pairs, notes=notes)
    x = np.where(used[:, None], values - values[used].mean(), 0.0)
    rows = x.sum(axis=1) ** 2
    sums = np.column_stack([used.astype(float), rows, (x * x).sum(axis=1), x])

    def formula(s: Matrix) -> Vector:
        n, rows, squares, columns = s[:, 0], s[:, 1], s[:, 2], s[:, 3:]
        mean = columns.sum(axis=1) ** 2 / (n * k)
        between = rows / k - mean
        raters = (columns**2).sum(axis=1) / n - mean
        total = squares - mean
        msr = between / (n - 1)
        msw = (total - between) / (n * (k - 1))
        msc = raters / (k - 1)
        mse = np.maximum(total - between - raters, 0) / ((n - 1) * (k - 1))
        error = msw if model == "1" else mse
        shift = k * (msc - mse) / n if model == "2" else 0.0
        if of == "1":
            return np.asarray((msr - error) / (msr + (k - 1) * error + shift))
        return np.asarray((msr - error) / (msr + shift / k))

    return Statistic(
        recipe=recipe,
        sums=sums,
        used=used,
        formula=formula,
        n_pairs=pairs,
        no_interval=Reason.IDENTICAL_SCORES if unanimous(values[used]) else None,
        warnings=(Caution.ITEMS_DROPPED,) if dropped else (),
        notes=notes,
    )
