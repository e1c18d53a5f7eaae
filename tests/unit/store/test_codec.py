from __future__ import annotations

import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geode_tui.domain.base import Span
from geode_tui.domain.score import Draft
from geode_tui.errors import StoreError
from geode_tui.store import codec

ANY_TEXT = st.text(st.characters(exclude_categories=[]))
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
    max_leaves=10,
)


@given(ANY_TEXT)
@example("\ud83d\ude00")
@example("\0")
@example("\ufdd0")
@example("\ufdd0\ufdd0\U000f0800\0")
@example("\ud800\ufdd0\U000f0000")
def test_every_text_comes_back_from_a_database_exactly(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.text_factory = codec.restore_bytes
    (back,) = connection.execute("SELECT ?", codec.bind([text])).fetchone()
    connection.close()
    assert back == text


@given(ANY_TEXT)
def test_stored_text_is_utf8_without_nul(text: str) -> None:
    stored = codec.escape(text)
    assert b"\0" not in stored.encode("utf-8")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufdd0")))
def test_ordinary_text_is_stored_as_it_is(text: str) -> None:
    assert codec.escape(text) == text


@given(ANY_JSON)
@example({"\ud83d": "\ude00", "a": "\ud83d\ude00", "b": "\0"})
def test_json_comes_back_exactly(value: object) -> None:
    assert codec.loads(codec.restore(codec.escape(codec.dumps(value)))) == value


def test_json_does_not_depend_on_the_order_of_keys() -> None:
    assert codec.dumps({"b": 1, "a": 2}) == codec.dumps({"a": 2, "b": 1})


def test_a_value_of_another_version_is_refused_in_words() -> None:
    with pytest.raises(StoreError, match=r"draft.*cannot be read") as caught:
        codec.load(Draft, '{"mood":"good"}', "here")
    assert caught.value.where == "here"
    assert "newest" in caught.value.hint


def test_a_value_comes_back_as_itself() -> None:
    span = Span(start=1, end=2)
    assert codec.load(Span, codec.dumps(span), "") == span
