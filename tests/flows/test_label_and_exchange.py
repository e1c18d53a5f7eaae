"""From nothing to labels on two machines, by commands alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geode_tui.cli import main

Geode = Callable[..., Result]


@pytest.fixture
def geode() -> Geode:
    """Runs a command and checks its exit code."""

    def call(*arguments: object, code: int = 0) -> Result:
        result = CliRunner().invoke(main, [str(a) for a in arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return call


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder with two chats, one of them with hostile text."""
    folder = tmp_path / "logs – ö"
    folder.mkdir()
    for name, reply in [("plain", "At nine."), ("odd", "\x1b[2J\u202e[/] \ud800\x00")]:
        messages = [
            {"role": "user", "content": f"When does it open ({name})?"},
            {"role": "assistant", "content": reply},
        ]
        text = json.dumps({"messages": messages})
        (folder / f"{name}.jsonl").write_text(text + "\n", encoding="utf-8")
    return folder


def test_init_import_label_export_and_back(
    geode: Geode, logs: Path, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    geode("init", here)
    summary = json.loads(geode("-w", here, "import", logs, "--json").stdout)
    assert summary["added"] == 2
    assert summary["refused"] == 0
    assert {file["status"] for file in summary["files"]} == {"added"}
    again = json.loads(geode("-w", here, "import", logs, "--json").stdout)
    assert (again["added"], again["unchanged"]) == (0, 2)

    rows = json.loads(geode("-w", here, "list", "--json").stdout)
    first, second = (row["id"] for row in rows)
    asked = rows[0]["target_dimensions"] or ["overall"]
    score = f"{asked[0]}=4"
    label = ("-w", here, "annotate", first, "--rater", "ann")
    geode(*label, "--score", score, "--evidence", "M2:0-3", "--note", "é \u202e")
    geode(*label, "--score", f"{asked[0]}=5")
    geode(*label, "--withdraw")
    geode(*label, "--score", f"{asked[0]}=6")
    geode("-w", here, "annotate", second, "-r", "ann", "--not-scorable", "too odd")
    geode("-w", here, "show", first, "--unblind", "--rater", "ann")
    geode(*label, "--score", f"{asked[0]}=7")

    file = tmp_path / "ann.jsonl"
    geode("-w", here, "export", "--out", file)
    events = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [e["event"] for e in events] == [
        "annotation",
        "annotation",
        "withdrawal",
        "annotation",
        "annotation",
        "reveal",
        "annotation",
    ]
    assert [e["after_reveal"] for e in events] == [False] * 6 + [True]

    geode("init", there)
    for _ in range(2):
        geode("-w", there, "import", file)
    assert geode("-w", there, "export").stdout == file.read_text("utf-8")
    geode("-w", there, "import", logs)
    states = json.loads(geode("-w", there, "list", "--json", "-r", "ann").stdout)
    assert {row["id"]: row["state"] for row in states} == {
        first: "done",
        second: "not_scorable",
    }
    assert geode("-w", there, "export", "-r", "ann").stdout == file.read_text("utf-8")


def test_hostile_text_reaches_no_terminal(
    geode: Geode, logs: Path, tmp_path: Path
) -> None:
    here = tmp_path / "w"
    geode("init", here)
    geode("-w", here, "import", logs)
    for row in json.loads(geode("-w", here, "list", "--json").stdout):
        for form in ((), ("--json",)):
            output = geode("-w", here, "show", row["id"], *form).stdout
            assert not any(
                (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c == "\u202e"
                for c in output
            )


def test_exit_codes_of_import(geode: Geode, logs: Path, tmp_path: Path) -> None:
    here = tmp_path / "w"
    geode("init", here)
    bad = logs / "bad.eval"
    bad.write_bytes(b"PK\x03\x04")
    geode("-w", here, "import", logs / "plain.jsonl")
    result = geode("-w", here, "import", logs, code=3)
    assert "bad.eval" in result.stdout
    result = geode("-w", here, "import", bad, tmp_path / "missing", "--json", code=4)
    files = json.loads(result.stdout)["files"]
    assert [file["status"] for file in files] == ["refused", "refused"]
    assert all(file["reason"] for file in files)
    empty = tmp_path / "empty"
    empty.mkdir()
    geode("-w", here, "import", empty, code=4)
    geode("-w", here, "import", code=2)
