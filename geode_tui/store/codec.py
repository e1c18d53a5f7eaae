"""The one place where Python text becomes database text and back.

SQLite stores UTF-8, which has no lone surrogates, and its text functions stop
at NUL. Both are escaped with a noncharacter, one escape per code point, so
that every ``str`` survives exactly and ordinary text is stored as it is. What
follows the escape character is no letter and no digit to the full-text index.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import ValidationError

from geode_tui.domain.base import Value
from geode_tui.errors import StoreError

_ESCAPE = "\ufdd0"
_SURROGATES = 0xD800
_PLANE_15 = 0xF0000
_NUL = "\U000f0800"

_UNSTORABLE = re.compile("[\x00\ufdd0\ud800-\udfff]")
_ESCAPED = re.compile("\ufdd0([\ufdd0\U000f0000-\U000f0800])")

Storable = str | int | float | bytes | None
V = TypeVar("V", bound=Value)


def _escape_one(match: re.Match[str]) -> str:
    char = match[0]
    if char == "\0":
        return _ESCAPE + _NUL
    if char == _ESCAPE:
        return _ESCAPE + _ESCAPE
    return _ESCAPE + chr(_PLANE_15 + ord(char) - _SURROGATES)


def _restore_one(match: re.Match[str]) -> str:
    char = match[1]
    if char == _NUL:
        return "\0"
    if char == _ESCAPE:
        return _ESCAPE
    return chr(_SURROGATES + ord(char) - _PLANE_15)


def escape(text: str) -> str:
    """``text`` as SQLite can hold it: no lone surrogate, no NUL."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub(_escape_one, text)


def restore(text: str) -> str:
    """The text that ``escape`` was given."""
    return _ESCAPED.sub(_restore_one, text) if _ESCAPE in text else text


def restore_bytes(data: bytes) -> str:
    """A column as it comes out of the database (for ``text_factory``)."""
    return restore(data.decode("utf-8"))


def bind(values: Iterable[Any]) -> list[Storable]:
    """SQL parameters, with every text escaped."""
    return [escape(value) if isinstance(value, str) else value for value in values]


def dumps(value: Any) -> str:
    """JSON that gives every text back exactly, sorted keys, to be bound as text.

    ASCII escapes would join a high and a low lone surrogate into one character
    on the way back, so texts are kept literal and escaped as a whole.
    """
    if isinstance(value, Value):
        value = value.model_dump()
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str
    )


def loads(text: str) -> Any:
    """The value that ``dumps`` was given; tuples come back as lists."""
    return json.loads(text)


def build(kind: type[V], data: Any, where: str) -> V:
    """A domain value from what ``loads`` gave.

    Raises:
        StoreError: the stored value does not fit this version of the program.
    """
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise StoreError(
            f"a stored {kind.__name__.lower()} cannot be read: {error}.",
            where=where,
            hint="It was written by another version; use the newest geode-tui.",
        ) from error


def load(kind: type[V], text: str, where: str) -> V:
    """A domain value from its JSON.

    Raises:
        StoreError: the stored value does not fit this version of the program.
    """
    return build(kind, loads(text), where)
