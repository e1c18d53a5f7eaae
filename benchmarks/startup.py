"""How long the app takes to its first paint, beside a bare Textual app.

Makes a workspace with a queue of 100,000 transcripts, then starts, in turns and
each in a pseudo-terminal of 160x48 of its own, a bare Textual app with one line
of text and the app on that workspace, and measures from the start of the
process until a text is on the terminal: the bare app's line, the app's first
paint, and the first row of the queue; then the same for the whole command, which
reads its arguments first. Medians in milliseconds; the goal is a first paint of
the app within 1.3 of the bare one.

    python benchmarks/startup.py [--transcripts N] [--runs N] [--workspace DIR]
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

from labelling_queue import fill

from geode_tui.store.store import Store
from geode_tui.workflows.workspace import init_workspace

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare and ready")
Bare().run()
"""
APP = """
import sys
from geode_tui.tui.app import run_app

def find():
    from pathlib import Path
    from geode_tui.workflows.workspace import find_workspace
    return find_workspace(Path(sys.argv[1]))

run_app(find, "bench")
"""
COMMAND = [sys.executable, "-m", "geode_tui", "--rater", "bench", "--workspace"]
SIGNS = ["Opening", "Scenario 00"]
LIMIT = 60.0


def seen_after(command: list[str], texts: list[str]) -> list[float]:
    """Seconds from the start of ``command`` until each text was on its terminal."""
    started = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
    output, times = b"", [0.0] * len(texts)
    try:
        while not all(times) and time.perf_counter() - started < LIMIT:
            if select.select([terminal], [], [], 0.5)[0]:
                output += os.read(terminal, 65536)
                for index, text in enumerate(texts):
                    if not times[index] and text.encode() in output:
                        times[index] = time.perf_counter() - started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    if not all(times):
        raise SystemExit(f"{texts} never appeared; the terminal got {output[-500:]!r}")
    return times


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--transcripts", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--workspace", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.workspace
        if folder is None:
            folder = Path(scratch) / "workspace"
            workspace = init_workspace(folder)
            with Store.open(workspace.database) as store:
                fill(store, options.transcripts, events=0)
        times: dict[str, list[float]] = {}
        for _ in range(options.runs):
            bare = seen_after([sys.executable, "-c", BARE], ["bare and ready"])
            times.setdefault("bare Textual app", []).extend(bare)
            for name, command in (
                ("app", [sys.executable, "-c", APP, str(folder)]),
                ("geode-tui command", [*COMMAND, str(folder)]),
            ):
                opening, rows = seen_after(command, SIGNS)
                times.setdefault(f"{name}: first paint", []).append(opening)
                times.setdefault(f"{name}: first rows", []).append(rows)
    base = statistics.median(times["bare Textual app"])
    print(f"{'':32}{'median ms':>10}{'of bare':>9}")
    for name, seconds in times.items():
        median = statistics.median(seconds)
        print(f"{name:32}{median * 1000:10.0f}{median / base:9.2f}")


if __name__ == "__main__":
    main()
