"""From one row of the page to words and style names. Knows no colours, no state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from geode_tui.domain.display import one_line
from geode_tui.domain.transcript import Branch, BranchKind, Message, Role, SegmentKind
from geode_tui.tui.widgets.transcript_body import Body, Laid, Row, RowKind

GUTTER = 3
"""Cells left of the text: the message cursor, what the line is, a blank."""

STYLES = (
    "text",
    "head",
    "head-target",
    "branch",
    "note",
    "reasoning",
    "call",
    "result",
    "attachment",
    "evidence",
    "counted",
    "hit",
    "hit-current",
    "selected",
    "gutter",
    "cursor",
)

_SEGMENT_STYLE = {
    SegmentKind.REASONING: "reasoning",
    SegmentKind.TOOL_CALL: "call",
    SegmentKind.TOOL_RESULT: "result",
    SegmentKind.ATTACHMENT: "attachment",
}
_SIGN = {
    "evidence": "*",
    "counted": "#",
    "call": ">",
    "result": "<",
    "reasoning": "~",
    "attachment": "+",
}
"""What the gutter says of a line, so that nothing rests on colour alone."""

ROLE_SIGN = {
    Role.SYSTEM: "□",
    Role.USER: "○",
    Role.ASSISTANT: "●",
    Role.TOOL: "◇",
}
"""A mark of who speaks; the word stands beside it."""

_ESCAPES = re.compile("␛\\[[0-9;:?]*[A-Za-z]|␛\\][^␛␇]{0,200}␇|␛.|[␀-␟␡]")
"""Control characters as they are shown: muted, so that the text can be read."""

Piece = tuple[str, tuple[str, ...]]
"""Text and the names of its styles; a later one lies over an earlier one."""


class Mark(NamedTuple):
    """A stretch of a message's raw text that is shown in a style."""

    start: int
    end: int
    style: str


def segment_marks(message: Message) -> list[Mark]:
    """Reasoning, calls and results of a message; a text call inside them too."""
    found = [
        Mark(s.span.start, s.span.end, _SEGMENT_STYLE[s.kind]) for s in message.segments
    ]
    covered = {(mark.start, mark.end) for mark in found}
    for call in message.tool_calls:
        if (call.span.start, call.span.end) not in covered:
            found.append(Mark(call.span.start, call.span.end, "call"))
    if message.role is Role.TOOL and not found:
        found.append(Mark(0, len(message.text), "result"))
    return found


def _count(count: int, one: str) -> str:
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def head_text(
    message: Message, branch: int | None, *, harness_error: bool = False
) -> str:
    """``● M8 ASSISTANT · branch 2 · 3 calls``: who speaks and what is special."""
    words = [f"{ROLE_SIGN[message.role]} M{message.m} {message.role.value.upper()}"]
    if message.role is Role.TOOL and message.tool:
        words[0] += f" {one_line(message.tool, 40)}"
    if branch is not None:
        words.append(f"branch {branch}")
    if message.prefill:
        words.append("prefill, written by the auditor")
    if harness_error:
        words.append("harness error?")
    if message.tool_calls:
        words.append(_count(len(message.tool_calls), "call"))
    if any(not call.complete for call in message.tool_calls):
        words.append("unclosed call")
    if message.error is not None:
        words.append(f"error: {one_line(message.error, 80)}")
    if not message.text.strip():
        words.append("empty")
    return " · ".join(words)


def branch_text(branch: Branch) -> str:
    """``Branch 2 - rolled back to M5``."""
    if branch.kind is BranchKind.RESTART:
        came = "restart, a new conversation"
    elif branch.kind is BranchKind.TRUNK:
        came = "first conversation"
    else:
        came = "rolled back"
        if branch.forked_from is not None:
            came += f" to M{branch.forked_from}"
        if branch.parent not in {None, 1}:
            came += f" of branch {branch.parent}"
    return f"Branch {branch.n} - {came}"


def rule(text: str, width: int) -> str:
    """A line across the page that carries words."""
    words = f"── {one_line(text, max(width - 6, 1))} "
    return words + "─" * max(width - len(words), 0)


def stand_in(row: Row, body: Body) -> str:
    """Our own words for what a row stands for."""
    if row.kind is RowKind.FOLD:
        return f"  … {body.more()}, z unfolds"
    lines = body.message.text.count("\n", row.start, row.end) + 1
    return f"~ reasoning, {_count(lines, 'line')}, R shows it"


def sign_of(marks: Sequence[Mark], whole: str = "") -> str:
    """What the gutter says of a line with these marks; a blank for none."""
    names = {mark.style for mark in marks} | {whole}
    return next((sign for name, sign in _SIGN.items() if name in names), " ")


def touching(marks: Sequence[Mark], row: Row) -> list[Mark]:
    """The marks that show on a row of text."""
    start, end = row.start, max(row.end, row.start + 1)
    return [mark for mark in marks if mark[0] < end and mark[1] > start]


def pieces(row: Row, marks: Sequence[Mark]) -> list[Piece]:
    """A row of text cut where its style changes; ``marks`` touch it."""
    block = row.block
    if block is None:
        return []
    text, first, last = block.shown.text, row.first, row.last
    spans = [*_controls(row, block), *(_shown(mark, block) for mark in marks)]
    if not spans:
        return [(text[first:last], ())]
    cuts = {first, last}
    for begin, stop, _ in spans:
        cuts.add(min(max(begin, first), last))
        cuts.add(min(max(stop, first), last))
    return [
        (
            text[left:right],
            tuple(s for begin, stop, s in spans if begin <= left and right <= stop),
        )
        for left, right in pairwise(sorted(cuts))
    ]


def _shown(mark: Mark, block: Laid) -> tuple[int, int, str]:
    shown = block.shown
    end = shown.to_display(mark.end - block.start)
    return shown.to_display(mark.start - block.start), end, mark.style


def _controls(row: Row, block: Laid) -> Iterator[tuple[int, int, str]]:
    if not block.shown.clean:
        for found in _ESCAPES.finditer(block.shown.text, row.first, row.last):
            yield found.start(), found.end(), "note"
