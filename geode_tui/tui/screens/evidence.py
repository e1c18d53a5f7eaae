"""The list of evidence: go to a place, take one away, say what it supports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from geode_tui.domain.display import one_line
from geode_tui.domain.score import Evidence
from geode_tui.tui.widgets.lines import Line, TextPane
from geode_tui.tui.widgets.rubric_text import clean


class EvidenceAnswer(NamedTuple):
    """The list as it was left, and the item to go to, if any."""

    evidence: tuple[Evidence, ...]
    go_to: Evidence | None = None


class EvidenceScreen(ModalScreen[EvidenceAnswer]):
    """All marked places of the label in hand."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next place", id="evidence.down"),
        Binding("up,k", "move(-1)", "Previous place", id="evidence.up"),
        Binding("enter", "go", "Go there", id="evidence.go"),
        Binding("delete,backspace,d", "remove", "Take away", id="evidence.remove"),
        Binding("left,right", "supports", "What it supports", id="evidence.supports"),
        Binding("escape,q,E", "leave", "Close", id="evidence.close"),
    ]

    def __init__(self, evidence: Sequence[Evidence], dimensions: Sequence[str]) -> None:
        super().__init__()
        self._evidence = list(evidence)
        self._supports: list[str | None] = [None, *dimensions]
        self._at = 0

    def compose(self) -> ComposeResult:
        """Title, the list, the keys."""
        hint = "Enter goes there · d takes away · Escape closes"
        if len(self._supports) > 2:
            hint = f"Right: what it supports · {hint}"
        with Vertical(classes="dialog page list"):
            yield Static("Evidence", markup=False, classes="title")
            yield TextPane(self._lines)
            yield Static(hint, markup=False, classes="hint")

    def on_mount(self) -> None:
        """The keys of this dialog move the cursor, not the pane."""
        self.query_one(TextPane).can_focus = False

    def _lines(self, width: int) -> list[Line]:
        if not self._evidence:
            return [
                Line((("Nothing is marked: e marks the message in sight.", "dim"),))
            ]
        lines = []
        for index, item in enumerate(self._evidence):
            here = index == self._at
            what = f"“{clean(item.quote)}”" if item.quote else "the whole message"
            whose = f"  for {item.dimension}" if item.dimension else ""
            text = one_line(f"M{item.m}  {what}{whose}", max(4, width - 2))
            lines.append(
                Line((("▸ " if here else "  ", "key"), (text, "strong" * here)))
            )
        return lines

    def _redraw(self) -> None:
        self._at = min(max(self._at, 0), max(0, len(self._evidence) - 1))
        pane = self.query_one(TextPane)
        pane.show(self._lines, keep_place=True)
        pane.scroll_to(
            y=max(0, self._at - pane.size.height + 1), animate=False, force=True
        )

    def action_move(self, step: int) -> None:
        """Another place."""
        self._at += step
        self._redraw()

    def action_remove(self) -> None:
        """Take the place under the cursor away."""
        if self._evidence:
            del self._evidence[self._at]
            self._redraw()

    def action_supports(self) -> None:
        """Say that the place supports the next dimension, or the label as a whole."""
        if self._evidence:
            item = self._evidence[self._at]
            index = (
                self._supports.index(item.dimension)
                if (item.dimension in self._supports)
                else 0
            )
            chosen = self._supports[(index + 1) % len(self._supports)]
            self._evidence[self._at] = item.model_copy(update={"dimension": chosen})
            self._redraw()

    def action_go(self) -> None:
        """Close and go to the place under the cursor."""
        item = self._evidence[self._at] if self._evidence else None
        self.dismiss(EvidenceAnswer(tuple(self._evidence), item))

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(EvidenceAnswer(tuple(self._evidence)))
