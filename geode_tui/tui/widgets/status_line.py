"""One line under the score bar: evidence, note, and whether the draft is safe."""

from __future__ import annotations

from enum import Enum

from rich.cells import cell_len
from textual.timer import Timer

from geode_tui.domain.display import one_line
from geode_tui.domain.score import Draft
from geode_tui.tui.widgets.lines import Line, LinesWidget, Piece
from geode_tui.tui.widgets.rubric_text import clean
from geode_tui.tui.widgets.words import plural


class SaveState(Enum):
    """What is known of the draft; ``SAVED`` only after the store said so."""

    CLEAN = ""
    SAVING = "saving…"
    SAVED = "draft saved"
    FAILED = "NOT SAVED"
    SUBMITTED = "submitted"


_STYLE = {
    SaveState.CLEAN: "dim",
    SaveState.SAVING: "dim",
    SaveState.SAVED: "good",
    SaveState.FAILED: "warn",
    SaveState.SUBMITTED: "good",
}


class StatusLine(LinesWidget):
    """Evidence and note at the left, the state of saving at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._draft = Draft()
        self._state = SaveState.CLEAN
        self._detail = ""
        self._told = ""
        self._clock: Timer | None = None

    def show(self, draft: Draft) -> None:
        """Show another draft."""
        self._draft = draft
        self.changed()

    def saving(self, state: SaveState, detail: str = "") -> None:
        """Show another state of saving; ``detail`` says why it failed."""
        self._state, self._detail = state, detail
        self.changed()

    def tell(self, text: str, seconds: float = 4.0) -> None:
        """Say something in place of evidence and note, for a while; "" ends it."""
        if self._clock is not None:
            self._clock.stop()
        self._clock = self.set_timer(seconds, lambda: self.tell("")) if text else None
        self._told = text
        self.changed()

    @property
    def state(self) -> SaveState:
        """The state of saving as shown."""
        return self._state

    def lines(self, width: int) -> list[Line]:
        """One line."""
        right = self._state.value
        if self._detail:
            right = f"{right}: {clean(self._detail)}" if right else clean(self._detail)
        right = one_line(right, max(12, width // 2))
        cited = [f"M{item.m}" for item in self._draft.evidence]
        shown = ", ".join(cited[:6]) + (" …" if len(cited) > 6 else "")
        left: list[Piece] = [
            ("evidence ", "dim"),
            (shown or "none", "" if cited else "dim"),
        ]
        if len(cited) > 1:
            left.append((f" ({plural(len(cited), 'place')})", "dim"))
        left.append(("   note ", "dim"))
        used = sum(cell_len(text) for text, _ in left)
        room = width - used - cell_len(right) - 4
        note = one_line(clean(self._draft.note), room) if room > 3 else ""
        left.append((note or "none", "" if note else "dim"))
        if self._told:
            room = max(8, width - cell_len(right) - 2)
            left = [(one_line(clean(self._told), room), "key")]
        used = sum(cell_len(text) for text, _ in left)
        gap = " " * max(1, width - used - cell_len(right))
        return [Line((*left, (gap, ""), (right, _STYLE[self._state])))]
