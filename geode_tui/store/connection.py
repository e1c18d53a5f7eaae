"""Connections to the database file, with every error put in words.

``Connection`` is the only road to SQL: it escapes parameters, restores texts
and turns SQLite's errors into ``StoreError``.
"""

from __future__ import annotations

import sqlite3
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from geode_tui.errors import StoreError
from geode_tui.store import codec

WAIT = 0.2
"""Seconds SQLite itself waits for a lock; longer waits are the writer's affair."""

_import_lock = threading.Lock()


def load_sqlite_utils() -> ModuleType:
    """sqlite-utils, imported without numpy and pandas.

    It imports both where they are installed, for column types that are not
    used here; that would more than double the time to open the app. A ``None``
    in ``sys.modules`` is Python's documented way to make an import fail, and
    sqlite-utils goes on without. What is loaded already stays as it is.
    """
    with _import_lock:
        if "sqlite_utils" not in sys.modules:
            absent = [name for name in ("numpy", "pandas") if name not in sys.modules]
            hidden: dict[str, Any] = dict.fromkeys(absent)
            sys.modules.update(hidden)
            try:
                import sqlite_utils
            finally:
                for name in absent:
                    del sys.modules[name]
        import sqlite_utils

    return sqlite_utils


def is_busy(error: BaseException) -> bool:
    """True where another connection holds the lock and waiting can help."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    )


def explain(error: sqlite3.Error, path: Path) -> StoreError:
    """What went wrong and what to do, for people."""
    code = getattr(error, "sqlite_errorcode", None)
    message, hint = str(error), "Run geode-tui doctor for a check of the database."
    match None if code is None else code & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            message = "another program holds the database"
            hint = "Close what else has it open, then try again."
        case sqlite3.SQLITE_FULL:
            message = "the disk is full; nothing of this change was saved"
            hint = "Make room, then do it again."
        case sqlite3.SQLITE_READONLY:
            message = "the database cannot be written"
            hint = "Check who owns the file and its folder, and their permissions."
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            message = f"the database cannot be opened ({error})"
            hint = (
                "Check that the folder is there and that you may write in it: "
                "SQLite keeps two files beside the database."
            )
        case sqlite3.SQLITE_NOTADB:
            message = "this file is no SQLite database"
            hint = "Move it away; an export can be read into a new workspace."
        case sqlite3.SQLITE_CORRUPT:
            message = f"the database is damaged ({error})"
            hint = "Restore the newest file of annotations/backups, or an export."
        case sqlite3.SQLITE_IOERR:
            message = f"the disk failed ({error})"
            hint = "Check the disk; network folders often cannot hold a database."
    return StoreError(f"{message}.", where=str(path), hint=hint)


class Connection:
    """One SQLite connection. Use it from one thread at a time.

    Attributes:
        raw: the connection itself, for what only SQLite's own interface does.
    """

    def __init__(self, path: Path, *, mode: str = "rw", wait: float = WAIT) -> None:
        """Open ``path``.

        Args:
            path: the database file.
            mode: ``ro``, ``rw`` or ``rwc``, as in SQLite's URIs.
            wait: seconds to wait for a lock.

        Raises:
            StoreError: it cannot be opened, or is no database.
        """
        self.path = path
        try:
            self.raw = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode={mode}",
                uri=True,
                timeout=wait,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
        except sqlite3.Error as error:
            raise explain(error, path) from error
        self.raw.row_factory = sqlite3.Row
        self.raw.text_factory = codec.restore_bytes
        try:
            self.execute("PRAGMA foreign_keys = ON")
            # Without it, INSERT OR REPLACE would pass delete triggers by.
            self.execute("PRAGMA recursive_triggers = ON")
        except StoreError:
            self.close()
            raise

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        """Run one statement; lock errors pass through for the writer to retry.

        Raises:
            StoreError: any other failure of the database.
        """
        try:
            return self.raw.execute(sql, codec.bind(values))
        except sqlite3.Error as error:
            if is_busy(error):
                raise
            raise explain(error, self.path) from error

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Every row of a query.

        Raises:
            StoreError: the database failed or is locked.
        """
        try:
            return self.raw.execute(sql, codec.bind(values)).fetchall()
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    def one(self, sql: str, *values: Any) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        rows = self.rows(sql, *values)
        return rows[0] if rows else None

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row, or None."""
        row = self.one(sql, *values)
        return None if row is None else row[0]

    def insert(
        self, table: str, row: Mapping[str, Any], *, ignore: bool = False
    ) -> int:
        """Insert one row and return its rowid; ``ignore``: skip a known key."""
        columns, marks = ", ".join(row), ", ".join("?" * len(row))
        how = "INSERT OR IGNORE" if ignore else "INSERT"
        sql = f"{how} INTO {table} ({columns}) VALUES ({marks})"
        return self.execute(sql, *row.values()).lastrowid or 0

    def insert_many(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert rows that all have the same columns."""
        for row in rows:
            self.insert(table, row)

    def close(self) -> None:
        """Close; closing twice is fine."""
        self.raw.close()
