"""The app: opens the workspace after the first paint, shows screens and errors."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Static

from geode_tui.config import Config
from geode_tui.errors import GeodeError
from geode_tui.tui.commands import KeyActions
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.screens.modals import AskName, told
from geode_tui.tui.screens.queue import QueueScreen

if TYPE_CHECKING:
    from geode_tui.store.store import Store
    from geode_tui.workflows.annotate import Annotate
    from geode_tui.workflows.workspace import Workspace

THEME = Theme(
    name="geode",
    primary="#8fb3d9",
    secondary="#a9a1d6",
    accent="#d7b46a",
    warning="#e0a458",
    error="#e07a6a",
    success="#8fbf8f",
    foreground="#d5d8dd",
    background="#15181d",
    surface="#1b1f26",
    panel="#252b34",
)

LIGHT_THEME = Theme(
    name="geode-light",
    primary="#2f5f8f",
    secondary="#5d4f9a",
    accent="#8a6100",
    warning="#9a5b00",
    error="#a83222",
    success="#2f6b35",
    foreground="#1e2329",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#e6e3da",
    dark=False,
)


class GeodeApp(App[None]):
    """Labels transcripts of one workspace.

    Args:
        open_annotate: rater's name -> the labelling workflow; slow (it opens
            the database), so it runs in a thread after the first paint.
        config: the workspace's settings.
        rater: who labels; None asks for the name.
        remember: keeps a name that was asked for.
        title: what the workspace is called.
        log: file that gets the details of a defect; None for nowhere.
    """

    CSS_PATH = "geode.tcss"
    TITLE = "geode-tui"
    COMMANDS = App.COMMANDS | {KeyActions}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="app.quit"),
    ]

    def __init__(
        self,
        open_annotate: Callable[[str], Annotate],
        config: Config,
        rater: str | None,
        *,
        remember: Callable[[str], None] = lambda name: None,
        title: str = "geode-tui",
        log: Path | None = None,
    ) -> None:
        super().__init__()
        self._open_annotate, self._config, self._rater = open_annotate, config, rater
        self._remember, self._heading, self._log_file = remember, title, log
        self.register_theme(THEME)
        self.register_theme(LIGHT_THEME)

    def compose(self) -> ComposeResult:
        """What is seen until the database is open."""
        yield Static(Content(f"Opening {self._heading} …"), id="opening")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Of Textual's own commands only the choice of a theme."""
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)

    def on_mount(self) -> None:
        """Apply the settings; open the workspace once something is on screen."""
        wanted = self._config.app.theme or THEME.name
        known = wanted in self.available_themes
        self.theme = wanted if known else THEME.name
        if not known:
            self.notify(
                f"There is no theme {wanted!r}.", severity="warning", markup=False
            )
        self.set_keymap(self._config.app.keymap)
        self.call_after_refresh(self._begin)

    @work(exit_on_error=False)
    async def _begin(self) -> None:
        rater = self._rater
        if rater is None:
            rater = await self.push_screen_wait(AskName())
            if rater is None:
                self.exit()
                return
        try:
            if rater != self._rater:
                self._remember(rater)
            annotate = await asyncio.to_thread(self._open_annotate, rater)
            await self.push_screen(QueueScreen(annotate, self._config, self._heading))
        except GeodeError as error:
            await self.push_screen_wait(told(error))
            self.exit(return_code=1)

    async def action_quit(self) -> None:
        """Leave once the draft in hand is stored."""
        for screen in self.screen_stack:
            if isinstance(screen, LabelScreen) and not await screen.saver.flush():
                self.notify(
                    "The draft could not be stored; press Ctrl+Q again to leave it.",
                    severity="warning",
                    markup=False,
                )
                screen.saver.stop()
                return
        self.exit()

    def _handle_exception(self, error: Exception) -> None:
        """An error of the project's own is said in a dialog; the app goes on."""
        cause = getattr(error, "error", error)
        if isinstance(cause, GeodeError):
            self.push_screen(told(cause))
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """A defect: leave in order, say so in one sentence, keep the details."""
        where = ""
        if self._log_file is not None:
            try:
                self._log_file.write_text(traceback.format_exc(), encoding="utf-8")
                where = f" Details: {self._log_file}"
            except OSError:
                where = ""
        self._exit_renderables.append(
            "geode-tui stopped because of a defect. Submitted labels and the draft"
            f" are stored.{where}"
        )
        self._close_messages_no_wait()


def run_app(workspace: Workspace, rater: str | None) -> None:
    """Open the app on a workspace; returns when the rater leaves.

    Raises:
        ConfigError: before anything is shown.
    """
    from geode_tui.workflows.workspace import recall_rater, remember_rater

    opened: list[Store] = []

    def open_annotate(name: str) -> Annotate:
        # Imported here: the database library is slow to load and the first
        # paint does not need it.
        from geode_tui.workflows.annotate import Annotate

        store = workspace.open_store()
        opened.append(store)
        return Annotate(store, workspace.config, name)

    app = GeodeApp(
        open_annotate,
        workspace.config,
        rater or recall_rater(workspace),
        remember=lambda name: remember_rater(workspace, name),
        title=workspace.root.resolve().name,
        log=workspace.annotations_dir / "last-defect.log",
    )
    try:
        app.run()
    finally:
        for store in opened:
            store.close()
    if app.return_code:
        raise SystemExit(app.return_code)
