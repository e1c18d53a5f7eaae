"""The key overview: every binding of a screen and its widgets, as it is now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from textual.binding import BindingType
from textual.dom import DOMNode

from geode_tui.tui.screens.modals import Reading
from geode_tui.tui.widgets.key_help import KeyRow, characters, help_lines, key_rows


def bindings_of(node: type[DOMNode]) -> list[BindingType]:
    """The bindings that this project gives a class, its parents' included."""
    own = [
        vars(cls).get("BINDINGS", ())
        for cls in node.__mro__
        if cls.__module__.startswith("geode_tui")
    ]
    return list(chain.from_iterable(own))


def _digits_together(rows: Sequence[KeyRow]) -> list[KeyRow]:
    """The ten scores on one line."""
    scores = [row for row in rows if row.id.startswith("label.score_")]
    others = [row for row in rows if row not in scores]
    if not scores:
        return others
    keys = " ".join(row.keys for row in scores)
    return [KeyRow(keys, "Score the active dimension 1 to 10", ""), *others]


def help_screen(
    groups: Sequence[tuple[str, type[DOMNode]]],
    keymap: Mapping[str, str],
    extra: Sequence[tuple[str, str]] = (),
) -> Reading:
    """A page of keys.

    Args:
        groups: a title and the class whose keys come under it.
        keymap: the workspace's own keys, by binding id.
        extra: (key, meaning) of keys that depend on what is shown.
    """
    rows = [
        (title, _digits_together(key_rows(bindings_of(node), keymap)))
        for title, node in groups
    ]
    if extra:
        marks = [KeyRow(key, meaning, "") for key, meaning in extra]
        rows.insert(0, ("Sub-modes and flags of this rubric", marks))
    return Reading("Keys", lambda width: help_lines(rows, width))


def taken_characters(
    nodes: Sequence[type[DOMNode]], keymap: Mapping[str, str]
) -> frozenset[str]:
    """Characters that the screens and widgets use, so no sub-mode may."""
    return frozenset(
        chain.from_iterable(characters(bindings_of(node), keymap) for node in nodes)
    )
