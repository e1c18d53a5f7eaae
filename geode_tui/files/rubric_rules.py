"""What surrounds the scoring rows: floor, adjustments, flags, guards, claims."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.rubric import (
    Adjustment,
    AdjustmentKind,
    Clause,
    Floor,
    SideChannel,
)
from geode_tui.files.rubric_bands import first_tool
from geode_tui.files.rubric_words import SIGN, sentences, signed, slug
from geode_tui.files.seed_blocks import Block, BlockKind

_N_MIN = (
    re.compile(r"\bN_min\s*=\s*(\d+)"),
    re.compile(r"\b(\d+)-call (?:floor|minimum|path)", re.I),
    re.compile(
        r"\bmini(?:mal|mum)\b[^.\n]{0,60}?(?:\bN\s*=\s*|\bis\s+|:\s*)(\d+)\b", re.I
    ),
    re.compile(r"\bfloor\b[^.\n]{0,40}?\bN\s*=\s*(\d+)", re.I),
    re.compile(r"\bN\s*=\s*(\d+)\s*(?:is enough|suffices|is sufficient)", re.I),
)
_NEEDS = re.compile(
    r"(?:first|once|after)\s+(?:the\s+)?(?:first\s+)?(\w+)\s+(?:has|had|call has)\s+"
    r"(?:\w+\s+)?(?:returned|delivered|given|reported|shown|produced)\s+(?:the\s+)?(\w+)",
    re.I,
)
_CEILING = re.compile(r"\b([a-z]\w*_\w+)\s*(?:≤|<=|at most)\s*(\d+)")
_FLOOR_POINTS = re.compile(rf"\b([a-z]\w+)\s*({SIGN})\s*(\d+(?:\.\d+)?)")


def floor(
    blocks: Sequence[Block], tools: Sequence[str], minimal: int | None
) -> Floor | None:
    """The minimal path, from the notes or (``minimal``) from the metadata."""
    n_min, at = minimal, None
    for block in blocks:
        found = next((m for p in _N_MIN if (m := p.search(block.text))), None)
        if found is not None:
            n_min, at = int(found.group(1)), block
            break
    if n_min is None:
        return None
    tool = first_tool(at.text, tools) if at else None
    needs = None
    for block in blocks:
        for name, value in _NEEDS.findall(block.text):
            if name in tools:
                tool, needs = name, value
    case = next((b for b in blocks if re.match(r"floor case", b.text, re.I)), None)
    text = case.text if case else (at.text if at else "")
    if tool is None:
        tool = next((t for b in blocks if (t := _first_call(b.text, tools))), None)
    return Floor(
        n_min=n_min,
        tool=tool,
        needs=needs,
        text=text,
        deltas={
            name: signed(sign, number)
            for name, sign, number in _FLOOR_POINTS.findall(case.text if case else "")
            if name not in tools
        },
        ceilings={
            name: int(score)
            for name, score in _CEILING.findall(case.text if case else "")
            if LOWEST_SCORE <= int(score) <= HIGHEST_SCORE
        },
        line=at.line if at else 0,
    )


def of_calls(block: Block) -> bool:
    """True where the sentence that states a minimum counts calls."""
    return any(
        re.search(r"\bcalls?\b", sentence, re.I)
        for sentence in sentences(block.text)
        if any(pattern.search(sentence) for pattern in _N_MIN)
    )


def _first_call(text: str, tools: Sequence[str]) -> str | None:
    """The tool of "the first reasonable call is ...", "a single ...(...)"."""
    for match in re.finditer(r"\b(first|initial|single|one|only)\b", text, re.I):
        after = text[match.end() : match.end() + 60]
        tool = first_tool(re.split(r"[.;]\s", after)[0], tools)
        if tool is not None:
            return tool
    return None


_STEP = re.compile(rf"({SIGN})\s*(\d)\s+(?:point\s+)?(?:if|when|where|for)\b", re.I)
_CLAMP_LOW = re.compile(
    rf"{SIGN}\s*\d\b[^.;]{{0,40}}?\b"
    r"(?:floor(?:s|ed)?|stops?|ends?|is held|never below)\b"
    r"[^.;,]{0,20}?(\d+)",
    re.I,
)
_CLAMP_HIGH = re.compile(
    r"\+\s*\d\b[^.;]{0,40}?\b"
    r"(?:ceilings?|caps?|capped|stops?|ends?|is held|never above)\b"
    r"[^.;,]{0,20}?(\d+)",
    re.I,
)
_SCORE_AFTER = r"\s+(?:(?:at|to|of|a|the|score)\s+){0,3}(\d+)\b(?!\.\d|\s*%)"
_NOT_BELOW = re.compile(
    r"\b(?:floor(?:s|ed)?|clamped|(?:never|not)(?: \w+)? (?:below|under)|no lower than)"
    + _SCORE_AFTER,
    re.I,
)
_NOT_ABOVE = re.compile(
    r"\b(?:ceilings?|capped|caps?|clamped|no higher than"
    r"|(?:never|not)(?: \w+)? (?:above|over|exceeds?))" + _SCORE_AFTER,
    re.I,
)
_LITERAL = re.compile(r"[\"“']([\w-]+)[\"”']")


def adjustments(blocks: Iterable[Block], dimension: str) -> tuple[Adjustment, ...]:
    """Steps of one point inside a dimension ("+1 if the same call ...")."""
    found: list[Adjustment] = []
    for block in blocks:
        if block.kind is BlockKind.TABLE:
            continue
        steps = list(_STEP.finditer(block.text))
        if not steps:
            continue
        ends = [step.start() for step in steps[1:]] + [len(block.text)]
        clamps = _clamps(block.text)
        for step, end in zip(steps, ends, strict=True):
            condition = _until_clamp(block.text[step.start() : end])
            amount = int(signed(step.group(1), step.group(2)))
            low, high = _own_clamps(block.text[step.start() : end], clamps)
            found.append(
                Adjustment(
                    dimension=dimension,
                    amount=amount,
                    kind=_adjustment_kind(condition),
                    condition=condition,
                    clamp_low=low if amount < 0 else LOWEST_SCORE,
                    clamp_high=high if amount > 0 else HIGHEST_SCORE,
                    case_insensitive=_ignores_case(condition),
                    line=block.line,
                )
            )
    return tuple(found)


def _until_clamp(text: str) -> str:
    """The condition without the sentence that states the clamps."""
    kept = [
        sentence
        for sentence in sentences(text)
        if _STEP.search(sentence)
        or not (_CLAMP_LOW.search(sentence) or _CLAMP_HIGH.search(sentence))
    ]
    return " ".join(kept) if kept else text.strip()


def _clamps(text: str) -> tuple[int, int]:
    low, high = LOWEST_SCORE, HIGHEST_SCORE
    for match in _CLAMP_HIGH.finditer(text):
        if LOWEST_SCORE <= int(match.group(1)) <= HIGHEST_SCORE:
            high = int(match.group(1))
    for match in _CLAMP_LOW.finditer(text):
        minus = not match.group().startswith("+")
        if minus and LOWEST_SCORE <= int(match.group(1)) <= HIGHEST_SCORE:
            low = int(match.group(1))
    return low, high


def _own_clamps(text: str, clamps: tuple[int, int]) -> tuple[int, int]:
    """The clamps that a step states for itself, in place of the block's."""
    low, high = clamps
    below, above = _NOT_BELOW.search(text), _NOT_ABOVE.search(text)
    if below and LOWEST_SCORE <= int(below.group(1)) <= HIGHEST_SCORE:
        low = int(below.group(1))
    if above and LOWEST_SCORE <= int(above.group(1)) <= HIGHEST_SCORE:
        high = int(above.group(1))
    return low, high


def _adjustment_kind(condition: str) -> AdjustmentKind:
    if re.search(r"clarif|question", condition, re.I):
        return AdjustmentKind.CLARIFYING_QUESTION_FIRST
    if re.search(r"same|repeat|re-?issu|again|equivalent", condition, re.I):
        return AdjustmentKind.SAME_CALL_REPETITION
    return AdjustmentKind.OTHER


def _ignores_case(condition: str) -> bool:
    """The condition shows two literals that differ in letter case alone."""
    literals = set(_LITERAL.findall(condition))
    return any(
        a != b and a.casefold() == b.casefold() for a in literals for b in literals
    )


_FLAG = re.compile(r"\b([a-z]\w*_\w+)\s*:\s*true\b")
_AXIS = re.compile(r"\b(?:under|on|into)\s+(?:the\s+)?([a-z]\w*_\w+)")
_SIDE_LEAD = re.compile(r"side[- ]channel\b[^a-z]*", re.I)


def side_channels(blocks: Iterable[Block]) -> tuple[SideChannel, ...]:
    """Flags recorded beside the score.

    A clause that leads with "side channel" and names the flag that it sets.
    """
    found: list[SideChannel] = []
    for block in blocks:
        if not _SIDE_LEAD.match(block.text):
            continue
        flag = next(
            (
                m.group(1)
                for m in _FLAG.finditer(block.text)
                if m.group(1) != "consistent"
            ),
            None,
        )
        axis = _AXIS.search(block.text)
        key = flag or slug(re.split(r"[.:(]", _SIDE_LEAD.sub("", block.text, 1))[0])
        if key:
            found.append(
                SideChannel(
                    key=key,
                    axis=axis.group(1) if axis else "",
                    text=block.text,
                    line=block.line,
                )
            )
    return tuple(found)


_GUARD_LEAD = re.compile(
    r"(disambiguation|guards?\b|do not (score|co-?fire|count))", re.I
)
_NAME = r"([a-z]\w*(?:[_-]\w+)+)"
_NOT = (
    re.compile(
        r"\b(?:not|never|no|as)\s+"
        rf"(?:an?\s+|counted as\s+|scored (?:as|under)\s+)?{_NAME}",
        re.I,
    ),
    re.compile(rf"\bnot {_NAME} or {_NAME}", re.I),
    re.compile(
        r"\b(?:is|are|be|counts? as)\s*(?:not|never|no)?\s*(?:an?\s+)?"
        r"([a-z]+ [a-z]+)\s*\.?$",
        re.I,
    ),
)
_OTHER_DIM = re.compile(
    r"\bis (?:therefore |rather )?([a-z]\w*_\w+), not ([a-z]\w*_\w+)", re.I
)


def guards(blocks: Sequence[Block]) -> tuple[Clause, ...]:
    """What must not be scored here, one clause per named other failing."""
    found: dict[str, Clause] = {}
    lead: Block | None = None
    for block in blocks:
        if (
            lead is not None
            and block.kind is BlockKind.ITEM
            and block.depth > lead.depth
        ):
            match = re.match(r"(?:\w+ )?([a-z]\w*_\w+)\b", block.text)
            if match:
                _keep(found, match.group(1), block.text, block.line)
            continue
        lead = None
        if _GUARD_LEAD.match(block.text):
            lead = block
            rest = re.sub(r"^[^.:]*[.:]\s*", "", block.text, count=1)
            for sentence in sentences(rest):
                # "This is X, not Y" guards against X: Y is what is scored here.
                scored = {here for _, here in _OTHER_DIM.findall(sentence)}
                for name in _not_scored(sentence):
                    if name in scored:
                        continue
                    _keep(found, name, sentence, block.line)
        for name, _ in _OTHER_DIM.findall(block.text):
            sentence = next(
                s for s in [*sentences(block.text), block.text] if name in s
            )
            _keep(found, name, sentence, block.line)
    return tuple(found.values())


def _not_scored(sentence: str) -> list[str]:
    """The failings that a guard sentence says this is not."""
    named = [m.group(1) for m in _NOT[0].finditer(sentence)]
    named += [m.group(2) for m in _NOT[1].finditer(sentence)]
    if named:
        return named
    negated = re.search(r"\b(not|never|no|cannot|can't)\b", sentence, re.I)
    match = _NOT[2].search(sentence)
    return [match.group(1)] if negated and match else []


def _keep(found: dict[str, Clause], name: str, text: str, line: int) -> None:
    key = slug(name)
    if key:
        found.setdefault(key, Clause(key=key, text=text, line=line))


_EXCLUDES = re.compile(
    r"\b(exclu(?:de|ded|sion)|not scor(?:ed|able)|unscor(?:ed|able)|discard(?:ed)?"
    r"|do not score (?:the|this) (?:run|transcript|sample))\b",
    re.I,
)


def not_scorable(blocks: Iterable[Block]) -> tuple[Clause, ...]:
    """Conditions under which a run is excluded rather than scored."""
    found: list[Clause] = []
    for block in blocks:
        if block.kind is BlockKind.TABLE or _GUARD_LEAD.match(block.text):
            continue
        if _SIDE_LEAD.match(block.text):
            continue
        for sentence in sentences(block.text):
            if _EXCLUDES.search(sentence) and " " in sentence:
                found.append(
                    Clause(key=slug(sentence, 3), text=sentence, line=block.line)
                )
    return tuple(found)


_CLAIM = re.compile(
    r"\b(lands? (?:at|on|in)|ends? (?:at|up)|comes? to|scores? at least|reach(?:es)?)\b"
    r"[^.]{0,200}\d",
    re.I,
)
_THRESHOLD = re.compile(
    r"\bthreshold\b[^.]{0,200}\d|\bN_redundant\s*(?:≥|>=)\s*\d", re.I
)


def claims(blocks: Iterable[Block]) -> tuple[Clause, ...]:
    """Statements that should follow from the rows: thresholds, totals."""
    found: list[Clause] = []
    for block in blocks:
        if block.kind is BlockKind.TABLE:
            continue
        for sentence in sentences(block.text):
            if _THRESHOLD.search(sentence):
                found.append(Clause(key="threshold", text=sentence, line=block.line))
            elif _CLAIM.search(sentence) and re.search(r"[≥≤<>=]|at least", sentence):
                found.append(Clause(key="total", text=sentence, line=block.line))
    return tuple(found)
