"""What the text beside the transcript is made of: no control character, no loss."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from geode_tui.domain.labelling import LabelState, QueueRow, Reveal
from geode_tui.domain.rubric import (
    Band,
    Clause,
    DeltaRule,
    Dimension,
    Rubric,
    RubricStyle,
    SideChannel,
    SubMode,
)
from geode_tui.domain.score import (
    Citation,
    DimensionVerdict,
    Draft,
    Event,
    EventKind,
    Evidence,
    Verdict,
    VerdictState,
)
from geode_tui.domain.seed import Section, SectionKind, Seed
from geode_tui.tui.widgets.history_text import history_lines
from geode_tui.tui.widgets.lines import Line
from geode_tui.tui.widgets.prose import raw_lines
from geode_tui.tui.widgets.queue_list import row_line
from geode_tui.tui.widgets.reveal_text import reveal_lines
from geode_tui.tui.widgets.rubric_text import rubric_lines
from geode_tui.tui.widgets.score_bar import grid_lines, scale_pieces
from geode_tui.tui.widgets.seed_text import seed_lines

DANGEROUS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def rubric(text: str) -> Rubric:
    return Rubric(
        style=RubricStyle.DELTA_TABLE,
        dimensions=(Dimension(name=text, text=text),),
        bands=(Band(dimension=text, condition=text, word=text, sub_modes=text),),
        deltas=(
            DeltaRule(tool=text, condition=text, deltas={text: 1}, also_flags=(text,)),
        ),
        sub_modes=(SubMode(key=text, label=text, tools=(text,), text=text),),
        side_channels=(SideChannel(key=text, axis=text, text=text),),
        guards=(Clause(key=text, text=text),),
        discrimination=(Clause(key=text, text=text),),
        raw=text,
    )


def seed(text: str) -> Seed:
    kinds = (SectionKind.AUDITOR, SectionKind.TOOLS, SectionKind.OTHER)
    return Seed(
        path=text,
        name=text,
        body=text,
        system_prompt=text,
        user_turns=(text,),
        sections=tuple(Section(kind=k, heading=text, text=text, line=1) for k in kinds),
        rubric=rubric(text),
    )


def reveal(text: str) -> Reveal:
    verdict = Verdict(
        id="v",
        transcript="t",
        rater=text,
        state=VerdictState.TRUNCATED,
        scores=(
            DimensionVerdict(
                dimension=text,
                value=4.5,
                state=VerdictState.OK,
                citations=(Citation(text=text, m=2, quote=text),),
            ),
        ),
        explanation=text,
        summary=text,
        highlights=text,
        citations=(Citation(text=text, quote=text), Citation(text=text, m=1)),
    )
    label = Event(
        transcript="t",
        rubric="r",
        # Constrained strings are refused with a lone surrogate in them.
        rater=text.encode("utf-8", "replace").decode(),
        scores={text: 3},
        sub_modes=(text,),
        flags=(text,),
        evidence=(Evidence(m=1, quote=text),),
        note=text,
    )
    event = Event(event=EventKind.REVEAL, transcript="t", rater="ada")
    return Reveal(event=event, verdicts=(verdict,), labels=(label,))


def row(text: str) -> QueueRow:
    return QueueRow(
        id="t",
        source=text,
        sample_id=text,
        epoch=2,
        seed=text,
        target_dimensions=(text,),
        model=text,
        messages=3,
        branches=1,
        validity=(),
        state=LabelState.REDO,
    )


def all_lines(text: str, width: int) -> list[Line]:
    wording = rubric(text)
    shown = reveal(text)
    dimension = wording.dimensions[0]
    return [
        *rubric_lines(wording, wording.dimensions, {text: "d"}, width),
        *raw_lines(text, width),
        *seed_lines(seed(text), "", width),
        *seed_lines(None, text, width),
        *reveal_lines(shown, {text: 2}, width),
        *history_lines([*shown.labels, shown.event], width),
        *grid_lines(wording.dimensions, Draft(scores={text: 3}), 0, width, 3),
        Line(tuple(scale_pieces(wording, dimension, 3))),
        row_line(row(text), max(60, width), current=True),
    ]


@pytest.mark.parametrize("width", [8, 40, 79, 158])
def test_no_control_character_is_left(hostile_texts: Sequence[str], width: int) -> None:
    for text in hostile_texts:
        one = text if text.strip() else "x" + text
        for line in all_lines(one[:20_000], width):
            assert not DANGEROUS.search(line.plain), repr(line.plain)


def test_markup_stays_as_written() -> None:
    text = "[@click=app.quit]press[/] [/ [b]"
    shown = "\n".join(line.plain for line in raw_lines(text, 60))
    assert shown == text
    lines = rubric_lines(rubric(text), (Dimension(name="d", text=text),), {}, 100)
    assert text in "\n".join(line.plain for line in lines)
