"""Telling a harness's own error text from what the target said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from geode_tui.domain.transcript import Message


@lru_cache(maxsize=32)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def is_harness_error(message: Message, patterns: Sequence[str]) -> bool:
    """True where a target message is the harness's error text, not an answer."""
    if not message.by_target:
        return False
    spoken = message.spoken
    return any(p.search(spoken) for p in _compiled(tuple(patterns)))


def replies(messages: Iterable[Message], patterns: Sequence[str]) -> list[Message]:
    """The target's real replies: neither empty nor harness errors."""
    return [
        message
        for message in messages
        if message.by_target
        and (message.spoken.strip() or message.tool_calls)
        and not is_harness_error(message, patterns)
    ]
