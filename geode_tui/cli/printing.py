"""Printing for people: aligned tables, outside text made harmless."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from geode_tui.domain.display import cells, one_line, visible
from geode_tui.domain.jsontext import to_json

_GAP = "  "
_LEAST = 6
"""Cells that a shrunk column keeps."""
_WHOLE = 1_000
"""Cells of a column where the output is no terminal."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        shrinks: gives up room when the terminal is too narrow.
    """

    title: str
    right: bool = False
    shrinks: bool = False


def print_json(value: Any) -> None:
    """Print ``value`` as indented JSON."""
    click.echo(to_json(value, indent=2))


def say(text: str = "", *, err: bool = False) -> None:
    """Print text, lines kept, control characters made visible."""
    click.echo(visible(text), err=err)


def terminal_width() -> int | None:
    """Cells per line; None where the output is no terminal."""
    if not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under their titles, fitted to the terminal's width."""
    for line in table_lines(columns, rows, terminal_width()):
        click.echo(line)


def table_lines(
    columns: Sequence[Column], rows: Iterable[Sequence[str]], width: int | None
) -> list[str]:
    """The lines of a table; ``width`` None never cuts below ``_WHOLE`` cells."""
    table = [[one_line(text, _WHOLE) for text in row] for row in rows]
    table.insert(0, [column.title for column in columns])
    widths = [max(cells(row[i]) for row in table) for i in range(len(columns))]
    if width is not None:
        widths = _fitted(columns, widths, width - len(_GAP) * (len(columns) - 1))
    lines = []
    for row in table:
        placed = [
            _placed(text, size, column.right)
            for text, size, column in zip(row, widths, columns, strict=True)
        ]
        lines.append(_GAP.join(placed).rstrip())
    return lines


def _fitted(columns: Sequence[Column], widths: list[int], room: int) -> list[int]:
    """Widths that fit into ``room``: the widest column that may shrink gives first."""
    widths = list(widths)
    while sum(widths) > room:
        free = [i for i, c in enumerate(columns) if c.shrinks and widths[i] > _LEAST]
        if not free:
            break
        widths[max(free, key=lambda i: widths[i])] -= 1
    return widths


def _placed(text: str, size: int, right: bool) -> str:
    text = one_line(text, size) if cells(text) > size else text
    padding = " " * (size - cells(text))
    return padding + text if right else text + padding
