"""The target's calls along one branch, each with its result."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from geode_tui.domain.rubric import ToolSpec
from geode_tui.domain.transcript import (
    Message,
    Role,
    SegmentKind,
    ToolCall,
    Transcript,
)
from geode_tui.rules.equivalence import Canonical, canonical

_ERROR_HEAD = re.compile(r"\W*(error|exception|traceback|timeout|timed out)\b", re.I)
_NAMED_RESULT = re.compile(r"<tool_result[^>]*\bname\s*=\s*[\"']([\w.-]+)", re.I)


_TAG = re.compile(r"^\s*<tool_result[^>]*>|</tool_result>\s*$")
_FENCE = re.compile(r"^\s*```\w*\s*|\s*```\s*$")


@dataclass(frozen=True)
class ToolResult:
    """What came back for a call."""

    m: int
    text: str
    error: bool = False
    """The source itself marked the result as an error."""

    @cached_property
    def data(self) -> Any:
        """The result as JSON, or None where it is none."""
        return _json(payload(self.text))

    @cached_property
    def failed(self) -> bool:
        """True where the result reports an error rather than a value."""
        return self.error or is_error(self.text, self.data)


@dataclass(frozen=True)
class ObservedCall:
    """A call of the target at its place in a branch.

    Attributes:
        order: position among the branch's calls, from 0.
        at: position of its message in the branch's path, from 0.
        result: None where nothing came back.
    """

    order: int
    at: int
    m: int
    call: ToolCall
    canonical: Canonical
    result: ToolResult | None

    @property
    def tool(self) -> str:
        """The tool's name, "" where none was written."""
        return self.call.name or ""

    @property
    def answered(self) -> bool:
        """True where a result came back that is no error."""
        return self.result is not None and not self.result.failed


def observed_calls(
    transcript: Transcript, branch: int, tools: Sequence[ToolSpec] = ()
) -> tuple[ObservedCall, ...]:
    """The target's calls along the path of ``branch``, in order.

    Calls in prefilled turns are the auditor's and are left out. A native call
    is paired with its result by id. Results written into user messages are
    paired by tool name where they carry one, else in order, within the
    messages up to the target's next turn.
    """
    specs = {spec.name: spec for spec in tools}
    path = transcript.path(branch)
    observed: list[ObservedCall] = []
    for at, message in enumerate(path):
        if not message.by_target or not message.tool_calls:
            continue
        results = _pair(message.tool_calls, path[at + 1 :])
        for call, result in zip(message.tool_calls, results, strict=True):
            observed.append(
                ObservedCall(
                    order=len(observed),
                    at=at,
                    m=message.m,
                    call=call,
                    canonical=canonical(call, specs.get(call.name or "")),
                    result=result,
                )
            )
    return tuple(observed)


def _pair(
    calls: Sequence[ToolCall], following: Sequence[Message]
) -> list[ToolResult | None]:
    results: list[ToolResult | None] = [None] * len(calls)
    by_id = {call.id: i for i, call in enumerate(calls) if call.id is not None}
    loose: list[tuple[str | None, ToolResult]] = []
    for message in following:
        if message.role is Role.ASSISTANT:
            break
        if message.role is Role.TOOL:
            result = ToolResult(message.m, message.text, bool(message.error))
            index = by_id.get(message.tool_call_id or "")
            if index is not None:
                results[index] = result
            else:
                loose.append((message.tool, result))
            continue
        loose.extend(_written_results(message))
    for name, result in loose:
        index = _open_place(name, calls, results)
        if index is not None:
            results[index] = result
    return results


def _written_results(message: Message) -> list[tuple[str | None, ToolResult]]:
    found: list[tuple[str | None, ToolResult]] = []
    for segment in message.segments:
        if segment.kind is SegmentKind.TOOL_RESULT:
            text = segment.span.of(message.text)
            named = _NAMED_RESULT.match(text.lstrip())
            found.append(
                (named.group(1) if named else None, ToolResult(message.m, text))
            )
    return found


def _open_place(
    name: str | None, calls: Sequence[ToolCall], results: Sequence[ToolResult | None]
) -> int | None:
    """The first call still without a result, of this name if the result has one."""
    still = [i for i, result in enumerate(results) if result is None]
    if name is not None:
        named = [i for i in still if calls[i].name == name]
        if named:
            return named[0]
    return still[0] if still else None


def payload(text: str) -> str:
    """A written result without its tag or fence."""
    if "<" not in text and "`" not in text:
        return text.strip()
    return _FENCE.sub("", _TAG.sub("", text)).strip()


def _json(body: str) -> Any:
    if not body.startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def is_error(text: str, data: Any) -> bool:
    """True where a result (``data``: its JSON, if it is any) reports an error."""
    if data is None:
        return bool(_ERROR_HEAD.match(payload(text)))
    if isinstance(data, dict):
        if data.get("error") or data.get("is_error") is True:
            return True
        if data.get("ok") is False or data.get("success") is False:
            return True
        status = data.get("status")
        return isinstance(status, str) and status.casefold() in {
            "error",
            "failed",
            "failure",
        }
    return isinstance(data, str) and bool(_ERROR_HEAD.match(data))
