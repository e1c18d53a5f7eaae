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
_INLINE = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__")


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
            pieces.append((hit[2] or hit[3], "strong"))
        at = hit.end()
    pieces.append((text[at:], style))
    return tuple(piece for piece in pieces if piece[0])


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
    fenced = False
    blank = True
    for source in visible(text).split("\n"):
        if _FENCE.match(source):
            fenced = not fenced
            continue
        if not source.strip():
            if not blank:
                yield Line()
            blank = True
            continue
        blank = False
        if fenced:
            yield from wrap(((source, "code"),), width)
        else:
            yield from _paragraph(source, width)


def raw_lines(text: str, width: int) -> Iterator[Line]:
    """Lines of a text exactly as written."""
    for source in visible(text).split("\n"):
        yield from wrap(((source, ""),), width)
