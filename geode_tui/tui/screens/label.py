"""The Label screen: scores, marks, notes, drafts; blind until submitted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, ClassVar, ParamSpec, TypeVar

from textual import work
from textual.binding import BindingType

from geode_tui.config import Config
from geode_tui.domain.labelling import LabelState, LabelTask, QueueFilter
from geode_tui.errors import GeodeError
from geode_tui.tui.screens.entering import EnteringScreen
from geode_tui.tui.screens.guard import guarded, guarded_work
from geode_tui.tui.screens.label_keys import LABEL, READING
from geode_tui.tui.screens.modals import Reading, Told, told
from geode_tui.tui.widgets.history_text import history_lines
from geode_tui.tui.widgets.rule_text import counted_calls
from geode_tui.tui.widgets.status_line import SaveState

if TYPE_CHECKING:
    from geode_tui.workflows.annotate import Annotate

P = ParamSpec("P")
T = TypeVar("T")

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


async def _done(start: Callable[P, Future[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """Start a write in a thread, as it reads before it writes; wait for the commit."""
    return await asyncio.wrap_future(await asyncio.to_thread(start, *args, **kwargs))


class LabelScreen(EnteringScreen):
    """Labels transcripts one after the other; answers with the last one's id."""

    BINDINGS: ClassVar[list[BindingType]] = [*LABEL, *READING]

    def __init__(
        self,
        annotate: Annotate,
        config: Config,
        queue_filter: QueueFilter,
        transcript: str,
    ) -> None:
        super().__init__(config, transcript, annotate.save_draft)
        self._annotate, self._filter = annotate, queue_filter
        self._submitted: str | None = None

    def on_mount(self) -> None:
        """Read the transcript."""
        self._open(self._current)

    @work(exclusive=True, group="open")
    @guarded_work
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
        self.show_task(task)

    def show_task(self, task: LabelTask) -> None:
        """Show another transcript and say where the rater stands with it."""
        super().show_task(task)
        self._saving(*_first_words(task))

    def after_error(self) -> None:
        """What is on the screen can be worked on again."""
        self._busy = self._opened is None

    async def _next(self, after: str) -> None:
        todo = self._annotate.next_todo(self._filter, after=after)
        if todo is None or todo == after:
            words = "Nothing is left to do in this queue."
            if self._filter != QueueFilter(
                order=self._filter.order, descending=self._filter.descending
            ):
                words = "Nothing is left to do under this filter; Escape shows all."
            self.notify(words, markup=False)
            self.dismiss(after)
        else:
            await self._read(todo)

    @work(exclusive=True, group="open")
    @guarded_work
    async def action_queue(self) -> None:
        """Store the draft and go back to the queue."""
        if await self._saver.flush():
            self.dismiss(self._current)
        else:
            self._tell("The draft is not stored yet, so it stays on the screen.")

    @work(exclusive=True, group="open")
    @guarded_work
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

    @work(exclusive=True, group="open")
    @guarded_work
    async def _reopen(self, transcript: str) -> None:
        """Withdraw a submitted label; its values are the draft again."""
        if not await self._saver.flush():
            return
        self._busy = True
        task = await _done(self._annotate.withdraw, transcript)
        self._current, self._submitted = transcript, None
        self.show_task(task)
        self._saving(SaveState.CLEAN, "label taken back; Enter submits it again")

    @work(exclusive=True, group="open")
    @guarded_work
    async def action_submit(self) -> None:
        """Submit, wait for the commit, go on to the next transcript to do."""
        task, draft = self._opened, self._editor.draft
        if task is None:
            return
        if task.state in _DONE and task.draft.empty and self._editor.untouched:
            await self._next(self._current)
            return
        self._busy = True
        await self._saver.forget()
        try:
            await _done(self._annotate.submit, task, draft)
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

    @guarded
    def action_history(self) -> None:
        """The rater's own events of this transcript."""
        events = self._annotate.history(self._current)
        page = Reading("Your history here", lambda width: history_lines(events, width))
        self.app.push_screen(page)

    @work(exclusive=True, group="open")
    @guarded_work
    async def action_reveal(self) -> None:
        """Show what the judge and other raters said, where the workspace allows it."""
        refusal = self._annotate.reveal_refusal(self._current)
        if refusal is not None:
            self.app.push_screen(Told("Not yet", refusal))
            return
        reveal = await _done(self._annotate.reveal, self._current)
        mine: dict[str, int] = {}
        for label in self._opened.labels if self._opened else ():
            mine |= label.scores
        self.panel.show_reveal(reveal, mine)
        self.view.set_highlights(counted_calls(reveal))
        self.turn_to_rubric(True)
