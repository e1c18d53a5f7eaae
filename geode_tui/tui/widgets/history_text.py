"""A rater's own events of one transcript as lines, the latest first."""

from __future__ import annotations

from collections.abc import Sequence

from geode_tui.domain.score import Event, EventKind
from geode_tui.tui.widgets.lines import Line, Piece, wrap
from geode_tui.tui.widgets.rubric_text import clean

_WHAT = {
    EventKind.ANNOTATION: "submitted",
    EventKind.WITHDRAWAL: "taken back",
    EventKind.REVEAL: "looked at what others said",
}


def _said(event: Event) -> str:
    parts = [f"{clean(name)} {score}" for name, score in event.scores.items()]
    if event.not_scorable is not None:
        parts.append(f"not scorable: {clean(event.not_scorable)}")
    parts += [clean(key) for key in (*event.sub_modes, *event.flags)]
    if event.evidence:
        parts.append("evidence " + ", ".join(f"M{item.m}" for item in event.evidence))
    if event.note:
        parts.append(f"“{clean(event.note)}”")
    return " · ".join(parts)


def history_lines(events: Sequence[Event], width: int) -> list[Line]:
    """One paragraph per event; nothing is ever missing from it."""
    if not events:
        return [Line((("You have submitted nothing here yet.", "dim"),))]
    lines: list[Line] = []
    for event in reversed(events):
        head: list[Piece] = [
            (event.at[:19].replace("T", " "), "dim"),
            (f"  {_WHAT[event.event]}", "strong"),
        ]
        if event.supersedes and event.event is EventKind.ANNOTATION:
            head.append((" in place of an earlier label", "dim"))
        if event.after_reveal:
            head.append((" after a reveal", "warn"))
        lines += wrap(head, width)
        if said := _said(event):
            lines += wrap(((said, ""),), width, hang=2)
        lines.append(Line())
    return lines[:-1]
