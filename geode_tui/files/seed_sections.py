"""Which part of a seed is for whom: sections, target-visible text, auditor's notes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from geode_tui.domain.seed import Section, SectionKind
from geode_tui.files.seed_blocks import Block, BlockKind

K = SectionKind

_HEADINGS: tuple[tuple[SectionKind, str], ...] = (
    (
        K.AUDITOR,
        r"auditor'?s? (notes?|hints?|instructions?|latitude|guidance|only)"
        r"|notes? (for|to) the (auditor|judge)|not shown to|judge'?s? (notes?|rubric)"
        r"|judge?ment (surface|rule)|ambiguity|discriminat\w+"
        r"|what (the )?(auditor|judge)"
        r"|what (discriminates|separates|divides)|look(ing)? for|trace contract"
        r"|compar(e|ison|ing)|expected (behaviou?r|discrimination|outcome)"
        r"|(scoring|score|rubric|grading)\b|redundancy traps?|pressure curve|hypothesis"
        r"|disambiguation|outcomes?\b|pass ?/ ?fail|how (it|this) is (judged|scored)",
    ),
    (
        K.SYSTEM,
        r"system( prompt| message)?\b|developer (system )?(message|prompt)"
        r"|target setup|instructions (for|to) the target",
    ),
    (
        K.TOOL_RESPONSES,
        r"tool (responses?|results?|returns?|exchange|outputs?)"
        r"|turn \d+\s*\W+\s*tool|canned responses?",
    ),
    (K.TOOLS, r"tools?\b|tool registry|available tools"),
    (
        K.USER,
        r"user('s)? (turn|message|request|prompt)|user\b|auditor turn \d"
        r"|turn \d+\s*\W+\s*user|opening message|the (request|question)\b",
    ),
)

_LEAD_IN = re.compile(
    r"^(notes? for the auditor|auditor (notes?|latitude|hints?)|judge rubric"
    r"|judge?ment surface|redundancy traps?|minimal[- ]call|minimum (tool )?calls?"
    r"|disambiguation|discriminator surface|per-call rubric|scoring( rubric)?\b"
    r"|expected discriminat\w+|look for|what (the )?judges? (looks|scores)"
    r"|(two|the) model variants|a well-calibrated model|the trap is"
    r"|the (fork|failure|discriminating|question for the judge)\b)",
    re.I,
)
_SPEAKER = re.compile(
    r"^\[?(user|assistant|system|tool(/\w+)?)\b[^\]:]{0,60}(\]|:)", re.I
)


@dataclass(frozen=True)
class Part:
    """A section with its blocks."""

    kind: SectionKind
    heading: str
    line: int
    blocks: tuple[Block, ...]
    level: int = 0

    @property
    def text(self) -> str:
        """The blocks as written, one blank line between them."""
        return "\n\n".join(block.raw for block in self.blocks if block.raw)

    @property
    def plain(self) -> str:
        """The blocks without markup."""
        return "\n".join(block.text for block in self.blocks if block.text)

    def section(self) -> Section:
        """The section as a domain value."""
        return Section(
            kind=self.kind, heading=self.heading, text=self.text, line=self.line
        )


def kind_of(heading: str) -> SectionKind:
    """What a section of this heading is for."""
    name = " ".join(re.sub(r"[*_`#:]", " ", heading).split())
    if re.match(
        r"(scenario|setup|setting|context|conversation|transcript)\b", name, re.I
    ):
        return K.OTHER
    for kind, pattern in _HEADINGS:
        if re.match(pattern, name, re.I):
            return kind
    for kind, pattern in _HEADINGS[:1]:
        if re.search(rf"\(({pattern})", name, re.I):
            return kind
    return K.OTHER


def split(found: Sequence[Block]) -> list[Part]:
    """The document's sections, in order.

    A heading opens one; so does a bold or plain lead-in that speaks to the
    auditor or judge, and a rule that such a lead-in follows. A deeper heading
    of no known kind stays inside an auditor's section.
    """
    opened = Part(K.OTHER, "", found[0].line if found else 1, ())
    spoken_to = _speaks_to_target(found)
    grown: list[tuple[Part, list[Block]]] = [(opened, [])]
    for block in found:
        current = _opens(block, grown[-1][0], spoken_to)
        if current is not None:
            grown.append((current, list(current.blocks)))
        elif block.kind is not BlockKind.RULE:
            grown[-1][1].append(block)
    return [
        replace(part, blocks=tuple(inside))
        for part, inside in grown
        if inside or part.heading
    ]


_FOR_TARGET = frozenset({K.SYSTEM, K.USER, K.TOOLS, K.TOOL_RESPONSES})
_MAY_BE_TARGETS = re.compile(
    r"(scoring|scores?|rubric|grading|outcomes?|comparison|pass ?/ ?fail)\b", re.I
)
"""What a target that grades others may be told: no proof of an auditor's section."""


def _opens(block: Block, current: Part, spoken_to: bool) -> Part | None:
    if block.quoted:
        return None
    if block.kind is BlockKind.HEADING:
        kind = kind_of(block.text)
        deeper = block.level > current.level > 0
        if deeper and current.kind in _FOR_TARGET:
            doubtful = kind is K.AUDITOR and _MAY_BE_TARGETS.match(block.text)
            if kind is K.OTHER or doubtful:
                return None
        if kind is K.OTHER and deeper and current.kind is K.AUDITOR:
            kind = K.AUDITOR
        return Part(kind, block.text, block.line, (), block.level)
    if (
        current.kind is K.AUDITOR
        or block.kind is not BlockKind.PARAGRAPH
        or block.depth
    ):
        return None
    for_target = current.kind in _FOR_TARGET or spoken_to
    if for_target and _MAY_BE_TARGETS.match(block.text):
        return None
    if _LEAD_IN.match(block.text):
        heading = re.split(r"[.:(]", block.text, maxsplit=1)[0].strip()
        return Part(K.AUDITOR, heading[:80], block.line, (block,), current.level)
    return None


def notes(parts: Sequence[Part]) -> list[Block]:
    """The blocks of the auditor's sections; what is quoted there is not a note."""
    return [
        block
        for part in parts
        if part.kind is K.AUDITOR
        for block in part.blocks
        if not block.quoted
    ]


def second_person(parts: Sequence[Part]) -> bool:
    """True where the document speaks to the target: all of it is visible to it."""
    return _speaks_to_target([block for part in parts for block in part.blocks])


def _speaks_to_target(found: Sequence[Block]) -> bool:
    first = next((b for b in found if b.text and b.kind is not BlockKind.HEADING), None)
    return first is not None and bool(re.match(r"you(r|'re| are)?\b", first.text, re.I))


def target_visible(parts: Sequence[Part]) -> str:
    """What the target may read.

    System, user and tool sections as a whole. In other sections that are not
    the auditor's: everything in a second-person document, otherwise what is
    quoted or scripted as a speaker's words.
    """
    everything = second_person(parts)
    pieces: list[str] = []
    for part in parts:
        if part.kind is K.AUDITOR:
            continue
        for block in part.blocks:
            own = part.kind in {K.SYSTEM, K.USER, K.TOOLS, K.TOOL_RESPONSES}
            spoken = block.quoted or bool(_SPEAKER.match(block.text))
            if own or everything or spoken:
                pieces.append(block.raw)
    return "\n\n".join(piece for piece in pieces if piece)


def auditor_notes(parts: Sequence[Part]) -> str:
    """What the target may not read, headings included, as written."""
    pieces: list[str] = []
    for part in parts:
        if part.kind is K.AUDITOR:
            if part.heading and not (
                part.blocks and part.blocks[0].text.startswith(part.heading)
            ):
                pieces.append(part.heading)
            pieces.append(part.text)
    return "\n\n".join(piece for piece in pieces if piece)


def system_prompt(parts: Sequence[Part]) -> str:
    """The system prompt: its own section, or the first quote of the scenario."""
    own = [part.text for part in parts if part.kind is K.SYSTEM]
    if own:
        return "\n\n".join(own)
    for part in parts:
        if part.kind is not K.OTHER:
            continue
        quotes = _quotes(part)
        if quotes and re.match(r"you(r|'re| are| may| will)?\b", quotes[0], re.I):
            return quotes[0]
    if second_person(parts):
        first = next(part for part in parts if part.blocks)
        return "\n\n".join(b.raw for b in first.blocks if not b.quoted)
    return ""


def user_turns(parts: Sequence[Part]) -> tuple[str, ...]:
    """What the user says, in order, as far as the document marks it."""
    turns: list[str] = []
    prompt = system_prompt(parts)
    for part in parts:
        if part.kind is K.USER:
            turns.append("\n\n".join(_quotes(part)) or part.text)
            continue
        if part.kind is not K.OTHER:
            continue
        for block in part.blocks:
            spoken = re.match(r"\[user\]\s*(.*)", block.text, re.I | re.S)
            if spoken:
                turns.append(spoken.group(1))
        turns.extend(q for q in _quotes(part) if q != prompt)
    return tuple(turn for turn in turns if turn.strip())


def _quotes(part: Part) -> list[str]:
    """Runs of quoted blocks as one text each."""
    runs: list[list[str]] = []
    inside = False
    for block in part.blocks:
        if block.quoted:
            if not inside:
                runs.append([])
            runs[-1].append(block.raw)
        inside = block.quoted
    return ["\n\n".join(run) for run in runs]
