"""Seed documents: from any Markdown or flattened text to a ``Seed``.

What cannot be structured stays as raw text; then the rubric is only its
dimensions and its wording, and a rater gets a plain 1-10 input.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from geode_tui.domain.forms import OVERALL
from geode_tui.domain.ids import text_hash
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
from geode_tui.domain.seed import SectionKind, Seed, ToolResponse
from geode_tui.errors import SeedError
from geode_tui.files import rubric_bands as bands
from geode_tui.files import rubric_labels as labels
from geode_tui.files import rubric_rules as rules
from geode_tui.files import seed_sections as sections
from geode_tui.files.seed_blocks import Block, BlockKind, blocks
from geode_tui.files.sidecar import apply_sidecar, read_sidecar, sidecar_path

EXTENSIONS = (".md", ".markdown", ".txt")

LARGEST_SEED = 4_000_000
"""Bytes; a longer file is no seed document."""

LONGEST_READ = 200_000
"""Characters; what is longer is kept whole, and no structure is looked for."""

HIGHER_IS_BETTER = frozenset({"admirable", "scenario_realism"})


def seed_paths(paths: Iterable[Path]) -> list[Path]:
    """The seed documents that these files and folders name, sorted, once each.

    Files named outright are taken whatever their ending; README files inside
    folders are not seeds.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = (p for p in path.rglob("*") if p.suffix.lower() in EXTENSIONS)
            for inner in sorted(inside):
                if inner.is_file() and inner.stem.upper() != "README":
                    found.setdefault(inner)
        else:
            found.setdefault(path)
    return list(found)


def read_seed(path: Path) -> Seed:
    """The seed in ``path``, with its sidecar applied where there is one.

    Raises:
        SeedError: the file cannot be read as text, or its sidecar is unusable.
    """
    try:
        if path.stat().st_size > LARGEST_SEED:
            raise SeedError("is too large for a seed document.", where=str(path))
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SeedError(
            f"is no UTF-8 text (byte {error.start}).",
            where=str(path),
            hint="Save the document as UTF-8.",
        ) from error
    except OSError as error:
        raise SeedError(
            f"cannot be read: {error.strerror}.", where=str(path)
        ) from error
    seed = parse_seed(text, path.name)
    beside = sidecar_path(path)
    if beside.name != path.name and beside.exists():
        rubric = apply_sidecar(seed.rubric, read_sidecar(beside))
        seed = seed.model_copy(update={"rubric": rubric})
    return seed


def parse_seed(
    text: str, path: str = "", metadata: dict[str, Any] | None = None
) -> Seed:
    """A seed from its text; never raises for what the text says.

    Args:
        text: the document; with its front matter, unless ``metadata`` is given.
        path: file name, for display.
        metadata: the front matter, where the text comes without it.
    """
    warnings: list[str] = []
    body, offset = text, 0
    if metadata is None:
        metadata, body, offset, problem = _front_matter(text)
        if problem:
            warnings.append(problem)
    if len(body) > LONGEST_READ:
        warnings.append(
            f"The document has more than {LONGEST_READ:,} characters: it is kept "
            "whole, without looking for a rubric in it."
        )
    readable = body if len(body) <= LONGEST_READ else ""
    found = [_moved(block, offset) for block in blocks(readable)]
    parts = sections.split(found)
    targets = _target_dimensions(metadata)
    tools = _tools(found)
    name = str(metadata.get("name") or "").strip()
    rubric = _rubric(parts, metadata, targets, tools, body)
    family = name or Path(path).stem
    title = _title(found) or family
    return Seed(
        path=path,
        name=name,
        title=title,
        metadata=metadata,
        body=body,
        target_dimensions=targets,
        sections=tuple(part.section() for part in parts),
        system_prompt=sections.system_prompt(parts),
        user_turns=sections.user_turns(parts),
        tools=tools,
        tool_responses=_tool_responses(parts, tools),
        target_visible=sections.target_visible(parts),
        auditor_notes=sections.auditor_notes(parts),
        rubric=rubric.model_copy(
            update={"seed": text_hash(body), "family": family, "title": title}
        ),
        warnings=tuple(warnings),
    )


_FENCE = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.S | re.M)


def _front_matter(text: str) -> tuple[dict[str, Any], str, int, str]:
    """Metadata, body, number of lines before the body, and what was wrong."""
    import frontmatter
    import yaml

    match = _FENCE.match(text)
    if match is None:
        return {}, text, 0, ""
    body = text[match.end() :]
    offset = text.count("\n", 0, match.end())
    try:
        data: Any = frontmatter.loads(match.group()).metadata
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        reason = " ".join(str(error).split())
        return {}, body, offset, f"The front matter is no YAML: {reason}"
    if not isinstance(data, dict):
        return {}, body, offset, "The front matter is no mapping."
    return {str(key): _jsonable(value) for key, value in data.items()}, body, offset, ""


def _title(found: Sequence[Block]) -> str:
    """The document's own heading, unless it only names a section or a branch."""
    heading = next((b for b in found if b.kind is BlockKind.HEADING), None)
    if heading is None or heading.quoted:
        return ""
    if sections.kind_of(heading.text) is not SectionKind.OTHER:
        return ""
    title = re.sub(r"^(scenario|seed)\b\s*[:—–-]*\s*", "", heading.text, flags=re.I)
    structural = re.match(
        r"(branch|turn|step|part) \d|(setup|setting|context|conversation|transcript"
        r"|background)\W*$",
        title,
        re.I,
    )
    return "" if structural else title


def _jsonable(value: Any) -> Any:
    """YAML dates and odd keys as text, so that metadata can be stored as JSON."""
    if isinstance(value, dict):
        return {str(key): _jsonable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_jsonable(inner) for inner in value]
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return value
    return str(value)


def _moved(block: Block, offset: int) -> Block:
    if not offset:
        return block
    rows = tuple(replace(row, line=row.line + offset) for row in block.rows)
    return replace(block, line=block.line + offset, rows=rows)


def _target_dimensions(metadata: dict[str, Any]) -> tuple[str, ...]:
    for key in ("target_dims", "target_dimensions", "target_dim", "target_dimension"):
        value = metadata.get(key)
        if isinstance(value, str) and value.strip():
            return tuple(dict.fromkeys(re.findall(r"[^\s,;]+", value)))
        if isinstance(value, list):
            names = [str(item).strip() for item in value if str(item).strip()]
            if names:
                return tuple(dict.fromkeys(names))
    return ()


_SIGNATURE = re.compile(
    r"^(?:(?:primary|canonical|legacy|main) tools?\s*:\s*)?([a-zA-Z_][\w.]*)\("
    r"([^()]*|\{[^()]*\})\)\s*(?:→|->|—|–|:|-|=>|$)",
    re.I,
)
_PARAMETER = re.compile(r"^\{?\s*(\w+)\??\s*(?::[^=]*)?(?:=\s*(.+?))?\s*\}?$")


def _tools(found: Sequence[Block]) -> tuple[ToolSpec, ...]:
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
                return (), {}, True
            defaults[match.group(1)] = _default(match.group(2))
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


def _tool_responses(
    parts: Sequence[sections.Part], tools: Sequence[ToolSpec]
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


def _rubric(
    parts: Sequence[sections.Part],
    metadata: dict[str, Any],
    targets: Sequence[str],
    tools: Sequence[ToolSpec],
    body: str,
) -> Rubric:
    notes = [
        block
        for part in parts
        if part.kind is SectionKind.AUDITOR
        for block in part.blocks
        if not block.quoted
    ]
    headings = {
        block.line: part.heading
        for part in parts
        if part.kind is SectionKind.AUDITOR
        for block in part.blocks
    }
    names = [tool.name for tool in tools]
    main = targets[0] if targets else _scored_under(notes) or OVERALL
    rows = bands.bands(notes, main)
    deltas = bands.delta_rows(notes, names, targets)
    if not rows and not deltas:
        deltas = bands.delta_bullets(notes, names, main)
    if not rows and not deltas:
        rows = bands.ladder(notes, main)
    said = metadata.get("minimal_calls")
    minimal = said if isinstance(said, int) and 0 <= said < 1000 else None
    narrated = [b for part in parts for b in part.blocks if not b.quoted]
    floor = rules.floor(notes, names, minimal) or rules.floor(narrated, names, None)
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
        discrimination=rules.discrimination(notes, headings),
        rules=contract or verdicts or words or wanted or (() if scored else named),
        tools=tuple(tools),
        raw=raw or body.strip(),
    )


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
