"""What the static layer contracts cannot see."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "geode_tui"
SLOW = ("inspect_ai", "anthropic", "sklearn", "scipy", "numpy", "pandas")


def loaded_after(code: str) -> set[str]:
    """Top-level names in ``sys.modules`` of a fresh interpreter after ``code``."""
    script = f"{code}\nimport sys; print(*{{m.split('.')[0] for m in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import geode_tui.cli",
        "import geode_tui.tui.app",
        "import geode_tui.store.store",
        "import geode_tui.workflows.annotate",
        "import geode_tui.workflows.intake",
    ],
)
def test_importing_a_room_loads_no_slow_library(code: str) -> None:
    assert loaded_after(code).isdisjoint(SLOW)


def test_the_command_line_alone_loads_neither_app_nor_database() -> None:
    assert loaded_after("import geode_tui.cli").isdisjoint(
        {"textual", "rich", "sqlite_utils"}
    )


def test_modules_stay_small_rooms() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in PACKAGE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 450
    }
    assert not long


def test_the_project_names_no_machine_path() -> None:
    pattern = re.compile(r"/(?:home|root|Users|work|tmp)/\w+")
    named = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in PACKAGE.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not named
