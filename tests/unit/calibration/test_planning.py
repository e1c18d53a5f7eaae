"""How many more labels, and which."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from geode_tui.calibration.next_labels import Candidate, label_next
from geode_tui.calibration.pairs import cohen_kappa
from geode_tui.calibration.planning import (
    detectable_gain,
    expected_detectable_gain,
    labels_for_gain,
    labels_for_width,
)
from geode_tui.calibration.resampling import Resampling, estimate
from geode_tui.domain.estimate import Estimate, Interval, Reason
from geode_tui.errors import CalibrationError

QUICK = Resampling(resamples=500)


def simulated(n: int, seed: int = 0) -> np.ndarray:  # type: ignore[type-arg]
    """Human, old and new judge, (3, n)."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    shared = rng.normal(size=n)
    latent = [
        truth + 0.6 * rng.normal(size=n),
        truth + 0.5 * shared + 0.3 * rng.normal(size=n),
        truth + 0.5 * shared + 0.3 * rng.normal(size=n),
    ]
    return np.clip(np.round(5.5 + 2.4 * np.array(latent)), 1, 10)


def test_half_the_width_takes_four_times_the_families() -> None:
    now = Estimate(
        value=0.6,
        interval=Interval(low=0.4, high=0.8, method="x"),
        n_items=100,
        n_groups=50,
        recipe="x",
    )
    need = labels_for_width(now, 0.2)
    assert (need.need_groups, need.need_items, need.more_items) == (200, 400, 300)
    assert labels_for_width(now, 0.5).more_items == 0
    assert labels_for_width(now, 0).reason is not None


def test_the_predicted_width_is_met() -> None:
    human, judge, _ = simulated(4000)
    small = estimate(cohen_kappa(judge[:100], human[:100]), np.arange(100), QUICK)
    need = labels_for_width(small, 0.1)
    assert need.need_items is not None
    n = need.need_items
    large = estimate(cohen_kappa(judge[:n], human[:n]), np.arange(n), QUICK)
    assert large.interval is not None
    assert large.interval.width == pytest.approx(0.1, rel=0.25)


def test_without_an_interval_the_reason_is_passed_on() -> None:
    none = Estimate(
        value=0.5,
        interval_reason=Reason.TOO_FEW_GROUPS,
        n_items=9,
        n_groups=9,
        recipe="x",
    )
    reason = labels_for_width(none, 0.1).reason
    assert reason is not None
    assert "Fewer than 10 scenario families" in reason


def test_detectable_gain_is_2_8_standard_errors_and_shrinks_with_the_root() -> None:
    human, old, new = simulated(3200)
    at = {
        n: detectable_gain(old[:n], new[:n], human[:n], np.arange(n), resampling=QUICK)
        for n in (200, 3200)
    }
    assert at[200].value == pytest.approx(
        2.8016 * at[200].details["standard_error"], rel=1e-4
    )
    ratio = at[200].value / at[3200].value  # type: ignore[operator]
    assert ratio == pytest.approx(4, rel=0.25)
    need = labels_for_gain(at[200], at[3200].value)  # type: ignore[arg-type]
    assert need.need_items == pytest.approx(3200, rel=0.5)


def test_power_at_the_detectable_gain_is_about_80_percent() -> None:
    """The gain that is called detectable is found by its own interval."""
    human, old, new = simulated(20_000, seed=2)
    n, sets = 100, 200
    deltas, errors = [], []
    for k in range(sets):
        part = slice(k * n, (k + 1) * n)
        out = detectable_gain(
            old[part], new[part], human[part], np.arange(n), resampling=QUICK
        )
        deltas.append(out.details["difference"])
        errors.append(out.details["standard_error"])
    assert np.mean(errors) == pytest.approx(np.std(deltas), rel=0.2)


def test_the_gain_expected_beforehand_is_that_of_real_labels() -> None:
    human, old, new = simulated(6000, seed=3)
    agreement = np.corrcoef(human, old)[0, 1]
    before = expected_detectable_gain(
        old[:1000], new[:1000], agreement=agreement, items=200, sets=400
    )
    after = detectable_gain(
        old[:200], new[:200], human[:200], np.arange(200), resampling=QUICK
    )
    assert before.value == pytest.approx(after.value, rel=0.35)
    again = expected_detectable_gain(
        old[:1000], new[:1000], agreement=agreement, items=200, sets=400
    )
    assert again == before


def test_gains_of_judges_that_do_not_differ_cannot_be_planned() -> None:
    _, old, _ = simulated(50)
    same = expected_detectable_gain(old, old, agreement=0.7, items=100)
    assert same.reason is Reason.IDENTICAL_SCORES
    flat = expected_detectable_gain(old, old * 0 + 3, agreement=0.7, items=100)
    assert flat.reason is Reason.CONSTANT_RATER
    few = expected_detectable_gain(old[:4], old[:4] + 1, agreement=0.7, items=100)
    assert few.reason is Reason.TOO_FEW_ITEMS
    nothing = detectable_gain(old, old, old, np.arange(50), resampling=QUICK)
    assert nothing.value is None
    assert labels_for_gain(nothing, 0.1).reason is not None


def candidates() -> list[Candidate]:
    """90 easy transcripts in one band, a few in the others."""
    easy = [Candidate(f"e{i}", f"s{i % 9}", judge=1) for i in range(90)]
    hard = [
        Candidate(f"h{i}", f"s{i}", judge=9, sub_modes=frozenset({"common"}))
        for i in range(6)
    ]
    hard.append(
        Candidate("rare", "s0", judge=9, sub_modes=frozenset({"common", "odd"}))
    )
    middle = [Candidate(f"m{i}", f"s{i}", judge=4, spread=i) for i in range(5)]
    return [*easy, *hard, *middle, Candidate("u", "s1")]


def test_labels_go_to_every_band_to_disagreement_and_to_rare_sub_modes() -> None:
    plan = label_next(candidates(), ["ada", "ben"], 12, overlap=0)
    bands = Counter(a.stratum for a in plan)
    assert bands["3-5"] >= 3
    assert bands["8-10"] >= 3
    assert bands["no judge score"] == 1
    picked = [a.transcript for a in plan]
    assert "m4" in picked
    assert "rare" in picked
    assert picked.index("rare") < min(
        picked.index(p) for p in picked if p.startswith("h")
    )
    rare = next(a for a in plan if a.transcript == "rare")
    assert "sub-mode odd is rare (1 of 103)" in rare.why


def test_work_is_shared_evenly_with_the_overlap_asked_for() -> None:
    plan = label_next(candidates(), ["ada", "ben", "cy"], 40, overlap=0.25)
    assert sum(len(a.raters) == 2 for a in plan) == 10
    load = Counter(r for a in plan for r in a.raters)
    assert max(load.values()) - min(load.values()) <= 1
    assert len({a.transcript for a in plan}) == 40


def test_nobody_gets_a_transcript_twice_and_second_labels_complete_a_pair() -> None:
    done = [
        Candidate("a", "s", judge=3, labelled_by=frozenset({"ada"})),
        Candidate("b", "s", judge=3, labelled_by=frozenset({"ada", "ben"})),
    ]
    plan = label_next(done, ["ada", "ben"], 5)
    assert [(p.transcript, p.raters) for p in plan] == [("a", ("ben",))]


def test_the_plan_is_stable_and_the_seed_changes_ties_only() -> None:
    plans = [label_next(candidates(), ["ada", "ben"], 20, seed=s) for s in (1, 1, 2)]
    assert plans[0] == plans[1]
    assert plans[0] != plans[2]
    with pytest.raises(CalibrationError, match="nobody"):
        label_next(candidates(), [], 3)
    with pytest.raises(CalibrationError, match="overlap"):
        label_next(candidates(), ["ada"], 3, overlap=1.5)
