"""Conversations as chat messages: OpenAI-style and Anthropic-style.

A JSON lines file holds a conversation a line (an object with ``messages``) or
a message a line (then the file is one conversation). A JSON document holds
one conversation, or a list of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.domain.transcript import Source, Transcript
from geode_tui.files.chat import ShapeError, flat_text, is_message, read_message
from geode_tui.files.conversation_tree import TreeBuilder, finish_tree
from geode_tui.files.declared_tools import declared_tools
from geode_tui.files.json_lines import Line, bad_line, read_lines
from geode_tui.files.limits import UnreadableError
from geode_tui.files.message_text import MessageDraft
from geode_tui.files.validity import validity_of

Read = ImportedSample | Refused

OPENAI = "openai"
ANTHROPIC = "anthropic"

_ANTHROPIC_BLOCKS = frozenset({"tool_use", "tool_result", "thinking"})
_SEED_KEYS = ("seed_instruction", "seed_text", "seed")
_KEPT_KEYS = ("tags", "target_dims", "target_dim", "name", "category", "description")
_USED_KEYS = frozenset(
    {"messages", "system", "tools", "id", "model", "created", "created_at", "metadata"}
    | {"epoch", *_SEED_KEYS, *_KEPT_KEYS}
)


def is_conversations(data: Any) -> bool:
    """True where a JSON document is a conversation or a list of them."""
    if isinstance(data, Mapping):
        return isinstance(data.get("messages"), list)
    return (
        isinstance(data, list)
        and bool(data)
        and all(is_message(item) or _has_messages(item) for item in data)
    )


def _has_messages(data: Any) -> bool:
    return isinstance(data, Mapping) and isinstance(data.get("messages"), list)


def read_conversations(
    data: Any, path: Path, harness_errors: Sequence[str]
) -> Iterator[Read]:
    """The conversations of a JSON document (see ``is_conversations``)."""
    if isinstance(data, Mapping):
        yield from _conversation(data, path, None, harness_errors)
    elif all(is_message(item) for item in data):
        yield from _conversation({"messages": data}, path, None, harness_errors)
    else:
        for number, item in enumerate(data, 1):
            yield from _conversation(item, path, number, harness_errors)


def read_conversation_lines(
    path: Path, harness_errors: Sequence[str]
) -> Iterator[Read]:
    """The conversations of a JSON lines file.

    Raises:
        UnreadableError: no line holds a message or conversation.
        OSError: the file cannot be read.
    """
    loose: list[Any] = []
    found = False
    for line in read_lines(path):
        if isinstance(line, Refused):
            yield line
        elif _has_messages(line.value):
            found = True
            yield from _conversation(line.value, path, line.number, harness_errors)
        elif is_message(line.value):
            loose.append(line.value)
        else:
            yield _unknown(path, line)
    if loose:
        yield from _conversation({"messages": loose}, path, None, harness_errors)
    elif not found:
        raise UnreadableError(
            "No line of the file holds a chat message or a conversation, so there is"
            " nothing to import."
        )


def _unknown(path: Path, line: Line) -> Refused:
    return bad_line(
        path,
        line.number,
        "The line is neither a chat message (role and content) nor an object with"
        " messages; it is left out.",
    )


def _conversation(
    data: Mapping[str, Any],
    path: Path,
    number: int | None,
    harness_errors: Sequence[str],
) -> Iterator[Read]:
    """One conversation; ``number`` is its line or place in the file."""
    builder = TreeBuilder()
    notes: list[str] = []
    if data.get("system"):  # Anthropic's place for the system prompt
        builder.add(read_message({"role": "system", "content": data["system"]})[0])
    for place, message in enumerate(data["messages"], 1):
        try:
            drafts = read_message(message)
        except ShapeError as error:
            notes.append(f"Message {place} is left out: {error}.")
            continue
        for draft in drafts:
            builder.add(draft)
    if not builder.drafts:
        yield Refused(
            path=str(path),
            line=number,
            reason="The conversation holds no readable message; it is left out.",
        )
        return
    name_tools(builder.drafts)
    left_out = sorted(map(str, data.keys() - _USED_KEYS))
    if left_out:
        notes.append(f"Not read: {', '.join(left_out)[:200]}.")
    transcript = _transcript(data, path, number, builder, harness_errors)
    yield ImportedSample(transcript=transcript, notes=tuple(notes))


def _transcript(
    data: Mapping[str, Any],
    path: Path,
    number: int | None,
    builder: TreeBuilder,
    harness_errors: Sequence[str],
) -> Transcript:
    seed = next((flat_text(data[k]) for k in _SEED_KEYS if data.get(k)), "")
    branches = builder.branches()
    tools = declared_tools([seed]) | frozenset(_offered(data.get("tools")))
    messages = finish_tree(builder.drafts, branches, tools)
    metadata = data.get("metadata")
    kept = {k: data[k] for k in _KEPT_KEYS if k in data}
    if isinstance(metadata, Mapping):
        kept = {**metadata, **kept}
    epoch = data.get("epoch")
    place = path.stem if number is None else str(number)
    created = data.get("created_at", data.get("created"))
    return Transcript(
        source=Source(
            log=path.name,
            path=path.name,
            format=ANTHROPIC if _is_anthropic(data) else OPENAI,
            sample_id=str(data["id"]) if data.get("id") is not None else place,
            epoch=epoch if isinstance(epoch, int) else 1,
            created=None if created is None else str(created),
            target_model=flat_text(data.get("model")) or None,
        ),
        messages=messages,
        branches=branches,
        seed_text=seed,
        metadata=kept,
        validity=validity_of(messages, harness_errors=harness_errors),
    )


def _is_anthropic(data: Mapping[str, Any]) -> bool:
    if data.get("system"):
        return True
    return any(
        isinstance(block, Mapping) and str(block.get("type")) in _ANTHROPIC_BLOCKS
        for message in data["messages"]
        if isinstance(message, Mapping) and isinstance(message.get("content"), list)
        for block in message["content"]
    )


def _offered(tools: Any) -> Iterator[str]:
    for tool in tools if isinstance(tools, list) else []:
        if isinstance(tool, Mapping):
            inner = tool.get("function", tool)
            if isinstance(inner, Mapping) and isinstance(inner.get("name"), str):
                yield inner["name"]


def name_tools(drafts: Sequence[MessageDraft]) -> None:
    """Give each result the name of the tool that it answers, by the call's id."""
    names: dict[str, str | None] = {}
    for draft in drafts:
        for call in draft.calls:
            if call.id is not None:
                names[call.id] = call.name
        if draft.tool is None and draft.tool_call_id is not None:
            draft.tool = names.get(draft.tool_call_id)
