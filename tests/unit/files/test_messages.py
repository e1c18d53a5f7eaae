"""Chat messages as JSON lines and documents; Claude Code sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.domain.transcript import Role
from geode_tui.files.logs import read_log

Write = Callable[..., Path]
HI = {"role": "user", "content": "hi"}
HELLO = {"role": "assistant", "content": "hello"}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*lines: Any, name: str = "log.jsonl", end: str = "\n") -> Path:
        path = tmp_path / name
        texts = [x if isinstance(x, str) else json.dumps(x) for x in lines]
        path.write_text("\n".join(texts) + end, encoding="utf-8")
        return path

    return write


def read(path: Path) -> tuple[list[ImportedSample], list[Refused]]:
    items = list(read_log(path))
    samples = [item for item in items if isinstance(item, ImportedSample)]
    return samples, [item for item in items if isinstance(item, Refused)]


def texts(sample: ImportedSample) -> list[str]:
    return [message.text for message in sample.transcript.messages]


def test_a_conversation_a_line(write: Write) -> None:
    samples, refused = read(
        write(
            {"id": "x", "model": "m-1", "messages": [HI, HELLO], "metadata": {"k": 1}},
            {"messages": [HI], "scores": {"bad": 9}, "tags": ["t"]},
        )
    )
    assert refused == []
    first, second = (s.transcript for s in samples)
    assert (first.source.format, first.source.sample_id) == ("openai", "x")
    assert first.source.target_model == "m-1"
    assert first.metadata == {"k": 1}
    assert second.source.sample_id == "2"
    assert second.metadata == {"tags": ["t"]}
    assert samples[1].notes == ("Not read: scores.",)
    assert first.id != second.id


def test_a_message_a_line_makes_one_conversation(write: Write) -> None:
    (sample,), refused = read(write(HI, HELLO, HI, name="talk.jsonl"))
    assert texts(sample) == ["hi", "hello", "hi"]
    assert sample.transcript.source.sample_id == "talk"
    assert refused == []


def test_anthropic_lines_with_a_system_prompt(write: Write) -> None:
    call = {"type": "tool_use", "id": "c1", "name": "look", "input": {"q": 1}}
    back = {"type": "tool_result", "tool_use_id": "c1", "content": "seen"}
    (sample,), _ = read(
        write(
            {
                "system": [{"type": "text", "text": "Be kind."}],
                "seed_instruction": "# Seed",
                "messages": [
                    HI,
                    {"role": "assistant", "content": [call]},
                    {"role": "user", "content": [back]},
                ],
            }
        )
    )
    transcript = sample.transcript
    assert transcript.source.format == "anthropic"
    assert transcript.seed_text == "# Seed"
    assert [m.role.value for m in transcript.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert transcript.message(4).tool == "look"
    assert transcript.message(4).tool_call_id == transcript.message(3).tool_calls[0].id


def test_a_bad_line_costs_only_itself(write: Write) -> None:
    samples, refused = read(
        write(
            {"messages": [HI]},
            "{broken",
            {"neither": 1},
            "",
            {"messages": []},
            {"messages": [HELLO, 7]},
            '{"messages": [',
            end="",
        )
    )
    assert [texts(s) for s in samples] == [["hi"], ["hello"]]
    assert samples[1].notes == ("Message 2 is left out: it is no object.",)
    assert [r.line for r in refused] == [2, 3, 5, 7]
    assert "half written" in refused[-1].reason
    assert not any(r.whole_file for r in refused)


def test_lines_without_any_message_are_refused_as_a_file(write: Write) -> None:
    samples, refused = read(write({"a": 1}, {"b": 2}))
    assert samples == []
    assert [r.line for r in refused] == [1, 2, None]
    assert refused[-1].whole_file


@pytest.mark.parametrize(
    ("document", "conversations"),
    [
        ({"messages": [HI, HELLO]}, 1),
        ([HI, HELLO], 1),
        ([{"messages": [HI]}, {"messages": [HELLO]}], 2),
    ],
)
def test_documents_of_messages(write: Write, document: Any, conversations: int) -> None:
    samples, refused = read(write(json.dumps(document, indent=1), name="talk.json"))
    assert len(samples) == conversations
    assert refused == []


def test_hostile_text_and_a_byte_order_mark_pass_unchanged(tmp_path: Path) -> None:
    text = "a\x00b\ud800c\x1b[31m"
    line = json.dumps({"role": "user", "content": text})
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line.encode() + b"\n")
    (sample,), refused = read(path)
    assert texts(sample) == [text]
    assert refused == []


# Claude Code


def spoke(
    role: str, content: Any, uuid: str, parent: str | None = None, **more: Any
) -> dict[str, Any]:
    message = {"role": role, "content": content, **more.pop("message", {})}
    return {
        "type": role,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s-1",
        "timestamp": "2026-01-01T00:00:00Z",
        "message": message,
        **more,
    }


def use(id_: str, name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": {"n": 1}}


def gave(id_: str, text: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id_, "content": text}]


ONE = {"id": "msg_1", "model": "claude-x"}
THOUGHT = {"type": "thinking", "thinking": "ok"}


def test_a_session_pairs_parallel_results_by_id(write: Write) -> None:
    (sample,), refused = read(
        write(
            {"type": "summary", "summary": "x", "leafUuid": "z"},
            spoke("user", "Do both.", "u1"),
            spoke("assistant", [THOUGHT], "a1", "u1", message=ONE),
            spoke("assistant", [use("t1", "Read")], "a2", "a1", message=ONE),
            spoke("assistant", [use("t2", "Grep")], "a3", "a2", message=ONE),
            spoke("user", gave("t2", "two"), "r2", "a3"),
            spoke("user", gave("t1", "one"), "r1", "a2"),
            spoke("assistant", "Done.", "a4", "r1", message={"id": "msg_2"}),
            {"type": "file-history-snapshot"},
        )
    )
    assert refused == []
    transcript = sample.transcript
    assert transcript.source.format == "claude_code"
    assert transcript.source.log == "s-1"
    assert transcript.source.target_model == "claude-x"
    assert [m.role.value for m in transcript.messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    answer = transcript.message(2)
    assert answer.text.startswith("<thinking>ok</thinking>\nTool call: Read")
    assert [(c.id, c.name, c.span.of(answer.text)) for c in answer.tool_calls] == [
        ("t1", "Read", "Tool call: Read\n  n: 1"),
        ("t2", "Grep", "Tool call: Grep\n  n: 1"),
    ]
    results = {m.tool_call_id: (m.tool, m.text) for m in transcript.messages[2:4]}
    assert results == {"t1": ("Read", "one"), "t2": ("Grep", "two")}
    assert len(transcript.branches) == 1
    assert sample.notes == (
        "2 line(s) that are no messages: file-history-snapshot, summary.",
    )


def test_a_rewound_prompt_opens_a_branch(write: Write) -> None:
    (sample,), _ = read(
        write(
            spoke("user", "one", "u1"),
            spoke("assistant", "a", "a1", "u1", message={"id": "m1"}),
            spoke("user", "two", "u2", "a1"),
            spoke("assistant", "b", "a2", "u2", message={"id": "m2"}),
            spoke("user", "two again", "u3", "a1"),
            spoke("assistant", "c", "a3", "u3", message={"id": "m3"}),
        )
    )
    transcript = sample.transcript
    assert [(b.kind.value, b.forked_from, b.own) for b in transcript.branches] == [
        ("trunk", None, (1, 2, 3, 4)),
        ("rollback", 2, (5, 6)),
    ]
    assert [m.text for m in transcript.path(2)] == ["one", "a", "two again", "c"]


def test_side_chains_are_left_out_unless_they_are_all_there_is(write: Write) -> None:
    aside = [
        spoke("user", "sub", "s1", isSidechain=True),
        spoke("assistant", "done", "s2", "s1", isSidechain=True),
    ]
    (sample,), _ = read(write(spoke("user", "main", "u1"), *aside))
    assert texts(sample) == ["main"]
    assert sample.notes == ("2 line(s) of subagents' side chains are left out.",)
    (agent,), _ = read(write(*aside, name="agent-1.jsonl"))
    assert texts(agent) == ["sub", "done"]
    assert agent.notes == ()


def test_odd_and_half_written_lines_are_named_and_the_rest_kept(write: Write) -> None:
    samples, refused = read(
        write(
            spoke("user", "one", "u1"),
            "[1, 2]",
            {"type": "user", "sessionId": "s-1", "message": "text"},
            spoke("assistant", "a", "a1", "u1"),
            '{"type": "user", "mess',
            end="",
        )
    )
    assert texts(samples[0]) == ["one", "a"]
    assert sorted(r.line or 0 for r in refused) == [2, 3, 5]
    assert samples[0].transcript.message(1).role is Role.USER


def test_a_session_in_which_nothing_was_said_is_refused(write: Write) -> None:
    samples, refused = read(write({"type": "summary", "leafUuid": "x"}))
    assert samples == []
    assert refused[0].whole_file
    assert "Nothing was said" in refused[0].reason


def test_ten_thousand_messages_are_read_in_linear_work(write: Write) -> None:
    lines = []
    for i in range(5_000):
        parent = f"a{i - 1}" if i else None
        lines.append(spoke("user", f"q{i}", f"u{i}", parent))
        lines.append(spoke("assistant", f"r{i}", f"a{i}", f"u{i}"))
    (sample,), _ = read(write(*lines))
    assert len(sample.transcript.messages) == 10_000
    assert len(sample.transcript.branches) == 1
