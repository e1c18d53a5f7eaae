"""Intervals by a bootstrap of scenario families.

Whole families are drawn, because transcripts of one scenario resemble each
other. Percentiles of few families are too short, so the interval used is
built from the spread of the resampled values and Student's t with the number
of families less one: on Fisher's z for coefficients, as Wilson's interval
with the effective n for shares, symmetric otherwise. docs/agreement.md shows
how often each method covers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from geode_tui.calibration.distributions import t_quantile
from geode_tui.calibration.ratings import Codes, Mask, Matrix, Vector
from geode_tui.calibration.statistic import Shape, Statistic
from geode_tui.domain.estimate import (
    MIN_GROUPS_INTERVAL,
    MIN_ITEMS_INTERVAL,
    Caution,
    Estimate,
    Interval,
    Reason,
)

Method = Literal["t", "percentile"]

BLOCK = 1000
"""Resamples at a time: bounds the memory at 1000 x families."""
FEW_ITEMS = 50
FEW_GROUPS = 40
NIL = 1e-12


@dataclass(frozen=True)
class Resampling:
    """How intervals are made. The same seed gives the same bytes."""

    resamples: int = 10_000
    seed: int = 20_240_229
    level: float = 0.95
    method: Method = "t"

    @property
    def words(self) -> str:
        """The method as it is printed beside every interval."""
        name = "t-scaled" if self.method == "t" else "percentile"
        return (
            f"{name} bootstrap of scenario families,"
            f" {self.resamples:,} resamples, seed {self.seed}"
        )


DEFAULT = Resampling()


def estimate(
    statistic: Statistic, groups: Codes, resampling: Resampling = DEFAULT
) -> Estimate:
    """The value of one statistic with its interval."""
    return estimates({"it": statistic}, groups, resampling)["it"]


def estimates(
    statistics: Mapping[str, Statistic], groups: Codes, resampling: Resampling = DEFAULT
) -> dict[str, Estimate]:
    """Values and intervals of statistics of the same items.

    Statistics that rest on the same families share their resamples, which
    costs one matrix product for all of them.

    Args:
        statistics: by name; all over the same items.
        groups: (items,) code of each item's scenario family.
        resampling: number, seed, level and method.
    """
    points = {name: _point(s) for name, s in statistics.items()}
    refusals = {
        name: _refusal(s, groups, points[name]) for name, s in statistics.items()
    }
    batches: dict[bytes, list[str]] = {}
    for name, s in statistics.items():
        if refusals[name] is None:
            batches.setdefault(_families(s, groups).tobytes(), []).append(name)
    draws: dict[str, Vector] = {}
    for names in batches.values():
        draws |= _draw({name: statistics[name] for name in names}, groups, resampling)
    return {
        name: _finish(
            s, groups, points[name], refusals[name], draws.get(name), resampling
        )
        for name, s in statistics.items()
    }


def point(statistic: Statistic) -> float | None:
    """The value alone; None where it is undefined."""
    value = _point(statistic)
    return None if np.isnan(value) else value


def resampled(
    statistic: Statistic, groups: Codes, resampling: Resampling = DEFAULT
) -> Vector:
    """The (resamples,) values themselves, NaN where a resample has none."""
    return _draw({"it": statistic}, groups, resampling)["it"]


def weights_of(
    families: int, counts: Codes, resampling: Resampling
) -> Iterator[Matrix]:
    """Blocks of (b, patterns) weights: how often each pattern is drawn.

    Args:
        families: how many are drawn per resample.
        counts: (patterns,) families that share a pattern; they sum to
            ``families``.
        resampling: number and seed.
    """
    rng = np.random.default_rng(resampling.seed)
    patterns = len(counts)
    owner = np.repeat(np.arange(patterns), counts)
    left = resampling.resamples
    while left > 0:
        size = min(BLOCK, left)
        left -= size
        if families > 8 * patterns:
            drawn = rng.multinomial(families, counts / families, size=size)
        else:
            index = rng.integers(0, families, size=(size, families), dtype=np.int32)
            cell = owner[index]
            cell += np.arange(size)[:, None] * patterns
            drawn = np.bincount(cell.ravel(), minlength=size * patterns)
        yield drawn.reshape(size, patterns).astype(np.float64)


def _point(s: Statistic) -> float:
    if s.reason is not None:
        return float("nan")
    with np.errstate(all="ignore"):
        value = float(s.formula(s.sums.sum(axis=0, keepdims=True))[0])
    return value if np.isfinite(value) else float("nan")


def _families(s: Statistic, groups: Codes) -> Mask:
    """Which families add anything to a statistic."""
    there = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.bool_)
    there[groups[s.used | s.sums.any(axis=1)]] = True
    return there


def _refusal(s: Statistic, groups: Codes, value: float) -> Reason | None:
    """Why there is no interval, as far as it is known before resampling."""
    if s.reason is not None:
        return s.reason
    if np.isnan(value):
        return Reason.NO_VARIANCE
    if int(s.used.sum()) < MIN_ITEMS_INTERVAL:
        return Reason.TOO_FEW_ITEMS
    if len(np.unique(groups[s.used])) < MIN_GROUPS_INTERVAL:
        return Reason.TOO_FEW_GROUPS
    return s.no_interval


def _draw(
    statistics: Mapping[str, Statistic], groups: Codes, resampling: Resampling
) -> dict[str, Vector]:
    parts = list(statistics.values())
    there = np.flatnonzero(np.logical_or.reduce([_families(s, groups) for s in parts]))
    code = np.zeros(int(groups.max()) + 1, dtype=np.int64)
    code[there] = np.arange(len(there))
    # Items outside these families add zeros, so it matters not where they go.
    order = np.argsort(code[groups], kind="stable")
    starts = np.searchsorted(code[groups][order], np.arange(len(there)))
    sums = np.hstack([np.add.reduceat(s.sums[order], starts, axis=0) for s in parts])
    patterns, counts = _patterns(sums)
    edges = np.cumsum([0, *(s.sums.shape[1] for s in parts)])
    out = {name: np.empty(resampling.resamples) for name in statistics}
    done = 0
    with np.errstate(all="ignore"):
        for weights in weights_of(len(there), counts, resampling):
            totals = weights @ patterns
            for i, (name, s) in enumerate(statistics.items()):
                part = totals[:, edges[i] : edges[i + 1]]
                out[name][done : done + len(weights)] = s.formula(part)
            done += len(weights)
    return out


def _patterns(sums: Matrix) -> tuple[Matrix, Codes]:
    """The distinct rows of ``sums`` and how many families share each."""
    key = (sums * np.random.default_rng(0).random(sums.shape[1])).sum(axis=1)
    _, first, inverse, counts = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) == len(sums) or not np.array_equal(sums[first][inverse], sums):
        return sums, np.ones(len(sums), dtype=np.int64)
    return sums[first], counts


def _finish(
    s: Statistic,
    groups: Codes,
    value: float,
    refusal: Reason | None,
    drawn: Vector | None,
    resampling: Resampling,
) -> Estimate:
    n_items = int(s.used.sum())
    n_groups = len(np.unique(groups[s.used]))
    reason = s.reason or (Reason.NO_VARIANCE if np.isnan(value) else None)
    interval, warnings, notes = None, s.warnings, s.notes
    if drawn is not None:
        interval, refusal, extra = _interval(s, groups, value, drawn, resampling)
        notes = (*notes, *extra)
    if interval is not None:
        more, said = _shortfall(n_items, n_groups)
        warnings, notes = (*warnings, *more), (*notes, *said)
    return Estimate(
        value=None if reason else value,
        interval=interval,
        reason=reason,
        interval_reason=refusal if interval is None else None,
        warnings=tuple(dict.fromkeys(warnings)),
        notes=notes,
        n_items=n_items,
        n_groups=n_groups,
        n_pairs=s.n_pairs,
        recipe=s.recipe,
        details=s.details,
    )


def _shortfall(n_items: int, n_groups: int) -> tuple[list[Caution], list[str]]:
    warnings, notes = [], []
    if n_items < FEW_ITEMS:
        warnings.append(Caution.FEW_ITEMS)
    if n_groups < FEW_GROUPS:
        warnings.append(Caution.FEW_GROUPS)
    if warnings:
        notes.append(
            f"{n_items} items in {n_groups} scenario families: such a 95% interval"
            " has been seen to cover in 90 to 95 of 100 cases."
        )
    return warnings, notes


def _interval(
    s: Statistic, groups: Codes, value: float, drawn: Vector, resampling: Resampling
) -> tuple[Interval | None, Reason | None, list[str]]:
    finite = drawn[np.isfinite(drawn)]
    notes = []
    if len(finite) < len(drawn):
        lost = 1 - len(finite) / len(drawn)
        notes.append(f"{lost:.1%} of the resamples had no value and are left out.")
    if len(finite) < len(drawn) / 2:
        return None, Reason.NO_VARIANCE, notes
    tail = (1 - resampling.level) / 2
    if resampling.method == "percentile":
        low, high = (float(x) for x in np.quantile(finite, [tail, 1 - tail]))
    else:
        ends = _t_interval(s, groups, value, float(finite.std(ddof=1)), tail)
        if ends is None:
            return None, Reason.NO_VARIANCE, notes
        low, high = ends
    return (
        Interval(low=low, high=high, level=resampling.level, method=resampling.words),
        None,
        notes,
    )


def _t_interval(
    s: Statistic, groups: Codes, value: float, spread: float, tail: float
) -> tuple[float, float] | None:
    n = len(np.unique(groups[s.used]))
    trials = s.n_pairs
    if s.shape is Shape.SHARE and s.at_stake is not None:
        n = len(np.unique(groups[s.at_stake]))
        trials = int(s.at_stake.sum())
    if n < 2:
        return None
    t = t_quantile(1 - tail, n - 1)
    error = spread * np.sqrt(n / (n - 1))
    if s.shape is Shape.SHARE:
        return _wilson(value, error, t, n, trials)
    if error < NIL:
        return None
    if s.shape is Shape.COEFFICIENT and -1 < value < 1:
        z, half = np.arctanh(value), t * error / (1 - value**2)
        return float(np.tanh(z - half)), float(np.tanh(z + half))
    low = value - t * error
    if s.shape is Shape.SIZE:
        low = max(low, 0.0)
    return float(low), float(value + t * error)


def _wilson(
    share: float, error: float, t: float, families: int, trials: int
) -> tuple[float, float]:
    # Where nothing varies the spread is 0; each family then counts as one trial.
    n = share * (1 - share) / error**2 if error > NIL else families
    n = min(max(n, 1.0), trials)
    centre = (share + t * t / (2 * n)) / (1 + t * t / n)
    half = t * np.sqrt(share * (1 - share) / n + t * t / (4 * n * n)) / (1 + t * t / n)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))
