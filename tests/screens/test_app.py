"""Start, first run, settings, errors: what belongs to no one screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input

from geode_tui.config import AppSettings, Config
from geode_tui.errors import StoreError
from geode_tui.tui.app import GeodeApp
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.screens.modals import AskName
from geode_tui.tui.screens.queue import QueueScreen


async def until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came to that")


async def test_the_first_run_asks_for_a_name_and_remembers_it(
    annotate: Any, make_session: Any
) -> None:
    session = make_session(annotate, rater=None)
    app = GeodeApp(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, AskName))
        await pilot.press("enter")
        assert isinstance(app.screen, AskName)
        await pilot.press(*" Ada ", "enter")
        await until(pilot, lambda: isinstance(app.screen, QueueScreen))
    assert session.kept == ["Ada"]
    assert annotate.rater == "Ada"


async def test_leaving_the_name_open_leaves_the_app(
    annotate: Any, make_app: Any
) -> None:
    app = make_app(annotate, rater=None)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, AskName))
        await pilot.press("escape")
        await until(pilot, lambda: app._exit)
    assert annotate.calls == []


async def test_a_known_rater_is_not_asked(annotate: Any, make_session: Any) -> None:
    session = make_session(annotate)
    app = GeodeApp(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, QueueScreen))
    assert session.kept == []


async def test_a_database_that_does_not_open_leaves_the_app_with_the_reason(
    annotate: Any, make_session: Any
) -> None:
    error = StoreError("is no database.", where="geode.db", hint="Move it away.")
    app = GeodeApp(make_session(annotate, broken=error))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app._exit)
    assert app.start_error is error
    assert app.return_code == 1


@pytest.mark.parametrize(("wanted", "got"), [("nord", "nord"), ("no-such", "geode")])
async def test_the_theme_is_the_workspace_s(
    annotate: Any, make_app: Any, wanted: str, got: str
) -> None:
    app = make_app(annotate, Config(app=AppSettings(theme=wanted)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, QueueScreen))
        assert app.theme == got


async def test_the_palette_has_every_action_of_the_screen(
    annotate: Any, make_app: Any
) -> None:
    app = make_app(annotate)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, QueueScreen))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LabelScreen))
        screen = app.screen
        await until(pilot, lambda: screen.opened is not None)
        wanted = {
            binding.binding.description
            for binding in screen.active_bindings.values()
            if binding.binding.id
        }
        from geode_tui.tui.commands import KeyActions

        offered = {hit.text async for hit in KeyActions(screen).discover()}
        assert wanted <= offered
        assert "Toggle defensive re-verification" in offered
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, CommandPalette)
        app.screen.query_one(Input).value = "toggle defensive"
        await until(pilot, lambda: app.screen.query_one("CommandList").option_count > 0)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        await until(pilot, lambda: screen.draft.sub_modes != ())
        assert screen.draft.sub_modes == ("defensive_reverification",)


async def test_a_defect_is_one_sentence_and_a_file(
    annotate: Any, make_session: Any, tmp_path: Any
) -> None:
    log = tmp_path / "defect.log"
    app = GeodeApp(make_session(annotate, defect_log=log))

    def broken() -> None:
        raise ZeroDivisionError

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, QueueScreen))
            app.call_later(broken)
            await pilot.pause()

    with pytest.raises(ZeroDivisionError):
        await run()
    assert "ZeroDivisionError" in log.read_text(encoding="utf-8")
    assert all("Traceback" not in str(part) for part in app._exit_renderables)
