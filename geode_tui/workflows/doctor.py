"""Doctor: is everything here that labelling needs, and what to do if not."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum

from geode_tui.domain.base import Value
from geode_tui.errors import GeodeError, SeedError
from geode_tui.store.engine import engine
from geode_tui.workflows.workspace import Workspace

LEAST_COLUMNS, LEAST_LINES = 80, 24

CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE")
"""Looked at for "set" or "not set" only; values are never read out."""


class Finding(StrEnum):
    """How a check turned out."""

    OK = "ok"
    NOTE = "note"
    """Not wrong, but worth knowing."""
    WRONG = "wrong"


class Check(Value):
    """One check: what was found, and what to do about it ("" for nothing)."""

    name: str
    finding: Finding
    detail: str
    advice: str = ""


class Terminal(Value):
    """The terminal as the command line sees it.

    Attributes:
        columns: None where the output is no terminal.
    """

    columns: int | None
    lines: int | None
    encoding: str


def examine(
    workspace: Workspace | GeodeError,
    terminal: Terminal,
    environment: Mapping[str, str],
) -> Iterator[Check]:
    """Every check, one after the other. Never raises for what it finds.

    ``workspace`` is the error that looking for one ended with, if it did.
    """
    yield _python()
    yield _sqlite()
    yield _reader_of_logs()
    yield from _terminal(terminal, environment)
    if isinstance(workspace, GeodeError):
        yield Check(
            name="workspace",
            finding=Finding.WRONG,
            detail=_where(workspace),
            advice=workspace.hint,
        )
    else:
        yield _ok("workspace", str(workspace.root))
        yield from _database(workspace)
        yield from _seeds(workspace)
    for name in CREDENTIALS:
        state = "set" if environment.get(name) else "not set"
        yield Check(name=name, finding=Finding.OK, detail=state)


def _ok(name: str, detail: str) -> Check:
    return Check(name=name, finding=Finding.OK, detail=detail)


def _where(error: GeodeError) -> str:
    return f"{error.where}: {error.message}" if error.where else error.message


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        return _ok("Python", version)
    return Check(
        name="Python",
        finding=Finding.NOTE,
        detail=f"{version}; tested are 3.11 to 3.13",
    )


def _sqlite() -> Check:
    found = engine()
    if found.sufficient:
        return _ok("SQLite", f"{found.version}, full-text search, strict tables")
    lacking = [] if found.full_text else ["full-text search (FTS5)"]
    lacking += [] if found.strict else ["strict tables (3.37)"]
    return Check(
        name="SQLite",
        finding=Finding.WRONG,
        detail=f"{found.version} without {' and '.join(lacking)}",
        advice="Use another build of Python, for example one that uv installs.",
    )


def _reader_of_logs() -> Check:
    try:
        return _ok("inspect-ai", importlib.metadata.version("inspect-ai"))
    except importlib.metadata.PackageNotFoundError:
        return Check(
            name="inspect-ai",
            finding=Finding.WRONG,
            detail="not installed: .eval logs cannot be read",
            advice="Install geode-tui anew.",
        )


def _terminal(terminal: Terminal, environment: Mapping[str, str]) -> Iterator[Check]:
    encoding = terminal.encoding.lower().replace("-", "").replace("_", "")
    if encoding == "utf8":
        yield _ok("encoding", terminal.encoding)
    else:
        yield Check(
            name="encoding",
            finding=Finding.WRONG,
            detail=f"{terminal.encoding or 'unknown'}, not UTF-8",
            advice="Set LANG=C.UTF-8 or PYTHONUTF8=1.",
        )
    if terminal.columns is None or terminal.lines is None:
        yield Check(
            name="terminal",
            finding=Finding.NOTE,
            detail="the output is no terminal; the app needs one",
        )
        return
    size = f"{terminal.columns} x {terminal.lines}"
    if terminal.columns < LEAST_COLUMNS or terminal.lines < LEAST_LINES:
        yield Check(
            name="terminal",
            finding=Finding.WRONG,
            detail=f"{size}; the app needs {LEAST_COLUMNS} x {LEAST_LINES}",
            advice="Make the window larger.",
        )
    else:
        yield _ok("terminal", size)
    yield _colours(environment)


def _colours(environment: Mapping[str, str]) -> Check:
    kind = environment.get("TERM", "")
    if environment.get("NO_COLOR"):
        detail = "off (NO_COLOR); nothing relies on colour alone"
        return Check(name="colours", finding=Finding.NOTE, detail=detail)
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return _ok("colours", "16 million")
    if "256color" in kind:
        return _ok("colours", "256")
    return Check(
        name="colours",
        finding=Finding.NOTE,
        detail=f"few (TERM is {kind or 'not set'})",
        advice="Set TERM=xterm-256color where the terminal has more.",
    )


def _database(workspace: Workspace) -> Iterator[Check]:
    folder = workspace.annotations_dir
    if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
        yield Check(
            name="annotations",
            finding=Finding.WRONG,
            detail=f"{folder} cannot be written",
            advice="Mend the folder's permissions.",
        )
        return
    if not workspace.database.exists():
        yield Check(
            name="database",
            finding=Finding.NOTE,
            detail="not made yet",
            advice="`geode-tui import LOGS` makes it.",
        )
        return
    try:
        with workspace.open_store() as store:
            problems = store.check()
            transcripts, events = store.transcripts.count(), store.events.count()
            waiting = store.events.waiting()
    except GeodeError as error:
        yield Check(
            name="database",
            finding=Finding.WRONG,
            detail=_where(error),
            advice=error.hint,
        )
        return
    for problem in problems:
        yield Check(
            name="database",
            finding=Finding.WRONG,
            detail=problem,
            advice="Export what can be read, then restore annotations/backups.",
        )
    if not problems:
        yield _ok("database", f"sound; {transcripts} transcripts, {events} events")
    if waiting:
        yield Check(
            name="events",
            finding=Finding.NOTE,
            detail=f"{waiting} are about transcripts that are not here",
            advice="Import their logs; the labels then appear by themselves.",
        )


def _seeds(workspace: Workspace) -> Iterator[Check]:
    from geode_tui.files.seeds import read_seed, seed_paths

    if not workspace.seeds_dir.is_dir():
        yield Check(
            name="seeds",
            finding=Finding.NOTE,
            detail="there is no seeds folder",
            advice="Rubrics are then taken from the logs alone.",
        )
        return
    read, bad = 0, []
    for path in seed_paths([workspace.seeds_dir]):
        try:
            read_seed(path)
            read += 1
        except SeedError as error:
            bad.append(error)
    for refusal in bad:
        yield Check(
            name="seeds",
            finding=Finding.WRONG,
            detail=_where(refusal),
            advice=refusal.hint,
        )
    if not bad:
        yield _ok("seeds", f"{read} read")
