from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geode_tui.cli import main
from geode_tui.domain.score import EventKind
from geode_tui.workflows.workspace import Workspace

Run = Callable[..., Result]


class TestInit:
    def test_makes_a_workspace_once(self, tmp_path: Path) -> None:
        folder = str(tmp_path / "my audit – ö")
        assert CliRunner().invoke(main, ["init", folder]).exit_code == 0
        again = CliRunner().invoke(main, ["init", folder])
        assert again.exit_code == 1
        assert "already" in again.stderr


class TestExport:
    @pytest.fixture(autouse=True)
    def _labels(self, run: Run, filled: dict[str, str]) -> None:
        for number, identity in enumerate(filled.values(), 2):
            run("annotate", identity, "--rater", "ann", "--score", str(number))

    def test_the_only_rater_gets_everything(self, run: Run) -> None:
        result = run("export")
        events = [json.loads(line) for line in result.stdout.splitlines()]
        assert [e["scores"]["redundant_calls"] for e in events] == [2, 3, 4]
        assert result.stderr == ""
        assert run("export", "--json").stdout == result.stdout

    def test_others_are_left_out_and_that_is_said(
        self, run: Run, filled: dict[str, str]
    ) -> None:
        run("annotate", filled["pool"], "--rater", "ben", "--score", "9")
        result = run("export", "--rater", "ann")
        assert len(result.stdout.splitlines()) == 3
        assert "ben" not in result.output
        assert "another rater" in result.stderr

    def test_everybody_after_the_queue_with_a_reveal(
        self, run: Run, filled: dict[str, str], workspace: Workspace
    ) -> None:
        run("annotate", filled["pool"], "--rater", "ben", "--score", "9")
        assert "--rater" in run("export", "--unblind", code=2).stderr
        early = run("export", "--unblind", "--rater", "ben", code=1)
        assert early.stdout == ""
        lines = run("export", "--unblind", "--rater", "ann").stdout.splitlines()
        assert len(lines) == 5
        assert json.loads(lines[-1])["event"] == "reveal"
        with workspace.open_store() as store:
            reveals = [e for e in store.events.all() if e.event is EventKind.REVEAL]
        assert [(e.rater, e.transcript, e.shown) for e in reveals] == [
            ("ann", filled["pool"], ("ben",))
        ]

    def test_a_file_is_replaced_in_one_step(self, run: Run, tmp_path: Path) -> None:
        out = tmp_path / "labels.jsonl"
        out.write_text("old")
        result = run("export", "--out", str(out))
        assert result.stdout == ""
        assert "3 events" in result.stderr
        assert out.read_text() == run("export").stdout
        missing = run("export", "-o", str(tmp_path / "no" / "x.jsonl"), code=1)
        assert "cannot be written" in missing.stderr

    def test_csv(self, run: Run) -> None:
        text = run("export", "--format", "csv").stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row["score"] for row in rows] == ["2", "3", "4"]
        assert {row["rater"] for row in rows} == {"ann"}


class TestDoctor:
    def test_json(self, run: Run, filled: dict[str, str]) -> None:
        checks = json.loads(run("doctor", "--json").stdout)
        assert {tuple(check) for check in checks} == {
            ("name", "finding", "detail", "advice")
        }

    def test_outside_a_workspace_it_still_says_what_it_can(
        self, tmp_path: Path
    ) -> None:
        result = CliRunner().invoke(main, ["-w", str(tmp_path), "doctor"])
        assert result.exit_code == 1
        assert "SQLite" in result.stdout
        assert "geode-tui init" in result.stdout
