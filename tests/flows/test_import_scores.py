"""Scores from elsewhere: in as verdicts and labels, and into the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from geode_tui.cli.main import main
from geode_tui.domain.score import Event, EventKind, VerdictState
from geode_tui.workflows.demo import build_demo
from geode_tui.workflows.workspace import Workspace

R = "redundant_tool_invocation"


@pytest.fixture
def demo(tmp_path: Path) -> Workspace:
    return build_demo(tmp_path / "demo")


@pytest.fixture
def take(demo: Workspace, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def call(text: str, *words: str, name: str = "s.csv", code: int = 0) -> Any:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        where = ["-w", str(demo.root), "import-scores", str(path), "--json"]
        done = CliRunner().invoke(main, [*where, *words])
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    return call


def some(demo: Workspace, count: int) -> list[str]:
    """Transcripts whose seed asks for the dimension."""
    with demo.open_store() as store:
        return [
            row.id
            for row in store.transcripts.rows()
            if (seed := store.seeds.of(row.id)) and R in seed.target_dimensions
        ][:count]


def test_a_judge_s_scores_become_verdicts_once(
    demo: Workspace, take: Callable[..., dict[str, Any]]
) -> None:
    a, b, c = some(demo, 3)
    text = f"item,points\n{a},4.5\n{b},\n{c},11\n"
    words = ("--by", "new", "--dimension", R)
    maps = ("--map", "transcript=item", "--map", "score=points")
    assert take(text, *words, *maps)["added"] == 3
    again = take(text, *words, *maps)
    assert (again["added"], again["unchanged"]) == (0, 3)
    with demo.open_store() as store:
        got = {
            identity: [v for v in store.verdicts.of(identity) if v.rater == "judge:new"]
            for identity in (a, b, c)
        }
    assert all(len(verdicts) == 1 for verdicts in got.values())
    scores = [got[identity][0].scores[0] for identity in (a, b, c)]
    assert [s.value for s in scores] == [4.5, None, None]
    assert [s.state for s in scores] == [
        VerdictState.OK,
        VerdictState.MISSING,
        VerdictState.OUT_OF_RANGE,
    ]


def test_people_s_scores_become_labels_and_count(
    demo: Workspace, take: Callable[..., dict[str, Any]]
) -> None:
    chosen = some(demo, 4)
    rows = [
        {"transcript": t, "rater": "cat", "dimension": R, "score": n + 1}
        for n, t in enumerate(chosen)
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    assert take(text, "--human", name="s.jsonl")["added"] == 4
    assert take(text, "--human", name="s.jsonl")["unchanged"] == 4
    rows[0]["score"] = 9
    text = "\n".join(json.dumps(row) for row in rows)
    changed = take(text, "--human", name="s.jsonl")
    assert (changed["added"], changed["unchanged"]) == (1, 3)
    with demo.open_store() as store:
        (label,) = [e for e in store.events.current(chosen[0]) if e.rater == "cat"]
        assert label.scores == {R: 9}
        assert label.supersedes is not None
    where = ["-w", str(demo.root), "calibrate", "--json", "--resamples", "200"]
    done = CliRunner().invoke(main, where)
    assert "cat" in json.loads(done.stdout)["people"]


def test_a_label_after_a_look_is_marked(
    demo: Workspace, take: Callable[..., dict[str, Any]]
) -> None:
    (one,) = some(demo, 1)
    with demo.open_store() as store:
        look = Event(event=EventKind.REVEAL, transcript=one, rater="cat", shown=("x",))
        store.events.append([look]).result()
    take(f"transcript,score\n{one},3\n", "--human", "--by", "cat", "--dimension", R)
    with demo.open_store() as store:
        (label,) = [e for e in store.events.current(one) if e.rater == "cat"]
    assert label.after_reveal


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("{id},ann,DIM,2.5", "no whole number"),
        ("{id},ann,DIM,12", "no whole number"),
        ("{id},ann,DIM,many", "no score"),
        ("{id},ann,DIM,", "no score is given"),
        ("{id},ann,nope,3", "no dimension"),
        ("{id},,DIM,3", "no rater is named"),
        ("{id},judge:x,DIM,3", "judge"),
        ("zzz,ann,DIM,3", "no transcript begins"),
    ],
)
def test_a_bad_row_costs_only_itself(
    demo: Workspace, take: Callable[..., dict[str, Any]], row: str, reason: str
) -> None:
    good, bad = some(demo, 2)
    text = "transcript,rater,dimension,score\n"
    text += f"{good},ann,{R},3\n" + row.format(id=bad).replace("DIM", R) + "\n"
    intake = take(text, "--human", code=3)
    assert intake["added"] == 1
    (refused,) = intake["refused"]
    assert reason in refused["reason"]
    assert refused["line"] == 3


def test_samples_can_be_named_by_their_own_id(
    demo: Workspace, take: Callable[..., dict[str, Any]]
) -> None:
    text = "sample_id,epoch,score\ncrm-one-lookup,1,2\nnobody,1,2\n"
    intake = take(text, "--by", "new", "--dimension", R, code=3)
    assert intake["added"] == 1
    assert "no transcript has the sample" in intake["refused"][0]["reason"]


def test_a_file_that_cannot_be_read(take: Callable[..., dict[str, Any]]) -> None:
    assert take("[1]\n{\n", "--human", name="s.jsonl", code=4)["added"] == 0
