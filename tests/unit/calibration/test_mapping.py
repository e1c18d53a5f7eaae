"""The score map: monotone, judged on unseen families, offered only if it helps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from geode_tui.calibration.mapping import _folds, score_map
from geode_tui.calibration.resampling import Resampling
from geode_tui.domain.agreement import ScoreMap

QUICK = Resampling(resamples=500)


def scores(n: int, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 11, n).astype(float)
    judge = np.clip(human + rng.integers(-1, 2, n), 1, 10)
    return judge, human, np.arange(n) // 3


def test_a_harsh_judge_is_mapped_back_and_the_map_is_offered() -> None:
    judge, human, groups = scores(150)
    harsh = np.round(5 + judge / 2)
    out = score_map(harsh, human, groups, resampling=QUICK)
    assert out.offered
    assert out.gain.low is not None
    assert out.gain.low > 0
    assert out.gain.value == pytest.approx(
        out.mae_before.value - out.mae_after.value  # type: ignore[operator]
    )
    mapped = [y for _, y in out.knots]
    assert mapped == sorted(mapped)
    assert 1 <= min(mapped) <= max(mapped) <= 10
    assert out(6) < 4
    assert out.why.startswith("Offered")


def test_a_map_that_learns_only_noise_is_not_offered() -> None:
    judge, human, groups = scores(60, seed=1)
    out = score_map(judge, human, groups, resampling=QUICK)
    assert not out.offered
    assert out.gain.interval is not None
    assert "not shown" in out.why


def test_families_are_never_split_and_bands_are_spread() -> None:
    _, human, groups = scores(90)
    seen = []
    for train, test in _folds(human, groups, 5, seed=1):
        assert not set(groups[train]) & set(groups[test])
        seen += test.tolist()
        assert len(np.unique(np.digitize(human[test], [2.5, 5.5, 7.5]))) >= 3
    assert sorted(seen) == list(range(90))


def test_gaps_are_left_out_and_too_little_data_is_said() -> None:
    judge, human, groups = scores(40)
    human[5:] = np.nan
    out = score_map(judge, human, groups, resampling=QUICK)
    assert out.folds == 0
    assert out.gain.value is None
    assert not out.offered
    assert "5 items of 2 families are too few" in out.why
    empty = score_map(judge, np.full(40, np.nan), groups, resampling=QUICK)
    assert empty.knots == ()
    with pytest.raises(ValueError, match="empty"):
        empty(3)


def test_rare_bands_do_not_stop_the_folds() -> None:
    judge, human, groups = scores(60)
    low = np.where(np.arange(60) == 7, 10, np.minimum(human, 2))
    out = score_map(judge, low, groups, resampling=QUICK)
    assert out.folds == 5


def test_between_knots_the_map_is_linear_and_flat_beyond() -> None:
    judge, human, groups = scores(60)
    made = score_map(judge, human, groups, resampling=QUICK)
    plain = ScoreMap(**{**dict(made), "knots": ((2.0, 3.0), (4.0, 7.0))})
    assert [plain(s) for s in (1, 2, 3, 4, 9)] == [3, 3, 5, 7, 7]
