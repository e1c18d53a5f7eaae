"""JSON that a person can read and no terminal can be hurt by.

Letters of every script stay as they are; what a terminal or an editor would
act on (C1 controls, bidi marks, line separators, lone surrogates, ...) becomes
a JSON escape, which any reader turns back into the same text.
"""

from __future__ import annotations

import json
import re
from typing import Any

_PAIR_OR_UNSAFE = re.compile(
    "[\ud800-\udbff][\udc00-\udfff]"
    "|[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]"
)


def _escaped(match: re.Match[str]) -> str:
    text = match.group()
    if len(text) == 2:
        # JSON cannot tell two surrogates from the character they spell, so the
        # character is written: reading and writing again changes nothing.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    return f"\\u{ord(text):04x}"


def to_json(value: Any, *, indent: int | None = None) -> str:
    """``value`` as JSON in valid UTF-8 without control characters.

    Keys keep their order. ``indent`` None gives one line.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return _PAIR_OR_UNSAFE.sub(_escaped, text)
