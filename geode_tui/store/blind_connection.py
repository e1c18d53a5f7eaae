"""A connection on which SQLite itself refuses what a rater must not see.

An authorizer allows only the tables named here. Events, current labels and
drafts can be read through views alone, and each view shows the rows of one
rater, whose name is fixed when the connection is made. Tables that are added
later are refused until somebody decides otherwise.
"""

from __future__ import annotations

import secrets
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
    try:
        _confine(connection, rater)
    except BaseException:
        connection.close()
        raise
    return connection


def _confine(connection: Connection, rater: str) -> None:
    for statement in _SETUP:
        connection.execute(statement)
    connection.execute("INSERT INTO temp.me VALUES (?)", rater)
    # SQLite tells the authorizer the name of the view that reads a table, and a
    # common table expression would pass for a view of the same name. A name
    # that nobody can write down does not.
    inner = {
        f"{view}_{secrets.token_hex(8)}": table for view, table in OWN_VIEWS.items()
    }
    for (view, table), name in zip(OWN_VIEWS.items(), inner, strict=True):
        connection.execute(
            f"CREATE TEMP VIEW {name} AS SELECT * FROM main.{table} "
            "WHERE rater = (SELECT name FROM temp.me)"
        )
        connection.execute(f"CREATE TEMP VIEW {view} AS SELECT * FROM temp.{name}")
    # FTS5 declares its table on first use, which the authorizer would refuse.
    connection.rows("SELECT rowid FROM messages_fts LIMIT 0")
    connection.raw.set_authorizer(_Authorizer(inner))


class _Authorizer:
    """Answers SQLite's question for each thing that a statement does."""

    def __init__(self, inner: dict[str, str]) -> None:
        self._inner = inner

    def __call__(
        self,
        action: int,
        first: str | None,
        second: str | None,
        database: str | None,
        view: str | None,
    ) -> int:
        """Allow or refuse.

        ``first``: the table that is read or written, or the pragma; ``view``:
        the innermost view through which it is reached, if any.
        """
        match action:
            case sqlite3.SQLITE_SELECT | sqlite3.SQLITE_FUNCTION:
                allowed = True
            case sqlite3.SQLITE_TRANSACTION:
                allowed = True
            case sqlite3.SQLITE_PRAGMA:
                allowed = first == "data_version" and second is None
            case sqlite3.SQLITE_READ:
                allowed = self._may_read(first, database, view)
            case sqlite3.SQLITE_INSERT | sqlite3.SQLITE_UPDATE | sqlite3.SQLITE_DELETE:
                allowed = database == "temp" and first in SCRATCH
            case _:
                allowed = False
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def _may_read(
        self, table: str | None, database: str | None, view: str | None
    ) -> bool:
        if database == "temp":
            return (
                table in SCRATCH
                or table in OWN_VIEWS
                or table in self._inner
                or (table == "me" and view in self._inner)
            )
        through_view = view is not None and self._inner.get(view) == table
        return table in OPEN_TABLES or through_view
