"""The question that the judge is asked: rules, transcript, rubric, in that order.

The order is the cheapest one: the standing rules and the transcript are a
prefix that repeats and rubric versions share, with the cache breakpoint after
the transcript. Wording lives in versioned files; a verdict records the hash of
everything but the nonce.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from geode_tui.domain.harness import is_harness_error
from geode_tui.domain.ids import content_hash
from geode_tui.domain.rubric import Dimension, Rubric
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Segment,
    SegmentKind,
    Transcript,
)

PROMPT_VERSION = "v1"
_PLACEHOLDER = "{nonce}"


@dataclass(frozen=True)
class Prompt:
    """A question ready to be sent.

    Attributes:
        system: the standing rules.
        transcript: the transcript between its marks; the cacheable prefix ends
            with it.
        question: the rubric and what is asked of it.
        hash: of version, rules, transcript and question, without the nonce, so
            that the same question has the same hash in every workspace.
    """

    system: str
    transcript: str
    question: str
    hash: str


def nonce_for(secret: bytes, transcript_id: str) -> str:
    """The mark of a transcript: 16 hex digits that its text cannot know.

    Derived (HMAC-SHA-256), not drawn, so that the prompt's bytes and with them
    the provider's cache stay the same over repeats and rubric versions.
    """
    digest = hmac.new(secret, transcript_id.encode(), hashlib.sha256)
    return digest.hexdigest()[:16]


def build_prompt(
    transcript: Transcript,
    rubric: Rubric,
    dimensions: Sequence[Dimension],
    *,
    nonce: str,
    harness_errors: Sequence[str] = (),
    version: str = PROMPT_VERSION,
) -> Prompt:
    """The question about ``transcript`` on ``dimensions`` of ``rubric``.

    Holds no auditor reasoning, no earlier score, no model name and no file
    name: nothing that a blind rater would not be shown either.
    """
    system = _template(version, "system")
    body = _transcript_text(transcript, harness_errors)
    question = _question(rubric, dimensions)
    return Prompt(
        system=system.replace(_PLACEHOLDER, nonce),
        transcript=body.replace(_MARK, nonce),
        question=question,
        hash=content_hash([version, system, body, question]),
    )


# Stands for the nonce while the text is put together. Outside text cannot hold
# it: _plain replaces every NUL.
_MARK = "\x00nonce\x00"


@lru_cache(maxsize=8)
def _template(version: str, name: str) -> str:
    folder = files("geode_tui.judge").joinpath("prompts", version)
    return folder.joinpath(f"{name}.md").read_text(encoding="utf-8")


def _plain(text: str) -> str:
    """Outside text as the request can carry it: no NUL, no lone surrogates."""
    clean = text.replace("\x00", "\N{SYMBOL FOR NULL}")
    return clean.encode("utf-8", "replace").decode("utf-8")


def _transcript_text(transcript: Transcript, harness_errors: Sequence[str]) -> str:
    lines = [f"BEGIN TRANSCRIPT {_MARK}"]
    for branch in transcript.branches:
        lines.append(_branch_header(branch, len(transcript.branches)))
        for m in branch.own:
            message = transcript.message(m)
            lines.append(_message_header(message, harness_errors))
            lines.append(_body(message))
    lines.append(f"END TRANSCRIPT {_MARK}")
    return "\n\n".join(line for line in lines if line)


def _branch_header(branch: Branch, count: int) -> str:
    if count == 1:
        return ""
    if branch.kind is BranchKind.ROLLBACK:
        came = (
            f"rolled back to [M{branch.forked_from}] of branch {branch.parent}"
            if branch.forked_from is not None
            else "rolled back to the start"
        )
    elif branch.kind is BranchKind.RESTART:
        came = "restart, nothing before it is known to the target"
    else:
        came = "first conversation"
    return f"===== BRANCH {branch.n}: {came} ===== {_MARK}"


def _message_header(message: Message, harness_errors: Sequence[str]) -> str:
    if message.role is Role.ASSISTANT:
        who = "ASSISTANT (prefill)" if message.prefill else "ASSISTANT (target)"
        if is_harness_error(message, harness_errors):
            who = "ASSISTANT (harness error)"
    elif message.role is Role.TOOL and message.tool:
        who = f"TOOL {_plain(message.tool)}"
    else:
        who = message.role.value.upper()
    error = " (tool error)" if message.error else ""
    return f"[M{message.m}] {who}{error} {_MARK}"


def _body(message: Message) -> str:
    """The message's text with its calls and reasoning marked as what they are."""
    pieces: list[str] = []
    at = 0
    for segment in sorted(_marked(message), key=lambda s: s.span.start):
        if segment.span.start < at:
            continue
        pieces.append(_plain(message.text[at : segment.span.start]))
        label = segment.kind.value.replace("_", " ")
        inner = _plain(segment.span.of(message.text))
        pieces.append(f"\n({label} {_MARK})\n{inner}\n(end of {label} {_MARK})\n")
        at = segment.span.end
    pieces.append(_plain(message.text[at:]))
    text = "".join(pieces).strip("\n")
    if message.error:
        text += f"\n(error {_MARK})\n{_plain(message.error)}"
    return text or "(empty)"


def _marked(message: Message) -> list[Segment]:
    calls = [
        Segment(kind=SegmentKind.TOOL_CALL, span=call.span)
        for call in message.tool_calls
    ]
    own = [s for s in message.segments if s.kind is not SegmentKind.TOOL_CALL]
    return own + calls


def _question(rubric: Rubric, dimensions: Sequence[Dimension]) -> str:
    parts = ["Score the transcript above on this rubric.", "RUBRIC AS WRITTEN"]
    parts.append(_plain(rubric.raw.strip()) or "(the rubric gives no wording)")
    parts.append("DIMENSIONS TO SCORE, each an integer from 1 to 10")
    for dimension in dimensions:
        better = "lower" if dimension.lower_is_better else "higher"
        line = f"- {dimension.name} ({better} is better)"
        text = _plain(dimension.text.strip())
        parts.append(f"{line}: {text}" if text and text not in rubric.raw else line)
    structure = _structure(rubric)
    if structure:
        parts.append("THE SAME RUBRIC, STRUCTURED")
        parts.append(json.dumps(structure, indent=1, ensure_ascii=False))
    if rubric.sub_modes:
        parts.append("SUB-MODES (choose every one that fired, by key)")
        parts.extend(f"- {s.key}: {_plain(s.label)}" for s in rubric.sub_modes)
    if rubric.side_channels:
        parts.append("SIDE-CHANNEL FLAGS (beside the score, never in it)")
        parts.extend(f"- {s.key}: {_plain(s.text)}" for s in rubric.side_channels)
    return "\n".join(parts)


def _structure(rubric: Rubric) -> dict[str, object]:
    fields = {"bands", "deltas", "floor", "adjustments", "guards", "not_scorable"}
    dumped = rubric.model_dump(mode="json", include=fields, exclude_defaults=True)
    return {name: _without_lines(value) for name, value in dumped.items() if value}


def _without_lines(value: object) -> object:
    if isinstance(value, dict):
        return {k: _without_lines(v) for k, v in value.items() if k != "line"}
    if isinstance(value, list):
        return [_without_lines(item) for item in value]
    return value
