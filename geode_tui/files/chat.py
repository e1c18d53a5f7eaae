"""Chat messages as dictionaries, in every shape that the sources use.

One reader for Inspect's own messages (also in Petri 1 files), OpenAI-style
and Anthropic-style ones: their fields do not contradict each other. Unknown
content is kept as JSON text, never dropped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from geode_tui.domain.transcript import Role
from geode_tui.files.message_text import MessageDraft

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_TEXT_TYPES = {"text", "input_text", "output_text"}
_RESULT_TYPES = ("tool_result", "_tool_result")


class ShapeError(ValueError):
    """A value is no chat message; the text says why, in a few words."""


def is_message(data: Any) -> bool:
    """True where a value has the shape of a chat message."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("role"), str)
        and data["role"] in _ROLES
        and any(key in data for key in ("content", "tool_calls", "function_call"))
    )


def read_message(data: Any) -> list[MessageDraft]:
    """The message, as one draft; results in a user's turn become their own.

    Raises:
        ShapeError: ``data`` has no known role or no content.
    """
    if not isinstance(data, Mapping):
        raise ShapeError("it is no object")
    role = data.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise ShapeError(f"its role is {_short(role)}")
    if not is_message(data):
        raise ShapeError("it has no content")
    draft = MessageDraft(role=_ROLES[role], id=_text(data.get("id")))
    metadata = data.get("metadata")
    draft.prefill = draft.role is Role.ASSISTANT and (
        data.get("prefill") is True
        or (isinstance(metadata, Mapping) and metadata.get("prefill") is True)
    )
    draft.error = _error(data.get("error"))
    if draft.role is Role.TOOL:
        draft.tool_call_id = _text(data.get("tool_call_id"))
        draft.tool = _text(data.get("function")) or _text(data.get("name"))
        draft.add_result(flat_text(data.get("content")))
        return [draft]
    for key in ("reasoning_content", "reasoning"):
        if isinstance(data.get(key), str) and data[key]:
            draft.add_reasoning(data[key])
            break
    results = _add_content(draft, data.get("content"))
    if isinstance(data.get("refusal"), str):
        draft.add_speech(data["refusal"])
    _add_calls(draft, data)
    if results and not draft.has_parts:
        return results
    return [*results, draft]


def _add_content(draft: MessageDraft, content: Any) -> list[MessageDraft]:
    """Adds the content; returns the tool results found in it, as messages."""
    if isinstance(content, str):
        draft.add_speech(content)
        return []
    results: list[MessageDraft] = []
    blocks = content if isinstance(content, list) else [content]
    for block in blocks:
        if block is None:
            continue
        if isinstance(block, str):
            draft.add_speech(block)
        elif not isinstance(block, Mapping):
            draft.add_attachment(_as_json(block))
        elif _kind(block).endswith(_RESULT_TYPES):
            if draft.role is Role.USER:
                results.append(_result(block))
            else:
                draft.add_result(flat_text(block.get("content")))
        else:
            _add_block(draft, block)
    return results


def _add_block(draft: MessageDraft, block: Mapping[str, Any]) -> None:
    kind = _kind(block)
    if kind in _TEXT_TYPES:
        draft.add_speech(_text(block.get("text")) or "")
    elif kind == "refusal":
        draft.add_speech(_text(block.get("refusal")) or "")
    elif kind in {"thinking", "reasoning", "redacted_thinking"}:
        _add_reasoning(draft, block)
    elif kind in {"tool_use", "server_tool_use"}:
        draft.add_call(
            _text(block.get("name")) or "tool",
            block.get("input", block.get("arguments")),
            id=_text(block.get("id")),
            error=_error(block.get("error")),
        )
        if block.get("result") is not None:  # a tool that the provider ran
            draft.add_result(flat_text(block["result"]))
    else:
        draft.add_attachment(placeholder(block))


def _add_reasoning(draft: MessageDraft, block: Mapping[str, Any]) -> None:
    summary = _text(block.get("summary"))
    hidden = block.get("redacted") is True or block.get("type") == "redacted_thinking"
    written = _text(block.get("thinking")) or _text(block.get("reasoning"))
    if hidden or not written:
        draft.add_hidden_reasoning(summary)
    else:
        draft.add_reasoning(written)


def _add_calls(draft: MessageDraft, data: Mapping[str, Any]) -> None:
    calls = data.get("tool_calls")
    listed = list(calls) if isinstance(calls, list) else []
    if isinstance(data.get("function_call"), Mapping):
        listed.append({"function": data["function_call"]})
    for call in listed:
        if not isinstance(call, Mapping):
            draft.add_attachment(_as_json(call))
            continue
        function = call.get("function")
        inner = function if isinstance(function, Mapping) else call
        name = function if isinstance(function, str) else _text(inner.get("name"))
        draft.add_call(
            name or "tool",
            inner.get("arguments", inner.get("args", inner.get("input"))),
            id=_text(call.get("id")),
            error=_text(call.get("parse_error")),
        )


def _result(block: Mapping[str, Any]) -> MessageDraft:
    """A result block of a user's turn as a tool message of its own."""
    draft = MessageDraft(role=Role.TOOL, tool_call_id=_text(block.get("tool_use_id")))
    text = flat_text(block.get("content"))
    draft.add_result(text)
    if block.get("is_error") is True:
        draft.error = text[:500] or "the tool reported an error"
    return draft


def flat_text(content: Any) -> str:
    """Content as one text, with placeholders for what is not text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(flat_text, content)))
    if isinstance(content, Mapping):
        if _kind(content) in _TEXT_TYPES:
            return _text(content.get("text")) or ""
        if _kind(content):
            return placeholder(content)
    return _as_json(content)


def placeholder(block: Mapping[str, Any]) -> str:
    """What stands for content that is not text, e.g. ``[image 12 kB]``."""
    kind = (_kind(block) or "content").removesuffix("_url").removeprefix("input_")
    source = block.get("source")
    inner = source if isinstance(source, Mapping) else block
    where = next(
        (
            inner[key]
            for key in (kind, f"{kind}_url", "data", "url", "file_id")
            if inner.get(key) is not None
        ),
        None,
    )
    if isinstance(where, Mapping):
        where = where.get("url", where.get("data"))
    name = _text(block.get("filename")) or _text(block.get("title"))
    if isinstance(where, str) and where:
        is_link = where.startswith(("http://", "https://", "file:", "attachment:"))
        detail = where if is_link and len(where) <= 200 else _size(where)
    elif where is None and kind in {"image", "audio", "video", "document", "file"}:
        detail = ""
    else:
        return f"[{kind} {_as_json({k: v for k, v in block.items() if k != 'type'})}]"
    return f"[{' '.join(filter(None, (kind, name, detail)))}]"


def _kind(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""


def _size(data: str) -> str:
    """The size of base64 data or of a data link, in kB."""
    encoded = len(data) - (data.find(",") + 1 if data.startswith("data:") else 0)
    return f"{max(1, round(encoded * 3 / 4 / 1000))} kB"


def _error(value: Any) -> str | None:
    if isinstance(value, Mapping):
        message, kind = _text(value.get("message")), _text(value.get("type"))
        return ": ".join(filter(None, (kind, message))) or _as_json(value)
    return _text(value) or None


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) else _as_json(value)


def _short(value: Any) -> str:
    text = _as_json(value)
    return text if len(text) <= 40 else text[:37] + "..."


_dumps: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, default=str).encode


def _as_json(value: Any) -> str:
    try:
        return _dumps(value)
    except (ValueError, RecursionError):
        return "content that cannot be shown"
