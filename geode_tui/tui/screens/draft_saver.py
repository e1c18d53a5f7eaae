"""Saves the draft while it is being made; says "saved" only when it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

from geode_tui.domain.score import Draft
from geode_tui.errors import GeodeError
from geode_tui.tui.widgets.status_line import SaveState

PAUSE = 0.3
"""Seconds from the first unsaved change to the save, however fast one types."""

RETRY = 2.0
"""Seconds until a failed save is tried again."""

Save = Callable[[str, Draft], "Future[None]"]
Told = Callable[[SaveState, str], None]


class DraftSaver:
    """One running save at a time; the latest draft wins.

    Args:
        save: stores a draft of a transcript.
        told: hears every change of state, on the event loop.
    """

    def __init__(self, save: Save, told: Told) -> None:
        self._save, self._told = save, told
        self._waiting: tuple[str, Draft] | None = None
        self._task: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    @property
    def idle(self) -> bool:
        """True where nothing waits to be saved."""
        return self._waiting is None and (self._task is None or self._task.done())

    def changed(self, transcript: str, draft: Draft) -> None:
        """This is the draft now; it is stored within ``PAUSE``."""
        self._waiting = (transcript, draft)
        self._told(SaveState.SAVING, "")
        if self._task is None or self._task.done():
            self._hurry.clear()
            self._task = asyncio.create_task(self._run())

    async def flush(self) -> bool:
        """Store what waits at once; False where that failed."""
        while not self.idle:
            self._hurry.set()
            task = self._task
            if task is None or task.done():
                break
            before = self._waiting
            await asyncio.wait({task}, timeout=RETRY)
            if self._waiting is not None and self._waiting is before:
                return False
        return True

    async def forget(self) -> None:
        """Drop what waits, let a running save end: the label is being submitted."""
        self._waiting = None
        self._hurry.set()
        if self._task is not None:
            await asyncio.wait({self._task})

    def stop(self) -> None:
        """Give up; the screen is gone."""
        if self._task is not None:
            self._task.cancel()

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._hurry.wait(), seconds)
        except TimeoutError:
            return

    def _take(self) -> tuple[str, Draft] | None:
        job, self._waiting = self._waiting, None
        return job

    async def _run(self) -> None:
        await self._pause(PAUSE)
        while job := self._take():
            try:
                await asyncio.wrap_future(self._save(*job))
            except Exception as error:
                # Whatever it was: the draft is still here, and that must be said.
                self._waiting = self._waiting or job
                reason = error.message if isinstance(error, GeodeError) else repr(error)
                self._told(SaveState.FAILED, reason)
                self._hurry.clear()
                await self._pause(RETRY)
                continue
            if self._waiting is not None:
                await self._pause(PAUSE)
            else:
                self._told(SaveState.SAVED, "")
