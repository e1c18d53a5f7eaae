"""Fields for text. What is pasted or put into them cannot steer the terminal."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Paste
from textual.message import Message
from textual.widgets import Input, TextArea

from geode_tui.domain.display import visible


class Field(Input):
    """One line of text; control characters become visible ones."""

    def validate_value(self, value: str) -> str:
        """The value as it is kept."""
        return visible(value).replace("\n", " ")


class NoteArea(TextArea):
    """The note. Enter makes a new line; Escape or Tab leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,tab", "leave", "Back", key_display="Esc", id="note.leave"),
    ]

    class Left(Message):
        """The rater goes back to the transcript."""

    def __init__(self) -> None:
        super().__init__(compact=True, soft_wrap=True)
        self.display = False

    def open(self) -> None:
        """Show the field and take the focus."""
        self.display = True
        self.move_cursor(self.document.end)
        self.focus()

    def load(self, note: str) -> None:
        """Put another note in, without a word to the screen."""
        with self.prevent(TextArea.Changed):
            self.load_text(visible(note))

    def on_paste(self, event: Paste) -> None:
        """Paste with control characters made visible."""
        event.prevent_default()
        event.stop()
        self.replace(visible(event.text), *self.selection)

    def action_leave(self) -> None:
        """Hide the field; what was written stays."""
        self.display = False
        self.post_message(self.Left())
