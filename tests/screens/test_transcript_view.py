"""The transcript view by keys and calls, on hand-written and hostile text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection
from textual.strip import Strip

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
from geode_tui.tui.widgets.transcript_view import SearchState, TranscriptView

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


def many(texts: Sequence[str]) -> Transcript:
    messages = tuple(
        Message(m=m, role=Role.USER, text=text) for m, text in enumerate(texts, 1)
    )
    own = tuple(range(1, len(texts) + 1))
    return one("x").model_copy(
        update={
            "messages": messages,
            "branches": (Branch(n=1, kind=BranchKind.TRUNK, own=own),),
        }
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


async def test_lines_are_wrapped_for_the_width_beside_the_scroll_bar() -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, many(["word " * 400] * 3))
        assert not view.show_horizontal_scrollbar
        assert view._page.options.width + 3 == view.scrollable_content_region.width
        for line in lines(view)[1:15]:
            assert line.endswith("word")


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


def check(strip: Strip, width: int) -> None:
    assert not BAD.search(strip.text), ascii(strip.text)
    assert Strip(list(strip)).cell_length == width
    left, right = strip.divide([width // 2, width]) if width > 1 else (strip, strip)
    assert left.cell_length == width // 2 or width < 2
    assert cell_len(right.text) == width - width // 2 or width < 2


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
                check(view.render_line(y), view.size.width)


async def test_hostile_text_at_every_width(hostile_texts: Sequence[str]) -> None:
    texts = [text[:300] for text in hostile_texts]
    async with Shown().run_test(size=(80, 24)) as pilot:
        view = pilot.app.query_one(TranscriptView)
        for number, text in enumerate(texts):
            view.show(one(text + "\n" + texts[number - 1]))
            for width in range(1, 161):
                options = replace(view._page.options, width=max(width - 3, 2))
                for safe in (False, True):
                    view._page.lay_out(replace(options, ascii_safe=safe))
                    for row in range(min(view._page.body(0).height + 2, 8)):
                        check(Strip(view._paint(0, row, width), width), width)
        await pilot.pause()


async def test_the_anchor_stays_over_a_resize() -> None:
    async with Shown().run_test(size=(100, 20)) as pilot:
        view = await opened(pilot, story())
        view.jump_to(5)
        await pilot.pause()
        await pilot.resize_terminal(50, 20)
        await pilot.pause()
        assert any("M5 ASSISTANT" in line for line in lines(view))


async def test_what_is_read_stays_while_the_rest_is_measured() -> None:
    texts = ["short\n" * (m % 9) + "word " * (13 * m) for m in range(1, 400)]
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, many(texts))
        view.fold_all(False)
        view.jump_to(300)
        before = lines(view)
        while view._idle is not None:
            await pilot.pause(0.01)
        assert bytes(view._page._exact) == b"\x01" * len(texts)
        assert lines(view) == before
        assert "M300" in before[0]


async def test_a_very_long_output_is_reached_at_any_place() -> None:
    text = "\n".join(f"row {i} of a very long result" for i in range(60_000))
    async with Shown().run_test(size=(60, 30)) as pilot:
        view = await opened(pilot, many(["ask", text, "end"]))
        (about,) = [line for line in lines(view) if "more lines" in line]
        assert 50_000 < int(about.split()[2].replace(",", "")) < 70_000
        for row in (59_990, 31_000, 12):
            at = text.index(f"row {row} ")
            view.jump_to(2, Span(start=at, end=at + 5))
            await pilot.pause()
            assert any(
                line.endswith(f"row {row} of a very long result")
                for line in lines(view)
            )
        await pilot.press("end")
        assert any(line.endswith("end") for line in lines(view))
        while view._idle is not None:
            await pilot.pause(0.01)
        assert view.virtual_size.height == 60_000 + 2 + 3 + 3


async def test_a_mouse_selection_is_shown_and_is_a_raw_stretch() -> None:
    text = "\u6f22\u5b57 first\tline\nsecond line"
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, one(text))
        view.selection_updated(Selection(Offset(6, 1), Offset(9, 2)))
        chosen = view.selection_span()
        assert chosen is not None
        assert chosen[1].of(text) == "first\tline\nsecond"
        strip = view.render_line(1)
        reverse = [s.text for s in strip if s.style and s.style.reverse]
        assert reverse == ["first  line"]
        whole = view.get_selection(Selection(None, None))
        assert whole == ("\u6f22\u5b57 first  line\nsecond line", "\n")
        view.selection_updated(None)
        assert view.selection_span() is None


async def test_a_drag_selects_and_a_click_moves_the_cursor() -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, story())
        await pilot.click(TranscriptView, offset=(5, 5))
        assert view.current_m == 2
        await pilot.mouse_down(TranscriptView, offset=(3, 5))
        await pilot.hover(TranscriptView, offset=(8, 5))
        await pilot.mouse_up(TranscriptView, offset=(8, 5))
        chosen = view.selection_span()
        assert chosen is not None
        assert chosen[0] == 2
        assert chosen[1].of("Which tier?").startswith("Which")
        await pilot.press("escape")
        assert view.selection_span() is None


async def test_the_ends_of_a_selection_move_by_words() -> None:
    text = "The tier is gold, not silver."
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, one(text))

        async def after(*keys: str) -> str:
            await pilot.press(*keys)
            chosen = view.selection_span()
            assert chosen is not None
            return chosen[1].of(text)

        assert await after("v") == text
        assert await after("right_square_bracket") == "tier is gold, not silver."
        assert await after("<", "<") == "tier is gold, not"
        assert await after(">") == "tier is gold, not silver"
        assert await after("left_square_bracket") == "The tier is gold, not silver"
        await pilot.press("v")
        assert view.selection_span() is None
        assert view.current_m == 1


async def test_a_fold_opens_by_a_click_and_by_key() -> None:
    async with Shown().run_test(size=(60, 40)) as pilot:
        view = await opened(pilot, story())
        y = next(i for i, line in enumerate(lines(view)) if "180 more lines" in line)
        await pilot.click(TranscriptView, offset=(8, y))
        assert lines(view)[y] == "┃< row 20 of the result" or "row 20" in lines(view)[y]
        assert view.current_m == 4
        await pilot.press("z")
        assert "180 more lines" in lines(view)[y]
        await pilot.press("Z")
        assert "row 20" in lines(view)[y]


async def test_json_and_odd_characters_can_be_shown_another_way() -> None:
    text = '{"key": "' + "v" * 80 + '", "face": "\U0001f44d\U0001f3fd"}'
    async with Shown().run_test(size=(120, 20)) as pilot:
        view = await opened(pilot, one(text))
        assert lines(view)[1:5] == [
            "┃< {",
            f'┃<   "key": "{"v" * 80}",',
            '┃<   "face": "\U0001f44d\U0001f3fd"',
            "┃< }",
        ]
        await pilot.press("!")
        assert lines(view)[3] == '┃<   "face": "<U+1F44D><U+1F3FD>"'
        await pilot.press("!", "|")
        assert lines(view)[1] == f"┃< {text}"


async def test_a_reply_that_is_the_harness_s_own_error_is_called_so() -> None:
    message = Message(m=1, role=Role.ASSISTANT, text="API overloaded")
    shown = one("x").model_copy(update={"messages": (message,)})
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, shown)
        assert lines(view)[0] == "┃● M1 ASSISTANT"
        view.show(shown, harness_errors=("overloaded",))
        assert lines(view)[0] == "┃● M1 ASSISTANT · harness error?"


async def test_a_search_finds_no_reasoning_that_must_not_be_shown() -> None:
    text = "<thinking>secret plan</thinking>\nNo secret."
    message = Message(
        m=1,
        role=Role.ASSISTANT,
        text=text,
        segments=(Segment(kind=SegmentKind.REASONING, span=Span(start=0, end=32)),),
    )
    shown = one("x").model_copy(update={"messages": (message,)})
    async with Shown().run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, shown)
        assert view.search("secret").count == 2
        assert any("secret plan" in line for line in lines(view))
        view.show(shown, show_reasoning=False)
        assert view.search("secret").count == 1
        view.jump_to(1, Span(start=12, end=14))
        assert not any("secret plan" in line for line in lines(view))


async def test_a_long_search_goes_on_while_the_reader_reads() -> None:
    texts = [f"message {m} " + "filler " * 30_000 for m in range(60)]
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        view = await opened(pilot, many([*texts, "the needle", "the needle"]))
        state = view.search("needle")
        assert (state.complete, state.count) == (False, 0)
        while view._idle is not None:
            await pilot.pause(0.01)
        assert view.search_state == SearchState(2, 0)
        assert view.current_m == 61
        view.next_hit()
        assert view.current_m == 62
