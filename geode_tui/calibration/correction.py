"""What is true of all transcripts, from a judge on all and people on some."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from geode_tui.calibration.distributions import normal_quantile, t_quantile
from geode_tui.calibration.paired import Z_95
from geode_tui.calibration.ratings import Codes, Matrix, Vector, group_codes
from geode_tui.calibration.resampling import DEFAULT, Resampling, weights_of
from geode_tui.domain.estimate import (
    MIN_GROUPS_INTERVAL,
    MIN_ITEMS_INTERVAL,
    Caution,
    Estimate,
    Interval,
    Reason,
)

FEW_LABELLED = 30
_RECIPE = "Rogan-Gladen: (flagged + specificity - 1) / (sensitivity + specificity - 1)"


def rogan_gladen(
    flagged: float,
    sensitivity: float,
    specificity: float,
    *,
    n_items: int = 0,
    n_groups: int = 0,
) -> Estimate:
    """The true share behind a judge's flagged share, each from 0 to 1.

    ``details`` keep the raw value; outside 0 to 1 it is clipped and marked.
    """
    parts = {
        "flagged": flagged,
        "sensitivity": sensitivity,
        "specificity": specificity,
    }
    better = sensitivity + specificity - 1
    if better <= 1e-12:
        return Estimate(
            reason=Reason.JUDGE_NOT_BETTER_THAN_CHANCE,
            interval_reason=Reason.JUDGE_NOT_BETTER_THAN_CHANCE,
            n_items=n_items,
            n_groups=n_groups,
            recipe=_RECIPE,
            details=parts,
        )
    raw = (flagged + specificity - 1) / better
    outside = not 0 <= raw <= 1
    return Estimate(
        value=min(max(raw, 0.0), 1.0),
        interval_reason=Reason.NOT_APPLICABLE,
        warnings=(Caution.OUT_OF_RANGE,) if outside else (),
        notes=(f"{Reason.OUT_OF_RANGE.sentence} Raw value {raw:.3f}.",)
        if outside
        else (),
        n_items=n_items,
        n_groups=n_groups,
        recipe=_RECIPE,
        details=parts | {"raw": raw},
    )


def corrected_share(
    truth: Sequence[bool],
    judge: Sequence[bool],
    judge_unlabelled: Sequence[bool],
    *,
    groups: Sequence[Hashable] | None = None,
    groups_unlabelled: Sequence[Hashable] | None = None,
    resampling: Resampling = DEFAULT,
) -> Estimate:
    """Rogan-Gladen with sensitivity and specificity from labelled transcripts.

    Labelled and unlabelled families are both resampled: the flagged share of
    the unlabelled ones is uncertain too. Percentile interval.

    Args:
        truth: people's answer on the labelled transcripts.
        judge: the judge's answer on the same.
        judge_unlabelled: its answer on transcripts nobody labelled.
        groups: scenario families of the labelled; each item alone if absent.
        groups_unlabelled: the same for the others.
        resampling: number, seed, level.
    """
    t, j = np.array(truth, dtype=float), np.array(judge, dtype=float)
    u = np.array(judge_unlabelled, dtype=float)
    codes = _codes(groups, len(t))
    n_groups = len(np.unique(codes))
    if not len(t) or not len(u):
        return Estimate(
            reason=Reason.NO_DATA, interval_reason=Reason.NO_DATA, recipe=_RECIPE
        )
    if not 0 < t.sum() < len(t):
        reason = Reason.NO_VARIANCE if t.any() else Reason.NO_POSITIVE_LABELS
        return Estimate(
            reason=reason,
            interval_reason=reason,
            n_items=len(t),
            n_groups=n_groups,
            recipe=_RECIPE,
        )
    labelled = np.column_stack([t, t * j, 1 - t, (1 - t) * (1 - j)])
    flags = np.column_stack([np.ones(len(u)), u])

    def corrected(first: Vector, second: Vector) -> Vector:
        with np.errstate(all="ignore"):
            sensitivity, specificity = (
                first[:, 1] / first[:, 0],
                first[:, 3] / first[:, 2],
            )
            better = sensitivity + specificity - 1
            raw = (second[:, 1] / second[:, 0] + specificity - 1) / better
        return np.where(better > 1e-12, np.clip(raw, 0, 1), np.nan)

    all_labelled = labelled.sum(axis=0)
    value = rogan_gladen(
        float(u.mean()),
        float(all_labelled[1] / all_labelled[0]),
        float(all_labelled[3] / all_labelled[2]),
        n_items=len(t),
        n_groups=n_groups,
    )
    other = _codes(groups_unlabelled, len(u))
    refusal = _refusal(len(t), codes) or _refusal(len(u), other)
    if value.value is None or refusal is not None:
        return value.model_copy(update={"interval_reason": value.reason or refusal})
    drawn = np.concatenate(
        [
            corrected(first, second)
            for first, second in zip(
                _resampled_sums(labelled, codes, resampling, 0),
                _resampled_sums(flags, other, resampling, 1),
                strict=True,
            )
        ]
    )
    finite = drawn[np.isfinite(drawn)]
    tail = (1 - resampling.level) / 2
    low, high = (float(x) for x in np.quantile(finite, [tail, 1 - tail]))
    lost = len(drawn) - len(finite)
    notes = value.notes
    if lost:
        notes = (
            *notes,
            f"{lost:,} of {len(drawn):,} resamples left the judge no better than"
            " chance and are left out.",
        )
    method = "percentile bootstrap of labelled and unlabelled families,"
    return value.model_copy(
        update={
            "interval": Interval(
                low=low,
                high=high,
                level=resampling.level,
                method=f"{method} {resampling.resamples:,} resamples,"
                f" seed {resampling.seed}",
            ),
            "interval_reason": None,
            "notes": notes,
            "warnings": (
                *value.warnings,
                *((Caution.FEW_LABELLED,) if len(t) < FEW_LABELLED else ()),
            ),
        }
    )


def ppi_mean(
    human: Sequence[float],
    judge: Sequence[float],
    judge_unlabelled: Sequence[float],
    *,
    lam: float = 1.0,
    level: float = 0.95,
    groups: Sequence[Hashable] | None = None,
    groups_unlabelled: Sequence[Hashable] | None = None,
) -> Estimate:
    """Prediction-powered mean score: the judge's mean, set right by people.

    Args:
        human: people's scores of the labelled transcripts.
        judge: the judge's scores of the same.
        judge_unlabelled: its scores of transcripts nobody labelled.
        lam: weight of the judge; 0 uses people alone.
        level: of the interval.
        groups: scenario families of the labelled. Given, the variance is that
            of family sums and the quantile Student's t; without any families
            items count as independent and the quantile is the normal one.
        groups_unlabelled: the same for the others.
    """
    recipe = f"prediction-powered mean, lambda {lam:g}: judge's mean + mean of" + (
        " (human - judge) on the labelled"
    )
    y, f = np.array(human, dtype=float), np.array(judge, dtype=float)
    u = np.array(judge_unlabelled, dtype=float)
    if not len(y) or not len(u):
        return Estimate(
            reason=Reason.NO_DATA, interval_reason=Reason.NO_DATA, recipe=recipe
        )
    value = float(lam * u.mean() + (y - lam * f).mean())
    codes, other = _codes(groups, len(y)), _codes(groups_unlabelled, len(u))
    clustered = groups is not None or groups_unlabelled is not None
    variance = _variance(y - lam * f, codes, clustered)
    variance += _variance(lam * u, other, clustered)
    refusal = _refusal(len(y), codes) or _refusal(len(u), other)
    interval = None
    if refusal is None:
        quantile, name = _quantile(level, codes, other, clustered)
        half = quantile * float(np.sqrt(variance))
        interval = Interval(
            low=value - half, high=value + half, level=level, method=name
        )
    few = len(y) < FEW_LABELLED
    return Estimate(
        value=value,
        interval=interval,
        interval_reason=refusal,
        warnings=(Caution.FEW_LABELLED,) if few else (),
        notes=(f"Only {len(y)} labelled transcripts.",) if few else (),
        n_items=len(y),
        n_groups=len(np.unique(codes)),
        n_pairs=len(y),
        recipe=recipe,
        details={
            "judge_mean": float(u.mean()),
            "human_mean": float(y.mean()),
            "correction": float((y - lam * f).mean()),
            "unlabelled": float(len(u)),
        },
    )


def _codes(groups: Sequence[Hashable] | None, n: int) -> Codes:
    return np.arange(n, dtype=np.int64) if groups is None else group_codes(groups)


def _refusal(items: int, codes: Codes) -> Reason | None:
    if items < MIN_ITEMS_INTERVAL:
        return Reason.TOO_FEW_ITEMS
    few = len(np.unique(codes)) < MIN_GROUPS_INTERVAL
    return Reason.TOO_FEW_GROUPS if few else None


def _resampled_sums(
    values: Matrix, codes: Codes, resampling: Resampling, stream: int
) -> Iterator[Matrix]:
    families = int(codes.max()) + 1
    sums = np.zeros((families, values.shape[1]))
    np.add.at(sums, codes, values)
    how = Resampling(resampling.resamples, resampling.seed + stream, resampling.level)
    for weights in weights_of(families, np.ones(families, dtype=np.int64), how):
        yield weights @ sums


def _variance(values: Vector, codes: Codes, clustered: bool) -> float:
    """Variance of the mean."""
    if not clustered:
        return float(values.var() / len(values))
    sums = np.bincount(codes, weights=values - values.mean())
    g = len(sums)
    factor = g / (g - 1) if g > 1 else 1.0
    return float((sums**2).sum() / len(values) ** 2 * factor)


def _quantile(
    level: float, codes: Codes, other: Codes, clustered: bool
) -> tuple[float, str]:
    upper = (1 + level) / 2
    if not clustered:
        z = Z_95 if level == 0.95 else float(normal_quantile(upper))
        return z, "normal, items independent, 1/n variances"
    families = min(len(np.unique(codes)), len(np.unique(other)))
    return t_quantile(upper, families - 1), "Student's t on scenario families"
