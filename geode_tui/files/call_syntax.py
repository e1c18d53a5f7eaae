"""Calls written like code: ``crm_lookup("C-4471", days=30)``."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from geode_tui.files.quasi_json import decode_at, skip_space

NAME = r"[A-Za-z_][\w.-]{0,127}"

_HEAD = re.compile(rf"({NAME})\(")
_KEYWORD = re.compile(r"([A-Za-z_]\w{0,127})\s{0,20}[=:]\s{0,20}(?!=)")
_WORD = re.compile(r"[^,()\s]{1,200}")
_SINGLE_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WORDS: dict[str, Any] = {
    "True": True,
    "true": True,
    "False": False,
    "false": False,
    "None": None,
    "null": None,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class WrittenCall(NamedTuple):
    """A call as written; ``end`` is where its text ends (exclusive)."""

    name: str
    positional: tuple[Any, ...]
    arguments: dict[str, Any]
    end: int


def call_at(text: str, at: int) -> WrittenCall | None:
    """The call expression that starts at ``at``, or None where there is none.

    Values are JSON values, single-quoted strings, Python's and JSON's words
    for true, false and null, or bare words taken as text.
    """
    head = _HEAD.match(text, at)
    if head is None:
        return None
    positional: list[Any] = []
    arguments: dict[str, Any] = {}
    position = skip_space(text, head.end())
    while not text.startswith(")", position):
        key = _KEYWORD.match(text, position)
        value = _value_at(text, key.end() if key else position)
        if value is None:
            return None
        if key:
            arguments[key.group(1)] = value[0]
        else:
            positional.append(value[0])
        position = skip_space(text, value[1])
        if text.startswith(",", position):
            position = skip_space(text, position + 1)
        elif not text.startswith(")", position):
            return None
    return WrittenCall(head.group(1), tuple(positional), arguments, position + 1)


def _value_at(text: str, at: int) -> tuple[Any, int] | None:
    quoted = _SINGLE_QUOTED.match(text, at)
    if quoted:
        return _ESCAPE.sub(_escape, quoted.group(1)), quoted.end()
    if text[at : at + 1] in {"{", "[", '"'}:
        decoded = decode_at(text, at)
        return (decoded.value, decoded.end) if decoded.ok else None
    word = _WORD.match(text, at)
    if word is None:
        return None
    written = word.group()
    if written in _WORDS:
        return _WORDS[written], word.end()
    try:
        return json.loads(written, parse_constant=str), word.end()
    except (ValueError, RecursionError):
        return written, word.end()


def _escape(match: re.Match[str]) -> str:
    sign = match.group(1)
    return _ESCAPES.get(sign, sign)
