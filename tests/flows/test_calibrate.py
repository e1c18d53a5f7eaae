"""Calibration: from a workspace to its report, and who may see it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geode_tui.cli.main import main
from geode_tui.domain.score import Event, EventKind
from geode_tui.workflows.demo import build_demo
from geode_tui.workflows.workspace import Workspace, find_workspace, init_workspace

FEW = ("--resamples", "200")


@pytest.fixture
def demo(tmp_path: Path) -> Workspace:
    workspace = build_demo(tmp_path / "demo")
    path = workspace.root / "geode.toml"
    listed = '\n[[raters]]\nname = "eve"\nrole = "auditor"\n'
    path.write_text(path.read_text("utf-8") + listed, "utf-8")
    return find_workspace(workspace.root)


@pytest.fixture
def run(demo: Workspace) -> Callable[..., Result]:
    def call(*words: str) -> Result:
        return CliRunner().invoke(main, ["--workspace", str(demo.root), *words])

    return call


def figures(value: Any) -> list[dict[str, Any]]:
    """Every figure in a report, wherever it stands."""
    if isinstance(value, dict):
        own = [value] if "recipe" in value and "n_items" in value else []
        return own + [f for part in value.values() for f in figures(part)]
    if isinstance(value, list):
        return [f for part in value for f in figures(part)]
    return []


def test_every_number_has_its_n_and_an_interval_or_a_reason(
    run: Callable[..., Result],
) -> None:
    done = run("calibrate", "--json", "--rater", "eve", *FEW)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    found = figures(report)
    assert len(found) > 100
    for figure in found:
        assert (figure["value"] is None) == (figure["reason"] is not None)
        assert (figure["interval"] is None) == (figure["interval_reason"] is not None)
    assert any(figure["interval"] for figure in found)
    assert report["left_out"]["duplicates"] == 1
    assert any("Exact duplicates left out: 1" in line for line in report["headlines"])
    names = [(d["dimension"], d["wording"]) for d in report["dimensions"]]
    assert ("redundant_tool_invocation", "seed") in names
    assert len(set(names)) == len(names)
    assert report["recipe"]
    assert report["versions"]["geode-tui"]


def test_markdown_says_the_same(run: Callable[..., Result]) -> None:
    done = run("calibrate", "--markdown", "--rater", "eve", *FEW)
    assert done.exit_code == 0, done.output
    assert "## Suspects" in done.stdout
    assert "| transcript | judge |" in done.stdout
    assert done.stdout.rstrip().splitlines()[-1].startswith("- geode-tui ")
    assert "nan" not in done.stdout
    assert re.search(
        r"annotator test: (not )?passed at epsilon 0\.\d+; power", done.stdout
    )


class Page(HTMLParser):
    """Collects tags, what they load, and what is left open."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        names = ("src", "href", "data", "srcset", "action")
        self.loads += [str(value) for name, value in attrs if name in names]
        self.loads += [name for name, _ in attrs if name.startswith("on")]
        if tag not in ("meta", "rect", "line", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("rect", "line", "circle") and self.open[-1] != tag:
            return
        assert self.open.pop() == tag


def test_the_page_stands_alone_and_escapes_what_comes_from_outside(
    run: Callable[..., Result], demo: Workspace, tmp_path: Path
) -> None:
    hostile = "<script>alert(1)</script>\x1b[31m\u202e"
    with demo.open_store() as store:
        labels = [e for e in store.events.current() if e.rater == "demo-ada"]
        store.events.append(
            [
                Event(
                    transcript=e.transcript,
                    rubric=e.rubric,
                    rater=hostile,
                    scores=e.scores,
                    not_scorable=e.not_scorable,
                )
                for e in labels
            ]
        ).result()
    path = tmp_path / "report.html"
    done = run("calibrate", "--html", str(path), "--rater", "eve", *FEW)
    assert done.exit_code == 0, done.output
    text = path.read_text("utf-8")
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.loads == []
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert {"svg", "circle", "rect", "details"} <= set(page.tags)
    assert "&lt;script&gt;" in text
    assert not {"\x1b", "\u202e"} & set(text)
    assert "nan" not in text.lower().split()
    assert "Recipe and versions" in text
    report = json.loads(run("calibrate", "--json", "--rater", "eve", *FEW).stdout)
    for headline in report["headlines"]:
        assert html.escape(headline, quote=True) in text


def test_a_look_is_saved_once(run: Callable[..., Result], demo: Workspace) -> None:
    for _ in range(2):
        assert run("calibrate", "--rater", "eve", *FEW).exit_code == 0
    with demo.open_store() as store:
        looks = [e for e in store.events.by("eve") if e.event is EventKind.REVEAL]
        assert len(looks) == store.transcripts.count()
        assert {"rule", "demo-ada"} <= {name for look in looks for name in look.shown}


@pytest.mark.parametrize("rater", ["demo-ada", "somebody-new"])
def test_an_unfinished_rater_sees_nothing(
    run: Callable[..., Result], demo: Workspace, rater: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    for form in ([], ["--json"], ["--html", str(page)], ["--after-reveal"]):
        done = run("calibrate", "--rater", rater, *FEW, *form)
        assert done.exit_code == 1
        assert "still to be labelled" in done.stderr
        assert not done.stdout
        assert not page.exists()
    with demo.open_store() as store:
        assert all(e.event is not EventKind.REVEAL for e in store.events.by(rater))


def test_labels_after_a_reveal_are_out_by_default(
    run: Callable[..., Result], demo: Workspace
) -> None:
    with demo.open_store() as store:
        old = next(e for e in store.events.current() if e.rater == "demo-ada")
        store.events.append(
            [
                Event(
                    transcript=old.transcript,
                    rubric=old.rubric,
                    rater=old.rater,
                    scores=old.scores or {"redundant_tool_invocation": 3},
                    supersedes=old.id,
                    after_reveal=True,
                )
            ]
        ).result()
    left = [
        json.loads(run("calibrate", "--json", "--rater", "eve", *FEW, *more).stdout)[
            "left_out"
        ]["after_reveal"]
        for more in ([], ["--after-reveal"])
    ]
    assert left == [1, 0]


@pytest.mark.shared
def test_real_logs_show_what_the_judge_never_scored(
    tmp_path: Path, shared_logs: Path
) -> None:
    workspace = init_workspace(tmp_path / "real")
    where = ["--workspace", str(workspace.root)]
    done = CliRunner().invoke(main, [*where, "import", str(shared_logs)])
    assert done.exit_code == 0, done.output
    with workspace.open_store() as store:
        rows = list(store.transcripts.rows())
        events = []
        for number, row in enumerate(rows):
            seed = store.seeds.of(row.id)
            if seed is None or "redundant_tool_invocation" not in {
                d.name for d in seed.rubric.dimensions
            }:
                continue
            for shift, rater in enumerate(("sim-ada", "sim-ben")):
                score = min(10, 1 + number % 8 + shift * (number % 3 == 0))
                events.append(
                    Event(
                        transcript=row.id,
                        rubric=seed.rubric.id,
                        rater=rater,
                        scores={"redundant_tool_invocation": score},
                    )
                )
        assert events
        store.events.append(events).result()
    done = CliRunner().invoke(main, [*where, "calibrate", "--json", *FEW])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert any(
        "never scored this seed's target dimension" in line
        and "redundant_tool_invocation" in line
        for line in report["headlines"]
    )
    assert report["suspects"]
    marks = {mark for suspect in report["suspects"] for mark in suspect["validity"]}
    assert "some_harness_errors" in marks
    assert all(s["dimension"] != "scenario_realism" for s in report["suspects"])
    assert report["people"] == ["sim-ada", "sim-ben"]
    assert report["transcripts"] + report["left_out"]["duplicates"] == len(rows)
