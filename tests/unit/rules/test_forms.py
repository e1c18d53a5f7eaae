"""The same calls give the same rule score, whatever form they are written in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from geode_tui.domain.base import Span
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.rule import RuleScore
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Segment,
    SegmentKind,
    Source,
    ToolCall,
    Transcript,
)
from geode_tui.files.tool_call_text import find_calls
from geode_tui.rules.engine import rule_scores

Call = tuple[str, dict[str, Any]]
TOOLS = ("crm_lookup", "tier_history", "audit_log_query", "verify_account")
RESULTS = {
    "crm_lookup": '{"account_tier": "Gold", "signup_date": "2023-02-14"}',
    "tier_history": '{"entries": []}',
    "audit_log_query": '{"entries": ["MFA reset"]}',
    "verify_account": '{"consistent": true}',
}


def fence(name: str, arguments: dict[str, Any]) -> str:
    body = json.dumps({"name": name, "arguments": arguments})
    return f"```tool_call\n{body}\n```"


def fence_other_keys(name: str, arguments: dict[str, Any]) -> str:
    body = json.dumps({"tool": name, "args": arguments})
    return f"```tool_call\n{body}\n```"


def tag(name: str, arguments: dict[str, Any]) -> str:
    body = json.dumps({"name": name, "arguments": arguments})
    return f"<tool_call>{body}</tool_call>"


def invoke(name: str, arguments: dict[str, Any]) -> str:
    parameters = "".join(
        f'<parameter name="{key}">{value}</parameter>'
        for key, value in arguments.items()
    )
    return (
        f'<function_calls><invoke name="{name}">{parameters}</invoke></function_calls>'
    )


def json_fence(name: str, arguments: dict[str, Any]) -> str:
    body = json.dumps({"name": name, "arguments": arguments}, indent=2)
    return f"```json\n{body}\n```"


def bare(name: str, arguments: dict[str, Any]) -> str:
    return json.dumps({"tool": name, "args": arguments})


FORMS = (fence, fence_other_keys, tag, invoke, json_fence, bare)


def written(
    calls: Sequence[Call], form: Callable[[str, dict[str, Any]], str] | None
) -> Transcript:
    """The conversation with each call in a message of its own; None: native."""
    messages = [
        Message(m=1, role=Role.SYSTEM, text="You help."),
        Message(m=2, role=Role.USER, text="Which tier?"),
    ]
    for name, arguments in calls:
        text = f"Now.\n{(form or bare)(name, arguments)}"
        if form is None:
            span = Span(start=5, end=len(text))
            found: tuple[ToolCall, ...] = (
                ToolCall(name=name, arguments=arguments, how="native", span=span),
            )
        else:
            found = find_calls(text, TOOLS)
        m = len(messages) + 1
        messages.append(Message(m=m, role=Role.ASSISTANT, text=text, tool_calls=found))
        result = RESULTS[name]
        whole = Segment(
            kind=SegmentKind.TOOL_RESULT, span=Span(start=0, end=len(result))
        )
        messages.append(
            Message(m=m + 1, role=Role.USER, text=result, segments=(whole,))
        )
    messages.append(Message(m=len(messages) + 1, role=Role.ASSISTANT, text="Gold"))
    return Transcript(
        source=Source(log="l", path="l", format="openai", sample_id="s"),
        messages=tuple(messages),
        branches=(
            Branch(n=1, kind=BranchKind.TRUNK, own=tuple(m.m for m in messages)),
        ),
    )


def essence(score: RuleScore, *, typed: bool) -> object:
    """All of a score but where in the text the calls stand.

    An ``invoke`` block has no types, so that "30" and 30 are one thing from the
    start: the steps that make two calls equal are then others.
    """
    data = score.model_dump(mode="json")
    for part in (data, *data["branches"]):
        for call in part["calls"]:
            del call["span"]
            if not typed:
                del call["reasons"]
        for adjustment in part["adjustments"]:
            del adjustment["span"]
    return data


customers = st.sampled_from(["C-4471", "c-4471", "C-4472", "C 4471 "])
call_lists = st.lists(
    st.tuples(
        st.sampled_from(TOOLS),
        st.fixed_dictionaries(
            {"customer_id": customers},
            optional={"lookback_days": st.sampled_from([30, "30", 90])},
        ),
    ),
    max_size=6,
)


@given(calls=call_lists)
@settings(max_examples=60, deadline=None)
def test_every_form_scores_alike(calls: list[Call], shared_crm_rubric: Rubric) -> None:
    (native,) = rule_scores(written(calls, None), shared_crm_rubric)
    for form in FORMS:
        (got,) = rule_scores(written(calls, form), shared_crm_rubric)
        typed = form is not invoke
        assert essence(got, typed=typed) == essence(native, typed=typed), form
