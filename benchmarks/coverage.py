"""How often the intervals hold the truth: ``python benchmarks/coverage.py``.

Simulates raters whose true agreement is known exactly and counts how many 95 %
intervals contain it, for several ways of making an interval from the same
resamples. Seeded; minutes. ``--sets N`` data sets per row, ``--quick`` for a
look.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import multivariate_normal

from geode_tui.calibration.alpha import krippendorff_alpha
from geode_tui.calibration.pairs import cohen_kappa
from geode_tui.calibration.ratings import Ratings
from geode_tui.calibration.resampling import Resampling, estimate, resampled
from geode_tui.calibration.statistic import Statistic

Floats = NDArray[np.float64]

SHARES = {
    "spread": [0.16, 0.12, 0.10, 0.10, 0.10, 0.10, 0.10, 0.08, 0.07, 0.07],
    "half at 1": [0.50, 0.12, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.03, 0.02],
}
DESIGNS = [(100, 1), (40, 5), (20, 5), (10, 10), (30, 1)]
WITHIN = 0.5
"""Correlation of true scores, and of each rater's errors, within a family."""
GAP = 0.1
"""Share of missing ratings in the alpha rows."""
METHODS = ("percentile", "BCa", "t", "t on z", "jackknife t on z", "studentised z")


def latent(rng: np.random.Generator, families: int, size: int) -> Floats:
    """Standard normal values, alike within families, (families * size,)."""
    shared = np.repeat(rng.standard_normal(families), size)
    own = rng.standard_normal(families * size)
    return np.sqrt(WITHIN) * shared + np.sqrt(1 - WITHIN) * own


def simulate(
    rng: np.random.Generator, families: int, size: int, cuts: list[Floats], rel: float
) -> Floats:
    """Scores 1 to 10, (items, raters); any two raters' latents correlate ``rel``."""
    truth = latent(rng, families, size)
    return np.column_stack(
        [
            1
            + np.searchsorted(
                c,
                np.sqrt(rel) * truth + np.sqrt(1 - rel) * latent(rng, families, size),
            )
            for c in cuts
        ]
    ).astype(float)


def cells(cuts: tuple[Floats, Floats], rel: float) -> Floats:
    """The true table of score pairs of two raters, (10, 10)."""
    edges = [np.concatenate([[-9.0], c, [9.0]]) for c in cuts]
    grid = np.stack(np.meshgrid(*edges, indexing="ij"), axis=-1)
    below = multivariate_normal([0, 0], [[1, rel], [rel, 1]]).cdf(grid)
    return np.diff(np.diff(below, axis=0), axis=1)


def true_qwk(table: Floats) -> float:
    step = (np.arange(10)[:, None] - np.arange(10)) ** 2
    by_chance = np.outer(table.sum(axis=1), table.sum(axis=0))
    return float(1 - (table * step).sum() / (by_chance * step).sum())


def true_alpha(table: Floats) -> float:
    """Ordinal alpha of raters with one set of cuts, as the sample grows."""
    margin = table.sum(axis=0)
    rank = np.cumsum(margin) - margin / 2
    step = (rank[:, None] - rank) ** 2
    return float(1 - (table * step).sum() / (np.outer(margin, margin) * step).sum())


def candidates(
    statistic: Statistic, groups: NDArray[np.int64], resampling: Resampling
) -> Iterator[tuple[str, float, float]]:
    """The ends of a 95 % interval by each of ``METHODS``."""
    families = int(groups.max()) + 1
    sums = np.zeros((families, statistic.sums.shape[1]))
    np.add.at(sums, groups, statistic.sums)
    total = sums.sum(axis=0)
    value = float(statistic.formula(total[None])[0])
    drawn = resampled(statistic, groups, resampling)
    drawn = drawn[np.isfinite(drawn)]
    yield ("percentile", *np.quantile(drawn, [0.025, 0.975]))

    left_out = statistic.formula(total - sums)
    pull = left_out.mean() - left_out
    skew = (pull**3).sum() / (6 * (pull**2).sum() ** 1.5)
    middle = ndtri(np.clip((drawn < value).mean(), 1e-4, 1 - 1e-4))
    tails = middle + ndtri([0.025, 0.975])
    yield ("BCa", *np.quantile(drawn, ndtr(middle + tails / (1 - skew * tails))))

    t = stdtrit(families - 1, 0.975)
    error = drawn.std(ddof=1) * np.sqrt(families / (families - 1))
    yield "t", value - t * error, value + t * error
    z, slope = np.arctanh(value), 1 / (1 - value**2)
    yield "t on z", np.tanh(z - t * error * slope), np.tanh(z + t * error * slope)
    jack = np.sqrt((families - 1) / families * (pull**2).sum())
    yield (
        "jackknife t on z",
        np.tanh(z - t * jack * slope),
        np.tanh(z + t * jack * slope),
    )
    yield ("studentised z", *studentised(statistic, sums, value, jack, resampling))


def studentised(
    statistic: Statistic, sums: Floats, value: float, jack: float, how: Resampling
) -> tuple[float, float]:
    """Bootstrap-t on Fisher's z with linearised errors in every resample."""
    families, width = sums.shape
    rng = np.random.default_rng(how.seed)
    weights = rng.multinomial(families, np.full(families, 1 / families), how.resamples)
    totals = weights @ sums
    values = statistic.formula(totals)
    gradient = np.empty_like(totals)
    for column in range(width):
        step = np.zeros(width)
        step[column] = 1e-4
        up, down = statistic.formula(totals + step), statistic.formula(totals - step)
        gradient[:, column] = (up - down) / 2e-4
    influence = gradient @ sums.T
    influence -= (weights * influence).sum(axis=1, keepdims=True) / families
    error = np.sqrt((weights * influence**2).sum(axis=1)) / (1 - values**2)
    z = np.arctanh(value)
    pivots = (np.arctanh(values) - z) / error
    low, high = np.quantile(pivots[np.isfinite(pivots)], [0.025, 0.975])
    scale = jack / (1 - value**2)
    return float(np.tanh(z - high * scale)), float(np.tanh(z - low * scale))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    sets = 100 if options.quick else options.sets
    print(f"{sets} data sets a row; coverage of 95 % intervals in %, mean width")
    print(f"{'':44s}" + "".join(f"{m:>18s}" for m in (*METHODS, "shipped")))
    for figure in ("qwk", "alpha ordinal"):
        for shape, shares in SHARES.items():
            for rel in (0.6, 0.85):
                for families, size in DESIGNS:
                    row(figure, shape, shares, rel, families, size, sets, options)


def row(
    figure: str,
    shape: str,
    shares: list[float],
    rel: float,
    families: int,
    size: int,
    sets: int,
    options: argparse.Namespace,
) -> None:
    rng = np.random.default_rng([families, size, int(rel * 100), len(figure)])
    cuts = ndtri(np.cumsum(shares)[:-1])
    raters = [cuts, cuts - 0.3] if figure == "qwk" else [cuts] * 3
    table = cells((raters[0], raters[1]), rel)
    truth = true_qwk(table) if figure == "qwk" else true_alpha(table)
    groups = np.repeat(np.arange(families), size)
    hits: dict[str, list[bool]] = {m: [] for m in (*METHODS, "shipped")}
    widths: dict[str, list[float]] = {m: [] for m in hits}
    started = time.perf_counter()
    for index in range(sets):
        scores = simulate(rng, families, size, raters, rel)
        how = Resampling(resamples=options.resamples, seed=index)
        if figure == "qwk":
            statistic = cohen_kappa(scores[:, 0], scores[:, 1])
        else:
            scores[rng.random(scores.shape) < GAP] = np.nan
            statistic = krippendorff_alpha(Ratings.of(scores))
        if statistic.reason is not None or statistic.no_interval is not None:
            continue
        for method, low, high in candidates(statistic, groups, how):
            hits[method].append(low <= truth <= high)
            widths[method].append(high - low)
        shipped = estimate(statistic, groups, how).interval
        if shipped is not None:
            hits["shipped"].append(shipped.low <= truth <= shipped.high)
            widths["shipped"].append(shipped.width)
    print(
        f"{figure:14s}{shape:10s}{truth:6.3f}{families:5d} x{size:3d}"
        f"{time.perf_counter() - started:7.0f} s "
        + "".join(
            f"{100 * np.mean(hits[m]):11.1f} ({np.mean(widths[m]):.2f})" for m in hits
        ),
        flush=True,
    )


if __name__ == "__main__":
    main()
