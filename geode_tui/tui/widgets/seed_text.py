"""The rest of a seed as lines: system prompt, user turns, tool responses."""

from __future__ import annotations

from collections.abc import Iterator

from geode_tui.domain.display import one_line
from geode_tui.domain.seed import SectionKind, Seed
from geode_tui.tui.widgets.lines import Line, wrap
from geode_tui.tui.widgets.prose import prose_lines
from geode_tui.tui.widgets.rubric_text import clean


def _part(title: str, text: str, width: int) -> Iterator[Line]:
    if text.strip():
        yield Line()
        yield Line(((one_line(title, width), "head"),))
        yield from prose_lines(text, width)


def seed_lines(seed: Seed | None, body: str, width: int) -> list[Line]:
    """Everything of the seed but its rubric, in the order of the scenario.

    Args:
        seed: the seed as read; None where only the log's own copy is known.
        body: that copy, shown where there is no seed.
        width: cells.
    """
    if seed is None:
        if not body.strip():
            return wrap((("This transcript names no seed.", "dim"),), width)
        return list(prose_lines(body, width))
    lines = wrap(((clean(seed.title or seed.name or seed.path), "strong"),), width)
    lines += _part("System prompt", seed.system_prompt, width)
    for turn in seed.user_turns:
        lines += _part("User turn", turn, width)
    if seed.tool_responses:
        lines += [Line(), Line((("Tool responses", "head"),))]
    for answer in seed.tool_responses:
        call = clean(answer.call or answer.tool)
        lines += wrap(((call, "code"),), width, first=("• ", "dim"), hang=2)
        lines += wrap(
            ((clean(answer.response), ""),), width, first=("→", "dim"), hang=4
        )
    if not seed.tool_responses:
        for section in seed.sections:
            if section.kind in {SectionKind.TOOLS, SectionKind.TOOL_RESPONSES}:
                lines += _part(section.heading or "Tools", section.text, width)
    for section in seed.sections:
        if section.kind in {SectionKind.AUDITOR, SectionKind.OTHER}:
            lines += _part(section.heading or "Auditor's notes", section.text, width)
    return lines
