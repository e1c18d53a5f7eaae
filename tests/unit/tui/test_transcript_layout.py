"""Wrapping, folding and finding on the page, without a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from geode_tui.domain.base import Span
from geode_tui.domain.display import display
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Segment,
    SegmentKind,
    Source,
    Transcript,
)
from geode_tui.tui.widgets.transcript_layout import FOLD, Page, wrap


def page(*messages: Message, width: int = 40) -> Page:
    own = tuple(m.m for m in messages)
    return Page(
        Transcript(
            source=Source(log="l", path="l", format="openai", sample_id="s"),
            messages=messages,
            branches=(Branch(n=1, kind=BranchKind.TRUNK, own=own),),
        ),
        width,
    )


def said(text: str, m: int = 1, **more: object) -> Message:
    return Message(m=m, role=Role.ASSISTANT, text=text, **more)  # type: ignore[arg-type]


texts = st.text(st.sampled_from("ab  \n漢é👍\u0301-") | st.characters(codec="utf-8"))


@given(texts, st.integers(2, 30))
def test_lines_fit_and_lose_nothing(raw: str, width: int) -> None:
    text = display(raw).text
    lines = wrap(text, width)
    for start, end in zip(lines.starts, lines.ends, strict=True):
        assert start <= end
        assert "\n" not in text[start:end]
        assert cell_len(text[start:end]) <= width or end - start == 1
    at = 0
    for start, end in zip(lines.starts, lines.ends, strict=True):
        assert text[at:start].strip(" ") in {"", "\n"}
        at = end
    assert text[at:].strip(" ") in {"", "\n"}


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("one two three", 8, ["one two ", "three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("a\n\nb", 10, ["a", "", "b"]),
        ("漢字漢字", 5, ["漢字", "漢字"]),
        ("漢 字漢字", 5, ["漢 ", "字漢", "字"]),
        ("end\n", 10, ["end", ""]),
    ],
)
def test_where_lines_break(text: str, width: int, lines: list[str]) -> None:
    got = wrap(text, width)
    pairs = zip(got.starts, got.ends, strict=True)
    assert [text[start:end] for start, end in pairs] == lines


def test_a_long_message_is_folded_and_a_search_hit_opens_it() -> None:
    text = "\n".join(f"line {i}" for i in range(100))
    shown = page(said(text))
    entry = shown.entries[0]
    assert entry.measure(40) == 1 + FOLD + 1 + 1
    assert entry.cut(40) == 100 - FOLD
    (hit,) = shown.search("LINE 77")
    assert entry.unfold_for(hit[1], 40)
    assert entry.body(40) == 100
    assert not entry.unfold_for(hit[1], 40)


def test_a_fold_that_hides_little_is_not_made() -> None:
    entry = page(said("\n".join("x" * 3 for _ in range(FOLD + 5)))).entries[0]
    assert entry.body(40) == FOLD + 5


def test_reasoning_is_one_line_until_it_is_wanted() -> None:
    text = "<thinking>a\nb\nc</thinking>\nAnswer."
    marked = Segment(kind=SegmentKind.REASONING, span=Span(start=0, end=26))
    entry = page(said(text, segments=(marked,))).entries[0]
    lines = entry.lines(40)
    assert lines.notes == {0: "~ reasoning, 3 lines, R shows it"}
    assert [text[a:b] for a, b in zip(lines.starts, lines.ends, strict=True)] == [
        "",
        "Answer.",
    ]
    assert entry.unfold_for(text.index("b"), 40)
    assert entry.lines(40).notes == {}


def test_heights_become_exact_and_starts_follow() -> None:
    messages = [said("word " * (20 * m), m) for m in range(1, 30)]
    shown = page(*messages)
    while shown.measure_some(500):
        pass
    shown.settle_heights()
    heights = [entry.measure(40) for entry in shown.entries]
    assert [shown.start(i) for i in range(30)] == [sum(heights[:i]) for i in range(30)]
    assert shown.find(shown.start(7)) == (7, 0)
    assert shown.find(shown.start(8) - 1) == (7, heights[7] - 1)


def test_branches_are_headed_only_where_there_are_several() -> None:
    messages = tuple(said("x", m) for m in (1, 2, 3))
    tree = Transcript(
        source=Source(log="l", path="l", format="openai", sample_id="s"),
        messages=messages,
        branches=(
            Branch(n=1, kind=BranchKind.TRUNK, own=(1, 2)),
            Branch(n=2, kind=BranchKind.ROLLBACK, parent=1, forked_from=1, own=(3,)),
        ),
    )
    assert [e.head for e in Page(tree, 40).entries] == [2, 1, 2]
    assert [e.head for e in page(*messages).entries] == [1, 1, 1]


@pytest.mark.parametrize(
    ("text", "query", "hits"),
    [
        ("Gold GOLD gold", "gold", [(0, 4), (5, 9), (10, 14)]),
        ("a.c abc", "a.c", [(0, 3)]),
        ("İstanbul istanbul", "istanbul", [(0, 8), (9, 17)]),
        ("aaaa", "aa", [(0, 2), (2, 4)]),
        ("x", "", []),
    ],
)
def test_search(text: str, query: str, hits: list[tuple[int, int]]) -> None:
    assert [hit[1:] for hit in page(said(text)).search(query)] == hits


def test_what_a_replay_hides_is_not_found() -> None:
    shown = page(said("gold", 1), said("gold", 2))
    shown.limit = 1
    assert [hit[0] for hit in shown.search("gold")] == [0]
