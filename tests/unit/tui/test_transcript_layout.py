"""Wrapping, folding, blocks and finding on the page, without a terminal."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

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
from geode_tui.tui.widgets.transcript_blocks import CHUNK, blocks_of
from geode_tui.tui.widgets.transcript_body import FOLD, Body, Options, RowKind
from geode_tui.tui.widgets.transcript_layout import Page
from geode_tui.tui.widgets.transcript_wrap import wrap

OPEN = Options(40, folded=False)


def page(*messages: Message, options: Options = OPEN) -> Page:
    own = tuple(m.m for m in messages)
    return Page(
        Transcript(
            source=Source(log="l", path="l", format="openai", sample_id="s"),
            messages=messages,
            branches=(Branch(n=1, kind=BranchKind.TRUNK, own=own),),
        ),
        options,
    )


def said(
    text: str, m: int = 1, role: Role = Role.ASSISTANT, thought: int = 0
) -> Message:
    """A message; its first ``thought`` characters are reasoning."""
    marked = Segment(kind=SegmentKind.REASONING, span=Span(start=0, end=thought))
    segments = (marked,) if thought else ()
    return Message(m=m, role=role, text=text, segments=segments)


def shown(body: Body) -> list[str]:
    return [body.row(i).text for i in range(body.height)]


odd = st.sampled_from("ab  \n\r\t漢é👍\u0301\u200d\ufe0f-")
texts = st.text(odd | st.characters(codec="utf-8"))


@given(texts, st.integers(2, 30))
def test_lines_fit_and_lose_nothing(raw: str, width: int) -> None:
    text = display(raw).text
    lines = wrap(text, width)
    at = 0
    for start, end in zip(lines.starts, lines.ends, strict=True):
        assert start <= end
        assert "\n" not in text[start:end]
        assert cell_len(text[start:end]) <= width or cell_len(text[start]) > width
        assert text[at:start].strip(" ") in {"", "\n"}
        at = end
    assert text[at:].strip(" ") in {"", "\n"}


@given(texts, st.integers(2, 30), st.integers(1, 5))
def test_the_first_lines_are_the_same_when_only_they_are_wanted(
    raw: str, width: int, most: int
) -> None:
    text = display(raw).text
    whole, part = wrap(text, width), wrap(text, width, most=most)
    assert len(part) >= min(most, len(whole))
    assert part.starts == whole.starts[: len(part)]
    assert part.ends == whole.ends[: len(part)]


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


@given(texts, st.integers(2, 30))
def test_every_row_is_a_stretch_of_the_raw_text(raw: str, width: int) -> None:
    body = Body(said(raw), Options(width, folded=False))
    assert body.exact
    rows = [body.row(i) for i in range(body.height)]
    for number, row in enumerate(rows):
        assert 0 <= row.start <= row.end <= len(raw)
        first = body.row_of(row.start)
        assert first == number or rows[first].end > row.start  # a tab over two rows
    for one, two in pairwise(rows):
        assert one.start <= two.start
        assert one.end <= two.start or raw[two.start] not in "ab \n-"
    for at in range(len(raw)):
        assert 0 <= body.row_of(at) < body.height


@given(
    st.lists(st.sampled_from(["word ", "\n", "x" * 900, "漢字 ", "\r\n", "e\u0301"])),
    st.integers(1, 6),
)
def test_blocks_cover_a_long_text_and_break_at_lines(
    parts: list[str], times: int
) -> None:
    text = "".join(parts) * (times * 20)
    blocks = list(blocks_of(said(text), reasoning=True))
    assert [b.start for b in blocks] == [0, *(b.end for b in blocks[:-1])]
    assert blocks[-1].end == len(text)
    assert all(b.end - b.start <= 2 * CHUNK for b in blocks)
    for block in blocks[:-1]:
        cut = block.end
        assert text[cut - 1 : cut + 1] not in {"\r\n", "e\u0301"}
        if "\n" in text[block.start : block.start + CHUNK]:
            assert text[cut - 1] == "\n"


def test_a_long_text_has_the_rows_that_it_has_as_a_whole() -> None:
    text = "\n".join("word " * (i % 40) for i in range(4_000))
    body = Body(said(text), OPEN)
    assert len(body.blocks) > 10
    assert not body.exact
    while body.measure_some(1):
        pass
    assert body.exact
    lines = wrap(text, 40)
    assert body.height == len(lines)
    for row in range(0, body.height, 97):
        assert (body.row(row).start, body.row(row).end) == (
            lines.starts[row],
            lines.ends[row],
        )
        assert body.row_of(lines.starts[row]) == row


def test_a_long_message_is_folded_until_its_end_is_wanted() -> None:
    text = "\n".join(f"line {i}" for i in range(100))
    one = page(said(text), options=replace(OPEN, folded=True))
    body = one.body(0)
    assert body.height == FOLD + 1
    assert body.row(FOLD).kind is RowKind.FOLD
    assert body.more() == "80 more lines"
    at = text.index("line 77")
    assert body.hides(at) is RowKind.FOLD
    assert body.hides(text.index("line 19")) is None
    one.reveal(0, at)
    assert one.body(0).height == 100
    assert one.body(0).row(77).text == "line 77"


def test_a_fold_measures_no_more_than_it_shows() -> None:
    text = "\n".join(f"line {i}" for i in range(1_000_000))
    body = Body(said(text), Options(40))
    assert (body.height, body.exact) == (FOLD + 1, True)
    assert len(body._laid) == 1
    assert body.more().startswith("about 1,")
    assert body.row(FOLD - 1).text == "line 19"


def test_a_fold_that_hides_little_is_not_made() -> None:
    text = "\n".join("x" * 3 for _ in range(FOLD + 5))
    assert Body(said(text), Options(40)).height == FOLD + 5


def test_reasoning_is_one_line_until_it_is_wanted() -> None:
    text = "<thinking>a\nb\nc</thinking>\nAnswer."
    one = page(said(text, thought=26))
    body = one.body(0)
    assert body.row(0).kind is RowKind.REASONING
    assert [body.row(i).text for i in (0, 1)] == ["", "Answer."]
    assert body.hides(text.index("b")) is RowKind.REASONING
    assert body.row_of(text.index("Answer")) == 1
    one.reveal(0, text.index("b"))
    assert shown(one.body(0)) == text.split("\n")


def test_json_is_laid_out_and_can_be_shown_as_written() -> None:
    text = 'f {"name": "a long enough value", "list": [1, 2], "other": {"key": "' + (
        "x" * 70 + '"}}'
    )
    laid = Body(said(text, role=Role.TOOL), Options(100, folded=False))
    assert shown(laid) == [
        "f {",
        '  "name": "a long enough value",',
        '  "list": [1, 2],',
        '  "other": {',
        f'    "key": "{"x" * 70}"',
        "  }",
        "}",
    ]
    at = text.index('"other"')
    row = laid.row(laid.row_of(at))
    assert (row.start, text[row.start : row.end]) == (at - 1, ' "other": {')
    raw = Options(200, folded=False, laid_out=False)
    assert shown(Body(said(text, role=Role.TOOL), raw)) == [text]


def test_heights_become_exact_and_starts_follow() -> None:
    messages = [said("word " * (20 * m), m) for m in range(1, 30)]
    one = page(*messages)
    while one.measure_some(500):
        pass
    one.settle()
    heights = [1 + one.body(i).height + 1 for i in range(29)]
    assert [one.start(i) for i in range(30)] == [sum(heights[:i]) for i in range(30)]
    assert one.find(one.start(7)) == (7, 0)
    assert one.find(one.start(8) - 1) == (7, heights[7] - 1)


@given(st.integers(0, 400), st.integers(5, 60), st.integers(5, 60))
def test_an_anchor_finds_its_text_again(y: int, width: int, other: int) -> None:
    messages = [said("some words in a row " * (3 * m), m) for m in range(1, 20)]
    one = page(*messages, options=replace(OPEN, width=width))
    while one.measure_some(10_000):
        pass
    one.settle()
    anchor = one.anchor(min(y, one.height - 1))
    one.lay_out(replace(one.options, width=other))
    there = one.bring(anchor, 50)
    index, row = one.find(there)
    assert index == anchor.item
    if anchor.raw is not None:
        found = one.body(index).row(row - one.head(index))
        assert found.start <= anchor.raw <= found.end


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
    assert [Page(tree, OPEN).head(i) for i in range(3)] == [2, 1, 2]
    assert [page(*messages).head(i) for i in range(3)] == [1, 1, 1]
