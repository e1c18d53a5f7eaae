"""Editing a draft: every change, undo and redo, as plain values.

The Label screen holds one ``DraftEditor`` per opened transcript. It knows no
widget and no store: it turns keystrokes into drafts.
"""

from __future__ import annotations

from collections.abc import Sequence

from geode_tui.domain.base import LOWEST_SCORE
from geode_tui.domain.labelling import Form
from geode_tui.domain.rubric import Dimension
from geode_tui.domain.score import Draft, Event, Evidence

_State = tuple[Draft, int]


def draft_of(labels: Sequence[Event], forms: Sequence[Form]) -> Draft:
    """The draft that the rater's submitted labels of one transcript came from.

    What the forms no longer ask or offer is left out: a rubric whose structure
    has changed is labelled anew with what still fits.
    """
    asked = {d.name for form in forms for d in form.dimensions}
    modes = {m.key for form in forms for m in form.rubric.sub_modes}
    channels = {f.key for form in forms for f in form.rubric.side_channels}
    scores: dict[str, int] = {}
    # Dictionaries keep the first place of each entry and drop repetitions.
    sub_modes: dict[str, None] = {}
    flags: dict[str, None] = {}
    evidence: dict[Evidence, None] = {}
    notes: dict[str, None] = {}
    reasons: list[str] = []
    for label in labels:
        scores |= {name: s for name, s in label.scores.items() if name in asked}
        sub_modes |= dict.fromkeys(key for key in label.sub_modes if key in modes)
        flags |= dict.fromkeys(key for key in label.flags if key in channels)
        evidence |= dict.fromkeys(label.evidence)
        notes |= dict.fromkeys([label.note] if label.note else [])
        reasons += [] if label.not_scorable is None else [label.not_scorable]
    return Draft(
        scores=scores,
        sub_modes=tuple(sub_modes),
        flags=tuple(flags),
        evidence=tuple(evidence),
        note="\n".join(notes),
        not_scorable=None if scores or not reasons else reasons[0],
    )


class DraftEditor:
    """A draft, the active dimension, and the way back.

    Attributes:
        draft: the present state.
        active: index of the dimension that the next digit scores.
    """

    def __init__(self, dimensions: Sequence[Dimension], draft: Draft) -> None:
        self.dimensions = tuple(dimensions)
        self.draft = draft
        self.active = 0
        self._undo: list[_State] = []
        self._redo: list[_State] = []
        self._typing = False
        self.active = self.first_untouched() or 0

    @property
    def dimension(self) -> Dimension:
        """The dimension that the next digit scores."""
        return self.dimensions[self.active]

    @property
    def untouched(self) -> bool:
        """True where nothing has been changed since the draft was opened."""
        return not self._undo and not self._redo

    def first_untouched(self) -> int | None:
        """Index of the first dimension without a score; None where all have one."""
        for index, dimension in enumerate(self.dimensions):
            if dimension.name not in self.draft.scores:
                return index
        return None

    def score(self, value: int) -> None:
        """Score the active dimension, then move to the next one, if any.

        A score takes a "not scorable" back: a label is one or the other.
        """
        scores = {**self.draft.scores, self.dimension.name: value}
        follower = min(self.active + 1, len(self.dimensions) - 1)
        self._change({"scores": scores, "not_scorable": None}, follower)

    def clear(self) -> None:
        """Take the active dimension's score away."""
        scores = dict(self.draft.scores)
        if scores.pop(self.dimension.name, None) is not None:
            self._change({"scores": scores})

    def step(self, step: int) -> None:
        """Move to another dimension, round the ends."""
        self.active = (self.active + step) % len(self.dimensions)

    def fill_untouched(self, *, higher_is_better: bool = False) -> list[str]:
        """Score the untouched dimensions 1 and return their names.

        Where higher is better, 1 is a harsh judgement and not "nothing to
        report", so those are filled only when asked for.
        """
        names = [
            d.name
            for d in self.dimensions
            if d.name not in self.draft.scores
            and d.lower_is_better is not higher_is_better
        ]
        if names:
            scores = {**self.draft.scores, **dict.fromkeys(names, LOWEST_SCORE)}
            self._change({"scores": scores, "not_scorable": None})
        return names

    def toggle_sub_mode(self, key: str) -> bool:
        """Set or clear a sub-mode; True where it is set now."""
        return self._toggle("sub_modes", self.draft.sub_modes, key)

    def toggle_flag(self, key: str) -> bool:
        """Set or clear a side-channel flag; True where it is set now."""
        return self._toggle("flags", self.draft.flags, key)

    def toggle_evidence(self, item: Evidence) -> bool:
        """Add evidence, or take it away where the same place is marked already."""
        kept = tuple(
            old
            for old in self.draft.evidence
            if (old.m, old.span) != (item.m, item.span)
        )
        added = len(kept) == len(self.draft.evidence)
        self._change({"evidence": (*kept, item) if added else kept})
        return added

    def replace_evidence(self, evidence: Sequence[Evidence]) -> None:
        """Put another list of evidence in place of the present one."""
        if tuple(evidence) != self.draft.evidence:
            self._change({"evidence": tuple(evidence)})

    def write_note(self, note: str) -> None:
        """Set the note; one stretch of typing is one step of undo."""
        if note == self.draft.note:
            return
        if self._typing:
            self.draft = self.draft.model_copy(update={"note": note})
        else:
            self._change({"note": note})
            self._typing = True

    def end_note(self) -> None:
        """The note has lost the focus: later typing is a step of its own."""
        self._typing = False

    def not_scorable(self, reason: str | None) -> None:
        """Say that there is no score and why; None takes it back."""
        scores = self.draft.scores if reason is None else {}
        self._change({"not_scorable": reason, "scores": scores})

    def undo(self) -> bool:
        """Go one step back; False where there is none."""
        return self._travel(self._undo, self._redo)

    def redo(self) -> bool:
        """Go one step forward again; False where there is none."""
        return self._travel(self._redo, self._undo)

    def _toggle(self, field: str, present: tuple[str, ...], key: str) -> bool:
        added = key not in present
        left = tuple(other for other in present if other != key)
        self._change({field: (*left, key) if added else left})
        return added

    def _change(self, update: dict[str, object], active: int | None = None) -> None:
        self._typing = False
        self._undo.append((self.draft, self.active))
        self._redo.clear()
        self.draft = self.draft.model_copy(update=update)
        if active is not None:
            self.active = active

    def _travel(self, source: list[_State], other: list[_State]) -> bool:
        self._typing = False
        if not source:
            return False
        other.append((self.draft, self.active))
        self.draft, self.active = source.pop()
        return True
