"""The alternative annotator test: counts, families, power, false discoveries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from geode_tui.calibration.alt_test import (
    EPSILON,
    Wins,
    alt_test,
    alt_test_of_counts,
    benjamini_yekutieli,
)
from geode_tui.calibration.ratings import Ratings
from geode_tui.calibration.resampling import Resampling
from geode_tui.domain.estimate import Caution, Reason

QUICK = Resampling(resamples=300)


def study(items: int, *, judge_noise: float = 0.65, seed: int = 0) -> tuple[Any, Any]:
    """Three people and a judge; people err with 0.65."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(items, 1))
    noise = np.array([0.65, 0.65, 0.65, judge_noise])
    values = np.clip(
        np.round(5.5 + 2.5 * (truth + noise * rng.normal(size=(items, 4)))), 1, 10
    )
    return values[:, :3], values[:, 3]


def test_false_discoveries_follow_benjamini_and_yekutieli() -> None:
    p = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216]
    assert benjamini_yekutieli(p).tolist() == [True] + [False] * 9
    # A later p that passes its bound takes the earlier ones along.
    assert benjamini_yekutieli([0.02, 0.021, 0.02]).all()
    both = benjamini_yekutieli(np.array([p[:2], p[8:]]))
    assert both.tolist() == [[True, True], [False, False]]
    assert benjamini_yekutieli([]).tolist() == []


def test_published_counts_give_the_published_rate() -> None:
    # MT-Bench, GPT-4o, as printed with the method: 0 of 3 at epsilon 0.2; rho 0.77.
    counts = [Wins("a", 14, 17, 43), Wins("b", 9, 16, 59), Wins("c", 8, 23, 57)]
    out = alt_test_of_counts(counts, epsilon=0.2)
    assert out.winning_rate.value == 0
    assert out.advantage.value == pytest.approx(0.77281, abs=1e-5)
    assert [a.p for a in out.annotators] == pytest.approx(
        [0.0191824, 0.0260030, 0.3145420], abs=1e-6
    )


def test_a_judge_as_good_as_people_passes_with_enough_items_and_a_bad_one_never() -> (
    None
):
    people, judge = study(400)
    good = alt_test(Ratings.of(people), judge, resampling=QUICK)
    assert good.passed
    assert good.epsilon == EPSILON
    assert good.advantage.low is not None
    assert good.advantage.low > 0.5
    people, judge = study(400, judge_noise=3.0)
    bad = alt_test(Ratings.of(people), judge, resampling=QUICK)
    assert bad.winning_rate.value == 0
    assert bad.advantage.value is not None
    assert good.advantage.value is not None
    assert bad.advantage.value < good.advantage.value


def test_the_power_stated_is_the_share_of_such_studies_that_pass() -> None:
    stated, passed = [], []
    for seed in range(60):
        people, judge = study(100, seed=seed)
        out = alt_test(Ratings.of(people), judge, epsilon=0.2, resampling=QUICK)
        stated.append(out.power)
        passed.append(out.passed)
    # 60 studies: a standard error of about 6 points.
    assert np.mean(stated) == pytest.approx(np.mean(passed), abs=0.2)
    small = alt_test(*_few(), resampling=QUICK)
    assert small.power is not None
    assert small.power < 0.3
    assert Caution.LOW_POWER in small.winning_rate.warnings
    assert any("would pass in" in note for note in small.winning_rate.notes)


def _few() -> tuple[Ratings, Any]:
    people, judge = study(40)
    return Ratings.of(people), judge


def test_annotators_with_few_items_are_named_and_left_out() -> None:
    people, judge = study(60)
    people[29:, 2] = np.nan
    out = alt_test(Ratings.of(people, raters=["ada", "ben", "cy"]), judge)
    assert [a.p is None for a in out.annotators] == [False, False, True]
    note = "Left out for fewer than 30 shared items: cy (29)."
    assert note in out.winning_rate.notes
    none = alt_test(Ratings.of(people[:20]), judge[:20])
    assert none.winning_rate.reason is Reason.TOO_FEW_ITEMS_PER_ANNOTATOR
    assert none.advantage.reason is Reason.TOO_FEW_ITEMS_PER_ANNOTATOR
    assert none.power is None
    assert not none.passed


def test_families_count_once_each() -> None:
    people, judge = study(60)
    single = alt_test(Ratings.of(people), judge, resampling=QUICK)
    # Five copies of every item in one family are no more evidence than one.
    groups = list(range(60)) * 5
    copied = Ratings.of(np.tile(people, (5, 1)), groups=groups)
    five = alt_test(copied, np.tile(judge, 5), resampling=QUICK)
    assert [a.p for a in five.annotators] == pytest.approx(
        [a.p for a in single.annotators]
    )
    assert five.power == single.power
    assert five.annotators[0].n == 300
    assert five.annotators[0].groups == 60


def test_exact_matches_can_be_the_measure_of_closeness() -> None:
    people = np.array([[1, 1, 1]] * 40, dtype=float)
    judge = np.array([1.0] * 20 + [9.0] * 20)
    out = alt_test(Ratings.of(people), judge, closeness="match", resampling=QUICK)
    assert out.annotators[0].human_better == 20
    assert out.annotators[0].ties == 20
    assert out.advantage.value == 0.5
