"""Intervals: reproducible, clustered, paired, and as wide as they should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from geode_tui.calibration.alpha import krippendorff_alpha
from geode_tui.calibration.labels import label_figures
from geode_tui.calibration.pairs import cohen_kappa, mae, percent_exact
from geode_tui.calibration.ranks import kendall_tau_b, spearman
from geode_tui.calibration.ratings import Ratings
from geode_tui.calibration.resampling import (
    Resampling,
    _patterns,
    estimate,
    estimates,
    resampled,
    weights_of,
)
from geode_tui.calibration.statistic import difference, mean_of
from geode_tui.domain.estimate import Caution, Estimate


@pytest.fixture
def scores() -> Any:
    """Judge, human and a second judge on 200 items of 40 families."""
    rng = np.random.default_rng(3)
    truth = np.repeat(rng.normal(size=40), 5) + rng.normal(size=200)
    raters = truth[:, None] + 0.6 * rng.normal(size=(200, 3))
    values = np.clip(np.round(5 + 2 * raters), 1, 10)
    return values.T, np.repeat(np.arange(40), 5)


def test_the_same_seed_gives_the_same_bytes(scores: Any) -> None:
    (a, b, _), groups = scores
    one = estimate(cohen_kappa(a, b), groups, Resampling(resamples=500))
    two = estimate(cohen_kappa(a, b), groups, Resampling(resamples=500))
    other = estimate(cohen_kappa(a, b), groups, Resampling(resamples=500, seed=1))
    assert one.model_dump_json() == two.model_dump_json()
    assert one.interval != other.interval
    assert one.interval is not None
    assert "500 resamples, seed" in one.interval.method


@pytest.mark.parametrize(("families", "patterns"), [(200, 200), (200, 7), (900, 3)])
def test_weights_draw_every_family_equally_often(families: int, patterns: int) -> None:
    counts = np.full(patterns, families // patterns)
    counts[0] += families - counts.sum()
    weights = np.vstack(
        list(weights_of(families, counts, Resampling(resamples=2500, seed=4)))
    )
    assert weights.shape == (2500, patterns)
    assert (weights.sum(axis=1) == families).all()
    assert weights.mean(axis=0) == pytest.approx(counts, rel=0.1)
    variance = counts * (1 - counts / families)
    assert weights.var(axis=0) == pytest.approx(variance, rel=0.25)


def test_resamples_are_what_a_plain_loop_over_families_gives(scores: Any) -> None:
    from scipy.stats import kendalltau, spearmanr
    from sklearn.metrics import cohen_kappa_score

    (a, b, _), groups = scores
    how = Resampling(resamples=25, seed=9)
    # Families with equal sums share one weight; let the first stand for all.
    oracles = {
        "qwk": lambda x, y: cohen_kappa_score(
            x, y, labels=range(1, 11), weights="quadratic"
        ),
        "rho": lambda x, y: spearmanr(x, y)[0],
        "tau": lambda x, y: kendalltau(x, y)[0],
    }
    figures = {"qwk": cohen_kappa(a, b), "rho": spearman(a, b)}
    figures["tau"] = kendall_tau_b(a, b)
    for name, statistic in figures.items():
        sums = np.zeros((40, statistic.sums.shape[1]))
        np.add.at(sums, groups, statistic.sums)
        patterns, counts = _patterns(sums)
        first = [int((sums == row).all(axis=1).argmax()) for row in patterns]
        drawn = resampled(statistic, groups, how)
        blocks = np.vstack(list(weights_of(40, counts, how)))
        for row, value in zip(blocks, drawn, strict=True):
            of_family = np.zeros(40)
            of_family[first] = row
            times = of_family[groups].astype(int)
            x, y = np.repeat(a, times).astype(int), np.repeat(b, times).astype(int)
            assert value == pytest.approx(oracles[name](x, y), abs=1e-9)


def test_alpha_resamples_are_alphas_of_the_resampled_items() -> None:
    rng = np.random.default_rng(8)
    values = np.clip(
        np.round(5 + rng.normal(size=(30, 1)) * 2 + rng.normal(size=(30, 3))), 1, 10
    )
    values[rng.random(values.shape) < 0.2] = np.nan
    statistic = krippendorff_alpha(Ratings.of(values))
    pick = rng.integers(0, 30, 30)
    again = krippendorff_alpha(Ratings.of(values[pick]))
    ours = statistic.formula(statistic.sums[pick].sum(axis=0, keepdims=True))[0]
    theirs = again.formula(again.sums.sum(axis=0, keepdims=True))[0]
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_families_that_resemble_each_other_widen_the_interval(scores: Any) -> None:
    (a, b, _), groups = scores
    b = np.clip(b + np.repeat(np.random.default_rng(2).integers(-2, 3, 40), 5), 1, 10)
    clustered = estimate(mae(a, b), groups).interval
    single = estimate(mae(a, b), np.arange(200)).interval
    assert clustered is not None
    assert single is not None
    assert clustered.width > 1.2 * single.width


def test_a_paired_difference_is_tighter_than_two_separate_intervals(
    scores: Any,
) -> None:
    (old, human, _), groups = scores
    new = old.copy()
    new[::20] = human[::20]
    gain = difference(cohen_kappa(new, human), cohen_kappa(old, human), "gain")
    out = estimates(
        {"gain": gain, "old": cohen_kappa(old, human)}, groups, Resampling(2000)
    )
    assert out["gain"].value > 0  # type: ignore[operator]
    assert out["gain"].interval is not None
    assert out["old"].interval is not None
    assert out["gain"].interval.width < out["old"].interval.width / 2


def test_statistics_together_are_what_they_are_alone(scores: Any) -> None:
    (a, b, c), groups = scores
    how = Resampling(resamples=300)
    together = estimates({"x": mae(a, b), "y": mae(a, c)}, groups, how)
    alone = estimate(mae(a, b), groups, how)
    assert together["x"].value == alone.value
    assert together["x"].low == pytest.approx(alone.low, abs=0.03)


def test_a_mean_leaves_out_parts_without_a_value_and_says_so(scores: Any) -> None:
    (a, b, _), groups = scores
    parts = [cohen_kappa(a, b), cohen_kappa(np.full(200, 4.0), b)]
    out = estimate(mean_of(parts, "mean"), groups, Resampling(resamples=100))
    assert out.value == estimate(parts[0], groups, Resampling(resamples=100)).value
    assert out.notes[-1] == "1 of 2 had no value and are left out."


def test_intervals_stay_where_values_can_lie(of: Callable[..., Estimate]) -> None:
    a = np.array([1.0] * 58 + [2, 9])
    b = np.array([1.0] * 59 + [10])
    exact, error, kappa = of(percent_exact(a, b)), of(mae(a, b)), of(cohen_kappa(a, b))
    assert exact.high is not None
    assert exact.high <= 1
    assert error.low is not None
    assert error.low >= 0
    assert kappa.high is not None
    assert kappa.high <= 1
    assert Caution.ONE_SCORE_DOMINATES in kappa.warnings


def test_a_perfect_recall_of_few_positives_is_not_certain(
    of: Callable[..., Estimate],
) -> None:
    truth = [True] * 12 + [False] * 48
    given = [True] * 12 + [True] * 4 + [False] * 44
    recall = of(label_figures(truth, given)["recall"])
    assert recall.value == 1
    assert recall.low is not None
    assert 0.6 < recall.low < 0.85


def test_percentile_intervals_are_there_for_comparison(scores: Any) -> None:
    (a, b, _), groups = scores
    statistic = cohen_kappa(a, b)
    how = Resampling(resamples=1000, method="percentile")
    out = estimate(statistic, groups, how)
    drawn = resampled(statistic, groups, how)
    assert out.low == pytest.approx(np.quantile(drawn, 0.025))
    assert out.interval is not None
    assert out.interval.method.startswith("percentile")


@pytest.mark.parametrize(("families", "size", "least"), [(100, 1, 0.9), (20, 5, 0.87)])
def test_intervals_cover(families: int, size: int, least: float) -> None:
    """A short run of what benchmarks/coverage.py measures at length."""
    rng = np.random.default_rng(12)
    share, hits, sets = 0.7, 0, 200
    groups = np.repeat(np.arange(families), size)
    for _ in range(sets):
        family = np.repeat(rng.beta(7, 3, families), size)
        right = rng.random(families * size) < family
        a = np.full(families * size, 2.0)
        b = np.where(right, 2.0, 5.0)
        out = estimate(percent_exact(a, b), groups, Resampling(resamples=200))
        hits += out.interval is not None and out.interval.low <= share <= (
            out.interval.high
        )
    assert least <= hits / sets <= 0.99
