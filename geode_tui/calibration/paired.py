"""Two raters' differences, and two judges held against one truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geode_tui.calibration.distributions import even_odds
from geode_tui.calibration.pairs import both, no_pairs, overlap_note
from geode_tui.calibration.ratings import Codes, Matrix, Vector
from geode_tui.calibration.statistic import Formula, Shape, Statistic, undefined
from geode_tui.domain.estimate import MIN_ITEMS, Caution, Estimate, Reason

Z_95 = 1.959963984540054


def bland_altman(a: Vector, b: Vector, *, z: float = Z_95) -> dict[str, Statistic]:
    """Bias, SD (n - 1) and limits of agreement of ``a - b``, in points.

    Keys: ``bias``, ``sd``, ``lower``, ``upper``. Scores of 1 to 10 make the
    differences discrete and bounded, so the limits are a description.
    """
    used = both(a, b)
    n = int(used.sum())
    recipes = {
        "bias": "Bland-Altman: mean of a - b",
        "sd": "Bland-Altman: standard deviation (n - 1) of a - b",
        "lower": f"Bland-Altman: bias - {z:.4g} SD",
        "upper": f"Bland-Altman: bias + {z:.4g} SD",
    }
    if n < MIN_ITEMS:
        reason = Reason.TOO_FEW_ITEMS if n else no_pairs(a, b)
        notes = () if n else overlap_note(a, b)
        return {
            key: undefined(recipe, reason, used, n_pairs=n, notes=notes)
            for key, recipe in recipes.items()
        }
    gap = np.where(used, np.nan_to_num(a) - np.nan_to_num(b), 0.0)
    sums = np.column_stack([used.astype(float), gap, gap * gap])
    steps = {"bias": (1.0, 0.0), "sd": (0.0, 1.0), "lower": (1, -z), "upper": (1, z)}
    return {
        key: Statistic(
            recipe=recipe,
            sums=sums,
            used=used,
            formula=_limit(*steps[key]),
            shape=Shape.SIZE if key == "sd" else Shape.REAL,
            n_pairs=n,
        )
        for key, recipe in recipes.items()
    }


def _limit(means: float, deviations: float) -> Formula:
    def formula(s: Matrix) -> Vector:
        n, total, squares = s.T
        mean = total / n
        variance = np.maximum(squares - total * mean, 0) / (n - 1)
        return np.asarray(means * mean + deviations * np.sqrt(variance))

    return formula


def mcnemar(only_first: int, only_second: int, *, items: int = 0) -> Estimate:
    """Exact McNemar test of two judges that answer yes or no on the same items.

    Args:
        only_first: items that only the first judge got right.
        only_second: items that only the second got right.
        items: all items compared, for the record.

    Returns:
        ``value`` is the two-sided p value; it is 1 without discordant pairs.
    """
    n = only_first + only_second
    return Estimate(
        value=even_odds(only_first, n),
        warnings=() if n else (Caution.NO_DISCORDANT_PAIRS,),
        notes=() if n else (Reason.NO_DISCORDANT_PAIRS.sentence,),
        interval_reason=Reason.NOT_APPLICABLE,
        n_items=max(items, n),
        n_groups=max(items, n),
        n_pairs=max(items, n),
        recipe="p of the exact two-sided McNemar test; items taken as independent",
        details={"only_first": only_first, "only_second": only_second},
    )


def mcnemar_chi2(
    only_first: int, only_second: int, *, correction: bool = True
) -> Estimate:
    """McNemar's chi-square, for comparison with other tools; not for a decision.

    Below 25 discordant pairs the exact test is the one to read.
    """
    n = only_first + only_second
    step = 1 if correction else 0
    top = max(abs(only_first - only_second) - step, 0) ** 2
    return Estimate(
        value=top / n if n else None,
        reason=None if n else Reason.NO_DISCORDANT_PAIRS,
        interval_reason=Reason.NOT_APPLICABLE if n else Reason.NO_DISCORDANT_PAIRS,
        warnings=(Caution.FEW_ITEMS,) if n < 25 else (),
        n_items=n,
        n_groups=n,
        n_pairs=n,
        recipe="McNemar's chi-square"
        + (", continuity corrected" if correction else ", uncorrected"),
        details={"only_first": only_first, "only_second": only_second},
    )


def mcnemar_of_flags(
    truth: Sequence[bool | None],
    first: Sequence[bool | None],
    second: Sequence[bool | None],
) -> Estimate:
    """The exact McNemar test of two judges' flags against a person's."""
    known = [
        (f == t, s == t)
        for t, f, s in zip(truth, first, second, strict=True)
        if None not in (t, f, s)
    ]
    return mcnemar(
        sum(f and not s for f, s in known),
        sum(s and not f for f, s in known),
        items=len(known),
    )


def sign_test(
    loss_first: Vector, loss_second: Vector, *, groups: Codes | None = None
) -> Estimate:
    """Two-sided sign test of which of two judges has the smaller loss.

    Args:
        loss_first: (items,) e.g. absolute errors; NaN for gaps.
        loss_second: the same of the second judge.
        groups: (items,) scenario families. Given, each family counts once, by
            the sign of its summed difference; otherwise items are taken as
            independent.

    Returns:
        ``value`` is the p value; ``details`` count wins of the second judge,
        ties and losses.
    """
    used = both(loss_first, loss_second)
    gap = (loss_first - loss_second)[used]
    unit = "items taken as independent"
    if groups is not None:
        unit = "one vote per scenario family"
        sums = np.bincount(groups[used], weights=gap)
        gap = np.asarray(sums[np.unique(groups[used])], dtype=np.float64)
        gap = np.where(np.abs(gap) < 1e-9, 0.0, gap)
    wins, losses = int((gap > 0).sum()), int((gap < 0).sum())
    decided = wins + losses
    items = int(used.sum())
    recipe = f"p of the two-sided sign test of the smaller loss; {unit}"
    if not items:
        return Estimate(
            reason=no_pairs(loss_first, loss_second),
            interval_reason=no_pairs(loss_first, loss_second),
            recipe=recipe,
        )
    same = bool((loss_first[used] == loss_second[used]).all())
    warning = Caution.IDENTICAL_SCORES if same else Caution.NO_DISCORDANT_PAIRS
    return Estimate(
        value=even_odds(wins, decided),
        warnings=() if decided else (warning,),
        interval_reason=Reason.NOT_APPLICABLE,
        n_items=items,
        n_groups=len(gap),
        n_pairs=items,
        recipe=recipe,
        details={"wins": wins, "ties": len(gap) - decided, "losses": losses},
    )
