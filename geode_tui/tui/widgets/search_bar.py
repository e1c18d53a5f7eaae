"""One line to type a search into, with the number of hits beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from geode_tui.tui.widgets.fields import Field


class SearchBar(Horizontal):
    """Hidden until opened. Enter keeps the search, Escape or an empty line ends it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave('')", "End the search", id="search.end"),
        Binding("tab", "keep", "Back, keep the search", show=False, id="search.keep"),
    ]

    @dataclass
    class Typed(Message):
        """The text has changed."""

        text: str

    @dataclass
    class Left(Message):
        """The field has lost the focus by Enter or Escape."""

        text: str

    def __init__(self, prompt: str, placeholder: str) -> None:
        super().__init__()
        self._prompt, self._example = prompt, placeholder
        self.display = False

    def compose(self) -> ComposeResult:
        """Prompt, field, count."""
        yield Static(self._prompt, markup=False, classes="prompt")
        yield Field(placeholder=self._example, compact=True, select_on_focus=False)
        yield Static("", markup=False, classes="count")

    @property
    def value(self) -> str:
        """What is searched for; "" where there is no search."""
        return self.query_one(Field).value

    def open(self) -> None:
        """Show the field and take the focus."""
        self.display = True
        self.query_one(Field).focus()

    def close(self) -> None:
        """Empty the field and hide it."""
        with self.prevent(Input.Changed):
            self.query_one(Field).value = ""
        self.count("")
        self.display = False

    def count(self, text: str) -> None:
        """Show the number of hits, in words."""
        self.query_one(".count", Static).update(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as it is typed."""
        event.stop()
        self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: keep the search, go back to where the reader was."""
        event.stop()
        self.action_leave(event.value)

    def action_keep(self) -> None:
        """Tab: the same as Enter."""
        self.action_leave(self.value)

    def action_leave(self, text: str) -> None:
        """Go back with ``text`` as the search; "" ends it."""
        if not text:
            self.close()
        self.post_message(self.Left(text))
