"""Documents of every format with anything in any place: read or refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geode_tui.domain.imported import ImportedSample
from geode_tui.files.logs import read_log

USE = {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}
RESULT = {"type": "tool_result", "tool_use_id": "c", "content": "x", "is_error": True}
CHAT = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": [{"type": "text", "text": "t"}, RESULT]},
    {"role": "assistant", "content": [USE, {"type": "thinking", "thinking": "h"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": "r", "error": {"type": "e"}},
]
EDITS = [
    {"operation": "add", "message": CHAT[0]},
    {"operation": "add", "message": CHAT[2]},
    {"operation": "rollback", "count": 1, "to_id": None},
    {"operation": "add", "message": CHAT[4]},
    {"operation": "reset", "new_messages": [CHAT[1]]},
    {
        "operation": "json_patch",
        "patch": [
            {"op": "replace", "path": "/messages/0/content", "value": "x"},
            {"op": "move", "path": "/messages/-", "from": "/messages/0"},
        ],
    },
]
PETRI = {
    "metadata": {
        "transcript_id": "t",
        "seed_instruction": "s",
        "judge_output": {
            "scores": {"a": 3},
            "summary": "[M1]",
            "justification": "a [M2]",
            "score_descriptions": {"a": "words"},
            "highlights": [
                {"index": 1, "parts": [{"message_id": "m", "quoted_text": "q"}]}
            ],
        },
    },
    "events": [{"view": ["target", "auditor"], "edit": e} for e in EDITS],
    "target_messages": CHAT,
}
LINE = {
    "id": "x",
    "model": "m",
    "system": "s",
    "messages": CHAT,
    "tools": [{"function": {"name": "f"}}],
    "metadata": {"k": 1},
    "epoch": 1,
    "created": 7,
}
SESSION = [
    {
        "type": m["role"] if m["role"] in ("user", "assistant") else "user",
        "uuid": f"u{i}",
        "parentUuid": f"u{i - 1}",
        "sessionId": "s",
        "timestamp": "t",
        "isSidechain": False,
        "message": {**m, "id": "msg", "model": "m"},
    }
    for i, m in enumerate(CHAT)
]
ODD: list[Any] = [
    None, True, 0, -1, 2.5, float("nan"), 10**30, "", "x", "\ud800\x00", [], {},
    [None], {"role": "user"}, {"type": "text"}, [[]], "target", "assistant",
]  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything inside a document."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


@st.composite
def changed(draw: st.DrawFn, document: Any) -> Any:
    """The document with one to three odd values put in, or parts taken out."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        found = list(places(document))
        if not found:
            break
        container, key = found[draw(st.integers(0, len(found) - 1))]
        if draw(st.booleans()):
            container[key] = copy.deepcopy(draw(st.sampled_from(ODD)))
        else:
            del container[key]
    return document


def check(path: Path) -> None:
    for item in read_log(path):
        if isinstance(item, ImportedSample):
            transcript = item.transcript
            assert [m.m for m in transcript.messages] == list(
                range(1, len(transcript.messages) + 1)
            )
            assert {m for b in transcript.branches for m in b.own} == {
                m.m for m in transcript.messages
            }
            for branch in transcript.branches:
                transcript.path(branch.n)
            assert transcript.id.startswith("t")
            assert item.model_dump_json is not None
        else:
            assert "unexpectedly" not in item.reason, item


_settings = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@_settings
@given(document=changed(PETRI))
def test_petri_transcripts(folder: Path, document: Any) -> None:
    path = folder / "a.json"
    path.write_text(json.dumps(document))
    check(path)


@_settings
@given(document=changed([LINE, LINE]))
def test_conversations(folder: Path, document: Any) -> None:
    path = folder / "a.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in document))
    check(path)
    path = folder / "a.json"
    path.write_text(json.dumps(document))
    check(path)


@_settings
@given(document=changed(SESSION))
def test_claude_code_sessions(folder: Path, document: Any) -> None:
    path = folder / "a.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in document))
    check(path)


@_settings
@given(
    data=st.binary(max_size=200), suffix=st.sampled_from([".json", ".jsonl", ".eval"])
)
def test_any_bytes(folder: Path, data: bytes, suffix: str) -> None:
    path = folder / f"a{suffix}"
    path.write_bytes(data)
    check(path)
