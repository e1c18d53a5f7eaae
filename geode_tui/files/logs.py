"""Log files in, samples out: tells the format and hands over to its reader.

Whatever is wrong with a file, a sample or a line comes out as a ``Refused``
with one sentence; the rest of the file still comes out.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from geode_tui.config import DEFAULT_HARNESS_ERRORS
from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.errors import ConfigError
from geode_tui.files.claude_code import read_claude_code
from geode_tui.files.inspect_log import is_inspect_log, read_inspect_log
from geode_tui.files.limits import UnreadableError, read_json
from geode_tui.files.messages import (
    is_conversations,
    read_conversation_lines,
    read_conversations,
)
from geode_tui.files.petri_json import is_petri_transcript, read_petri_transcript
from geode_tui.files.sniff import Kind, sniff

LOG_SUFFIXES = (".eval", ".json", ".jsonl", ".ndjson")
"""Files that a folder is searched for."""

Read = ImportedSample | Refused


def log_paths(paths: Iterable[Path]) -> list[Path]:
    """The log files that ``paths`` name, in order, each once.

    Folders are searched with their subfolders (hidden ones left out) for files
    that can be logs; a file, or what is not there, is kept as given, so that
    reading it says what is wrong.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(_in_folder(path)))
        else:
            found[path] = None
    return list(found)


def _in_folder(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(p.startswith(".") for p in path.relative_to(folder).parts)
        if path.suffix.lower() in LOG_SUFFIXES and not hidden and path.is_file():
            yield path


def count_samples(path: Path) -> int | None:
    """How many samples a file holds, where that can be told at once."""
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(
                name.startswith("samples/") and name.endswith(".json")
                for name in archive.namelist()
            )
    except (OSError, zipfile.BadZipFile, ValueError):
        return None


def read_log(
    path: Path, *, harness_errors: Sequence[str] = DEFAULT_HARNESS_ERRORS
) -> Iterator[Read]:
    """The samples of a log file, one in memory at a time, and what is refused.

    Args:
        path: a file of any known format; the format is told from its content.
        harness_errors: regular expressions; a target message that matches one
            is the harness's own error text.

    Raises:
        ConfigError: one of ``harness_errors`` is no regular expression.
    """
    for pattern in harness_errors:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(
                f"{pattern!r} is no regular expression ({error}).",
                where="import.harness_errors",
                hint="Mend it in geode.toml.",
            ) from error
    return _read(path, tuple(harness_errors))


def _read(path: Path, harness_errors: tuple[str, ...]) -> Iterator[Read]:
    produced = False
    try:
        for item in _reader(path)(path, harness_errors):
            yield item
            produced = produced or isinstance(item, ImportedSample)
    except UnreadableError as error:
        yield Refused(path=str(path), reason=str(error), whole_file=not produced)
    except OSError as error:
        reason = f"The file cannot be read: {error.strerror or error}."
        yield Refused(path=str(path), reason=reason, whole_file=not produced)
    except MemoryError:
        reason = "There is not enough memory for this file. Split it."
        yield Refused(path=str(path), reason=reason, whole_file=not produced)
    except Exception as error:  # a reader's own mistake must not end the import
        reason = (
            f"Reading failed unexpectedly ({type(error).__name__}:"
            f" {str(error)[:200]}). Please report it with the file."
        )
        yield Refused(path=str(path), reason=reason, whole_file=not produced)


def _reader(path: Path) -> Callable[[Path, tuple[str, ...]], Iterator[Read]]:
    if path.is_dir():
        raise UnreadableError("This is a folder; name the log files in it.")
    if not path.exists():
        raise UnreadableError("There is no such file. Check the path.")
    if not path.is_file():
        # A pipe would be waited for without end.
        raise UnreadableError("This is no regular file; copy its content to one.")
    kind = sniff(path)
    readers = {
        Kind.INSPECT: read_inspect_log,
        Kind.JSON: _read_json_document,
        Kind.CLAUDE_CODE: read_claude_code,
        Kind.MESSAGE_LINES: read_conversation_lines,
    }
    return readers[kind]


def _read_json_document(path: Path, harness_errors: tuple[str, ...]) -> Iterator[Read]:
    data: Any = read_json(path)
    if is_inspect_log(data):
        del data
        yield from read_inspect_log(path, harness_errors)
    elif is_petri_transcript(data):
        yield read_petri_transcript(data, path.name, harness_errors)
    elif is_conversations(data):
        yield from read_conversations(data, path, harness_errors)
    else:
        raise UnreadableError(
            "This JSON is no transcript: known are Inspect logs, Petri transcripts"
            " and lists of chat messages."
        )
