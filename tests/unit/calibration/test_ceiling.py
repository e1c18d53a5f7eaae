"""Ceilings: the same reference for judge and person; real repeats only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from geode_tui.calibration.ceiling import (
    Run,
    averaged_reliability,
    consensus,
    human_ceiling,
    judge_with_people,
    people_with_people,
    real_repeats,
    self_consistency,
)
from geode_tui.calibration.pairs import cohen_kappa, lin_ccc
from geode_tui.calibration.ratings import Ratings
from geode_tui.calibration.resampling import Resampling, point
from geode_tui.domain.estimate import Reason

QUICK = Resampling(resamples=300)


def raters(n: int, count: int, *, noise: float = 1.0, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(n, 1)) + noise * rng.normal(size=(n, count))
    return np.clip(np.round(5.5 + 1.6 * latent), 1, 10)


def test_a_judge_as_good_as_a_person_is_at_the_ceiling_not_above_it() -> None:
    values = raters(6000, 4)
    people, judge = Ratings.of(values[:, :3]), values[:, 3]
    out = human_ceiling(people, judge, QUICK)
    assert out.human.value == pytest.approx(out.judge.value, abs=0.02)
    # Against the mean of all people it would look better than any person.
    everyone = point(lin_ccc(judge, values[:, :3].mean(axis=1)))
    assert everyone > out.human.value + 0.01  # type: ignore[operator]
    assert [line.rater for line in out.lines] == ["r1", "r2", "r3"]


def test_person_and_judge_are_compared_on_the_same_items() -> None:
    values = raters(80, 3)
    values[:30, 0] = np.nan
    values[60:, 2] = np.nan
    out = human_ceiling(Ratings.of(values[:, :2]), values[:, 2], QUICK)
    assert {line.human.n_items for line in out.lines} == {30}
    assert {line.judge.n_items for line in out.lines} == {30}
    gap = out.lines[0].judge_less_human
    assert gap.value == pytest.approx(
        out.lines[0].judge.value - out.lines[0].human.value  # type: ignore[operator]
    )
    assert gap.interval is not None


def test_one_person_has_no_ceiling() -> None:
    values = raters(40, 2)
    out = human_ceiling(Ratings.of(values[:, :1]), values[:, 1], QUICK)
    assert out.human.value is None
    assert out.human.reason is Reason.NO_DATA
    assert people_with_people(Ratings.of(values)).reason is None


def test_the_headline_is_the_mean_over_people() -> None:
    values = raters(60, 3)
    people = Ratings.of(values[:, :2])
    parts = [point(cohen_kappa(values[:, 2], values[:, j])) for j in (0, 1)]
    assert point(judge_with_people(values[:, 2], people)) == pytest.approx(
        np.mean(parts)
    )


def test_cached_copies_are_no_repeats() -> None:
    runs = [
        Run("a", 3, "x"),
        Run("a", 3, "x"),
        Run("a", 4, "y"),
        Run("a", 5, "z", cached=True),
        Run("b", 2, "x"),
        Run("elsewhere", 9, "q"),
    ]
    matrix, used, copies = real_repeats(runs, ["a", "b", "c"])
    assert np.array_equal(
        matrix, [[3, 4], [2, np.nan], [np.nan, np.nan]], equal_nan=True
    )
    assert (used, copies) == (3, 2)


def test_a_judge_that_only_repeats_itself_has_no_self_consistency() -> None:
    people = Ratings.of(raters(40, 2))
    items = [f"t{i}" for i in range(40)]
    runs = [Run(item, 4 + i % 3, item) for i, item in enumerate(items)] * 3
    out = self_consistency(runs, items, people, QUICK)
    assert out.judge.value is None
    assert out.judge.reason is Reason.NO_OVERLAP
    assert out.ceiling.reason is Reason.NO_OVERLAP
    assert (out.repeats, out.copies) == (40, 80)


def test_the_ceiling_bounds_the_correlation_with_a_person() -> None:
    values = raters(4000, 4, noise=0.8)
    items = [str(i) for i in range(4000)]
    runs = [
        Run(item, values[i, k], f"{i} {k}")
        for i, item in enumerate(items)
        for k in (2, 3)
    ]
    people = Ratings.of(values[:, :2])
    out = self_consistency(runs, items, people, QUICK)
    assert out.ceiling.value == pytest.approx(
        np.sqrt(out.judge.value * out.human.value)  # type: ignore[operator]
    )
    seen = np.corrcoef(values[:, 0], values[:, 2])[0, 1]
    assert seen == pytest.approx(out.ceiling.value, abs=0.03)


def test_averaging_runs_raises_reliability_as_spearman_and_brown_say() -> None:
    assert averaged_reliability(0.4, 1) == 0.4
    assert averaged_reliability(0.4, 3) == pytest.approx(2 / 3)


def test_the_consensus_is_the_median_of_those_who_scored() -> None:
    people = Ratings.of([[1, 2, 9], [4, np.nan, np.nan], [np.nan] * 3])
    assert np.array_equal(consensus(people), [2, 4, np.nan], equal_nan=True)
