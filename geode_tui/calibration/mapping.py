"""A monotone map from judge scores to human scores, if it helps on new data."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from geode_tui.calibration.pairs import both, mae, mean_of_items
from geode_tui.calibration.ratings import SCALE, Codes, Vector
from geode_tui.calibration.resampling import DEFAULT, Resampling, estimates
from geode_tui.calibration.statistic import Shape
from geode_tui.domain.agreement import ScoreMap
from geode_tui.domain.estimate import MIN_GROUPS_INTERVAL, MIN_ITEMS_INTERVAL

FOLDS = 5
BAND_EDGES = (2.5, 5.5, 7.5)
"""Strata of the folds: low, middling, high and very high human scores."""


def score_map(
    judge: Vector,
    human: Vector,
    groups: Codes,
    *,
    scale: tuple[float, ...] = SCALE,
    folds: int = FOLDS,
    resampling: Resampling = DEFAULT,
) -> ScoreMap:
    """Fit an isotonic map and judge it on folds of unseen scenario families.

    Args:
        judge: (items,) judge scores of one dimension.
        human: (items,) the reference, e.g. the mean of the people.
        groups: (items,) scenario families; a family is never split.
        scale: bounds of the mapped scores.
        folds: at most; never more than there are families.
        resampling: for the intervals and, by its seed, for the folds.

    Returns:
        The map fitted on everything, its out-of-fold gain in mean absolute
        error, and whether it is offered: only if the gain's interval is above 0.
    """
    used = both(judge, human)
    x, y, g = judge[used], human[used], groups[used]
    before = mae(judge, human)
    mapped = np.full(len(judge), np.nan)
    count = 0
    if len(x) >= MIN_ITEMS_INTERVAL and len(np.unique(g)) >= MIN_GROUPS_INTERVAL:
        rows = np.flatnonzero(used)
        for train, test in _folds(y, g, folds, resampling.seed):
            fit = _fit(x[train], y[train], scale)
            mapped[rows[test]] = np.interp(x[test], *fit)
            count += 1
    after = mae(mapped, human)
    saved = np.abs(judge - human) - np.abs(mapped - human)
    unseen = both(mapped, human)
    recipe = (
        "mean of |judge - human| - |map(judge) - human|, the map fitted on other"
        f" families ({count} folds)"
    )
    statistics = {"before": before, "after": after}
    if unseen.any():
        statistics["gain"] = mean_of_items(saved, unseen, recipe, Shape.REAL)
    out = estimates(statistics, groups, resampling)
    gain = out.get("gain", out["after"].model_copy(update={"recipe": recipe}))
    offered = gain.low is not None and gain.low > 0
    knots = _fit(x, y, scale) if len(x) else (np.zeros(0), np.zeros(0))
    if not count:
        why = (
            f"Not offered: {len(x)} items of {len(np.unique(g))} families are too few"
            f" (needed: {MIN_ITEMS_INTERVAL} and {MIN_GROUPS_INTERVAL})."
        )
    elif offered:
        why = f"Offered: it saves {gain.value:.2f} points an item on unseen families."
    else:
        why = "Not offered: on unseen families the gain is not shown to be above 0."
    return ScoreMap(
        knots=tuple((float(a), float(b)) for a, b in zip(*knots, strict=True)),
        gain=gain,
        mae_before=out["before"],
        mae_after=out["after"],
        folds=count,
        offered=offered,
        why=why,
    )


def _folds(
    human: Vector, groups: Codes, folds: int, seed: int
) -> Iterator[tuple[Codes, Codes]]:
    from sklearn.model_selection import (  # type: ignore[import-untyped]
        StratifiedGroupKFold,
    )

    number = min(folds, len(np.unique(groups)))
    splitter = StratifiedGroupKFold(n_splits=number, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A band rarer than the folds is spread as far as it goes.
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = list(splitter.split(human[:, None], _strata(human, number), groups))
    for train, test in splits:
        if len(train) and len(test):
            yield train, test


def _strata(human: Vector, folds: int) -> Codes:
    """Score bands, the ones with fewer items than folds merged downwards."""
    band = np.digitize(human, BAND_EDGES)
    for rare in range(len(BAND_EDGES), 0, -1):
        if (band == rare).sum() < folds:
            band[band == rare] = rare - 1
    if (band == 0).sum() < folds and (band > 0).any():
        band[band == 0] = band[band > 0].min()
    return np.asarray(band, dtype=np.int64)


def _fit(
    judge: Vector, human: Vector, scale: tuple[float, ...]
) -> tuple[Vector, Vector]:
    from sklearn.isotonic import IsotonicRegression  # type: ignore[import-untyped]

    model = IsotonicRegression(
        y_min=min(scale), y_max=max(scale), increasing=True, out_of_bounds="clip"
    )
    model.fit(judge, human)
    return np.asarray(model.X_thresholds_), np.asarray(model.y_thresholds_)
