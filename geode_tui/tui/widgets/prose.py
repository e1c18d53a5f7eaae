"""Outside prose laid out for reading: headings, bullets, code, paragraphs.

Most rubrics are prose, so it must read well. Marks are only drawn more
quietly; every word stays, and the raw page shows the text as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from geode_tui.domain.display import visible
from geode_tui.tui.widgets.lines import Line, Piece, wrap

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*$")
_BULLET = re.compile(r"(\s*)([-*•+]|\d{1,3}[.)])\s+(.*)$")
_QUOTE = re.compile(r"\s{0,3}>\s?(.*)$")
_FENCE = re.compile(r"\s*(```|~~~)")
_INLINE = re.compile(
    r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|(?<![\w*])\*([^\s*][^*\n]*)\*(?![\w*])"
)


def inline(text: str, style: str = "") -> tuple[Piece, ...]:
    """Pieces of one line: `code` and **strong** words styled, marks left out."""
    pieces: list[Piece] = []
    at = 0
    for hit in _INLINE.finditer(text):
        if hit.start() > at:
            pieces.append((text[at : hit.start()], style))
        if hit[1] is not None:
            pieces.append((hit[1], "code"))
        else:
            pieces.append((hit[2] or hit[3] or hit[4], "strong"))
        at = hit.end()
    pieces.append((text[at:], style))
    return tuple(piece for piece in pieces if piece[0])


def _is_block(source: str) -> bool:
    """True where a line cannot go on the paragraph before it."""
    return bool(
        not source.strip()
        or _HEADING.match(source)
        or _BULLET.match(source)
        or _QUOTE.match(source)
        or _FENCE.match(source)
        or source.lstrip().startswith("|")
    )


def _paragraphs(text: str) -> Iterator[tuple[str, bool]]:
    """(logical line, in a fence); lines that were only wrapped are joined."""
    fenced = False
    held: list[str] = []
    for source in visible(text).split("\n"):
        if fenced or _is_block(source):
            if held:
                yield " ".join(held), False
                held = []
            if _FENCE.match(source):
                fenced = not fenced
            elif fenced or not source.strip() or source.lstrip().startswith("|"):
                yield source, fenced
            elif _HEADING.match(source):
                yield source, False
            else:
                held = [source.rstrip()]
        else:
            held.append(source.strip())
    if held:
        yield " ".join(held), False


def _paragraph(source: str, width: int) -> list[Line]:
    if heading := _HEADING.match(source):
        return wrap(((heading[1], "head"),), width)
    if bullet := _BULLET.match(source):
        indent = min(len(bullet[1].expandtabs(4)), 8)
        mark = "•" if bullet[2] in "-*•+" else bullet[2]
        first = (" " * indent + mark + " ", "dim")
        return wrap(inline(bullet[3]), width, first=first, hang=len(first[0]))
    if quote := _QUOTE.match(source):
        return wrap(inline(quote[1]), width, first=("│ ", "dim"), hang=2)
    if source.lstrip().startswith("|"):
        return wrap(((source.strip(), "code"),), width)
    return wrap(inline(source.strip()), width)


def prose_lines(text: str, width: int) -> Iterator[Line]:
    """Lines of Markdown-like prose at a width; never more than one blank running."""
    blank = True
    for source, fenced in _paragraphs(text):
        if fenced:
            yield from wrap(((source, "code"),), width)
        elif source.strip():
            yield from _paragraph(source, width)
        elif not blank:
            yield Line()
        blank = not source.strip()


def raw_lines(text: str, width: int) -> Iterator[Line]:
    """Lines of a text exactly as written."""
    for source in visible(text).split("\n"):
        yield from wrap(((source, ""),), width)
