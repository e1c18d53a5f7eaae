"""Inspect's chat messages and model calls as message drafts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from geode_tui.domain.transcript import Role
from geode_tui.files.chat import read_message
from geode_tui.files.message_text import MessageDraft

if TYPE_CHECKING:
    from inspect_ai.event import Event, ModelEvent
    from inspect_ai.model import ChatMessage

TARGET = "target"
CUT_SHORT = frozenset({"max_tokens", "model_length"})
"""Reasons for which a model stops before it is done."""

Key = tuple[str, str]


def key_of(message: ChatMessage) -> Key:
    """What makes two messages the same one: the id, else role and text."""
    if message.id is not None:
        return ("", message.id)
    return (message.role, message.text)


def draft_of(message: ChatMessage, *, generated: bool) -> MessageDraft:
    """A message as a draft.

    Args:
        message: the message as recorded.
        generated: the target is known to have written it. An assistant's
            message that it did not write is a prefill, the auditor's words.
    """
    drafts = read_message(message.model_dump(exclude_none=True))
    first, *rest = drafts
    for extra in rest:
        first.absorb(extra)
    if first.role is Role.ASSISTANT and not generated:
        first.prefill = True
    return first


def target_events(events: Iterable[Event]) -> list[ModelEvent]:
    """The target's own model calls, in order."""
    return [e for e in events if e.event == "model" and e.role == TARGET]


def answers(events: Iterable[ModelEvent]) -> Iterator[ChatMessage]:
    """What the model said in each of these calls."""
    for event in events:
        if event.output.choices:
            yield event.output.choices[0].message


def conversation(event: ModelEvent) -> list[ChatMessage]:
    """A model call's input and, last, its answer if it gave one."""
    return [*event.input, *answers([event])]


def tool_names(events: Iterable[ModelEvent]) -> frozenset[str]:
    """The native tools that these calls offered."""
    return frozenset(tool.name for event in events for tool in event.tools)


def is_cut_short(events: Iterable[ModelEvent]) -> bool:
    """True where one of the answers ends because of a length limit."""
    return any(
        e.output.choices[0].stop_reason in CUT_SHORT for e in events if e.output.choices
    )
