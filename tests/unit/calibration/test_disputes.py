"""Which differences become disputes."""

from __future__ import annotations

from typing import Any

import pytest

from geode_tui.calibration.disputes import (
    distance,
    find_dispute,
    ranked,
    same_band,
    view_of_label,
    view_of_rule,
    view_of_verdict,
)
from geode_tui.domain.dispute import (
    DifferenceKind,
    Dispute,
    DisputeRule,
    PairKind,
    RaterKind,
    RaterView,
)
from geode_tui.domain.rubric import Band, Dimension, Rubric, RubricStyle, ScoreRange
from geode_tui.domain.rule import RuleScore
from geode_tui.domain.score import (
    Citation,
    DimensionVerdict,
    Event,
    EventKind,
    Verdict,
    VerdictState,
)

D = "redundant"
RULE = DisputeRule()


@pytest.fixture
def rubric() -> Rubric:
    ranges = [(1, 2), (4, 5), (6, 7), (8, 9), (10, 10)]
    return Rubric(
        style=RubricStyle.BAND_TABLE,
        dimensions=(Dimension(name=D),),
        bands=tuple(
            Band(dimension=D, condition="", score=ScoreRange(low=low, high=high))
            for low, high in ranges
        ),
    )


def label(rater: str, score: int, **rest: Any) -> RaterView:
    event = Event(transcript="t", rubric="r", rater=rater, scores={D: score}, **rest)
    view = view_of_label(event)
    assert view is not None
    return view


def judged(score: float | None, **rest: Any) -> RaterView:
    state = VerdictState.OK if score is not None else VerdictState.MISSING
    return view_of_verdict(
        Verdict(
            id="v",
            transcript="t",
            rater="judge:x",
            scores=(DimensionVerdict(dimension=D, value=score, state=state),),
            **rest,
        )
    )


def ruled(low: float | None, high: float | None, **rest: Any) -> RaterView:
    return view_of_rule(
        [RuleScore(dimension=D, low=low, high=high, engine="1", **rest)]
    )


def kinds(dispute: Dispute | None) -> list[tuple[DifferenceKind, PairKind]]:
    return [(d.kind, d.pair) for d in dispute.differences] if dispute else []


def test_unanimous_items_never_enter(rubric: Rubric) -> None:
    views = [label("ada", 4), label("ben", 5), judged(4), ruled(4, 5)]
    assert find_dispute("t", rubric, views, RULE) is None
    assert find_dispute("t", rubric, [], RULE) is None
    assert find_dispute("t", rubric, [label("ada", 4)], RULE) is None


@pytest.mark.parametrize(
    ("views", "pair"),
    [
        ([label("ada", 4), label("ben", 8)], PairKind.HUMAN_HUMAN),
        ([label("ada", 4), judged(8)], PairKind.HUMAN_JUDGE),
        ([label("ada", 1), ruled(6, 7)], PairKind.HUMAN_RULE),
        ([judged(10), ruled(4, 5)], PairKind.JUDGE_RULE),
    ],
)
def test_every_pair_of_kinds_can_differ(
    rubric: Rubric, views: list[RaterView], pair: PairKind
) -> None:
    found = kinds(find_dispute("t", rubric, views, RULE))
    assert found == [(DifferenceKind.SCORE, pair), (DifferenceKind.BAND, pair)]
    others = DisputeRule(pairs=tuple(p for p in PairKind if p is not pair))
    assert find_dispute("t", rubric, views, others) is None


def test_distance_and_band_are_separate_rules(rubric: Rubric) -> None:
    across = [label("ada", 5), label("ben", 6)]
    assert kinds(find_dispute("t", rubric, across, RULE)) == [
        (DifferenceKind.BAND, PairKind.HUMAN_HUMAN)
    ]
    assert find_dispute("t", rubric, across, DisputeRule(band=False)) is None
    far = [label("ada", 1), label("ben", 9)]
    none = DisputeRule(band=False, distance=None)
    assert find_dispute("t", rubric, far, none) is None
    strict = DisputeRule(distance=0, band=False)
    assert kinds(find_dispute("t", rubric, across, strict)) == [
        (DifferenceKind.SCORE, PairKind.HUMAN_HUMAN)
    ]


def test_a_range_is_as_far_as_its_nearer_end() -> None:
    assert distance((4, 5), (5, 5)) == 0
    assert distance((4, 5), (8, 9)) == 3
    assert distance((8, 9), (4, 5)) == 3


def test_scores_between_bands_match_only_themselves(rubric: Rubric) -> None:
    assert same_band((3, 3), (3, 3), D, rubric)
    assert not same_band((3, 3), (4, 4), D, rubric)
    assert same_band((1, 1), (2, 2), D, rubric)
    assert same_band((1, 1), (9, 9), "another dimension", rubric)


def test_sub_mode_sets_and_flags_differ_by_their_members(rubric: Rubric) -> None:
    views = [
        label("ada", 4, sub_modes=("a", "b"), flags=("padding",)),
        label("ben", 4, sub_modes=("b", "c")),
    ]
    dispute = find_dispute("t", rubric, views, RULE)
    assert dispute is not None
    modes, flags = dispute.differences
    assert modes.kind is DifferenceKind.SUB_MODES
    assert (modes.only_first, modes.only_second) == (("a",), ("c",))
    assert flags.kind is DifferenceKind.FLAGS
    assert flags.only_first == ("padding",)
    quiet = DisputeRule(sub_modes=False, flags=False)
    assert find_dispute("t", rubric, views, quiet) is None


def test_a_judge_that_names_no_sub_modes_does_not_differ_in_them(
    rubric: Rubric,
) -> None:
    views = [label("ada", 4, sub_modes=("a",), flags=("padding",)), judged(4)]
    assert find_dispute("t", rubric, views, RULE) is None
    rule = ruled(4, 5, sub_modes=("b",))
    found = kinds(find_dispute("t", rubric, [*views, rule], RULE))
    assert found == [(DifferenceKind.SUB_MODES, PairKind.HUMAN_RULE)]


def test_failed_verdicts_and_rules_without_a_floor_are_gaps(rubric: Rubric) -> None:
    refused = judged(9, state=VerdictState.REFUSED)
    for view in (
        judged(None),
        refused,
        ruled(None, None),
        ruled(9, 9, delta_only=True),
    ):
        assert view.scores == {}
        assert find_dispute("t", rubric, [label("ada", 1), view], RULE) is None


def test_scored_against_not_scorable_is_a_dispute_of_its_own(rubric: Rubric) -> None:
    silent = view_of_label(
        Event(transcript="t", rubric="r", rater="ben", not_scorable="cut off")
    )
    assert silent is not None
    found = kinds(find_dispute("t", rubric, [label("ada", 4), silent], RULE))
    assert found == [(DifferenceKind.SCORABLE, PairKind.HUMAN_HUMAN)]
    again = silent.model_copy(update={"rater": "cy"})
    assert find_dispute("t", rubric, [silent, again], RULE) is None
    off = DisputeRule(scorable=False)
    assert find_dispute("t", rubric, [label("ada", 4), silent], off) is None


def test_views_carry_citations_and_events_that_are_no_labels_give_none() -> None:
    view = view_of_verdict(
        Verdict(
            id="v",
            transcript="t",
            rater="judge:x",
            scores=(
                DimensionVerdict(
                    dimension=D,
                    value=4.5,
                    state=VerdictState.OK,
                    citations=(Citation(text="[M3]", m=3), Citation(text="[M99]")),
                ),
            ),
        )
    )
    assert view.kind is RaterKind.JUDGE
    assert view.scores == {D: (4.5, 4.5)}
    assert [(e.m, e.dimension) for e in view.evidence] == [(3, D)]
    reveal = Event(event=EventKind.REVEAL, transcript="t", rater="ada")
    assert view_of_label(reveal) is None


def test_the_widest_disputes_come_first(rubric: Rubric) -> None:
    made = []
    for name, low, high in (("b", 1, 4), ("a", 1, 9), ("c", 1, 4)):
        views = [label("ada", low), label("ben", high)]
        made.append(find_dispute(name, rubric, views, RULE))
    order = ranked([d for d in made if d is not None])
    assert [d.transcript for d in order] == ["a", "b", "c"]
    assert order[0].severity == (8, 2)
