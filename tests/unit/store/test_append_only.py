"""Rows that must not change, attacked from a connection without our settings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from geode_tui.domain.adjudication import Adjudication, Cause
from geode_tui.domain.score import Event
from geode_tui.store import schema
from geode_tui.store.store import Store


@pytest.fixture
def plain(store: Store, database: Path, build_sample) -> Iterator[sqlite3.Connection]:
    sample = build_sample()
    store.transcripts.add(sample).result()
    for rater in ("ada", "ben"):
        event = Event(
            transcript=sample.transcript.id, rubric="r", rater=rater, scores={"d": 3}
        )
        store.events.append([event]).result()
        decision = Adjudication(
            transcript=sample.transcript.id,
            rubric="r",
            rater=rater,
            cause=Cause.JUDGE_ERROR,
        )
        store.adjudications.append([decision]).result()
    connection = sqlite3.connect(database, isolation_level=None)
    assert connection.execute("PRAGMA recursive_triggers").fetchone() in [(0,), (1,)]
    connection.execute("PRAGMA recursive_triggers = OFF")
    yield connection
    connection.close()


def rows(connection: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    return connection.execute(f"SELECT * FROM {table}").fetchall()


@pytest.mark.parametrize("table", schema.GUARDED)
def test_nothing_changes_or_leaves(plain: sqlite3.Connection, table: str) -> None:
    before = rows(plain, table)
    assert before
    columns = [row[1] for row in plain.execute(f"PRAGMA table_info({table})")]
    attacks = [
        f"UPDATE {table} SET {columns[-1]} = {columns[-1]}",
        f"UPDATE OR REPLACE {table} SET {columns[0]} = {columns[0]}",
        f"UPDATE OR IGNORE {table} SET {columns[-1]} = NULL",
        f"DELETE FROM {table}",
        f"DELETE FROM {table} LIMIT 1",
        f"REPLACE INTO {table} SELECT * FROM {table}",
        f"INSERT OR IGNORE INTO {table} SELECT * FROM {table}",
    ]
    for attack in attacks:
        with pytest.raises(sqlite3.Error):
            plain.execute(attack)
    assert rows(plain, table) == before


@pytest.mark.parametrize("table", ["events", "verdicts", "adjudications"])
@pytest.mark.parametrize("verb", ["INSERT OR REPLACE", "INSERT OR IGNORE"])
def test_neither_key_can_be_taken_over(
    plain: sqlite3.Connection, table: str, verb: str
) -> None:
    before = rows(plain, table)
    columns = [row[1] for row in plain.execute(f"PRAGMA table_info({table})")]
    others = ", ".join(columns[2:])
    for keys in ("NULL, id", "seq, 'another id'"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            plain.execute(f"{verb} INTO {table} SELECT {keys}, {others} FROM {table}")
    assert rows(plain, table) == before


def test_an_upsert_is_refused(plain: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        plain.execute(
            "INSERT INTO events SELECT * FROM events WHERE true "
            "ON CONFLICT (id) DO UPDATE SET rater = 'eve'"
        )


def test_a_new_row_is_welcome(plain: sqlite3.Connection) -> None:
    before = len(rows(plain, "events"))
    plain.execute(
        "INSERT INTO events SELECT NULL, 'new', event, transcript, rubric, rater, at, "
        "supersedes, after_reveal, dimensions, document FROM events LIMIT 1"
    )
    assert len(rows(plain, "events")) == before + 1


@pytest.mark.parametrize(
    "table",
    [
        "rubrics",
        "seeds",
        "transcripts",
        "texts",
        "transcript_details",
        "messages",
        "branches",
        "auditor_messages",
        "verdicts",
        "verdict_scores",
        "adjudications",
        "events",
        "labels",
        "drafts",
        "raters",
        "counters",
    ],
)
def test_tables_are_strict(plain: sqlite3.Connection, table: str) -> None:
    (strict,) = plain.execute(
        "SELECT strict FROM pragma_table_list WHERE name = ?", [table]
    ).fetchone()
    assert strict
