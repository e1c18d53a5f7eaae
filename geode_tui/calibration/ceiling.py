"""How good could a judge look? People against people, the judge against itself."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from geode_tui.calibration.alpha import krippendorff_alpha
from geode_tui.calibration.pairs import cohen_kappa, lin_ccc
from geode_tui.calibration.ratings import Matrix, Ratings, Vector
from geode_tui.calibration.resampling import DEFAULT, Resampling, estimates
from geode_tui.calibration.statistic import (
    Shape,
    Statistic,
    combine,
    difference,
    mean_of,
)
from geode_tui.domain.agreement import Ceiling, CeilingLine, SelfConsistency


def judge_with_people(judge: Vector, people: Ratings) -> Statistic:
    """The headline: mean over people of quadratic kappa (judge, person)."""
    parts = [
        cohen_kappa(judge, column, scale=people.scale) for column in people.values.T
    ]
    return mean_of(parts, "mean over people of quadratic kappa (judge, person)")


def people_with_people(people: Ratings) -> Statistic:
    """Mean over pairs of people of quadratic kappa."""
    k = len(people.raters)
    parts = [
        cohen_kappa(people.values[:, i], people.values[:, j], scale=people.scale)
        for i in range(k)
        for j in range(i + 1, k)
    ]
    return mean_of(parts, "mean over pairs of people of quadratic kappa")


def human_ceiling(
    people: Ratings, judge: Vector, resampling: Resampling = DEFAULT
) -> Ceiling:
    """Leave one person out: person and judge against the same mean of the others.

    A judge held against the mean of *all* people would look better than any
    person, because that mean is less noisy than the one a person is held
    against.

    Args:
        people: ratings of two people or more.
        judge: (items,) scores, NaN for gaps.
        resampling: shared by all figures, so that differences are paired.
    """
    statistics: dict[str, Statistic] = {}
    humans, judges = [], []
    for j, rater in enumerate(people.raters):
        others = np.delete(people.values, j, axis=1)
        reference = _row_means(others)
        own = people.values[:, j]
        shared = ~np.isnan(own) & ~np.isnan(judge) & ~np.isnan(reference)
        truth = np.where(shared, reference, np.nan)
        human = lin_ccc(np.where(shared, own, np.nan), truth)
        other = lin_ccc(np.where(shared, judge, np.nan), truth)
        humans.append(human)
        judges.append(other)
        statistics[f"human {rater}"] = human
        statistics[f"judge {rater}"] = other
        statistics[f"gap {rater}"] = difference(other, human, _GAP)
    both = [
        (h, j)
        for h, j in zip(humans, judges, strict=True)
        if h.reason is None and j.reason is None
    ]
    kept_humans = [h for h, _ in both] or humans
    kept_judges = [j for _, j in both] or judges
    mean_human = mean_of(kept_humans, f"mean over people of: {_HUMAN}")
    mean_judge = mean_of(kept_judges, f"mean over people of: {_JUDGE}")
    statistics["human"] = mean_human
    statistics["judge"] = mean_judge
    statistics["gap"] = difference(
        mean_judge, mean_human, f"mean over people of: {_GAP}"
    )
    out = estimates(statistics, people.groups, resampling)
    return Ceiling(
        lines=tuple(
            CeilingLine(
                rater=r,
                human=out[f"human {r}"],
                judge=out[f"judge {r}"],
                judge_less_human=out[f"gap {r}"],
            )
            for r in people.raters
        ),
        human=out["human"],
        judge=out["judge"],
        judge_less_human=out["gap"],
    )


_HUMAN = "Lin's CCC of a person and the mean of the other people"
_JUDGE = "Lin's CCC of the judge and the same mean"
_GAP = "judge less person, same reference, same resamples"


@dataclass(frozen=True)
class Run:
    """One answer of a judge on one item.

    Attributes:
        answer: a fingerprint of the whole answer (a hash of its text); equal
            fingerprints on one item are one answer served twice.
        cached: the log itself says that it came from a cache.
    """

    item: str
    score: float
    answer: Hashable
    cached: bool = False


def real_repeats(runs: Sequence[Run], items: Sequence[str]) -> tuple[Matrix, int, int]:
    """Scores of real repeats, one row per item, and what was left out.

    Returns:
        (items, most repeats) scores with NaN gaps; answers used; copies dropped.
        Items with a single real answer stay, and pair with nothing.
    """
    kept: dict[str, dict[Hashable, float]] = {item: {} for item in items}
    copies = used = 0
    for run in runs:
        if run.item not in kept:
            continue
        answers = kept[run.item]
        if run.answer in answers or (run.cached and answers):
            copies += 1
            continue
        answers[run.answer] = run.score
        used += 1
    width = max((len(a) for a in kept.values()), default=0)
    matrix = np.full((len(items), max(width, 1)), np.nan)
    for row, item in enumerate(items):
        for column, score in enumerate(kept[item].values()):
            matrix[row, column] = score
    return matrix, used, copies


def self_consistency(
    runs: Sequence[Run],
    items: Sequence[str],
    people: Ratings,
    resampling: Resampling = DEFAULT,
) -> SelfConsistency:
    """The judge's and people's reliability, and the ceiling sqrt(r_jj r_hh).

    Agreement with a person may exceed the judge's agreement with itself: the
    bound is on the correlation, and assumes that runs err independently.

    Args:
        runs: answers of one judge under one setting.
        items: names of the rows of ``people``.
        people: ratings of two people or more.
        resampling: for the intervals.
    """
    matrix, used, copies = real_repeats(runs, items)
    repeats = Ratings.of(matrix, scale=people.scale)
    judge = krippendorff_alpha(repeats, level="interval")
    human = krippendorff_alpha(people, level="interval")
    ceiling = combine([judge, human], _root, _CEILING, Shape.COEFFICIENT)
    out = estimates(
        {"judge": judge, "human": human, "ceiling": ceiling}, people.groups, resampling
    )
    return SelfConsistency(
        judge=out["judge"],
        human=out["human"],
        ceiling=out["ceiling"],
        repeats=used,
        copies=copies,
    )


_CEILING = (
    "sqrt(reliability of one judge run x reliability of one person), each by"
    " interval alpha; a bound on the correlation, not on kappa"
)


def averaged_reliability(reliability: float, runs: int) -> float:
    """Spearman-Brown: reliability of the mean of ``runs`` judge runs."""
    return runs * reliability / (1 + (runs - 1) * reliability)


def _root(values: list[Vector]) -> Vector:
    product = np.where((values[0] > 0) & (values[1] > 0), values[0] * values[1], np.nan)
    return np.sqrt(product)


def _row_means(values: Matrix) -> Vector:
    there = ~np.isnan(values)
    count = there.sum(axis=1)
    total = np.where(there, values, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def consensus(people: Ratings) -> Vector:
    """Median of the people per item, NaN without any; a third line, not the first."""
    out = np.full(len(people.values), np.nan)
    rated = ~np.isnan(people.values).all(axis=1)
    out[rated] = np.nanmedian(people.values[rated], axis=1)
    return out
