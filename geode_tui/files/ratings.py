"""Tables of ratings from anywhere: JSON, or CSV in long or wide form."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import Field

from geode_tui.domain.base import Value
from geode_tui.errors import CalibrationError

MISSING = frozenset({"", "na", "n/a", "nan", "none", "null", "-"})
"""Cells, in small letters, that say that there is no rating."""

ITEM = ("item", "transcript", "id", "unit")
RATER = ("rater", "annotator", "coder")
SCORE = ("score", "rating", "value")
GROUP = ("group", "seed", "family")
LABELS = ("labels", "sub_modes")
DIMENSION = "dimension"


class RatingsTable(Value):
    """Ratings of one dimension.

    Attributes:
        ratings: rater -> item -> score; None where the rater gave none.
        groups: item -> scenario family.
        labels: rater -> item -> labels given; an item left out was not labelled.
    """

    ratings: dict[str, dict[str, float | None]] = Field(default_factory=dict)
    groups: dict[str, str] = Field(default_factory=dict)
    labels: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)


def read_ratings(path: Path, *, dimension: str | None = None) -> RatingsTable:
    """The ratings of a file, by its ending ``.json`` or ``.csv``.

    A long CSV has the columns ``item``, ``rater``, ``score`` and perhaps
    ``group``, ``dimension``, ``labels`` (joined by ``;``), as the export of a
    workspace does under its own names. Any other CSV is wide: the item, perhaps
    ``group``, then one column per rater.

    Args:
        path: the file, in UTF-8.
        dimension: the one to read, where the table holds several.

    Raises:
        CalibrationError: the file cannot be read as ratings of one dimension;
            says where.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationError(
            f"the ratings cannot be read: {error}.",
            where=str(path),
            hint="Name a readable JSON or CSV file in UTF-8.",
        ) from error
    if path.suffix.lower() == ".json" or text.lstrip().startswith("{"):
        return _from_json(path, text)
    return _from_csv(path, text, dimension)


def _from_json(path: Path, text: str) -> RatingsTable:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _wrong(path, f"the file is no JSON: {error}.") from error
    if not isinstance(data, dict) or not isinstance(data.get("ratings", {}), dict):
        raise _wrong(path, 'there is no object "ratings".')
    if not data.keys() & {"ratings", "labels"}:
        raise _wrong(path, 'there is no object "ratings".')
    ratings = {}
    for rater, scores in data.get("ratings", {}).items():
        if not isinstance(scores, dict):
            raise _wrong(path, f"the ratings of {rater!r} are no object.")
        ratings[rater] = {
            item: _json_score(path, rater, item, value)
            for item, value in scores.items()
        }
    return RatingsTable(
        ratings=ratings,
        groups=_groups(path, data.get("groups") or {}),
        labels=_labels(path, data.get("labels") or {}),
    )


def _json_score(path: Path, rater: str, item: str, value: Any) -> float | None:
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value):
        raise _wrong(path, f"{value!r} is no score.", f"rater {rater}, item {item}")
    return float(value)


def _groups(path: Path, groups: Any) -> dict[str, str]:
    if not isinstance(groups, dict) or not all(
        isinstance(g, str | int) for g in groups.values()
    ):
        raise _wrong(path, '"groups" must give each item a name.')
    return {item: str(group) for item, group in groups.items()}


def _labels(path: Path, labels: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    if not isinstance(labels, dict):
        raise _wrong(path, '"labels" is no object.')
    out: dict[str, dict[str, tuple[str, ...]]] = {}
    for rater, given in labels.items():
        if not isinstance(given, dict):
            raise _wrong(path, f"the labels of {rater!r} are no object.")
        out[rater] = {}
        for item, names in given.items():
            if names is None:
                continue
            if not isinstance(names, list) or not all(
                isinstance(name, str) for name in names
            ):
                place = f"rater {rater}, item {item}"
                raise _wrong(path, "labels must be a list of names.", place)
            out[rater][item] = tuple(names)
    return out


def _from_csv(path: Path, text: str, dimension: str | None) -> RatingsTable:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise _wrong(path, f"the file is no CSV: {error}.") from error
    if not rows or not any(rows[0]):
        raise _wrong(path, "the file has no header.")
    header = [name.strip() for name in rows[0]]
    lower = [name.lower() for name in header]
    lines: list[tuple[int, list[str]]] = []
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(header):
            raise _wrong(
                path,
                f"there are {len(row)} cells, the header has {len(header)}.",
                f"row {number}",
            )
        lines.append((number, row + [""] * (len(header) - len(row))))
    item, rater = _column(lower, ITEM), _column(lower, RATER)
    score = _column(lower, SCORE)
    if item is not None and rater is not None and score is not None:
        return _long(path, lower, lines, (item, rater, score), dimension)
    if dimension is not None:
        raise _wrong(path, "a wide table has no dimensions to choose from.")
    return _wide(path, header, lines)


def _long(
    path: Path,
    header: list[str],
    lines: Iterable[tuple[int, list[str]]],
    columns: tuple[int, int, int],
    dimension: str | None,
) -> RatingsTable:
    item_at, rater_at, score_at = columns
    at = header.index(DIMENSION) if DIMENSION in header else None
    group_at, labels_at = _column(header, GROUP), _column(header, LABELS)
    lines = list(lines)
    if at is not None:
        present = sorted({row[at].strip() for _, row in lines if row[at].strip()})
        if dimension is None and len(present) > 1:
            raise _wrong(
                path,
                f"there are {len(present)} dimensions ({', '.join(present)}), and"
                " dimensions are never pooled.",
                hint="Choose one with --dimension.",
            )
        if dimension is not None and dimension not in present:
            known = ", ".join(present) or "none"
            raise _wrong(path, f"there is no dimension {dimension!r}, only {known}.")
        wanted = dimension or "".join(present)
        lines = [(n, row) for n, row in lines if row[at].strip() in ("", wanted)]
    elif dimension is not None:
        raise _wrong(path, "there is no column 'dimension' to choose from.")
    ratings: dict[str, dict[str, float | None]] = {}
    labels: dict[str, dict[str, tuple[str, ...]]] = {}
    groups: dict[str, str] = {}
    for number, row in lines:
        item, rater = row[item_at].strip(), row[rater_at].strip()
        if not item or not rater:
            raise _wrong(path, "item or rater is empty.", f"row {number}")
        given = ratings.setdefault(rater, {})
        if item in given:
            raise _wrong(
                path,
                f"{rater} rates {item} a second time.",
                f"row {number}",
                hint="Give each rater one score per item.",
            )
        given[item] = value = _cell(path, row[score_at], f"row {number}")
        if group_at is not None and row[group_at].strip():
            _add_group(path, groups, item, row[group_at].strip(), number)
        if labels_at is not None and (value is not None or row[labels_at].strip()):
            names = (name.strip() for name in row[labels_at].split(";"))
            labels.setdefault(rater, {})[item] = tuple(n for n in names if n)
    return RatingsTable(ratings=ratings, groups=groups, labels=labels)


def _wide(
    path: Path, header: list[str], lines: Iterable[tuple[int, list[str]]]
) -> RatingsTable:
    lower = [name.lower() for name in header]
    item_at = _column(lower, ITEM) or 0
    group_at = _column(lower, GROUP)
    raters = {
        name: place
        for place, name in enumerate(header)
        if place not in (item_at, group_at)
    }
    if "" in raters or len(raters) != len(header) - 1 - (group_at is not None):
        raise _wrong(path, "each rater's column needs a name of its own.", "row 1")
    ratings: dict[str, dict[str, float | None]] = {name: {} for name in raters}
    groups: dict[str, str] = {}
    seen: set[str] = set()
    for number, row in lines:
        item = row[item_at].strip()
        if not item or item in seen:
            what = f"the item {item!r} is there already" if item else "no item"
            raise _wrong(path, f"{what}.", f"row {number}")
        seen.add(item)
        if group_at is not None and row[group_at].strip():
            _add_group(path, groups, item, row[group_at].strip(), number)
        for rater, place in raters.items():
            where = f"row {number}, column {rater}"
            ratings[rater][item] = _cell(path, row[place], where)
    return RatingsTable(ratings=ratings, groups=groups)


def _add_group(
    path: Path, groups: dict[str, str], item: str, group: str, number: int
) -> None:
    if groups.setdefault(item, group) != group:
        raise _wrong(
            path, f"{item} is in {groups[item]!r} and {group!r}.", f"row {number}"
        )


def _cell(path: Path, cell: str, where: str) -> float | None:
    text = cell.strip()
    if text.lower() in MISSING:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _wrong(path, f"{text!r} is no score.", where)
    return value


def _column(header: list[str], names: Iterable[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _wrong(
    path: Path,
    message: str,
    place: str = "",
    *,
    hint: str = "docs/cli.md shows the forms that are read.",
) -> CalibrationError:
    where = f"{path}, {place}" if place else str(path)
    return CalibrationError(message, where=where, hint=hint)
