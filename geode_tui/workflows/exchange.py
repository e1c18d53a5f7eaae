"""Exchange: events in and out of the workspace, and who may take which out.

An export is a road to other raters' values like any other. It holds the
asking rater's own events; everybody's only where that rater may see them, and
then a reveal is saved for each transcript before the first line is written.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from geode_tui.config import Config, RevealRule
from geode_tui.domain.adjudication import Adjudication
from geode_tui.domain.base import Value
from geode_tui.domain.imported import Refused
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.score import Event, EventKind, RaterRole
from geode_tui.errors import BlindnessError, StoreError
from geode_tui.files.annotations import (
    CSV_COLUMNS,
    EventLine,
    Origin,
    csv_rows,
    event_line,
    read_events,
)
from geode_tui.workflows.annotate import Annotate

if TYPE_CHECKING:
    from geode_tui.store.store import Store

_BATCH = 500


class EventIntake(Value):
    """What an annotation file came to: events read, the new ones, refused lines."""

    read: int
    added: int
    refused: tuple[Refused, ...]


@dataclass(frozen=True)
class Scope:
    """Whose events an export holds.

    Attributes:
        rater: who asks; None where nobody has labelled yet.
        hidden: other raters whose events are left out.
        shown: transcript -> other raters whose labels of it are included.
        unblinded: other raters' reveals are included as well; they hold no
            values.
    """

    rater: str | None
    hidden: int = 0
    shown: dict[str, frozenset[str]] = field(default_factory=dict)
    unblinded: bool = False

    def holds(self, event: Event | Adjudication) -> bool:
        """True where the export has this event."""
        if event.rater == self.rater:
            return True
        if event.event is EventKind.REVEAL:
            return self.unblinded
        return event.rater in self.shown.get(event.transcript, ())


def import_events(store: Store, path: Path) -> EventIntake:
    """Add the events of a JSONL file; those that are there already change nothing.

    Events of transcripts that are not there yet are kept and linked later.

    Raises:
        StoreError: the database cannot be written.
    """
    read = added = 0
    refused: list[Refused] = []
    lines = read_events(path)
    while batch := list(islice(lines, _BATCH)):
        refused += [item for item in batch if isinstance(item, Refused)]
        events = [item for item in batch if isinstance(item, EventLine)]
        new, wrong = _append(store, path, events)
        added += new
        read += len(events) - len(wrong)
        refused += wrong
    return EventIntake(read=read, added=added, refused=tuple(refused))


def scope_of(
    store: Store, config: Config, rater: str | None, *, unblind: bool = False
) -> Scope:
    """Whose events ``rater`` may take out now; with ``unblind``, everybody's.

    Without a name the export is that of the only person who has labelled here,
    as long as the settings list nobody else. With ``unblind`` a reveal is saved
    for each transcript whose other raters the asker has not been shown before.

    Raises:
        BlindnessError: the rater may not see the others' values (yet), or
            nobody was named and more than one person is known here.
        StoreError: the database cannot be read, or a reveal cannot be saved.
    """
    present = set(store.events.raters()) | set(store.adjudications.raters())
    if rater is None:
        rater = _only_rater(config, present)
    others = present - {rater}
    if rater is None or not unblind or not others:
        return Scope(rater, hidden=len(others))
    labelled: dict[str, set[str]] = {}
    seen: dict[str, set[str]] = {}
    for event in store.events.all():
        if event.event is not EventKind.REVEAL:
            labelled.setdefault(event.transcript, set()).add(event.rater)
        elif event.rater == rater:
            seen.setdefault(event.transcript, set()).update(event.shown)
    for decision in store.adjudications.all():
        labelled.setdefault(decision.transcript, set()).add(decision.rater)
    shown = {
        transcript: frozenset(raters - {rater})
        for transcript, raters in labelled.items()
        if raters - {rater}
    }
    _check_unblinding(store, config, rater, sorted(shown))
    reveals = [
        Event(
            event=EventKind.REVEAL,
            transcript=transcript,
            rater=rater,
            shown=tuple(sorted(raters)),
        )
        for transcript, raters in sorted(shown.items())
        if not raters <= seen.get(transcript, set())
    ]
    if reveals:
        store.events.append(reveals).result()
    return Scope(rater, shown=shown, unblinded=True)


def export_jsonl(store: Store, out: TextIO, scope: Scope) -> int:
    """Write every event in scope, one a line, oldest first; how many there were.

    The same events give the same bytes, wherever they were saved.
    """
    count = 0
    for event in _events(store, scope):
        if scope.holds(event):
            out.write(event_line(event))
            count += 1
    return count


def export_csv(store: Store, out: TextIO, scope: Scope) -> int:
    """Write the current labels in scope, one row per dimension; number of rows."""
    table = csv.writer(out, lineterminator="\n")
    table.writerow(CSV_COLUMNS)
    count = 0
    origins = {
        facts.id: Origin(
            source=facts.source,
            sample_id=facts.sample_id,
            epoch=facts.epoch,
            seed=facts.seed_name,
        )
        for facts in store.transcripts.rows(revisions=True)
    }
    for label in store.events.current():
        if not scope.holds(label):
            continue
        rubric = None if label.scores else _rubric(store, label.rubric)
        for cells in csv_rows(label, rubric, origins.get(label.transcript)):
            table.writerow(cells)
            count += 1
    return count


def _events(store: Store, scope: Scope) -> Iterator[Event | Adjudication]:
    """Events and decisions by id, so by time."""
    events: Iterator[Event | Adjudication] = iter(())
    decisions: Iterator[Event | Adjudication] = iter(())
    if scope.unblinded:
        events, decisions = store.events.all(), store.adjudications.all()
    elif scope.rater is not None:
        events = store.events.by(scope.rater)
        decisions = store.adjudications.by(scope.rater)
    return merge(events, decisions, key=lambda event: event.id)


def _append(
    store: Store, path: Path, lines: Sequence[EventLine]
) -> tuple[int, list[Refused]]:
    """Save a batch; where it is refused, line by line, to find the line at fault."""
    if not lines:
        return 0, []
    try:
        return _save(store, lines), []
    except StoreError:
        if len(lines) == 1:
            raise
    added = 0
    refused: list[Refused] = []
    for line in lines:
        try:
            added += _save(store, [line])
        except StoreError as error:
            refused.append(Refused(path=str(path), line=line.line, reason=str(error)))
    return added, refused


def _save(store: Store, lines: Sequence[EventLine]) -> int:
    events = [line.event for line in lines if isinstance(line.event, Event)]
    decisions = [e.event for e in lines if isinstance(e.event, Adjudication)]
    added = store.events.append(events).result() if events else 0
    return added + (store.adjudications.append(decisions).result() if decisions else 0)


def _only_rater(config: Config, present: set[str]) -> str | None:
    known = present | {rater.name for rater in config.raters}
    if not present:
        return None
    if len(known) > 1:
        raise _name_needed(len(known))
    return next(iter(present))


def _name_needed(people: int) -> BlindnessError:
    return BlindnessError(
        f"{people} raters are known here, and nobody was named.",
        hint="`--rater NAME` exports NAME's own events, `--unblind --rater NAME`"
        " everybody's where NAME may see them.",
    )


def _check_unblinding(
    store: Store, config: Config, rater: str, transcripts: Sequence[str]
) -> None:
    if config.role_of(rater) is RaterRole.AUDITOR:
        return
    if not config.label.show_other_raters:
        raise BlindnessError(
            "This workspace shows raters no other rater's labels.",
            hint="An auditor may export them: geode.toml, [[raters]], role.",
        )
    known = {facts.id for facts in store.transcripts.rows(revisions=True)}
    here = [transcript for transcript in transcripts if transcript in known]
    if config.label.reveal is not RevealRule.AFTER_ITEM:
        # The rule does not depend on the item: one answer stands for all.
        here = here[:1]
    workflow = Annotate(store, config, rater)
    refusals = [reason for t in here if (reason := workflow.reveal_refusal(t))]
    if not here and config.label.reveal is RevealRule.NEVER:
        refusals = ["This workspace never reveals other raters' values."]
    if refusals:
        more = f" ({len(refusals)} transcripts)" if len(refusals) > 1 else ""
        raise BlindnessError(
            f"{refusals[0]}{more}",
            hint="Without --unblind the export holds your own events.",
        )


def _rubric(store: Store, version: str) -> Rubric | None:
    try:
        return store.rubrics.get(version)
    except StoreError:
        return None
