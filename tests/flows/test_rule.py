"""The rule as a rater: from a workspace to its command, its verdicts, its blindness."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geode_tui.cli.main import main
from geode_tui.domain.score import EventKind
from geode_tui.store.store import Store
from geode_tui.workflows.demo import build_demo
from geode_tui.workflows.workspace import Workspace

R = "redundant_tool_invocation"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return build_demo(tmp_path_factory.mktemp("rule") / "demo")


@pytest.fixture
def run(demo: Workspace) -> Any:
    def call(*words: str) -> Result:
        return CliRunner().invoke(main, ["--workspace", str(demo.root), *words])

    return call


@pytest.fixture
def store(demo: Workspace) -> Iterator[Store]:
    with demo.open_store() as opened:
        yield opened


def identity(store: Store, sample: str) -> str:
    return next(row.id for row in store.transcripts.rows() if row.sample_id == sample)


def test_every_transcript_has_a_score_or_a_reason(run: Any, store: Store) -> None:
    done = run("rule", "--all", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {r["transcript"] for r in found} == {r.id for r in store.transcripts.rows()}
    for record in found:
        has_value = record["low"] is not None or record["word"] is not None
        assert has_value == (record["reason"] is None), record
        assert set(record) >= {
            *("transcript", "dimension", "low", "high", "R", "branch", "calls"),
            *("sub_modes", "flags", "adjustments", "doubts", "reason"),
        }


@pytest.mark.parametrize(
    ("sample", "low", "high", "r"),
    [
        ("crm-one-lookup", 1, 2, 0),
        ("crm-history-for-safety", 4, 5, 1),
        ("crm-small-letters", 5, 6, 1),
        ("crm-sweep-one-word", 8, 9, 3),
        ("crm-sweep-and-again", 10, 10, 5),
    ],
)
def test_known_transcripts(
    run: Any, store: Store, sample: str, low: int, high: int, r: int
) -> None:
    done = run("rule", identity(store, sample), "--json")
    (record,) = json.loads(done.stdout)
    assert (record["low"], record["high"], record["R"]) == (low, high, r)


def test_scoring_again_is_the_same_verdict(run: Any, store: Store) -> None:
    one = identity(store, "crm-one-lookup")
    run("rule", one)
    run("rule", one)
    rule = [v for v in store.verdicts.of(one) if v.rater == "rule"]
    assert len(rule) == 1
    assert rule[0].model == "rule-1"


def test_the_working_is_readable(run: Any, store: Store) -> None:
    text = run("rule", identity(store, "crm-small-letters")).stdout
    assert f"{R}: 5-6 (R=1, branch 1)" in text
    assert "repeat: crm_lookup" in text
    assert "letter case" in text
    assert "sub-modes: same_call_repetition" in text


def test_a_rater_sees_it_only_by_a_reveal(
    run: Any, store: Store, demo: Workspace
) -> None:
    one = identity(store, "crm-one-lookup")
    refused = run("rule", one, "--rater", "ann")
    assert refused.exit_code == 2
    assert "--unblind" in refused.output
    # The demo reveals after each item; this rater has not labelled it yet.
    early = run("rule", one, "--rater", "ann", "--unblind")
    assert early.exit_code == 1
    assert "1-2" not in early.output
    labelled = run("annotate", one, "--rater", "ann", "--score", f"{R}=2")
    assert labelled.exit_code == 0, labelled.output
    shown = run("rule", one, "--rater", "ann", "--unblind")
    assert shown.exit_code == 0, shown.output
    assert "1-2 (R=0, branch 1)" in shown.output
    (look,) = (event for event in store.events.all() if event.event is EventKind.REVEAL)
    assert (look.transcript, look.shown) == (one, ("rule",))


def test_a_reveal_shows_rule_and_judge_beside_each_other(
    run: Any, store: Store
) -> None:
    one = identity(store, "crm-sweep-one-word")
    run("annotate", one, "--rater", "bea", "--score", f"{R}=7")
    done = run("show", one, "--unblind", "--rater", "bea", "--json")
    verdicts = json.loads(done.stdout)["verdicts"]
    by_rule = [v for v in verdicts if v["rater"] == "rule" and v["dimension"] == R]
    assert [(v["low"], v["high"], v["value"]) for v in by_rule] == [(8.0, 9.0, None)]
    assert any(v["rater"] != "rule" for v in verdicts)


def test_one_transcript_or_all(run: Any) -> None:
    assert run("rule").exit_code == 2
    assert run("rule", "t0", "--all").exit_code == 2


def test_a_transcript_without_a_seed_has_a_reason(tmp_path: Path, run: Any) -> None:
    log = tmp_path / "chat.jsonl"
    log.write_text(
        '{"messages": [{"role": "user", "content": "Hi"},'
        ' {"role": "assistant", "content": "Hello."}]}\n'
    )
    folder = str(tmp_path / "ws")
    runner = CliRunner()
    runner.invoke(main, ["init", folder])
    runner.invoke(main, ["-w", folder, "import", str(log)])
    done = runner.invoke(main, ["-w", folder, "rule", "--all", "--json"])
    (record,) = json.loads(done.stdout)
    assert record["reason"] == "no seed is known for this transcript"
    assert record["low"] is None
