from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geode_tui.cli.printing import Column, table_lines
from geode_tui.domain.display import cells
from geode_tui.domain.jsontext import to_json

ANY_TEXT = st.text(st.characters())
COLUMNS = (Column("name", shrinks=True), Column("n", right=True), Column("mark"))


def test_columns_are_aligned_and_numbers_stand_right() -> None:
    lines = table_lines(COLUMNS, [["ann", "7", "a"], ["benedict", "12", ""]], None)
    assert lines == [
        "name       n  mark",
        "ann        7  a",
        "benedict  12",
    ]


def test_wide_letters_keep_columns_aligned() -> None:
    lines = table_lines(COLUMNS, [["日本", "7", "x"], ["ann", "8", "x"]], None)
    assert cells(lines[1]) == cells(lines[2])


@given(
    st.lists(st.lists(ANY_TEXT, min_size=3, max_size=3), max_size=5),
    st.integers(40, 120),
)
def test_no_row_is_wider_than_the_terminal_or_has_control_characters(
    rows: list[list[str]], width: int
) -> None:
    columns = tuple(Column(name, shrinks=True) for name in ("a", "b", "c"))
    for line in table_lines(columns, rows, width):
        assert cells(line) <= width
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in line)


@given(ANY_TEXT)
def test_json_is_read_back_as_it_was(text: str) -> None:
    assert json.loads(to_json({text: [text]})) == {text: [text]}


@pytest.mark.parametrize(
    "text", ["\x9b31m", "\u202e", "\ud800", "\x7f", "\u2028", "\ufeff", "\x1b[2J"]
)
def test_json_holds_nothing_that_a_terminal_acts_on(text: str) -> None:
    written = to_json(text)
    assert written.encode("utf-8").isascii()
    assert "\x1b" not in written
    assert json.loads(written) == text


def test_letters_of_other_scripts_stay_readable() -> None:
    assert to_json("größer 日本 😀") == '"größer 日本 😀"'


def test_two_surrogates_become_the_character_that_they_spell() -> None:
    written = to_json("\ud83d\ude00")
    assert written == '"😀"'
    assert to_json(json.loads(written)) == written
