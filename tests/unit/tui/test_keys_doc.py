"""docs/keys.md names every key; no two actions of one screen share a key."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import Counter
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

import geode_tui.tui
from geode_tui.domain.rubric import Rubric, RubricStyle, SubMode
from geode_tui.tui.app import GeodeApp
from geode_tui.tui.screens.help import bindings_of, taken_characters
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.screens.label_keys import mark_keys
from geode_tui.tui.screens.queue import QueueScreen
from geode_tui.tui.widgets.key_help import key_rows
from geode_tui.tui.widgets.queue_list import QueueList
from geode_tui.tui.widgets.rubric_panel import LinkPane
from geode_tui.tui.widgets.transcript_view import TranscriptView

KEYS = Path(__file__).resolve().parents[3] / "docs" / "keys.md"


def with_bindings() -> list[type[DOMNode]]:
    """Every class of the app that binds keys of its own."""
    found = []
    for info in pkgutil.walk_packages(geode_tui.tui.__path__, "geode_tui.tui."):
        module = importlib.import_module(info.name)
        found += [
            cls
            for cls in vars(module).values()
            if inspect.isclass(cls)
            and issubclass(cls, DOMNode)
            and cls.__module__ == info.name
            and vars(cls).get("BINDINGS")
        ]
    return found


def doc_row(keys: str, does: str, name: str) -> str:
    shown = " ".join(f"`{key}`" for key in keys.split()).replace("|", "\\|")
    return f"| {shown} | {does} | `{name}` |"


@pytest.mark.parametrize("node", with_bindings(), ids=lambda node: node.__name__)
def test_every_key_is_documented_and_can_be_remapped(node: type[DOMNode]) -> None:
    doc = KEYS.read_text(encoding="utf-8").splitlines()
    for row in key_rows(vars(node)["BINDINGS"], {}):
        assert row.id, f"{row.does!r} has no id for a keymap"
        assert row.does, f"{row.id} says nothing of what it does"
        assert doc_row(*row) in doc


@pytest.mark.parametrize(
    "chain",
    [
        (TranscriptView, LabelScreen, GeodeApp),
        (LinkPane, LabelScreen, GeodeApp),
        (QueueList, QueueScreen, GeodeApp),
    ],
    ids=lambda chain: chain[0].__name__,
)
def test_no_key_means_two_things_on_one_screen(
    chain: tuple[type[DOMNode], ...],
) -> None:
    shared = {"panel.follow", "view.leave"}  # these let the key through
    keys = Counter(
        key
        for node in chain
        for binding in bindings_of(node)
        if isinstance(binding, Binding) and binding.id not in shared
        for key in binding.key.split(",")
    )
    assert [key for key, times in keys.items() if times > 1] == []


def test_ids_are_unique() -> None:
    ids = Counter(
        binding.id
        for node in with_bindings()
        for binding in vars(node)["BINDINGS"]
        if isinstance(binding, Binding)
    )
    assert [name for name, times in ids.items() if times > 1] == []


@pytest.mark.parametrize("count", range(1, 41))
def test_sub_modes_never_take_a_key_of_the_screen(count: int) -> None:
    rubric = Rubric(
        style=RubricStyle.PROSE,
        sub_modes=tuple(
            SubMode(key=f"m{i}", label="never ending") for i in range(count)
        ),
    )
    nodes = (LabelScreen, TranscriptView, LinkPane, GeodeApp)
    keys = mark_keys(rubric, nodes, {})
    assert len(set(keys.values())) == count
    assert taken_characters(nodes, {}).isdisjoint(keys.values())


def test_a_keymap_moves_the_letters_that_are_free() -> None:
    rubric = Rubric(
        style=RubricStyle.PROSE, sub_modes=(SubMode(key="m", label="defensive"),)
    )
    nodes = (LabelScreen, TranscriptView)
    assert mark_keys(rubric, nodes, {}) == {"m": "d"}
    moved = mark_keys(rubric, nodes, {"label.note": "d"})
    assert moved["m"] not in {"d", ""}
