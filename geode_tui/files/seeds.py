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

from geode_tui.domain.ids import text_hash
from geode_tui.domain.rubric import RubricStyle
from geode_tui.domain.seed import SectionKind, Seed
from geode_tui.errors import SeedError
from geode_tui.files import seed_sections as sections
from geode_tui.files.front_matter import front_matter
from geode_tui.files.rubric_deltas import unread_points
from geode_tui.files.seed_blocks import Block, BlockKind, blocks
from geode_tui.files.seed_rubric import rubric_in
from geode_tui.files.seed_tools import tool_responses, tools_in
from geode_tui.files.sidecar import apply_sidecar, read_sidecar, sidecar_path

EXTENSIONS = (".md", ".markdown", ".txt")

LARGEST_SEED = 4_000_000
"""Bytes; a longer file is no seed document."""

LONGEST_READ = 200_000
"""Characters; what is longer is kept whole, and no structure is looked for."""


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
        metadata, body, offset, problem = front_matter(text)
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
    tools = tools_in(found)
    named = metadata.get("name")
    name = str(named).strip() if isinstance(named, str | int | float) else ""
    rubric = rubric_in(parts, metadata, targets, tools, body)
    if rubric.style is RubricStyle.DELTA_BULLETS:
        warnings.extend(
            f"Line {line} speaks of points, but how many it gives was not read."
            for line in unread_points(sections.notes(parts), rubric.deltas)
        )
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
        tool_responses=tool_responses(parts, tools),
        target_visible=sections.target_visible(parts),
        auditor_notes=sections.auditor_notes(parts),
        rubric=rubric.model_copy(
            update={"seed": text_hash(body), "family": family, "title": title}
        ),
        warnings=tuple(warnings),
    )


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
            names = [item.strip() for item in value if isinstance(item, str)]
            if any(names):
                return tuple(dict.fromkeys(filter(None, names)))
    return ()
