"""Kills the app again and again while it labels; run as a script by a test.

    python killed_driver.py WORKSPACE KILLS SEED

Each round forks a child that runs the app without a terminal on WORKSPACE and
labels by keys as fast as it can, writing to a pipe what it typed and what the
screen said. The parent kills it with SIGKILL at a random moment and prints one
JSON line: what the pipe held and when the kill came.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from geode_tui.tui.app import GeodeApp, WorkspaceSession
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.screens.queue import QueueScreen
from geode_tui.tui.widgets.status_line import SaveState, StatusLine
from geode_tui.workflows import annotate as _annotate  # noqa: F401  loaded before forks
from geode_tui.workflows.workspace import find_workspace

RATER = "ada"


class Labeller:
    """Types labels and reports them; a slow one never comes to an end of the first."""

    def __init__(self, report: int, *, slow: bool) -> None:
        self.report = report
        self.keys = 1000 if slow else 1

    def say(self, **what: Any) -> None:
        line = json.dumps({"at": time.monotonic(), **what}) + "\n"
        os.write(self.report, line.encode())

    async def until(self, pilot: Pilot[Any], true: Any) -> None:
        while not true():
            await pilot._wait_for_screen()
            await pilot.pause(0.005)

    async def label(self, pilot: Pilot[Any]) -> None:
        app = pilot.app
        await self.until(pilot, lambda: isinstance(app.screen, QueueScreen))
        await pilot.press("enter")
        await self.until(pilot, lambda: isinstance(app.screen, LabelScreen))
        screen = app.screen
        self.say(ready=True)
        while True:
            await self.until(
                pilot, lambda: screen.opened is not None and not screen._busy
            )
            transcript = screen.opened.transcript.id
            status = screen.query_one(StatusLine)
            for key in random.choices("123456789", k=self.keys):
                await pilot.press(key)
                self.say(
                    typed=screen.draft.model_dump(mode="json"), transcript=transcript
                )
                if status.state is SaveState.SAVED:
                    self.say(
                        saved=screen.draft.model_dump(mode="json"),
                        transcript=transcript,
                    )
                await pilot.pause(random.random() * 0.15)
            scores = dict(screen.draft.scores)
            await pilot.press("enter")
            await self.until(
                pilot,
                lambda was=transcript: (
                    screen._submitted is not None
                    and screen.opened.transcript.id != was
                    and not screen._busy
                ),
            )
            self.say(submitted=scores, transcript=transcript)


def child(workspace: Path, report: int, *, slow: bool) -> None:
    session = WorkspaceSession(lambda: find_workspace(workspace), lambda: RATER)
    GeodeApp(session).run(headless=True, auto_pilot=Labeller(report, slow=slow).label)


def main(workspace: Path, kills: int, seed: int) -> None:
    pick = random.Random(seed)
    for number in range(kills):
        slow = number % 2 == 0
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            random.seed(pick.random())
            child(workspace, writing, slow=slow)
            os._exit(1)
        os.close(writing)
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            heard = pipe.read(65536)
            time.sleep(pick.uniform(1.0, 1.8) if slow else pick.uniform(0.05, 0.9))
            os.kill(pid, signal.SIGKILL)
            killed = time.monotonic()
            os.waitpid(pid, 0)
            while more := pipe.read(65536):
                heard += more
        lines = [json.loads(line) for line in heard.splitlines() if line]
        sys.stdout.write(json.dumps({"killed": killed, "heard": lines}) + "\n")
        sys.stdout.flush()
        # The reader looks at the database before anyone labels on.
        sys.stdin.readline()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
