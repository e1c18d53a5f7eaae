"""Agreement on sub-modes: sets of labels, and one label at a time.

A clean transcript has the empty set, so two empty sets agree (distance 0) and
an empty set is as far as can be from any other (distance 1). A rater who did
not label an item at all is None, which is not the empty set.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import numpy as np

from geode_tui.calibration.alpha import fixed_distance
from geode_tui.calibration.ratings import Matrix, Vector
from geode_tui.calibration.statistic import Formula, Shape, Statistic, undefined
from geode_tui.domain.estimate import MIN_ITEMS, Caution, Reason

LabelSet = frozenset[str]
Distance = Literal["masi", "jaccard"]
LABEL_FIGURES = ("precision", "recall", "f1", "mcc", "kappa")
FEW_POSITIVES = 10


def jaccard_distance(a: Collection[object], b: Collection[object]) -> float:
    """1 less the shared part of the union; 0 for two empty sets."""
    x, y = set(a), set(b)
    return 1 - len(x & y) / len(x | y) if x | y else 0.0


def masi_distance(a: Collection[object], b: Collection[object]) -> float:
    """Passonneau's MASI: 1 - Jaccard x (1, 2/3, 1/3, 0).

    The factor is 1 for equal sets, 2/3 where one contains the other, 1/3 where
    they overlap, 0 where they share nothing. Two empty sets have distance 0.
    """
    x, y = set(a), set(b)
    if x == y:
        return 0.0
    if not x & y:
        return 1.0
    factor = 2 / 3 if x <= y or y <= x else 1 / 3
    return 1 - (1 - jaccard_distance(x, y)) * factor


def set_alpha(
    raters: Sequence[Sequence[Collection[str] | None]], *, distance: Distance = "masi"
) -> Statistic:
    """Krippendorff's alpha of label sets.

    Args:
        raters: one sequence of label sets per rater, all over the same items;
            None where a rater did not label the item.
        distance: between sets; used as it stands, not squared.
    """
    recipe = f"Krippendorff's alpha of label sets, {distance} distance, empty = empty"
    names = "MASI" if distance == "masi" else "Jaccard"
    recipe = recipe.replace(distance, names)
    table = [[None if s is None else frozenset(s) for s in of] for of in raters]
    kinds: dict[frozenset[str], int] = {}
    codes = np.array(
        [
            [-1 if s is None else kinds.setdefault(s, len(kinds)) for s in of]
            for of in table
        ],
        dtype=np.int64,
    ).T.reshape(-1, len(table))
    weight = (codes >= 0).sum(axis=1).astype(float)
    used = np.asarray(weight >= 2)
    pairs = int((weight * (weight - 1) // 2).sum())
    seen = codes[used][codes[used] >= 0]
    reason = None
    if not used.any():
        reason = Reason.NO_OVERLAP if (codes >= 0).any() else Reason.NO_DATA
    elif used.sum() > 1 and np.ptp(seen) == 0:
        reason = Reason.NO_VARIANCE
    elif used.sum() < MIN_ITEMS:
        reason = Reason.TOO_FEW_ITEMS
    if reason is not None:
        return undefined(recipe, reason, used, n_pairs=pairs)
    measure = masi_distance if distance == "masi" else jaccard_distance
    sets = list(kinds)
    apart = np.array([[measure(x, y) for y in sets] for x in sets])
    sums, formula = fixed_distance(codes, weight, apart)
    same = bool((sums[used, 0] == 0).all())
    return Statistic(
        recipe=recipe,
        sums=sums,
        used=used,
        formula=formula,
        n_pairs=pairs,
        no_interval=Reason.IDENTICAL_SCORES if same else None,
    )


def label_figures(
    truth: Sequence[bool | None], given: Sequence[bool | None], *, name: str = "label"
) -> dict[str, Statistic]:
    """Precision, recall, F1, MCC and kappa of one label.

    Args:
        truth: the reference (a person), one entry per item; None = not labelled.
        given: the rater under test.
        name: of the label, for the recipe.

    Returns:
        A statistic for each of ``LABEL_FIGURES``. All are undefined where
        nobody gave the label; precision also where the rater under test never
        did, recall where the reference never did.
    """
    t = np.array([np.nan if x is None else float(x) for x in truth])
    g = np.array([np.nan if x is None else float(x) for x in given])
    used = np.asarray(~np.isnan(t) & ~np.isnan(g))
    t, g = np.nan_to_num(t), np.nan_to_num(g)
    cells = [t * g, (1 - t) * g, t * (1 - g), (1 - t) * (1 - g)]
    sums = np.column_stack([c * used for c in cells])
    tp, fp, fn, tn = (float(c) for c in sums.sum(axis=0))
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    n = int(used.sum())
    positives = min(tp + fn, tp + fp)
    warnings: tuple[Caution, ...] = ()
    notes: tuple[str, ...] = ()
    if positives < FEW_POSITIVES:
        warnings = (Caution.FEW_POSITIVES,)
        notes = (
            f"{name}: {tp + fn:g} in the reference, {tp + fp:g} given, {tp:g} shared.",
        )
    stakes = {
        "precision": used & (g > 0),
        "recall": used & (t > 0),
        "f1": used & ((g > 0) | (t > 0)),
    }
    out = {}
    for figure in LABEL_FIGURES:
        recipe = f"{figure} of {name}: {_RECIPES[figure]}"
        reason = _label_reason(figure, n, tp, fp, fn, tn, bool(len(t)))
        if reason is not None:
            out[figure] = undefined(
                recipe, reason, used, n_pairs=n, notes=notes, details=counts
            )
            continue
        share = figure in stakes
        out[figure] = Statistic(
            recipe=recipe,
            sums=sums,
            used=used,
            formula=_FORMULAS[figure],
            shape=Shape.SHARE if share else Shape.COEFFICIENT,
            n_pairs=n,
            no_interval=Reason.IDENTICAL_SCORES if not share and fp + fn == 0 else None,
            warnings=warnings,
            notes=notes,
            at_stake=np.asarray(stakes[figure]) if share else None,
            details=counts,
        )
    return out


def _label_reason(
    figure: str, n: int, tp: float, fp: float, fn: float, tn: float, data: bool
) -> Reason | None:
    if n == 0:
        return Reason.NO_OVERLAP if data else Reason.NO_DATA
    if tp + fp + fn == 0:
        return Reason.NO_POSITIVE_LABELS
    if figure == "f1":
        return None
    if figure in ("precision", "recall"):
        positives = tp + (fp if figure == "precision" else fn)
        return None if positives else Reason.NO_POSITIVE_LABELS
    if fp + fn + tn == 0:
        return Reason.NO_VARIANCE
    if n < MIN_ITEMS:
        return Reason.TOO_FEW_ITEMS
    if 0 in (tp + fp, tp + fn, fp + tn, fn + tn):
        return Reason.CONSTANT_RATER
    return None


def _precision(s: Matrix) -> Vector:
    return np.asarray(s[:, 0] / (s[:, 0] + s[:, 1]))


def _recall(s: Matrix) -> Vector:
    return np.asarray(s[:, 0] / (s[:, 0] + s[:, 2]))


def _f1(s: Matrix) -> Vector:
    return np.asarray(2 * s[:, 0] / (2 * s[:, 0] + s[:, 1] + s[:, 2]))


def _mcc(s: Matrix) -> Vector:
    tp, fp, fn, tn = s.T
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return np.asarray((tp * tn - fp * fn) / np.sqrt(margins))


def _kappa(s: Matrix) -> Vector:
    tp, fp, fn, tn = s.T
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return np.asarray(2 * (tp * tn - fn * fp) / chance)


_FORMULAS: dict[str, Formula] = {
    "precision": _precision,
    "recall": _recall,
    "f1": _f1,
    "mcc": _mcc,
    "kappa": _kappa,
}
_RECIPES = {
    "precision": "shared / given",
    "recall": "shared / in the reference",
    "f1": "2 shared / (given + in the reference)",
    "mcc": "correlation of the two yes/no answers",
    "kappa": "Cohen's kappa of the two yes/no answers",
}
