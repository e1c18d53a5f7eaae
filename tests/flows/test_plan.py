"""``geode-tui plan`` in the demo workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geode_tui.cli.main import main
from geode_tui.domain.score import EventKind
from geode_tui.workflows.demo import build_demo
from geode_tui.workflows.workspace import Workspace


@pytest.fixture
def demo(tmp_path: Path) -> Workspace:
    workspace = build_demo(tmp_path / "demo")
    path = workspace.root / "geode.toml"
    listed = '\n[[raters]]\nname = "eve"\nrole = "auditor"\n'
    path.write_text(path.read_text("utf-8") + listed, "utf-8")
    return workspace


def plan(demo: Workspace, *words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(main, ["-w", str(demo.root), "plan", *words])
    assert done.exit_code == code, done.output
    return done


def test_the_next_labels_are_shared_out(demo: Workspace) -> None:
    made = json.loads(plan(demo, "--next", "12", "--json", "--rater", "eve").stdout)
    assert len(made["assignments"]) == 12
    with demo.open_store() as store:
        known = {row.id for row in store.transcripts.rows()}
    people = set()
    for one in made["assignments"]:
        assert one["transcript"] in known
        assert one["why"]
        people.update(one["raters"])
    assert people == {"demo-ada", "demo-ben"}
    for need in made["needs"]:
        assert (need["more_items"] is None) == (need["reason"] is not None)
    text = plan(demo, "--for", "cat", "--next", "3", "--rater", "eve").stdout
    assert text.count("  cat  ") == 3


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_blind_rater_gets_no_plan(demo: Workspace, form: list[str]) -> None:
    done = plan(demo, "--rater", "demo-ada", *form, code=1)
    assert "still to be labelled" in done.stderr
    assert not done.stdout
    with demo.open_store() as store:
        own = store.events.by("demo-ada")
        assert all(event.event is not EventKind.REVEAL for event in own)
