"""The workspace: its folders, its settings, who labels in it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from geode_tui.config import CONFIG_NAME, Config, load_config
from geode_tui.errors import ConfigError, WorkspaceError

if TYPE_CHECKING:
    from geode_tui.store.store import Store

SEEDS = "seeds"
ANNOTATIONS = "annotations"
DATABASE = "geode.db"
LONGEST_NAME = 80

NEW_SETTINGS = """\
# Settings of this workspace. Every line may go: what is commented out here is
# the default. docs/settings.md describes each setting.

# People who label here. A name that is not listed is a rater.
# [[raters]]
# name = "ann"
# role = "rater"            # or "auditor": may see everybody's values

[label]
# seed_dimensions = true    # score each seed's own target dimensions
# judge_dimensions = []     # also these, in the words the judge read; ["*"] = all
# reveal = "after-queue"    # or "after-item", "never": when the judge may be seen
# show_other_raters = true  # a reveal also shows the other raters' labels
# show_reasoning = true     # the target's reasoning is shown, folded

[import]
# A target's message that matches one of these is the harness's error text.
# harness_errors = ['^\\s*!\\s*Unexpected error\\. Auto-retrying']

[app]
# theme = "geode"           # or "geode-light", or any theme of Textual
# ascii_safe = false        # show characters that terminals disagree on as escapes

# Keys: binding id = keys. docs/keys.md lists the ids.
# [app.keymap]
"""

IGNORE = """\
# The database is made anew from logs and exports; exports belong in git.
geode.db
geode.db-*
backups/
last-defect.log
"""


@dataclass(frozen=True)
class Workspace:
    """A folder with seeds, annotations and settings."""

    root: Path
    config: Config

    @property
    def seeds_dir(self) -> Path:
        """Where seed documents are."""
        return self.root / SEEDS

    @property
    def annotations_dir(self) -> Path:
        """Where the database and the exports are."""
        return self.root / ANNOTATIONS

    @property
    def database(self) -> Path:
        """The SQLite file; it may not exist yet."""
        return self.annotations_dir / DATABASE

    def open_store(self) -> Store:
        """The workspace's store, made where there is none yet.

        Raises:
            StoreError: the database cannot be opened or made.
            WorkspaceError: the annotations folder cannot be made.
        """
        # Imported here: the database library is slow to load.
        from geode_tui.store.store import Store

        _make_folder(self.annotations_dir)
        return Store.open(self.database)


def is_workspace(folder: Path) -> bool:
    """True where ``folder`` has settings, a database, or both folders."""
    return (
        (folder / CONFIG_NAME).is_file()
        or (folder / ANNOTATIONS / DATABASE).is_file()
        or ((folder / SEEDS).is_dir() and (folder / ANNOTATIONS).is_dir())
    )


def find_workspace(folder: Path, *, upward: bool = False) -> Workspace:
    """The workspace in ``folder``; with ``upward`` also the nearest one above.

    Raises:
        WorkspaceError: there is none; the message says how to make one.
        ConfigError: its settings cannot be used.
    """
    root = Path(os.path.abspath(folder))
    candidates = [root, *root.parents] if upward else [root]
    for candidate in candidates:
        if is_workspace(candidate):
            return Workspace(candidate, load_config(candidate))
    wrong = "is no workspace" if root.is_dir() else "there is no such folder"
    if upward:
        wrong = "is no workspace, nor is any folder above"
    raise WorkspaceError(
        f"{wrong}.",
        where=str(root),
        hint="`geode-tui init DIR` makes one; `geode-tui demo` opens a ready one.",
    )


def init_workspace(folder: Path) -> Workspace:
    """Make a workspace in ``folder``; what is there already stays as it is.

    Raises:
        WorkspaceError: it is a workspace already, or cannot be written.
        ConfigError: never for a new workspace.
    """
    root = Path(os.path.abspath(folder))
    if is_workspace(root):
        raise WorkspaceError(
            "is a workspace already; nothing was changed.",
            where=str(root),
            hint="Open it with `geode-tui --workspace DIR`, or name another folder.",
        )
    _make_folder(root / SEEDS)
    _make_folder(root / ANNOTATIONS)
    _write_new(root / ANNOTATIONS / ".gitignore", IGNORE)
    # Last, because it is what makes the folder a workspace.
    _write_new(root / CONFIG_NAME, NEW_SETTINGS)
    return find_workspace(root)


def rater_name(text: str) -> str:
    """``text`` as a rater's name: ends stripped.

    Raises:
        ConfigError: empty, too long, not printable, or kept for judges.
    """
    name = text.strip()
    wrong = ""
    if not name:
        wrong = "is empty"
    elif len(name) > LONGEST_NAME:
        wrong = f"has {len(name)} characters; {LONGEST_NAME} are allowed"
    elif not name.isprintable():
        wrong = "has characters that cannot be printed"
    elif name == "rule" or name.startswith(("judge:", "rule:")):
        wrong = "is kept for the judge and the rule"
    if wrong:
        raise ConfigError(f"The rater's name {wrong}.", hint="Give another name.")
    return name


def recall_rater(workspace: Workspace) -> str | None:
    """Who labelled in this workspace last on this account; None if nobody did."""
    name = _remembered().get(_key(workspace))
    return name if isinstance(name, str) and name else None


def remember_rater(workspace: Workspace, name: str) -> None:
    """Keep ``name`` for this workspace, in this account's own settings folder.

    It is a convenience: where it cannot be written, nothing is said.

    Raises:
        ConfigError: the name cannot be used.
    """
    remembered = {**_remembered(), _key(workspace): rater_name(name)}
    path = _memory()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, lambda file: json.dump(remembered, file, indent=2))
    except OSError:
        return


def replace_file(path: Path, write: Callable[[TextIO], None]) -> None:
    """Let ``write`` fill ``path`` in one step: the old content or the new, whole.

    Raises:
        OSError: it cannot be written; the old content is still there.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            write(file)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _memory() -> Path:
    return Path(click.get_app_dir("geode-tui")) / "raters.json"


def _key(workspace: Workspace) -> str:
    return str(workspace.root.resolve())


def _remembered() -> dict[str, Any]:
    try:
        found = json.loads(_memory().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(
            f"cannot be made: {error.strerror or error}.",
            where=str(folder),
            hint="Check the folder's permissions, or name another one.",
        ) from error


def _write_new(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return
    except OSError as error:
        raise WorkspaceError(
            f"cannot be written: {error.strerror or error}.",
            where=str(path),
            hint="Check the folder's permissions, or name another one.",
        ) from error
