"""JSON laid out says the same, breaks where it helps, and leaves the rest alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geode_tui.domain.display import display
from geode_tui.domain.json_layout import LONG, json_edits

values = st.recursive(
    st.none() | st.integers() | st.text('ab"\\{}[],: \né', max_size=30),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text('a"{', max_size=20), inner, max_size=5)
    ),
)


def laid_out(text: str) -> str:
    return display(text, edits=json_edits(text, 0, len(text))).text


@given(values.filter(lambda value: isinstance(value, list | dict)), st.booleans())
def test_it_says_the_same(value: object, tight: bool) -> None:
    text = json.dumps(value, separators=(",", ":") if tight else None)
    shown = laid_out(text)
    assert json.loads(shown) == value
    assert ("\n" in shown) == (len(text) > LONG)
    for start, end, _ in json_edits(text, 0, len(text)):
        assert text[start:end].strip() == ""


def test_short_containers_stay_on_one_line() -> None:
    text = json.dumps({"short": [1, 2, {"a": "b"}], "long": ["x" * 50, "y" * 50]})
    assert laid_out(text).split("\n") == [
        "{",
        '  "short": [1, 2, {"a": "b"}],',
        '  "long": [',
        f'    "{"x" * 50}",',
        f'    "{"y" * 50}"',
        "  ]",
        "}",
    ]


LONG_ONE = json.dumps({"key": "v" * 90, "other": 1})


@pytest.mark.parametrize(
    "text",
    [
        "no JSON at all " * 20,
        '{"short": 1}',
        LONG_ONE[:-1],
        LONG_ONE[:-1] + "]",
        '{\n "already": "' + "v" * 90 + '"}',
        '{"open: ' + "v" * 90 + "}",
        "[" * 200,
    ],
)
def test_what_is_left_as_written(text: str) -> None:
    assert json_edits(text, 0, len(text)) == []


def test_words_around_it_stay_where_they_are() -> None:
    text = f"[tool] lookup {LONG_ONE} and more"
    shown = laid_out(text)
    assert shown.startswith("[tool] lookup {\n")
    assert shown.endswith("\n} and more")
    assert json_edits(text, 0, 20) == []
