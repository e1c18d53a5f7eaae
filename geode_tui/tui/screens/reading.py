"""The reading half of the Label screen: transcript, rubric, search, keys."""

from __future__ import annotations

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Footer

from geode_tui.config import Config
from geode_tui.domain.labelling import LabelTask
from geode_tui.domain.score import Evidence
from geode_tui.tui.screens.help import help_screen
from geode_tui.tui.screens.label_keys import mark_keys, mark_names
from geode_tui.tui.widgets.fields import NoteArea
from geode_tui.tui.widgets.message_header import BranchStrip, MessageHeader
from geode_tui.tui.widgets.rubric_panel import LinkPane, RubricPanel
from geode_tui.tui.widgets.score_bar import DimensionBar
from geode_tui.tui.widgets.search_bar import SearchBar
from geode_tui.tui.widgets.status_line import StatusLine
from geode_tui.tui.widgets.sub_mode_bar import SubModeBar
from geode_tui.tui.widgets.transcript_view import SearchState, TranscriptView

NARROW = 110
"""Below this width transcript and rubric take turns."""


def title_of(task: LabelTask) -> str:
    """What the transcript is called: its seed's name, else its sample's."""
    seed = task.seed
    name = (seed.name or seed.title) if seed else ""
    return name or task.transcript.source.sample_id


class ReadingScreen(Screen[str]):
    """Shows one task. What is entered into it is the subclass's business."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self._config = config
        self._opened: LabelTask | None = None
        self._keys: dict[str, str] = {}
        self._rubric_shown = False

    def compose(self) -> ComposeResult:
        """Header, transcript beside rubric, score bar, keys."""
        yield MessageHeader()
        yield BranchStrip()
        with Horizontal(id="sides"):
            yield TranscriptView()
            yield RubricPanel()
        yield SearchBar("search ", "words in this transcript")
        with Vertical(id="bar"):
            yield DimensionBar()
            yield SubModeBar()
            yield NoteArea()
            yield StatusLine()
        yield Footer(show_command_palette=False)

    @property
    def view(self) -> TranscriptView:
        """The transcript."""
        return self.query_one(TranscriptView)

    @property
    def panel(self) -> RubricPanel:
        """The right side."""
        return self.query_one(RubricPanel)

    @property
    def opened(self) -> LabelTask | None:
        """What is on the screen; None until it has been read."""
        return self._opened

    def show_task(self, task: LabelTask) -> None:
        """Show another transcript from its beginning."""
        transcript = task.transcript
        first = self._opened is None
        self._opened = task
        nodes = (type(self), TranscriptView, LinkPane, type(self.app))
        self._keys = {}
        for form in task.forms:
            self._keys |= mark_keys(form.rubric, nodes, self._config.app.keymap)
        header = self.query_one(MessageHeader)
        header.show(transcript, title_of(task), transcript.validity)
        self.query_one(BranchStrip).show(transcript)
        self.query_one(SearchBar).close()
        self.view.show(
            transcript,
            show_reasoning=self._config.label.show_reasoning,
            harness_errors=self._config.imports.harness_errors,
        )
        if first and self._config.app.ascii_safe:
            # The view keeps the choice from one transcript to the next.
            self.view.action_ascii_safe()
        self.panel.show_seed(task.seed, transcript.seed_text)
        self.turn_to_rubric(False)

    def go_to(self, item: Evidence) -> None:
        """Bring a place of the transcript into sight."""
        self.turn_to_rubric(False)
        self.view.jump_to(item.m, item.span)

    def marks(self) -> Iterator[tuple[str, str, str]]:
        """(key, name, keystroke) of all sub-modes and flags."""
        for form in self._opened.forms if self._opened else ():
            for key, name in mark_names(form.rubric):
                yield key, name, self._keys.get(key, "")

    # ---- where the reader is ----

    def on_transcript_view_cursor_moved(
        self, message: TranscriptView.CursorMoved
    ) -> None:
        """The header and the strip follow the message cursor."""
        self.query_one(MessageHeader).at(message.m)
        self.query_one(BranchStrip).at(message.branch)

    def on_transcript_view_replay_changed(
        self, message: TranscriptView.ReplayChanged
    ) -> None:
        """The header says how far a replay is."""
        replaying = self.view.replaying
        where = f"replay {message.at} of {message.total}"
        step = f"{where}: Space next, - back, Esc all" if replaying else ""
        self.query_one(MessageHeader).extra(step)

    def on_link_pane_followed(self, message: LinkPane.Followed) -> None:
        """A citation leads to its message."""
        self.go_to(Evidence(m=message.m))

    # ---- the sides ----

    def on_resize(self) -> None:
        """Both sides where there is room."""
        self._arrange()

    def turn_to_rubric(self, rubric: bool) -> None:
        """Give the keys, and on narrow screens the room, to one side."""
        self._rubric_shown = rubric
        # At once, not by ``focus()``: the next key may be here already.
        self.set_focus(self.panel.pane if rubric else self.view)
        self._arrange()

    def _arrange(self) -> None:
        narrow = self.size.width < NARROW
        self.view.display = not (narrow and self._rubric_shown)
        self.panel.display = not narrow or self._rubric_shown
        self.panel.set_class(narrow, "alone")

    def action_side(self) -> None:
        """Between transcript and rubric: the focus, or on narrow screens the page."""
        self.turn_to_rubric(self.focused is not self.panel.pane)

    def action_page(self) -> None:
        """Turn the right side: rubric, as written, scenario, reveal."""
        if self.panel.display:
            self.panel.turn()
        else:
            self.turn_to_rubric(True)

    def action_panel(self, step: int) -> None:
        """Scroll the right side, wherever the focus is."""
        self.panel.scroll_by(step)

    # ---- search ----

    def action_search(self) -> None:
        """Type words to look for."""
        self.query_one(SearchBar).open()

    def on_search_bar_typed(self, message: SearchBar.Typed) -> None:
        """Search as it is typed."""
        if message.text:
            self._count(self.view.search(message.text))
        else:
            self.view.clear_search()
            self.query_one(SearchBar).count("")

    def on_search_bar_left(self, message: SearchBar.Left) -> None:
        """Back to the transcript; an empty search ends."""
        if not message.text:
            self.view.clear_search()
        self.turn_to_rubric(False)

    def on_transcript_view_search_changed(
        self, message: TranscriptView.SearchChanged
    ) -> None:
        """The bar says which hit this is."""
        self._count(message.state)

    def _count(self, state: SearchState) -> None:
        if not self.query_one(SearchBar).value:
            return
        words = f"{state.index + 1} of {state.count:,}" if state.count else "no hit"
        self.query_one(SearchBar).count(words)

    def action_escape(self) -> None:
        """End what is going on: a replay, a search, the stay on the other side."""
        if self.view.replaying:
            self.view.stop_replay()
        elif self.query_one(SearchBar).value:
            self.query_one(SearchBar).close()
            self.view.clear_search()
        self.turn_to_rubric(False)

    def action_help(self) -> None:
        """All keys, those of this rubric first."""
        groups: list[tuple[str, type[DOMNode]]] = [
            ("Label", type(self)),
            ("Transcript", TranscriptView),
            ("Rubric and reveal, after Tab", LinkPane),
        ]
        marks = [(letters or "palette", name) for _, name, letters in self.marks()]
        self.app.push_screen(help_screen(groups, self._config.app.keymap, marks))
