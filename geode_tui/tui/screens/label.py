"""The Label screen: scores, marks, notes, drafts; blind until submitted."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.binding import BindingType
from textual.widgets import Input, TextArea

from geode_tui.config import Config
from geode_tui.domain.editing import DraftEditor, draft_of
from geode_tui.domain.labelling import LabelState, LabelTask, QueueFilter
from geode_tui.domain.rubric import Dimension, Rubric
from geode_tui.domain.score import Draft, Evidence
from geode_tui.errors import GeodeError
from geode_tui.tui.screens.draft_saver import DraftSaver
from geode_tui.tui.screens.evidence import EvidenceAnswer, EvidenceScreen
from geode_tui.tui.screens.label_keys import LABEL, READING
from geode_tui.tui.screens.modals import AskReason, Reading, Told, told
from geode_tui.tui.screens.reading import ReadingScreen
from geode_tui.tui.widgets.history_text import history_lines
from geode_tui.tui.widgets.letters import LEAD
from geode_tui.tui.widgets.note import NoteArea
from geode_tui.tui.widgets.score_bar import DimensionBar, asked
from geode_tui.tui.widgets.status_line import SaveState, StatusLine
from geode_tui.tui.widgets.sub_mode_bar import SubModeBar
from geode_tui.tui.widgets.words import VALIDITY_SENTENCE, plural

if TYPE_CHECKING:
    from geode_tui.workflows.annotate import Annotate

_ENTERING = {
    "score", "submit", "evidence", "note", "not_scorable", "undo", "redo", "fill",
    "clear", "evidence_list", "reveal", "other", "queue", "mark", "dimension",
}  # fmt: skip
"""Actions that wait until a transcript is open and no commit is running."""

_DONE = {LabelState.DONE, LabelState.NOT_SCORABLE}


def _first_words(task: LabelTask) -> tuple[SaveState, str]:
    """What the status line says when a transcript has just been opened."""
    if task.state is LabelState.REDO:
        return SaveState.CLEAN, "redo: the rubric has changed since your label"
    if not task.draft.empty:
        return SaveState.SAVED, ""
    if task.state in _DONE:
        at = task.labels[-1].at[:16].replace("T", " ") if task.labels else ""
        return SaveState.SUBMITTED, f"{at}, u takes it back"
    return SaveState.CLEAN, ""


class LabelScreen(ReadingScreen):
    """Labels transcripts one after the other; answers with the last one's id."""

    BINDINGS: ClassVar[list[BindingType]] = [*LABEL, *READING]

    def __init__(
        self,
        annotate: Annotate,
        config: Config,
        queue_filter: QueueFilter,
        transcript: str,
    ) -> None:
        super().__init__(config)
        self._annotate, self._filter = annotate, queue_filter
        self._current = transcript
        self._editor = DraftEditor((Dimension(name="overall"),), Draft())
        self._asked: list[tuple[Rubric, Dimension]] = []
        self._lead = False
        self._busy = True
        self._submitted: str | None = None
        self._saver = DraftSaver(annotate.save_draft, self._saving)

    def on_mount(self) -> None:
        """Read the transcript."""
        self._open(self._current)

    def on_unmount(self) -> None:
        """Nothing may be saved from here any more."""
        self._saver.stop()

    def on_resize(self) -> None:
        """The list of dimensions takes as many rows as the height allows."""
        self._show_draft()

    # ---- opening and leaving ----

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

    @work(exclusive=True, group="open", exit_on_error=False)
    async def _open(self, transcript: str) -> None:
        await self._read(transcript)

    async def _read(self, transcript: str) -> None:
        """Read a transcript in a thread, then show it."""
        self._busy = True
        try:
            task = await asyncio.to_thread(self._annotate.task, transcript)
        except GeodeError as error:
            self.app.push_screen(told(error), lambda _: self.dismiss(self._current))
            return
        self._current = transcript
        self._show(task)

    def _show(self, task: LabelTask) -> None:
        self._busy, self._lead = False, False
        self._asked = asked(task.forms)
        draft = draft_of(task.labels, task.forms) if task.draft.empty else task.draft
        self._editor = DraftEditor([d for _, d in self._asked], draft)
        self.show_task(task)
        self.query_one(NoteArea).load(self._editor.draft.note)
        self._saving(*_first_words(task))
        self._show_draft()

    async def _next(self, after: str) -> None:
        todo = self._annotate.next_todo(self._filter, after=after)
        if todo is None or todo == after:
            self.notify("Nothing is left to do in this queue.", markup=False)
            self.dismiss(after)
        else:
            await self._read(todo)

    @work(exclusive=True, group="open", exit_on_error=False)
    async def action_queue(self) -> None:
        """Store the draft and go back to the queue."""
        if await self._saver.flush():
            self.dismiss(self._current)
        else:
            self._tell("The draft is not stored yet, so it stays on the screen.")

    @work(exclusive=True, group="open", exit_on_error=False)
    async def action_other(self, step: int) -> None:
        """Open the next or previous transcript of the queue; the draft stays."""
        chosen = self._filter
        at = self._annotate.position(chosen, self._current)
        there = (at + step) if at is not None else 0
        if not 0 <= there < self._annotate.count(chosen):
            self._tell("That is the end of the queue.")
        elif await self._saver.flush():
            row = self._annotate.page(chosen, there, 1)
            await self._read(row[0].id)

    # ---- the draft ----

    def _tell(self, text: str) -> None:
        self.notify(text, markup=False)

    def _saving(self, state: SaveState, detail: str) -> None:
        if self.is_mounted:
            self.query_one(StatusLine).saving(state, detail)

    def _show_draft(self) -> None:
        if self._opened is None:
            return
        editor, draft = self._editor, self._editor.draft
        rubric, dimension = self._asked[editor.active]
        rows = 3 if self.size.height < 36 else 6
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
        self._tell(words if names else "No dimension is untouched.")
        if names:
            self._changed()

    def on_key(self, event: events.Key) -> None:
        """Letters that toggle sub-modes and flags, also in sequences of two."""
        if self._busy or isinstance(self.focused, Input | TextArea):
            return
        character = event.character or ""
        if self._lead:
            character = LEAD + character
            self._lead = False
            self.query_one(StatusLine).pending("")
        elif character == LEAD and any(len(k) > 1 for k in self._keys.values()):
            self._lead = True
            self.query_one(StatusLine).pending(LEAD)
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
        added = self._editor.toggle_evidence(Evidence(m=m, span=span, quote=quote))
        what = "the selected words of " if span else ""
        self._tell(f"Evidence: {what}M{m} {'marked' if added else 'unmarked'}.")
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
        self.view.focus()

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

    def action_undo(self) -> None:
        """One step back; without a step, take the submitted label back."""
        if self._editor.undo():
            self._travelled()
        elif self._opened and self._opened.state in _DONE:
            self._reopen(self._current)
        elif self._submitted is not None:
            self._reopen(self._submitted)
        else:
            self._tell("Nothing to undo.")

    @work(exclusive=True, group="open", exit_on_error=False)
    async def _reopen(self, transcript: str) -> None:
        """Withdraw a submitted label; its values are the draft again."""
        if not await self._saver.flush():
            return
        self._busy, self._submitted = True, None
        try:
            task = await asyncio.wrap_future(self._annotate.withdraw(transcript))
        except GeodeError as error:
            self._busy = False
            self.app.push_screen(told(error))
            return
        self._current = transcript
        self._show(task)
        self._saving(SaveState.CLEAN, "label taken back; Enter submits it again")

    @work(exclusive=True, group="open", exit_on_error=False)
    async def action_submit(self) -> None:
        """Submit, wait for the commit, go on to the next transcript to do."""
        task, draft = self._opened, self._editor.draft
        if task is None:
            return
        done = task.state in _DONE
        if done and self._saver.idle and draft == draft_of(task.labels, task.forms):
            await self._next(self._current)
            return
        self._busy = True
        await self._saver.forget()
        try:
            await asyncio.wrap_future(self._annotate.submit(task, draft))
        except GeodeError as error:
            self._busy = False
            self._saver.changed(self._current, draft)
            missing = self._editor.first_untouched()
            if missing is not None and draft.not_scorable is None:
                self._editor.active = missing
                self._show_draft()
            self.app.push_screen(Told("Not submitted", error.message))
            return
        self._submitted = self._current
        self._saving(SaveState.SUBMITTED, "")
        await self._next(self._current)

    # ---- after the label ----

    def action_history(self) -> None:
        """The rater's own events of this transcript."""
        events = self._annotate.history(self._current)
        page = Reading("Your history here", lambda width: history_lines(events, width))
        self.app.push_screen(page)

    @work(exclusive=True, group="open", exit_on_error=False)
    async def action_reveal(self) -> None:
        """Show what the judge and other raters said, where the workspace allows it."""
        refusal = self._annotate.reveal_refusal(self._current)
        if refusal is not None:
            self.app.push_screen(Told("Not yet", refusal))
            return
        try:
            reveal = await asyncio.wrap_future(self._annotate.reveal(self._current))
        except GeodeError as error:
            self.app.push_screen(told(error))
            return
        mine: dict[str, int] = {}
        for label in self._opened.labels if self._opened else ():
            mine |= label.scores
        self.panel.show_reveal(reveal, mine)
        self.add_class("rubric-shown")
        self.panel.pane.focus()
