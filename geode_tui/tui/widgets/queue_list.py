"""The queue: a virtual table that asks for pages of rows as they come in sight."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from geode_tui.domain.display import one_line
from geode_tui.domain.labelling import QueueRow
from geode_tui.errors import GeodeError
from geode_tui.tui.widgets.lines import COMPONENTS, Line, Piece, strip_of
from geode_tui.tui.widgets.words import STATE, STATE_STYLE, VALIDITY

PAGE = 100
"""Rows that are asked for at once."""

_PAGES_KEPT = 20

Fetch = Callable[[int, int], Sequence[QueueRow]]
"""(offset, limit) -> that page of rows."""


def column_widths(width: int) -> tuple[int, ...]:
    """Cells for state, seed, sample, model, branches, messages, facts.

    One cell of space follows each column; the sum never exceeds ``width``
    (from 60 up), and seed, sample and model share what is left.
    """
    state, branches, messages = 10, 3, 5
    facts = 14 if width < 110 else 22
    rest = max(18, width - 2 - state - branches - messages - facts - 6)
    seed = rest * (11 if width < 110 else 9) // 20
    sample = rest * (4 if width < 110 else 5) // 20
    return state, seed, sample, rest - seed - sample, branches, messages, facts


def _fit(text: str, cells: int, *, right: bool = False) -> str:
    shown = one_line(text, cells)
    pad = " " * max(0, cells - cell_len(shown))
    return pad + shown if right else shown + pad


def row_line(row: QueueRow, width: int, *, current: bool) -> Line:
    """One row of the table."""
    state, seed, sample, model, branches, messages, facts = column_widths(width)
    marks = ", ".join(VALIDITY[mark] for mark in row.validity)
    epoch = f" e{row.epoch}" if row.epoch > 1 else ""
    name = row.seed or ", ".join(row.target_dimensions) or row.source
    quiet = "dim"
    pieces: list[Piece] = [
        ("▸ " if current else "  ", "key"),
        (_fit(STATE[row.state], state), STATE_STYLE[row.state]),
        (" ", ""),
        (_fit(name, seed), "strong" if current else ""),
        (" ", ""),
        (_fit(row.sample_id + epoch, sample), quiet),
        (" ", ""),
        (_fit(row.model.rpartition("/")[2], model), quiet),
        (" ", ""),
        (_fit(str(row.branches), branches, right=True), quiet),
        (" ", ""),
        (_fit(str(row.messages), messages, right=True), quiet),
        (" ", ""),
        (_fit(marks, facts), "warn"),
    ]
    return Line(tuple(pieces))


def head_line(width: int) -> Line:
    """The heading row."""
    state, seed, sample, model, branches, messages, facts = column_widths(width)
    cells = (
        _fit("  state", state + 2),
        _fit("seed", seed),
        _fit("sample", sample),
        _fit("model", model),
        _fit("br", branches, right=True),
        _fit("msgs", messages, right=True),
        _fit("facts", facts),
    )
    return Line(((" ".join(cells), "head"),))


class QueueList(ScrollView, can_focus=True):
    """Rows of one rater's queue. No widget per row: 100,000 open at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", key_display="Enter", id="queue.open"),
        Binding("down,j", "move(1)", "Next row", show=False, id="queue.down"),
        Binding("up,k", "move(-1)", "Previous row", show=False, id="queue.up"),
        Binding(
            "pagedown,space", "page(1)", "Page down", show=False, id="queue.page_down"
        ),
        Binding("pageup,b", "page(-1)", "Page up", show=False, id="queue.page_up"),
        Binding("home,g", "edge(False)", "First row", show=False, id="queue.first"),
        Binding("end,G", "edge(True)", "Last row", show=False, id="queue.last"),
    ]
    COMPONENT_CLASSES = COMPONENTS | {"queue-list--cursor"}
    DEFAULT_CSS = "QueueList { overflow-x: hidden; }"

    cursor: reactive[int] = reactive(0)

    @dataclass
    class Opened(Message):
        """The rater wants to label this transcript."""

        row: QueueRow

    @dataclass
    class Failed(Message):
        """A page could not be read."""

        error: GeodeError

    def __init__(self) -> None:
        super().__init__()
        self._count = 0
        self._fetch: Fetch | None = None
        self._pages: OrderedDict[int, Sequence[QueueRow]] = OrderedDict()

    def show(self, count: int, fetch: Fetch, *, cursor: int = 0) -> None:
        """Show ``count`` rows, read through ``fetch`` page by page when needed."""
        self._count, self._fetch = count, fetch
        self._pages.clear()
        self._resize()
        self.cursor = min(cursor, max(0, count - 1))
        self._follow()
        self.refresh()

    def row(self, index: int) -> QueueRow | None:
        """The row at ``index`` in the order shown; None beyond the last."""
        if self._fetch is None or not 0 <= index < self._count:
            return None
        number = index // PAGE
        page = self._pages.get(number)
        if page is None:
            try:
                page = self._fetch(number * PAGE, PAGE)
            except GeodeError as error:
                # Painting is the screen's work, and a message that the screen
                # makes does not reach the screen: this widget has to send it.
                page = ()
                self.call_later(self._fail, error)
            self._pages[number] = page
            if len(self._pages) > _PAGES_KEPT:
                self._pages.popitem(last=False)
        else:
            self._pages.move_to_end(number)
        return page[index % PAGE] if index % PAGE < len(page) else None

    def _fail(self, error: GeodeError) -> None:
        self.post_message(self.Failed(error))

    @property
    def current(self) -> QueueRow | None:
        """The row under the cursor."""
        return self.row(self.cursor)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self._resize()
        self._follow()

    def _resize(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, self._count + 1)

    def _follow(self) -> None:
        """Scroll so that the cursor is visible under the heading row."""
        height = self.scrollable_content_region.height - 1
        if height <= 0:
            return
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return min(max(cursor, 0), max(0, self._count - 1))

    def watch_cursor(self) -> None:
        """Draw the cursor where it is now."""
        self._follow()
        self.refresh()

    def action_move(self, step: int) -> None:
        """Move by rows."""
        self.cursor += step

    def action_page(self, step: int) -> None:
        """Move by a page."""
        self.cursor += step * max(1, self.scrollable_content_region.height - 2)

    def action_edge(self, last: bool) -> None:
        """Move to the first or last row."""
        self.cursor = self._count - 1 if last else 0

    def action_open(self) -> None:
        """Open the row under the cursor."""
        row = self.current
        if row is not None:
            self.post_message(self.Opened(row))

    def on_click(self, event: object) -> None:
        """A click moves the cursor; one on the current row opens it."""
        y = getattr(event, "y", 0) - 1
        if y < 0:
            return
        index = self.scroll_offset.y + y
        if index == self.cursor:
            self.action_open()
        elif index < self._count:
            self.cursor = index

    def render_line(self, y: int) -> Strip:
        """The heading, then the rows in sight."""
        width = self.scrollable_content_region.width
        if y == 0:
            return strip_of(self, head_line(width), width)
        index = self.scroll_offset.y + y - 1
        row = self.row(index)
        if row is None:
            return strip_of(self, Line(), width)
        here = index == self.cursor
        over = (
            self.get_component_rich_style("queue-list--cursor", partial=True)
            if here
            else None
        )
        return strip_of(self, row_line(row, width, current=here), width, over=over)
