"""The Queue screen: what there is to label, and how far this rater is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Footer, Static

from geode_tui.config import Config
from geode_tui.domain.display import one_line
from geode_tui.domain.labelling import LabelState, Progress, QueueFilter, QueueOrder
from geode_tui.tui.screens.guard import guarded
from geode_tui.tui.screens.help import help_screen
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.screens.modals import told
from geode_tui.tui.widgets.lines import Line, LinesWidget, Piece
from geode_tui.tui.widgets.queue_list import QueueList
from geode_tui.tui.widgets.search_bar import SearchBar
from geode_tui.tui.widgets.words import ORDER, STATE, plural

if TYPE_CHECKING:
    from geode_tui.workflows.annotate import Annotate

TO_LABEL = {LabelState.TODO, LabelState.DRAFT, LabelState.REDO}
"""States in which something is left to do."""

_TYPING = 0.15
"""Seconds of rest before a typed filter is applied."""

_EMPTY = """\
Nothing to label yet.

Import transcripts from a shell in this folder:

    geode-tui import PATH...      audit logs (.eval, .json, .jsonl) or folders of them

or look around in a filled workspace first:

    geode-tui demo

Then open the app again. q leaves."""

_NO_MATCH = """\
No transcript matches the filter.

Escape shows all of them again."""


def progress_words(progress: Progress) -> str:
    """``12 of 57 done, 2 drafts``."""
    words = f"{progress.done:,} of {progress.total:,} done"
    return f"{words}, {plural(progress.drafts, 'draft')}" if progress.drafts else words


class _Top(LinesWidget):
    """Title and rater, then progress and what is shown."""

    def __init__(self, title: str, rater: str) -> None:
        super().__init__()
        self._title, self._rater = title, rater
        self._progress = Progress(done=0, drafts=0, total=0)
        self._shown = ""

    def show(self, progress: Progress, shown: str) -> None:
        self._progress, self._shown = progress, shown
        self.changed()

    def lines(self, width: int) -> list[Line]:
        title = one_line(self._title, width // 2)
        who = one_line(f"rater {self._rater}", width // 3)
        gap = " " * max(1, width - len(title) - len(who))
        progress = self._progress
        words = progress_words(progress)
        cells = min(30, width - len(words) - len(self._shown) - 6)
        pieces: list[Piece] = []
        if cells >= 8 and progress.total:
            full = cells * progress.done // progress.total
            pieces = [("━" * full, "good"), ("─" * (cells - full), "dim"), ("  ", "")]
        pieces += [(words, "strong"), (f"   {self._shown}", "dim")]
        return [
            Line(((title, "head"), (gap, ""), (who, "dim"))),
            Line(tuple(pieces)),
        ]


class QueueScreen(Screen[None]):
    """One rater's queue. It shows no value of any other rater."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/", id="queue.filter"),
        Binding("escape", "clear_filter", "Show all", show=False, id="queue.clear"),
        Binding("s", "state", "State", id="queue.state"),
        Binding("o", "order", "Sort", id="queue.order"),
        Binding("O", "reverse", "Reverse the order", show=False, id="queue.reverse"),
        Binding(
            "d", "duplicates", "Hide duplicates", show=False, id="queue.duplicates"
        ),
        Binding("t", "next_todo", "Next to do", id="queue.next_todo"),
        Binding("question_mark", "help", "Keys", key_display="?", id="queue.help"),
        Binding("q", "app.quit", "Quit", id="queue.quit"),
    ]

    def __init__(self, annotate: Annotate, config: Config, title: str) -> None:
        super().__init__()
        self._annotate, self._config = annotate, config
        self._heading = title
        self._filter = QueueFilter()
        self._last: str | None = None

    def compose(self) -> ComposeResult:
        """Progress, the table (or what to do instead), the filter field, keys."""
        yield _Top(self._heading, self._annotate.rater)
        yield QueueList()
        yield Static("", markup=False, id="nothing")
        yield SearchBar("filter ", "seed, sample, model, or words of a message")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Read the queue."""
        self._reload()

    @property
    def queue_filter(self) -> QueueFilter:
        """What is shown, in what order."""
        return self._filter

    @guarded
    def _reload(self, *, keep: bool = True) -> None:
        """Read counts anew; the cursor goes to the next transcript to do."""
        annotate, chosen = self._annotate, self._filter
        count = annotate.count(chosen)
        progress = annotate.progress()
        self.query_one(_Top).show(progress, self._shown_words(count, progress.total))
        rows = self.query_one(QueueList)
        nothing = self.query_one("#nothing", Static)
        rows.display, nothing.display = count > 0, count == 0
        nothing.update(_EMPTY if progress.total == 0 else _NO_MATCH)
        if not count:
            return
        cursor = self._start(self._last if keep else None)
        rows.show(
            count,
            lambda offset, limit: annotate.page(chosen, offset, limit),
            cursor=cursor,
        )
        if self.focused is None or not self.query_one(SearchBar).display:
            rows.focus()

    def _start(self, last: str | None) -> int:
        """Row to begin at: the one just left if it is not done, else the next to do."""
        annotate, chosen = self._annotate, self._filter
        at = annotate.position(chosen, last) if last else None
        if at is not None and annotate.page(chosen, at, 1)[0].state in TO_LABEL:
            return at
        todo = annotate.next_todo(chosen, after=last)
        found = annotate.position(chosen, todo) if todo else at
        return found or 0

    def _shown_words(self, count: int, total: int) -> str:
        chosen = self._filter
        words = []
        if count != total:
            words.append(f"{count:,} shown")
        if chosen.states:
            words.append("only " + STATE[chosen.states[0]].partition(" ")[2])
        if chosen.hide_duplicates:
            words.append("no duplicates")
        if chosen.order is not QueueOrder.IMPORTED or chosen.descending:
            way = " down" if chosen.descending else ""
            words.append(f"by {ORDER[chosen.order]}{way}")
        return " · ".join(words)

    def _change(self, **update: object) -> None:
        self._filter = self._filter.model_copy(update=update)
        self._reload(keep=False)

    def on_queue_list_opened(self, message: QueueList.Opened) -> None:
        """Open the Label screen on a row."""
        self._last = message.row.id
        self._open(message.row.id)

    @work(exclusive=True, group="label")
    async def _open(self, transcript: str) -> None:
        screen = LabelScreen(self._annotate, self._config, self._filter, transcript)
        self._last = await self.app.push_screen_wait(screen)
        self._reload()

    def on_queue_list_failed(self, message: QueueList.Failed) -> None:
        """A page of the queue could not be read."""
        self.app.push_screen(told(message.error))

    def action_filter(self) -> None:
        """Type words to filter by."""
        self.query_one(SearchBar).open()

    def action_clear_filter(self) -> None:
        """Show every transcript in import order."""
        self.query_one(SearchBar).close()
        self._filter = QueueFilter()
        self._reload()

    def on_search_bar_typed(self, message: SearchBar.Typed) -> None:
        """Filter while it is typed, after a short rest."""
        self._apply(message.text)

    @work(exclusive=True, group="filter")
    async def _apply(self, text: str) -> None:
        await asyncio.sleep(_TYPING)
        self._change(text=text)

    def on_search_bar_left(self, message: SearchBar.Left) -> None:
        """The filter is typed; on to the rows."""
        if message.text != self._filter.text:
            self._change(text=message.text)
        self.query_one(QueueList).focus()

    def action_state(self) -> None:
        """Show only one state, then the next one, then all."""
        states = [None, *LabelState]
        now = self._filter.states[0] if self._filter.states else None
        then = states[(states.index(now) + 1) % len(states)]
        self._change(states=() if then is None else (then,))

    def action_order(self) -> None:
        """Sort by the next column."""
        orders = list(QueueOrder)
        at = orders.index(self._filter.order)
        self._change(order=orders[(at + 1) % len(orders)])

    def action_reverse(self) -> None:
        """Sort the other way round."""
        self._change(descending=not self._filter.descending)

    def action_duplicates(self) -> None:
        """Leave exact duplicates out, or show them again."""
        self._change(hide_duplicates=not self._filter.hide_duplicates)

    @guarded
    def action_next_todo(self) -> None:
        """Move to the next transcript to do after the cursor."""
        rows = self.query_one(QueueList)
        here = rows.current
        todo = self._annotate.next_todo(self._filter, after=here.id if here else None)
        if todo is None:
            self.notify("Nothing is left to do here.", markup=False)
        else:
            rows.cursor = self._annotate.position(self._filter, todo) or 0

    def action_help(self) -> None:
        """All keys."""
        groups: list[tuple[str, type[DOMNode]]] = [
            ("Queue", type(self)),
            ("Rows", QueueList),
        ]
        self.app.push_screen(help_screen(groups, self._config.app.keymap))
