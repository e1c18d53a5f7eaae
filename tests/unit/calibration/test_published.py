"""Figures printed in the literature, small enough to stand here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from geode_tui.calibration.alpha import krippendorff_alpha
from geode_tui.calibration.chance import fleiss_kappa, gwet_ac, scott_pi
from geode_tui.calibration.icc import icc
from geode_tui.calibration.labels import jaccard_distance, masi_distance
from geode_tui.calibration.pairs import cohen_kappa, percent_exact
from geode_tui.calibration.ratings import Ratings
from geode_tui.domain.estimate import Caution, Estimate

NAN = np.nan
Of = Callable[..., Estimate]

# Krippendorff (2011): 12 units, 4 observers, gaps.
KRIPPENDORFF = [
    [1, 1, NAN, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [NAN, 5, 5, 5],
    [NAN, NAN, 1, 1],
    [NAN, 3, NAN, NAN],
]
# Shrout and Fleiss (1979): 6 targets, 4 judges.
SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]


def from_counts(table: list[list[int]]) -> Any:
    """Two raters' scores from a table of counts."""
    pairs = [
        (i + 1.0, j + 1.0)
        for i, row in enumerate(table)
        for j, count in enumerate(row)
        for _ in range(count)
    ]
    return np.array(pairs).T


@pytest.mark.parametrize(
    ("level", "printed"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorffs_own_example(of: Of, level: Any, printed: float) -> None:
    ratings = Ratings.of(KRIPPENDORFF, scale=range(1, 6))
    out = of(krippendorff_alpha(ratings, level=level))
    assert out.value == pytest.approx(printed, abs=5e-4)
    assert out.n_items == 11


@pytest.mark.parametrize(
    ("weights", "printed"),
    [
        ("identity", 0.77544),
        ("ordinal", 0.899),
        ("quadratic", 0.914),
        ("linear", 0.859),
    ],
)
def test_gwets_coefficients_with_gaps(of: Of, weights: Any, printed: float) -> None:
    ratings = Ratings.of(KRIPPENDORFF, scale=range(1, 6))
    assert of(gwet_ac(ratings, weights=weights)).value == pytest.approx(
        printed, abs=5e-4
    )


def test_fleiss_with_gaps(of: Of) -> None:
    ratings = Ratings.of(KRIPPENDORFF, scale=range(1, 6))
    assert of(fleiss_kappa(ratings)).value == pytest.approx(0.76117, abs=1e-5)


@pytest.mark.parametrize(
    ("form", "printed"),
    [
        ("1,1", 0.17),
        ("2,1", 0.29),
        ("3,1", 0.71),
        ("1,k", 0.44),
        ("2,k", 0.62),
        ("3,k", 0.91),
    ],
)
def test_shrout_and_fleiss(of: Of, form: Any, printed: float) -> None:
    out = of(icc(Ratings.of(SHROUT_FLEISS), form=form))
    assert out.value == pytest.approx(printed, abs=0.005)


def test_cohen_scott_and_gwet_on_gwets_table(of: Of) -> None:
    a, b = from_counts([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    scale = (1, 2, 3)
    both = Ratings.of(np.column_stack([a, b]), scale=scale)
    assert of(percent_exact(a, b)).value == pytest.approx(0.89)
    kappa = cohen_kappa(a, b, weights=None, scale=scale)
    assert of(kappa).value == pytest.approx(0.7964094, abs=1e-6)
    assert of(scott_pi(a, b, scale=scale)).value == pytest.approx(0.7962397, abs=1e-6)
    assert of(gwet_ac(both)).value == pytest.approx(0.8493305, abs=1e-6)
    nominal = krippendorff_alpha(both, level="nominal")
    assert of(nominal).value == pytest.approx(0.7972585, abs=1e-6)


def test_weights_reach_over_the_whole_scale_not_the_scores_seen(of: Of) -> None:
    a, b = np.array([[6, 6], [3, 1], [7, 8], [8, 5], [7, 10]], dtype=float).T
    assert of(cohen_kappa(a, b)).value == pytest.approx(0.622951, abs=1e-6)
    linear = cohen_kappa(a, b, weights="linear")
    assert of(linear).value == pytest.approx(0.366197, abs=1e-6)


def test_the_paradox_of_feinstein_and_cicchetti_is_said_aloud(of: Of) -> None:
    even, skewed = [[40, 9], [6, 45]], [[80, 10], [5, 5]]
    found = []
    for table in (even, skewed):
        a, b = from_counts(table)
        both = Ratings.of(np.column_stack([a, b]), scale=(1, 2))
        out = of(cohen_kappa(a, b, weights=None, scale=(1, 2)))
        assert of(percent_exact(a, b)).value == pytest.approx(0.85)
        found.append((out.value, of(gwet_ac(both)).value, out.warnings))
    assert found[0][0] == pytest.approx(0.70, abs=0.005)
    assert found[0][1] == pytest.approx(0.70, abs=0.005)
    assert Caution.ONE_SCORE_DOMINATES not in found[0][2]
    assert found[1][0] == pytest.approx(0.32, abs=0.005)
    assert found[1][1] == pytest.approx(0.81, abs=0.005)
    assert Caution.ONE_SCORE_DOMINATES in found[1][2]


@pytest.mark.parametrize(
    ("x", "y", "masi", "jaccard"),
    [
        ({1, 2}, {1, 2, 3, 4}, 2 / 3, 1 / 2),
        ({1, 2}, {2, 3}, 8 / 9, 2 / 3),
        ({1}, {2}, 1, 1),
        ({1}, {1}, 0, 0),
        (set(), set(), 0, 0),
        (set(), {1}, 1, 1),
    ],
)
def test_distances_of_sets(x: Any, y: Any, masi: float, jaccard: float) -> None:
    assert masi_distance(x, y) == pytest.approx(masi)
    assert jaccard_distance(x, y) == pytest.approx(jaccard)
