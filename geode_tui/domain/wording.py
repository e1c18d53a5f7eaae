"""What a score means in a rubric's own words."""

from __future__ import annotations

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.rubric import Band, Dimension, Rubric, ScoreRange

_BETWEEN = "between two rows: only an adjustment leads here"


def span_words(score: ScoreRange) -> str:
    """``4-5``, or ``10`` where both ends are the same."""
    return str(score.low) if score.low == score.high else f"{score.low}-{score.high}"


def bands_of(rubric: Rubric, dimension: str) -> tuple[Band, ...]:
    """The dimension's own bands, lowest score first, those without scores last."""
    own = [band for band in rubric.bands if band.dimension == dimension]
    top = HIGHEST_SCORE + 1
    return tuple(sorted(own, key=lambda b: b.score.low if b.score else top))


def score_groups(rubric: Rubric, dimension: str) -> tuple[ScoreRange, ...]:
    """1..10 cut where the bands cut it; one group where there are none.

    Scores that no band covers make groups of their own, so the groups always
    cover the scale without overlap.
    """
    cuts: set[int] = {LOWEST_SCORE}
    for band in bands_of(rubric, dimension):
        if band.score:
            cuts |= {band.score.low, band.score.high + 1}
    starts = sorted(cut for cut in cuts if cut <= HIGHEST_SCORE)
    ends = [start - 1 for start in starts[1:]] + [HIGHEST_SCORE]
    return tuple(
        ScoreRange(low=low, high=high) for low, high in zip(starts, ends, strict=True)
    )


def score_words(rubric: Rubric, dimension: Dimension, score: int) -> str:
    """The row that a score falls into, in words; "" where the rubric has none."""
    bands = [band for band in bands_of(rubric, dimension.name) if band.score]
    hits = [b for b in bands if b.score and b.score.low <= score <= b.score.high]
    if hits:
        return "; or ".join(
            f"{span_words(b.score)}: {b.condition}" for b in hits if b.score
        )
    if bands:
        return _BETWEEN
    floor = rubric.floor
    if floor and (ceiling := floor.ceilings.get(dimension.name)) is not None:
        side = "within" if score <= ceiling else "above"
        return f"{side} the floor case (at most {ceiling})"
    return ""


def direction_words(dimension: Dimension) -> str:
    """Which end of the scale is good."""
    return "lower is better" if dimension.lower_is_better else "higher is better"
