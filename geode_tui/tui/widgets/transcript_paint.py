"""From one line of the page to a strip of cells. Knows styles, keeps no state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from geode_tui.domain.base import Span
from geode_tui.domain.display import cells, one_line
from geode_tui.domain.transcript import BranchKind, Message, Role, SegmentKind
from geode_tui.tui.widgets.transcript_layout import FOLD, Entry

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
_MARK = {
    "evidence": "*",
    "counted": "#",
    "call": ">",
    "result": "<",
    "reasoning": "~",
    "attachment": "+",
}
"""What the gutter says of a line, so that nothing rests on colour alone."""


@dataclass(slots=True)
class Marks:
    """Stretches of one message's display text and how they are shown."""

    spans: list[tuple[int, int, str]] = field(default_factory=list)
    whole: str = ""
    """Style name that holds for the message as a whole (evidence), "" for none."""


def segment_marks(entry: Entry) -> list[tuple[int, int, str]]:
    """Reasoning, calls and results of a message, in display offsets."""
    shown = entry.shown
    found = [
        (
            shown.to_display(segment.span.start),
            shown.to_display(segment.span.end),
            _SEGMENT_STYLE[segment.kind],
        )
        for segment in entry.message.segments
    ]
    covered = {(start, end) for start, end, _ in found}
    for call in entry.message.tool_calls:
        span = (shown.to_display(call.span.start), shown.to_display(call.span.end))
        if span not in covered:
            found.append((*span, "call"))
    return found


def span_mark(entry: Entry, span: Span, style: str) -> tuple[int, int, str]:
    """A raw stretch as one in display offsets."""
    shown = entry.shown
    return shown.to_display(span.start), shown.to_display(span.end), style


def head_text(message: Message, total: int) -> str:
    """``M8 ASSISTANT  2 calls  prefill``: who speaks and what the message holds."""
    words = [f"M{message.m} {message.role.value.upper()}"]
    if message.role is Role.TOOL and message.tool:
        words[0] += f" {one_line(message.tool, 40)}"
    if message.prefill:
        words.append("prefill, written by the auditor")
    calls = len(message.tool_calls)
    if calls:
        words.append(f"{calls} call{'s' if calls > 1 else ''}")
    if any(not call.complete for call in message.tool_calls):
        words.append("unclosed call")
    if message.error is not None:
        words.append(f"error: {one_line(message.error, 80)}")
    if not message.text.strip():
        words.append("empty")
    elif total > FOLD:
        words.append(f"{total:,} lines")
    return "  ".join(words)


def branch_text(entry: Entry) -> str:
    """``Branch 2: rolled back to M5``."""
    branch = entry.opens
    if branch is None:
        return ""
    if branch.kind is BranchKind.ROLLBACK:
        came = (
            f"rolled back to M{branch.forked_from}"
            if branch.forked_from
            else "rolled back"
        )
        if branch.parent is not None and branch.parent != 1:
            came += f" of branch {branch.parent}"
    elif branch.kind is BranchKind.RESTART:
        came = "restart, a new conversation"
    else:
        came = "first conversation"
    return f"Branch {branch.n}: {came}"


def rule(text: str, width: int) -> str:
    """A line across the page that carries words."""
    words = f"── {one_line(text, max(width - 6, 1))} "
    return words + "─" * max(width - cells(words), 0)


def styled(
    text: str,
    start: int,
    end: int,
    spans: Sequence[tuple[int, int, Style]],
    base: Style,
) -> list[Segment]:
    """One visual line of display text with its styled stretches; later ones win."""
    cuts = {start, end}
    for begin, stop, _ in spans:
        cuts.update((max(begin, start), min(stop, end)))
    segments: list[Segment] = []
    for left, right in pairwise(sorted(cuts)):
        style = base
        for begin, stop, extra in spans:
            if begin <= left and right <= stop:
                style += extra
        segments.append(Segment(text[left:right], style))
    return segments


def filled(segments: list[Segment], width: int, base: Style) -> Strip:
    """A strip of exactly ``width`` cells. Cells are measured here, once."""
    used = sum(len(text) if text.isascii() else cell_len(text) for text, *_ in segments)
    if used < width:
        text, style, _ = segments[-1]
        if style == base:
            segments[-1] = Segment(text + " " * (width - used), base)
        else:
            segments.append(Segment(" " * (width - used), base))
    strip = Strip(segments, max(used, width))
    return strip if used <= width else strip.crop(0, width)


def mark_of(
    start: int, end: int, marks: Marks, segments: Sequence[tuple[int, int, str]]
) -> str:
    """What the gutter says of a line: the most telling thing on it."""
    names = {
        name
        for begin, stop, name in (*segments, *marks.spans)
        if begin < max(end, start + 1) and stop > start
    }
    if marks.whole:
        names.add(marks.whole)
    return next((sign for name, sign in _MARK.items() if name in names), " ")
