"""Points of a rubric: tables with delta columns, bullets with points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from geode_tui.domain.rubric import DeltaRule
from geode_tui.files.rubric_bands import DELTA_HEAD, SCORING_LEAD, first_tool
from geode_tui.files.rubric_words import SIGN, points, signed
from geode_tui.files.seed_blocks import Block, BlockKind

_NAMED_POINTS = re.compile(
    rf"\b([a-z][a-z0-9]*(?:_[a-z0-9]+)*)\s*({SIGN})\s*(\d+(?:\.\d+)?)"
)
_DIMENSION = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_ALSO_FLAG = re.compile(
    r"flags? (\S+ )?(both|too|also|as well)|also flags?\b|both axes",
    re.I,
)
_EACH_BULLET = re.compile(
    rf"(?<!\d)(?<!\d\s)({SIGN})\s*(\d*\.?\d+)(\s*(?:per|each|for each|every)\b[^)]*)?"
)


def delta_rows(
    blocks: Iterable[Block], tools: Sequence[str], known: Sequence[str]
) -> tuple[DeltaRule, ...]:
    """The rows of every table with a delta column: points per dimension."""
    found: list[DeltaRule] = []
    for block in blocks:
        if block.kind is not BlockKind.TABLE or not block.rows:
            continue
        header = block.rows[0].cells
        columns = _delta_columns(header, known)
        if not columns:
            continue
        for row in block.rows[1:]:
            deltas: dict[str, float] = {}
            flags: list[str] = []
            for i, cell in enumerate(row.cells[1:], 1):
                name = columns.get(i)
                amount = points(cell)
                if name and amount is not None:
                    deltas[name] = amount
                for other, sign, number in _NAMED_POINTS.findall(cell):
                    if "_" in other or other in known or not name:
                        deltas[other] = signed(sign, number)
                if _ALSO_FLAG.search(cell):
                    flags.extend(_DIMENSION.findall(cell))
            if deltas:
                found.append(
                    DeltaRule(
                        tool=first_tool(row.cells[0], tools),
                        condition=row.cells[0],
                        deltas=deltas,
                        also_flags=tuple(
                            dict.fromkeys(f for f in flags if f not in deltas)
                        ),
                        line=row.line,
                    )
                )
    return tuple(found)


_NAMED_DELTA = re.compile(
    r"(?:added to |points? (?:on|for|of|added to) )?([a-z]\w*)"
    r"(?: deltas?| points?(?: added)?| adds)?",
    re.I,
)
_NO_NAME = frozenset({"delta", "deltas", "point", "points", "score", "scores", "adds"})


def _delta_columns(header: Sequence[str], known: Sequence[str]) -> dict[int, str]:
    """Column -> the dimension whose points it gives; each dimension once.

    A column that names none gives those of the first known one, unless another
    column does.
    """
    heads = [
        (i, _dimension_of(cell, known))
        for i, cell in enumerate(header)
        if i > 0 and DELTA_HEAD.search(cell)
    ]
    columns: dict[int, str] = {}
    for i, name in sorted(heads, key=lambda head: head[1] is None):
        meant = name or (known[0] if known else None)
        if meant is not None and meant not in columns.values():
            columns[i] = meant
    return columns


def _dimension_of(head: str, known: Sequence[str]) -> str | None:
    for name in sorted(known, key=len, reverse=True):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", head):
            return name
    match = _DIMENSION.search(head)
    if match:
        return match.group()
    named = _NAMED_DELTA.fullmatch(head.strip())
    word = named.group(1).lower() if named else ""
    return word if word and word not in _NO_NAME else None


def delta_bullets(
    blocks: Sequence[Block], tools: Sequence[str], dimension: str
) -> tuple[DeltaRule, ...]:
    """Bullets under a scoring lead-in that end in points per occurrence."""
    found: list[DeltaRule] = []
    lead: Block | None = None
    for block in blocks:
        if block.kind not in {BlockKind.ITEM, BlockKind.PARAGRAPH}:
            continue
        if lead is not None and _under(block, lead):
            amount = _bullet_points(block.text)
            if amount is not None:
                found.append(
                    DeltaRule(
                        tool=first_tool(block.text, tools),
                        condition=block.text,
                        deltas={dimension: amount},
                        line=block.line,
                    )
                )
                continue
        if SCORING_LEAD.match(block.text):
            lead = block
    return tuple(found)


_SPOKEN_POINTS = re.compile(
    r"\b(?:(adds?|gains?|plus|raises? (?:it |the score )?by)"
    r"|(?:subtracts?|deducts?|takes? (?:off|away)|removes?|minus"
    r"|lowers? (?:it |the score )?by))\s+"
    r"(\d+(?:\.\d+)?|half|an?|one|two|three|four|five)(?: an?)?(?: full)? points?\b",
    re.I,
)
_SPOKEN_NUMBER = {"half": 0.5, "a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0}
_SPOKEN_NUMBER |= {"three": 3.0, "four": 4.0, "five": 5.0}


def _bullet_points(text: str) -> float | None:
    """Points of a bullet: ``+1.5 for each ...``, ``takes off half a point``."""
    match = _EACH_BULLET.search(text)
    if match is not None and _points_end(text, match):
        return signed(match.group(1), match.group(2))
    spoken = _SPOKEN_POINTS.search(text)
    if spoken is None:
        return None
    word = spoken.group(2).lower()
    number = _SPOKEN_NUMBER[word] if word in _SPOKEN_NUMBER else float(word)
    return number if spoken.group(1) else -number


def unread_points(blocks: Iterable[Block], rules: Sequence[DeltaRule]) -> list[int]:
    """Lines of items that speak of points, in lists whose other items were read."""
    read = {rule.line for rule in rules}
    unread: list[int] = []
    run: list[Block] = []
    for block in [*blocks, None]:
        if block is not None and block.kind is BlockKind.ITEM:
            run.append(block)
            continue
        depths = {item.depth for item in run if item.line in read}
        unread += [
            item.line
            for item in run
            if item.depth in depths
            and item.line not in read
            and re.search(rf"\bpoints?\b|^{SIGN}\s*\d", item.text, re.I)
        ]
        run = []
    return unread


def _under(block: Block, lead: Block) -> bool:
    if lead.kind is BlockKind.ITEM:
        return block.kind is BlockKind.ITEM and block.depth > lead.depth
    return block.kind is BlockKind.ITEM


def _points_end(text: str, match: re.Match[str]) -> bool:
    """Points open or close the bullet, stand in brackets, or say how often."""
    after = text[match.end() :].strip(" .)")
    before = text[: match.start()].rstrip()
    return not before or not after or before.endswith("(") or bool(match.group(3))
