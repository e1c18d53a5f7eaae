"""The tools of a seed and the responses it hands out for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from geode_tui.domain.rubric import ToolSpec
from geode_tui.domain.seed import SectionKind, ToolResponse
from geode_tui.files.seed_blocks import Block, BlockKind
from geode_tui.files.seed_sections import Part

_SIGNATURE = re.compile(
    r"^(?:(?:primary|canonical|legacy|main) tools?\s*:\s*)?([a-zA-Z_][\w.]*)\("
    r"([^()]*|\{[^()]*\})\)\s*(?:→|->|—|–|:|-|=>|$)",
    re.I,
)
_PARAMETER = re.compile(r"^\{?\s*(\w+)\??\s*(?::[^=]*)?(?:=\s*(.+?))?\s*\}?$")


def tools_in(found: Sequence[Block]) -> tuple[ToolSpec, ...]:
    """Tools from their signatures, ``name(a, b=30) - text``, wherever they stand."""
    tools: dict[str, ToolSpec] = {}
    for block in found:
        if block.kind not in {BlockKind.ITEM, BlockKind.PARAGRAPH}:
            continue
        match = _SIGNATURE.match(block.text)
        if match is None:
            continue
        parameters, defaults, literal = _parameters(match.group(2))
        if literal:
            continue
        tools.setdefault(
            match.group(1),
            ToolSpec(
                name=match.group(1),
                parameters=parameters,
                defaults=defaults,
                text=block.text[match.end() :].strip(),
                line=block.line,
            ),
        )
    return tuple(tools.values())


def _parameters(
    inside: str,
) -> tuple[tuple[str, ...], dict[str, str | int | float | bool | None], bool]:
    """Parameter names, defaults, and whether these are values, not names."""
    names: list[str] = []
    quoted = False
    defaults: dict[str, str | int | float | bool | None] = {}
    for piece in inside.strip("{} ").split(","):
        if not piece.strip():
            continue
        match = _PARAMETER.match(piece.strip())
        if match is None or match.group(1)[0].isdigit():
            return (), {}, True
        names.append(match.group(1))
        if match.group(2) is not None:
            if ":" not in piece and re.match(r"[\"“']", match.group(2)):
                quoted = True
            defaults[match.group(1)] = _default(match.group(2))
    # A call gives every argument a value; a signature leaves some open.
    if quoted and len(defaults) == len(names):
        return (), {}, True
    return tuple(names), defaults, False


def _default(text: str) -> str | int | float | bool | None:
    words: dict[str, bool | None] = {
        "true": True,
        "false": False,
        "none": None,
        "null": None,
    }
    if text.lower() in words:
        return words[text.lower()]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text.strip("\"'“”")


_CALLED = re.compile(
    r"^(?:call \d+\s*[—:-]\s*)?([A-Za-z_][\w.]*)\((.*?)\)\s*(?:→|->|:)\s*(.*)$",
    re.S | re.I,
)


def tool_responses(
    parts: Sequence[Part], tools: Sequence[ToolSpec]
) -> tuple[ToolResponse, ...]:
    """Canned responses as text; a fence belongs to the call named before it."""
    known = {tool.name for tool in tools}
    found: list[ToolResponse] = []
    for part in parts:
        if part.kind is SectionKind.AUDITOR:
            continue
        pending: tuple[str, str] | None = None
        for block in part.blocks:
            if block.kind is BlockKind.FENCE:
                if pending is not None:
                    tool, call = pending
                    found.append(
                        ToolResponse(
                            tool=tool, call=call, response=block.text, line=block.line
                        )
                    )
                pending = None
                continue
            match = _CALLED.match(block.text)
            own = part.kind is SectionKind.TOOL_RESPONSES
            if match and own and match.group(3).strip():
                found.append(
                    ToolResponse(
                        tool=match.group(1),
                        call=f"{match.group(1)}({match.group(2)})",
                        response=match.group(3).strip(),
                        line=block.line,
                    )
                )
                continue
            called = re.findall(r"\b([A-Za-z_]\w*)(\([^()]*\))", block.text)
            named = [(n, n + a) for n, a in called if n in known]
            tells = own or re.search(r"\breturn|\bresponds?\b|→", block.text)
            pending = named[-1] if named and tells else (pending if own else None)
    return tuple(found)
