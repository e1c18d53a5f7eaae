"""Disputes: found, settled, opened again, exported; and who may see them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geode_tui.cli.main import main
from geode_tui.domain.score import Event, EventKind
from geode_tui.errors import StoreError
from geode_tui.workflows.demo import build_demo
from geode_tui.workflows.workspace import Workspace, find_workspace

R = "redundant_tool_invocation"
EVE = ("--rater", "eve")


@pytest.fixture
def demo(tmp_path: Path) -> Workspace:
    workspace = build_demo(tmp_path / "demo")
    path = workspace.root / "geode.toml"
    listed = '\n[[raters]]\nname = "eve"\nrole = "auditor"\n'
    path.write_text(path.read_text("utf-8") + listed, "utf-8")
    return find_workspace(workspace.root)


@pytest.fixture
def run(demo: Workspace) -> Callable[..., Result]:
    def call(*words: str, code: int = 0) -> Result:
        done = CliRunner().invoke(main, ["--workspace", str(demo.root), *words])
        assert done.exit_code == code, done.output
        return done

    return call


@pytest.fixture
def listed(run: Callable[..., Result]) -> Callable[..., list[dict[str, Any]]]:
    def call(*words: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(
            run("disputes", *words, "--json", *EVE).stdout
        )
        return found

    return call


def test_disputes_are_worst_first_and_people_anonymous(
    listed: Callable[..., list[dict[str, Any]]], run: Callable[..., Result]
) -> None:
    found = listed()
    points = [dispute["points"] for dispute in found]
    assert points == sorted(points, reverse=True)
    assert points[0] > 1
    assert all(dispute["differences"] for dispute in found)
    text = run("disputes", *EVE).stdout + json.dumps(found)
    assert "demo-ada" not in text
    assert "demo-ada" in json.dumps(listed("--names"))
    detail = run("disputes", found[0]["transcript"], *EVE).stdout
    assert "rater A: " in detail
    assert "demo-ada" not in detail


def test_settle_and_open_again(
    listed: Callable[..., list[dict[str, Any]]],
    run: Callable[..., Result],
    demo: Workspace,
) -> None:
    before = listed()
    worst = before[0]["transcript"]
    decide = ("adjudicate", worst, "--score", f"{R}=4", *EVE)
    run(*decide, "--cause", "judge-error", "--note", "counts the failed call")
    (one,) = listed(worst)
    assert one["settled"]
    assert one["decision"]["scores"] == {R: 4}
    assert one["decision"]["cause"] == "judge-error"
    assert len(listed("--open")) == len(before) - 1
    assert listed()[-1]["transcript"] == worst
    with demo.open_store() as store:
        label = next(e for e in store.events.current(worst) if e.rater == "demo-ada")
        store.events.append(
            [
                Event(
                    transcript=worst,
                    rubric=label.rubric,
                    rater=label.rater,
                    scores={R: 10},
                    supersedes=label.id,
                )
            ]
        ).result()
    (one,) = listed(worst)
    assert not one["settled"]
    assert one["decision"] is not None
    assert "reopened" in run("disputes", *EVE).stdout


def test_agreement_does_not_move_with_a_decision(
    listed: Callable[..., list[dict[str, Any]]], run: Callable[..., Result]
) -> None:
    report = ("calibrate", "--json", "--resamples", "200", *EVE)
    before = json.loads(run(*report).stdout)
    worst = listed()[0]["transcript"]
    run("adjudicate", worst, "--score", f"{R}=4", "--cause", "rater-error", *EVE)
    assert json.loads(run(*report).stdout) == before


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (("--score", "no_such=4", "--cause", "judge-error"), "no dimension", 1),
        (("--score", f"{R}=11", "--cause", "judge-error"), "from 1 to 10", 2),
        (("--score", f"{R}=4", "--cause", "rubric-ambiguous"), "needs the clause", 1),
        (
            ("--cause", "rubric-ambiguous", "--clause", "no such words"),
            "no clause",
            1,
        ),
        (("--sub-mode", "nope", "--cause", "judge-error"), "no sub-mode", 1),
        (("--cause", "weather"), "Invalid value", 2),
    ],
)
def test_what_does_not_fit_is_refused(
    listed: Callable[..., list[dict[str, Any]]],
    run: Callable[..., Result],
    demo: Workspace,
    words: tuple[str, ...],
    message: str,
    code: int,
) -> None:
    worst = listed()[0]["transcript"]
    done = run("adjudicate", worst, *words, *EVE, code=code)
    assert message in done.stderr
    with demo.open_store() as store:
        assert list(store.adjudications.all()) == []


@pytest.mark.parametrize("rater", ["demo-ada", "somebody-new"])
def test_a_blind_rater_reaches_no_dispute(
    listed: Callable[..., list[dict[str, Any]]],
    run: Callable[..., Result],
    demo: Workspace,
    rater: str,
) -> None:
    worst = listed()[0]["transcript"]
    run("adjudicate", worst, "--score", f"{R}=4", "--cause", "rater-error", *EVE)
    me = ("--rater", rater)
    for words in (["disputes"], ["disputes", worst], ["disputes", "--json"]):
        done = run(*words, *me, code=1)
        assert "still to be labelled" in done.stderr
        assert not done.stdout
    done = run("adjudicate", worst, "--cause", "rater-error", *me, code=1)
    assert "no auditor" in done.stderr
    assert "adjudication" not in run("export", *me).stdout
    with demo.open_store() as store:
        assert all(e.event is not EventKind.REVEAL for e in store.events.by(rater))
        blind = store.blind(rater)
        with pytest.raises(StoreError):
            blind._connection.rows("SELECT * FROM adjudications")


def test_export_import_export_is_the_same(
    listed: Callable[..., list[dict[str, Any]]],
    run: Callable[..., Result],
    tmp_path: Path,
) -> None:
    for dispute in listed()[:2]:
        words = ("--cause", "transcript-defect", "--note", "\u202ea\ud800")
        run("adjudicate", dispute["transcript"], *words, *EVE)
    run("export", "--unblind", *EVE)
    first = run("export", "--unblind", *EVE).stdout
    kinds = [json.loads(line)["event"] for line in first.splitlines()]
    assert kinds.count("adjudication") == 2
    path = tmp_path / "all.jsonl"
    path.write_text(first, "utf-8", newline="")
    other = build_demo(tmp_path / "other")
    settings = (tmp_path / "demo" / "geode.toml").read_text("utf-8")
    (other.root / "geode.toml").write_text(settings, "utf-8")
    where = ["--workspace", str(other.root)]
    for _ in range(2):
        done = CliRunner().invoke(main, [*where, "import", str(path)])
        assert done.exit_code == 0, done.output
    again = CliRunner().invoke(main, [*where, "export", "--unblind", *EVE])
    assert again.stdout == first
