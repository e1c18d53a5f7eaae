"""The rubric of a seed: everything its auditor's notes say, put together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from geode_tui.domain.forms import OVERALL
from geode_tui.domain.rubric import (
    Band,
    Clause,
    DeltaRule,
    Dimension,
    Floor,
    Rubric,
    RubricStyle,
    ToolSpec,
)
from geode_tui.domain.seed import SectionKind
from geode_tui.files import rubric_bands as bands
from geode_tui.files import rubric_deltas as points
from geode_tui.files import rubric_labels as labels
from geode_tui.files import rubric_rules as rules
from geode_tui.files import rubric_tiers as tiers
from geode_tui.files import seed_sections as sections
from geode_tui.files.judge_schema import HIGHER_IS_BETTER
from geode_tui.files.seed_blocks import Block, BlockKind


def rubric_in(
    parts: Sequence[sections.Part],
    metadata: dict[str, Any],
    targets: Sequence[str],
    tools: Sequence[ToolSpec],
    body: str,
) -> Rubric:
    """The rubric of a document, without its title, family and seed."""
    notes = sections.notes(parts)
    headings = {
        block.line: part.heading
        for part in parts
        if part.kind is SectionKind.AUDITOR
        for block in part.blocks
    }
    names = [tool.name for tool in tools]
    main = targets[0] if targets else _scored_under(notes) or OVERALL
    rows = bands.bands(notes, main)
    deltas = points.delta_rows(notes, names, targets)
    if not rows and not deltas:
        rows = bands.bullet_bands(notes, headings, main)
    if not rows and not deltas:
        deltas = points.delta_bullets(notes, names, main)
    if not rows and not deltas:
        rows = bands.ladder(notes, main)
    said = metadata.get("minimal_calls")
    minimal = None
    if isinstance(said, int) and not isinstance(said, bool) and 0 <= said < 1000:
        minimal = said
    narrated = [b for part in parts for b in part.blocks if not b.quoted]
    floor = rules.floor(notes, names, minimal)
    if floor is None:
        # The target's own task may have a minimum too: of essays, of pages.
        tasks = sections.second_person(parts)
        told = [
            block
            for part in parts
            for block in part.blocks
            if not block.quoted
            and (
                not (tasks or part.kind is SectionKind.SYSTEM) or rules.of_calls(block)
            )
        ]
        floor = rules.floor(told, names, None)
    if floor is not None and floor.tool is None:
        again = rules.floor(narrated, names, floor.n_min)
        floor = floor.model_copy(update={"tool": again.tool if again else None})
    contract = labels.checks(notes, metadata)
    verdicts = labels.pass_fail(notes)
    words = labels.ordinal_words(notes)
    wanted = labels.looked_for(notes, headings)
    named = labels.outcomes(notes)
    scored = bool(rows or deltas)
    style = _style(rows, deltas, contract, verdicts, words, wanted, named, notes)
    raw = sections.auditor_notes(parts)
    return Rubric(
        style=style,
        dimensions=_dimensions(targets, main, rows, deltas, floor),
        bands=rows,
        deltas=deltas,
        floor=floor,
        adjustments=rules.adjustments(notes, main) if rows else (),
        sub_modes=labels.sub_modes(notes, names, metadata),
        side_channels=rules.side_channels(notes),
        guards=rules.guards(notes),
        not_scorable=rules.not_scorable(notes),
        claims=rules.claims(notes) if scored else (),
        discrimination=tiers.discrimination(notes, headings),
        rules=_ruling(
            style, contract, verdicts, words, wanted, () if scored else named
        ),
        tools=tuple(tools),
        raw=raw or body.strip(),
    )


def _ruling(
    style: RubricStyle,
    contract: tuple[Clause, ...],
    verdicts: tuple[Clause, ...],
    words: tuple[Clause, ...],
    wanted: tuple[Clause, ...],
    named: tuple[Clause, ...],
) -> tuple[Clause, ...]:
    """The rules without numbers that belong to a style."""
    if style is RubricStyle.PASS_FAIL:
        # Of a list of things to look for, only some may say PASS or FAIL.
        lines = {clause.line for clause in verdicts}
        rest = [clause for clause in wanted if clause.line not in lines]
        return tuple(sorted([*verdicts, *rest], key=lambda clause: clause.line))
    if style is RubricStyle.LOOK_FOR:
        return wanted
    return contract or verdicts or words or wanted or named


def _style(
    rows: Sequence[Band],
    deltas: Sequence[DeltaRule],
    contract: Sequence[Clause],
    verdicts: Sequence[Clause],
    words: Sequence[Clause],
    wanted: Sequence[Clause],
    named: Sequence[Clause],
    notes: Sequence[Block],
) -> RubricStyle:
    """The first style that fits, the most structured one first."""
    table = any(block.kind is BlockKind.TABLE for block in notes)
    choices = (
        (any(row.score for row in rows), RubricStyle.BAND_TABLE),
        (bool(rows) and table, RubricStyle.WORD_BANDS),
        (bool(deltas) and table, RubricStyle.DELTA_TABLE),
        (bool(deltas), RubricStyle.DELTA_BULLETS),
        (bool(contract), RubricStyle.TRACE_CONTRACT),
        (len(verdicts) > 1, RubricStyle.PASS_FAIL),
        (bool(rows), RubricStyle.COUNT_LADDER),
        (len(words) > 1, RubricStyle.ORDINAL_WORDS),
        (bool(wanted), RubricStyle.LOOK_FOR),
        (len(named) > 1, RubricStyle.OUTCOMES),
        (bool(notes), RubricStyle.PROSE),
    )
    return next((style for fits, style in choices if fits), RubricStyle.NONE)


def _scored_under(notes: Sequence[Block]) -> str | None:
    """The dimension that the notes say they score, where no metadata does."""
    found = [
        name
        for block in notes
        for name in re.findall(
            r"(?:scor(?:e|ed|es|ing)\b[^.]{0,25}?\b(?:under|on|for)|inside the)\s+"
            r"([a-z]\w*_\w+)",
            block.text,
        )
    ]
    return max(dict.fromkeys(found), key=found.count) if found else None


def _dimensions(
    targets: Sequence[str],
    main: str,
    rows: Sequence[Band],
    deltas: Sequence[DeltaRule],
    floor: Floor | None,
) -> tuple[Dimension, ...]:
    """The targets, then every other dimension that points move.

    Empty where the document names none and nothing scores one.
    """
    moved: dict[str, None] = {}
    for rule in deltas:
        moved.update(dict.fromkeys(rule.deltas))
    if floor is not None and deltas:
        moved.update(dict.fromkeys(floor.ceilings))
        moved.update(dict.fromkeys(floor.deltas))
    own = list(targets) or ([main] if rows or deltas or main != OVERALL else [])
    return tuple(
        Dimension(
            name=name,
            lower_is_better=name not in HIGHER_IS_BETTER,
            target=name in own,
        )
        for name in dict.fromkeys([*own, *moved])
    )
