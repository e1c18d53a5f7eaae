"""Identities: time-ordered event ids (UUIDv7) and content hashes.

Python 3.11 has no ``uuid.uuid7``; RFC 9562 section 5.7 is a few lines.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
import uuid
from typing import Any

HASH_TAG = "b2"
"""Algorithm tag in front of every content hash: BLAKE2b, 128 bits, hex."""

_lock = threading.Lock()
_last = 0


def uuid7() -> str:
    """A UUIDv7 as a string: sorts by time, strictly increasing in one process.

    The 12 bits after the milliseconds count events of the same millisecond
    (RFC 9562 section 6.2, method 1), so that string order is event order.
    """
    global _last
    with _lock:
        stamp = max(time.time_ns() // 1_000_000 << 12, _last + 1)
        _last = stamp
    milliseconds, counter = stamp >> 12, stamp & 0xFFF
    value = (
        (milliseconds & (1 << 48) - 1) << 80
        | 0x7 << 76
        | counter << 64
        | 0b10 << 62
        | secrets.randbits(62)
    )
    return str(uuid.UUID(int=value))


def canonical_json(value: Any) -> str:
    """JSON with one spelling per value: sorted keys, no spaces, ASCII only.

    ASCII escapes keep lone surrogates representable, so any text has a hash.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def content_hash(value: Any) -> str:
    """Tagged hash of the canonical JSON of ``value``, e.g. ``b2:3f…`` (32 hex)."""
    digest = hashlib.blake2b(canonical_json(value).encode("ascii"), digest_size=16)
    return f"{HASH_TAG}:{digest.hexdigest()}"


def normalise_space(text: str) -> str:
    """Every run of white space as one blank, ends stripped."""
    return " ".join(text.split())


def text_hash(text: str) -> str:
    """Content hash of a text with white space normalised (matches seeds to logs)."""
    return content_hash(normalise_space(text))
