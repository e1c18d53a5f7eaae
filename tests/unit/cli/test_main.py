from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from geode_tui import __version__
from geode_tui.cli.main import COMMANDS, main
from geode_tui.workflows.workspace import Workspace

ROOT = Path(__file__).resolve().parents[3]


def test_version() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert __version__ in result.output


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_with_examples_and_is_documented(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command.help
    subcommands = command.commands if isinstance(command, click.Group) else {}
    documents = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert f"\n## {name}\n" in documents
    for one in (command, *subcommands.values()):
        help_text = CliRunner().invoke(main, [name, "--help"]).output
        assert "geode-tui" in help_text
        for option in (p for p in one.params if isinstance(p, click.Option)):
            long = max(option.opts, key=len)
            assert long in documents + (
                (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
                if subcommands
                else ""
            ), f"{long} of {name} is not in docs/cli.md"


def test_an_error_is_one_line_on_stderr_with_exit_code_1(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["-w", str(tmp_path / "nowhere"), "list"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert "geode-tui init DIR" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_broken_setting_is_named(workspace: Workspace) -> None:
    (workspace.root / "geode.toml").write_text("[label]\nrevael = 'never'\n")
    result = CliRunner().invoke(main, ["-w", str(workspace.root), "list"])
    assert result.exit_code == 1
    assert "label.revael" in result.stderr


@pytest.mark.parametrize("before", [True, False])
def test_workspace_and_rater_before_or_after_the_command(
    workspace: Workspace, before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(
        "geode_tui.tui.app.run_app",
        lambda workspace, rater: seen.append((workspace().root, rater())),
        raising=False,
    )
    if before:
        CliRunner().invoke(main, ["-w", str(workspace.root), "-r", " ann "])
        assert seen == [(workspace.root, "ann")]
    else:
        result = CliRunner().invoke(main, ["list", "-w", str(workspace.root), "-r", ""])
        assert "name is empty" in result.stderr


def test_the_environment_names_the_rater_and_an_option_overrules_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(
        "geode_tui.tui.app.run_app",
        lambda _, rater: seen.append(rater()),
        raising=False,
    )
    monkeypatch.setenv("GEODE_RATER", "eve")
    CliRunner().invoke(main, ["-w", str(workspace.root)])
    CliRunner().invoke(main, ["-w", str(workspace.root), "--rater", "ann"])
    assert seen == ["eve", "ann"]


def test_a_reader_that_leaves_early_gets_no_traceback(workspace: Workspace) -> None:
    command = [sys.executable, "-m", "geode_tui", "-w", str(workspace.root)]
    process = subprocess.Popen(
        [*command, "doctor", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    process.wait()
    assert "Traceback" not in error
    assert "BrokenPipe" not in error
