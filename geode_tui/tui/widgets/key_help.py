"""Every key in words, read from the bindings themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from textual.binding import Binding, BindingType
from textual.keys import format_key, key_to_character

from geode_tui.domain.display import visible
from geode_tui.tui.widgets.lines import Line, wrap


class KeyRow(NamedTuple):
    """One action: its keys as shown, what it does, the id for a keymap."""

    keys: str
    does: str
    id: str


def _bound(
    bindings: Iterable[BindingType], keymap: Mapping[str, str]
) -> Iterator[tuple[Binding, list[str]]]:
    for binding in bindings:
        if isinstance(binding, Binding):
            keys = keymap.get(binding.id or "", binding.key)
            names = [key.strip() or "," for key in keys.split(",")] if keys else []
            yield binding, names


_WORDS = {
    "enter": "Enter",
    "backspace": "Backspace",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
}


def key_name(key: str) -> str:
    """How a key is written for people: ``ctrl+y``, ``[``, ``Enter``."""
    modifier, plus, last = key.rpartition("+")
    if not modifier:
        last, plus = key, ""
    shown = _WORDS.get(last) or (last if len(last) == 1 else format_key(last))
    if len(shown) > 1 and last not in _WORDS:
        shown = last.capitalize()
    return f"{modifier}{plus}{shown}"


def key_rows(
    bindings: Iterable[BindingType], keymap: Mapping[str, str]
) -> list[KeyRow]:
    """Rows for a list of ``BINDINGS``, with the workspace's keymap applied."""
    return [
        KeyRow(" ".join(key_name(key) for key in keys), b.description, b.id or "")
        for b, keys in _bound(bindings, keymap)
    ]


def characters(
    bindings: Iterable[BindingType], keymap: Mapping[str, str]
) -> frozenset[str]:
    """The printable characters that these bindings use."""
    found = {
        character
        for _, keys in _bound(bindings, keymap)
        for key in keys
        if (character := key_to_character(key)) is not None
    }
    return frozenset(found)


def help_lines(
    groups: Sequence[tuple[str, Sequence[KeyRow]]], width: int
) -> list[Line]:
    """All groups, one action a line."""
    lines: list[Line] = []
    rows = [row for _, group in groups for row in group]
    hang = min(max((len(row.keys) for row in rows), default=8) + 3, 24)
    for title, group in groups:
        if lines:
            lines.append(Line())
        lines.append(Line(((title, "head"),)))
        for row in group:
            first = (row.keys + "  ", "key")
            lines += wrap(
                ((" ".join(visible(row.does).split()), ""),),
                width,
                first=first,
                hang=hang,
            )
    return lines
