"""Reference figures, and helpers to get a plain number out of a statistic."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from geode_tui.calibration.resampling import Resampling, estimate
from geode_tui.calibration.statistic import Statistic
from geode_tui.domain.estimate import Estimate

REFERENCE = (
    Path(__file__).resolve().parents[4]
    / "shared"
    / "reference"
    / "agreement_reference.json"
)


@pytest.fixture(scope="session")
def reference() -> dict[str, Any]:
    """Published and computed reference figures; skips where they are absent."""
    if not REFERENCE.is_file():
        pytest.skip("the reference figures are not at hand")
    data: dict[str, Any] = json.loads(REFERENCE.read_text(encoding="utf-8"))
    return data


@pytest.fixture(scope="session")
def of() -> Callable[..., Estimate]:
    """Statistic -> estimate; each item is its own group unless groups are given."""

    def make(
        statistic: Statistic,
        groups: Any = None,
        resampling: Resampling | None = None,
    ) -> Estimate:
        codes = np.arange(len(statistic.used)) if groups is None else np.array(groups)
        return estimate(statistic, codes, resampling or Resampling(resamples=200))

    return make
