"""The one text of a message, with its segments and calls.

Whatever a source gives in parts (speech, reasoning, native calls, results,
images) is written into one text; segments say which stretch is what, so that
search, citations and evidence need one kind of offset.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from geode_tui.domain.base import Span
from geode_tui.domain.imported import AuditorMessage
from geode_tui.domain.transcript import Message, Role, Segment, SegmentKind, ToolCall
from geode_tui.files.marked_text import reasoning_spans, result_spans
from geode_tui.files.quasi_json import scalar
from geode_tui.files.tool_call_text import find_calls

_ONE_LINE = re.compile(r"[^\s\x00-\x1f](?:[^\x00-\x1f]*[^\s\x00-\x1f])?")


@dataclass
class MessageDraft:
    """A message in the making; its parts are added in their order."""

    role: Role
    id: str | None = None
    prefill: bool = False
    tool_call_id: str | None = None
    tool: str | None = None
    error: str | None = None
    calls: list[ToolCall] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _spoken: list[Span] = field(default_factory=list)
    _length: int = 0

    def add_speech(self, text: str) -> None:
        """Plain speech, exactly as written."""
        if text:
            self._spoken.append(self._write(text))

    def add_reasoning(self, text: str) -> None:
        """Native reasoning; it is marked in the text as the judge sees it."""
        self._mark(SegmentKind.REASONING, f"<thinking>{text}</thinking>")

    def add_hidden_reasoning(self, summary: str | None) -> None:
        """Reasoning that the provider withheld, with its summary if there is one."""
        text = "<thinking_redacted/>"
        if summary:
            text = f"<thinking_summary>{summary}</thinking_summary>"
        self._mark(SegmentKind.REASONING, text)

    def add_call(
        self,
        name: str,
        arguments: Any,
        *,
        id: str | None = None,  # noqa: A002 - the field's name
        error: str | None = None,
    ) -> None:
        """A native call. ``arguments`` that are text are read as JSON."""
        values, raw, problem = _read_arguments(arguments)
        error = error or problem
        span = self._mark(SegmentKind.TOOL_CALL, written_call(name, values, raw))
        self.calls.append(
            ToolCall(
                name=name,
                arguments=values,
                how="native",
                span=span,
                id=id,
                error=error,
                raw=raw,
            )
        )

    def add_result(self, text: str) -> None:
        """What a tool returned."""
        if text:
            self._mark(SegmentKind.TOOL_RESULT, text)

    def add_attachment(self, placeholder: str) -> None:
        """A placeholder for content that is not text, such as ``[image 12 kB]``."""
        self._mark(SegmentKind.ATTACHMENT, placeholder)

    @property
    def has_parts(self) -> bool:
        """True where anything has been added."""
        return bool(self._pieces)

    def absorb(self, other: MessageDraft) -> None:
        """Append all parts of another draft to this one."""
        by = self._length + 1 if self._length else 0
        text = "".join(other._pieces)
        if not text:
            return
        self._write(text)
        self._spoken += [_shift(span, by) for span in other._spoken]
        self.segments += [
            Segment(kind=s.kind, span=_shift(s.span, by)) for s in other.segments
        ]
        self.calls += [
            call.model_copy(update={"span": _shift(call.span, by)})
            for call in other.calls
        ]

    def as_auditor(self, n: int) -> AuditorMessage:
        """The message as one of the auditor's own conversation, reasoning apart."""
        self.prefill = True  # calls in it are not the target's
        message = self.finish(n)
        thoughts = [
            s.span.of(message.text)
            for s in message.segments
            if s.kind is SegmentKind.REASONING
        ]
        return AuditorMessage(
            n=n,
            role=message.role.value,
            text=message.spoken,
            reasoning="\n".join(thoughts),
        )

    def _mark(self, kind: SegmentKind, text: str) -> Span:
        span = self._write(text)
        self.segments.append(Segment(kind=kind, span=span))
        return span

    def _write(self, text: str) -> Span:
        if self._length:
            self._pieces.append("\n")
            self._length += 1
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        return Span(start=start, end=self._length)

    def finish(
        self, m: int, *, tools: Collection[str] = (), after_calls: bool = False
    ) -> Message:
        """The message, numbered ``m``.

        Calls and reasoning written as text are looked for in what the target
        said, results in what the auditor said. ``after_calls``: the message
        answers one with calls, so that a bare JSON text is a result too.
        """
        text = "".join(self._pieces)
        segments, calls = list(self.segments), list(self.calls)
        if self.role is Role.ASSISTANT:
            for stretch in self._spoken:
                for kind, span, call in self._said(text, stretch, tools):
                    segments.append(Segment(kind=kind, span=span))
                    calls += [call] if call else []
        elif self.role is Role.USER or (self.role is Role.SYSTEM and after_calls):
            for stretch in self._spoken:
                spans = result_spans(stretch.of(text), bare=after_calls)
                segments += [
                    Segment(kind=SegmentKind.TOOL_RESULT, span=_shift(s, stretch.start))
                    for s in spans
                ]
        return Message(
            m=m,
            id=self.id,
            role=self.role,
            text=text,
            segments=tuple(sorted(segments, key=lambda s: s.span.start)),
            tool_calls=tuple(sorted(calls, key=lambda c: c.span.start)),
            prefill=self.prefill,
            tool_call_id=self.tool_call_id,
            tool=self.tool,
            error=self.error,
        )

    def _said(
        self, text: str, stretch: Span, tools: Collection[str]
    ) -> Iterator[tuple[SegmentKind, Span, ToolCall | None]]:
        said = stretch.of(text)
        at = 0
        thoughts = [(span.start, span.end) for span in reasoning_spans(said)]
        for start, end in [*thoughts, (len(said), len(said))]:
            if not self.prefill:
                offset = stretch.start + at
                for call in find_calls(said[at:start], tools):
                    span = _shift(call.span, offset)
                    moved = call.model_copy(update={"span": span})
                    yield SegmentKind.TOOL_CALL, span, moved
            if end > start:
                span = Span(start=stretch.start + start, end=stretch.start + end)
                yield SegmentKind.REASONING, span, None
            at = end


def number(
    drafts: Sequence[MessageDraft], *, tools: Collection[str] = (), first: int = 1
) -> tuple[Message, ...]:
    """The messages of a conversation in order, numbered from ``first``."""
    messages: list[Message] = []
    after_calls = False
    for m, draft in enumerate(drafts, first):
        message = draft.finish(m, tools=tools, after_calls=after_calls)
        messages.append(message)
        if message.role is Role.ASSISTANT:
            after_calls = bool(message.tool_calls) and message.by_target
    return tuple(messages)


def _shift(span: Span, by: int) -> Span:
    return Span(start=span.start + by, end=span.end + by)


def _read_arguments(written: Any) -> tuple[dict[str, Any], str | None, str | None]:
    """Arguments, else the text that could not be read and why."""
    if written is None or written == "":
        return {}, None, None
    if isinstance(written, Mapping):
        return dict(written), None, None
    if not isinstance(written, str):
        return {}, json.dumps(written), "the arguments are not an object"
    try:
        value = json.loads(written, strict=False, parse_constant=str)
    except (ValueError, RecursionError) as error:
        return {}, written, f"the arguments are no JSON ({error})"
    if not isinstance(value, dict):
        return {}, written, "the arguments are not an object"
    return value, None, None


def written_call(
    name: str, arguments: Mapping[str, Any], raw: str | None = None
) -> str:
    """A native call as text, the same for the same call.

    One argument a line; long texts keep their line breaks, indented. Text that
    would read as another value is quoted, so the form is unambiguous.
    """
    lines = [f"Tool call: {name}"]
    for key, value in arguments.items():
        lines += _argument_lines(str(key), value)
    if raw is not None:
        lines += ["  " + line for line in raw.split("\n")]
    return "\n".join(lines)


def _argument_lines(key: str, value: Any) -> list[str]:
    if isinstance(value, str):
        if "\n" in value and "\r" not in value:
            return [f"  {key}: |", *("    " + line for line in value.split("\n"))]
        if _ONE_LINE.fullmatch(value) and value != "|" and scalar(value) is value:
            return [f"  {key}: {value}"]
    return [f"  {key}: {json.dumps(value, ensure_ascii=False)}"]
