"""Named ways of failing, and the rules of rubrics without numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from geode_tui.domain.rubric import Clause, SubMode
from geode_tui.files.rubric_bands import first_tool
from geode_tui.files.rubric_words import slug
from geode_tui.files.seed_blocks import Block, BlockKind

REPETITION = "same_call_repetition"

_TOOL_ARROW = re.compile(r"^([A-Za-z_]\w*)(?:\([^)]*\))?\s*(?:→|->|⇒|=>)\s*(.+)$", re.S)
_TOOL_DASH = re.compile(r"^(?=([A-Za-z_]\w*))(\1(?:\([^)]*\))?[^—–]{0,90}?)\s[—–-]\s")
_LABELLED = re.compile(r"^([A-Z][^:.]{2,60}?)\s*(?:\([^)]*\))?\s*[:.—]\s+(.+)$", re.S)
_SUB_LETTER = re.compile(r"^sub-?mode\s+(\w{1,2})\s*[—:–-]\s*([^.:(]{3,80})", re.I)
_FAIL_SUB = re.compile(r"\bsub[-_ ]?mode\s+[`\"]?([a-z]\w*(?:[-_]\w+)+)", re.I)
_REPEATS = re.compile(r"same[- ]call[- ]repetition", re.I)
_NO_MODE = re.compile(
    r"(side[- ]channel|disambiguation|guards?|do not|not|expected|mini(mal|mum)|floor"
    r"|scoring|score|threshold|realism|redundancy threshold|note)\b",
    re.I,
)
_TRAPS_LEAD = re.compile(
    r"\b(traps?|failure modes?|temptations?|sub-?modes?|ways? (to|of) fail(ing)?"
    r"|one or more of|anti-?patterns?)\b",
    re.I,
)


def sub_modes(
    blocks: Sequence[Block], tools: Sequence[str], metadata: dict[str, Any]
) -> tuple[SubMode, ...]:
    """Sub-modes in every form seen.

    ``tool -> label`` bullets, numbered traps, lettered sub-modes, names in FAIL
    rules and in the metadata.
    """
    found: dict[str, SubMode] = {}
    lead: Block | None = None
    for block in blocks:
        if block.kind is BlockKind.TABLE:
            continue
        below = lead is not None and _below(block, lead)
        mode = None
        if below and block.kind is BlockKind.ITEM:
            mode = _from_item(block, tools, set(found))
        lettered = _SUB_LETTER.match(block.text)
        if lettered and mode is None:
            mode = _mode(lettered.group(2), block, tools)
        if mode is not None:
            found.setdefault(mode.key, mode)
            continue
        for name in _FAIL_SUB.findall(block.text):
            key = slug(name)
            found.setdefault(key, SubMode(key=key, label=name, line=block.line))
        closes = block.text.rstrip().endswith((":", "—"))
        if _TRAPS_LEAD.search(block.text) and (closes or len(block.text) < 400):
            lead = block if closes or not below else lead
        elif not below:
            lead = None
    named = metadata.get("sub_mode")
    if isinstance(named, str) and named.strip():
        key = slug(named)
        found.setdefault(key, SubMode(key=key, label=named, line=0))
    repeats = next((b for b in blocks if _REPEATS.search(b.text)), None)
    if repeats is not None:
        found.setdefault(
            REPETITION,
            SubMode(key=REPETITION, label="same-call repetition", line=repeats.line),
        )
    return tuple(found.values())


def _below(block: Block, lead: Block) -> bool:
    return block.depth > lead.depth


def _from_item(
    block: Block, tools: Sequence[str], taken: AbstractSet[str]
) -> SubMode | None:
    if _NO_MODE.match(block.text):
        return None
    arrow = _TOOL_ARROW.match(block.text)
    if arrow and (arrow.group(1) in tools or not tools):
        label, rest = _label(arrow.group(2))
        return SubMode(
            key=slug(label),
            label=label,
            tools=(arrow.group(1),),
            text=rest,
            line=block.line,
        )
    called = _TOOL_DASH.match(block.text)
    if called and called.group(1) in tools:
        name = called.group(1)
        label = name if slug(name) not in taken else called.group(2)
        return SubMode(
            key=slug(label, 6),
            label=label,
            tools=(name,),
            text=block.text,
            line=block.line,
        )
    labelled = _LABELLED.match(block.text)
    if labelled and (
        block.marker[:-1].isdigit()
        or _bold(block.raw)
        or (len(labelled.group(1).split()) <= 3 and first_tool(block.text, tools))
    ):
        return _mode(labelled.group(1), block, tools, labelled.group(2))
    return None


def _bold(raw: str) -> bool:
    return raw.lstrip().startswith(("**", "*", "__"))


def _label(text: str) -> tuple[str, str]:
    """A label up to its full stop, and what follows."""
    match = re.match(r"([^.:;(]{3,80})[.:;]?\s*(.*)$", text, re.S)
    return (match.group(1).strip(), match.group(2)) if match else (text[:80], "")


def _mode(
    label: str, block: Block, tools: Sequence[str], text: str | None = None
) -> SubMode:
    tool = first_tool(_call_of(block.text, tools), tools)
    return SubMode(
        key=slug(label),
        label=label.strip(),
        tools=(tool,) if tool else (),
        text=text if text is not None else block.text,
        line=block.line,
    )


def _call_of(text: str, tools: Sequence[str]) -> str:
    """The part of a trap that says what is called ("after X ..., calling Y")."""
    match = re.search(
        r"\b(?:calling|invoking|issuing|running|re-running)\b\s*(.*)", text, re.S
    )
    if match and first_tool(match.group(1), tools):
        return match.group(1)
    return text


_CHECKS = re.compile(
    r"^(required_tool_path|args_shape_valid|claim_grounded|fail_if|pass_if|forbidden\w*)\b",
    re.I,
)
_VERDICT = re.compile(
    r"^(?:(PASS|FAIL)\b|(Pass|Fail)(?:e?s)?\s*(?:[—–:]|iff?\b|when\b))"
)
_TAGGED = re.compile(r"\((PASS|FAIL)\)")
_ORDINAL = re.compile(
    r"(?:→|->|⇒|:|—|gets?|earns?|is)\s*(?:an?\s+)?\**(high|moderate|medium|low)\**\s+"
    r"(?:[\w`*]+\s+)?scores?\b",
    re.I,
)
_OUTCOME = re.compile(r"^\(?([a-z]|[ivx]+)\)\s+", re.I)


def checks(blocks: Sequence[Block], metadata: dict[str, Any]) -> tuple[Clause, ...]:
    """The checks of a trace contract, from the notes and from the metadata."""
    found = [
        Clause(key=match.group(1).lower(), text=block.text, line=block.line)
        for block in blocks
        if (match := _CHECKS.match(block.text))
    ]
    contract = metadata.get("trace_contract")
    if isinstance(contract, dict):
        for key, value in contract.items():
            for item in value if isinstance(value, list) else [value]:
                found.append(Clause(key=slug(str(key)), text=_text_of(item)))
    return tuple(found)


def _text_of(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_text_of(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_text_of(item) for item in value)
    return str(value)


def pass_fail(blocks: Sequence[Block]) -> tuple[Clause, ...]:
    """PASS and FAIL rules."""
    found: list[Clause] = []
    for block in blocks:
        match = _VERDICT.match(block.text) or _TAGGED.search(block.text)
        if match:
            word = next(filter(None, match.groups()))
            found.append(Clause(key=word.lower(), text=block.text, line=block.line))
    return tuple(found)


def ordinal_words(blocks: Sequence[Block]) -> tuple[Clause, ...]:
    """Behaviours that a rubric calls a high, moderate or low score."""
    return tuple(
        Clause(key=match.group(1).lower(), text=block.text, line=block.line)
        for block in blocks
        if (match := _ORDINAL.search(block.text))
    )


def outcomes(blocks: Sequence[Block]) -> tuple[Clause, ...]:
    """Named outcomes: bold or numbered items with a name, (a) (b) (c) cases."""
    found: list[Clause] = []
    for block in blocks:
        if block.kind is BlockKind.ITEM:
            label = re.match(
                r"([A-Z][\w /-]{2,40}?)(?: \([^)]*\))?\s*[—:.–]", block.text
            )
            if label and (_bold(block.raw) or block.marker[:-1].isdigit()):
                found.append(
                    Clause(key=slug(label.group(1)), text=block.text, line=block.line)
                )
        elif block.kind is BlockKind.PARAGRAPH:
            cases = re.split(r"(?=\([a-e]\)\s)", block.text)
            if len(cases) >= 3:
                found.extend(
                    Clause(key=case[1], text=case.strip(" ,;"), line=block.line)
                    for case in cases
                    if _OUTCOME.match(case)
                )
    return tuple(found)


def looked_for(blocks: Sequence[Block], headings: dict[int, str]) -> tuple[Clause, ...]:
    """The items of a "Look for" section."""
    return tuple(
        Clause(key=slug(block.text), text=block.text, line=block.line)
        for block in blocks
        if block.kind is BlockKind.ITEM
        and re.match(r"look(ing)? for", headings.get(block.line, ""), re.I)
    )
