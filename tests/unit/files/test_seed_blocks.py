"""Blocks of Markdown and of flattened text: kinds, lines, text and wording."""

from __future__ import annotations

import pytest

from geode_tui.files.seed_blocks import BlockKind, blocks, is_flat

MARKDOWN = """# Tea *time*

Boil `it`
now.

- one **bold**
  - two

> quoted

```json
{x
```

---

| a | b |
|---|---|
| `c` | d |
"""


def test_kinds_lines_and_texts() -> None:
    found = blocks(MARKDOWN)
    assert [(b.kind.value, b.line, b.text) for b in found] == [
        ("heading", 1, "Tea time"),
        ("paragraph", 3, "Boil it now."),
        ("item", 6, "one bold"),
        ("item", 7, "two"),
        ("paragraph", 9, "quoted"),
        ("fence", 11, "{x"),
        ("rule", 15, ""),
        ("table", 17, "a | b\nc | d"),
    ]
    assert [b.depth for b in found] == [0, 0, 1, 2, 0, 0, 0, 0]
    assert [b.quoted for b in found].count(True) == 1
    assert [row.line for row in found[-1].rows] == [17, 19]
    assert found[0].raw == "# Tea *time*"
    assert found[1].raw == "Boil `it`\nnow."


def test_flat_text_keeps_its_wording_and_its_lines() -> None:
    found = blocks("User turn\n\n• a_b [c] *d* <e>\n  • #f\n\n  x\ty|z\n  1\t2_3\n")
    assert [(b.kind, b.line, b.raw) for b in found] == [
        (BlockKind.HEADING, 1, "User turn"),
        (BlockKind.ITEM, 3, "a_b [c] *d* <e>"),
        (BlockKind.ITEM, 4, "#f"),
        (BlockKind.TABLE, 6, "x | y|z\n1 | 2_3"),
    ]


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("• a", True),
        ("a\tb", True),
        ("\ta", False),
        ("plain", False),
        ("# a\n• b", False),
        ("- a\tb", False),
        ("", False),
    ],
)
def test_what_is_flat(text: str, flat: bool) -> None:
    assert is_flat(text) is flat


@pytest.mark.parametrize("above", ["• an item", "a line", "  • deeper"])
@pytest.mark.parametrize("gap", ["", "\n"])
def test_a_flat_table_begins_where_its_tabs_do(above: str, gap: str) -> None:
    found = blocks(f"• first\n\n{above}\n{gap}R\tScore\n0\t1\n1+\t2-10\n")
    table = found[-1]
    assert table.kind is BlockKind.TABLE
    first = 4 + len(gap)
    assert [row.line for row in table.rows] == [first, first + 1, first + 2]
    assert [b.text for b in found[:-1]][-1] == above.strip(" •")
