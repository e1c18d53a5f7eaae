"""Append-only events: labels, withdrawals, reveals. And drafts, which change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from geode_tui.domain.score import Draft, Event, EventKind, RaterRole, now
from geode_tui.errors import StoreError
from geode_tui.store import codec, records
from geode_tui.store.connection import Connection

if TYPE_CHECKING:
    from geode_tui.domain.rubric import Rubric
    from geode_tui.store.store import Store


class Events:
    """Every event of every rater. Not for labelling: that reads blind."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def append(
        self,
        events: Sequence[Event],
        *,
        rubrics: Sequence[Rubric] = (),
        clear_draft: tuple[str, str] | None = None,
        save_draft: tuple[str, str, Draft] | None = None,
    ) -> Future[int]:
        """Store events in one transaction; the future holds how many are new.

        An event whose id is stored already is skipped. Events about unknown
        transcripts are kept and count as soon as the transcript comes.

        Args:
            events: in the order in which they happened.
            rubrics: versions that the events name and that may be new.
            clear_draft: (rater, transcript) whose draft ends with this.
            save_draft: (rater, transcript, draft) that begins with this,
                unless a draft is there already.

        Raises (in the future):
            StoreError: an id is known with other content; nothing is stored.
        """
        rows = [(event, event_row(event)) for event in events]

        def job(connection: Connection) -> int:
            for rubric in rubrics:
                records.put_rubric(connection, rubric)
            added = sum(append_event(connection, event, row) for event, row in rows)
            if clear_draft is not None:
                _clear(connection, *clear_draft)
            if save_draft is not None:
                _save(connection, *save_draft, keep=True)
            return added

        return self._store.write(job)

    def get(self, event: str) -> Event | None:
        """The event of this id, or None."""
        return next(self._read("WHERE id = ?", event), None)

    def all(self) -> Iterator[Event]:
        """Every event by id: the same order wherever they were collected."""
        return self._read("ORDER BY id")

    def by(self, rater: str) -> Iterator[Event]:
        """One rater's own events, by id."""
        return self._read("WHERE rater = ? ORDER BY id", rater)

    def of(self, transcript: str) -> Iterator[Event]:
        """Every event about one transcript, by id."""
        return self._read("WHERE transcript = ? ORDER BY id", transcript)

    def current(self, transcript: str | None = None) -> Iterator[Event]:
        """The current labels of every rater, by event id; of one transcript or all."""
        where = "" if transcript is None else "WHERE transcript = ?"
        values = () if transcript is None else (transcript,)
        return self._read(
            f"WHERE id IN (SELECT event FROM labels {where}) ORDER BY id", *values
        )

    def raters(self) -> tuple[str, ...]:
        """Everybody who has an event."""
        rows = self._store.reader.rows("SELECT DISTINCT rater FROM events ORDER BY 1")
        return tuple(row["rater"] for row in rows)

    def count(self) -> int:
        """How many events there are."""
        return int(self._store.reader.value("SELECT count(*) FROM events"))

    def waiting(self) -> int:
        """How many events are about transcripts that are not there yet."""
        return int(
            self._store.reader.value(
                "SELECT count(*) FROM events e WHERE NOT EXISTS "
                "(SELECT 1 FROM transcripts t WHERE t.id = e.transcript)"
            )
        )

    def rebuild_labels(self) -> Future[None]:
        """Make the stored current labels anew from the events."""

        def job(connection: Connection) -> None:
            connection.execute("DELETE FROM labels")
            connection.execute(
                "INSERT INTO labels (rater, transcript, rubric, event, dimensions) "
                "SELECT rater, transcript, rubric, event, dimensions "
                "FROM current_labels"
            )

        return self._store.write(job)

    def _read(self, clause: str, *values: Any) -> Iterator[Event]:
        for row in self._store.reader.execute(
            f"SELECT id, document FROM events {clause}", *values
        ):
            yield codec.load(Event, row["document"], f"event {row['id']}")


class Drafts:
    """Labels in the making: one per rater and transcript, overwritten freely."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def save(self, rater: str, transcript: str, draft: Draft) -> Future[None]:
        """Store a draft; an empty one is removed."""

        def job(connection: Connection) -> None:
            if draft.empty:
                _clear(connection, rater, transcript)
            else:
                _save(connection, rater, transcript, draft)

        return self._store.write(job)

    def clear(self, rater: str, transcript: str) -> Future[None]:
        """Remove a draft, if there is one."""
        return self._store.write(lambda c: _clear(c, rater, transcript))


class Raters:
    """People who have worked here, and what they may do."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, name: str, role: RaterRole) -> Future[None]:
        """Note a rater's role, which may change."""

        def job(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO raters VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET role = excluded.role",
                name,
                role.value,
            )

        return self._store.write(job)

    def all(self) -> dict[str, RaterRole]:
        """Name -> role."""
        rows = self._store.reader.rows("SELECT name, role FROM raters ORDER BY name")
        return {row["name"]: RaterRole(row["role"]) for row in rows}


def event_row(event: Event) -> dict[str, Any]:
    """An event as its columns."""
    scored = event.event is EventKind.ANNOTATION and event.not_scorable is None
    return {
        "id": event.id,
        "event": event.event.value,
        "transcript": event.transcript,
        "rubric": event.rubric,
        "rater": event.rater,
        "at": event.at,
        "supersedes": event.supersedes,
        "after_reveal": int(event.after_reveal),
        "dimensions": codec.dumps(sorted(event.scores)) if scored else None,
        "document": codec.dumps(event),
    }


def append_event(connection: Connection, event: Event, row: dict[str, Any]) -> bool:
    """Insert one event; False where the same one is stored already.

    Raises:
        StoreError: its id is stored with other content.
    """
    document = connection.value("SELECT document FROM events WHERE id = ?", event.id)
    if document is None:
        connection.insert("events", row)
        return True
    # Values are compared, not texts: another version may write more fields.
    if codec.load(Event, document, f"event {event.id}") == event:
        return False
    raise StoreError(
        f"event {event.id} is stored already, with other content.",
        hint="Events never change: a correction is a new event that names the old "
        "one in 'supersedes'.",
    )


def _save(
    connection: Connection,
    rater: str,
    transcript: str,
    draft: Draft,
    *,
    keep: bool = False,
) -> None:
    conflict = "NOTHING" if keep else "UPDATE SET at = excluded.at, "
    conflict += "" if keep else "document = excluded.document"
    connection.execute(
        "INSERT INTO drafts (rater, transcript, at, document) VALUES (?, ?, ?, ?) "
        f"ON CONFLICT (rater, transcript) DO {conflict}",
        rater,
        transcript,
        now(),
        codec.dumps(draft),
    )


def _clear(connection: Connection, rater: str, transcript: str) -> None:
    connection.execute(
        "DELETE FROM drafts WHERE rater = ? AND transcript = ?", rater, transcript
    )
