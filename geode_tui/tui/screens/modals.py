"""Small dialogs. Each answers with a value; its caller acts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from geode_tui.domain.display import visible
from geode_tui.errors import GeodeError
from geode_tui.tui.widgets.fields import Field
from geode_tui.tui.widgets.lines import Layout, TextPane


class Told(ModalScreen[None]):
    """Says something and waits until it has been read."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,escape,q", "dismiss", "Close", id="dialog.close"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """Title, text, how to go on."""
        with Vertical(classes="dialog"):
            yield Static(visible(self._title), markup=False, classes="title")
            yield Static(visible(self._text), markup=False, classes="body")
            yield Static("Enter closes", markup=False, classes="hint")


def told(error: GeodeError) -> Told:
    """A dialog that says what an error says."""
    text = "\n\n".join(
        part for part in (error.message, error.where, error.hint) if part
    )
    return Told(error.title, text)


class AskName(ModalScreen[str | None]):
    """Asks for the rater's name at the first start. None where the rater leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Leave", id="name.leave"),
    ]

    def compose(self) -> ComposeResult:
        """Why a name, and a field for it."""
        with Vertical(classes="dialog"):
            yield Static("Who labels here?", markup=False, classes="title")
            yield Static(
                "Every label is kept under a name; yours stay apart from those of"
                " other people, and nobody sees them before they have labelled"
                " themselves. The name is remembered for this workspace.",
                markup=False,
                classes="body",
            )
            yield Field(placeholder="your name", max_length=80)
            yield Static("Enter starts, Escape leaves", markup=False, classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: a name of at least one visible character."""
        name = event.value.strip()
        if name and name.isprintable():
            self.dismiss(name)


class AskReason(ModalScreen[str | None]):
    """Asks why there is no score. "" takes a reason back, None changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel", id="reason.cancel"),
        Binding("down", "suggest(1)", "Next suggestion", id="reason.next"),
        Binding("up", "suggest(-1)", "Previous suggestion", id="reason.previous"),
    ]

    def __init__(self, reason: str, suggestions: Sequence[str]) -> None:
        super().__init__()
        self._reason = reason
        self._suggestions = list(suggestions)
        self._at = -1

    def compose(self) -> ComposeResult:
        """A field, and suggestions from the rubric and the facts."""
        with Vertical(classes="dialog"):
            yield Static("Why is there no score?", markup=False, classes="title")
            yield Field(self._reason, placeholder="reason", select_on_focus=False)
            if self._suggestions:
                text = "\n".join(f"• {visible(s)}" for s in self._suggestions)
                yield Static(text, markup=False, classes="body")
            hint = "Enter keeps the reason (empty: takes it back), Escape cancels"
            if self._suggestions:
                hint = f"Down and Up: suggestions · {hint}"
            yield Static(hint, markup=False, classes="hint")

    def action_suggest(self, step: int) -> None:
        """Put another suggestion into the field."""
        if self._suggestions:
            self._at = (self._at + step) % len(self._suggestions)
            field = self.query_one(Field)
            field.value = " ".join(self._suggestions[self._at].split())
            field.cursor_position = len(field.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: this is the reason."""
        self.dismiss(event.value.strip())


class Reading(ModalScreen[None]):
    """A page of text over the screen: the keys, the history."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,question_mark", "dismiss", "Close", id="reading.close"),
    ]

    def __init__(self, title: str, layout: Layout) -> None:
        super().__init__()
        self._title, self._layout = title, layout

    def compose(self) -> ComposeResult:
        """Title, a scrolled page, how to go back."""
        with Vertical(classes="dialog page"):
            yield Static(visible(self._title), markup=False, classes="title")
            yield TextPane(self._layout)
            yield Static("Enter closes", markup=False, classes="hint")
