from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from geode_tui.tui.widgets.lines import flow, wrap
from geode_tui.tui.widgets.prose import prose_lines

TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=120)


@given(TEXT, st.integers(4, 60))
def test_wrapping_loses_no_word_and_keeps_the_width(text: str, width: int) -> None:
    lines = wrap(((text, ""),), width)
    assert "".join("".join(line.plain for line in lines).split()) == "".join(
        text.split()
    )
    assert all(line.cells <= max(width, 2) for line in lines)


def test_wrapping_breaks_at_blanks_and_hangs() -> None:
    lines = wrap(
        (("one two", "strong"), (" three", "")), 9, first=("- ", "dim"), hang=2
    )
    assert [line.plain for line in lines] == ["- one two", "  three"]
    assert lines[0].pieces == (("- ", "dim"), ("one two", "strong"))


def test_a_word_longer_than_the_width_is_cut() -> None:
    assert [x.plain for x in wrap((("abcdefgh ij", ""),), 3)] == [
        "abc",
        "def",
        "gh",
        "ij",
    ]


def test_a_megabyte_in_one_line_wraps() -> None:
    lines = wrap((("x" * 1_000_000, ""),), 50)
    assert len(lines) == 20_000


def test_items_flow_without_being_split() -> None:
    items = [[("alpha", "")], [("beta", "")], [("gamma", "")]]
    assert [x.plain for x in flow(items, 13, gap=2)] == ["alpha  beta", "gamma"]
    assert all(cell_len(x.plain) <= 13 for x in flow(items, 13, gap=2))


def test_prose_joins_wrapped_lines_and_keeps_structure() -> None:
    text = (
        "# Title\n\n\nA line that\ngoes on.\n- first\n  goes on\n- `code`\n"
        "```\n a  b\n```\n> said"
    )
    assert [line.plain for line in prose_lines(text, 40)] == [
        "Title",
        "",
        "A line that goes on.",
        "• first goes on",
        "• code",
        " a  b",
        "│ said",
    ]
