"""Hostile text in every field that a screen can show: it is only ever text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.strip import Strip

from geode_tui.domain.labelling import Form
from geode_tui.domain.rubric import (
    Band,
    Clause,
    Dimension,
    Floor,
    Rubric,
    RubricStyle,
    ScoreRange,
    SideChannel,
    SubMode,
)
from geode_tui.domain.score import Draft, Evidence
from geode_tui.domain.seed import Seed, ToolResponse
from geode_tui.errors import AnnotationError
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.screens.queue import QueueScreen

DANGEROUS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


async def until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    for _ in range(300):
        if true():
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came to that")


def check(pilot: Pilot[Any]) -> str:
    """The text on the screen; fails where a control byte is in it."""
    lines = []
    for strip in pilot.app.screen._compositor.render_strips():
        if not isinstance(pilot.app.screen, ModalScreen):
            # A dialog's edge may cut a cluster in two, which Textual cannot help.
            assert Strip(list(strip)).cell_length == pilot.app.size.width
        for segment in strip:
            assert not DANGEROUS.search(segment.text), repr(segment.text)
        lines.append(strip.text)
    return "\n".join(lines)


def hostile_rubric(text: str) -> Rubric:
    return Rubric(
        style=RubricStyle.BAND_TABLE,
        title=text,
        dimensions=(Dimension(name=text, text=text), Dimension(name=f"{text} 2")),
        bands=(
            Band(
                dimension=text,
                condition=text,
                score=ScoreRange(low=1, high=5),
                sub_modes=text,
            ),
            Band(dimension=text, condition=text, word=text),
        ),
        floor=Floor(n_min=1, tool=text, needs=text, text=text, ceilings={text: 2}),
        sub_modes=(SubMode(key=text, label=text, tools=(text,), text=text),),
        side_channels=(SideChannel(key=f"{text} flag", axis=text, text=text),),
        guards=(Clause(key=text, text=text),),
        not_scorable=(Clause(key=text, text=text),),
        raw=text,
    )


def hostile_task(text: str, make_task: Any, transcript_of: Any) -> Any:
    rubric = hostile_rubric(text)
    transcript = transcript_of(text[:2000], (text, "a", text, "b", text), branched=True)
    seed = Seed(
        path="seed.md",
        name=text,
        title=text,
        body=text,
        system_prompt=text,
        user_turns=(text,),
        tool_responses=(ToolResponse(tool=text, call=text, response=text),),
        rubric=rubric,
    )
    draft = Draft(
        scores={text: 4},
        sub_modes=(text,),
        evidence=(Evidence(m=1, quote=text),),
        note=text,
    )
    return make_task(
        rubric,
        transcript,
        seed=seed,
        draft=draft,
        forms=(Form(rubric=rubric, dimensions=rubric.dimensions),),
    )


@pytest.mark.parametrize("size", [(160, 48), (80, 24)])
async def test_rows_names_and_titles(
    hostile_texts: Sequence[str],
    fake_annotate: Any,
    make_task: Any,
    transcript_of: Any,
    make_app: Any,
    size: tuple[int, int],
) -> None:
    fake = fake_annotate(
        {
            f"t{index}": hostile_task(text, make_task, transcript_of)
            for index, text in enumerate(hostile_texts)
        }
    )
    app = make_app(fake, title="[/] \x1b]2;x\x07 [@click=app.quit]q[/]")
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, QueueScreen))
        await pilot.pause()
        check(pilot)
        await pilot.press("end")
        assert "state" in check(pilot)


@pytest.mark.parametrize("size", [(160, 48), (80, 24)])
async def test_every_part_of_the_label_screen(
    hostile_texts: Sequence[str],
    fake_annotate: Any,
    make_task: Any,
    transcript_of: Any,
    make_app: Any,
    size: tuple[int, int],
) -> None:
    text = "\n".join(one[:3000] for one in hostile_texts)
    fake = fake_annotate({"t0": hostile_task(text, make_task, transcript_of)})
    fake.rater = text[:50]
    app = make_app(fake)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, QueueScreen))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LabelScreen))
        screen = app.screen
        await until(pilot, lambda: screen.opened is not None)
        await pilot.pause()
        check(pilot)
        for key in ("tab", "r", "r", "r", "tab", "n", "escape", "x", "down"):
            await pilot.press(key)
            check(pilot)
        await pilot.press("escape", "E")
        check(pilot)
        await pilot.press("escape", "question_mark")
        check(pilot)
        await pilot.press("escape")

        async def refused(*_: Any) -> Any:
            raise AnnotationError(text[:2000], where=text[:200], hint=text[:200])

        fake.refusal = text[:2000]
        await pilot.press("V")
        await pilot.pause()
        check(pilot)
        await pilot.press("enter")
        screen.notify(text[:500], markup=False)
        await pilot.pause()
        fake.fail_save = AnnotationError(text[:300])
        await pilot.press("3")
        await pilot.pause(0.5)
        check(pilot)
        assert screen.draft.scores[text] == 4
