"""Our figures against other people's code on 1,000 random tables with gaps.

scikit-learn and scipy are always at hand; the others are compared where they
are installed. Their known faults, which these tests step round or pin down:

- sklearn ``cohen_kappa_score``: without ``labels`` weights use the index of
  the scores seen; refuses NaN; two constant raters give 0.0 or NaN.
- sklearn ``matthews_corrcoef``: 0.0 for a label that one side never uses.
- scipy ``spearmanr``/``kendalltau``: NaN for a constant rater, +-1 for n = 2.
- krippendorff: raises, or gives NaN, where the pairable scores do not vary;
  with single items it gives a number that means nothing.
- statsmodels ``fleiss_kappa``: equal numbers of raters only; NaN without
  variance.
- nltk ``masi_distance``: divides by zero for two empty sets, and its alpha
  gives 1 where nothing varies.
- pingouin ``intraclass_corr``: complete data only; refuses fewer than five
  ratings; NaN where nothing varies, -inf where item means do not.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from geode_tui.calibration.alpha import krippendorff_alpha
from geode_tui.calibration.chance import fleiss_kappa
from geode_tui.calibration.icc import icc
from geode_tui.calibration.labels import label_figures, masi_distance, set_alpha
from geode_tui.calibration.pairs import cohen_kappa, lin_ccc
from geode_tui.calibration.ranks import kendall_tau_b, spearman
from geode_tui.calibration.ratings import SCALE, Ratings
from geode_tui.calibration.resampling import point
from geode_tui.domain.estimate import Reason

TABLES = 1000
NEAR = 1e-9


def tables(count: int = TABLES) -> Iterator[np.ndarray[Any, Any]]:
    """(items, raters) scores 1 to 10 with gaps: spread, skewed, sparse, constant."""
    rng = np.random.default_rng(20_261_201)
    for index in range(count):
        items, raters = int(rng.integers(3, 60)), int(rng.integers(2, 6))
        noise = rng.choice([0.2, 0.6, 1.5])
        latent = rng.normal(size=(items, 1)) + noise * rng.normal(size=(items, raters))
        scores = np.round(5.5 + rng.choice([0.4, 1.5, 3.0]) * latent)
        if index % 3 == 0:
            scores = np.round(np.exp(latent))
        scores = np.clip(scores, 1, 10)
        if index % 17 == 0:
            scores[:, 0] = 4
        scores[rng.random(scores.shape) < rng.choice([0.0, 0.1, 0.5])] = np.nan
        yield scores


def pair_of(scores: np.ndarray[Any, Any]) -> Any:
    used = ~np.isnan(scores[:, :2]).any(axis=1)
    return scores[:, 0], scores[:, 1], used


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohen_kappa_is_sklearns_on_the_full_scale(weights: Any) -> None:
    from sklearn.metrics import cohen_kappa_score

    compared = 0
    for scores in tables():
        a, b, used = pair_of(scores)
        ours = cohen_kappa(a, b, weights=weights)
        if ours.reason is Reason.CONSTANT_RATER:
            x, y = a[used].astype(int), b[used].astype(int)
            assert cohen_kappa_score(x, y, labels=SCALE, weights=weights) == (
                pytest.approx(ours.details["formula_value"], abs=NEAR)
            )
        if ours.reason is not None:
            continue
        x, y = a[used].astype(int), b[used].astype(int)
        oracle = cohen_kappa_score(x, y, labels=SCALE, weights=weights)
        assert point(ours) == pytest.approx(oracle, abs=NEAR)
        compared += 1
    assert compared > 0.75 * TABLES


def test_rank_figures_are_scipys() -> None:
    from scipy.stats import kendalltau, spearmanr

    compared = 0
    for scores in tables():
        a, b, used = pair_of(scores)
        rho, tau = spearman(a, b), kendall_tau_b(a, b)
        assert rho.reason == tau.reason
        if rho.reason is not None:
            continue
        assert point(rho) == pytest.approx(spearmanr(a[used], b[used])[0], abs=NEAR)
        assert point(tau) == pytest.approx(kendalltau(a[used], b[used])[0], abs=NEAR)
        compared += 1
    assert compared > 0.75 * TABLES


def test_label_figures_are_sklearns() -> None:
    from sklearn.metrics import (
        cohen_kappa_score,
        f1_score,
        matthews_corrcoef,
        precision_score,
        recall_score,
    )

    rng = np.random.default_rng(5)
    oracles = {
        "precision": precision_score,
        "recall": recall_score,
        "f1": f1_score,
        "mcc": matthews_corrcoef,
        "kappa": cohen_kappa_score,
    }
    compared = 0
    for _ in range(TABLES // 4):
        n = int(rng.integers(3, 40))
        rate = rng.choice([0.05, 0.3, 0.7])
        truth = rng.random(n) < rate
        given = np.where(rng.random(n) < 0.8, truth, rng.random(n) < rate)
        for name, figure in label_figures(truth.tolist(), given.tolist()).items():
            if figure.reason is None:
                oracle = oracles[name](truth, given)
                assert point(figure) == pytest.approx(oracle, abs=NEAR)
                compared += 1
            elif name == "mcc" and truth.any() != given.any():
                # sklearn calls it 0, silently.
                assert matthews_corrcoef(truth, given) == 0
    assert compared > TABLES // 2


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_is_krippendorffs(level: Any) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    compared = 0
    for scores in tables():
        ours = krippendorff_alpha(Ratings.of(scores), level=level)
        if ours.reason is not None:
            continue
        oracle = krippendorff.alpha(
            reliability_data=scores.T, level_of_measurement=level
        )
        assert point(ours) == pytest.approx(oracle, abs=NEAR)
        compared += 1
    assert compared > 0.8 * TABLES


def test_where_krippendorff_fails_we_give_a_reason() -> None:
    krippendorff = pytest.importorskip("krippendorff")
    same = np.full((5, 2), 3.0)
    with pytest.raises(ValueError, match="more than one value"):
        krippendorff.alpha(reliability_data=same.T, level_of_measurement="ordinal")
    assert krippendorff_alpha(Ratings.of(same)).reason is Reason.NO_VARIANCE


def test_fleiss_kappa_is_statsmodels_without_gaps() -> None:
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    compared = 0
    for scores in tables():
        full = scores[~np.isnan(scores).any(axis=1)]
        ours = fleiss_kappa(Ratings.of(full))
        if ours.reason is not None:
            continue
        counts = (full[:, :, None] == np.array(SCALE)).sum(axis=1)
        assert point(ours) == pytest.approx(rater.fleiss_kappa(counts), abs=NEAR)
        compared += 1
    assert compared > 0.6 * TABLES


def test_set_alpha_is_nltks() -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    distance = pytest.importorskip("nltk.metrics.distance")
    rng = np.random.default_rng(11)
    names = np.array(["a", "b", "c", "d"])
    compared = 0
    for _ in range(TABLES // 4):
        n = int(rng.integers(3, 15))
        raters = [
            [frozenset(names[rng.random(4) < 0.4]) for _ in range(n)] for _ in range(2)
        ]

        def theirs(x: Any, y: Any) -> float:
            return 0.0 if not x and not y else distance.masi_distance(x, y)

        ours = set_alpha(raters)
        data = [
            (f"r{r}", f"i{i}", labels)
            for r, of in enumerate(raters)
            for i, labels in enumerate(of)
        ]
        task = agreement.AnnotationTask(data=data, distance=theirs)
        if ours.reason is not None:
            continue
        assert point(ours) == pytest.approx(task.alpha(), abs=NEAR)
        compared += 1
    assert compared > TABLES // 5
    with pytest.raises(ZeroDivisionError):
        distance.masi_distance(frozenset(), frozenset())
    assert masi_distance(frozenset(), frozenset()) == 0


@pytest.mark.parametrize(
    ("form", "row"),
    [
        ("1,1", "ICC(1,1)"),
        ("2,1", "ICC(A,1)"),
        ("3,1", "ICC(C,1)"),
        ("1,k", "ICC(1,k)"),
        ("2,k", "ICC(A,k)"),
        ("3,k", "ICC(C,k)"),
    ],
)
def test_icc_is_pingouins_on_complete_items(form: Any, row: str) -> None:
    pingouin = pytest.importorskip("pingouin")
    pandas = pytest.importorskip("pandas")
    compared = 0
    for scores in tables(100):
        ours = icc(Ratings.of(scores), form=form)
        full = scores[~np.isnan(scores).any(axis=1)]
        if ours.reason is not None or ours.no_interval or full.size < 5:
            continue
        frame = pandas.DataFrame(full).melt(
            ignore_index=False, var_name="rater", value_name="score"
        )
        frame = frame.reset_index(names="item")
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            theirs = pingouin.intraclass_corr(
                data=frame, targets="item", raters="rater", ratings="score"
            ).set_index("Type")["ICC"]
        if point(ours) is None:
            assert not np.isfinite(theirs[row])
            continue
        assert point(ours) == pytest.approx(theirs[row], abs=NEAR)
        compared += 1
    assert compared > 60


def test_quadratic_kappa_is_lins_ccc() -> None:
    for scores in tables():
        a, b, _ = pair_of(scores)
        ours, other = cohen_kappa(a, b), lin_ccc(a, b)
        assert ours.reason == other.reason
        # The table form is a road of its own to the same number.
        cost = (np.array(SCALE)[:, None] - np.array(SCALE)) ** 2.0
        table = cohen_kappa(a, b, weights=cost)
        if ours.reason is None:
            assert point(ours) == pytest.approx(point(other), abs=1e-12)
            assert point(ours) == pytest.approx(point(table), abs=1e-12)
