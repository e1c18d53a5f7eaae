"""Scores that were given elsewhere: a CSV or JSONL, one dimension a row."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from geode_tui.domain.base import Value
from geode_tui.domain.imported import Refused
from geode_tui.files.ratings import MISSING

FIELDS = ("transcript", "sample_id", "epoch", "rater", "dimension", "score", "note")


class ScoreRow(Value):
    """One score of one rater; ``score`` None where the cell is empty."""

    line: int
    transcript: str = ""
    sample_id: str = ""
    epoch: str = ""
    rater: str = ""
    dimension: str = ""
    score: float | None = None
    note: str = ""


def read_scores(path: Path, columns: Mapping[str, str]) -> Iterator[ScoreRow | Refused]:
    """The rows of a file; a bad row is a value.

    Args:
        path: ``.jsonl``, or anything else as CSV with a header; UTF-8.
        columns: field of ``FIELDS`` -> column; the field's own name if absent.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = _json_rows(file) if path.suffix.lower() == ".jsonl" else _csv(file)
            for line, row in rows:
                yield _row(path, line, row, columns)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = f"The file cannot be read: {error}."
        yield Refused(path=str(path), reason=reason, whole_file=True)


def _csv(file: Any) -> Iterator[tuple[int, Any]]:
    reader = csv.DictReader(file, strict=True)
    for row in reader:
        yield reader.line_num, row


def _json_rows(file: Any) -> Iterator[tuple[int, Any]]:
    for line, text in enumerate(file, 1):
        if text.strip():
            try:
                yield line, json.loads(text)
            except (ValueError, RecursionError):
                yield line, None


def _row(
    path: Path, line: int, row: Any, columns: Mapping[str, str]
) -> ScoreRow | Refused:
    def refused(reason: str) -> Refused:
        return Refused(path=str(path), line=line, reason=reason)

    if not isinstance(row, dict):
        return refused("The line is no JSON object.")
    cells: dict[str, str] = {}
    for field in FIELDS:
        value = row.get(columns.get(field, field))
        if value is None:
            value = ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return refused(f"{columns.get(field, field)} is no text and no number.")
        cells[field] = str(value).strip()
    written = cells.pop("score")
    score = None
    if written.lower() not in MISSING:
        try:
            score = float(written)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            return refused(f"{written!r} is no score.")
    return ScoreRow(line=line, score=score, **cells)
