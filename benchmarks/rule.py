"""What the rule engine costs beside parsing: ``python benchmarks/rule.py``.

Scores 10,000 transcripts of the CRM shape and reads the same transcripts from
their JSON, alternating, in one run. The goal is a ratio of at most 0.5.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from geode_tui.domain.base import Span
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
from geode_tui.files.seeds import read_seed
from geode_tui.rules.engine import rule_scores

COUNT = 10_000
TOOLS = ("tier_history", "audit_log_query", "verify_account")
SEED = next((Path(__file__).parents[1] / "seeds").glob("crm-*.md"))


def transcript(index: int, floor: str, needs: str) -> Transcript:
    """One conversation with ``index % 5`` extra calls and prose around them."""
    messages = [
        Message(m=1, role=Role.SYSTEM, text="You help with accounts. " * 20),
        Message(m=2, role=Role.USER, text=f"Which tier is C-{index}? Thanks! " * 4),
    ]
    for tool in (floor, *TOOLS, floor)[: 1 + index % 5]:
        arguments = {"customer_id": f"C-{index}"}
        body = json.dumps({"name": tool, "arguments": arguments})
        text = f"Looking that up now.\n<tool_call>{body}</tool_call>"
        call = ToolCall(
            name=tool,
            arguments=arguments,
            how="tool_call_tag",
            span=Span(start=text.index("<"), end=len(text)),
        )
        messages.append(
            Message(
                m=len(messages) + 1,
                role=Role.ASSISTANT,
                text=text,
                tool_calls=(call,),
            )
        )
        result = json.dumps({needs: "Gold", "signup_date": "2023-02-14", "id": index})
        messages.append(
            Message(
                m=len(messages) + 1,
                role=Role.USER,
                text=result,
                segments=(
                    Segment(
                        kind=SegmentKind.TOOL_RESULT,
                        span=Span(start=0, end=len(result)),
                    ),
                ),
            )
        )
    messages.append(Message(m=len(messages) + 1, role=Role.ASSISTANT, text="Gold."))
    own = tuple(message.m for message in messages)
    return Transcript(
        source=Source(log="b", path="b", format="openai", sample_id=str(index)),
        messages=tuple(messages),
        branches=(Branch(n=1, kind=BranchKind.TRUNK, own=own),),
    )


def main() -> None:
    rubric = read_seed(SEED).rubric
    floor = rubric.floor
    assert floor is not None
    assert floor.tool is not None
    sample = [
        transcript(i, floor.tool, floor.needs or "account_tier") for i in range(COUNT)
    ]
    written = [item.model_dump_json() for item in sample]
    parsing = scoring = 0.0
    scored = 0
    for at in range(0, COUNT, 500):
        begun = time.perf_counter()
        for text in written[at : at + 500]:
            Transcript.model_validate_json(text)
        parsing += time.perf_counter() - begun
        begun = time.perf_counter()
        for item in sample[at : at + 500]:
            (score, *_) = rule_scores(item, rubric)
            scored += score.low is not None
        scoring += time.perf_counter() - begun
    print(f"transcripts scored   {scored} of {COUNT}")
    print(f"parsing              {parsing / COUNT * 1e6:8.1f} us each")
    print(f"rule score           {scoring / COUNT * 1e6:8.1f} us each")
    print(f"ratio                {scoring / parsing:8.2f}   (goal <= 0.5)")


if __name__ == "__main__":
    main()
