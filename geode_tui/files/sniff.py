"""Tells what kind of log a file is from its first bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from geode_tui.files.limits import UnreadableError

_HEAD = 65_536
_INSPECT_JSON = re.compile(rb'^\s{0,100}\{\s{0,100}"version"\s{0,100}:\s{0,100}\d')
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7z",
}
_CLAUDE_CODE_KEYS = frozenset({"sessionId", "parentUuid", "isSidechain", "leafUuid"})


class Kind(StrEnum):
    """Who reads a file."""

    INSPECT = "inspect"
    JSON = "json"
    CLAUDE_CODE = "claude_code"
    MESSAGE_LINES = "message_lines"


def sniff(path: Path) -> Kind:
    """The kind of log that a file is.

    Raises:
        UnreadableError: the file is empty or can be no log.
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip():
        raise UnreadableError("The file is empty. Write or copy it again.")
    if head.startswith(b"PK"):
        return Kind.INSPECT
    for magic, name in _COMPRESSED.items():
        if head.startswith(magic):
            raise UnreadableError(f"The file is packed with {name}; unpack it first.")
    if path.suffix.lower() == ".eval":
        raise UnreadableError(
            "This is no Inspect log: an .eval file is a zip, and this one does not"
            " begin like one. Copy it again."
        )
    if _INSPECT_JSON.match(head) and b'"eval"' in head:
        return Kind.INSPECT
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] not in (b"{", b"[") and b"\x00" not in head[:4]:
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            return _kind_of_lines(head)  # the first line may be the bad one
        raise UnreadableError(
            "This is no log: it is neither a zip (.eval) nor JSON nor JSON lines."
        )
    if path.suffix.lower() in (".jsonl", ".ndjson") or _is_lines(head):
        return _kind_of_lines(head)
    return Kind.JSON


def _is_lines(head: bytes) -> bool:
    """True where the first line is a JSON object and another one follows."""
    first, _, rest = head.partition(b"\n")
    return isinstance(_object(first), Mapping) and rest.lstrip()[:1] == b"{"


def _kind_of_lines(head: bytes) -> Kind:
    for line in head.split(b"\n")[:50]:
        data = _object(line)
        if isinstance(data, Mapping) and _CLAUDE_CODE_KEYS & data.keys():
            return Kind.CLAUDE_CODE
        if isinstance(data, Mapping) and ("role" in data or "messages" in data):
            return Kind.MESSAGE_LINES
    # A first line longer than the head cannot be parsed here.
    marks = (b'"sessionId"', b'"parentUuid"')
    if all(mark in head for mark in marks):
        return Kind.CLAUDE_CODE
    return Kind.MESSAGE_LINES


def _object(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
