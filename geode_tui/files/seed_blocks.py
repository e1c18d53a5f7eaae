"""A seed document as a list of blocks, whether it is Markdown or flattened text.

Flattened documents have no markup at all: bullets are ``•``, table cells are
divided by tabs, section names are bare lines. They are turned into Markdown
line by line first, so that one parser reads both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from markdown_it import MarkdownIt
from markdown_it.token import Token


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    """The first paragraph of a list item."""
    TABLE = "table"
    FENCE = "fence"
    RULE = "rule"


@dataclass(frozen=True)
class Row:
    """A table row: its cells without markup, and as written."""

    cells: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Block:
    """One block of the document.

    Attributes:
        text: without markup (no emphasis, no backticks), white space evened out.
        raw: as written, quote marks and bullets taken off.
        line: line in the document, from 1.
        depth: how many lists it is nested in.
        quoted: it stands in a blockquote.
        marker: the list marker (``-``, ``3.``), "" outside lists.
        rows: of a table, header first.
    """

    kind: BlockKind
    text: str
    raw: str
    line: int
    level: int = 0
    depth: int = 0
    quoted: bool = False
    marker: str = ""
    rows: tuple[Row, ...] = field(default=())


_BULLET = re.compile(r"^(\s*)•\s+")
_KNOWN_BARE = re.compile(
    r"(scenario\b|system prompt|system$|setup|user (turn|message)|turn \d|tools?$"
    r"|tool (responses|return|result|exchange)|auditor (notes|hint|instructions)"
    r"|ambiguity|discrimination|judge|judge?ment|look for|trace contract|comparison"
    r"|what discriminates|branch \d)",
    re.I,
)


def is_flat(text: str) -> bool:
    """True for a document without markup: bare bullets or tab-divided rows."""
    lines = text.splitlines()
    marked = sum(
        bool(re.match(r"\s*(#{1,6} |[-*] |> |```|\|)", line)) for line in lines
    )
    bare = sum("\t" in line.strip() or bool(_BULLET.match(line)) for line in lines)
    return bare > 0 and marked == 0


def blocks(text: str) -> list[Block]:
    """The blocks of a document, in order, with line numbers of ``text``."""
    lines = re.split(r"\r\n|\r|\n", text)
    numbers = list(range(1, len(lines) + 1))
    flat = is_flat(text)
    if flat:
        lines, numbers = _to_markdown(lines)
    # A NUL would be replaced and the rest of the C0 set upsets nothing.
    tokens = _parser().parse("\n".join(lines))
    found = _walk(tokens, numbers)
    return [_unmarked(block) for block in found] if flat else list(found)


def _parser() -> MarkdownIt:
    return (
        MarkdownIt("commonmark", {"html": False})
        .enable("table")
        .disable(["html_block", "reference", "lheading", "code"])
    )


def _to_markdown(lines: Sequence[str]) -> tuple[list[str], list[int]]:
    """A flat document as Markdown, and for each line the number it came from."""
    out: list[str] = []
    numbers: list[int] = []
    in_table = False
    item_indent: int | None = None
    for number, line in enumerate(lines, 1):
        bullet = _BULLET.match(line)
        if bullet:
            item_indent = len(bullet.group(1)) + 2
            out.append(f"{bullet.group(1)}- {_literal(line[bullet.end() :])}")
        elif line.strip("\n").strip(" ").count("\t"):
            indent = " " * (len(line) - len(line.lstrip(" ")))
            parts = [_literal(c.strip()) for c in line.split("\t")]
            row = [part.replace("|", r"\|") for part in parts]
            if not in_table and out and out[-1]:
                # Without a gap the row would run on in the item above it.
                out.append("")
                numbers.append(number)
            out.append(indent + "| " + " | ".join(row) + " |")
            if not in_table:
                in_table = True
                out.append(indent + "|" + " --- |" * len(row))
                numbers.append(number)
            numbers.append(number)
            continue
        elif _is_bare_heading(lines, number - 1):
            item_indent = None
            out.append(f"## {_literal(line.strip())}")
        elif line.strip() and item_indent is None:
            out.append(_literal(line.strip()))
        else:
            stripped = line.strip()
            spaces = len(line) - len(line.lstrip(" "))
            if stripped and not spaces:
                item_indent = None
            out.append(" " * min(spaces, 2) + _literal(stripped) if stripped else "")
        in_table = False
        numbers.append(number)
    return out, numbers


def _literal(text: str) -> str:
    """Flat text holds no markup: keep what would act as some."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", text)


def _unmarked(block: Block) -> Block:
    """A block of a flat document without the markup that ``_to_markdown`` added."""
    if block.kind is BlockKind.HEADING:
        return replace(block, raw=block.text)
    return replace(block, raw=re.sub(r"\\([\\`*_\[\]<>#])", r"\1", block.raw))


def _is_bare_heading(lines: Sequence[str], index: int) -> bool:
    line = lines[index].strip()
    if not line or len(line) > 90 or line[0] in "\"'“>{[(" or line != lines[index]:
        return False
    before = index == 0 or not lines[index - 1].strip()
    after = index + 1 >= len(lines) or not lines[index + 1].strip()
    ends_open = line[-1] not in ".!?;,:"
    return before and after and ends_open and bool(_KNOWN_BARE.match(line))


def _walk(tokens: Sequence[Token], numbers: Sequence[int]) -> Iterator[Block]:
    depth = quotes = 0
    markers: list[str] = []
    fresh_item = False
    index = 0
    while index < len(tokens):
        token = tokens[index]
        kind = token.type
        if kind in {"bullet_list_open", "ordered_list_open"}:
            depth += 1
        elif kind in {"bullet_list_close", "ordered_list_close"}:
            depth -= 1
        elif kind == "list_item_open":
            marker = f"{token.info}{token.markup}"
            markers.append(marker)
            fresh_item = True
        elif kind == "list_item_close":
            markers.pop()
        elif kind == "blockquote_open":
            quotes += 1
        elif kind == "blockquote_close":
            quotes -= 1
        elif kind in {"heading_open", "paragraph_open"}:
            inline = tokens[index + 1]
            block = BlockKind.PARAGRAPH
            if kind == "heading_open":
                block = BlockKind.HEADING
            elif fresh_item:
                block = BlockKind.ITEM
            yield Block(
                kind=block,
                text=plain(inline),
                raw=f"{token.markup} {inline.content}".strip()
                if kind == "heading_open"
                else inline.content,
                line=_line(token, numbers),
                level=int(token.tag[1:]) if kind == "heading_open" else 0,
                depth=depth,
                quoted=quotes > 0,
                marker=markers[-1] if markers else "",
            )
            fresh_item = False
            index += 2
        elif kind in {"fence", "code_block"}:
            yield Block(
                kind=BlockKind.FENCE,
                text=token.content.rstrip("\n"),
                raw=token.content.rstrip("\n"),
                line=_line(token, numbers),
                depth=depth,
                quoted=quotes > 0,
                marker=markers[-1] if markers else "",
            )
            fresh_item = False
        elif kind == "hr":
            yield Block(BlockKind.RULE, "", "", _line(token, numbers))
        elif kind == "table_open":
            end = next(
                i for i in range(index, len(tokens)) if tokens[i].type == "table_close"
            )
            rows = tuple(_rows(tokens[index:end], numbers))
            yield Block(
                kind=BlockKind.TABLE,
                text="\n".join(" | ".join(row.cells) for row in rows),
                raw="\n".join(" | ".join(row.cells) for row in rows),
                line=_line(token, numbers),
                depth=depth,
                quoted=quotes > 0,
                rows=rows,
            )
            fresh_item = False
            index = end
        index += 1


def _rows(tokens: Sequence[Token], numbers: Sequence[int]) -> Iterator[Row]:
    cells: list[str] = []
    line = 0
    for index, token in enumerate(tokens):
        if token.type == "tr_open":
            cells = []
            line = _line(token, numbers)
        elif token.type in {"td_open", "th_open"}:
            cells.append(plain(tokens[index + 1]))
        elif token.type == "tr_close":
            yield Row(tuple(cells), line)


def _line(token: Token, numbers: Sequence[int]) -> int:
    first = token.map[0] if token.map else 0
    return numbers[min(first, len(numbers) - 1)] if numbers else 1


_WORDS = frozenset({"text", "code_inline", "html_inline", "text_special", "image"})


def plain(inline: Token) -> str:
    """The words of an inline token without markup, white space evened out."""
    pieces: list[str] = []
    for child in inline.children or ():
        if child.type in {"softbreak", "hardbreak"}:
            pieces.append(" ")
        elif child.type in _WORDS:
            pieces.append(child.content)
    return " ".join("".join(pieces).split())
