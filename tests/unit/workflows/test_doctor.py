from __future__ import annotations

import pytest

from geode_tui.errors import WorkspaceError
from geode_tui.workflows import doctor
from geode_tui.workflows.doctor import Check, Finding, Terminal, examine
from geode_tui.workflows.workspace import Workspace

GOOD = Terminal(columns=160, lines=48, encoding="utf-8")
COLOURS = {"TERM": "xterm-256color"}


def checks(
    workspace: Workspace | WorkspaceError,
    terminal: Terminal = GOOD,
    environment: dict[str, str] = COLOURS,
) -> dict[str, Check]:
    return {check.name: check for check in examine(workspace, terminal, environment)}


def test_a_filled_workspace_is_sound(
    workspace: Workspace, filled: dict[str, str]
) -> None:
    found = checks(workspace)
    assert {c.finding for c in found.values()} == {Finding.OK}
    assert found["database"].detail == "sound; 3 transcripts, 0 events"


def test_a_new_workspace_has_no_database_yet(workspace: Workspace) -> None:
    assert checks(workspace)["database"].finding is Finding.NOTE
    assert not workspace.database.exists()


def test_no_workspace_is_a_finding_with_advice() -> None:
    error = WorkspaceError("is no workspace.", where="here", hint="Make one.")
    found = checks(error)["workspace"]
    assert (found.finding, found.advice) == (Finding.WRONG, "Make one.")


def test_a_damaged_database_is_found(
    workspace: Workspace, filled: dict[str, str]
) -> None:
    workspace.database.write_bytes(b"no database at all" * 500)
    found = checks(workspace)["database"]
    assert found.finding is Finding.WRONG
    assert found.advice


@pytest.mark.parametrize(
    ("terminal", "name", "finding"),
    [
        (Terminal(columns=79, lines=48, encoding="utf-8"), "terminal", Finding.WRONG),
        (Terminal(columns=80, lines=23, encoding="utf-8"), "terminal", Finding.WRONG),
        (Terminal(columns=80, lines=24, encoding="UTF-8"), "terminal", Finding.OK),
        (Terminal(columns=None, lines=None, encoding="utf8"), "terminal", Finding.NOTE),
        (Terminal(columns=80, lines=24, encoding="ascii"), "encoding", Finding.WRONG),
    ],
)
def test_terminals(
    workspace: Workspace, terminal: Terminal, name: str, finding: Finding
) -> None:
    assert checks(workspace, terminal)[name].finding is finding


@pytest.mark.parametrize(
    ("environment", "detail"),
    [
        ({"COLORTERM": "truecolor"}, "16 million"),
        ({"TERM": "screen-256color"}, "256"),
        ({"TERM": "dumb"}, "few"),
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, "off"),
    ],
)
def test_colours(
    workspace: Workspace, environment: dict[str, str], detail: str
) -> None:
    assert checks(workspace, environment=environment)["colours"].detail.startswith(
        detail
    )


def test_credentials_are_never_read_out(workspace: Workspace) -> None:
    found = checks(workspace, environment={"ANTHROPIC_API_KEY": "sk-very-secret"})
    assert found["ANTHROPIC_API_KEY"].detail == "set"
    assert found["ANTHROPIC_AUTH_TOKEN"].detail == "not set"
    assert "secret" not in "".join(c.model_dump_json() for c in found.values())


def test_an_sqlite_without_full_text_search_is_said(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    poor = doctor.engine().model_copy(update={"full_text": False})
    monkeypatch.setattr(doctor, "engine", lambda: poor)
    found = checks(workspace)["SQLite"]
    assert found.finding is Finding.WRONG
    assert "FTS5" in found.detail
