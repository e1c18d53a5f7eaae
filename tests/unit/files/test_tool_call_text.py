"""Calls written as text: every form, its span, and any text without a crash."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geode_tui.domain.transcript import ToolCall
from geode_tui.files.tool_call_text import find_calls

LOOKUP = {"customer_id": "C-4471", "days": 30}


def only(text: str, tools: tuple[str, ...] = ()) -> ToolCall:
    calls = find_calls(text, tools)
    assert len(calls) == 1, calls
    return calls[0]


FORMS = [
    ("tool_call_fence", '```tool_call\n{"name": "f", "arguments": {"a": 1}}\n```'),
    ("tool_call_fence", '```tool_call\n{"tool": "f", "args": {"a": 1}}\n```'),
    ("tool_call_fence", '```tool_call {"name": "f", "arguments": {"a": 1}}```'),
    ("tool_call_fence", "```tool_call\nf(a=1)\n```"),
    ("tool_call_fence", "```tool_call\nname: f\nargs:\n  a: 1\n```"),
    ("tool_call_tag", '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'),
    ("tool_call_tag", '<tool_call>\n{"tool":"f","args":{"a":1}}\n</tool_call>'),
    ("tool_call_tag", "<tool_call>f(a=1)</tool_call>"),
    ("invoke", '<invoke name="f"><parameter name="a">1</parameter></invoke>'),
    ("bare_json", '{"name": "f", "arguments": {"a": 1}}'),
    ("bare_json", '{"tool": "f", "args": {"a": 1}}'),
    (
        "bare_json",
        '{"type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}',
    ),
    ("bare_json", '{"action": "f", "action_input": {"a": 1}}'),
    ("json_fence", '```json\n{"name": "f", "arguments": {"a": 1}}\n```'),
    ("json_fence", '```\n{"tool": "f", "args": {"a": 1}}\n```'),
    ("call_line", "TOOL_CALL: f(a=1)"),
    ("call_line", 'TOOL_CALL: {"name": "f", "arguments": {"a": 1}}'),
]


@pytest.mark.parametrize(("how", "written"), FORMS)
def test_each_form_gives_the_same_call_with_its_span(how: str, written: str) -> None:
    call = only(f"I will look.\n{written}\nMore to come.")
    assert (call.name, call.arguments, call.positional) == ("f", {"a": 1}, ())
    assert (call.how, call.complete, call.error) == (how, True, None)
    assert call.span.of(f"I will look.\n{written}\nMore to come.") == written


def test_invokes_in_one_block_are_calls_of_their_own() -> None:
    first = '<invoke name="f"><parameter name="q">a <b> c</parameter></invoke>'
    second = '<invoke name="g">\n</invoke>'
    text = f"<function_calls>\n{first}\n{second}\n</function_calls>"
    calls = find_calls(text)
    assert [(c.name, c.arguments) for c in calls] == [
        ("f", {"q": "a <b> c"}),
        ("g", {}),
    ]
    assert [c.span.of(text) for c in calls] == [first, second]


def test_several_objects_in_one_fence_or_tag_each_have_their_span() -> None:
    one, two = '{"name": "f", "arguments": {}}', '{"name": "g", "arguments": {}}'
    for text in (
        f"```tool_call\n{one}\n{two}\n```",
        f"<tool_call>\n{one}\n{two}\n</tool_call>",
        f"```json\n[{one}, {two}]\n```",
        f"[{one},{two}]",
    ):
        calls = find_calls(text)
        assert [c.name for c in calls] == ["f", "g"]
        assert [c.span.of(text) for c in calls] == [one, two]


def test_the_shell_forms_seen_in_logs() -> None:
    tag = r'<run_shell command="echo \"$HOME\"\nls \( -a \)" timeout_ms=120000 />'
    call = only(f"Checking.\n{tag} \nDone.")
    assert call.name == "run_shell"
    assert call.how == "shell_tag"
    assert call.arguments == {
        "command": 'echo "$HOME"\nls \\( -a \\)',
        "timeout_ms": 120000,
    }
    bash = only('<bash>{"cmd": "echo hello"}</bash>')
    assert (bash.name, bash.how) == ("bash", "bash_tag")
    assert bash.arguments == {"cmd": "echo hello"}
    assert only("<bash>ls -la</bash>").positional == ("ls -la",)
    nameless = only('to=bash \n{"cmd": "ls", "timeout": 5}\n')
    assert (nameless.name, nameless.how) == (None, "nameless_json")
    assert nameless.arguments == {"cmd": "ls", "timeout": 5}
    wrapped = only('<tool_call>\n{"cmd": "ls"}\n</tool_call>')
    assert (wrapped.name, wrapped.how) == (None, "tool_call_tag")


def test_what_the_scenario_offers_makes_more_forms_calls() -> None:
    shell = "Run this:\n```bash\nls -la\n```\n"
    assert find_calls(shell) == ()
    fence = only(shell, ("bash",))
    assert (fence.name, fence.positional, fence.how) == (
        "bash",
        ("ls -la",),
        "shell_fence",
    )
    assert find_calls('>>> lookup("x")') == ()
    assert only('>>> lookup("x", n=2)', ("lookup",)).arguments == {"n": 2}
    assert find_calls('<lookup id="1"/>') == ()
    assert only('<lookup id="1"/>', ("lookup",)).arguments == {"id": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "Write `<tool_call>` around the JSON.",
        "<tool_call>...</tool_call> is the format.",
        "Wrap it in <tool_call> and close it.",
        "```python\nprint({'name': 'f', 'arguments': {}})\n```",
        '```python\n{"name": "f", "arguments": {}}\n```',
        '```json\n{"cmd": "npm start"}\n```',
        '{"name": "Ada Lovelace", "input": "poetry"}',
        '{"name": "f", "parameters": {"type": "object", "properties": {}}}',
        '{"id": 7, "status": "open"}',
        "[link](https://example.org)",
        "2 < 3 and { is a brace",
        "",
    ],
)
def test_mentions_examples_and_data_are_no_calls(text: str) -> None:
    assert find_calls(text) == ()


def test_unclosed_calls_are_kept_and_marked() -> None:
    whole = '<tool_call>{"name": "f", "arguments": {"a": 1}}'
    call = only(whole + "\nI am waiting.")
    assert (call.name, call.arguments, call.complete) == ("f", {"a": 1}, False)
    assert call.span.end == len(whole)
    cut = only('<tool_call>{"name": "f", "arguments": {"a": "long te')
    assert (cut.name, cut.complete) == ("f", False)
    assert cut.raw is not None
    assert cut.error is not None
    bare = only('Now: {"name": "f", "arguments": {"a": "long te')
    assert (bare.name, bare.complete) == ("f", False)
    fence = only('```tool_call\n{"name": "f", "arguments": {}}')
    assert (fence.name, fence.complete) == ("f", False)
    invoke = only('<invoke name="f"><parameter name="a">half')
    assert (invoke.name, invoke.arguments, invoke.complete) == (
        "f",
        {"a": "half"},
        False,
    )


def test_an_unclosed_call_ends_where_the_next_one_begins() -> None:
    first = '<tool_call>{"name": "f", "arguments": {}}'
    text = f'{first}\n<tool_call>{{"name": "g", "arguments": {{}}}}</tool_call>'
    calls = find_calls(text)
    assert [(c.name, c.complete) for c in calls] == [("f", False), ("g", True)]
    assert calls[0].span.of(text).rstrip() == first


def test_quasi_json_keeps_the_raw_text_and_says_what_is_wrong() -> None:
    call = only('<tool_call>{"name": "f", "arguments": {rows elided ...}}</tool_call>')
    assert call.name == "f"
    assert call.arguments == {}
    assert call.raw == '{"name": "f", "arguments": {rows elided ...}}'
    assert call.error is not None
    assert "character" in call.error
    mended = only('<tool_call>{"name": "f", "arguments": {"a": 1,},}</tool_call>')
    assert mended.arguments == {"a": 1}
    assert mended.error is None
    prose = only("<tool_call>look it up please</tool_call>")
    assert (prose.name, prose.raw) == (None, "look it up please")


def test_closing_marks_inside_a_value_do_not_end_the_call() -> None:
    arguments = {"code": "</tool_call>\n```\nx"}
    body = json.dumps({"name": "f", "arguments": arguments})
    for text in (
        f"<tool_call>{body}</tool_call>",
        f"```tool_call\n{body}\n```",
        '```tool_call\n{"name":"f","arguments":{"code":"</tool_call>\n```\nx"}}\n```',
    ):
        call = only(text + "\nafter")
        assert call.arguments == arguments
        assert call.span.of(text) == text


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc_", min_size=1), inner, max_size=3)
    ),
    max_leaves=6,
)
_names = st.from_regex(r"[a-z][a-z0-9_]{0,15}", fullmatch=True)
_words = st.from_regex(r"[A-Za-z][A-Za-z0-9 ,;:.-]{0,20}[a-z]x", fullmatch=True)


@given(
    name=_names,
    arguments=st.dictionaries(_names, _json, max_size=4),
    before=st.sampled_from(["", "I look.\n", "# Plan\n\n", "ünïcode\n"]),
    after=st.sampled_from(["", "\nDone.", "\n\n```python\nx = {}\n```"]),
)
def test_json_forms_agree_on_any_call(
    name: str, arguments: dict[str, Any], before: str, after: str
) -> None:
    by_name = json.dumps({"name": name, "arguments": arguments})
    by_tool = json.dumps({"tool": name, "args": arguments}, ensure_ascii=False)
    written = [
        f"```tool_call\n{by_name}\n```",
        f"```tool_call\n{by_tool}\n```",
        f"<tool_call>\n{by_tool}\n</tool_call>",
        f"<tool_call>{by_name}</tool_call>",
        f"```json\n{by_name}\n```",
        by_name,
        by_tool,
    ]
    for form in written:
        text = before + form + after
        call = only(text)
        assert (call.name, call.arguments) == (name, arguments)
        assert call.span.of(text) == form
        assert call.complete
        assert call.error is None


@given(
    name=_names,
    arguments=st.dictionaries(_names, st.integers() | _words, max_size=4),
)
def test_written_out_forms_agree_with_json(
    name: str, arguments: dict[str, Any]
) -> None:
    inside = "".join(
        f'<parameter name="{key}">{value}</parameter>'
        for key, value in arguments.items()
    )
    listed = ", ".join(f"{k}={json.dumps(v)}" for k, v in arguments.items())
    single = ", ".join(
        f"{k}='{v}'" if isinstance(v, str) else f"{k}={v}" for k, v in arguments.items()
    )
    for text in (
        f'<invoke name="{name}">{inside}</invoke>',
        f"TOOL_CALL: {name}({listed})",
        f"```tool_call\n{name}({single})\n```",
        json.dumps({"name": name, "arguments": arguments}),
    ):
        call = only(text)
        assert (call.name, call.arguments) == (name, arguments)
        assert call.span.of(text) == text


_pieces = st.sampled_from(
    [
        "<tool_call>", "</tool_call>", "```tool_call\n", "```", "\n```\n", "~~~\n",
        '{"name": "f", ', '"arguments": {', "}", "]", "[", '"', "\\", "\n", " ",
        '<invoke name="f">', '<parameter name="a">', "</invoke>", "<bash", "</bash>",
        "TOOL_CALL: f(", "'", ")", ">>> f(", "<bash a=", "/>", '{"cmd": "x"}',
        "```json\n", "name: f\n", "args:\n", "- &a [*a]\n", "\x00", "\ud800", "\u202e",
    ]
)  # fmt: skip


@given(st.lists(_pieces | st.text(max_size=5), max_size=40).map("".join))
def test_no_text_crashes_and_spans_are_in_order(text: str) -> None:
    calls = find_calls(text, ("f", "bash"))
    at = 0
    for call in calls:
        assert at <= call.span.start <= call.span.end <= len(text)
        at = call.span.end
    assert calls == find_calls(text, ("f", "bash"))


ADVERSARIAL = [
    "{\n", '{"a":\n', '{"name":"f\n', '{"name":"a","arguments":\n', "[[", "<", "`", "'",
    "<tool_call>", "<tool_call>{", "<tool_call>f(", "```\n", "```python\n",
    "```tool_call\n{", '<invoke name="a">', '<invoke name="a"><parameter name="b">',
    "TOOL_CALL: f('\n", "TOOL_CALL: f(\n", ">>> f(1\n", '<bash a="', "<bash>",
    "<bash a='x' ", '{"k":[' + "0," * 500 + "\n", '{"name":"f","arguments":{"a":"\\',
    "```tool_call\nname: a\n- b\n```\n", " ", "\n", "\\",
]  # fmt: skip


@pytest.mark.parametrize("unit", ADVERSARIAL, ids=lambda u: repr(u[:24]))
def test_work_grows_with_the_text_and_no_faster(unit: str) -> None:
    """Counts the characters that the matching code looks at, not seconds."""
    import sys

    def lines_run(size: int) -> int:
        count = 0

        def trace(frame: Any, event: str, _: Any) -> Any:
            nonlocal count
            count += event == "line"
            return trace

        text = unit * (size // len(unit))
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            find_calls(text, ("f",))
        finally:
            sys.settrace(before)
        return count

    assert lines_run(16_000) <= 5 * lines_run(4_000) + 2_000
