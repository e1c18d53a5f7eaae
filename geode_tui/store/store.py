"""The store: one SQLite file, read from any thread, written by one thread."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from geode_tui.domain.forms import Ask
from geode_tui.errors import GeodeError, StoreError
from geode_tui.store import health, opening, writer
from geode_tui.store.adjudications import Adjudications
from geode_tui.store.blind import BlindReader
from geode_tui.store.connection import Connection
from geode_tui.store.events import Drafts, Events, Raters
from geode_tui.store.seeds import Rubrics, Seeds
from geode_tui.store.transcripts import Transcripts
from geode_tui.store.verdicts import Verdicts
from geode_tui.store.writer import Writer

T = TypeVar("T")


class Store:
    """Everything a workspace keeps.

    Reads run on the caller's thread, on a connection of that thread. Every
    write returns a future that is resolved once the change is on the disk.

    Attributes:
        path: the database file.
    """

    def __init__(self, path: Path) -> None:
        """Use a file that ``opening.prepare`` has brought up to date."""
        self.path = path
        self.transcripts = Transcripts(self)
        self.seeds = Seeds(self)
        self.rubrics = Rubrics(self)
        self.events = Events(self)
        self.verdicts = Verdicts(self)
        self.adjudications = Adjudications(self)
        self.drafts = Drafts(self)
        self.raters = Raters(self)
        self._writer = Writer(path)
        self._lock = threading.Lock()
        self._local = threading.local()
        self._readers: list[tuple[weakref.ref[threading.Thread], Connection]] = []
        self._blind: list[BlindReader] = []
        self._closed = False

    @classmethod
    def open(cls, path: Path, *, create: bool = True) -> Self:
        """Open ``path``; with ``create``, make it and its folder where missing.

        Raises:
            StoreError: see ``opening.prepare``.
        """
        opening.prepare(path, create=create)
        return cls(path)

    @property
    def reader(self) -> Connection:
        """This thread's reading connection.

        Raises:
            StoreError: the store is closed.
        """
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None or self._closed:
            connection = self._new_reader()
        return connection

    def _new_reader(self) -> Connection:
        with self._lock:
            if self._closed:
                raise StoreError("is closed.", where=str(self.path))
            # Connections of threads that have ended are of no use to anybody.
            alive = []
            for thread, connection in self._readers:
                owner = thread()
                if owner is not None and owner.is_alive():
                    alive.append((thread, connection))
                else:
                    connection.close()
            connection = Connection(self.path)
            connection.execute("PRAGMA query_only = ON")
            alive.append((weakref.ref(threading.current_thread()), connection))
            self._readers = alive
        self._local.connection = connection
        return connection

    def write(self, job: Callable[[Connection], T]) -> Future[T]:
        """Run ``job`` in one transaction on the writing thread."""
        return self._writer.submit(job)

    @staticmethod
    def failed(error: GeodeError) -> Future[Any]:
        """A future that holds ``error``."""
        return writer.failed(error)

    def blind(self, rater: str, ask: Ask | None = None) -> BlindReader:
        """What ``rater`` may read while labelling; ``ask``: what is scored here."""
        reader = BlindReader(self.path, rater, ask or Ask())
        with self._lock:
            self._blind.append(reader)
        return reader

    def check(self) -> tuple[str, ...]:
        """What is wrong with the database, in sentences; empty where all is well."""
        problems = health.problems(self.reader)
        return problems + self.write(health.search_index_problems).result()

    def back_up(self, reason: str) -> Path:
        """Copy the database into ``backups/``; safe while others write.

        Raises:
            StoreError: the copy cannot be made.
        """
        return opening.back_up(self.path, reason)

    def close(self) -> None:
        """Write everything queued and close every connection."""
        # What is queued may still need readers; SQLite tidies up its log when
        # the connection that can write is the last to go.
        self._writer.stop()
        with self._lock:
            self._closed = True
            for _, connection in self._readers:
                connection.close()
            for reader in self._blind:
                reader.close()
            self._readers, self._blind = [], []
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
