"""Scores against ranges: what a rubric's rule allows is rarely one number."""

from __future__ import annotations

import numpy as np

from geode_tui.calibration.pairs import mean_of_items, no_pairs, overlap_note
from geode_tui.calibration.ratings import Vector
from geode_tui.calibration.statistic import Shape, Statistic, undefined


def in_band(scores: Vector, low: Vector, high: Vector) -> Statistic:
    """Share of items whose score lies in the rule's range, 0 to 1.

    Args:
        scores: (items,) a person's or a judge's, NaN for gaps.
        low: (items,) lower ends, inclusive; NaN where the rule gives no range.
        high: (items,) upper ends, inclusive.
    """
    away = _away(scores, low, high)
    recipe = "share of scores inside the rule's range"
    return _mean(scores, low, away, (away == 0).astype(float), recipe, Shape.SHARE)


def range_distance(scores: Vector, low: Vector, high: Vector) -> Statistic:
    """Mean distance in points from a score to the rule's range, 0 inside.

    The details count the scores above, inside and below.
    """
    away = _away(scores, low, high)
    recipe = "mean points from the score to the rule's range (0 inside)"
    return _mean(scores, low, away, np.abs(away), recipe, Shape.SIZE)


def _away(scores: Vector, low: Vector, high: Vector) -> Vector:
    """Points above (positive) or below (negative) the range; NaN for gaps."""
    return np.asarray(np.maximum(scores - high, 0) - np.maximum(low - scores, 0))


def _mean(
    scores: Vector, low: Vector, away: Vector, values: Vector, recipe: str, shape: Shape
) -> Statistic:
    used = np.asarray(~np.isnan(away))
    if not used.any():
        reason = no_pairs(scores, low)
        return undefined(recipe, reason, used, notes=overlap_note(scores, low))
    details = {
        "above": float((away > 0).sum()),
        "inside": float((away == 0).sum()),
        "below": float((away < 0).sum()),
    }
    return mean_of_items(values, used, recipe, shape, details=details)
