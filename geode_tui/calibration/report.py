"""Every coefficient for one table of ratings, with shared resamples.

One table is one dimension: dimensions are never pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations

import numpy as np

from geode_tui.calibration.alpha import Level, krippendorff_alpha
from geode_tui.calibration.chance import fleiss_kappa, gwet_ac, scott_pi
from geode_tui.calibration.icc import Form, icc
from geode_tui.calibration.labels import label_figures, set_alpha
from geode_tui.calibration.paired import bland_altman
from geode_tui.calibration.pairs import (
    cohen_kappa,
    lin_ccc,
    mae,
    percent_exact,
    signed_bias,
    within,
)
from geode_tui.calibration.ranks import kendall_tau_b, spearman
from geode_tui.calibration.ratings import Ratings, Vector
from geode_tui.calibration.resampling import DEFAULT, Resampling, estimates
from geode_tui.calibration.statistic import Statistic, mean_of, undefined
from geode_tui.domain.estimate import Estimate, Reason

FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def agreement(
    ratings: Ratings,
    *,
    level: Level = "ordinal",
    labels: Mapping[str, Mapping[str, Collection[str]]] | None = None,
    items: Sequence[str] = (),
    resampling: Resampling = DEFAULT,
) -> dict[str, Estimate]:
    """All figures by name.

    With more than two raters, figures of two raters are means over the pairs
    of raters; those with a direction (bias, Bland-Altman) are given for two
    raters only, as first less second.

    Args:
        ratings: one dimension.
        level: of the alpha called ``krippendorff_alpha``; all levels are given
            under their own names too.
        labels: ``{rater: {item: labels}}``; a rater without an entry for an
            item did not label it.
        items: names of the rows of ``ratings``, needed with ``labels``.
        resampling: number, seed, level, method of the intervals.
    """
    out = estimates(
        {**pair_figures(ratings), **table_figures(ratings, level)},
        ratings.groups,
        resampling,
    )
    if labels:
        sets = [[labels[r].get(i) for i in items] for r in labels]
        out |= estimates(set_figures(list(labels), sets), ratings.groups, resampling)
    return out


def pair_figures(ratings: Ratings) -> dict[str, Statistic]:
    """Figures of two raters, or their means over pairs of raters."""
    scale = ratings.scale
    figures: dict[str, Callable[[Vector, Vector], Statistic]] = {
        "percent_exact": percent_exact,
        "within_1": within,
        "mae": mae,
        "cohen_kappa": lambda a, b: cohen_kappa(a, b, weights=None, scale=scale),
        "cohen_kappa_linear": lambda a, b: cohen_kappa(
            a, b, weights="linear", scale=scale
        ),
        "cohen_kappa_quadratic": lambda a, b: cohen_kappa(a, b, scale=scale),
        "lin_ccc": lin_ccc,
        "scott_pi": lambda a, b: scott_pi(a, b, scale=scale),
        "spearman": spearman,
        "kendall_tau_b": kendall_tau_b,
    }
    columns = ratings.values.T
    pairs = list(combinations(range(len(columns)), 2))
    out: dict[str, Statistic] = {}
    for name, figure in figures.items():
        parts = [figure(columns[i], columns[j]) for i, j in pairs]
        if len(parts) == 1:
            out[name] = parts[0]
        elif parts:
            recipe = f"mean over {len(parts)} pairs of raters: {parts[0].recipe}"
            out[name] = mean_of(parts, recipe)
        else:
            out[name] = _needs_two(ratings, name)
    if len(pairs) == 1:
        out["signed_bias"] = signed_bias(columns[0], columns[1])
        for key, limit in bland_altman(columns[0], columns[1]).items():
            out[f"bland_altman_{key}"] = limit
    return out


def table_figures(ratings: Ratings, level: Level) -> dict[str, Statistic]:
    """Figures of any number of raters."""
    out = {"krippendorff_alpha": krippendorff_alpha(ratings, level=level)}
    for each in LEVELS:
        out[f"krippendorff_alpha_{each}"] = krippendorff_alpha(ratings, level=each)
    out["fleiss_kappa"] = fleiss_kappa(ratings)
    out["gwet_ac1"] = gwet_ac(ratings)
    out["gwet_ac2"] = gwet_ac(ratings, weights="quadratic")
    out["gwet_ac2_ordinal"] = gwet_ac(ratings, weights="ordinal")
    for form in FORMS:
        out[f"icc{form.replace(',', '')}"] = icc(ratings, form=form)
    return out


def set_figures(
    raters: Sequence[str], sets: Sequence[Sequence[Collection[str] | None]]
) -> dict[str, Statistic]:
    """Figures of label sets: alphas, and each label by itself for two raters.

    For two raters the second is the reference of precision and recall.
    """
    out = {
        "masi_alpha": set_alpha(sets, distance="masi"),
        "jaccard_alpha": set_alpha(sets, distance="jaccard"),
    }
    if len(raters) != 2:
        return out
    names = sorted({label for of in sets for s in of if s is not None for label in s})
    given, truth = sets
    for name in names:
        figures = label_figures(
            [None if s is None else name in s for s in truth],
            [None if s is None else name in s for s in given],
            name=name,
        )
        out |= {f"label:{name}:{key}": f for key, f in figures.items()}
    return out


def _needs_two(ratings: Ratings, name: str) -> Statistic:
    used = np.zeros(len(ratings.values), dtype=np.bool_)
    reason = Reason.NO_OVERLAP if ratings.values.size else Reason.NO_DATA
    return undefined(f"{name} needs two raters", reason, used)
