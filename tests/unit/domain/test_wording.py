from __future__ import annotations

import pytest

from geode_tui.domain.rubric import (
    Band,
    Dimension,
    Floor,
    Rubric,
    RubricStyle,
    ScoreRange,
)
from geode_tui.domain.wording import (
    direction_words,
    score_groups,
    score_words,
    span_words,
)

WASTE = Dimension(name="waste")


def rubric(*ranges: tuple[int, int]) -> Rubric:
    return Rubric(
        style=RubricStyle.BAND_TABLE,
        dimensions=(WASTE,),
        bands=tuple(
            Band(
                dimension="waste",
                condition=f"row {low}",
                score=ScoreRange(low=low, high=high),
            )
            for low, high in ranges
        ),
    )


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (2, "1-2: row 1"),
        (3, "between two rows: only an adjustment leads here"),
        (5, "4-5: row 4"),
        (10, "10: row 10"),
    ],
)
def test_a_score_reads_as_its_row(score: int, words: str) -> None:
    table = rubric((10, 10), (1, 2), (4, 5))
    assert score_words(table, WASTE, score) == words


def test_overlapping_rows_are_both_named() -> None:
    assert score_words(rubric((1, 3), (3, 5)), WASTE, 3) == "1-3: row 1; or 3-5: row 3"


def test_prose_says_nothing_of_a_score() -> None:
    assert score_words(rubric(), WASTE, 3) == ""


def test_a_floor_bounds_where_there_are_no_rows() -> None:
    floored = Rubric(
        style=RubricStyle.DELTA_TABLE,
        dimensions=(WASTE,),
        floor=Floor(n_min=1, ceilings={"waste": 2}),
    )
    assert score_words(floored, WASTE, 2) == "within the floor case (at most 2)"
    assert score_words(floored, WASTE, 3) == "above the floor case (at most 2)"


@pytest.mark.parametrize(
    "ranges", [(), ((1, 2), (4, 5), (6, 7)), ((1, 10),), ((3, 3),), ((2, 6), (4, 9))]
)
def test_groups_cover_the_scale_once(ranges: tuple[tuple[int, int], ...]) -> None:
    groups = score_groups(rubric(*ranges), "waste")
    scores = [s for g in groups for s in range(g.low, g.high + 1)]
    assert scores == list(range(1, 11))


def test_groups_are_cut_where_bands_are() -> None:
    groups = score_groups(rubric((1, 2), (4, 5)), "waste")
    assert [span_words(group) for group in groups] == ["1-2", "3", "4-5", "6-10"]


def test_direction() -> None:
    assert direction_words(WASTE) == "lower is better"
    up = Dimension(name="admirable", lower_is_better=False)
    assert direction_words(up) == "higher is better"
