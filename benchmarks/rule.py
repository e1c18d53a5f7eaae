"""What the rule engine costs beside reading: ``python benchmarks/rule.py``.

Scores 10,000 transcripts of the CRM shape and reads the same conversations from
their JSON with the importer, alternating, in one run. The goal is a ratio of at
most 0.5. Beside it stands the bare ``json.loads`` of the same lines.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from geode_tui.domain.base import Span
from geode_tui.domain.imported import ImportedSample
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
from geode_tui.files.logs import read_log
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
    written = [chat_line(item) for item in sample]
    reading = decoding = scoring = 0.0
    scored = 0
    with tempfile.TemporaryDirectory() as folder:
        for at in range(0, COUNT, 500):
            path = Path(folder) / f"{at}.jsonl"
            path.write_text("\n".join(written[at : at + 500]) + "\n", encoding="utf-8")
            begun = time.perf_counter()
            read = [item for item in read_log(path) if isinstance(item, ImportedSample)]
            reading += time.perf_counter() - begun
            assert len(read) == 500
            begun = time.perf_counter()
            for line in written[at : at + 500]:
                json.loads(line)
            decoding += time.perf_counter() - begun
            begun = time.perf_counter()
            for sample_read in read:
                (score, *_) = rule_scores(sample_read.transcript, rubric)
                scored += score.low is not None
            scoring += time.perf_counter() - begun
    print(f"transcripts scored   {scored} of {COUNT}")
    print(f"json.loads alone     {decoding / COUNT * 1e6:8.1f} us each")
    print(f"reading              {reading / COUNT * 1e6:8.1f} us each")
    print(f"rule score           {scoring / COUNT * 1e6:8.1f} us each")
    print(f"ratio                {scoring / reading:8.2f}   of reading, goal <= 0.5")


def chat_line(item: Transcript) -> str:
    """The conversation as one line of OpenAI-style JSON."""
    messages = [
        {"role": message.role.value, "content": _tagged(message)}
        for message in item.messages
    ]
    return json.dumps({"id": item.source.sample_id, "messages": messages})


def _tagged(message: Message) -> str:
    if message.segments:
        return f"<tool_result>{message.text}</tool_result>"
    return message.text


if __name__ == "__main__":
    main()
