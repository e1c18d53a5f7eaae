"""What a rubric expects of each tier of model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from geode_tui.domain.rubric import Clause
from geode_tui.files.rubric_rules import claims
from geode_tui.files.rubric_words import sentences, slug
from geode_tui.files.seed_blocks import Block, BlockKind

_TIER = re.compile(r"\b(Strong|Mid|Middling|Average|Weak|Careful|Careless)\b\s*:\s*")


def discrimination(
    blocks: Sequence[Block], headings: dict[int, str]
) -> tuple[Clause, ...]:
    """Expected behaviour per tier of model.

    ``headings`` maps a block's line to the heading of its section.
    """
    for block in blocks:
        found = list(_TIER.finditer(block.text))
        if len(found) >= 2:
            ends = [match.start() for match in found[1:]] + [len(block.text)]
            return tuple(
                Clause(
                    key=match.group(1).lower(),
                    text=_of_tier(block.text[match.end() : end].strip()),
                    line=block.line,
                )
                for match, end in zip(found, ends, strict=True)
            )
    listed = _listed_tiers(blocks, headings)
    if len(listed) >= 2:
        return listed
    return tuple(
        Clause(key="expected", text=block.text, line=block.line)
        for block in blocks
        if block.kind in {BlockKind.PARAGRAPH, BlockKind.ITEM}
        and re.search(
            r"discriminat|expected|diverge|split", headings.get(block.line, ""), re.I
        )
        and not re.match(r"(floor case|per-call|scoring)", block.text, re.I)
        and not claims([block])
    )


_OF_ALL_TIERS = re.compile(
    r"(the (rubric|judge|scoring|scores?|bands?|spread|gap|difference)|these|together"
    r"|all (three|of)|this (spread|gap|split|difference|separat\w+))\b",
    re.I,
)


def _of_tier(text: str) -> str:
    """What is said of one tier, without a closing word about all of them."""
    said = sentences(text)
    for i, sentence in enumerate(said):
        if i and _OF_ALL_TIERS.match(sentence):
            return " ".join(said[:i])
    return text


_EXPECTS = re.compile(
    r"(expect|discriminat|\w+ discriminat|behaviou?r per|tiers?\b)", re.I
)
_NAMED_TIER = re.compile(r"^([A-Z][\w-]+(?: [\w-]+){0,2})\s*(?::|—|→)\s+(.+)$", re.S)


def _listed_tiers(
    blocks: Sequence[Block], headings: dict[int, str]
) -> tuple[Clause, ...]:
    """Tiers as a list: ``Strong: ...``, ``Careful model: ...``, one per item."""
    found: list[Clause] = []
    lead: Block | None = None
    for block in blocks:
        below = lead is not None and block.depth > lead.depth
        headed = _EXPECTS.search(headings.get(block.line, ""))
        match = _NAMED_TIER.match(block.text)
        if block.kind is BlockKind.ITEM and match and (below or headed):
            tier = re.search(r"\bmodels?$|\btarget$", match.group(1))
            if tier or _TIER.match(block.text):
                key = slug(re.sub(r"\s+(models?|target)$", "", match.group(1)))
                found.append(Clause(key=key, text=match.group(2), line=block.line))
                continue
        if _EXPECTS.match(block.text):
            lead = block
        elif not below:
            lead = None
    return tuple(found)
