"""Errors, bias and paired tests of two raters; the report as a whole."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from geode_tui.calibration.paired import (
    bland_altman,
    mcnemar,
    mcnemar_chi2,
    mcnemar_of_flags,
    sign_test,
)
from geode_tui.calibration.pairs import mae, percent_exact, signed_bias, within
from geode_tui.calibration.ranges import in_band, range_distance
from geode_tui.calibration.ratings import Ratings
from geode_tui.calibration.report import agreement
from geode_tui.calibration.resampling import Resampling
from geode_tui.domain.estimate import Caution, Estimate, Reason

NAN = np.nan
Of = Callable[..., Estimate]


def test_errors_and_both_directions_of_the_bias(of: Of) -> None:
    judge = np.array([5, 5, 5, 2, NAN, 9])
    human = np.array([4, 3, 5, 6, 1, NAN])
    assert of(percent_exact(judge, human)).value == 0.25
    assert of(within(judge, human)).value == 0.5
    assert of(within(judge, human, 2)).value == 0.75
    assert of(mae(judge, human)).value == 7 / 4
    bias = of(signed_bias(judge, human))
    assert bias.value == -1 / 4
    assert bias.details == {
        "higher": 2,
        "equal": 1,
        "lower": 1,
        "mean_when_higher": 1.5,
        "mean_when_lower": -4,
    }
    assert bias.n_pairs == 4
    assert of(signed_bias(human, judge)).value == 1 / 4


def test_scores_against_the_ranges_of_a_rule(of: Of) -> None:
    scores = np.array([4, 5, 8, 1, NAN, 3])
    low = np.array([4, 4, 4, 4, 4, NAN])
    high = low + 1
    assert of(in_band(scores, low, high)).value == 0.5
    far = of(range_distance(scores, low, high))
    assert far.value == (0 + 0 + 3 + 3) / 4
    assert far.details == {"above": 1, "inside": 2, "below": 1}
    assert far.n_items == 4
    none = of(in_band(scores, np.full(6, NAN), np.full(6, NAN)))
    assert none.reason is Reason.NO_OVERLAP


def test_bland_and_altmans_limits(of: Of) -> None:
    a, b = np.array([1.0, 2, 3, 4]), np.array([2.0, 2, 2, 2])
    out = {k: of(s).value for k, s in bland_altman(a, b).items()}
    assert out["bias"] == 0.5
    assert out["sd"] == pytest.approx(np.std([-1, 0, 1, 2], ddof=1))
    assert out["upper"] == pytest.approx(0.5 + 1.959964 * out["sd"], abs=1e-6)
    assert out["lower"] == pytest.approx(0.5 - 1.959964 * out["sd"], abs=1e-6)


def test_mcnemars_exact_test() -> None:
    out = mcnemar(121, 59)
    assert out.value == pytest.approx(4.43445e-6, rel=1e-4)
    assert mcnemar_chi2(121, 59).value == pytest.approx(20.67222, abs=1e-4)
    plain = mcnemar_chi2(121, 59, correction=False)
    assert plain.value == pytest.approx(21.35556, abs=1e-4)
    none = mcnemar(0, 0, items=8)
    assert none.value == 1
    assert none.warnings == (Caution.NO_DISCORDANT_PAIRS,)
    assert mcnemar_chi2(0, 0).reason is Reason.NO_DISCORDANT_PAIRS
    flags = mcnemar_of_flags(
        [True, True, False, None], [True, False, False, True], [True, True, True, True]
    )
    assert flags.details == {"only_first": 1, "only_second": 1}
    assert flags.n_items == 3


def test_the_sign_test_counts_a_family_once() -> None:
    old = np.array([3.0, 3, 3, 3, 0, 1, NAN])
    new = np.array([1.0, 1, 1, 1, 1, 1, 1])
    single = sign_test(old, new)
    assert single.details == {"wins": 4, "ties": 1, "losses": 1}
    assert single.value == pytest.approx(0.375)
    families = sign_test(old, new, groups=np.array([0, 0, 0, 0, 1, 2, 2]))
    assert families.details == {"wins": 1, "ties": 1, "losses": 1}
    assert families.value == 1
    assert families.n_groups == 3
    same = sign_test(old, old)
    assert same.value == 1
    assert same.warnings == (Caution.IDENTICAL_SCORES,)
    gone = sign_test(np.array([NAN]), np.array([1.0]))
    assert gone.reason is Reason.NO_OVERLAP


def test_the_report_names_every_figure_with_its_recipe_and_counts() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(60, 1))
    values = np.clip(np.round(5 + 2 * truth + rng.normal(size=(60, 2))), 1, 10)
    items = [f"t{i}" for i in range(60)]
    labels = {
        "judge": {i: ["a"] if k % 3 else [] for k, i in enumerate(items)},
        "ada": {i: ["a"] if k % 2 else ["b"] for k, i in enumerate(items)},
    }
    ratings = Ratings.of(values, raters=["judge", "ada"])
    out = agreement(
        ratings, labels=labels, items=items, resampling=Resampling(resamples=200)
    )
    expected = {
        "percent_exact",
        "signed_bias",
        "cohen_kappa_quadratic",
        "krippendorff_alpha",
        "gwet_ac2",
        "icc2k",
        "bland_altman_upper",
        "masi_alpha",
        "jaccard_alpha",
        "label:a:f1",
        "label:b:kappa",
    }
    assert expected <= set(out)
    assert all(e.recipe for e in out.values())
    assert all(e.n_items == 60 for e in out.values())
    assert out["krippendorff_alpha"].value == out["krippendorff_alpha_ordinal"].value
    assert out["cohen_kappa_quadratic"].value == pytest.approx(
        out["lin_ccc"].value, abs=1e-12
    )
    # 20 items without labels by the judge, all labelled by ada: a third misses.
    recall = out["label:a:recall"]
    assert recall.details == {"tp": 20, "fp": 20, "fn": 10, "tn": 10}
    assert recall.value == pytest.approx(2 / 3)


def test_figures_of_three_raters_are_means_over_pairs() -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(1, 11, (30, 3)).astype(float)
    how = Resampling(resamples=100)
    three = agreement(Ratings.of(values), resampling=how)
    pairs = [
        agreement(Ratings.of(values[:, list(p)]), resampling=how)
        for p in ((0, 1), (0, 2), (1, 2))
    ]
    for name in ("mae", "cohen_kappa_linear", "kendall_tau_b"):
        parts = [p[name].value for p in pairs]
        assert three[name].value == pytest.approx(np.mean(parts))  # type: ignore[arg-type]
        assert three[name].n_pairs == 90
    assert "signed_bias" not in three
