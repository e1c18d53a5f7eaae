"""Whether a database is sound."""

from __future__ import annotations

import sqlite3

from geode_tui.errors import StoreError
from geode_tui.store import schema
from geode_tui.store.connection import Connection

_DIFFERENCE = """
    SELECT count(*) FROM (
        SELECT * FROM (SELECT rater, transcript, rubric, event, dimensions FROM {a}
        EXCEPT SELECT rater, transcript, rubric, event, dimensions FROM {b}))
"""


def problems(connection: Connection) -> tuple[str, ...]:
    """What is wrong with the file, its references and its current labels."""
    found = [
        f"SQLite reports: {row[0]}."
        for row in connection.rows("PRAGMA integrity_check(20)")
        if row[0] != "ok"
    ]
    found += [
        f"Row {row['rowid']} of {row['table']} names a missing row of {row['parent']}."
        for row in connection.rows("PRAGMA foreign_key_check")
    ]
    found += [
        f"The trigger {name} is missing: rows that must not change are unprotected."
        for name in schema.missing_guards(connection)
    ]
    for a, b in (("labels", "current_labels"), ("current_labels", "labels")):
        if different := connection.value(_DIFFERENCE.format(a=a, b=b)):
            found.append(f"{different} rows of {a} differ from {b}.")
    return tuple(found)


def search_index_problems(connection: Connection) -> tuple[str, ...]:
    """What is wrong with the full-text index. SQLite wants to write for that."""
    try:
        connection.execute(
            "INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)"
        )
    except (StoreError, sqlite3.Error):
        return ("The full-text index does not match the messages.",)
    return ()
