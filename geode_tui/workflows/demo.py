"""Builds the demo workspace: shipped seeds, invented transcripts, two raters."""

from __future__ import annotations

import shutil
from pathlib import Path

from geode_tui import demo
from geode_tui.config import CONFIG_NAME
from geode_tui.errors import WorkspaceError
from geode_tui.workflows.exchange import import_events
from geode_tui.workflows.intake import import_paths, load_seeds
from geode_tui.workflows.workspace import Workspace, find_workspace, init_workspace


def build_demo(folder: Path) -> Workspace:
    """A ready workspace in ``folder``, which is made and must be empty.

    Raises:
        WorkspaceError: ``folder`` has something in it or cannot be written.
        StoreError: the database cannot be made.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise WorkspaceError(
            "is not empty; nothing was changed.",
            where=str(folder),
            hint="Name a new folder for the demo.",
        )
    workspace = init_workspace(folder)
    try:
        shutil.copytree(demo.seeds_dir(), workspace.seeds_dir, dirs_exist_ok=True)
        shutil.copyfile(demo.settings_file(), workspace.root / CONFIG_NAME)
    except OSError as error:
        raise WorkspaceError(
            f"cannot be written: {error}.",
            where=str(folder),
            hint="Name another folder for the demo.",
        ) from error
    workspace = find_workspace(workspace.root)
    with workspace.open_store() as store:
        load_seeds(store, workspace)
        for _ in import_paths(store, workspace, [demo.transcripts_dir()]):
            pass
        for path in demo.label_files():
            import_events(store, path)
    return workspace
