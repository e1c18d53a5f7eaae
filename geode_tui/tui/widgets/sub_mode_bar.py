"""Toggles for sub-modes and flags, each with its key and a ticked box."""

from __future__ import annotations

from collections.abc import Mapping

from geode_tui.domain.display import one_line
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.score import Draft
from geode_tui.tui.widgets.lines import Line, LinesWidget, Piece, flow
from geode_tui.tui.widgets.rubric_text import clean

_LABEL_CELLS = 38


def _toggle(key: str, label: str, on: bool, cells: int) -> list[Piece]:
    return [
        (key or "·", "key"),
        (" ", ""),
        ("[x]" if on else "[ ]", "chosen" if on else "dim"),
        (" ", ""),
        (one_line(label, cells), "strong" if on else ""),
    ]


class SubModeBar(LinesWidget):
    """What a letter toggles; hidden where the rubric has neither."""

    def __init__(self) -> None:
        super().__init__()
        self._rubric: Rubric | None = None
        self._keys: Mapping[str, str] = {}
        self._draft = Draft()

    def show(
        self, rubric: Rubric | None, keys: Mapping[str, str], draft: Draft
    ) -> None:
        """Show the toggles of a rubric; ``keys`` maps sub-mode or flag to its key."""
        self._rubric, self._keys, self._draft = rubric, keys, draft
        self.display = rubric is not None and bool(
            rubric.sub_modes or rubric.side_channels
        )
        self.changed()

    def lines(self, width: int) -> list[Line]:
        """Sub-modes, then flags, flowing over as many lines as needed."""
        if self._rubric is None:
            return []
        draft, keys = self._draft, self._keys
        # Two beside each other at 80 columns: key, box and gap take the rest.
        cells = min(_LABEL_CELLS, max(12, width // 2 - 9))
        items = [
            _toggle(keys.get(m.key, ""), clean(m.label or m.key), on, cells)
            for m in self._rubric.sub_modes
            for on in (m.key in draft.sub_modes,)
        ]
        for flag in self._rubric.side_channels:
            on = flag.key in draft.flags
            toggle = _toggle(keys.get(flag.key, ""), clean(flag.key), on, cells - 5)
            items.append([*toggle, (" flag", "dim")])
        return flow(items, width)
