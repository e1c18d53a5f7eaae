"""Two raters: exact agreement, errors, kappa on the fixed scale, Lin's CCC.

``a`` is the rater under test (a judge), ``b`` the reference (a person); only
items that both rated count. Every function takes two (items,) vectors with
NaN for gaps and gives a ``Statistic``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from geode_tui.calibration.ratings import SCALE, Mask, Matrix, Vector
from geode_tui.calibration.statistic import Formula, Shape, Statistic, undefined
from geode_tui.domain.estimate import MIN_ITEMS, Caution, Reason
from geode_tui.errors import CalibrationError

Weights = Literal["linear", "quadratic"] | None

DOMINANT_SHARE = 0.80
DOMINANT_EXPECTED = 0.75
TOLERANCE = 1e-12


def both(a: Vector, b: Vector) -> Mask:
    """The items that both raters scored."""
    return np.asarray(~np.isnan(a) & ~np.isnan(b))


def no_pairs(a: Vector, b: Vector) -> Reason:
    """Why there is no pair at all."""
    rated = ~np.isnan(a) | ~np.isnan(b)
    return Reason.NO_OVERLAP if rated.any() else Reason.NO_DATA


def overlap_note(a: Vector, b: Vector) -> tuple[str, ...]:
    """How many items each rater scored, for pairs that do not meet."""
    counts = [int((~np.isnan(x)).sum()) for x in (a, b)]
    return (f"One scored {counts[0]} items, the other {counts[1]}; none is shared.",)


def mean_of_items(
    values: Vector, used: Mask, recipe: str, shape: Shape, **rest: object
) -> Statistic:
    """The mean over ``used`` items of ``values``."""
    per_item = np.where(used, np.nan_to_num(values), 0.0)
    return Statistic(
        recipe=recipe,
        sums=np.column_stack([used.astype(float), per_item]),
        used=used,
        formula=lambda s: s[:, 1] / s[:, 0],
        shape=shape,
        n_pairs=int(used.sum()),
        at_stake=used,
        **rest,  # type: ignore[arg-type]
    )


def _difference_mean(
    a: Vector, b: Vector, values: Vector, recipe: str, shape: Shape, **rest: object
) -> Statistic:
    used = both(a, b)
    if not used.any():
        return undefined(recipe, no_pairs(a, b), used, notes=overlap_note(a, b))
    return mean_of_items(values, used, recipe, shape, **rest)


def percent_exact(a: Vector, b: Vector) -> Statistic:
    """Share of items with the same score, 0 to 1."""
    return _difference_mean(
        a, b, (a == b).astype(float), "share of pairs with a = b", Shape.SHARE
    )


def within(a: Vector, b: Vector, points: float = 1) -> Statistic:
    """Share of items whose scores differ by at most ``points``."""
    return _difference_mean(
        a,
        b,
        (np.abs(a - b) <= points + TOLERANCE).astype(float),
        f"share of pairs with |a - b| <= {points:g}",
        Shape.SHARE,
    )


def mae(a: Vector, b: Vector) -> Statistic:
    """Mean absolute error in points."""
    return _difference_mean(a, b, np.abs(a - b), "mean of |a - b|", Shape.SIZE)


def signed_bias(a: Vector, b: Vector) -> Statistic:
    """Mean of ``a - b`` in points, with both directions counted in the details."""
    gap = (a - b)[both(a, b)]
    details = {
        "higher": float((gap > 0).sum()),
        "equal": float((gap == 0).sum()),
        "lower": float((gap < 0).sum()),
        "mean_when_higher": float(gap[gap > 0].mean()) if (gap > 0).any() else 0.0,
        "mean_when_lower": float(gap[gap < 0].mean()) if (gap < 0).any() else 0.0,
    }
    return _difference_mean(
        a,
        b,
        a - b,
        "mean of a - b (judge - human: positive is a harsher judge)",
        Shape.REAL,
        details=details,
    )


def on_scale(values: Vector, scale: Sequence[float]) -> None:
    """Refuse scores that are not on the scale.

    Raises:
        CalibrationError: naming the first such score.
    """
    given = values[~np.isnan(values)]
    strange = given[~np.isin(given, np.asarray(scale, dtype=float))]
    if strange.size:
        raise CalibrationError(
            f"the score {strange[0]:g} is not on the scale"
            f" {min(scale):g} to {max(scale):g}.",
            hint="Use Lin's CCC or interval alpha for averaged scores.",
        )


def pair_reason(a: Vector, b: Vector) -> Reason | None:
    """Why a chance-corrected coefficient of two raters has no value."""
    used = both(a, b)
    n = int(used.sum())
    if n == 0:
        return no_pairs(a, b)
    x, y = a[used], b[used]
    if n > 1 and np.ptp(np.concatenate([x, y])) == 0:
        return Reason.NO_VARIANCE
    if n < MIN_ITEMS:
        return Reason.TOO_FEW_ITEMS
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Reason.CONSTANT_RATER
    return None


def dominance(values: Sequence[Vector]) -> tuple[tuple[Caution, ...], tuple[str, ...]]:
    """The warning that one score dominates, with its share in a note.

    ``values``: the raters' scores that were compared, without gaps.
    """
    pooled = np.concatenate(values) if values else np.zeros(0)
    if pooled.size == 0:
        return (), ()
    levels, counts = np.unique(pooled, return_counts=True)
    shares = counts / counts.sum()
    top = int(shares.argmax())
    expected = float((shares**2).sum())
    if len(values) == 2:
        margins = [np.array([(v == c).mean() for c in levels]) for v in values]
        expected = float(margins[0] @ margins[1])
    if shares[top] < DOMINANT_SHARE and expected < DOMINANT_EXPECTED:
        return (), ()
    note = (
        f"The score {levels[top]:g} makes up {shares[top]:.0%} of the ratings:"
        " coefficients corrected for chance are low even where raters nearly"
        " always agree. Read them beside percent exact and AC1/AC2."
    )
    return (Caution.ONE_SCORE_DOMINATES,), (note,)


def undefined_pair(a: Vector, b: Vector, recipe: str, reason: Reason) -> Statistic:
    """A two-rater coefficient without a value; constant raters keep the formula's 0."""
    used = both(a, b)
    notes = overlap_note(a, b) if reason is Reason.NO_OVERLAP else ()
    details = {}
    if reason is Reason.CONSTANT_RATER:
        details = {"formula_value": 0.0}
        constant = "first" if np.ptp(a[used]) == 0 else "second"
        score = (a if constant == "first" else b)[used][0]
        notes = (f"The {constant} rater gave {score:g} throughout.",)
    return undefined(
        recipe, reason, used, n_pairs=int(used.sum()), notes=notes, details=details
    )


def identical(a: Vector, b: Vector) -> Reason | None:
    """Set where two raters agree on every shared item."""
    used = both(a, b)
    return Reason.IDENTICAL_SCORES if bool((a[used] == b[used]).all()) else None


def cohen_kappa(
    a: Vector,
    b: Vector,
    *,
    weights: Weights | Matrix = "quadratic",
    scale: Sequence[float] = SCALE,
) -> Statistic:
    """Cohen's kappa on the full scale; a matrix gives disagreement weights.

    Raises:
        CalibrationError: a score is not on the scale.
    """
    name = weights if isinstance(weights, str) else "no" if weights is None else "own"
    steps = np.asarray(scale, dtype=float)
    recipe = (
        f"Cohen's kappa, {name} weights, on the full scale {steps.min():g} to"
        f" {steps.max():g}: 1 - observed / expected disagreement"
    )
    on_scale(np.concatenate([a, b]), scale)
    reason = pair_reason(a, b)
    if reason is not None:
        return undefined_pair(a, b, recipe, reason)
    used = both(a, b)
    if isinstance(weights, str) and weights == "quadratic":
        sums, formula = _moments(a, b, used)
    else:
        gap = np.abs(steps[:, None] - steps[None, :])
        cost = gap if isinstance(weights, str) else np.asarray(gap > 0, dtype=float)
        if weights is not None and not isinstance(weights, str):
            cost = np.asarray(weights, dtype=float)
        sums, formula = _table(a, b, used, steps, cost)
    return _coefficient(a, b, recipe, used, sums, formula)


def lin_ccc(a: Vector, b: Vector) -> Statistic:
    """Lin's concordance correlation with 1/n variances; scores may be averages.

    On whole scores it equals quadratic kappa.
    """
    recipe = "Lin's CCC with 1/n variances (= quadratic kappa on whole scores)"
    reason = pair_reason(a, b)
    if reason is not None:
        return undefined_pair(a, b, recipe, reason)
    used = both(a, b)
    sums, formula = _moments(a, b, used)
    return _coefficient(a, b, recipe, used, sums, formula)


def _coefficient(
    a: Vector, b: Vector, recipe: str, used: Mask, sums: Matrix, formula: Formula
) -> Statistic:
    warnings, notes = dominance([a[used], b[used]])
    return Statistic(
        recipe=recipe,
        sums=sums,
        used=used,
        formula=formula,
        n_pairs=int(used.sum()),
        no_interval=identical(a, b),
        warnings=warnings,
        notes=notes,
    )


def _moments(a: Vector, b: Vector, used: Mask) -> tuple[Matrix, Formula]:
    # Five sums are enough for quadratic weights. Centring keeps them small.
    centre = float(np.mean([a[used].mean(), b[used].mean()]))
    x = np.where(used, np.nan_to_num(a) - centre, 0.0)
    y = np.where(used, np.nan_to_num(b) - centre, 0.0)
    sums = np.column_stack([used.astype(float), x, y, x * x + y * y, (x - y) ** 2])

    def formula(s: Matrix) -> Vector:
        n, sx, sy, squares, gaps = s.T
        return np.asarray(1 - n * gaps / (n * squares - 2 * sx * sy))

    return sums, formula


def _table(
    a: Vector, b: Vector, used: Mask, steps: Vector, cost: Matrix
) -> tuple[Matrix, Formula]:
    rows = (a[:, None] == steps).astype(float) * used[:, None]
    columns = (b[:, None] == steps).astype(float) * used[:, None]
    observed = np.einsum("ij,jk,ik->i", rows, cost, columns)
    sums = np.column_stack([used.astype(float), observed, rows, columns])
    q = len(steps)

    def formula(s: Matrix) -> Vector:
        expected = ((s[:, 2 : 2 + q] @ cost) * s[:, 2 + q :]).sum(axis=1)
        return np.asarray(1 - s[:, 0] * s[:, 1] / expected)

    return sums, formula
