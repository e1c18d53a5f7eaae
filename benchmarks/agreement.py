"""What intervals cost: ``python benchmarks/agreement.py``.

Each pair of rows times the same 2,000 resamples twice, alternating: once with
a loop over a library's function, once here. The goals are 200 times for
quadratic kappa against scikit-learn, and 40 times for alpha of two raters
against krippendorff (skipped where that package is absent). Then the whole
report: 5,000 items by 4 raters in 500 families, 10,000 resamples, and ten times
the data. Set OPENBLAS_NUM_THREADS=1 and leave the machine alone for figures
that mean something.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geode_tui.calibration.alpha import krippendorff_alpha
from geode_tui.calibration.pairs import cohen_kappa
from geode_tui.calibration.ratings import SCALE, Ratings
from geode_tui.calibration.report import agreement
from geode_tui.calibration.resampling import Resampling, estimate, resampled

Floats = NDArray[np.float64]

RESAMPLES = 2000
ROUNDS = 7


def scores(items: int, raters: int, seed: int, gaps: float = 0.0) -> Floats:
    """(items, raters) scores of 1 to 10 that agree moderately."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(items, 1)) + 0.6 * rng.normal(size=(items, raters))
    values = np.clip(np.round(5.5 + 2.3 * latent), 1, 10)
    values[rng.random(values.shape) < gaps] = np.nan
    return values


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    out = work()
    return time.perf_counter() - started, out


def compare(
    name: str, goal: float, loop: Callable[[], Floats], ours: Callable[[], Floats]
) -> None:
    """Time both in turn; print the best of ``ROUNDS``, the ratio, both spreads."""
    ours()
    slow, fast = [], []
    for _ in range(ROUNDS):
        took, theirs = seconds(loop)
        slow.append(took)
        took, mine = seconds(ours)
        fast.append(took)
    wanted = f" (goal {goal:.0f}x)" if goal else ""
    print(
        f"{name:38s} loop {min(slow):7.3f} s  here {min(fast) * 1000:7.1f} ms"
        f"  {min(slow) / min(fast):5.0f}x{wanted}"
        f"  spread {np.nanstd(theirs):.4f} / {np.nanstd(mine):.4f}",
        flush=True,
    )


def quadratic_kappa(n: int) -> None:
    from sklearn.metrics import cohen_kappa_score

    a, b = scores(n, 2, seed=1).T
    x, y = a.astype(int), b.astype(int)
    groups = np.arange(n)

    def loop() -> Floats:
        rng = np.random.default_rng(0)
        out = np.empty(RESAMPLES)
        for index in range(RESAMPLES):
            pick = rng.integers(0, n, n)
            out[index] = cohen_kappa_score(
                x[pick], y[pick], labels=SCALE, weights="quadratic"
            )
        return out

    def ours() -> Floats:
        return resampled(cohen_kappa(a, b), groups, Resampling(RESAMPLES))

    compare(f"quadratic kappa, {n} items", 200, loop, ours)


def ordinal_alpha(n: int, raters: int) -> None:
    if find_spec("krippendorff") is None:
        print("krippendorff is not installed: alpha is not compared")
        return
    import krippendorff

    values = scores(n, raters, seed=2)
    groups = np.arange(n)

    def loop() -> Floats:
        rng = np.random.default_rng(0)
        out = np.empty(RESAMPLES)
        for index in range(RESAMPLES):
            out[index] = krippendorff.alpha(
                reliability_data=values[rng.integers(0, n, n)].T,
                level_of_measurement="ordinal",
                value_domain=list(SCALE),
            )
        return out

    def ours() -> Floats:
        statistic = krippendorff_alpha(Ratings.of(values))
        return resampled(statistic, groups, Resampling(RESAMPLES))

    goal = 40 if raters == 2 else 0
    compare(f"ordinal alpha, {n} items, {raters} raters", goal, loop, ours)


def whole_report() -> None:
    times = {}
    for items, families in ((5_000, 500), (50_000, 500), (50_000, 5_000)):
        ratings = Ratings.of(
            scores(items, 4, seed=3, gaps=0.1),
            groups=(np.arange(items) % families).tolist(),
        )
        took, out = seconds(lambda r=ratings: agreement(r))
        times[items, families] = took
        print(
            f"report, {items:,} items x 4 raters, {families:,} families,"
            f" 10,000 resamples: {took:.2f} s, {len(out)} figures",
            flush=True,
        )
    first = times[5_000, 500]
    print(f"ten times the items: {times[50_000, 500] / first:.1f}x the time")
    print(f"and ten times the families: {times[50_000, 5_000] / first:.1f}x the time")
    ratings = Ratings.of(scores(200, 2, seed=4))
    statistic = cohen_kappa(*ratings.values.T)
    took, _ = seconds(lambda: estimate(statistic, ratings.groups, Resampling(2000)))
    print(f"one interval on a screen, 200 items, 2,000 resamples: {took * 1000:.1f} ms")


def main() -> None:
    warnings.simplefilter("ignore")
    quadratic_kappa(200)
    quadratic_kappa(5000)
    ordinal_alpha(200, 2)
    ordinal_alpha(200, 4)
    whole_report()


if __name__ == "__main__":
    main()
