"""Pictures of the screens, for one exact version of Textual."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from geode_tui.domain.labelling import Form, LabelState
from geode_tui.domain.score import Draft, Evidence
from geode_tui.domain.transcript import Validity
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.screens.queue import QueueScreen

WIDE, NARROW = (160, 48), (80, 24)
Before = Callable[[Pilot[Any]], Awaitable[None]]


async def until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    for _ in range(300):
        if true():
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came to that")


def opened(*keys: str) -> Before:
    """Open the first transcript that is to be done, then press keys."""

    async def before(pilot: Pilot[Any]) -> None:
        app = pilot.app
        await until(pilot, lambda: isinstance(app.screen, QueueScreen))
        if keys == ("queue",):
            await pilot.pause()
            return
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LabelScreen))
        screen = app.screen
        await until(pilot, lambda: screen.opened is not None)
        await pilot.press(*keys)
        await screen.saver.flush()
        await pilot.pause()

    return before


@pytest.fixture
def filled(annotate: Any, make_task: Any, transcript_of: Any) -> Any:
    """The first transcript has a draft; others are in other states."""
    draft = Draft(
        scores={"redundant_calls": 5},
        sub_modes=("defensive_reverification",),
        evidence=(Evidence(m=3),),
        note="It asks again what it has just been told.",
    )
    annotate.tasks["t1"] = annotate.tasks["t1"].model_copy(
        update={"draft": draft, "state": LabelState.DRAFT}
    )
    marks = (Validity.NO_TARGET_REPLY, Validity.DUPLICATE)
    for index, state in enumerate(LabelState):
        annotate.tasks[f"u{index}"] = make_task(
            transcript=transcript_of(
                f"sample-{index + 4}", validity=marks[: index % 3]
            ),
            state=state,
        )
    return annotate


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_queue(snap_compare: Any, make_app: Any, filled: Any, size: Any) -> None:
    app = make_app(filled)
    assert snap_compare(app, terminal_size=size, run_before=opened("queue"))


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_label(snap_compare: Any, make_app: Any, filled: Any, size: Any) -> None:
    assert snap_compare(make_app(filled), terminal_size=size, run_before=opened("left"))


def test_rubric_at_80_columns(snap_compare: Any, make_app: Any, filled: Any) -> None:
    app = make_app(filled)
    assert snap_compare(app, terminal_size=NARROW, run_before=opened("tab"))


def test_many_dimensions(
    snap_compare: Any,
    make_app: Any,
    annotate: Any,
    make_task: Any,
    band_rubric: Any,
    judge_rubric: Any,
) -> None:
    forms = tuple(
        Form(rubric=rubric, dimensions=rubric.dimensions)
        for rubric in (band_rubric, judge_rubric)
    )
    annotate.tasks = {"t1": make_task(band_rubric, forms=forms)}
    app = make_app(annotate)
    assert snap_compare(app, terminal_size=NARROW, run_before=opened("6", "3", "1"))
