"""No control byte gets out, offsets map both ways, clean text costs nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geode_tui.domain.base import Span
from geode_tui.domain.display import MOST_MARKS, cells, display, one_line, visible

any_text = st.text(
    st.characters(codec=None, categories=None) | st.sampled_from("\t\r\n\x1b")
)


def unsafe(text: str) -> list[str]:
    return [
        c
        for c in text
        if (unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} and c != "\n")
        or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff"
    ]


@given(any_text, st.booleans())
def test_nothing_unsafe_is_left(raw: str, ascii_safe: bool) -> None:
    assert unsafe(display(raw, ascii_safe=ascii_safe).text) == []
    assert unsafe(one_line(raw, 20)) == []
    assert "\n" not in one_line(raw)


@given(any_text)
def test_offsets_go_there_and_back(raw: str) -> None:
    shown = display(raw)
    assert shown.to_display(0) == 0
    assert shown.to_display(len(raw)) == len(shown.text)
    assert shown.to_raw(len(shown.text)) == len(raw)
    places = [shown.to_display(i) for i in range(len(raw) + 1)]
    assert places == sorted(places)
    for i, place in enumerate(places):
        back = shown.to_raw(place)
        assert back <= i or raw[i:back].strip("\ufe0e\ufe0f\u200d") == ""
        assert shown.to_display(back) == place


@given(any_text, st.data())
def test_a_shown_stretch_covers_its_raw_one(raw: str, data: st.DataObject) -> None:
    shown = display(raw)
    start = data.draw(st.integers(0, len(shown.text)))
    end = data.draw(st.integers(start, len(shown.text)))
    span = shown.raw_span(start, end)
    assert 0 <= span.start <= span.end <= len(raw)
    if start < end:
        assert shown.to_display(span.start) <= start


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain", "plain"),
        ("é — 漢字 👍", "é — 漢字 👍"),
        ("a\x1b[31mred", "a␛[31mred"),
        ("\x1b]2;title\x07", "␛]2;title␇"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\x9b31m", "\ufffd31m"),
        ("ab\u202egnp", "ab\ufffdgnp"),
        ("a\tb\n\tc", "a   b\n    c"),
        ("漢\tb\n漢字\té\tb", "漢  b\n漢字    é   b"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("\ud800x", "\ufffdx"),
        ("\u2764\ufe0f 1\ufe0f\u20e3", "\u2764 1\u20e3"),
        (
            "\U0001f468\u200d\U0001f469 \u0915\u200d",
            "\U0001f468\U0001f469 \u0915\u200d",
        ),
        ("[b]not markup[/b] [@click=app.quit]x[/]", None),
    ],
)
def test_what_is_shown(raw: str, text: str | None) -> None:
    assert visible(raw) == (raw if text is None else text)


def test_clean_text_is_not_copied() -> None:
    raw = "é plain text\n" * 1000
    assert display(raw).text is raw


def test_marks_are_limited() -> None:
    zalgo = "a" + "\u0301" * 50 + "b"
    shown = display(zalgo).text
    assert shown == "a" + "\u0301" * MOST_MARKS + "\ufffd" + "b"
    assert display("a\u0301b").text == "a\u0301b"


def test_a_replaced_stretch_is_cited_whole() -> None:
    shown = display("x\r\ny\tz")
    assert shown.raw_span(1, 2).of("x\r\ny\tz") == "\r\n"
    assert shown.raw_span(2, 4).of("x\r\ny\tz") == "y\t"


def test_ascii_safe_escapes_what_terminals_measure_differently() -> None:
    assert display("ok 👍🏽 é", ascii_safe=True).text == "ok <U+1F44D><U+1F3FD> é"
    assert display("\u2764\ufe0f", ascii_safe=True).text == "\u2764<U+FE0F>"


def test_a_left_out_selector_is_cited_with_its_character() -> None:
    assert display("a\u2764\ufe0fb").raw_span(1, 2) == Span(start=1, end=3)


@given(st.text("ab,{}é\x1b\ufe0f"), st.sets(st.integers(0, 30)))
def test_edits_add_line_breaks_and_change_nothing_else(
    raw: str, places: set[int]
) -> None:
    edits = [(at, at, "\n  ") for at in sorted(places) if at <= len(raw)]
    shown = display(raw, edits=edits)
    assert shown.text.replace("\n  ", "") == visible(raw)
    assert shown.text.count("\n") == len(edits)
    for at, character in enumerate(raw):
        if character != "\ufe0f":
            assert shown.text[shown.to_display(at)] == visible(character)


@pytest.mark.parametrize(
    ("raw", "width", "text"),
    [
        ("short", 10, "short"),
        ("a\nb", 10, "a↵b"),
        ("abcdefghij", 5, "abcd…"),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 4, "漢…"),
        ("x" * 10_000, 3, "xx…"),
    ],
)
def test_one_line_fits_its_cell(raw: str, width: int, text: str) -> None:
    assert one_line(raw, width) == text
    assert cells(text) <= width
