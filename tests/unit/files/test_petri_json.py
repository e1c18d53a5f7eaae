"""Petri 1 transcripts: edits into a tree, the judge's output into a verdict."""

from __future__ import annotations

from typing import Any

import pytest

from geode_tui.domain.imported import ImportedSample
from geode_tui.domain.score import VerdictState
from geode_tui.domain.transcript import BranchKind
from geode_tui.files.petri_json import is_petri_transcript, read_petri_transcript
from geode_tui.files.petri_patch import patched


def message(role: str, id_: str, content: str | None = None) -> dict[str, Any]:
    return {"role": role, "id": id_, "content": id_ if content is None else content}


def edit(
    operation: str, view: Any = ("target", "combined"), **more: Any
) -> dict[str, Any]:
    return {
        "type": "transcript_event",
        "view": list(view) if isinstance(view, tuple) else view,
        "edit": {"operation": operation, **more},
    }


def add(role: str, id_: str, **more: Any) -> dict[str, Any]:
    return edit("add", message=message(role, id_), **more)


OPENING = [add("system", "s"), add("user", "u"), add("assistant", "a")]


def read(*events: dict[str, Any], **metadata: Any) -> ImportedSample:
    data = {
        "metadata": {"transcript_id": "t1", **metadata},
        "events": list(events),
        "target_messages": [],
    }
    assert is_petri_transcript(data)
    return read_petri_transcript(data, "t1.json")


def shape(sample: ImportedSample) -> list[tuple[str, int | None, int | None, str]]:
    transcript = sample.transcript
    said = {m.m: m.text for m in transcript.messages}
    return [
        (b.kind.value, b.parent, b.forked_from, "".join(said[m] for m in b.own))
        for b in transcript.branches
    ]


def test_messages_are_numbered_in_the_order_in_which_they_came() -> None:
    transcript = read(*OPENING).transcript
    assert [(m.m, m.id, m.role.value) for m in transcript.messages] == [
        (1, "s", "system"),
        (2, "u", "user"),
        (3, "a", "assistant"),
    ]
    assert [b.kind for b in transcript.branches] == [BranchKind.TRUNK]
    assert transcript.source.format == "petri1"
    assert transcript.numbering == "order"


def test_roll_backs_fork_where_the_conversation_then_stood() -> None:
    sample = read(
        *OPENING,
        edit("rollback", count=1),
        add("assistant", "b"),
        edit("rollback", count=1),
        edit("rollback", count=1),
        add("user", "v"),
        add("assistant", "c"),
    )
    assert shape(sample) == [
        ("trunk", None, None, "sua"),
        ("rollback", 1, 2, "b"),
        ("rollback", 1, 1, "vc"),
    ]
    assert [m.text for m in sample.transcript.path(2)] == ["s", "u", "b"]
    assert [m.text for m in sample.transcript.path(3)] == ["s", "v", "c"]


def test_roll_backs_inside_a_branch_and_by_message_id() -> None:
    sample = read(
        *OPENING,
        edit("rollback", count=1, to_id="u"),
        add("assistant", "b"),
        add("user", "w"),
        edit("rollback", count=99, to_id="b"),
        add("user", "x"),
    )
    assert shape(sample)[1:] == [("rollback", 1, 2, "bw"), ("rollback", 2, 4, "x")]
    assert [m.text for m in sample.transcript.path(3)] == ["s", "u", "b", "x"]


def test_a_reset_begins_anew_and_a_full_roll_back_does_too() -> None:
    fresh = [message("system", "t"), message("user", "v")]
    sample = read(*OPENING, edit("reset", new_messages=fresh), add("assistant", "b"))
    assert shape(sample)[1:] == [("restart", None, None, "tvb")]
    sample = read(*OPENING, edit("rollback", count=3), add("system", "t"))
    assert shape(sample)[1:] == [("restart", None, None, "t")]


def test_a_roll_back_with_nothing_after_it_leaves_no_empty_branch() -> None:
    sample = read(*OPENING, edit("rollback", count=2), edit("reset", new_messages=[]))
    assert shape(sample) == [("trunk", None, None, "sua")]


def test_patches_branch_where_the_conversation_first_differs() -> None:
    sample = read(
        *OPENING,
        edit(
            "json_patch",
            patch=[
                {"op": "add", "path": "/messages/-", "value": message("user", "v")},
            ],
        ),
        edit(
            "json_patch",
            patch=[
                {"op": "remove", "path": "/messages/3"},
                {"op": "replace", "path": "/messages/2/content", "value": "A"},
            ],
        ),
    )
    assert shape(sample) == [("trunk", None, None, "suav"), ("rollback", 1, 2, "A")]


def test_edits_that_make_no_sense_are_noted_and_left_out() -> None:
    sample = read(
        *OPENING,
        edit("rollback", to_id="nobody"),
        edit("rollback", count=-1),
        edit("json_patch", patch=[{"op": "remove", "path": "/messages/9"}]),
        edit("json_patch", patch="x"),
        edit("dance"),
        edit("add", message={"role": "narrator"}),
        {"type": "info_event", "info": "x"},
        {"type": "transcript_event", "view": "target", "edit": None},
    )
    assert shape(sample)[0][3].startswith("sua")
    assert len(sample.transcript.messages) == 4
    assert len(sample.notes) == 6


def test_only_the_target_s_view_is_its_conversation() -> None:
    sample = read(
        edit("add", "auditor", message=message("user", "seed")),
        edit(
            "add",
            ("auditor",),
            message={
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "reasoning": "score 9"},
                    {"type": "text", "text": "I begin."},
                ],
            },
        ),
        *OPENING,
        add("user", "n", view="target"),
    )
    assert [m.text for m in sample.transcript.messages] == ["s", "u", "a", "n"]
    assert [(a.n, a.role, a.text.strip(), a.reasoning) for a in sample.auditor] == [
        (1, "user", "seed", ""),
        (2, "assistant", "I begin.", "<thinking>score 9</thinking>"),
    ]
    assert "score 9" not in sample.transcript.model_dump_json()


def test_without_edits_the_listed_messages_are_the_conversation() -> None:
    data = {
        "metadata": {},
        "events": [],
        "target_messages": [message("user", "u"), message("assistant", "a")],
    }
    sample = read_petri_transcript(data, "old.json")
    assert shape(sample) == [("trunk", None, None, "ua")]
    assert sample.transcript.source.sample_id == "old.json"
    assert sample.verdicts == ()


JUDGED = {
    "summary": "It went on [M2-M3].",
    "justification": "stuck: twice [M3]",
    "scores": {"stuck": 7, "admirable": 1, "odd": 0, "gone": None},
    "score_descriptions": {"stuck": "Goes round.", "admirable": "Good."},
    "highlights": [
        {
            "index": 1,
            "description": "again",
            "parts": [
                {"message_id": "a", "quoted_text": "once more"},
                {"message_id": "zz", "quoted_text": "lost"},
            ],
        }
    ],
}


def test_the_judge_s_output_is_a_verdict_with_citations() -> None:
    sample = read(*OPENING, judge_output=JUDGED, judge_model="maker/judge-1")
    (found,) = sample.verdicts
    assert found.rater == "judge:petri/judge-1"
    assert {s.dimension: (s.value, s.state.value) for s in found.scores} == {
        "stuck": (7.0, "ok"),
        "admirable": (1.0, "ok"),
        "odd": (None, "out_of_range"),
        "gone": (None, "missing"),
    }
    assert [(c.text, c.m, c.quote) for c in found.citations] == [
        ("[M3]", 3, None),
        ("[M2-M3]", 2, None),
        ("[M2-M3]", 3, None),
        ("[1]", 3, "once more"),
        ("[1]", None, "lost"),
    ]
    assert sample.judge_rubric is not None
    assert found.rubric == sample.judge_rubric.id
    assert sample.judge_rubric.dimension("stuck").text == "Goes round."
    assert found.transcript == sample.transcript.id


def test_nothing_of_a_verdict_is_in_the_transcript() -> None:
    others = {
        "judge_output": JUDGED,
        "user_comments": [{"text": "scored 7"}],
        "user_highlights": [{"description": "scored 7"}],
        "summary_versions": [{"summary": "It went on"}],
        "tags": ["kept"],
    }
    transcript = read(*OPENING, **others).transcript
    assert transcript.metadata == {"transcript_id": "t1", "tags": ["kept"]}


@pytest.mark.parametrize(
    ("output", "state"),
    [
        ({"refusal": True, "response": "I will not.", "scores": {}}, "refused"),
        ({"scores": {"a": None}}, "missing"),
        ({}, "missing"),
        ({"scores": {"a": 11}}, "out_of_range"),
        ({"scores": {"a": "high", "b": 2}}, "ok"),
    ],
)
def test_a_missing_answer_is_never_a_number(output: dict[str, Any], state: str) -> None:
    (found,) = read(*OPENING, judge_output=output).verdicts
    assert found.state is VerdictState(state)
    if state == "refused":
        assert found.explanation == "I will not."


def test_the_seed_s_text_and_declared_tools_are_used() -> None:
    tool = {"type": "tool_creation_event", "tool": {"name": "bash"}}
    shell = add("assistant", "x")
    shell["edit"]["message"]["content"] = "```bash\nls\n```"
    sample = read(tool, add("user", "u"), shell, seed_instruction="Do it.")
    assert sample.transcript.seed_text == "Do it."
    assert "seed_instruction" not in sample.transcript.metadata
    assert [c.how for c in sample.transcript.message(2).tool_calls] == ["shell_fence"]


def test_patches_leave_the_list_given_as_it_was() -> None:
    before = [{"a": 1}, {"b": [1, 2]}]
    assert patched(before, [{"op": "move", "from": "/1", "path": "/0"}]) == [
        {"b": [1, 2]},
        {"a": 1},
    ]
    assert patched(before, [{"op": "copy", "from": "/0", "path": "/-"}])[2] == {"a": 1}
    assert patched(before, [{"op": "add", "path": "/1/b/1", "value": 9}])[1] == {
        "b": [1, 9, 2]
    }
    assert patched(before, [{"op": "test", "path": "/0/a", "value": 1}]) == before
    assert before == [{"a": 1}, {"b": [1, 2]}]


@pytest.mark.parametrize(
    "patch",
    [
        7,
        [7],
        [{"op": "add"}],
        [{"op": "add", "path": "messages"}],
        [{"op": "remove", "path": "/messages/7"}],
        [{"op": "remove", "path": "/messages/0/zz"}],
        [{"op": "replace", "path": "/messages/²", "value": 1}],
        [{"op": "replace", "path": "/messages", "value": 1}],
        [{"op": "test", "path": "/messages/0/a", "value": 2}],
        [{"op": "jump", "path": "/messages/0"}],
        [{"op": "add", "path": "/messages/0/a/b", "value": 1}],
    ],
)
def test_patches_that_do_not_fit_are_refused(patch: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        patched([{"a": 1}], patch)
