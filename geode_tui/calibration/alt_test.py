"""The alternative annotator test: may the judge stand in for a person?

For each person, judge and person are both held against the *other* people.
The judge wins against a person if the hypothesis "the person is closer more
often, by epsilon or more" is rejected; Benjamini and Yekutieli's procedure
keeps the false discoveries among the persons at q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from geode_tui.calibration.distributions import t_below
from geode_tui.calibration.ratings import Codes, Mask, Matrix, Ratings, Vector
from geode_tui.calibration.resampling import (
    DEFAULT,
    Resampling,
    estimate,
    weights_of,
)
from geode_tui.calibration.statistic import Shape, Statistic, mean_of
from geode_tui.domain.agreement import AltTest, AnnotatorTest
from geode_tui.domain.estimate import Caution, Estimate, Reason

Closeness = Literal["rmse", "match"]

EPSILON = 0.15
FALSE_DISCOVERIES = 0.05
MIN_SHARED = 30
LOW_POWER = 0.8


@dataclass(frozen=True)
class Wins:
    """How often judge or person lay closer to the others, for one person."""

    rater: str
    judge_better: int
    human_better: int
    ties: int

    @property
    def n(self) -> int:
        """Items compared."""
        return self.judge_better + self.human_better + self.ties


def benjamini_yekutieli(
    p_values: Sequence[float] | Vector, *, q: float = FALSE_DISCOVERIES
) -> Mask:
    """Which hypotheses are rejected, whatever their dependence; (..., m) in and out."""
    p = np.atleast_2d(np.asarray(p_values, dtype=float))
    m = p.shape[-1]
    if m == 0:
        return np.zeros(np.shape(p_values), dtype=np.bool_)
    order = np.argsort(p, axis=-1)
    ranks = np.arange(1, m + 1)
    bound = ranks * q / (m * (1 / ranks).sum())
    below = np.take_along_axis(p, order, axis=-1) <= bound
    last = np.where(below.any(axis=-1), m - below[:, ::-1].argmax(axis=-1), 0)
    rejected = np.zeros(p.shape, dtype=np.bool_)
    np.put_along_axis(rejected, order, ranks <= last[:, None], axis=-1)
    return rejected.reshape(np.shape(p_values))


def alt_test(
    humans: Ratings,
    judge: Vector,
    *,
    epsilon: float = EPSILON,
    q: float = FALSE_DISCOVERIES,
    min_items: int = MIN_SHARED,
    closeness: Closeness = "rmse",
    resampling: Resampling = DEFAULT,
) -> AltTest:
    """The test on scores; families of transcripts count by their means.

    Args:
        humans: people's ratings; at least two people.
        judge: (items,) the judge's scores, NaN for gaps.
        epsilon: how much worse than a person the judge may be, as a
            difference of probabilities.
        q: false-discovery rate.
        min_items: persons with fewer shared items are left out.
        closeness: root mean square distance to the other people, or the share
            of them that is matched exactly.
        resampling: for the interval of the advantage and for the power.
    """
    people = humans.raters
    gaps = np.column_stack(
        [_gap(humans.values, judge, j, closeness) for j in range(len(people))]
    ).reshape(len(judge), len(people))
    means = _family_means(gaps, humans.groups)
    shared = (~np.isnan(gaps)).sum(axis=0)
    enough = [j for j in range(len(people)) if shared[j] >= min_items]
    sums = _moments(np.ones((1, len(means))), means)
    p = _p_values(*sums, epsilon)[0]
    wins = dict(zip(enough, benjamini_yekutieli(p[enough], q=q), strict=True))
    annotators = tuple(
        _annotator(people[j], gaps[:, j], means[:, j], p[j], wins.get(j))
        for j in range(len(people))
    )
    power = _power(means[:, enough], epsilon, q, resampling) if enough else None
    return AltTest(
        winning_rate=_winning_rate(annotators, epsilon, q, min_items, power),
        advantage=_advantage(gaps[:, enough], humans.groups, resampling),
        epsilon=epsilon,
        q=q,
        power=power,
        annotators=annotators,
    )


def alt_test_of_counts(
    counts: Sequence[Wins],
    *,
    epsilon: float = EPSILON,
    q: float = FALSE_DISCOVERIES,
    min_items: int = MIN_SHARED,
) -> AltTest:
    """The same from published counts; items are taken as independent, no power."""
    enough = [c for c in counts if c.n >= min_items]
    rows = np.array([[c.n, c.human_better - c.judge_better] for c in enough], float)
    squares = np.array([c.human_better + c.judge_better for c in enough], float)
    p = np.zeros(0)
    if enough:
        p = _p_values(rows[None, :, 0], rows[None, :, 1], squares[None], epsilon)[0]
    wins = dict(
        zip((c.rater for c in enough), benjamini_yekutieli(p, q=q), strict=True)
    )
    values = dict(zip((c.rater for c in enough), p, strict=True))
    annotators = tuple(
        AnnotatorTest(
            rater=c.rater,
            n=c.n,
            groups=c.n,
            judge_better=c.judge_better,
            human_better=c.human_better,
            ties=c.ties,
            p=float(values[c.rater]) if c.rater in values else None,
            judge_wins=bool(wins.get(c.rater, False)),
        )
        for c in counts
    )
    rho = [1 - c.human_better / c.n for c in enough]
    reason = None if enough else _none_left(annotators)
    return AltTest(
        winning_rate=_winning_rate(annotators, epsilon, q, min_items, None),
        advantage=Estimate(
            value=float(np.mean(rho)) if rho else None,
            reason=reason,
            interval_reason=reason or Reason.NOT_APPLICABLE,
            n_items=max((c.n for c in enough), default=0),
            n_groups=max((c.n for c in enough), default=0),
            n_pairs=sum(c.n for c in enough),
            recipe=_ADVANTAGE,
        ),
        epsilon=epsilon,
        q=q,
        power=None,
        annotators=annotators,
    )


_ADVANTAGE = (
    "probability that the judge is at least as close to the other people as a"
    " person is (ties count), mean over annotators"
)


def _gap(people: Matrix, judge: Vector, j: int, closeness: Closeness) -> Vector:
    """1 where person ``j`` is closer, -1 where the judge is, 0 for ties, NaN gaps."""
    others = np.delete(people, j, axis=1)
    there = ~np.isnan(others)
    there_any = there.any(axis=1) & ~np.isnan(people[:, j]) & ~np.isnan(judge)
    loss = []
    for scores in (people[:, j], judge):
        away = scores[:, None] - others
        cost = away**2 if closeness == "rmse" else (away != 0).astype(float)
        total = np.where(there, cost, 0.0).sum(axis=1)
        loss.append(total / np.maximum(there.sum(axis=1), 1))
    difference = loss[1] - loss[0]
    sign = np.where(np.abs(difference) < 1e-9, 0.0, np.sign(difference))
    return np.where(there_any, sign, np.nan)


def _family_means(gaps: Matrix, groups: Codes) -> Matrix:
    """(families, persons) mean of the gaps, NaN where a person has none."""
    families = int(groups.max(initial=-1)) + 1
    there = ~np.isnan(gaps)
    total, count = np.zeros((2, families, gaps.shape[1]))
    np.add.at(total, groups, np.where(there, gaps, 0.0))
    np.add.at(count, groups, there.astype(float))
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _moments(weights: Matrix, means: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    there = ~np.isnan(means)
    x = np.where(there, means, 0.0)
    return weights @ there.astype(float), weights @ x, weights @ x**2


def _p_values(n: Matrix, total: Matrix, squares: Matrix, epsilon: float) -> Matrix:
    """One-sided p values of "mean gap >= epsilon"; 1 where there is no variance up."""
    with np.errstate(all="ignore"):
        mean = total / n
        variance = np.maximum(squares - n * mean**2, 0) / (n - 1)
        t = (mean - epsilon) / np.sqrt(variance / n)
        p = t_below(t, n - 1)
    flat = ~(variance > 1e-15)
    return np.asarray(
        np.where(flat, np.where(mean < epsilon, 0.0, 1.0), np.nan_to_num(p, nan=1.0))
    )


def _power(means: Matrix, epsilon: float, q: float, resampling: Resampling) -> float:
    """Share of resamples of a judge made exactly as good that pass the test."""
    centred = means - np.nanmean(means, axis=0)
    families = len(centred)
    passed = 0
    for weights in weights_of(families, np.ones(families, dtype=np.int64), resampling):
        p = _p_values(*_moments(weights, centred), epsilon)
        passed += int((benjamini_yekutieli(p, q=q).mean(axis=1) >= 0.5).sum())
    return passed / resampling.resamples


def _annotator(
    name: str, gaps: Vector, means: Vector, p: float, wins: bool | None
) -> AnnotatorTest:
    return AnnotatorTest(
        rater=name,
        n=int((~np.isnan(gaps)).sum()),
        groups=int((~np.isnan(means)).sum()),
        judge_better=int((gaps < 0).sum()),
        human_better=int((gaps > 0).sum()),
        ties=int((gaps == 0).sum()),
        p=None if wins is None else float(p),
        judge_wins=bool(wins),
    )


def _none_left(annotators: Sequence[AnnotatorTest]) -> Reason:
    shared = any(a.n for a in annotators)
    return Reason.TOO_FEW_ITEMS_PER_ANNOTATOR if shared else Reason.NO_OVERLAP


def _winning_rate(
    annotators: Sequence[AnnotatorTest],
    epsilon: float,
    q: float,
    min_items: int,
    power: float | None,
) -> Estimate:
    tested = [a for a in annotators if a.p is not None]
    left_out = [a for a in annotators if a.p is None]
    warnings: list[Caution] = []
    notes: list[str] = []
    if left_out:
        warnings.append(Caution.ANNOTATORS_LEFT_OUT)
        names = ", ".join(f"{a.rater} ({a.n})" for a in left_out)
        notes.append(f"Left out for fewer than {min_items} shared items: {names}.")
    if power is not None:
        notes.append(
            f"A judge exactly as good as a person would pass in {power:.0%} of"
            f" studies of this size (epsilon {epsilon:g})."
        )
        if power < LOW_POWER:
            warnings.append(Caution.LOW_POWER)
    rate = sum(a.judge_wins for a in tested) / len(tested) if tested else None
    reason = None if tested else _none_left(annotators)
    return Estimate(
        value=rate,
        reason=reason,
        interval_reason=reason or Reason.NOT_APPLICABLE,
        warnings=tuple(warnings),
        notes=tuple(notes),
        n_items=max((a.n for a in tested), default=0),
        n_groups=max((a.groups for a in tested), default=0),
        n_pairs=sum(a.n for a in tested),
        recipe=f"alternative annotator test: share of annotators won, epsilon"
        f" {epsilon:g}, one-sided t on family means, Benjamini-Yekutieli q {q:g};"
        " passed from 0.5",
        details={"epsilon": epsilon, "q": q}
        | ({} if power is None else {"power": power}),
    )


def _advantage(gaps: Matrix, groups: Codes, resampling: Resampling) -> Estimate:
    if not gaps.shape[1]:
        return Estimate(
            reason=Reason.TOO_FEW_ITEMS_PER_ANNOTATOR,
            interval_reason=Reason.TOO_FEW_ITEMS_PER_ANNOTATOR,
            recipe=_ADVANTAGE,
        )
    parts = []
    for column in gaps.T:
        used = ~np.isnan(column)
        kept = np.where(used, column <= 0, False).astype(float)
        parts.append(
            Statistic(
                recipe=_ADVANTAGE,
                sums=np.column_stack([used.astype(float), kept]),
                used=used,
                formula=lambda s: s[:, 1] / s[:, 0],
                shape=Shape.SHARE,
                n_pairs=int(used.sum()),
            )
        )
    return estimate(mean_of(parts, _ADVANTAGE), groups, resampling)
