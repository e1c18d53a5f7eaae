"""Correcting a judge's share and mean by people's labels."""

from __future__ import annotations

import numpy as np
import pytest

from geode_tui.calibration.correction import corrected_share, ppi_mean, rogan_gladen
from geode_tui.calibration.resampling import Resampling
from geode_tui.domain.estimate import Caution, Reason


def test_rogan_and_gladens_formula_clips_and_keeps_the_raw_value() -> None:
    out = rogan_gladen(45 / 150, 0.96, 0.89)
    assert out.value == pytest.approx(0.223529, abs=1e-6)
    assert out.warnings == ()
    low = rogan_gladen(6 / 151, 0.964, 0.927)
    assert low.value == 0
    assert low.details["raw"] == pytest.approx(-0.0373, abs=1e-3)
    assert low.warnings == (Caution.OUT_OF_RANGE,)
    chance = rogan_gladen(0.4, 0.5, 0.5)
    assert chance.value is None
    assert chance.reason is Reason.JUDGE_NOT_BETTER_THAN_CHANCE


def test_the_corrected_share_covers_the_truth_also_with_few_unlabelled() -> None:
    rng = np.random.default_rng(6)
    hits = 0
    for seed in range(60):
        truth = rng.random(150) < 0.3
        judge = np.where(truth, rng.random(150) < 0.85, rng.random(150) < 0.1)
        out = corrected_share(
            truth[:100].tolist(),
            judge[:100].tolist(),
            judge[100:].tolist(),
            resampling=Resampling(resamples=300, seed=seed),
        )
        assert out.low is not None
        assert out.high is not None
        hits += out.low <= 0.3 <= out.high
    assert hits >= 52


def test_a_corrected_share_needs_both_answers_and_enough_families() -> None:
    some = [True, False] * 20
    assert corrected_share([], [], some).reason is Reason.NO_DATA
    assert corrected_share([True] * 5, [True] * 5, some).reason is Reason.NO_VARIANCE
    never = corrected_share([False] * 5, [True] * 5, some)
    assert never.reason is Reason.NO_POSITIVE_LABELS
    few = corrected_share(some, some, some, groups=[i % 4 for i in range(40)])
    assert few.value == 0.5
    assert few.interval_reason is Reason.TOO_FEW_GROUPS


def test_prediction_powered_mean_sets_a_biased_judge_right() -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(5, 2, 1200)
    judge = truth + 0.7 + rng.normal(0, 0.7, 1200)
    out = ppi_mean(truth[:100].tolist(), judge[:100].tolist(), judge[100:].tolist())
    people = ppi_mean(
        truth[:100].tolist(), judge[:100].tolist(), judge[100:].tolist(), lam=0
    )
    assert out.low is not None
    assert out.high is not None
    assert out.low < 5 < out.high
    assert out.details["judge_mean"] > out.high
    assert out.interval is not None
    assert people.interval is not None
    assert people.value == pytest.approx(truth[:100].mean())
    assert out.interval.width < 0.6 * people.interval.width


def test_families_widen_the_prediction_powered_interval() -> None:
    rng = np.random.default_rng(4)
    family = np.repeat(rng.normal(0, 1, 20), 5)
    human = 5 + family + rng.normal(0, 0.3, 100)
    judge, rest = [5.0] * 100, [5.0, 5.5] * 100
    groups = [i // 5 for i in range(100)]
    clustered = ppi_mean(human.tolist(), judge, rest, groups=groups)
    single = ppi_mean(human.tolist(), judge, rest)
    assert clustered.value == single.value
    assert clustered.interval is not None
    assert single.interval is not None
    assert clustered.interval.width > 1.8 * single.interval.width
    assert clustered.n_groups == 20


def test_few_labels_are_said() -> None:
    out = ppi_mean([1, 2, 3], [1, 2, 3], [4, 5])
    assert out.value == 4.5
    assert out.warnings == (Caution.FEW_LABELLED,)
    assert out.interval_reason is Reason.TOO_FEW_ITEMS
