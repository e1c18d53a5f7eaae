"""The transcript view by keys and calls, on hand-written and hostile text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from geode_tui.domain.base import Span
from geode_tui.domain.score import Evidence
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Segment,
    SegmentKind,
    Source,
    ToolCall,
    Transcript,
)
from geode_tui.tui.widgets.transcript_view import TranscriptView

BAD = re.compile(
    "[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\u2028\u2029]"
)


class Shown(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []

    def compose(self) -> ComposeResult:
        yield TranscriptView()

    def on_transcript_view_cursor_moved(
        self, notice: TranscriptView.CursorMoved
    ) -> None:
        self.heard.append(("cursor", notice.m, notice.branch))

    def on_transcript_view_replay_changed(
        self, notice: TranscriptView.ReplayChanged
    ) -> None:
        self.heard.append(("replay", notice.at, notice.total))


def call(text: str, start: int) -> ToolCall:
    return ToolCall(name="t", how="bare_json", span=Span(start=start, end=len(text)))


def story() -> Transcript:
    texts = {
        1: (Role.SYSTEM, "You help."),
        2: (Role.USER, "Which tier?"),
        3: (Role.ASSISTANT, "Looking.\n{call one}"),
        4: (Role.USER, "\n".join(f"row {i} of the result" for i in range(200))),
        5: (Role.ASSISTANT, "Gold."),
        6: (Role.ASSISTANT, "{call two}"),
        7: (Role.USER, "Never mind."),
    }
    messages = []
    for m, (role, text) in texts.items():
        calls = (call(text, text.index("{")),) if "{" in text else ()
        messages.append(Message(m=m, role=role, text=text, tool_calls=calls))
    return Transcript(
        source=Source(log="l", path="l", format="openai", sample_id="s"),
        messages=tuple(messages),
        branches=(
            Branch(n=1, kind=BranchKind.TRUNK, own=(1, 2, 3, 4, 5)),
            Branch(n=2, kind=BranchKind.ROLLBACK, parent=1, forked_from=2, own=(6, 7)),
        ),
    )


def one(text: str) -> Transcript:
    return Transcript(
        source=Source(log="l", path="l", format="openai", sample_id="s"),
        messages=(Message(m=1, role=Role.TOOL, text=text, tool=text, error=text),),
        branches=(Branch(n=1, kind=BranchKind.TRUNK, own=(1,)),),
    )


def lines(view: TranscriptView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def opened(pilot: Pilot[None], shown: Transcript) -> TranscriptView:
    view = pilot.app.query_one(TranscriptView)
    await pilot.pause()
    view.show(shown)
    view.focus()
    await pilot.pause()
    return view


async def test_the_page_as_it_is_read() -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, story())
        assert lines(view)[:13] == [
            "┃── Branch 1 - first conversation " + "─" * 26,
            "┃□ M1 SYSTEM · branch 1",
            "┃  You help.",
            "┃",
            " ○ M2 USER · branch 1",
            "   Which tier?",
            "",
            " ● M3 ASSISTANT · branch 1 · 1 call",
            "   Looking.",
            " > {call one}",
            "",
            " ○ M4 USER · branch 1",
            "   row 0 of the result",
        ]


async def test_keys_move_the_cursor_by_message_branch_and_call() -> None:
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, story())
        for key, m in (("j", 2), ("j", 3), ("k", 2), ("}", 6), ("{", 1)):
            await pilot.press(key)
            assert view.current_m == m
        assert app.heard[-1] == ("cursor", 1, 1)
        await pilot.press("t")
        assert view.current_m == 3
        await pilot.press("t")
        assert view.current_m == 6
        await pilot.press("T")
        assert view.current_m == 3
        await pilot.press("end")
        assert view.current_m == 7
        await pilot.press("home")
        assert view.current_m == 1


async def test_a_jump_shows_the_line_and_opens_the_fold() -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, story())
        text = story().message(4).text
        assert any("180 more lines" in line for line in lines(view)) is False
        at = text.index("row 150")
        view.jump_to(4, Span(start=at, end=at + 7))
        await pilot.pause()
        assert any("row 150 of the result" in line for line in lines(view))
        assert view.current_m == 4


async def test_search_counts_steps_and_unfolds() -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, story())
        state = view.search("ROW 19")
        assert (state.count, state.index) == (11, 0)
        view.next_hit()
        await pilot.pause()
        assert view.search_state.index == 1
        assert any("row 190" in line for line in lines(view))
        view.previous_hit()
        view.previous_hit()
        assert view.search_state.index == 10
        assert view.search("nothing like it").count == 0
        view.clear_search()
        assert view.search_state.count == 0


async def test_a_replay_reveals_message_by_message() -> None:
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, story())
        await pilot.press("p", "space", "space")
        assert ("cursor", 3, 1) in app.heard
        assert ("replay", 3, 7) in app.heard
        assert not any("M4" in line for line in lines(view))
        assert view.search("Never mind").count == 0
        await pilot.press("minus")
        assert view.current_m == 2
        assert not view.jump_to(7)
        assert (view.replaying, view.current_m) == (True, 2)
        await pilot.press("p")
        assert not view.replaying
        assert view.jump_to(7)
        assert view.current_m == 7


async def test_lines_are_selected_by_keys_as_raw_text() -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, one("a\tb\r\nsecond\x1b line\nthird"))
        assert view.selection_span() is None
        await pilot.press("v", "down")
        chosen = view.selection_span()
        assert chosen == (1, Span(start=0, end=17))
        assert (
            chosen[1].of("a\tb\r\nsecond\x1b line\nthird") == "a\tb\r\nsecond\x1b line"
        )
        await pilot.press("escape")
        assert view.selection_span() is None


async def test_evidence_and_counted_calls_show_in_the_gutter() -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, story())
        view.set_evidence([Evidence(m=2), Evidence(m=3, span=Span(start=0, end=7))])
        view.set_highlights([(6, Span(start=0, end=10))])
        page = lines(view)
        assert page[5] == " * Which tier?"
        assert page[8] == " * Looking."
        await pilot.press("t")
        assert view.current_m == 6
        assert any(line.startswith("┃# {call two}") for line in lines(view))


async def test_reasoning_is_folded_and_can_be_forbidden() -> None:
    text = "<thinking>secret plan</thinking>\nGold."
    message = Message(
        m=1,
        role=Role.ASSISTANT,
        text=text,
        segments=(Segment(kind=SegmentKind.REASONING, span=Span(start=0, end=32)),),
    )
    shown = one("x").model_copy(update={"messages": (message,)})
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, shown)
        assert lines(view)[1:3] == ["┃~ reasoning, 1 line, R shows it", "┃  Gold."]
        await pilot.press("R")
        assert any("secret plan" in line for line in lines(view))
        view.show(shown, show_reasoning=False)
        await pilot.press("R")
        assert not any("secret plan" in line for line in lines(view))


@pytest.mark.parametrize("width", [1, 2, 3, 7, 80, 160])
async def test_hostile_text_is_shown_as_text(
    hostile_texts: Sequence[str], width: int
) -> None:
    async with Shown().run_test(size=(width, 24)) as pilot:
        view = pilot.app.query_one(TranscriptView)
        for text in hostile_texts:
            view.show(one(text), harness_errors=("x",))
            view.set_evidence([Evidence(m=1)])
            view.search("x")
            view.toggle_fold()
            await pilot.pause()
            for y in range(view.size.height):
                strip = view.render_line(y)
                assert not BAD.search(strip.text)
                assert strip.cell_length == view.size.width


async def test_the_anchor_stays_over_a_resize() -> None:
    async with Shown().run_test(size=(100, 20)) as pilot:
        view = await opened(pilot, story())
        view.jump_to(5)
        await pilot.pause()
        await pilot.resize_terminal(50, 20)
        await pilot.pause()
        assert any("M5 ASSISTANT" in line for line in lines(view))
