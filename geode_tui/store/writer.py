"""One thread that owns the writing connection, behind a queue.

Each job is one transaction. Its future is resolved after COMMIT, never before,
and cannot be cancelled: what was handed over is written even if nobody waits
for the answer any more.
"""

from __future__ import annotations

import atexit
import queue
import random
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from geode_tui.errors import GeodeError, StoreError
from geode_tui.store.connection import Connection, explain, is_busy

PATIENCE = 30.0
"""Seconds to go on trying while another program holds the database."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.005, 0.25

T = TypeVar("T")
U = TypeVar("U")
Job = Callable[[Connection], T]


def transact(connection: Connection, job: Job[T], *, patience: float = PATIENCE) -> T:
    """Run ``job`` in one transaction, again and again while the lock is taken.

    The job must be able to run more than once: after a failed attempt
    everything it did is rolled back.

    Raises:
        StoreError: the database failed, or stayed locked for ``patience`` seconds.
    """
    deadline = time.monotonic() + patience
    pause = _SHORTEST_PAUSE
    while True:
        try:
            # IMMEDIATE takes the write lock now: a transaction that first reads
            # could find, too late, that another writer has been faster.
            connection.execute("BEGIN IMMEDIATE")
            result = job(connection)
            connection.execute("COMMIT")
            return result
        except BaseException as error:
            if connection.raw.in_transaction:
                connection.raw.rollback()
            if not isinstance(error, sqlite3.Error):
                raise
            if not is_busy(error) or time.monotonic() > deadline:
                raise explain(error, connection.path) from error
        time.sleep(pause * random.uniform(0.5, 1.0))
        pause = min(pause * 2, _LONGEST_PAUSE)


def then(future: Future[T], follow: Callable[[T], U]) -> Future[U]:
    """A future of ``follow(result)``; errors of either are passed on."""
    after: Future[U] = Future()
    after.set_running_or_notify_cancel()

    def run(done: Future[T]) -> None:
        try:
            after.set_result(follow(done.result()))
        except Exception as error:
            after.set_exception(error)

    future.add_done_callback(run)
    return after


def failed(error: GeodeError) -> Future[Any]:
    """A future that holds ``error``."""
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


class Writer:
    """The writing thread. ``submit`` from any thread; ``close`` writes the rest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._jobs: queue.SimpleQueue[tuple[Job[Any], Future[Any]] | None] = (
            queue.SimpleQueue()
        )
        self._lock = threading.Lock()
        self._closed = False
        self._connection = Connection(path)
        # A commit is on the disk, not in the operating system's cache. Drafts
        # too: two a second cost nothing that the writer's thread would notice.
        self._connection.execute("PRAGMA synchronous = FULL")
        self._thread = threading.Thread(
            target=self._run, name="geode-writer", daemon=True
        )
        self._thread.start()
        atexit.register(self.close)

    def submit(self, job: Job[T]) -> Future[T]:
        """Queue ``job``; the future holds its result once it is committed."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            if self._closed:
                return failed(StoreError("is closed.", where=str(self._path)))
            self._jobs.put((job, future))
        return future

    def _run(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, future = item
            try:
                result = transact(self._connection, job)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
                del result
            # An idle thread must not keep the last job's data alive.
            del item, job, future

    def stop(self) -> None:
        """Write everything queued, then take no more."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def close(self) -> None:
        """Stop and close the connection; closing twice is fine."""
        self.stop()
        self._connection.close()
        atexit.unregister(self.close)
