"""What every test may need: the real material, and a machine kept out."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True)
def _no_personal_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep the developer's own rater name, keys and profiles out of tests."""
    import os

    for name in list(os.environ):
        if name.startswith(("GEODE_", "ANTHROPIC_", "INSPECT_")):
            monkeypatch.delenv(name)
    home = tmp_path_factory.getbasetemp() / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local/share"))


@pytest.fixture(scope="session")
def shared_seeds() -> Path:
    """The folder of real seed documents; skips where it is absent."""
    folder = SHARED / "seeds"
    if not folder.is_dir():
        pytest.skip("real seeds are not at hand")
    return folder


@pytest.fixture(scope="session")
def shared_logs() -> Path:
    """The folder of real audit logs; skips where it is absent."""
    folder = SHARED / "transcripts"
    if not folder.is_dir():
        pytest.skip("real logs are not at hand")
    return folder
