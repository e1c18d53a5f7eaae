"""Settings of a workspace: ``geode.toml``, typed and checked.

Credentials are never settings: they come from the environment only.
"""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from geode_tui.domain.dispute import DisputeRule, PairKind
from geode_tui.domain.score import RaterRole
from geode_tui.errors import ConfigError

CONFIG_NAME = "geode.toml"

DEFAULT_HARNESS_ERRORS = (r"^\s*!\s*Unexpected error\. Auto-retrying",)
"""Regular expressions; a target message that matches one is the harness's own."""


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RevealRule(StrEnum):
    """When a rater may see judge, rule and other raters' values."""

    NEVER = "never"
    AFTER_QUEUE = "after-queue"
    AFTER_ITEM = "after-item"


class RaterSettings(_Settings):
    """One person who labels here."""

    name: str = Field(min_length=1)
    role: RaterRole = RaterRole.RATER


class LabelSettings(_Settings):
    """What raters score.

    ``seed_dimensions``: score the target dimensions of each seed, on the
    seed's own rubric. ``judge_dimensions``: also score these dimensions, on
    the words the judge read (taken from the log); ``["*"]`` means all of them.
    """

    seed_dimensions: bool = True
    judge_dimensions: tuple[str, ...] = ()
    reveal: RevealRule = RevealRule.AFTER_QUEUE
    show_other_raters: bool = True
    show_reasoning: bool = True


class ImportSettings(_Settings):
    """How logs are read."""

    harness_errors: tuple[str, ...] = DEFAULT_HARNESS_ERRORS

    @field_validator("harness_errors")
    @classmethod
    def _are_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(
                    f"{pattern!r} is no regular expression ({error})"
                ) from error
        return patterns


class DisputeSettings(_Settings):
    """What counts as a dispute. A negative ``distance`` turns distances off."""

    distance: float = 1
    band: bool = True
    sub_modes: bool = True
    flags: bool = True
    scorable: bool = True
    pairs: tuple[PairKind, ...] = tuple(PairKind)

    @property
    def rule(self) -> DisputeRule:
        """The same as the rule that disputes are found by."""
        settings = self.model_dump()
        if self.distance < 0:
            settings["distance"] = None
        return DisputeRule(**settings)


class AppSettings(_Settings):
    """How the app looks and which keys it uses. ``keymap``: binding id -> keys."""

    theme: str = ""
    keymap: dict[str, str] = Field(default_factory=dict)
    ascii_safe: bool = False


class Config(_Settings):
    """All settings of a workspace."""

    raters: tuple[RaterSettings, ...] = ()
    label: LabelSettings = LabelSettings()
    imports: ImportSettings = Field(default=ImportSettings(), alias="import")
    disputes: DisputeSettings = DisputeSettings()
    app: AppSettings = AppSettings()

    def role_of(self, rater: str) -> RaterRole:
        """The role of a rater; people not listed are raters."""
        for known in self.raters:
            if known.name == rater:
                return known.role
        return RaterRole.RATER


def load_config(workspace: Path) -> Config:
    """The settings of ``workspace``; defaults where it has no ``geode.toml``.

    Raises:
        ConfigError: the file is no TOML, or a setting is unknown or unusable.
    """
    path = workspace / CONFIG_NAME
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(
            f"cannot be read: {error}.",
            where=str(path),
            hint="Mend the file, or move it away to use the defaults.",
        ) from error
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        setting = ".".join(str(part) for part in first["loc"])
        said = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            said = "there is no such setting"
        raise ConfigError(
            f"{setting}: {said}.",
            where=str(path),
            hint="docs/settings.md lists every setting.",
        ) from error
