"""Rank agreement of two raters, computed from the table of score pairs.

Ranks depend on the whole sample, so each resample ranks anew: from the counts
of the distinct (a, b) pairs, never from the items.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from geode_tui.calibration.pairs import (
    both,
    identical,
    pair_reason,
    undefined_pair,
)
from geode_tui.calibration.ratings import Codes, Matrix, Vector
from geode_tui.calibration.statistic import Formula, Shape, Statistic, undefined
from geode_tui.domain.estimate import Reason

MOST_CELLS = 1500
"""More distinct score pairs than this are not scores but measurements."""


def spearman(a: Vector, b: Vector) -> Statistic:
    """Spearman's rho: the correlation of mid-ranks."""
    return _ranked(a, b, "Spearman's rho: Pearson correlation of mid-ranks", _rho)


def kendall_tau_b(a: Vector, b: Vector) -> Statistic:
    """Kendall's tau-b: concordant less discordant pairs, corrected for ties."""
    recipe = "Kendall's tau-b: (concordant - discordant) / sqrt of untied pairs"
    return _ranked(a, b, recipe, _tau)


def _ranked(
    a: Vector, b: Vector, recipe: str, make: Callable[[Matrix], Formula]
) -> Statistic:
    reason = pair_reason(a, b)
    if reason is not None:
        # The 0 that kappa's formula gives has no counterpart here.
        out = undefined_pair(a, b, recipe, reason)
        return undefined(recipe, reason, out.used, n_pairs=out.n_pairs, notes=out.notes)
    used = both(a, b)
    cells, of_item = np.unique(
        np.column_stack([a[used], b[used]]), axis=0, return_inverse=True
    )
    if len(cells) > MOST_CELLS:
        note = f"More than {MOST_CELLS} distinct pairs of scores."
        return undefined(recipe, Reason.NOT_APPLICABLE, used, notes=(note,))
    sums = np.zeros((len(a), len(cells)))
    sums[np.flatnonzero(used), of_item.ravel()] = 1.0
    return Statistic(
        recipe=recipe,
        sums=sums,
        used=used,
        formula=make(cells),
        shape=Shape.COEFFICIENT,
        n_pairs=int(used.sum()),
        no_interval=identical(a, b),
    )


def _levels(values: Vector) -> tuple[Codes, Matrix]:
    """Code of each cell's score among the distinct ones, and that as a 0/1 table."""
    _, codes = np.unique(values, return_inverse=True)
    return codes, np.eye(int(codes.max()) + 1)[codes]


def _rho(cells: Matrix) -> Formula:
    sides = [_levels(cells[:, side]) for side in (0, 1)]

    def formula(counts: Matrix) -> Vector:
        n = counts.sum(axis=1, keepdims=True)
        centred = []
        for codes, table in sides:
            margin = counts @ table
            rank = np.cumsum(margin, axis=1) - margin / 2 - n / 2
            centred.append((rank[:, codes], (margin * rank**2).sum(axis=1)))
        (x, sxx), (y, syy) = centred
        return np.asarray((counts * x * y).sum(axis=1) / np.sqrt(sxx * syy))

    return formula


def _tau(cells: Matrix) -> Formula:
    order = np.sign(cells[:, None, 0] - cells[None, :, 0])
    order = order * np.sign(cells[:, None, 1] - cells[None, :, 1])
    sides = [_levels(cells[:, side])[1] for side in (0, 1)]

    def formula(counts: Matrix) -> Vector:
        n = counts.sum(axis=1)
        untied = [n**2 - ((counts @ table) ** 2).sum(axis=1) for table in sides]
        score = ((counts @ order) * counts).sum(axis=1)
        return np.asarray(score / np.sqrt(untied[0] * untied[1]))

    return formula
