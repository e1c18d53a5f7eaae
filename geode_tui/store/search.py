"""A user's words as a full-text query and as a LIKE pattern, without injection."""

from __future__ import annotations

_LIKE_ESCAPE = "\\"
LIKE_CLAUSE = f"LIKE ? ESCAPE '{_LIKE_ESCAPE}'"


def fts_query(text: str) -> str | None:
    """An FTS5 query for messages that hold every word; None where there is no word.

    Each word becomes a quoted string, so that nothing in it is an operator;
    the last one is matched as a prefix, because people search while they type.
    """
    words = [
        word.replace('"', '""')
        for word in text.split()
        if any(char.isalnum() for char in word)
    ]
    if not words:
        return None
    return " ".join(f'"{word}"' for word in words) + "*"


def like_pattern(text: str) -> str:
    """A LIKE pattern for columns that contain ``text`` literally."""
    for char in (_LIKE_ESCAPE, "%", "_"):
        text = text.replace(char, _LIKE_ESCAPE + char)
    return f"%{text}%"
