"""JSON patches (RFC 6902) on the message list of a Petri 1 view."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any


def patched(messages: list[Any], patch: Any) -> list[Any]:
    """The list after the patch; ``messages`` itself is left as it was.

    Paths begin at a document ``{"messages": [...]}`` or at the list itself.

    Raises:
        ValueError: an operation is unknown or points to nothing.
    """
    if not isinstance(patch, list):
        raise ValueError("it is no list of operations")
    document: dict[str, Any] = {"messages": copy.deepcopy(messages)}
    for operation in patch:
        if not isinstance(operation, Mapping):
            raise ValueError("an operation is no object")
        _apply(document, operation)
    result = document.get("messages")
    if not isinstance(result, list):
        raise ValueError("it leaves no list of messages")
    return result


def _apply(document: dict[str, Any], operation: Mapping[str, Any]) -> None:
    kind = operation.get("op")
    path = _pointer(operation.get("path"))
    if kind in ("add", "replace", "test"):
        value = copy.deepcopy(operation.get("value"))
    elif kind in ("move", "copy"):
        source = _pointer(operation.get("from"))
        value = copy.deepcopy(_get(document, source))
        if kind == "move":
            _remove(document, source)
    elif kind == "remove":
        _remove(document, path)
        return
    else:
        raise ValueError(f"the operation {str(kind)[:20]!r} is unknown")
    if kind == "test":
        if _get(document, path) != value:
            raise ValueError("a test of the patch fails")
    elif kind == "replace":
        _set(document, path, value)
    else:
        _insert(document, path, value)


def _pointer(path: Any) -> list[str]:
    if not isinstance(path, str) or (path and not path.startswith("/")):
        raise ValueError("a path is no JSON pointer")
    parts = [p.replace("~1", "/").replace("~0", "~") for p in path.split("/")[1:]]
    if not parts or parts[0] != "messages":
        parts.insert(0, "messages")
    return parts


def _get(document: Any, parts: list[str]) -> Any:
    for part in parts:
        if isinstance(document, dict) and part in document:
            document = document[part]
        elif isinstance(document, list):
            document = document[_index(document, part, len(document) - 1)]
        else:
            raise ValueError(f"there is nothing at {part[:40]!r}")
    return document


def _index(items: list[Any], part: str, highest: int) -> int:
    if not part.isascii() or not part.isdigit() or int(part[:9]) > highest:
        raise ValueError(f"there is no item {part[:20]!r}")
    return int(part)


def _remove(document: dict[str, Any], parts: list[str]) -> None:
    holder, last = _get(document, parts[:-1]), parts[-1]
    if isinstance(holder, list):
        del holder[_index(holder, last, len(holder) - 1)]
    elif isinstance(holder, dict) and last in holder:
        del holder[last]
    else:
        raise ValueError(f"there is nothing at {last[:40]!r}")


def _set(document: dict[str, Any], parts: list[str], value: Any) -> None:
    holder, last = _get(document, parts[:-1]), parts[-1]
    if isinstance(holder, list):
        holder[_index(holder, last, len(holder) - 1)] = value
    elif isinstance(holder, dict):
        holder[last] = value
    else:
        raise ValueError(f"there is nothing at {last[:40]!r}")


def _insert(document: dict[str, Any], parts: list[str], value: Any) -> None:
    holder, last = _get(document, parts[:-1]), parts[-1]
    if isinstance(holder, list):
        at = len(holder) if last == "-" else _index(holder, last, len(holder))
        holder.insert(at, value)
    else:
        _set(document, parts, value)
