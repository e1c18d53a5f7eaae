"""What the SQLite that Python brings can do."""

from __future__ import annotations

import sqlite3

from geode_tui.domain.base import Value


class Engine(Value):
    """SQLite's version, and the features that the store needs."""

    version: str
    full_text: bool
    strict: bool

    @property
    def sufficient(self) -> bool:
        """True where the store can work with it."""
        return self.full_text and self.strict


def engine() -> Engine:
    """What this Python's SQLite can do, tried out in memory."""
    return Engine(
        version=sqlite3.sqlite_version,
        full_text=_works("CREATE VIRTUAL TABLE t USING fts5(text)"),
        strict=_works("CREATE TABLE t (text TEXT) STRICT"),
    )


def _works(statement: str) -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(statement)
    except sqlite3.Error:
        return False
    finally:
        connection.close()
    return True
