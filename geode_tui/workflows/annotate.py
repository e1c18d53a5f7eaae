"""Labelling: the queue, a task, drafts, submit, withdraw, reveal.

Everything a rater sees on the way comes from the store's blind reader. Other
raters' values are read in one place, ``reveal``, and handed out only after the
event that says so is on the disk.
"""

from __future__ import annotations

from concurrent.futures import Future

from geode_tui.config import Config, RevealRule
from geode_tui.domain.editing import draft_of
from geode_tui.domain.forms import Ask
from geode_tui.domain.labelling import (
    LabelState,
    LabelTask,
    Progress,
    QueueFilter,
    QueueRow,
    Reveal,
)
from geode_tui.domain.score import Draft, Event, EventKind, RaterRole, Verdict
from geode_tui.errors import AnnotationError, BlindnessError, GeodeError
from geode_tui.store.store import Store
from geode_tui.store.writer import failed, then
from geode_tui.workflows.rule import apply_rule, current_only
from geode_tui.workflows.submission import events_for, problems_of

_LABELLED = (LabelState.DONE, LabelState.NOT_SCORABLE)


class Annotate:
    """One rater's labelling in one workspace. May be used from any thread.

    Attributes:
        rater: who labels.
        role: what the settings allow them.
    """

    def __init__(self, store: Store, config: Config, rater: str) -> None:
        """Label as ``rater``; as "" one can only look at the queue.

        Raises:
            StoreError: the database cannot be read.
        """
        self.rater = rater
        self.role = config.role_of(rater)
        self._store = store
        self._config = config
        self._settings = config.label
        ask = Ask(
            seed_dimensions=config.label.seed_dimensions,
            judge_dimensions=config.label.judge_dimensions,
        )
        self._blind = store.blind(rater, ask)
        if rater and store.raters.all().get(rater) is not self.role:
            store.raters.put(rater, self.role)

    def page(self, chosen: QueueFilter, offset: int, limit: int) -> list[QueueRow]:
        """Rows of the queue, from ``offset``, at most ``limit``."""
        return self._blind.page(chosen, offset, limit)

    def count(self, chosen: QueueFilter) -> int:
        """How many transcripts the filter shows."""
        return self._blind.count(chosen)

    def position(self, chosen: QueueFilter, transcript_id: str) -> int | None:
        """Offset of a transcript in the queue; None where the filter hides it."""
        return self._blind.position(chosen, transcript_id)

    def progress(self) -> Progress:
        """How far the rater is through everything, whatever the filter."""
        return self._blind.progress()

    def next_todo(self, chosen: QueueFilter, after: str | None = None) -> str | None:
        """The next unfinished transcript in the filter's order, round the end."""
        return self._blind.next_todo(chosen, after)

    def task(self, transcript_id: str) -> LabelTask:
        """The transcript, what is asked about it, and the rater's own work.

        Raises:
            StoreError: there is no such transcript.
        """
        return self._blind.task(transcript_id)

    def save_draft(self, transcript_id: str, draft: Draft) -> Future[None]:
        """Keep a draft; an empty one is removed."""
        if not self.rater:
            return failed(_nameless())
        return self._store.drafts.save(self.rater, transcript_id, draft)

    def history(self, transcript_id: str) -> tuple[Event, ...]:
        """The rater's own events about a transcript, oldest first."""
        return self._blind.history(transcript_id)

    def problems(self, task: LabelTask, draft: Draft) -> list[str]:
        """Why ``draft`` cannot be submitted, in sentences; empty where it can."""
        return problems_of(task, draft)

    def submit(self, task: LabelTask, draft: Draft) -> Future[LabelTask]:
        """Store the draft as labels, one event per form, and end the draft.

        A form whose label already says the same gets no new event.

        Raises (in the future):
            AnnotationError: something is missing or does not fit; every problem
                is listed.
            StoreError: the database failed; the draft is still there.
        """
        transcript = task.transcript.id
        if not self.rater:
            return failed(_nameless())
        if problems := self.problems(task, draft):
            return failed(AnnotationError("\n".join(problems), where=transcript))
        try:
            present = self._blind.task(transcript)
        except GeodeError as error:
            return failed(error)
        events = events_for(
            task,
            draft,
            rater=self.rater,
            standing=present.labels,
            structure_of=self._blind.structure,
            after_reveal=present.revealed,
        )
        stored = self._store.events.append(
            events,
            rubrics=[form.rubric for form in task.forms],
            clear_draft=(self.rater, transcript),
        )
        return then(stored, lambda _: self._blind.task(transcript))

    def withdraw(self, transcript_id: str) -> Future[LabelTask]:
        """Take the submitted label back; a draft starts from what it said.

        Raises (in the future):
            AnnotationError: there is no label to take back.
            StoreError: the database failed; the label stands.
        """
        try:
            task = self._blind.task(transcript_id)
        except GeodeError as error:
            return failed(error)
        if not task.labels:
            return failed(
                AnnotationError(
                    "there is no label of yours to take back.",
                    where=transcript_id,
                    hint="Submit one first.",
                )
            )
        withdrawals = [
            Event(
                event=EventKind.WITHDRAWAL,
                transcript=transcript_id,
                rubric=label.rubric,
                rater=self.rater,
                supersedes=label.id,
                after_reveal=task.revealed,
            )
            for label in task.labels
        ]
        draft = draft_of(task.labels, task.forms)
        stored = self._store.events.append(
            withdrawals,
            save_draft=None if draft.empty else (self.rater, transcript_id, draft),
        )
        return then(stored, lambda _: self._blind.task(transcript_id))

    def reveal_refusal(self, transcript_id: str) -> str | None:
        """Why others' values may not be seen now, as a sentence; None if they may."""
        if not self.rater:
            return _nameless().message
        if self.role is RaterRole.AUDITOR:
            return None
        match self._settings.reveal:
            case RevealRule.NEVER:
                return "This workspace never shows raters the values of others."
            case RevealRule.AFTER_ITEM:
                if self._blind.state(transcript_id) in _LABELLED:
                    return None
                return "Label this transcript first; then you may compare."
            case RevealRule.AFTER_QUEUE:
                progress = self._blind.progress()
                if progress.finished:
                    return None
                left = progress.total - progress.done
                return (
                    f"{left} of {progress.total} transcripts are still to be labelled; "
                    "values of others are shown once the queue is done, because they "
                    "would sway the labels that follow."
                )

    def reveal(self, transcript_id: str) -> Future[Reveal]:
        """Show the judge's, the rule's and other raters' values of a transcript.

        The reveal is an event; it is on the disk before anything is handed out.

        Raises (in the future):
            BlindnessError: it is not allowed now.
            StoreError: there is no such transcript, or the database failed.
        """
        try:
            if refusal := self.reveal_refusal(transcript_id):
                return failed(BlindnessError(refusal, where=transcript_id))
            self._store.transcripts.resolve(transcript_id)
            verdicts = self._with_rule(transcript_id)
            others = (
                tuple(
                    event
                    for event in self._store.events.current(transcript_id)
                    if event.rater != self.rater
                )
                if self._settings.show_other_raters
                else ()
            )
        except GeodeError as error:
            return failed(error)
        shown = dict.fromkeys([v.rater for v in verdicts] + [e.rater for e in others])
        event = Event(
            event=EventKind.REVEAL,
            transcript=transcript_id,
            rater=self.rater,
            shown=tuple(shown),
        )
        stored = self._store.events.append([event])
        return then(
            stored, lambda _: Reveal(event=event, verdicts=verdicts, labels=others)
        )

    def _with_rule(self, transcript_id: str) -> tuple[Verdict, ...]:
        """The stored verdicts, and the rule's as it is now."""
        transcript = self._store.transcripts.get(transcript_id)
        result = apply_rule(self._store, self._config, transcript)
        rule = result.verdict if result.computable else None
        if rule is not None:
            self._store.verdicts.append([rule])
        return current_only(self._store.verdicts.of(transcript_id), rule)


def _nameless() -> BlindnessError:
    return BlindnessError("Nobody is named.", hint="Say who you are with --rater NAME.")
