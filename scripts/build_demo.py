"""Writes the demo's transcripts and its two raters' labels from scripts/demo.

Deterministic: the same sources give the same bytes. Run it after changing a
source or a shipped seed, and commit what it writes::

    .venv/bin/python scripts/build_demo.py
"""

from __future__ import annotations

import json
import re
import sys
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import demo_labels
import demo_source

from geode_tui.files.seeds import read_seed

ROOT = Path(__file__).resolve().parents[1]
TRANSCRIPTS = Path("geode_tui/demo/transcripts")
LABELS = Path("annotations")
JUDGE = "demo-judge (invented)"
AUDITOR = "demo/auditor (invented)"
CITED = re.compile(r"<<(.+?)>>")


def main(out: Path = ROOT) -> None:
    """Write every demo file below ``out``."""
    folder = out / TRANSCRIPTS
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in transcript_files().items():
        (folder / name).write_text(text, encoding="utf-8")
    labels = out / LABELS
    labels.mkdir(exist_ok=True)
    for name, text in demo_labels.label_files(folder, ROOT / "seeds").items():
        (labels / name).write_text(text, encoding="utf-8")


def transcript_files() -> dict[str, str]:
    """File name -> content, for all transcripts."""
    files: dict[str, str] = {}
    lines: list[str] = []
    for item in demo_source.conversations():
        if item.get("format") == "openai":
            lines.append(json.dumps(openai_line(item), ensure_ascii=True))
        else:
            text = json.dumps(petri_transcript(item), indent=1, ensure_ascii=True)
            files[f"{item['id']}.json"] = text + "\n"
    if lines:
        files["chat-export.jsonl"] = "\n".join(lines) + "\n"
    return files


def petri_transcript(item: dict[str, Any]) -> dict[str, Any]:
    """One conversation as a Petri 1 transcript."""
    created = item["created"]
    seed = seed_body(item["seed"])
    events = [_event(item, 0, created, ["auditor"], _add("user", "seed", seed))]
    target: list[dict[str, Any]] = []
    spoken: list[dict[str, Any]] = []
    for number, (kind, payload) in enumerate(demo_source.steps(item), 1):
        view = ["target", "combined"]
        if kind == "message":
            edit = {"operation": "add", "message": payload}
            target.append(payload)
            spoken.append(payload)
        elif kind == "aud":
            edit = _add("assistant", f"n{number:02d}", payload)
            view = ["auditor"]
        elif kind == "rollback":
            edit = {"operation": "rollback", "count": payload}
            del target[-payload:]
        else:
            edit = {"operation": "reset", "new_messages": []}
            target.clear()
        events.append(
            _event(item, number, created + timedelta(seconds=9 * number), view, edit)
        )
    ended = created + timedelta(seconds=9 * len(events))
    return {
        "metadata": {
            "transcript_id": item["id"],
            "auditor_model": AUDITOR,
            "target_model": item["model"],
            "judge_model": JUDGE,
            "created_at": _stamp(created),
            "updated_at": _stamp(ended),
            "version": "v3.0",
            "description": "Invented for the demo of geode-tui; no model took part.",
            "tags": ["demo"],
            "seed_instruction": seed,
            "judge_output": judge_output(item, spoken),
        },
        "events": events,
        "target_messages": target,
    }


def openai_line(item: dict[str, Any]) -> dict[str, Any]:
    """One conversation as a line of OpenAI-style messages."""
    messages: list[dict[str, Any]] = []
    for kind, message in demo_source.steps(item):
        if kind != "message":
            raise ValueError(f"{item['id']}: a chat line has no branches or notes")
        line = {k: v for k, v in message.items() if k not in {"id", "function"}}
        if calls := message.get("tool_calls"):
            line["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {
                        "name": call["function"],
                        "arguments": json.dumps(call["arguments"], ensure_ascii=False),
                    },
                }
                for call in calls
            ]
        messages.append(line)
    return {
        "id": item["id"],
        "model": item["model"],
        "created": _stamp(item["created"]),
        "seed_instruction": seed_body(item["seed"]),
        "messages": messages,
    }


def judge_output(item: dict[str, Any], spoken: list[dict[str, Any]]) -> dict[str, Any]:
    """The invented judge's answer, with citations by number and by message id."""
    judge = item["judge"]
    dimensions = targets(item["seed"])
    scores = demo_source.scores(judge, dimensions)
    answer: dict[str, Any] = {
        "response": judge.get("refused", ""),
        "summary": judge.get("summary", ""),
        "justification": "",
        "highlights": [],
        "scores": scores,
        "score_descriptions": {d: demo_source.WORDING[d] for d in dimensions},
        "model": JUDGE,
    }
    if "refused" in judge:
        answer["refusal"] = True
    if "why" not in judge:
        return answer

    def cite(match: re.Match[str]) -> str:
        m = find(match[1], spoken, item["id"])
        part = {"message_id": spoken[m - 1]["id"], "quoted_text": match[1]}
        index = len(answer["highlights"]) + 1
        answer["highlights"].append(
            {"index": index, "description": "", "parts": [part]}
        )
        return f"[M{m}]"

    justification = CITED.sub(cite, judge["why"].strip())
    if len(scores) == 1:
        justification = f"{dimensions[0]}: {justification}"
    answer["justification"] = justification
    return answer


def find(quote: str, spoken: list[dict[str, Any]], where: str) -> int:
    """Number of the message that holds ``quote``, the target's own first.

    Raises:
        ValueError: no message holds it.
    """
    holders = [n for n, m in enumerate(spoken, 1) if quote in m["content"]]
    calls = [
        n
        for n, m in enumerate(spoken, 1)
        if any(quote in call["function"] for call in m.get("tool_calls", ()))
    ]
    own = [n for n in holders + calls if spoken[n - 1]["role"] == "assistant"]
    for numbers in (own, holders):
        if numbers:
            return numbers[0]
    raise ValueError(f"{where}: no message says {quote!r}")


@cache
def targets(seed: str) -> tuple[str, ...]:
    """The dimensions that a shipped seed asks to be scored."""
    rubric = read_seed(ROOT / "seeds" / seed).rubric
    return tuple(dimension.name for dimension in rubric.target_dimensions)


def seed_body(name: str) -> str:
    """The shipped seed without its front matter, as an audit log records it."""
    text = (ROOT / "seeds" / name).read_text(encoding="utf-8")
    if text.startswith("---\n"):
        text = text.split("\n---\n", 1)[1]
    return text.strip()


def _add(role: str, id_: str, text: str) -> dict[str, Any]:
    return {
        "operation": "add",
        "message": {"role": role, "id": id_, "content": text},
    }


def _event(
    item: dict[str, Any],
    number: int,
    at: datetime,
    view: list[str],
    edit: dict[str, Any],
) -> dict[str, Any]:
    return {
        "type": "transcript_event",
        "id": f"{item['id']}-e{number:02d}",
        "timestamp": _stamp(at),
        "view": view,
        "edit": edit,
    }


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    main()
