"""Opening a database file: create, check, back up, migrate."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path

from geode_tui.errors import StoreError
from geode_tui.store import schema
from geode_tui.store.connection import Connection, explain, load_sqlite_utils
from geode_tui.store.engine import engine
from geode_tui.store.writer import transact

BACKUPS = "backups"
"""Folder beside the database that holds the copies made before migrations."""


def prepare(path: Path, *, create: bool = True) -> None:
    """Bring ``path`` to the present schema; the file is made where it is missing.

    Raises:
        StoreError: it is missing and not to be made, is no database or another
            program's, is newer than this program, or cannot be written.
    """
    if not path.exists():
        if not create:
            raise StoreError(
                "there is no database here.",
                where=str(path),
                hint="geode-tui init makes a workspace.",
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the folder cannot be made ({error.strerror}).",
                where=str(path.parent),
                hint="Choose another workspace folder.",
            ) from error
    elif path.is_dir():
        raise StoreError(
            "this is a folder, not a database.",
            where=str(path),
            hint="Move it away.",
        )
    elif not os.access(path, os.W_OK):
        # SQLite would open it for reading and fail at the first label.
        raise StoreError(
            "the database cannot be written.",
            where=str(path),
            hint="Check who owns the file and its folder, and their permissions.",
        )
    connection = Connection(path, mode="rwc" if create else "rw")
    try:
        _write_ahead(connection)
        _migrate(connection)
        missing = schema.missing_guards(connection)
        if missing:
            raise StoreError(
                f"the database has lost its protection ({', '.join(missing)}).",
                where=str(path),
                hint="Restore the newest file of annotations/backups, or import an "
                "export into a new workspace.",
            )
    finally:
        connection.close()


def _write_ahead(connection: Connection) -> None:
    """Switch to WAL, in which readers and the writer never wait for each other.

    Where the file system cannot do it, the database still works, only slower.
    """
    if connection.value("PRAGMA journal_mode") == "wal":
        return
    _refuse_foreign(connection)
    for pause in (0.01, 0.05, 0.25, 1.0, 0.0):
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except sqlite3.OperationalError as error:
            if not pause:
                raise explain(error, connection.path) from error
            time.sleep(pause)
        else:
            return


def _refuse_foreign(connection: Connection) -> None:
    tables = connection.value("SELECT count(*) FROM sqlite_master")
    marked = connection.value("PRAGMA application_id") == schema.APPLICATION_ID
    if tables and not marked:
        raise StoreError(
            "this database belongs to another program.",
            where=str(connection.path),
            hint="Move it away, or choose another workspace folder.",
        )


def _migrate(connection: Connection) -> None:
    _refuse_foreign(connection)
    chain = schema.migrations()
    database = load_sqlite_utils().Database(connection.raw, execute_plugins=False)
    applied = {step.name for step in chain.applied(database)}
    newer = applied - schema.STEPS.keys()
    if newer:
        raise StoreError(
            "the database was written by a newer geode-tui "
            f"({', '.join(sorted(newer))}).",
            where=str(connection.path),
            hint="Upgrade geode-tui; this version would damage it.",
        )
    if not chain.pending(database):
        return
    able = engine()
    if not able.sufficient:
        raise StoreError(
            f"this Python's SQLite ({able.version}) is too old or has no "
            "full-text search.",
            where=str(connection.path),
            hint="Use a Python with SQLite 3.37 or newer and FTS5.",
        )

    def job(inner: Connection) -> None:
        # Another process may have been faster while this one waited.
        pending = chain.pending(database)
        if pending and applied:
            back_up(connection.path, pending[0].name)
        chain.apply(database)

    transact(connection, job)


def back_up(path: Path, reason: str) -> Path:
    """Copy the database, pages still in the log included, into ``backups/``.

    Raises:
        StoreError: the copy cannot be made; the database is as it was.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    folder = path.parent / BACKUPS
    target = folder / f"{path.stem}-{stamp}-before-{reason}{path.suffix}"
    partial = target.with_suffix(".partial")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        source, copy = Connection(path, mode="ro"), sqlite3.connect(partial)
        try:
            source.raw.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            sound = copy.execute("PRAGMA quick_check").fetchone()[0] == "ok"
        finally:
            copy.close()
            source.close()
        if not sound:
            raise StoreError("the copy is damaged.", where=str(partial))
        os.replace(partial, target)
    except (OSError, sqlite3.Error, StoreError) as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise StoreError(
            f"no backup could be made before the upgrade: {error}",
            where=str(path),
            hint="Nothing was changed. Make room or mend permissions, then try again.",
        ) from error
    return target
