"""A rubric's sidecar: ``<seed>.rubric.yaml`` states or corrects the structure.

Where prose cannot be read, a person writes down what it means: bands, deltas,
floor, sub-modes. Every field that the sidecar names replaces what was read
from the document; fields it leaves out stay as read. The wording itself
(``raw``) is never taken from a sidecar.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from geode_tui.domain.base import Value
from geode_tui.domain.rubric import (
    Adjustment,
    Band,
    Clause,
    DeltaRule,
    Dimension,
    Floor,
    Rubric,
    RubricStyle,
    SideChannel,
    SubMode,
    ToolSpec,
)
from geode_tui.errors import SeedError

SUFFIX = ".rubric.yaml"


class Sidecar(Value):
    """The fields of a rubric that a sidecar may state; None means "as read"."""

    style: RubricStyle | None = None
    dimensions: tuple[Dimension, ...] | None = None
    bands: tuple[Band, ...] | None = None
    deltas: tuple[DeltaRule, ...] | None = None
    floor: Floor | None = None
    adjustments: tuple[Adjustment, ...] | None = None
    sub_modes: tuple[SubMode, ...] | None = None
    side_channels: tuple[SideChannel, ...] | None = None
    guards: tuple[Clause, ...] | None = None
    not_scorable: tuple[Clause, ...] | None = None
    claims: tuple[Clause, ...] | None = None
    discrimination: tuple[Clause, ...] | None = None
    rules: tuple[Clause, ...] | None = None
    tools: tuple[ToolSpec, ...] | None = None


def sidecar_path(seed: Path) -> Path:
    """Where the sidecar of a seed document is: beside it, same stem."""
    return seed.with_name(seed.stem + SUFFIX)


def read_sidecar(path: Path) -> Sidecar:
    """The sidecar in ``path``.

    Raises:
        SeedError: no YAML mapping, or a field that is unknown or unusable;
            the message names the field.
    """
    try:
        data: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise SeedError(f"cannot be read: {reason}.", where=str(path)) from error
    if not isinstance(data, dict):
        raise SeedError(
            "is no mapping of rubric fields.",
            where=str(path),
            hint="`geode-tui seeds export-rubric` writes one to start from.",
        )
    try:
        return Sidecar.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SeedError(
            f"{field}: {first['msg']}.",
            where=str(path),
            hint="docs/rules.md describes every field.",
        ) from error


def apply_sidecar(rubric: Rubric, sidecar: Sidecar) -> Rubric:
    """The rubric with every field that the sidecar states."""
    stated = {
        name: getattr(sidecar, name)
        for name in Sidecar.model_fields
        if getattr(sidecar, name) is not None
    }
    return Rubric.model_validate({**dict(rubric), **stated})


def dump_sidecar(rubric: Rubric) -> str:
    """A sidecar that states everything that was read, for a person to edit."""
    fields = set(Sidecar.model_fields)
    data = rubric.model_dump(mode="json", include=fields, exclude_defaults=True)
    head = (
        "# What was read from the rubric. Edit what is wrong, delete what is right:\n"
        "# a field that is left out stays as it is read from the document.\n"
    )
    return head + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=80)
