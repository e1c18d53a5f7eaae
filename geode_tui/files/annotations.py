"""Annotation files: events as JSONL (complete) and labels as CSV (for tables)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from geode_tui.domain.adjudication import Adjudication
from geode_tui.domain.base import Value
from geode_tui.domain.imported import Refused
from geode_tui.domain.jsontext import to_json
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.score import Event, EventKind, Evidence

LOOK_AHEAD = 1 << 20
"""Bytes of a file's first line that are read to tell what the file is."""

CSV_COLUMNS = (
    "transcript",
    "source",
    "sample_id",
    "epoch",
    "seed",
    "rubric",
    "rater",
    "at",
    "dimension",
    "score",
    "not_scorable",
    "sub_modes",
    "flags",
    "evidence",
    "note",
    "after_reveal",
    "event",
)

_ADJUDICATION = "adjudication"
_KINDS = {kind.value for kind in EventKind} | {_ADJUDICATION}
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")


class EventLine(Value):
    """One event of a file and the line it was read from, from 1."""

    line: int
    event: Event | Adjudication


class Origin(Value):
    """Where a transcript came from, as a table shows it."""

    source: str
    sample_id: str
    epoch: int
    seed: str


def event_record(event: Event | Adjudication) -> dict[str, Any]:
    """The event as plain JSON values, keys in the documented order."""
    return event.model_dump(mode="json")


def event_line(event: Event | Adjudication) -> str:
    """The event as one line of JSONL, line feed included."""
    return to_json(event_record(event)) + "\n"


def is_event_file(path: Path) -> bool:
    """True where the first written line of ``path`` is an annotation event.

    At most ``LOOK_AHEAD`` bytes are read. False where it cannot be read.
    """
    try:
        with path.open("rb") as file:
            line = b""
            while not line.strip():
                line = file.readline(LOOK_AHEAD)
                if not line:
                    return False
    except OSError:
        return False
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(found, dict)
        and found.get("event") in _KINDS
        and "transcript" in found
        and "rater" in found
    )


def read_events(path: Path) -> Iterator[EventLine | Refused]:
    """The events of a JSONL file, one line at a time; a bad line is a value."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _read(path, number, line)
    except OSError as error:
        yield Refused(
            path=str(path),
            reason=f"The file cannot be read: {error.strerror or error}.",
            whole_file=True,
        )


def _read(path: Path, number: int, line: bytes) -> EventLine | Refused:
    try:
        data = json.loads(line)
        if not isinstance(data, dict):
            raise ValueError("it is no JSON object")
        decided = data.get("event") == _ADJUDICATION
        kind: type[Event | Adjudication] = Adjudication if decided else Event
        return EventLine(line=number, event=kind.model_validate(data))
    except ValidationError as error:
        reason = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'event'}: {e['msg']}"
            for e in error.errors(include_url=False, include_input=False)[:3]
        )
    except (ValueError, RecursionError) as error:
        reason = str(error)
    reason = reason.removesuffix(".")
    return Refused(
        path=str(path), line=number, reason=f"The line is no event: {reason}."
    )


def csv_rows(
    event: Event, rubric: Rubric | None, origin: Origin | None
) -> Iterator[list[str]]:
    """A label as rows of ``CSV_COLUMNS``, one per dimension.

    A label that is not scorable has one row per dimension that its rubric asks
    (one without a dimension where the rubric is not at hand), the score empty.
    ``origin`` is None where the transcript has not been imported.
    """
    scores: dict[str, int | None] = dict(event.scores)
    if not scores:
        asked = rubric.target_dimensions if rubric else ()
        scores = {d.name: None for d in asked} or {"": None}
    where = ["", "", "", ""]
    if origin:
        where = [origin.source, origin.sample_id, str(origin.epoch), origin.seed]
    for dimension, score in scores.items():
        cells = [
            event.transcript,
            *where,
            event.rubric,
            event.rater,
            event.at,
            dimension,
            "" if score is None else str(score),
            event.not_scorable or "",
            ";".join(event.sub_modes),
            ";".join(event.flags),
            " ".join(
                place(evidence)
                for evidence in event.evidence
                if evidence.dimension in (None, dimension)
            ),
            event.note,
            "yes" if event.after_reveal else "no",
            event.id,
        ]
        yield [safe_cell(cell) for cell in cells]


def place(evidence: Evidence) -> str:
    """Where evidence is: ``M3`` or ``M3:10-25`` (code points, end excluded)."""
    if evidence.span is None:
        return f"M{evidence.m}"
    return f"M{evidence.m}:{evidence.span.start}-{evidence.span.end}"


def safe_cell(text: str) -> str:
    """``text`` as a cell that no spreadsheet runs as a formula.

    A dangerous first character gets an apostrophe before it, as spreadsheets
    themselves mark text. NUL and lone surrogates, which no CSV reader takes,
    are written as escapes, and every line end is a line feed.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\\x00")
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text
