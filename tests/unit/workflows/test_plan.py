"""Planning from gathered values."""

from __future__ import annotations

import pytest

from geode_tui.config import Config, RaterSettings
from geode_tui.domain.report import Left
from geode_tui.domain.rubric import Dimension, Rubric, RubricStyle
from geode_tui.domain.score import (
    DimensionVerdict,
    Event,
    RaterRole,
    Verdict,
    VerdictState,
)
from geode_tui.errors import CalibrationError
from geode_tui.workflows.gather import SEED, Gathered, Item
from geode_tui.workflows.plan import make_plan, people_of

RUBRIC = Rubric(style=RubricStyle.PROSE, dimensions=(Dimension(name="d"),), raw="x")


def item(number: int, *, people: tuple[str, ...] = ("ann", "bob")) -> Item:
    score = 1 + number * 7 % 10
    labels = tuple(
        (
            SEED,
            Event(
                transcript=f"t{number}",
                rubric=RUBRIC.id,
                rater=rater,
                scores={"d": min(10, score + (number + shift) % 3)},
            ),
        )
        for shift, rater in enumerate(people)
    )
    verdict = Verdict(
        id=f"v{number}",
        transcript=f"t{number}",
        rater="judge:j",
        scores=(DimensionVerdict(dimension="d", value=score, state=VerdictState.OK),),
    )
    return Item(
        id=f"t{number}",
        family=f"f{number % 15}",
        asked=("d",),
        rubric=RUBRIC,
        labels=labels,
        verdicts=(verdict,),
        rule=(),
        validity=(),
        higher_is_better=frozenset(),
    )


def gathered(*items: Item) -> Gathered:
    return Gathered(items, Left())


def test_a_narrower_interval_needs_more_labels() -> None:
    have = gathered(*(item(n) for n in range(45)))
    more = []
    for width in (0.4, 0.1, 0.05):
        plan = make_plan(have, ["ann"], width=width, count=0, resamples=500)
        assert {need.figure for need in plan.needs} == {
            "ordinal alpha among people",
            "quadratic kappa of judge:j with people",
        }
        assert all(need.needed.reason is None for need in plan.needs)
        more.append([need.needed.more_items or 0 for need in plan.needs])
    for wide, narrow, narrower in zip(*more, strict=True):
        assert wide <= narrow < narrower
        assert narrower > 0


def test_few_families_give_a_reason_and_no_number() -> None:
    have = gathered(*(item(n) for n in range(5)))
    for need in make_plan(have, ["ann"], width=0.2, count=0, resamples=500).needs:
        assert need.needed.reason
        assert need.needed.more_items is None


def test_nobody_gets_what_they_have_labelled() -> None:
    have = gathered(
        *(item(n, people=("ann",)) for n in range(10)),
        *(item(n, people=()) for n in range(10, 30)),
    )
    plan = make_plan(have, ["ann", "bob"], width=0.2, count=30, resamples=200)
    assert len(plan.assignments) == 30
    assert len({one.transcript for one in plan.assignments}) == 30
    for one in plan.assignments:
        if int(one.transcript[1:]) < 10:
            assert one.raters == ("bob",)
    twice = [one for one in plan.assignments if len(one.raters) == 2]
    assert twice


def test_auditors_get_no_work_and_somebody_must() -> None:
    config = Config(
        raters=(
            RaterSettings(name="eve", role=RaterRole.AUDITOR),
            RaterSettings(name="cat"),
        )
    )
    have = gathered(item(1, people=("ann", "eve")))
    assert people_of(config, have) == ["ann", "cat"]
    with pytest.raises(CalibrationError, match="nobody is named"):
        make_plan(have, [], width=0.2, count=1)
