"""Searching raw text: case, any script, reasoning, order, what a replay hides."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geode_tui.domain.base import Span
from geode_tui.domain.transcript import Message, Role, Segment, SegmentKind
from geode_tui.tui.widgets.transcript_search import Search


def said(*texts: str) -> list[Message]:
    return [Message(m=m, role=Role.USER, text=text) for m, text in enumerate(texts, 1)]


def whole(query: str, messages: Sequence[Message], first: int = 0) -> Search:
    search = Search(query, messages, first)
    while search.some(1):
        pass
    return search


def everything(search: Search, limit: int) -> list[tuple[int, int]]:
    return [search.place(number) for number in range(search.count(limit))]


@pytest.mark.parametrize(
    ("text", "query", "places"),
    [
        ("Gold GOLD gold", "gold", [0, 5, 10]),
        ("a.c abc", "a.c", [0]),
        ("İstanbul istanbul", "istanbul", [0, 9]),
        ("aaaa", "aa", [0, 2]),
        ("a\tb \x1b[1m", "\x1b", [4]),
        ("ÄÖ äö", "äö", [0, 3]),
    ],
)
def test_where_a_query_stands(text: str, query: str, places: list[int]) -> None:
    messages = said(text)
    search = whole(query, messages)
    assert list(search.places(0)) == places
    assert search.count(1) == len(places)


@given(
    st.lists(st.text("abAB \n", max_size=30), min_size=1), st.text("ab ", min_size=1)
)
def test_all_places_in_order(texts: list[str], query: str) -> None:
    search = whole(query, said(*texts), len(texts) // 2)
    expected = [
        (index, found.start())
        for index, text in enumerate(texts)
        for found in re.finditer(re.escape(query), text, re.I)
    ]
    assert everything(search, len(texts)) == expected
    for number, (index, at) in enumerate(expected):
        assert search.number_of(index, at) == number
        assert at in search.places_between(index, at, at + 1)


def test_the_search_begins_where_the_reader_is() -> None:
    messages = said("gold", "gold", "", "gold")
    search = Search("gold", messages, 2)
    search.some(1)
    assert search.first_from(2, 4) is None
    search.some(1)
    assert search.place(search.first_from(2, 4) or 0) == (3, 0)
    while search.some(1):
        pass
    assert search.first_from(2, 4) == 2
    assert search.first_from(2, 3) == 0


def test_what_a_replay_hides_is_not_counted() -> None:
    search = whole("gold", said("gold", "gold gold"))
    assert (search.count(1), search.count(2)) == (1, 3)


def test_reasoning_that_is_not_shown_is_not_searched() -> None:
    text = "secret plan, secret\nthe secret answer"
    segment = Segment(kind=SegmentKind.REASONING, span=Span(start=0, end=19))
    message = Message(m=1, role=Role.ASSISTANT, text=text, segments=(segment,))
    search = Search("secret", [message], reasoning=False)
    search.some(1)
    assert list(search.places(0)) == [text.rindex("secret")]
    assert search.count(1) == 1
