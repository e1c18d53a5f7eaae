"""How many more labels a goal needs."""

from __future__ import annotations

import math

import numpy as np

from geode_tui.calibration.distributions import (
    mid_ranks,
    normal_below,
    normal_quantile,
    t_quantile,
)
from geode_tui.calibration.pairs import cohen_kappa
from geode_tui.calibration.ratings import SCALE, Codes, Vector
from geode_tui.calibration.resampling import DEFAULT, Resampling, estimate
from geode_tui.calibration.statistic import difference
from geode_tui.domain.agreement import LabelsNeeded
from geode_tui.domain.estimate import MIN_GROUPS_INTERVAL, Estimate, Reason

Z_POWER_80 = 2.8015852
"""1.9600 + 0.8416: two-sided 5 %, power 80 %."""


def labels_for_width(now: Estimate, width: float) -> LabelsNeeded:
    """Labels for a 95 % interval of ``width``, from the interval at hand.

    The width shrinks with the root of the number of families, so more families
    help where more transcripts of the same ones may not.
    """
    goal = f"an interval {width:g} wide"
    have = {"have_items": now.n_items, "have_groups": now.n_groups}
    if width <= 0:
        return LabelsNeeded(goal=goal, **have, reason="A width must be above 0.")
    if now.interval is None:
        why = now.interval_reason.sentence if now.interval_reason else ""
        return LabelsNeeded(
            goal=goal,
            **have,
            reason=f"There is no interval yet to start from. {why}".strip(),
        )
    factor = (now.interval.width / width) ** 2
    return _needed(goal, now.n_items, now.n_groups, factor)


def detectable_gain(
    old: Vector,
    new: Vector,
    human: Vector,
    groups: Codes,
    *,
    scale: tuple[float, ...] = SCALE,
    resampling: Resampling = DEFAULT,
) -> Estimate:
    """Smallest gain in quadratic kappa that these labels would show.

    With power 80 % at a two-sided 5 %: 2.80 times the standard error of the
    paired difference. ``details`` hold the difference and its error.

    Args:
        old: (items,) scores of the judge in use.
        new: (items,) scores of the other one.
        human: (items,) the reference.
        groups: (items,) scenario families.
        scale: the full scale.
        resampling: for the standard error.
    """
    recipe = "smallest gain in quadratic kappa seen with 80% power at 5%: 2.80 SE"
    shared = ~(np.isnan(old) | np.isnan(new) | np.isnan(human))
    truth = np.where(shared, human, np.nan)
    gap = difference(
        cohen_kappa(new, truth, scale=scale),
        cohen_kappa(old, truth, scale=scale),
        "quadratic kappa of the new judge less that of the old",
    )
    out = estimate(gap, groups, resampling)
    if out.interval is None:
        reason = out.interval_reason or Reason.NO_VARIANCE
        return Estimate(
            reason=reason,
            interval_reason=reason,
            n_items=out.n_items,
            n_groups=out.n_groups,
            n_pairs=out.n_pairs,
            recipe=recipe,
        )
    tail = (1 + out.interval.level) / 2
    error = out.interval.width / (2 * t_quantile(tail, out.n_groups - 1))
    return Estimate(
        value=Z_POWER_80 * error,
        interval_reason=Reason.NOT_APPLICABLE,
        warnings=out.warnings,
        n_items=out.n_items,
        n_groups=out.n_groups,
        n_pairs=out.n_pairs,
        recipe=recipe,
        details={"difference": out.value or 0.0, "standard_error": error},
    )


def labels_for_gain(detectable: Estimate, gain: float) -> LabelsNeeded:
    """Labels that would show a gain of this size, from ``detectable_gain``."""
    goal = f"a gain of {gain:g} in quadratic kappa shown with 80% power"
    have = {"have_items": detectable.n_items, "have_groups": detectable.n_groups}
    if gain <= 0:
        return LabelsNeeded(goal=goal, **have, reason="A gain must be above 0.")
    if detectable.value is None:
        why = detectable.reason.sentence if detectable.reason else ""
        return LabelsNeeded(
            goal=goal, **have, reason=f"No standard error to start from. {why}".strip()
        )
    factor = (detectable.value / gain) ** 2
    return _needed(goal, detectable.n_items, detectable.n_groups, factor)


def expected_detectable_gain(
    old: Vector,
    new: Vector,
    *,
    agreement: float,
    items: int,
    human: Vector | None = None,
    sets: int = 1500,
    seed: int = DEFAULT.seed,
) -> Estimate:
    """The detectable gain before anybody has labelled anything.

    Simulates people, the old and the new judge as correlated normals cut into
    scores: the two judges' agreement and score shares are those observed, the
    judges' agreement with people is assumed.

    Args:
        old: (n,) scores of the judge in use.
        new: (n,) scores of the other one on the same transcripts.
        agreement: assumed correlation of either judge with a person, 0 to 1.
        items: labelled items, taken as independent (one per family).
        human: scores whose shares the people's shall have; the old judge's
            if absent.
        sets: simulated studies.
        seed: fixes them.
    """
    recipe = (
        f"80% power at 5%, simulated: {items} independent items, judge and person"
        f" correlated {agreement:g}, {sets} studies, seed {seed}"
    )
    shared = ~(np.isnan(old) | np.isnan(new))
    x, y = old[shared], new[shared]
    reason = None
    if len(x) < MIN_GROUPS_INTERVAL or items < MIN_GROUPS_INTERVAL:
        reason = Reason.TOO_FEW_ITEMS
    elif np.ptp(x) == 0 or np.ptp(y) == 0:
        reason = Reason.CONSTANT_RATER
    elif bool((x == y).all()):
        reason = Reason.IDENTICAL_SCORES
    if reason is not None:
        return Estimate(
            reason=reason, interval_reason=reason, n_items=len(x), recipe=recipe
        )
    people = x if human is None else human[~np.isnan(human)]
    shares = [np.sort(v) for v in (people, x, y)]
    # Judges that agree this well with a person cannot agree less with each other.
    between = max(_latent_correlation(x, y), 2 * agreement**2 - 1 + 1e-6)
    covariance = np.array(
        [[1, agreement, agreement], [agreement, 1, between], [agreement, between, 1]]
    )
    rng = np.random.default_rng(seed)
    deltas = np.empty(sets)
    for index in range(sets):
        z = rng.multivariate_normal(np.zeros(3), covariance, size=items, method="eigh")
        scores = [_scores(z[:, k], s) for k, s in enumerate(shares)]
        deltas[index] = _qwk(scores[2], scores[0]) - _qwk(scores[1], scores[0])
    error = float(np.nanstd(deltas, ddof=1))
    return Estimate(
        value=Z_POWER_80 * error,
        interval_reason=Reason.NOT_APPLICABLE,
        n_items=len(x),
        n_groups=len(x),
        n_pairs=len(x),
        recipe=recipe,
        details={"standard_error": error, "judge_correlation": float(between)},
    )


def _needed(goal: str, items: int, groups: int, factor: float) -> LabelsNeeded:
    need_groups = max(MIN_GROUPS_INTERVAL, math.ceil(groups * factor - 1e-9))
    return LabelsNeeded(
        goal=goal,
        have_items=items,
        have_groups=groups,
        need_items=math.ceil(need_groups * items / groups - 1e-9),
        need_groups=need_groups,
    )


def _latent_correlation(x: Vector, y: Vector) -> float:
    """Correlation of normal scores of mid-ranks."""
    a, b = (normal_quantile((mid_ranks(v) - 0.5) / len(v)) for v in (x, y))
    return float(np.clip(np.corrcoef(a, b)[0, 1], -0.999, 0.999))


def _scores(z: Vector, shares: Vector) -> Vector:
    """Normal values as scores with the shares of the sorted sample."""
    index = np.minimum(
        (normal_below(z) * len(shares)).astype(np.int64), len(shares) - 1
    )
    return np.asarray(shares[index])


def _qwk(a: Vector, b: Vector) -> float:
    apart = ((a - b) ** 2).mean()
    chance = a.var() + b.var() + (a.mean() - b.mean()) ** 2
    return float(1 - apart / chance) if chance > 0 else math.nan
