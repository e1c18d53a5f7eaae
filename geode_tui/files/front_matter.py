"""Front matter of a seed: YAML between fences, as values that JSON can hold.

Nothing in it raises: what cannot be read is a sentence, and then there is no
metadata.
"""

from __future__ import annotations

import re
from typing import Any

_LINE_END = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_WIDEST_INTEGER = 63
"""Bits; longer integers are kept as text, which every reader of JSON takes."""
_LONGEST_DECIMAL = 10_000
"""Bits of an integer that Python still writes out in decimal digits."""


def front_matter(text: str) -> tuple[dict[str, Any], str, int, str]:
    """Metadata, body, number of lines before the body, and what was wrong."""
    match = _FENCE.match(text)
    if match is None:
        return {}, text.removeprefix("\ufeff"), 0, ""
    body = text[match.end() :]
    offset = len(_LINE_END.findall(match.group()))
    data, problem = _loaded(match.group(1))
    return data, body, offset, problem


def _loaded(text: str) -> tuple[dict[str, Any], str]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # A few short lines of aliases stand for gigabytes, or for themselves.
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                mark = event.start_mark
                where = f" (line {mark.line + 2})" if mark else ""
                return {}, (
                    f"The front matter refers to another value{where}: write the "
                    "value out instead of the alias."
                )
        data: Any = yaml.load(text, Loader=loader)
        if data is None:
            return {}, ""
        if not isinstance(data, dict):
            return {}, "The front matter is no mapping of keys."
        return {_key(key): jsonable(value) for key, value in data.items()}, ""
    except (
        yaml.YAMLError,
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        # Constructors of tags (!!float, !!timestamp) let all of these through.
        reason = " ".join(str(error).split()) or type(error).__name__
        return {}, f"The front matter is no YAML: {reason}"


def jsonable(value: Any) -> Any:
    """YAML dates, odd keys and numbers as text, so that JSON can hold them.

    Raises:
        RecursionError: nested without end.
    """
    if isinstance(value, dict):
        return {_key(key): jsonable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [jsonable(inner) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        bits = value.bit_length()
        if bits <= _WIDEST_INTEGER:
            return value
        return str(value) if bits <= _LONGEST_DECIMAL else hex(value)
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return value
    # Half a surrogate pair ("\ud800") is no text that can be written.
    return str(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _key(value: Any) -> str:
    return str(jsonable(value))
