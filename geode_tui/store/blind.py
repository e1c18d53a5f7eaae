"""What one rater may read while labelling, and nothing else.

``BlindReader`` has its own connection on which SQLite refuses verdicts, the
auditor's conversation and other raters' rows (see ``blind_connection``). The
rater's states are kept in a temporary table, brought up to date from what has
been committed since, so that every page and count of a queue of 100,000 is one
short query.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from geode_tui.domain.forms import Ask, asked_forms, labels_behind, state_of
from geode_tui.domain.labelling import (
    Form,
    LabelState,
    LabelTask,
    Progress,
    QueueFilter,
    QueueOrder,
    QueueRow,
)
from geode_tui.domain.score import Draft, Event, EventKind
from geode_tui.store import codec, records, search
from geode_tui.store.blind_connection import open_blind
from geode_tui.store.own_states import OwnStates
from geode_tui.store.queue_sql import (
    SOURCE,
    STATE,
    STATE_AT,
    UNFINISHED,
    QueueQuery,
    queue_query,
)
from geode_tui.store.schema import KEY_BITS

_COLUMNS = f"""t.id, t.path AS source, t.sample_id, t.epoch, t.seed_name AS seed,
    ifnull((SELECT target_dimensions FROM seeds WHERE id = t.seed),
        t.named_dimensions) AS target_dimensions,
    ifnull(t.target_model, '') AS model, t.messages, t.branches, t.validity,
    t.duplicate, {STATE} AS state"""


class BlindReader:
    """The labelling read model of one rater; may be used from any thread.

    Attributes:
        rater: whose work it shows.
    """

    def __init__(self, path: Path, rater: str, ask: Ask) -> None:
        """Open a reading connection of its own.

        Raises:
            StoreError: the database cannot be opened.
        """
        self.rater = rater
        self._ask = ask
        self._connection = open_blind(path, rater)
        self._lock = threading.RLock()
        self._states = OwnStates(self._connection, self._forms)
        self._hits: tuple[object, ...] | None = None
        self._counts: dict[QueueFilter, int] = {}
        # Now, on the opening thread, rather than when a screen asks first.
        with self._snapshot():
            pass

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """One consistent view of what is committed, with states up to date."""
        with self._lock:
            self._connection.execute("BEGIN")
            try:
                if self._states.refresh():
                    self._counts.clear()
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.raw.in_transaction:
                    self._connection.raw.rollback()
                # The temporary tables have gone back with it.
                self._states.forget()
                self._hits = None
                raise

    def page(self, chosen: QueueFilter, offset: int, limit: int) -> list[QueueRow]:
        """Rows ``offset`` to ``offset + limit`` of the filtered, sorted queue."""
        with self._snapshot():
            query = self._query(chosen)
            rows = self._connection.rows(
                # Rows that are skipped over cost an index entry, not a row.
                f"SELECT {_COLUMNS} FROM {SOURCE} WHERE t.seq IN "
                f"(SELECT t.seq FROM {SOURCE} WHERE {query.where} "
                f"ORDER BY {query.order} LIMIT ? OFFSET ?) ORDER BY {query.order}",
                *query.values,
                limit,
                offset,
            )
        return [_queue_row(dict(row)) for row in rows]

    def count(self, chosen: QueueFilter) -> int:
        """How many transcripts the filter shows."""
        with self._snapshot():
            # The order has no part in it.
            plain = {"order": QueueOrder.IMPORTED, "descending": False}
            key = chosen.model_copy(update=plain)
            if key not in self._counts:
                query = self._query(chosen)
                self._counts[key] = self._connection.value(
                    f"SELECT count(*) FROM {SOURCE} WHERE {query.where}", *query.values
                )
            return self._counts[key]

    def position(self, chosen: QueueFilter, transcript: str) -> int | None:
        """Offset of a transcript in the filtered queue; None where it is not in it."""
        with self._snapshot():
            query = self._query(chosen)
            place = self._place(query, transcript, filtered=True)
            if place is None:
                return None
            return int(
                self._connection.value(
                    f"SELECT count(*) FROM {SOURCE} "
                    f"WHERE {query.where} AND {query.beyond(later=False)}",
                    *query.values,
                    *place,
                )
            )

    def next_todo(self, chosen: QueueFilter, after: str | None = None) -> str | None:
        """The next unfinished transcript of the filter, round the end; None if none.

        Args:
            chosen: the queue's filter and order.
            after: the transcript to go on from; it is itself the last choice.
        """
        with self._snapshot():
            query = self._query(chosen)
            unfinished = ", ".join(
                str(rank) for rank, state in STATE_AT.items() if state in UNFINISHED
            )
            where = f"{query.where} AND {STATE} IN ({unfinished})"
            place = self._place(query, after, filtered=False) if after else None
            attempts: list[tuple[str, tuple[object, ...]]] = [(where, query.values)]
            if place is not None:
                onward = (f"{where} AND {query.beyond()}", (*query.values, *place))
                attempts.insert(0, onward)
            for condition, values in attempts:
                found: str | None = self._connection.value(
                    f"SELECT t.id FROM {SOURCE} WHERE {condition} "
                    f"ORDER BY {query.order} LIMIT 1",
                    *values,
                )
                if found is not None:
                    return found
            return None

    def progress(self) -> Progress:
        """How far the rater is through everything, whatever the filter."""
        total = self.count(QueueFilter())
        done = self.count(
            QueueFilter(states=(LabelState.DONE, LabelState.NOT_SCORABLE))
        )
        drafts = self.count(QueueFilter(states=(LabelState.DRAFT,)))
        return Progress(done=done, drafts=drafts, total=total)

    def task(self, transcript: str) -> LabelTask:
        """The transcript with what is asked about it and the rater's own work.

        Raises:
            StoreError: there is no such transcript.
        """
        with self._snapshot():
            rows = records.TranscriptRows(self._connection, transcript)
            head = rows.head
            labels = self._states.labels_of(transcript)
            forms = self._forms(
                head["seed"], head["judge_rubric"], head["named_dimensions"]
            )
            draft = self._connection.value(
                "SELECT document FROM own_drafts WHERE transcript = ?", transcript
            )
            seed = head["seed"] and records.get_seed(self._connection, head["seed"])
            events = self._events(labels_behind(forms, labels))
            revealed = self._has_reveal(transcript)
        return LabelTask(
            transcript=rows.decode(),
            forms=forms,
            state=state_of(forms, labels, drafted=draft is not None),
            labels=events,
            draft=codec.load(Draft, draft, "draft") if draft else Draft(),
            seed=seed,
            revealed=revealed,
        )

    def history(self, transcript: str) -> tuple[Event, ...]:
        """The rater's own events about one transcript, oldest first."""
        with self._snapshot():
            rows = self._connection.rows(
                "SELECT document FROM own_events WHERE transcript = ? ORDER BY id",
                transcript,
            )
        return tuple(codec.load(Event, row["document"], transcript) for row in rows)

    def revealed(self, transcript: str) -> bool:
        """True where the rater has seen other raters' values of the transcript."""
        with self._snapshot():
            return self._has_reveal(transcript)

    def state(self, transcript: str) -> LabelState | None:
        """Where the rater stands with a transcript; None where there is none."""
        with self._snapshot():
            rank = self._connection.value(
                f"SELECT {STATE} FROM {SOURCE} WHERE t.id = ?", transcript
            )
        return None if rank is None else STATE_AT[rank]

    def structure(self, rubric: str) -> str | None:
        """The structure of a rubric version; None where it is not stored."""
        with self._snapshot():
            found: str | None = self._connection.value(
                "SELECT structure FROM rubrics WHERE id = ?", rubric
            )
        return found

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        with self._lock:
            self._connection.close()

    def _has_reveal(self, transcript: str) -> bool:
        return bool(
            self._connection.value(
                "SELECT 1 FROM own_events WHERE transcript = ? AND event = ? LIMIT 1",
                transcript,
                EventKind.REVEAL.value,
            )
        )

    def _events(self, ids: list[str]) -> tuple[Event, ...]:
        documents = [
            self._connection.value(
                "SELECT document FROM own_events WHERE id = ?", event
            )
            for event in ids
        ]
        return tuple(codec.load(Event, document, "label") for document in documents)

    def _forms(
        self, seed: str | None, judge: str | None, named: str
    ) -> tuple[Form, ...]:
        return asked_forms(
            records.get_seed(self._connection, seed) if seed else None,
            records.get_rubric(self._connection, judge) if judge else None,
            codec.loads(named),
            self._ask,
        )

    def _place(
        self, query: QueueQuery, transcript: str, *, filtered: bool
    ) -> tuple[object, int] | None:
        """Sort key and row number of a transcript, which need not be shown."""
        where, values = (query.where, query.values) if filtered else ("1", ())
        row = self._connection.one(
            f"SELECT {query.key} AS key, t.seq FROM {SOURCE} "
            f"WHERE {where} AND t.id = ?",
            *values,
            transcript,
        )
        return None if row is None else (row["key"], row["seq"])

    def _query(self, chosen: QueueFilter) -> QueueQuery:
        text = chosen.text.strip()
        if text:
            self._search(text)
        return queue_query(chosen)

    def _search(self, text: str) -> None:
        """Fill ``temp.hits`` with the transcripts that hold ``text``."""
        wanted = (text, *self._states.edition)
        if self._hits == wanted:
            return
        run = self._connection.execute
        run("DELETE FROM temp.hits")
        columns = ("seed_name", "sample_id", "target_model", "path", "id")
        named = " OR ".join(f"{column} {search.LIKE_CLAUSE}" for column in columns)
        run(
            f"INSERT INTO temp.hits SELECT seq FROM transcripts WHERE {named}",
            *([search.like_pattern(text)] * len(columns)),
        )
        if words := search.fts_query(text):
            run(
                f"INSERT OR IGNORE INTO temp.hits SELECT DISTINCT rowid >> {KEY_BITS} "
                "FROM messages_fts WHERE messages_fts MATCH ?",
                words,
            )
        self._hits = wanted
        self._counts.clear()


def _queue_row(row: dict[str, object]) -> QueueRow:
    duplicate, rank = row.pop("duplicate"), row["state"]
    marks = codec.loads(str(row["validity"])) + (["duplicate"] if duplicate else [])
    return QueueRow.model_validate(
        {
            **row,
            "validity": marks,
            "target_dimensions": codec.loads(str(row["target_dimensions"])),
            "state": STATE_AT[int(str(rank))],
        }
    )
