"""The entering half of the Label screen: scores, marks, evidence, notes, drafts."""

from __future__ import annotations

from contextlib import suppress

from textual import events
from textual.actions import SkipAction
from textual.widgets import Input, TextArea

from geode_tui.config import Config
from geode_tui.domain.editing import DraftEditor, draft_of
from geode_tui.domain.labelling import LabelTask
from geode_tui.domain.rubric import Dimension, Rubric
from geode_tui.domain.score import Draft, Evidence
from geode_tui.tui.screens.draft_saver import DraftSaver, Save
from geode_tui.tui.screens.evidence import EvidenceAnswer, EvidenceScreen
from geode_tui.tui.screens.modals import AskReason
from geode_tui.tui.screens.reading import ReadingScreen
from geode_tui.tui.widgets.fields import NoteArea
from geode_tui.tui.widgets.letters import LEAD
from geode_tui.tui.widgets.score_bar import DimensionBar, asked
from geode_tui.tui.widgets.status_line import SaveState, StatusLine
from geode_tui.tui.widgets.sub_mode_bar import SubModeBar
from geode_tui.tui.widgets.words import VALIDITY_SENTENCE, plural

_ENTERING = {
    "score", "submit", "evidence", "note", "not_scorable", "undo", "redo", "fill",
    "clear", "evidence_list", "reveal", "other", "queue", "mark", "dimension",
}  # fmt: skip
"""Actions that wait until a transcript is open and no commit is running."""

_SHORT, _FEW_ROWS, _MORE_ROWS = 36, 3, 8
"""Below this height the list of dimensions has few rows, else more."""


class EnteringScreen(ReadingScreen):
    """Turns keys into a draft and has it saved; submitting is the subclass's."""

    def __init__(self, config: Config, transcript: str, save: Save) -> None:
        super().__init__(config)
        self._current = transcript
        self._editor = DraftEditor((Dimension(name="overall"),), Draft())
        self._asked: list[tuple[Rubric, Dimension]] = []
        self._lead = False
        self._busy = True
        self._saver = DraftSaver(save, self._saving)

    def on_unmount(self) -> None:
        """Nothing may be saved from here any more."""
        self._saver.stop()

    def on_resize(self) -> None:
        """The list of dimensions takes as many rows as the height allows."""
        self._show_draft()

    @property
    def draft(self) -> Draft:
        """The draft as it is on the screen."""
        return self._editor.draft

    @property
    def saver(self) -> DraftSaver:
        """Knows whether everything typed is stored."""
        return self._saver

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing can be entered while a transcript is read or saved, or text typed."""
        if isinstance(self.focused, Input | TextArea):
            return action in {"focus_next", "copy_text"}
        return not (self._busy and action in _ENTERING)

    def show_task(self, task: LabelTask) -> None:
        """Show another transcript with the rater's own work on it."""
        self._busy, self._lead = False, False
        self._asked = asked(task.forms)
        draft = draft_of(task.labels, task.forms) if task.draft.empty else task.draft
        self._editor = DraftEditor([d for _, d in self._asked], draft)
        super().show_task(task)
        self.query_one(NoteArea).load(draft.note)
        self._show_draft()

    def _tell(self, text: str) -> None:
        self.query_one(StatusLine).tell(text)

    def _saving(self, state: SaveState, detail: str) -> None:
        if self.is_mounted:
            self.query_one(StatusLine).saving(state, detail)

    def _show_draft(self) -> None:
        if self._opened is None:
            return
        editor, draft = self._editor, self._editor.draft
        rubric, dimension = self._asked[editor.active]
        rows = _FEW_ROWS if self.size.height < _SHORT else _MORE_ROWS
        self.query_one(DimensionBar).show(self._asked, draft, editor.active, rows)
        self.query_one(SubModeBar).show(rubric, self._keys, draft)
        self.query_one(StatusLine).show(draft)
        self.view.set_evidence(draft.evidence)
        dimensions = [d for r, d in self._asked if r is rubric]
        self.panel.show_rubric(rubric, dimensions, self._keys)
        if len(dimensions) > 1:
            self.panel.go_to(dimension.name)

    def _changed(self) -> None:
        """Something was entered: show it and store it soon."""
        self._show_draft()
        self._saver.changed(self._current, self._editor.draft)

    def action_score(self, score: int) -> None:
        """Score the active dimension."""
        self._editor.score(score)
        self._changed()

    def action_clear(self) -> None:
        """Take the active dimension's score away."""
        self._editor.clear()
        self._changed()

    def action_dimension(self, step: int) -> None:
        """Another dimension."""
        self._editor.step(step)
        self._show_draft()

    def action_fill(self) -> None:
        """Score the untouched dimensions 1; higher-is-better ones on a second press."""
        names = self._editor.fill_untouched()
        left = [
            d.name
            for d in self._editor.dimensions
            if d.name not in self._editor.draft.scores
        ]
        if not names and left:
            names = self._editor.fill_untouched(higher_is_better=True)
            left = []
        words = f"{plural(len(names), 'dimension')} scored 1."
        if left:
            rest = ", ".join(left)
            words += f" Left, as higher is better there: {rest}. Press again for those."
        if names:
            self._changed()
        self._tell(words if names else "No dimension is untouched.")

    def on_key(self, event: events.Key) -> None:
        """Letters that toggle sub-modes and flags, also in sequences of two."""
        if self._busy or isinstance(self.focused, Input | TextArea):
            return
        character = event.character or ""
        if self._lead:
            character = LEAD + character
            self._lead = False
            self._tell("")
        elif character == LEAD and any(len(k) > 1 for k in self._keys.values()):
            self._lead = True
            self._tell(f"{LEAD} … and the second key of the mark")
            event.stop()
            return
        for key, letters in self._keys.items():
            if letters == character:
                event.stop()
                self.action_mark(key)
                return

    def action_mark(self, key: str) -> None:
        """Toggle a sub-mode or a flag of the rubrics asked."""
        rubrics = [rubric for rubric, _ in self._asked]
        if any(key == mode.key for rubric in rubrics for mode in rubric.sub_modes):
            self._editor.toggle_sub_mode(key)
        else:
            self._editor.toggle_flag(key)
        self._changed()

    def action_evidence(self) -> None:
        """Mark the selected span or the message in sight, or unmark it."""
        task = self._opened
        if task is None:
            return
        chosen = self.view.selection_span()
        m = chosen[0] if chosen else self.view.current_m
        if m is None:
            return
        span = chosen[1] if chosen else None
        quote = span.of(task.transcript.message(m).text) if span else None
        self._editor.toggle_evidence(Evidence(m=m, span=span, quote=quote))
        with suppress(SkipAction):
            self.view.action_leave()
        self._changed()

    def action_evidence_list(self) -> None:
        """Go to evidence, take it away, say what it supports."""
        names = [d.name for _, d in self._asked]
        screen = EvidenceScreen(
            self._editor.draft.evidence, names if len(names) > 1 else ()
        )
        self.app.push_screen(screen, self._evidence_left)

    def _evidence_left(self, answer: EvidenceAnswer | None) -> None:
        if answer is None:
            return
        if answer.evidence != self._editor.draft.evidence:
            self._editor.replace_evidence(answer.evidence)
            self._changed()
        if answer.go_to:
            self.go_to(answer.go_to)

    def action_note(self) -> None:
        """Write the note; Escape or Tab leads back."""
        self.query_one(NoteArea).open()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """The note is part of the draft with every letter."""
        if self._opened is not None and not self._busy:
            self._editor.write_note(event.text_area.text)
            self.query_one(StatusLine).show(self._editor.draft)
            self._saver.changed(self._current, self._editor.draft)

    def on_note_area_left(self) -> None:
        """Back to the transcript; later typing is a step of undo of its own."""
        self._editor.end_note()
        self.turn_to_rubric(False)

    def action_not_scorable(self) -> None:
        """Say why there is no score."""
        task = self._opened
        if task is None:
            return
        facts = [VALIDITY_SENTENCE[mark] for mark in task.transcript.validity]
        clauses = [c.text for form in task.forms for c in form.rubric.not_scorable]
        screen = AskReason(self._editor.draft.not_scorable or "", [*facts, *clauses])
        self.app.push_screen(screen, self._reason_given)

    def _reason_given(self, reason: str | None) -> None:
        if reason is not None and (reason or None) != self._editor.draft.not_scorable:
            self._editor.not_scorable(reason or None)
            self._changed()

    def action_redo(self) -> None:
        """Forward again after an undo."""
        if self._editor.redo():
            self._travelled()
        else:
            self._tell("Nothing to redo.")

    def _travelled(self) -> None:
        self.query_one(NoteArea).load(self._editor.draft.note)
        self._changed()
