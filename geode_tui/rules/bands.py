"""Band tables, word bands and count ladders: from a count to a range or a word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.rubric import Adjustment, AdjustmentKind, Band, Rubric
from geode_tui.domain.rule import RuleAdjustment
from geode_tui.domain.transcript import Message
from geode_tui.rules.classify import Classified, Reading
from geode_tui.rules.suggestions import clarifying_question


@dataclass(frozen=True)
class Landed:
    """Where a count lands in the bands of one dimension, before adjustments."""

    bands: tuple[Band, ...]
    low: int | None = None
    high: int | None = None
    word: str | None = None
    doubts: tuple[str, ...] = ()


def rows_for(rubric: Rubric, dimension: str, r: int) -> tuple[Band, ...]:
    """The rows of ``dimension`` that cover ``r`` calls beyond the floor.

    Rows that count all calls (``N``) are met by ``r`` plus the floor's calls.
    """
    n_min = rubric.floor.n_min if rubric.floor else 0
    return tuple(
        band
        for band in rubric.bands
        if band.dimension == dimension
        and band.count is not None
        and (r + n_min if band.counted == "N" else r) in band.count
    )


def land(rubric: Rubric, dimension: str, reading: Reading) -> Landed:
    """The range or word of the rows that cover this reading's R."""
    rows = rows_for(rubric, dimension, reading.r)
    doubts: list[str] = []
    scores = [band.score for band in rows if band.score is not None]
    if scores:
        if len({(s.low, s.high) for s in scores}) > 1:
            lines = ", ".join(f"line {b.line}" for b in rows)
            doubts.append(f"R={reading.r} is in several rows ({lines}): their union.")
        doubts.extend(
            doubt for band in rows for doubt in _row_doubts(band, rubric, reading)
        )
        return Landed(
            bands=rows,
            low=min(s.low for s in scores),
            high=max(s.high for s in scores),
            doubts=tuple(doubts),
        )
    words = list(dict.fromkeys(band.word for band in rows if band.word))
    if len(words) > 1:
        doubts.append(f"R={reading.r} is in several rows: " + " or ".join(words) + ".")
    return Landed(
        bands=rows, word=" or ".join(words) if words else None, doubts=tuple(doubts)
    )


def _row_doubts(band: Band, rubric: Rubric, reading: Reading) -> list[str]:
    """Where a row's own words do not fit the calls that its count admits."""
    doubts: list[str] = []
    listed = {
        tool
        for sub_mode in rubric.sub_modes
        for tool in sub_mode.tools
        if re.search(rf"\b{re.escape(tool)}\b", band.sub_modes)
    }
    called = {call.observed.tool for call in reading.extra}
    if listed and listed != called:
        doubts.append(
            f"The row of line {band.line} names {', '.join(sorted(listed))}; the "
            f"extra calls were {', '.join(sorted(called)) or 'none'}."
        )
    needs_repeat = re.search(r"re-?issu|repeat|repetition|loop", band.condition, re.I)
    if needs_repeat and not reading.repeated:
        doubts.append(
            f"The row of line {band.line} speaks of a repeated call; none of the "
            f"{reading.r} extra calls repeats another."
        )
    return doubts


def applied_adjustments(
    rubric: Rubric, dimension: str, path: Sequence[Message], reading: Reading
) -> tuple[list[tuple[Adjustment, RuleAdjustment]], list[str]]:
    """The adjustments of ``dimension`` that this branch earns, and the doubts."""
    earned: list[tuple[Adjustment, RuleAdjustment]] = []
    doubts: list[str] = []
    for adjustment in rubric.adjustments:
        if adjustment.dimension != dimension:
            continue
        if adjustment.kind is AdjustmentKind.SAME_CALL_REPETITION:
            repeat = next((c for c in reading.extra if c.role.value == "repeat"), None)
            if repeat is not None:
                earned.append((adjustment, _adjusted(adjustment, repeat)))
        elif adjustment.kind is AdjustmentKind.CLARIFYING_QUESTION_FIRST:
            question = clarifying_question(path, reading)
            if question is not None:
                m, span = question
                earned.append(
                    (
                        adjustment,
                        RuleAdjustment(
                            amount=adjustment.amount,
                            condition=adjustment.condition,
                            m=m,
                            span=span,
                            line=adjustment.line,
                        ),
                    )
                )
                doubts.append(f"A question in M{m} reads as a clarifying one; confirm.")
        else:
            doubts.append(
                f"The adjustment of line {adjustment.line} ({adjustment.amount:+d}) "
                "depends on something that calls do not show; not applied."
            )
    return earned, doubts


def _adjusted(adjustment: Adjustment, call: Classified) -> RuleAdjustment:
    return RuleAdjustment(
        amount=adjustment.amount,
        condition=adjustment.condition,
        m=call.observed.m,
        span=call.observed.call.span,
        line=adjustment.line,
    )


def adjust(low: int, high: int, adjustments: Sequence[Adjustment]) -> tuple[int, int]:
    """Both ends moved by the sum of the adjustments, within their clamps.

    The sum is clamped once, so the order of adjustments does not matter.
    """
    total = sum(a.amount for a in adjustments)
    floor = max((a.clamp_low for a in adjustments), default=LOWEST_SCORE)
    ceiling = min((a.clamp_high for a in adjustments), default=HIGHEST_SCORE)

    def moved(score: int) -> int:
        return max(floor, min(ceiling, score + total))

    return moved(low), moved(high)
