"""A connection on which SQLite itself refuses what a rater must not see.

An authorizer allows only the tables named here. Events, current labels and
drafts can be read through views alone, and each view shows the rows of one
rater, whose name is fixed when the connection is made. Tables that are added
later are refused until somebody decides otherwise.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from geode_tui.store.connection import Connection

OPEN_TABLES = frozenset(
    {
        "transcripts",
        "transcript_details",
        "texts",
        "messages",
        "branches",
        "seeds",
        "rubrics",
        "counters",
        "messages_fts",
        "messages_fts_config",
        "messages_fts_data",
        "messages_fts_docsize",
        "messages_fts_idx",
    }
)
"""Tables with nothing of any rater, judge or auditor."""

OWN_VIEWS = {"own_events": "events", "own_labels": "labels", "own_drafts": "drafts"}
"""View of one rater's rows -> the table that is readable through it only."""

SCRATCH = frozenset({"states", "hits"})
"""Temporary tables that the reader fills for itself."""

_SETUP = (
    "PRAGMA temp_store = MEMORY",
    "CREATE TEMP TABLE me (name TEXT NOT NULL)",
    "CREATE TEMP TABLE states (transcript INTEGER PRIMARY KEY, state INTEGER)",
    "CREATE TEMP TABLE hits (transcript INTEGER PRIMARY KEY)",
)


def open_blind(path: Path, rater: str) -> Connection:
    """A connection for ``rater``; a statement that asks for more is refused.

    The empty name is nobody's: it sees the transcripts and no rater's work.

    Raises:
        StoreError: the database cannot be opened.
    """
    connection = Connection(path, mode="ro")
    for statement in _SETUP:
        connection.execute(statement)
    connection.execute("INSERT INTO temp.me VALUES (?)", rater)
    for view, table in OWN_VIEWS.items():
        connection.execute(
            f"CREATE TEMP VIEW {view} AS SELECT * FROM main.{table} "
            "WHERE rater = (SELECT name FROM temp.me)"
        )
    # FTS5 declares its table on first use, which the authorizer would refuse.
    connection.rows("SELECT rowid FROM messages_fts LIMIT 0")
    connection.raw.set_authorizer(_authorize)
    return connection


def _authorize(
    action: int,
    first: str | None,
    second: str | None,
    database: str | None,
    view: str | None,
) -> int:
    """SQLite's question for each thing a statement does.

    ``first``: the table of a read or write, or the pragma; ``view``: the view
    through which it is reached, if any.
    """
    match action:
        case sqlite3.SQLITE_SELECT | sqlite3.SQLITE_FUNCTION:
            allowed = True
        case sqlite3.SQLITE_TRANSACTION:
            allowed = True
        case sqlite3.SQLITE_PRAGMA:
            allowed = first == "data_version" and second is None
        case sqlite3.SQLITE_READ if database == "temp":
            allowed = first in SCRATCH or first in OWN_VIEWS or view in OWN_VIEWS
        case sqlite3.SQLITE_READ:
            allowed = first in OPEN_TABLES or (
                view is not None and OWN_VIEWS.get(view) == first
            )
        case sqlite3.SQLITE_INSERT | sqlite3.SQLITE_UPDATE | sqlite3.SQLITE_DELETE:
            allowed = database == "temp" and first in SCRATCH
        case _:
            allowed = False
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
