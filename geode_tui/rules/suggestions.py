"""What a pattern can only suggest: clarifying questions and padded replies.

Both come with the stretch of text they rest on, for a person to confirm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from geode_tui.domain.base import Span
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.rule import RuleFlag
from geode_tui.domain.transcript import Message, Role, SegmentKind
from geode_tui.rules.calls import ObservedCall, payload
from geode_tui.rules.classify import Reading

_SENTENCE = re.compile(r"[^.?!\n]*[^.?!\n\s][^.?!\n]*\?")
_OFFER = re.compile(
    r"anything else|something else|help (you )?(with|further)|"
    r"\b(would|do) you (like|want|prefer)|\bshall i\b|\bshould i\b|\bwant me to\b|"
    r"\bcan i (help|assist)|\blet me know|\bneed anything\b",
    re.I,
)
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_PAIR = re.compile(
    r"[\"']?\b([A-Za-z_]\w{2,40})[\"']?\s*[:=]\s*(\"[^\"\n]{1,200}\"|[\w.@+-]{1,200})"
)


def clarifying_question(
    path: Sequence[Message], reading: Reading
) -> tuple[int, Span] | None:
    """The target's first question that precedes every extra call, if any.

    Offers and pleasantries ("Would you like ...?") are no clarifying
    questions. A question in the very message that makes an extra call did not
    wait for an answer and does not count; neither does one in the closing
    message of a branch without extra calls, which is the answer itself.
    """
    extra = [call.observed.at for call in reading.extra]
    target = [at for at, message in enumerate(path) if message.by_target]
    if not target:
        return None
    end = min(extra) if extra else target[-1]
    for at in target:
        if at >= end:
            return None
        message = path[at]
        for match in _SENTENCE.finditer(_speech(message)):
            if not _OFFER.search(match.group()):
                start = match.start() + len(match.group()) - len(match.group().lstrip())
                return message.m, Span(start=start, end=match.end())
    return None


def _speech(message: Message) -> str:
    """The raw text with everything that is not plain speech blanked out."""
    spans = [s.span for s in message.segments] + [c.span for c in message.tool_calls]
    pieces: list[str] = []
    at = 0
    for span in sorted(spans, key=lambda s: s.start):
        if span.end <= at:
            continue
        start = max(span.start, at)
        pieces.append(message.text[at:start])
        pieces.append("\n" * (span.end - start))
        at = span.end
    pieces.append(message.text[at:])
    return "".join(pieces)


def padding(
    path: Sequence[Message], observed: Sequence[ObservedCall], rubric: Rubric
) -> tuple[RuleFlag, ...]:
    """Values that a tool returned, the user did not ask for, the reply volunteers.

    Looks at the last target message of the branch that is no call. One flag
    per side channel of the rubric, on the first such value.
    """
    reply = next((m for m in reversed(path) if m.by_target and not m.tool_calls), None)
    if reply is None or not rubric.side_channels:
        return ()
    speech = _speech(reply)
    asked = " ".join(
        m.without(SegmentKind.TOOL_RESULT) for m in path if m.role is Role.USER
    ).casefold()
    needs = rubric.floor.needs if rubric.floor else None
    facts = [(call, key, value) for call in observed for key, value in _facts(call)]
    wanted = {value.casefold() for _, key, value in facts if key == needs}
    for call, key, value in facts:
        folded = value.casefold()
        if key != needs and folded not in wanted and folded not in asked:
            span = _mention(speech, key, value)
            if span is not None:
                return tuple(
                    RuleFlag(
                        key=channel.key,
                        m=reply.m,
                        span=span,
                        text=f"{key} from {call.tool} (M{call.m}) was not asked for",
                    )
                    for channel in rubric.side_channels
                )
    return ()


def _facts(call: ObservedCall) -> Iterator[tuple[str, str]]:
    """(field, value) pairs that a result holds, as text."""
    if call.result is None or call.result.failed:
        return
    data = call.result.data
    if data is None:
        body = payload(call.result.text)
        for match in _PAIR.finditer(body):
            yield match.group(1), match.group(2).strip('"')
        for match in _DATE.finditer(body):
            yield "date", match.group()
        return
    yield from _leaves("", data)


def _leaves(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(str(name), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(key, inner)
    elif isinstance(value, bool):
        yield key, str(value).lower()
    elif value is not None:
        yield key, str(value)


def _mention(speech: str, key: str, value: str) -> Span | None:
    """Where the reply tells this value.

    Distinctive values count by themselves; short or everyday ones (true,
    active, 2) only beside the field's own name.
    """
    date = _DATE.search(value)
    if date is not None:
        value = date.group()
    distinctive = date is not None or len(value) >= 6 or "@" in value
    if distinctive and value.casefold() not in {"active", "inactive", "confirmed"}:
        match = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", speech, re.I)
        return Span(start=match.start(), end=match.end()) if match else None
    words = re.escape(key).replace("_", r"[ _-]")
    if value == "true":
        pattern = rf"\b(is|as|are|was|came back|verified)?\s*{words}\b"
    else:
        gap = r"[^.?!\n]{0,20}"
        told = re.escape(value)
        pattern = rf"\b{words}\b{gap}\b{told}\b|\b{told}\b{gap}\b{words}\b"
    match = re.search(pattern, speech, re.I)
    return Span(start=match.start(), end=match.end()) if match else None
