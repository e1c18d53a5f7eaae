"""A message's raw text cut into blocks that can be laid out by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from geode_tui.domain.display import Edit
from geode_tui.domain.json_layout import json_edits
from geode_tui.domain.transcript import Message, Role, SegmentKind

CHUNK = 16_384
"""Characters of a block; a text of up to twice as many is one block."""


class Block(NamedTuple):
    """A stretch of a message's raw text.

    Attributes:
        hidden: reasoning that is not shown.
        blank: nothing but blanks beside a hidden block; takes no row.
    """

    start: int
    end: int
    hidden: bool = False
    blank: bool = False


def blocks_of(message: Message, reasoning: bool) -> Iterator[Block]:
    """The blocks of a message, in order; ``reasoning`` is shown where True."""
    text = message.text
    at = 0
    for start, end in [] if reasoning else reasoning_spans(message):
        if start < at:
            continue
        if start > at:
            yield from _chunks(text, at, start, beside=True)
        yield Block(start, end, hidden=True)
        at = end + 1 if text[end : end + 1] == "\n" else end
    if at < len(text) or at == 0:
        yield from _chunks(text, at, len(text), beside=at > 0)


def reasoning_spans(message: Message) -> list[tuple[int, int]]:
    """The stretches of a message's raw text that are reasoning, in order."""
    return sorted(
        (segment.span.start, segment.span.end)
        for segment in message.segments
        if segment.kind is SegmentKind.REASONING
        and segment.span.end > segment.span.start
    )


def _chunks(text: str, start: int, end: int, *, beside: bool) -> Iterator[Block]:
    if beside and end - start < CHUNK and not text[start:end].strip():
        yield Block(start, end, blank=True)
        return
    while end - start > 2 * CHUNK:
        cut = text.rfind("\n", start, start + CHUNK) + 1
        if cut <= start:
            cut = text.rfind(" ", start + CHUNK // 2, start + CHUNK) + 1
        if cut <= start:
            cut = start + CHUNK + (text[start + CHUNK] == "\n")
            while cut < end and not text[cut].isascii():
                cut += 1  # never between a character and its marks
                if cut - start > CHUNK + 64:
                    break
        yield Block(start, cut)
        start = cut
    yield Block(start, end)


def edits_within(edits: tuple[Edit, ...], block: Block) -> list[Edit]:
    """The edits inside a block, with offsets from its start."""
    return [
        (start - block.start, end - block.start, text)
        for start, end, text in edits
        if block.start <= start and end <= block.end
    ]


def edits_of(message: Message) -> tuple[Edit, ...]:
    """Edits that lay out the JSON of a message's calls and results."""
    spans = {(call.span.start, call.span.end) for call in message.tool_calls}
    spans |= {
        (segment.span.start, segment.span.end)
        for segment in message.segments
        if segment.kind in {SegmentKind.TOOL_CALL, SegmentKind.TOOL_RESULT}
    }
    if message.role is Role.TOOL and not spans:
        spans = {(0, len(message.text))}
    edits: list[Edit] = []
    for start, end in sorted(spans):
        if not edits or start >= edits[-1][1]:
            edits += json_edits(message.text, start, end)
    return tuple(edits)
