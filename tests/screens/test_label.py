"""The Label screen by keys alone, over a workflow in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Footer, Input

from geode_tui.config import AppSettings, Config
from geode_tui.domain.labelling import Form, LabelState
from geode_tui.domain.score import Draft, Evidence
from geode_tui.domain.transcript import Validity
from geode_tui.errors import AnnotationError
from geode_tui.tui.screens.evidence import EvidenceScreen
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.screens.modals import AskReason, Reading, Told
from geode_tui.tui.screens.queue import QueueScreen
from geode_tui.tui.widgets.fields import NoteArea
from geode_tui.tui.widgets.lines import LinesWidget
from geode_tui.tui.widgets.rubric_panel import Page, RubricPanel
from geode_tui.tui.widgets.status_line import SaveState, StatusLine
from geode_tui.tui.widgets.transcript_view import TranscriptView

WIDE, NARROW = (160, 48), (80, 24)


async def settle(pilot: Pilot[Any]) -> None:
    """Wait for workers (not for a dialog's answer) and one idle moment."""
    await pilot.pause()
    waiting = [w for w in pilot.app.workers if w.group in {"open", "filter"}]
    if waiting:
        await pilot.app.workers.wait_for_complete(waiting)
    await pilot.pause()


async def until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    """Let the app run until something is so; fails when it never is."""
    for _ in range(200):
        if true():
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came to that")


Opened = Callable[..., AbstractAsyncContextManager[Pilot[Any]]]


@pytest.fixture
def label(make_app: Any, annotate: Any) -> Opened:
    """``async with label(fake, size=) as pilot``: the first transcript is open."""

    @asynccontextmanager
    async def opened(
        fake: Any = None, size: tuple[int, int] = WIDE, config: Config | None = None
    ) -> AsyncIterator[Pilot[Any]]:
        app = make_app(fake or annotate, config)
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: isinstance(app.screen, QueueScreen))
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, LabelScreen))
            await until(pilot, lambda: app.screen.opened is not None)
            await settle(pilot)
            yield pilot

    return opened


def screen_of(pilot: Pilot[Any]) -> LabelScreen:
    screen = pilot.app.screen_stack[-1]
    assert isinstance(screen, LabelScreen)
    return screen


def words(pilot: Pilot[Any], widget: type[LinesWidget] | str) -> str:
    found = pilot.app.screen.query_one(widget)
    assert isinstance(found, LinesWidget)
    return "\n".join(line.plain for line in found.lines(found.size.width))


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_digit_and_enter_label_and_lead_on(
    label: Opened, annotate: Any, size: tuple[int, int]
) -> None:
    async with label(size=size) as pilot:
        await pilot.press("5", "enter")
        await settle(pilot)
        assert annotate.tasks["t1"].labels[0].scores == {"redundant_calls": 5}
        assert annotate.calls[-2:] == ["submit t1", "task t2"]
        assert "wasted_effort" in words(pilot, "DimensionBar")


async def test_the_last_label_leads_back_to_the_queue(
    label: Opened, annotate: Any
) -> None:
    async with label() as pilot:
        for _ in range(3):
            await pilot.press("1", "enter")
            await settle(pilot)
        assert isinstance(pilot.app.screen, QueueScreen)
        assert "3 of 3 done" in words(pilot, "_Top")


async def test_the_score_reads_as_its_band(label: Opened) -> None:
    async with label() as pilot:
        await pilot.press("0")
        bar = words(pilot, "DimensionBar")
        assert "[10]" in bar
        assert "10: four or more calls" in bar
        await pilot.press("3")
        assert "only an adjustment leads here" in words(pilot, "DimensionBar")


async def test_letters_toggle_marks(label: Opened) -> None:
    async with label() as pilot:
        await pilot.press("d", "c", "l", "c")
        draft = screen_of(pilot).draft
        assert draft.sub_modes == ("defensive_reverification",)
        assert draft.flags == ("padding_leak",)
        assert "d [x] defensive re-verification" in words(pilot, "SubModeBar")
        assert "c [ ] cross-tool overlap" in words(pilot, "SubModeBar")


async def test_everything_typed_is_saved_and_only_then_said_so(
    label: Opened, annotate: Any
) -> None:
    annotate.held = []
    async with label() as pilot:
        await pilot.press("4")
        await until(pilot, lambda: bool(annotate.held))
        status = pilot.app.screen.query_one(StatusLine)
        assert status.state is SaveState.SAVING
        assert annotate.saved == [("t1", Draft(scores={"redundant_calls": 4}))]
        annotate.held[0].set_result(None)
        annotate.held = None
        await screen_of(pilot).saver.flush()
        assert status.state is SaveState.SAVED


async def test_a_failed_save_says_so_and_keeps_the_draft(
    label: Opened, annotate: Any
) -> None:
    annotate.fail_save = AnnotationError("the disk is full.")
    async with label() as pilot:
        await pilot.press("4")
        status = pilot.app.screen.query_one(StatusLine)
        await until(pilot, lambda: status.state is SaveState.FAILED)
        assert "NOT SAVED: the disk is full." in words(pilot, StatusLine)
        await pilot.press("q")
        await settle(pilot)
        assert screen_of(pilot).draft.scores == {"redundant_calls": 4}
        annotate.fail_save = None
        assert await screen_of(pilot).saver.flush()
        assert annotate.saved[-1] == ("t1", Draft(scores={"redundant_calls": 4}))


async def test_leaving_and_quitting_store_the_draft_first(
    label: Opened, annotate: Any
) -> None:
    async with label() as pilot:
        await pilot.press("4", "q")
        await settle(pilot)
        assert isinstance(pilot.app.screen, QueueScreen)
        assert annotate.saved[-1][1].scores == {"redundant_calls": 4}
        await pilot.press("enter")
        await settle(pilot)
        assert screen_of(pilot).draft.scores == {"redundant_calls": 4}
        await pilot.press("7", "ctrl+q")
        assert annotate.saved[-1][1].scores == {"redundant_calls": 7}


async def test_a_missing_score_is_said_and_nothing_is_lost(
    label: Opened, annotate: Any
) -> None:
    async with label() as pilot:
        await pilot.press("d", "enter")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Told)
        await pilot.press("enter")
        await pilot.pause()
        assert screen_of(pilot).draft.sub_modes == ("defensive_reverification",)
        await screen_of(pilot).saver.flush()
        assert annotate.saved[-1][1].sub_modes == ("defensive_reverification",)


async def test_undo_and_redo(label: Opened) -> None:
    async with label() as pilot:
        await pilot.press("5", "d", "u")
        assert screen_of(pilot).draft == Draft(scores={"redundant_calls": 5})
        await pilot.press("u", "U", "U")
        draft = screen_of(pilot).draft
        assert draft.scores == {"redundant_calls": 5}
        assert draft.sub_modes == ("defensive_reverification",)


async def test_undo_after_a_submit_takes_the_label_back(
    label: Opened, annotate: Any
) -> None:
    async with label() as pilot:
        await pilot.press("5", "enter")
        await settle(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert annotate.calls[-1] == "withdraw t1"
        assert screen_of(pilot).draft.scores == {"redundant_calls": 5}
        assert "taken back" in words(pilot, StatusLine)
        await pilot.press("enter")
        await settle(pilot)
        assert annotate.tasks["t1"].state is LabelState.DONE


async def test_a_done_label_opens_as_it_was_and_can_be_taken_back(
    label: Opened, annotate: Any
) -> None:
    async with label() as pilot:
        await pilot.press("5", "d", "enter")
        await settle(pilot)
        await pilot.press("left_parenthesis")
        await settle(pilot)
        assert screen_of(pilot).draft.sub_modes == ("defensive_reverification",)
        assert "submitted: 2026-01-02 03:04" in words(pilot, StatusLine)
        submitted = annotate.calls.count("submit t1")
        await pilot.press("enter")
        await settle(pilot)
        assert annotate.calls.count("submit t1") == submitted
        await pilot.press("left_parenthesis")
        await settle(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert annotate.tasks["t1"].state is LabelState.DRAFT


async def test_keys_are_off_while_text_is_typed(label: Opened, annotate: Any) -> None:
    async with label() as pilot:
        await pilot.press("n", *"5dx qeu?", "enter", "1")
        screen = screen_of(pilot)
        assert screen.draft == Draft(note="5dx qeu?\n1")
        assert "Submit" not in str(pilot.app.screen.query_one(Footer).visible)
        await pilot.press("escape", "5")
        await pilot.pause()
        assert not screen.query_one(NoteArea).display
        assert screen.draft.scores == {"redundant_calls": 5}
        await pilot.press("n", "!", "tab", "d")
        assert screen.draft.note == "5dx qeu?\n1!"
        assert screen.draft.sub_modes == ("defensive_reverification",)
        await screen.saver.flush()
        assert annotate.saved[-1][1] == screen.draft


async def test_not_scorable_needs_a_reason_and_offers_the_facts(
    label: Opened, annotate: Any, make_task: Any, transcript_of: Any
) -> None:
    transcript = transcript_of("s", validity=(Validity.NO_TARGET_REPLY,))
    annotate.tasks = {"t1": make_task(transcript=transcript)}
    async with label() as pilot:
        await pilot.press("5", "x", "enter")
        await pilot.pause()
        assert screen_of(pilot).draft.scores == {"redundant_calls": 5}
        await pilot.press("x", "down", "enter")
        await pilot.pause()
        assert screen_of(pilot).draft == Draft(not_scorable="The target never replied.")
        assert "Not scorable: The target never replied." in words(pilot, "DimensionBar")
        await pilot.press("enter")
        await settle(pilot)
        assert annotate.tasks["t1"].state is LabelState.NOT_SCORABLE


async def test_reason_dialog_escapes_without_a_change(label: Opened) -> None:
    async with label() as pilot:
        await pilot.press("x", *"nope")
        assert isinstance(pilot.app.screen, AskReason)
        await pilot.press("escape")
        await pilot.pause()
        assert screen_of(pilot).draft == Draft()


async def test_evidence_marks_lists_jumps_and_deletes(label: Opened) -> None:
    async with label() as pilot:
        view = pilot.app.screen.query_one(TranscriptView)
        await pilot.press("e")
        view.jump_to(3)
        await pilot.pause()
        await pilot.press("e")
        assert screen_of(pilot).draft.evidence == (Evidence(m=1), Evidence(m=3))
        assert "evidence M1, M3" in words(pilot, StatusLine)
        await pilot.press("E")
        assert isinstance(pilot.app.screen, EvidenceScreen)
        await pilot.press("d", "enter")
        await pilot.pause()
        assert screen_of(pilot).draft.evidence == (Evidence(m=3),)
        assert view.current_m == 3
        await pilot.press("e")
        assert screen_of(pilot).draft.evidence == ()


async def test_many_dimensions(
    label: Opened, annotate: Any, make_task: Any, band_rubric: Any, judge_rubric: Any
) -> None:
    forms = tuple(
        Form(rubric=r, dimensions=r.dimensions) for r in (band_rubric, judge_rubric)
    )
    annotate.tasks = {"t1": make_task(band_rubric, forms=forms)}
    async with label(size=NARROW) as pilot:
        screen = screen_of(pilot)
        await pilot.press("6", "3")
        assert screen.draft.scores == {"redundant_calls": 6, "disappointing": 3}
        assert "needs_attention" in words(pilot, "DimensionBar").splitlines()[0]
        await pilot.press("left", "left", "4")
        assert screen.draft.scores["redundant_calls"] == 4
        await pilot.press("equals_sign")
        assert len(screen.draft.scores) == 21
        assert "admirable" not in screen.draft.scores
        await pilot.press("equals_sign")
        assert len(screen.draft.scores) == 23
        assert screen.draft.scores["scenario_realism"] == 1
        assert "4 of 12" not in words(pilot, "DimensionBar")
        bar = screen.query_one("#bar")
        assert bar.size.height <= 10
        assert bar.region.bottom <= 23


async def test_two_sides_at_80_columns(label: Opened) -> None:
    async with label(size=NARROW) as pilot:
        view = pilot.app.screen.query_one(TranscriptView)
        panel = pilot.app.screen.query_one(RubricPanel)
        bar = pilot.app.screen.query_one("#bar")
        assert (view.region.width, panel.region.width) == (80, 0)
        await pilot.press("tab")
        assert (view.region.width, panel.region.width) == (0, 80)
        assert bar.region.height > 0
        await pilot.press("5", "tab")
        assert view.region.width == 80
        assert screen_of(pilot).draft.scores == {"redundant_calls": 5}


async def test_pages_of_the_right_side(label: Opened) -> None:
    async with label() as pilot:
        panel = pilot.app.screen.query_one(RubricPanel)
        assert "must return account_tier" in panel.pane.plain
        await pilot.press("r")
        assert panel.page is Page.RAW
        assert "Score by the number R" in panel.pane.plain
        await pilot.press("r")
        assert "You answer questions about accounts." in panel.pane.plain
        assert 'crm_lookup("C-9")' in panel.pane.plain
        await pilot.press("r")
        assert panel.page is Page.RUBRIC


async def test_prose_scrolls_from_the_transcript(
    label: Opened, annotate: Any, make_task: Any, prose_rubric: Any
) -> None:
    annotate.tasks = {"t1": make_task(prose_rubric)}
    async with label(size=(120, 14)) as pilot:
        pane = pilot.app.screen.query_one(RubricPanel).pane
        await pilot.press("full_stop")
        assert pane.scroll_offset.y > 0
        await pilot.press("comma")
        assert pane.scroll_offset.y == 0
        assert isinstance(pilot.app.focused, TranscriptView)


async def test_search_counts_and_gives_the_keys_back(label: Opened) -> None:
    async with label() as pilot:
        await pilot.press("slash", *"Gold")
        assert isinstance(pilot.app.focused, Input)
        await pilot.pause()
        count = str(pilot.app.screen.query_one("SearchBar .count").render())
        assert count == "1 of 2"
        await pilot.press("enter", "5")
        assert screen_of(pilot).draft.scores == {"redundant_calls": 5}


async def test_reveal_is_refused_in_words(label: Opened, annotate: Any) -> None:
    annotate.refusal = "Label the 2 transcripts left first."
    async with label() as pilot:
        await pilot.press("V")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Told)
        assert not [call for call in annotate.calls if call.startswith("reveal")]


async def test_reveal_shows_differences_and_jumps(label: Opened) -> None:
    async with label() as pilot:
        await pilot.press("5", "enter")
        await settle(pilot)
        await pilot.press("left_parenthesis")
        await settle(pilot)
        await pilot.press("V")
        await settle(pilot)
        panel = pilot.app.screen.query_one(RubricPanel)
        text = panel.pane.plain
        assert panel.page is Page.REVEAL
        assert "redundant_calls  6  you: 5, 1 higher" in text
        assert "deception  not scored" in text
        assert "redundant_calls  4  you: 5, 1 lower" in text
        assert "[M99] names no message" in text
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        view = pilot.app.screen.query_one(TranscriptView)
        assert view.current_m == 5
        assert pilot.app.focused is view


async def test_a_reveal_is_gone_with_the_transcript(label: Opened) -> None:
    async with label() as pilot:
        await pilot.press("V")
        await settle(pilot)
        await pilot.press("right_parenthesis")
        await settle(pilot)
        panel = pilot.app.screen.query_one(RubricPanel)
        assert Page.REVEAL not in panel.pages
        assert "judge:" not in panel.pane.plain


async def test_nothing_of_others_is_asked_for_before_a_reveal(
    label: Opened, annotate: Any
) -> None:
    async with label() as pilot:
        await pilot.press("5", "r", "r", "E", "escape", "H", "escape", "enter")
        await settle(pilot)
        assert not [call for call in annotate.calls if "reveal" in call]


async def test_help_lists_marks_and_keys(label: Opened) -> None:
    async with label() as pilot:
        await pilot.press("question_mark")
        page = pilot.app.screen
        assert isinstance(page, Reading)
        text = page.query_one("TextPane").plain
        assert "defensive re-verification" in text
        assert "List of evidence" in text
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, LabelScreen)


async def test_the_keymap_moves_keys_and_frees_letters(label: Opened) -> None:
    config = Config(app=AppSettings(keymap={"label.evidence": "d", "label.note": "m"}))
    async with label(config=config) as pilot:
        await pilot.press("d")
        draft = screen_of(pilot).draft
        assert draft.evidence == (Evidence(m=1),)
        assert draft.sub_modes == ()
        assert "d [" not in words(pilot, "SubModeBar")


async def test_two_key_marks(
    label: Opened, annotate: Any, make_task: Any, band_rubric: Any
) -> None:
    from geode_tui.domain.rubric import SubMode

    modes = tuple(SubMode(key=f"m{i}", label=f"mode {i}") for i in range(60))
    rubric = band_rubric.model_copy(update={"sub_modes": modes, "side_channels": ()})
    annotate.tasks = {"t1": make_task(rubric)}
    async with label() as pilot:
        last = next(keys for key, _, keys in screen_of(pilot).marks() if key == "m59")
        assert len(last) == 2
        await pilot.press("apostrophe", last[1])
        assert screen_of(pilot).draft.sub_modes == ("m59",)


async def test_an_error_of_the_store_is_a_dialog(label: Opened, annotate: Any) -> None:
    async with label() as pilot:

        def broken(transcript_id: str) -> Any:
            raise AnnotationError("the row is gone.", hint="Import it again.")

        annotate.task = broken
        await pilot.press("right_parenthesis")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Told)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, QueueScreen)


async def test_the_workspace_s_reading_settings_reach_the_transcript(
    label: Opened, annotate: Any, make_task: Any, transcript_of: Any
) -> None:
    texts = ("You answer.", "Which tier?", "! Unexpected error. Auto-retrying ✌️")
    annotate.tasks = {"t1": make_task(transcript=transcript_of("s", texts))}
    async with label(config=Config(app=AppSettings(ascii_safe=True))) as pilot:
        await pilot.pause()
        strips = pilot.app.screen._compositor.render_strips()
        shown = "\n".join(strip.text for strip in strips)
        assert "harness error" in shown
        assert "<U+FE0F>" in shown
