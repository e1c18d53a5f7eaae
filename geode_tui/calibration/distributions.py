"""The few distribution functions used here; scipy loads with the first call."""

from __future__ import annotations

import numpy as np

from geode_tui.calibration.ratings import Vector


def t_quantile(p: float, degrees: float) -> float:
    """Quantile of Student's t."""
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    return float(stdtrit(degrees, p))


def t_below(t: Vector, degrees: Vector) -> Vector:
    """Probability below ``t`` under Student's t."""
    from scipy.special import stdtr

    return np.asarray(stdtr(degrees, t))


def normal_quantile(p: Vector | float) -> Vector:
    """Quantile of the standard normal."""
    from scipy.special import ndtri

    return np.asarray(ndtri(p))


def normal_below(z: Vector) -> Vector:
    """Probability below ``z`` under the standard normal."""
    from scipy.special import ndtr

    return np.asarray(ndtr(z))


def mid_ranks(values: Vector) -> Vector:
    """Ranks from 1, ties sharing their mean."""
    from scipy.stats import rankdata  # type: ignore[import-untyped]

    return np.asarray(rankdata(values), dtype=float)


def even_odds(successes: int, n: int) -> float:
    """Exact two-sided p of ``successes`` in ``n`` at even odds; 1 for n = 0."""
    if n == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(successes, n, 0.5).pvalue)
