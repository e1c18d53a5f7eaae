"""The tables, and the migrations that make them.

A migration is never edited once released: a new one follows it. Tables that
must not change are guarded by triggers that refuse UPDATE, DELETE and any
INSERT that would replace a row; ``GUARDED`` names them, and ``missing_guards``
is asked after every migration, because rebuilding a table drops its triggers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from geode_tui.store.connection import Connection, load_sqlite_utils

if TYPE_CHECKING:
    from sqlite_utils import Database, Migrations

SET = "geode"
"""Name of the migration set in ``_sqlite_migrations``."""

APPLICATION_ID = 0x47454F44
"""Marks the file as ours ("GEOD")."""

KEY_BITS = 20
"""A message's key is ``transcript << 20 | m``: clustered, and its own index."""

_GUARDED_SINCE: dict[str, dict[str, tuple[str, ...]]] = {
    "m001_first": {
        "events": ("seq", "id"),
        "verdicts": ("seq", "id"),
        "verdict_scores": ("verdict", "position"),
        "messages": ("key",),
        "branches": ("transcript", "n"),
        "auditor_messages": ("transcript", "n"),
    },
    "m002_adjudications": {"adjudications": ("seq", "id")},
}

GUARDED: dict[str, tuple[str, ...]] = {
    table: keys for tables in _GUARDED_SINCE.values() for table, keys in tables.items()
}
"""Tables whose rows never change, with the columns of each of their keys."""

_COMPOSITE = {"verdict_scores", "branches", "auditor_messages"}


def guard_names(table: str) -> tuple[str, str, str]:
    """Names of the triggers that guard ``table``."""
    return (f"{table}_no_update", f"{table}_no_delete", f"{table}_no_replace")


def _guards(table: str) -> list[str]:
    update, delete, replace = guard_names(table)
    keys = [f"{key} = NEW.{key}" for key in GUARDED[table]]
    same = " AND ".join(keys) if table in _COMPOSITE else " OR ".join(keys)
    refuse = f"SELECT RAISE(ABORT, '{table} are append-only')"
    return [
        f"CREATE TRIGGER {update} BEFORE UPDATE ON {table} BEGIN {refuse}; END",
        f"CREATE TRIGGER {delete} BEFORE DELETE ON {table} BEGIN {refuse}; END",
        f"CREATE TRIGGER {replace} BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) BEGIN {refuse}; END",
    ]


_FIRST = (
    """CREATE TABLE rubrics (
        id TEXT NOT NULL PRIMARY KEY,
        structure TEXT NOT NULL,
        family TEXT NOT NULL,
        style TEXT NOT NULL,
        seed TEXT,
        document TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE seeds (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        path TEXT NOT NULL,
        rubric TEXT NOT NULL REFERENCES rubrics(id),
        target_dimensions TEXT NOT NULL,
        document TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE transcripts (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        log TEXT NOT NULL,
        path TEXT NOT NULL,
        format TEXT NOT NULL,
        sample_id TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        created TEXT,
        task TEXT,
        target_model TEXT,
        auditor_model TEXT,
        content TEXT NOT NULL,
        revision INTEGER NOT NULL,
        latest INTEGER NOT NULL,
        duplicate INTEGER NOT NULL,
        messages INTEGER NOT NULL,
        branches INTEGER NOT NULL,
        validity TEXT NOT NULL,
        seed TEXT REFERENCES seeds(id),
        seed_hash TEXT NOT NULL,
        seed_name TEXT NOT NULL,
        judge_rubric TEXT REFERENCES rubrics(id),
        named_dimensions TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX transcripts_source ON transcripts(log, sample_id, epoch)",
    "CREATE INDEX transcripts_content ON transcripts(content)",
    "CREATE INDEX transcripts_seed ON transcripts(seed)",
    "CREATE INDEX transcripts_seed_hash ON transcripts(seed_hash)",
    # Within an equal key an index is in rowid order, as the queue is.
    "CREATE INDEX queue_imported ON transcripts(latest)",
    "CREATE INDEX queue_seed ON transcripts(latest, seed_name)",
    "CREATE INDEX queue_model ON transcripts(latest, ifnull(target_model, ''))",
    "CREATE INDEX queue_length ON transcripts(latest, messages)",
    """CREATE TABLE texts (
        hash TEXT NOT NULL PRIMARY KEY,
        text TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE transcript_details (
        transcript INTEGER PRIMARY KEY REFERENCES transcripts(seq),
        seed_text TEXT REFERENCES texts(hash),
        metadata TEXT NOT NULL,
        error TEXT,
        numbering TEXT NOT NULL,
        notes TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE messages (
        key INTEGER PRIMARY KEY,
        id TEXT,
        role TEXT NOT NULL,
        text TEXT NOT NULL,
        segments TEXT,
        tool_calls TEXT,
        prefill INTEGER NOT NULL,
        tool_call_id TEXT,
        tool TEXT,
        error TEXT
    ) STRICT""",
    # Letters and digits only: escape characters and private-use code points
    # are no part of words.
    """CREATE VIRTUAL TABLE messages_fts USING fts5(
        text, content='messages', content_rowid='key',
        tokenize="unicode61 remove_diacritics 2 categories 'L* N*'"
    )""",
    """CREATE TRIGGER messages_indexed AFTER INSERT ON messages BEGIN
        INSERT INTO messages_fts(rowid, text) VALUES (NEW.key, NEW.text);
    END""",
    """CREATE TABLE branches (
        transcript INTEGER NOT NULL REFERENCES transcripts(seq),
        n INTEGER NOT NULL,
        kind TEXT NOT NULL,
        parent INTEGER,
        forked_from INTEGER,
        own TEXT NOT NULL,
        PRIMARY KEY (transcript, n)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE auditor_messages (
        transcript INTEGER NOT NULL REFERENCES transcripts(seq),
        n INTEGER NOT NULL,
        role TEXT NOT NULL,
        text TEXT NOT NULL,
        reasoning TEXT NOT NULL,
        PRIMARY KEY (transcript, n)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE verdicts (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        transcript TEXT NOT NULL REFERENCES transcripts(id),
        rubric TEXT,
        rater TEXT NOT NULL,
        at TEXT,
        model TEXT,
        epoch INTEGER NOT NULL,
        state TEXT NOT NULL,
        source TEXT NOT NULL,
        explanation TEXT NOT NULL,
        summary TEXT NOT NULL,
        highlights TEXT NOT NULL,
        citations TEXT NOT NULL,
        metadata TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX verdicts_transcript ON verdicts(transcript)",
    """CREATE TABLE verdict_scores (
        verdict INTEGER NOT NULL REFERENCES verdicts(seq),
        position INTEGER NOT NULL,
        dimension TEXT NOT NULL,
        value REAL,
        state TEXT NOT NULL,
        raw TEXT NOT NULL,
        citations TEXT NOT NULL,
        PRIMARY KEY (verdict, position)
    ) STRICT, WITHOUT ROWID""",
    # No foreign key to transcripts: events may come before their transcript.
    """CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        event TEXT NOT NULL,
        transcript TEXT NOT NULL,
        rubric TEXT NOT NULL,
        rater TEXT NOT NULL,
        at TEXT NOT NULL,
        supersedes TEXT,
        after_reveal INTEGER NOT NULL,
        dimensions TEXT,
        document TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX events_key ON events(rater, transcript, rubric)",
    "CREATE INDEX events_rater ON events(rater, seq)",
    "CREATE INDEX events_transcript ON events(transcript)",
    "CREATE INDEX events_supersedes ON events(supersedes)",
    """CREATE VIEW standing_labels AS
        SELECT * FROM events e WHERE e.event = 'annotation' AND NOT EXISTS (
            SELECT 1 FROM events s
            WHERE s.supersedes = e.id AND s.rater = e.rater AND s.id <> e.id)""",
    """CREATE VIEW current_labels AS
        SELECT rater, transcript, rubric, id AS event, dimensions
        FROM standing_labels e WHERE NOT EXISTS (
            SELECT 1 FROM standing_labels n
            WHERE n.rater = e.rater AND n.transcript = e.transcript
            AND n.rubric = e.rubric AND n.id > e.id)""",
    # The view over a million events is slow to count; this is its stored copy.
    """CREATE TABLE labels (
        rater TEXT NOT NULL,
        transcript TEXT NOT NULL,
        rubric TEXT NOT NULL,
        event TEXT NOT NULL,
        dimensions TEXT,
        PRIMARY KEY (rater, transcript, rubric)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TRIGGER labels_follow AFTER INSERT ON events BEGIN
        DELETE FROM labels WHERE rater = NEW.rater AND transcript IN (
            NEW.transcript,
            (SELECT transcript FROM events
             WHERE id = NEW.supersedes AND rater = NEW.rater));
        INSERT INTO labels (rater, transcript, rubric, event, dimensions)
        SELECT rater, transcript, rubric, event, dimensions FROM current_labels
        WHERE rater = NEW.rater AND transcript IN (
            NEW.transcript,
            (SELECT transcript FROM events
             WHERE id = NEW.supersedes AND rater = NEW.rater));
    END""",
    """CREATE TABLE drafts (
        rater TEXT NOT NULL,
        transcript TEXT NOT NULL,
        at TEXT NOT NULL,
        document TEXT NOT NULL,
        PRIMARY KEY (rater, transcript)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE raters (
        name TEXT NOT NULL PRIMARY KEY,
        role TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE counters (
        name TEXT NOT NULL PRIMARY KEY,
        value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "INSERT INTO counters VALUES ('questions', 0)",
    f"PRAGMA application_id = {APPLICATION_ID}",
)


Step = Callable[["Database"], None]


def _first(db: Database) -> None:
    for statement in _FIRST:
        db.execute(statement)
    for table in _GUARDED_SINCE["m001_first"]:
        for statement in _guards(table):
            db.execute(statement)


def _adjudications(db: Database) -> None:
    # No foreign key to transcripts: decisions may come before their transcript.
    db.execute(
        """CREATE TABLE adjudications (
            seq INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            transcript TEXT NOT NULL,
            rubric TEXT NOT NULL,
            rater TEXT NOT NULL,
            document TEXT NOT NULL
        ) STRICT"""
    )
    db.execute(
        "CREATE INDEX adjudications_transcript ON adjudications(transcript, rubric)"
    )
    for statement in _guards("adjudications"):
        db.execute(statement)


STEPS: dict[str, Step] = {"m001_first": _first, "m002_adjudications": _adjudications}
"""Migrations by name, oldest first."""


def migrations() -> Migrations:
    """Every migration, oldest first."""
    chain: Migrations = load_sqlite_utils().Migrations(SET)
    for name, step in STEPS.items():
        chain(name=name)(step)
    return chain


def missing_guards(connection: Connection) -> list[str]:
    """Triggers that should protect append-only tables and are not there."""
    present = {
        row["name"]
        for row in connection.rows(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        )
    }
    wanted = [
        name
        for step, tables in _GUARDED_SINCE.items()
        if step in STEPS
        for table in tables
        for name in guard_names(table)
    ]
    wanted += ["messages_indexed", "labels_follow"]
    return [name for name in wanted if name not in present]
