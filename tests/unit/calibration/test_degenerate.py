"""No figure without data behind it: each failing case names its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from geode_tui.calibration.labels import label_figures, set_alpha
from geode_tui.calibration.pairs import cohen_kappa, mae
from geode_tui.calibration.ratings import Ratings, drop_duplicates
from geode_tui.calibration.report import agreement
from geode_tui.calibration.resampling import Resampling
from geode_tui.domain.estimate import Caution, Estimate, Reason
from geode_tui.errors import CalibrationError

NAN = np.nan
FEW = Resampling(resamples=40)
CHANCE_CORRECTED = (
    "cohen_kappa",
    "cohen_kappa_linear",
    "cohen_kappa_quadratic",
    "lin_ccc",
    "spearman",
    "kendall_tau_b",
)
POOLED = ("krippendorff_alpha", "fleiss_kappa", "icc21", "icc3k", "scott_pi")


def report(values: Any) -> dict[str, Estimate]:
    return agreement(Ratings.of(values), resampling=FEW)


def reasons(values: Any, names: tuple[str, ...]) -> set[Reason | None]:
    out = report(values)
    return {out[name].reason for name in names}


def test_nothing_varies() -> None:
    out = report([[3, 3]] * 4)
    assert {out[n].reason for n in CHANCE_CORRECTED + POOLED} == {Reason.NO_VARIANCE}
    assert out["gwet_ac2"].value == 1
    assert out["percent_exact"].value == 1
    assert out["mae"].value == 0
    enough = report([[3, 3]] * 40)
    assert enough["gwet_ac2"].interval_reason is Reason.NO_VARIANCE


def test_a_constant_rater_has_no_kappa_but_the_formulas_zero_is_kept() -> None:
    values = [[3, 1], [3, 2], [3, 3], [3, 4]]
    out = report(values)
    assert {out[n].reason for n in CHANCE_CORRECTED} == {Reason.CONSTANT_RATER}
    assert out["cohen_kappa_quadratic"].details == {"formula_value": 0.0}
    assert out["cohen_kappa"].notes == ("The first rater gave 3 throughout.",)
    assert "formula_value" not in out["spearman"].details
    alpha = out["krippendorff_alpha_interval"]
    assert alpha.value == pytest.approx(0.0454545, abs=1e-6)
    assert Caution.CONSTANT_RATER in alpha.warnings
    assert "Rater r1 gave 3 throughout." in alpha.notes


@pytest.mark.parametrize("values", [[[4, 6]], [[4, 4]], [[2, 3], [7, 7]]])
def test_one_or_two_items_give_no_coefficient(values: Any) -> None:
    assert reasons(values, CHANCE_CORRECTED + POOLED) == {Reason.TOO_FEW_ITEMS}
    out = report(values)
    assert out["mae"].value is not None
    assert out["mae"].interval_reason is Reason.TOO_FEW_ITEMS
    assert out["bland_altman_lower"].reason is Reason.TOO_FEW_ITEMS


def test_raters_who_never_meet() -> None:
    values = [[3, NAN], [4, NAN], [NAN, 2]]
    names = ("percent_exact", "mae", "signed_bias", "gwet_ac1", *CHANCE_CORRECTED)
    assert reasons(values, names + POOLED) == {Reason.NO_OVERLAP}
    note = report(values)["mae"].notes[0]
    assert note == "One scored 2 items, the other 1; none is shared."


def test_no_ratings_at_all() -> None:
    out = report(np.full((4, 2), NAN))
    assert {e.reason for e in out.values()} == {Reason.NO_DATA}
    out = agreement(Ratings.of([], raters=["a", "b"]), resampling=FEW)
    assert {e.reason for e in out.values()} == {Reason.NO_DATA}


def test_one_rater_alone_is_no_agreement() -> None:
    out = agreement(Ratings.of([[1], [2], [3], [4]]), resampling=FEW)
    assert {e.reason for e in out.values()} == {Reason.NO_OVERLAP}


def test_variance_counts_on_pairable_ratings_only() -> None:
    out = report([[3, 3], [3, 3], [5, NAN]])
    assert out["krippendorff_alpha"].reason is Reason.NO_VARIANCE


def test_identical_scores_have_a_value_and_no_interval(
    of: Callable[..., Estimate],
) -> None:
    a = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10] * 3, dtype=float)
    out = of(cohen_kappa(a, a))
    assert out.value == 1
    assert out.interval is None
    assert out.interval_reason is Reason.IDENTICAL_SCORES
    exact = report(np.column_stack([a, a]))["percent_exact"]
    assert exact.value == 1
    assert exact.low is not None
    assert 0.8 < exact.low < 1
    assert exact.high == 1


def test_fewer_than_ten_families_have_no_interval(of: Callable[..., Estimate]) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(1, 11, 90).astype(float)
    b = np.clip(a + rng.integers(-2, 3, 90), 1, 10)
    nine = of(mae(a, b), np.arange(90) % 9)
    assert nine.interval is None
    assert nine.interval_reason is Reason.TOO_FEW_GROUPS
    assert nine.n_groups == 9
    ten = of(mae(a, b), np.arange(90) % 10)
    assert ten.interval is not None
    assert Caution.FEW_GROUPS in ten.warnings
    assert any("10 scenario families" in note for note in ten.notes)


def test_a_label_nobody_gave() -> None:
    figures = label_figures([False] * 4, [False] * 4)
    assert {f.reason for f in figures.values()} == {Reason.NO_POSITIVE_LABELS}
    one_sided = label_figures([True, False, True, False], [False] * 4)
    assert one_sided["precision"].reason is Reason.NO_POSITIVE_LABELS
    assert one_sided["recall"].reason is None
    assert one_sided["mcc"].reason is Reason.CONSTANT_RATER


def test_clean_transcripts_agree_on_the_empty_set(
    of: Callable[..., Estimate],
) -> None:
    empty: frozenset[str] = frozenset()
    clean = [empty] * 5
    assert set_alpha([clean, clean]).reason is Reason.NO_VARIANCE
    some = [empty, empty, frozenset({"a"}), frozenset({"a", "b"}), None]
    other = [empty, empty, frozenset({"a"}), frozenset({"a"}), frozenset({"c"})]
    out = of(set_alpha([some, other]))
    assert out.n_items == 4
    assert out.value is not None
    assert 0.5 < out.value < 1


def test_scores_off_the_scale_are_refused_with_their_place() -> None:
    with pytest.raises(CalibrationError, match=r"rater ada, item t1.*11.*1 to 10"):
        Ratings.from_table({"ada": {"t1": 11}})
    with pytest.raises(CalibrationError, match=r"3\.5"):
        cohen_kappa(np.array([3.5, 1, 2]), np.array([3.0, 1, 2]))
    with pytest.raises(CalibrationError, match="no rater 'eve'"):
        Ratings.of([[1, 2]], raters=["ada", "ben"]).column("eve")


def test_items_without_a_group_are_groups_of_their_own() -> None:
    table = {"a": {"x": 1, "y": 2, "z": None}, "b": {"x": 1, "w": 3}}
    ratings = Ratings.from_table(table, groups={"x": "s", "y": "s"})
    assert ratings.groups.tolist() == [0, 0, 1, 2]
    assert np.isnan(ratings.values).sum() == 4


def test_copies_are_dropped_and_counted() -> None:
    assert drop_duplicates(["a", "b", "a", "a", "c"]) == ([0, 1, 4], 2)


def test_an_estimate_never_holds_a_nan_or_a_value_with_a_reason() -> None:
    with pytest.raises(ValidationError, match="finite"):
        Estimate(value=float("nan"), recipe="x")
    with pytest.raises(ValidationError, match="never both"):
        Estimate(recipe="x")
    with pytest.raises(ValidationError, match="never both"):
        Estimate(value=1, reason=Reason.NO_DATA, recipe="x")


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(
        st.lists(
            st.one_of(st.none(), st.integers(1, 10), st.just(1)),
            min_size=3,
            max_size=3,
        ),
        max_size=25,
    ),
    families=st.integers(1, 25),
)
def test_any_table_gives_a_value_or_a_reason_and_ordered_intervals(
    rows: list[list[int | None]], families: int
) -> None:
    values = np.array(rows, dtype=float).reshape(-1, 3)
    groups = [i % families for i in range(len(values))]
    for raters in (2, 3):
        ratings = Ratings.of(values[:, :raters], groups=groups)
        # The estimate itself refuses NaN; numpy warnings are errors here.
        for name, out in agreement(ratings, resampling=FEW).items():
            if out.interval is None:
                assert out.interval_reason is not None, name
            else:
                assert out.interval.low <= out.interval.high
                assert out.n_groups >= 10
