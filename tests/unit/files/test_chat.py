"""Messages of every source, written into one text with segments."""

from __future__ import annotations

from typing import Any

import pytest

from geode_tui.domain.transcript import Message, Role, SegmentKind
from geode_tui.files.chat import ShapeError, placeholder, read_message
from geode_tui.files.message_text import number, written_call

PIXELS = "data:image/png;base64," + "A" * 16_000


def read(*messages: dict[str, Any], tools: tuple[str, ...] = ()) -> tuple[Message, ...]:
    drafts = [draft for message in messages for draft in read_message(message)]
    return number(drafts, tools=tools)


def marked(message: Message) -> list[tuple[str, str]]:
    return [(s.kind.value, s.span.of(message.text)) for s in message.segments]


def test_plain_text_is_never_altered() -> None:
    text = "  a\r\n\tb\x00\x1b[31m \ud800 [/] \u202e "
    (message,) = read({"role": "user", "content": text})
    assert message.text == text
    assert message.segments == ()


@pytest.mark.parametrize(
    "message",
    [
        {  # Inspect, and Petri 1
            "role": "assistant",
            "content": [
                {"type": "reasoning", "reasoning": "hm"},
                {"type": "text", "text": "I look."},
            ],
            "tool_calls": [
                {"id": "c1", "function": "look", "arguments": {"at": "x", "n": 2}}
            ],
        },
        {  # OpenAI
            "role": "assistant",
            "reasoning_content": "hm",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "look", "arguments": '{"at": "x", "n": 2}'},
                }
            ],
        },
        {  # Anthropic
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "I look."},
                {
                    "type": "tool_use",
                    "id": "c1",
                    "name": "look",
                    "input": {"at": "x", "n": 2},
                },
            ],
        },
    ],
    ids=["inspect", "openai", "anthropic"],
)
def test_every_style_gives_the_same_message(message: dict[str, Any]) -> None:
    (read_one,) = read(message)
    assert read_one.text == (
        "<thinking>hm</thinking>\nI look.\nTool call: look\n  at: x\n  n: 2"
    )
    assert marked(read_one) == [
        ("reasoning", "<thinking>hm</thinking>"),
        ("tool_call", "Tool call: look\n  at: x\n  n: 2"),
    ]
    (call,) = read_one.tool_calls
    assert (call.name, call.how, call.id) == ("look", "native", "c1")
    assert call.arguments == {"at": "x", "n": 2}
    assert call.span == read_one.segments[1].span
    assert read_one.spoken.strip().startswith("I look.")


def test_results_in_a_user_turn_become_tool_messages_paired_by_id() -> None:
    calls, second, first, words = read(
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "f", "input": {}},
                {"type": "tool_use", "id": "b", "name": "g", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "b", "content": "two"},
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "is_error": True,
                    "content": [{"type": "text", "text": "broke"}],
                },
                {"type": "text", "text": "Go on."},
            ],
        },
    )
    assert [c.name for c in calls.tool_calls] == ["f", "g"]
    assert (second.role, second.tool_call_id, second.text) == (Role.TOOL, "b", "two")
    assert (first.tool_call_id, first.error) == ("a", "broke")
    assert marked(second) == [("tool_result", "two")]
    assert (words.role, words.text) == (Role.USER, "Go on.")


def test_tool_messages_of_both_shapes() -> None:
    inspect, openai = read(
        {
            "role": "tool",
            "tool_call_id": "c",
            "function": "f",
            "content": "out",
            "error": {"type": "timeout", "message": "too slow"},
        },
        {"role": "tool", "tool_call_id": "d", "name": "g", "content": [{"x": 1}]},
    )
    assert (inspect.tool, inspect.error) == ("f", "timeout: too slow")
    assert (openai.tool, openai.text) == ("g", '{"x": 1}')


def test_withheld_reasoning_is_marked_and_its_summary_shown() -> None:
    bare, summed = read(
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "reasoning": "gAAAA", "redacted": True},
                {"type": "text", "text": "Yes."},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {
                    "type": "reasoning",
                    "reasoning": "gAAAA",
                    "redacted": True,
                    "summary": "It ponders.",
                }
            ],
        },
    )
    assert bare.text == "<thinking_redacted/>\nYes."
    assert "gAAAA" not in bare.text
    assert summed.text == "<thinking_summary>It ponders.</thinking_summary>"
    assert summed.spoken == ""


def test_thinking_tags_are_reasoning_and_hold_no_calls() -> None:
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    (message,) = read(
        {
            "role": "assistant",
            "content": f"<thinking>maybe {call}</thinking>\n{call}\n<Think>x</Think>",
        }
    )
    assert [kind for kind, _ in marked(message)] == [
        "reasoning",
        "tool_call",
        "reasoning",
    ]
    (found,) = message.tool_calls
    assert found.span.of(message.text) == call
    assert message.text.index("\n<tool_call>") + 1 == found.span.start


def test_unclosed_thinking_runs_to_the_next_call_or_the_end() -> None:
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    stopped, endless, mentioned = read(
        {"role": "assistant", "content": f"<thinking>so\n{call}"},
        {"role": "assistant", "content": "<thinking>so on"},
        {"role": "assistant", "content": "I do not use `<thinking>` tags."},
    )
    assert [kind for kind, _ in marked(stopped)] == ["reasoning", "tool_call"]
    assert endless.spoken == ""
    assert mentioned.segments == ()


def test_only_the_target_s_own_messages_are_read_for_calls() -> None:
    example = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    system, user, prefilled, own = read(
        {"role": "system", "content": f"Call like this: {example}"},
        {"role": "user", "content": example},
        {"role": "assistant", "content": example, "metadata": {"prefill": True}},
        {"role": "assistant", "content": example},
    )
    assert prefilled.prefill
    assert not prefilled.by_target
    assert [len(m.tool_calls) for m in (system, user, prefilled, own)] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('<tool_result name="f">{"a": 1}</tool_result>', None),
        ("So:\n<tool_result>r</tool_result>\nThanks", "<tool_result>r</tool_result>"),
        ("```tool_result\nid: 7\n```", None),
        ('{"tool_result": {"name": "f", "result": 1}}', None),
        ("TOOL_RESULT: 7 rows\nmore", None),
        ("<tool_response>half", None),
        ("<function_results>x</function_results>", None),
    ],
)  # fmt: skip
def test_results_sent_as_user_messages_are_recognised(
    text: str, result: str | None
) -> None:
    (message,) = read({"role": "user", "content": text})
    assert marked(message) == [("tool_result", result or text)]


def test_bare_json_is_a_result_only_where_it_answers_a_call() -> None:
    call = {"role": "assistant", "content": '{"name": "f", "arguments": {}}'}
    answer = {"role": "user", "content": '{"rows": []}'}
    assert marked(read(call, answer)[1]) == [("tool_result", '{"rows": []}')]
    assert marked(read({"role": "assistant", "content": "Hi"}, answer)[1]) == []
    assert marked(read(call, {"role": "user", "content": "{not json"})[1]) == []
    by_system = {"role": "system", "content": "<tool_result>x</tool_result>"}
    assert marked(read(call, by_system)[1]) == [
        ("tool_result", "<tool_result>x</tool_result>")
    ]
    assert marked(read(by_system)[0]) == []


def test_what_is_no_text_gets_a_placeholder() -> None:
    (message,) = read(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image", "image": PIXELS},
                {"type": "image_url", "image_url": {"url": "https://x.example/a.png"}},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "x", "data": "A" * 400},
                },
                {"type": "document", "document": "A" * 4000, "filename": "a.pdf"},
                {"type": "weird", "value": 1},
            ],
        }
    )
    assert [text for _, text in marked(message)] == [
        "[image 12 kB]",
        "[image https://x.example/a.png]",
        "[image 1 kB]",
        "[document a.pdf 3 kB]",
        '[weird {"value": 1}]',
    ]
    assert {s.kind for s in message.segments} == {SegmentKind.ATTACHMENT}
    assert message.text.startswith("Look:\n[image 12 kB]\n")
    assert placeholder({"type": "image"}) == "[image]"


def test_native_arguments_that_cannot_be_read_are_kept() -> None:
    (message,) = read(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": '{"a'}}],
        }
    )
    (call,) = message.tool_calls
    assert (call.name, call.arguments, call.raw) == ("f", {}, '{"a')
    assert call.error is not None
    assert '{"a' in message.text


def test_a_native_call_is_written_the_same_for_the_same_call() -> None:
    assert written_call("f", {}) == "Tool call: f"
    arguments = {"n": 30, "s": "30", "w": "null", "e": "", "l": [1], "r": "a\r\nb"}
    assert written_call("f", arguments) == (
        'Tool call: f\n  n: 30\n  s: "30"\n  w: "null"\n  e: ""\n  l: [1]\n'
        '  r: "a\\r\\nb"'
    )
    assert written_call("f", {"t": "a\nb"}) == "Tool call: f\n  t: |\n    a\n    b"


@pytest.mark.parametrize(
    "bad",
    [None, 7, {}, {"role": "user"}, {"role": "narrator", "content": ""}, {"role": []}],
)
def test_what_is_no_message_is_said_to_be_none(bad: Any) -> None:
    with pytest.raises(ShapeError):
        read_message(bad)


@pytest.mark.parametrize(
    "content",
    [7, [None, 7, [], {}, {"type": None}], {"type": "text"}, [{"type": "tool_use"}]],
)
@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system"])
def test_odd_content_is_kept_in_some_form(role: str, content: Any) -> None:
    for message in read({"role": role, "content": content, "tool_calls": [7, {}]}):
        assert isinstance(message.text, str)
