"""Reading files whole, within bounds, and saying why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO

LARGEST_WHOLE = 512 * 1024 * 1024
"""Bytes: the largest file that is read whole. JSON takes up to ten times its
size in memory. ``.eval`` logs and JSON lines are read piece by piece."""

LARGEST_LINE = 256 * 1024 * 1024
"""Bytes: the longest line of a JSON lines file."""


class UnreadableError(Exception):
    """A file cannot be read; the text is a sentence that says what to do."""


def size_words(size: int) -> str:
    """A number of bytes in the largest unit that leaves at least 1."""
    for unit, power in (("GB", 30), ("MB", 20), ("kB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):.1f} {unit}"
    return f"{size} bytes"


def read_json(path: Path) -> Any:
    """The JSON document of a file.

    Raises:
        UnreadableError: it is too large, no JSON, or cut short.
        OSError: the file cannot be opened or read.
    """
    size = path.stat().st_size
    if size > LARGEST_WHOLE:
        raise UnreadableError(
            f"This JSON file has {size_words(size)} and would have to be read whole;"
            f" the limit is {size_words(LARGEST_WHOLE)}. Split it, or convert an"
            " Inspect log to .eval, which is read sample by sample."
        )
    return parse_json(path.read_bytes())


def parse_json(data: bytes) -> Any:
    """The JSON document of some bytes (UTF-8, UTF-16 or UTF-32).

    Raises:
        UnreadableError: it is no JSON, or cut short.
    """
    if not data.strip():
        raise UnreadableError("The file is empty. Write or copy it again.")
    try:
        return json.loads(data)
    except json.JSONDecodeError as error:
        if error.pos >= len(error.doc.rstrip()) or "Unterminated" in error.msg:
            raise UnreadableError(
                f"The JSON is cut short at line {error.lineno} ({error.msg})."
                " Write or copy the file again."
            ) from None
        raise UnreadableError(
            f"This is no valid JSON: {error.msg} at line {error.lineno}, column"
            f" {error.colno}. Mend it, or write it again."
        ) from None
    except UnicodeDecodeError:
        raise UnreadableError(
            "The text is in no Unicode encoding. Save it as UTF-8."
        ) from None
    except (RecursionError, ValueError):
        raise UnreadableError(
            "The JSON is nested too deeply or holds an endless number, so it is no log."
        ) from None


def next_line(file: BinaryIO) -> bytes:
    """The next line with its end, b"" at the end of the file.

    Raises:
        UnreadableError: the line is too long; the file is then past it.
    """
    line = file.readline(LARGEST_LINE + 1)
    if len(line) <= LARGEST_LINE:
        return line
    while line and not line.endswith(b"\n"):
        line = file.readline(LARGEST_LINE)
    raise UnreadableError(
        f"The line is longer than {size_words(LARGEST_LINE)}. Split it."
    )
