"""The Queue screen: pages, filters, states, and what it says when empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from geode_tui.domain.labelling import LabelState, QueueRow
from geode_tui.domain.score import Draft
from geode_tui.domain.transcript import Validity
from geode_tui.errors import StoreError
from geode_tui.tui.screens.modals import Reading, Told
from geode_tui.tui.screens.queue import QueueScreen
from geode_tui.tui.widgets.queue_list import PAGE, QueueList, column_widths, row_line


async def until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came to that")


async def at_queue(pilot: Pilot[Any]) -> QueueScreen:
    await until(pilot, lambda: isinstance(pilot.app.screen, QueueScreen))
    await pilot.pause()
    assert isinstance(pilot.app.screen, QueueScreen)
    return pilot.app.screen


def top(screen: QueueScreen) -> str:
    bar = screen.query_one("_Top")
    return "\n".join(line.plain for line in bar.lines(bar.size.width))


def a_row(index: int) -> QueueRow:
    return QueueRow(
        id=f"t{index}",
        source="log.eval",
        sample_id=f"s{index}",
        epoch=1,
        seed="tier-check",
        target_dimensions=("waste",),
        model="lab/large",
        messages=12,
        branches=2,
        validity=(Validity.TRUNCATED,),
        state=LabelState.TODO,
    )


class ListApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []

    def compose(self) -> ComposeResult:
        yield QueueList()

    def fetch(self, offset: int, limit: int) -> list[QueueRow]:
        self.asked.append(offset)
        return [a_row(index) for index in range(offset, offset + limit)]


async def test_100_000_rows_read_only_the_pages_in_sight() -> None:
    app = ListApp()
    async with app.run_test(size=(100, 20)) as pilot:
        rows = app.query_one(QueueList)
        rows.show(100_000, app.fetch)
        rows.focus()
        await pilot.pause()
        assert app.asked == [0]
        await pilot.press("end")
        assert rows.cursor == 99_999
        assert rows.current == a_row(99_999)
        assert app.asked == [0, 99_900]
        await pilot.press("home", "pagedown", "j", "up")
        assert set(app.asked) == {0, 99_900}
        assert 0 < rows.cursor < PAGE
        assert len(list(rows.children)) == 0


async def test_the_cursor_stays_in_sight_under_the_heading() -> None:
    app = ListApp()
    async with app.run_test(size=(100, 10)) as pilot:
        rows = app.query_one(QueueList)
        rows.show(500, app.fetch, cursor=250)
        await pilot.pause()
        shown = [rows.render_line(y).text for y in range(10)]
        assert shown[0].split()[:2] == ["state", "seed"]
        assert sum("▸" in line for line in shown) == 1


@pytest.mark.parametrize("width", [60, 80, 110, 160, 200])
def test_columns_fill_the_width(width: int) -> None:
    assert sum(column_widths(width)) + 2 + 6 <= width
    line = row_line(a_row(1), width, current=True)
    assert line.cells <= width
    assert "○ to do" in line.plain
    assert "truncated" in line.plain


async def test_an_empty_queue_says_what_to_do(
    make_app: Any, fake_annotate: Any
) -> None:
    app = make_app(fake_annotate({}))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await at_queue(pilot)
        assert "geode-tui import" in str(screen.query_one("#nothing", Static).render())
        assert not screen.query_one(QueueList).display


async def test_progress_counts_drafts(make_app: Any, annotate: Any) -> None:
    await_done = annotate.tasks["t1"]
    annotate.submit(await_done, Draft(scores={"redundant_calls": 1}))
    annotate.save_draft("t2", Draft(note="x"))
    async with make_app(annotate).run_test(size=(80, 24)) as pilot:
        screen = await at_queue(pilot)
        assert "1 of 3 done, 1 draft" in top(screen)
        assert "rater ada" in top(screen)
        assert screen.query_one(QueueList).cursor == 1


async def test_filters_and_sorting(make_app: Any, annotate: Any) -> None:
    async with make_app(annotate).run_test(size=(80, 24)) as pilot:
        screen = await at_queue(pilot)
        rows = screen.query_one(QueueList)
        await pilot.press("slash", *"calm", "enter")
        await until(pilot, lambda: screen.queue_filter.text == "calm")
        assert rows.current.id == "t2"
        assert "1 shown" in top(screen)
        await pilot.press("escape", "s", "s")
        assert screen.queue_filter.states == (LabelState.DRAFT,)
        assert "No transcript matches" in str(
            screen.query_one("#nothing", Static).render()
        )
        await pilot.press("escape", "O", "o")
        assert "by seed down" in top(screen)
        assert rows.current.id == "t3"


async def test_letters_filter_and_do_nothing_else(make_app: Any, annotate: Any) -> None:
    async with make_app(annotate).run_test(size=(80, 24)) as pilot:
        screen = await at_queue(pilot)
        await pilot.press("slash", *"qsot?")
        await until(pilot, lambda: screen.queue_filter.text == "qsot?")
        assert pilot.app.screen is screen
        await pilot.press("escape")
        assert screen.queue_filter.text == ""
        assert isinstance(pilot.app.focused, QueueList)


async def test_next_to_do_and_help(make_app: Any, annotate: Any) -> None:
    annotate.submit(annotate.tasks["t2"], Draft(scores={"wasted_effort": 1}))
    async with make_app(annotate).run_test(size=(80, 24)) as pilot:
        screen = await at_queue(pilot)
        rows = screen.query_one(QueueList)
        await pilot.press("t")
        assert rows.current.id == "t3"
        await pilot.press("t")
        assert rows.current.id == "t1"
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, Reading)
        assert "Next to do" in pilot.app.screen.query_one("TextPane").plain


async def test_a_database_that_is_away_is_said_and_the_keys_go_on(
    make_app: Any, annotate: Any
) -> None:
    async with make_app(annotate).run_test(size=(80, 24)) as pilot:
        screen = await at_queue(pilot)

        def away(*_: Any, **__: Any) -> Any:
            raise StoreError("the database is locked.", hint="Try again.")

        annotate.page = annotate.count = annotate.next_todo = away
        await pilot.press("t")
        assert isinstance(pilot.app.screen, Told)
        await pilot.press("enter", "o")
        assert isinstance(pilot.app.screen, Told)
        await pilot.press("enter")
        assert pilot.app.screen is screen
        del annotate.page, annotate.count, annotate.next_todo
        await pilot.press("o")
        assert pilot.app.screen is screen
        assert "0 of 3 done" in top(screen)


async def test_a_page_that_cannot_be_read_is_said_once() -> None:
    class Failing(ListApp):
        def fetch(self, offset: int, limit: int) -> list[QueueRow]:
            raise StoreError("the disk is gone.")

        def on_queue_list_failed(self, message: QueueList.Failed) -> None:
            self.asked.append(-1)

    app = Failing()
    async with app.run_test(size=(100, 20)) as pilot:
        app.query_one(QueueList).show(50, app.fetch)
        await until(pilot, lambda: bool(app.asked))
        await pilot.press("down")
        assert app.asked == [-1]


async def test_help_leaves_the_cursor_where_it_was(
    make_app: Any, annotate: Any
) -> None:
    async with make_app(annotate).run_test(size=(80, 24)) as pilot:
        screen = await at_queue(pilot)
        await pilot.press("end", "question_mark", "escape")
        assert screen.query_one(QueueList).cursor == 2
