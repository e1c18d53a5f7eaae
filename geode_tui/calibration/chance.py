"""Fleiss' kappa, Scott's pi, Gwet's AC1 and AC2: several raters, gaps allowed.

The forms for missing ratings are Gwet's: agreement is averaged over items with
two ratings or more, the use of categories over items with one or more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from geode_tui.calibration.alpha import count_pairs, pairable, unanimous
from geode_tui.calibration.pairs import both, dominance, on_scale
from geode_tui.calibration.ratings import SCALE, Matrix, Ratings, Vector
from geode_tui.calibration.statistic import Formula, Statistic, undefined
from geode_tui.domain.estimate import MIN_ITEMS, Reason

GwetWeights = Literal["identity", "linear", "quadratic", "ordinal"]


def fleiss_kappa(ratings: Ratings) -> Statistic:
    """Fleiss' kappa; with two raters it is Scott's pi, not Cohen's kappa."""
    recipe = "Fleiss' kappa, Gwet's form for missing ratings"
    return _over_categories(ratings, recipe, "identity", _fleiss)


def scott_pi(a: Vector, b: Vector, *, scale: Sequence[float] = SCALE) -> Statistic:
    """Scott's pi of two raters on the items that both scored."""
    used = both(a, b)[:, None]
    values = np.where(used, np.column_stack([a, b]), np.nan)
    if not used.any():
        values = np.column_stack([a, b])
    table = Ratings.of(values, scale=scale)
    return _over_categories(table, "Scott's pi", "identity", _fleiss)


def gwet_ac(ratings: Ratings, *, weights: GwetWeights = "identity") -> Statistic:
    """Gwet's AC1 (``identity``) or AC2 on the full scale.

    It grows with the number of scores on the scale: never compare it across
    scales. ``ordinal`` is Gwet's weight, not Krippendorff's difference.
    """
    name = "AC1" if weights == "identity" else f"AC2, {weights} weights"
    recipe = f"Gwet's {name}, full scale of {len(ratings.scale)} scores"
    return _over_categories(ratings, recipe, weights, _gwet)


def gwet_weights(scale: Sequence[float], weights: GwetWeights) -> Matrix:
    """Agreement weights, (q, q), 1 on the diagonal."""
    steps = np.asarray(scale, dtype=float)
    if weights == "ordinal":
        steps = np.arange(len(steps), dtype=float)
    gap = np.abs(steps[:, None] - steps[None, :])
    if weights == "identity":
        return np.asarray(gap == 0, dtype=float)
    if weights == "linear":
        return np.asarray(1 - gap / gap.max())
    if weights == "quadratic":
        return np.asarray(1 - (gap / gap.max()) ** 2)
    between = (gap + 1) * gap / 2
    return np.asarray(1 - between / between.max())


def _over_categories(
    ratings: Ratings,
    recipe: str,
    weights: GwetWeights,
    kind: Callable[[Matrix], Formula],
) -> Statistic:
    values = ratings.values
    on_scale(values, ratings.scale)
    used, reason, notes = pairable(values)
    pairs = count_pairs(values)
    no_interval = None
    if reason is Reason.NO_VARIANCE and kind is _gwet and used.sum() >= MIN_ITEMS:
        # Chance agreement is 0 where one category is used alone: 1, exactly.
        reason, no_interval = None, Reason.NO_VARIANCE
    if reason is not None:
        return undefined(recipe, reason, used, n_pairs=pairs, notes=notes)
    steps = np.asarray(ratings.scale, dtype=float)
    agreement = gwet_weights(ratings.scale, weights)
    counts = np.asarray((values[:, :, None] == steps).sum(axis=1), dtype=float)
    m = counts.sum(axis=1)
    weighted = counts @ agreement
    observed = np.zeros(len(m))
    observed[used] = (counts * (weighted - 1)).sum(axis=1)[used]
    observed[used] /= (m * (m - 1))[used]
    rated = m >= 1
    use = np.where(rated[:, None], counts / np.maximum(m, 1)[:, None], 0.0)
    sums = np.column_stack([used.astype(float), observed, rated.astype(float), use])
    if no_interval is None and unanimous(values[used]):
        no_interval = Reason.IDENTICAL_SCORES
    columns = [c[~np.isnan(c)] for c in values[used].T]
    warnings, notes = dominance([c for c in columns if c.size])
    return Statistic(
        recipe=recipe,
        sums=sums,
        used=used,
        formula=kind(agreement),
        n_pairs=pairs,
        no_interval=no_interval,
        warnings=warnings,
        notes=notes,
    )


def _shares(s: Matrix) -> tuple[Vector, Matrix]:
    return s[:, 1] / s[:, 0], s[:, 3:] / s[:, 2:3]


def _fleiss(agreement: Matrix) -> Formula:
    def formula(s: Matrix) -> Vector:
        observed, use = _shares(s)
        expected = ((use @ agreement) * use).sum(axis=1)
        return np.asarray((observed - expected) / (1 - expected))

    return formula


def _gwet(agreement: Matrix) -> Formula:
    q = len(agreement)
    factor = agreement.sum() / (q * (q - 1))

    def formula(s: Matrix) -> Vector:
        observed, use = _shares(s)
        expected = factor * (use * (1 - use)).sum(axis=1)
        return np.asarray((observed - expected) / (1 - expected))

    return formula
