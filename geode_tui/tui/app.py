"""The app: opens the workspace after the first paint, shows screens and errors.

Until something is on the screen only Textual itself is imported: screens,
settings, domain and database come in a thread afterwards.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from textual import work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Static

from geode_tui.errors import GeodeError, TerminalError

if TYPE_CHECKING:
    from geode_tui.config import Config
    from geode_tui.store.store import Store
    from geode_tui.tui.screens.queue import QueueScreen
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


class Session(Protocol):
    """What the app needs of a workspace. All of it may be slow."""

    @property
    def title(self) -> str:
        """What the workspace is called; known once ``config`` has been read."""

    @property
    def defect_log(self) -> Path | None:
        """File for the details of a defect; None for nowhere."""

    def config(self) -> Config:
        """The settings."""

    def recall(self) -> str | None:
        """The rater's name, where it is known."""

    def remember(self, name: str) -> None:
        """Keep a name that was asked for."""

    def annotate(self, rater: str) -> Annotate:
        """The labelling workflow for a rater; opens the database."""


def _key_actions() -> type[Provider]:
    from geode_tui.tui.commands import KeyActions

    return KeyActions


class GeodeApp(App[None]):
    """Labels transcripts of one workspace.

    Attributes:
        start_error: why the first screen could not be shown; the app has left
            then, so that the shell can say it.
    """

    CSS_PATH = "geode.tcss"
    TITLE = "geode-tui"
    COMMANDS = App.COMMANDS | {_key_actions}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="app.quit"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.start_error: GeodeError | None = None
        self.register_theme(THEME)
        self.register_theme(LIGHT_THEME)
        self.theme = THEME.name

    def compose(self) -> ComposeResult:
        """What is seen until the database is open."""
        yield Static("Opening …", markup=False, id="opening")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Of Textual's own commands only the choice of a theme."""
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)

    def on_mount(self) -> None:
        """Open the workspace once something is on the screen."""
        self.call_after_refresh(self._begin)

    @work
    async def _begin(self) -> None:
        try:
            await self.push_screen(await self._queue())
        except GeodeError as error:
            self.start_error = error
            self.exit(return_code=1)
        except _NobodyError:
            self.exit()

    async def _queue(self) -> QueueScreen:
        """The first screen; asks for the rater's name where it is not known.

        Raises:
            GeodeError: settings or database cannot be used.
            _NobodyError: no name was given.
        """
        session = self._session
        config, rater = await asyncio.to_thread(
            lambda: (session.config(), session.recall())
        )
        self._apply(config)
        if rater is None:
            from geode_tui.tui.screens.modals import AskName

            rater = await self.push_screen_wait(AskName())
            if rater is None:
                raise _NobodyError
            session.remember(rater)
        annotate, screen = await asyncio.to_thread(
            lambda: (session.annotate(rater), _queue_screen())
        )
        return screen(annotate, config, session.title)

    def _apply(self, config: Config) -> None:
        wanted = config.app.theme or THEME.name
        if wanted in self.available_themes:
            self.theme = wanted
        else:
            text = f"There is no theme {wanted!r}; this is {THEME.name}."
            self.notify(text, severity="warning", markup=False)
        self.set_keymap(config.app.keymap)

    async def action_quit(self) -> None:
        """Leave once the draft in hand is stored."""
        from geode_tui.tui.screens.label import LabelScreen

        for screen in self.screen_stack:
            if isinstance(screen, LabelScreen) and not await screen.saver.flush():
                text = "The draft could not be stored; Ctrl+Q again leaves without it."
                self.notify(text, severity="warning", markup=False)
                screen.saver.stop()
                return
        self.exit()

    def _handle_exception(self, error: Exception) -> None:
        """An error of the project's own is said in a dialog; the app goes on."""
        cause = getattr(error, "error", error)
        if isinstance(cause, GeodeError):
            self.push_screen(_dialog(cause))
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """A defect: leave in order, say so in one sentence, keep the details."""
        text = "geode-tui stopped because of a defect. What was saved is safe."
        log = self._session.defect_log
        if log is not None:
            try:
                log.write_text(traceback.format_exc(), encoding="utf-8")
                text += f" Details: {log}"
            except OSError as error:
                text += f" ({log}: {error})"
        self._exit_renderables.append(text)
        self._close_messages_no_wait()


class _NobodyError(Exception):
    """The rater left without a name."""


def _dialog(error: GeodeError) -> Screen[None]:
    from geode_tui.tui.screens.modals import told

    return told(error)


def _queue_screen() -> type[QueueScreen]:
    from geode_tui.tui.screens.queue import QueueScreen

    return QueueScreen


class WorkspaceSession:
    """A real workspace, found after the first paint; keeps the stores it opened."""

    title = ""
    defect_log: Path | None = None

    def __init__(
        self, find: Callable[[], Workspace], recall: Callable[[], str | None]
    ) -> None:
        self._find, self._recall = find, recall
        self._opened: list[Store] = []

    @cached_property
    def _workspace(self) -> Workspace:
        found = self._find()
        self.title = found.root.name
        self.defect_log = found.annotations_dir / "last-defect.log"
        return found

    def config(self) -> Config:
        """The settings.

        Raises:
            WorkspaceError: there is no workspace.
            ConfigError: its settings cannot be used.
        """
        return self._workspace.config

    def recall(self) -> str | None:
        """The name given at the start, else the one remembered.

        Raises:
            ConfigError: the name given cannot be used.
        """
        from geode_tui.workflows.workspace import recall_rater

        return self._recall() or recall_rater(self._workspace)

    def remember(self, name: str) -> None:
        """Keep the name for this workspace.

        Raises:
            ConfigError: the name cannot be used.
        """
        from geode_tui.workflows.workspace import remember_rater

        remember_rater(self._workspace, name)

    def annotate(self, rater: str) -> Annotate:
        """Open the database.

        Raises:
            StoreError: it cannot be opened.
        """
        from geode_tui.workflows.annotate import Annotate

        store = self._workspace.open_store()
        self._opened.append(store)
        return Annotate(store, self._workspace.config, rater)

    def close(self) -> None:
        """Wait for what is being written, then let the database go."""
        for store in self._opened:
            store.close()


def run_app(
    workspace: Workspace | Callable[[], Workspace],
    rater: str | Callable[[], str | None] | None,
) -> None:
    """Open the app on a workspace; returns when the rater leaves.

    Args:
        workspace: where to label; a function is called after the first paint,
            so that nothing has to be imported before it.
        rater: who labels, or a function that says so; None asks.

    Raises:
        GeodeError: the workspace, its settings or its database cannot be used.
        SystemExit: with status 1 after a defect; the app has said so.
    """
    for stream in (sys.__stdin__, sys.__stderr__):
        # Textual reads from the one and draws on the other.
        if stream is None or not stream.isatty():
            raise TerminalError(
                "The app needs a terminal to draw on.",
                hint="Run it without redirecting stdin or stderr; the other commands "
                "work anywhere.",
            )
    session = WorkspaceSession(
        workspace if callable(workspace) else lambda: workspace,
        rater if callable(rater) else lambda: rater,
    )
    app = GeodeApp(session)
    try:
        app.run()
    finally:
        session.close()
    if app.start_error is not None:
        raise app.start_error
    if app.return_code:
        raise SystemExit(app.return_code)
