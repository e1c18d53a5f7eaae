"""Which differences between two calls do not make them two calls."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geode_tui.domain.base import Span
from geode_tui.domain.rubric import ToolSpec
from geode_tui.domain.transcript import ToolCall
from geode_tui.rules.calls import ToolResult, payload
from geode_tui.rules.equivalence import canonical

SPEC = ToolSpec(name="t", parameters=("a", "b"), defaults={"b": 30})


def call(*positional: Any, **arguments: Any) -> ToolCall:
    return ToolCall(
        name="t",
        arguments=arguments,
        positional=positional,
        how="native",
        span=Span(start=0, end=1),
    )


@pytest.mark.parametrize(
    ("one", "other", "step"),
    [
        (call("x"), call(a="x"), "position 1 is a"),
        (call(a="x"), call(a="x", b=30), "b defaults to 30"),
        (call(a="x", b=30), call(b=30, a="x"), ""),
        (call(a="x  y "), call(a="x y"), "a: white space"),
        (call(a="30"), call(a=30), "a: the text '30' is a number"),
        (call(a=30.0), call(a=30), "a: 30.0 is 30"),
        (
            call(a="2026-06-04T14:00:00+09:00"),
            call(a="2026-06-04T05:00:00Z"),
            "a: 2026-06-04T14:00:00+09:00 is 2026-06-04T05:00:00+00:00",
        ),
        (call(a={"k": "1", "j": [2.0]}), call(a={"j": [2], "k": 1}), ""),
    ],
)
def test_equivalent(one: ToolCall, other: ToolCall, step: str) -> None:
    left, right = canonical(one, SPEC), canonical(other, SPEC)
    assert left.exact == right.exact
    if step:
        assert step in left.steps


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (call(a="x"), call(a="y")),
        (call(a="007"), call(a="7")),
        (call(a=True), call(a=1)),
        (call(a="x", b=31), call(a="x")),
        (call(a="2026-06-04"), call(a="2026-06-05")),
    ],
)
def test_different(one: ToolCall, other: ToolCall) -> None:
    assert canonical(one, SPEC).exact != canonical(other, SPEC).exact


def test_letter_case_differs_exactly_and_not_when_folded() -> None:
    left, right = canonical(call(a="C-1"), SPEC), canonical(call(a="c-1"), SPEC)
    assert left.exact != right.exact
    assert left.folded == right.folded


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values))
def test_any_arguments_have_a_canonical_form(arguments: dict[str, Any]) -> None:
    written = ToolCall(
        name="t", arguments=arguments, how="native", span=Span(start=0, end=1)
    )
    first = canonical(written, SPEC)
    again = canonical(written.model_copy(update={"arguments": first.arguments}), SPEC)
    assert again.exact == first.exact


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"error": "cursor_expired"}', True),
        ('<tool_result name="t">{"status": "error"}</tool_result>', True),
        ("Error: timeout", True),
        ('```tool_result\n{"ok": false}\n```', True),
        ('{"error": null, "value": 1}', False),
        ('{"status": "ok"}', False),
        ("No errors were found", False),
        ("", False),
    ],
)
def test_which_results_are_errors(text: str, error: bool) -> None:
    assert ToolResult(1, text).failed is error


def test_payload_takes_off_tag_and_fence() -> None:
    assert payload('<tool_result name="t">\n{"a": 1}\n</tool_result>') == '{"a": 1}'
    assert payload("```tool_result\na: 1\n```") == "a: 1"
