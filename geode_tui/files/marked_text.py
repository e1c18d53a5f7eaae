"""Reasoning and tool results that are written into plain text with tags."""

from __future__ import annotations

import json
import re

from geode_tui.domain.base import Span
from geode_tui.files.fences import Fences

_THOUGHT = re.compile(
    r"(?<!`)<(thinking|think|reasoning|scratchpad|thinking_summary)>|"
    r"<thinking_redacted\s?/>",
    re.IGNORECASE,
)
_CALL_SIGN = re.compile(
    r"<tool_call>|<tool_use>|<function_calls>|<(?:antml:)?function_calls>"
    r"|<(?:antml:)?invoke\s|^```tool_call",
    re.MULTILINE,
)
_RESULT = re.compile(
    r"<(?P<tag>tool_result|tool_response|function_results|tool_output)"
    r"(?:\s[^<>\n]{0,300})?>"
    r"|^[ \t]{0,8}(?P<fence>`{3,}|~{3,})tool[_-](?:result|response|output)\b"
    r"|^[ \t]{0,8}(?P<line>TOOL[_ ](?:RESULT|OUTPUT)\s{0,3}:)",
    re.MULTILINE,
)
_RESULT_KEYS = ("tool_result", "tool_response", "function_result")


def reasoning_spans(text: str) -> list[Span]:
    """Stretches of a target's text that are its reasoning, tags included.

    A tag that is never closed runs to the next call, or to the end.
    """
    if "<" not in text:
        return []
    spans: list[Span] = []
    position = 0
    lowered = text.lower() if len(text.lower()) == len(text) else text
    missing: set[str] = set()
    while match := _THOUGHT.search(text, position):
        name = (match.group(1) or "").lower()
        end = match.end()
        if name:
            closer = f"</{name}>"
            stop = -1 if closer in missing else lowered.find(closer, end)
            if stop >= 0:
                end = stop + len(closer)
            else:
                missing.add(closer)
                call = _CALL_SIGN.search(text, end)
                end = call.start() if call else len(text)
        spans.append(Span(start=match.start(), end=end))
        position = end
    return spans


def result_spans(text: str, *, bare: bool = False) -> list[Span]:
    """Stretches of a user message that are tool results, tags included.

    ``bare``: the message answers a call, so a message that is nothing but one
    JSON object or list is a result as well.
    """
    spans: list[Span] = []
    fences: Fences | None = None
    missing: set[str] = set()
    position = 0
    while match := _RESULT.search(text, position):
        if tag := match.group("tag"):
            end = _tag_end(text, match, tag, missing)
        elif match.group("fence"):
            fences = fences or Fences(text)
            fence = fences.at(text.rfind("\n", 0, match.start("fence")) + 1)
            end = fence.end if fence else match.end()
        else:
            following = _RESULT.search(text, match.end())
            end = following.start() if following else len(text)
            end = match.start() + len(text[match.start() : end].rstrip())
        end = max(end, match.end())
        spans.append(Span(start=match.start(), end=end))
        position = end
    if not spans:
        spans = _json_result(text, bare)
    return spans


def _tag_end(text: str, match: re.Match[str], tag: str, missing: set[str]) -> int:
    closer = f"</{tag}>"
    stop = -1 if closer in missing else text.find(closer, match.end())
    if stop >= 0:
        return stop + len(closer)
    missing.add(closer)
    following = _RESULT.search(text, match.end())
    return following.start() if following else len(text)


def _json_result(text: str, bare: bool) -> list[Span]:
    body = text.strip()
    if not body.startswith(("{", "[")):
        return []
    marked = any(f'"{key}"' in body[:200] for key in _RESULT_KEYS)
    if not (bare or marked):
        return []
    try:
        value = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        return []
    keyed = isinstance(value, dict) and any(key in value for key in _RESULT_KEYS)
    if not (bare or keyed):
        return []
    start = len(text) - len(text.lstrip())
    return [Span(start=start, end=start + len(body))]
