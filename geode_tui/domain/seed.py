"""A seed: one scenario document and what was read from it."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Any

from pydantic import Field

from geode_tui.domain.base import Value
from geode_tui.domain.ids import text_hash
from geode_tui.domain.rubric import Rubric, ToolSpec


class SectionKind(StrEnum):
    """What a section of a seed is for, and who may see it."""

    SYSTEM = "system"
    USER = "user"
    TOOLS = "tools"
    TOOL_RESPONSES = "tool_responses"
    AUDITOR = "auditor"
    """Auditor's notes, hints, expectations: not shown to the target."""
    RUBRIC = "rubric"
    """The part of the auditor's notes that scores."""
    OTHER = "other"


class Section(Value):
    """A stretch of the document under one heading or lead-in."""

    kind: SectionKind
    heading: str
    text: str
    line: int


class ToolResponse(Value):
    """A canned response. ``response`` is text: often not valid JSON."""

    tool: str
    call: str
    response: str
    line: int = 0


class LintFinding(Value):
    """One finding about a rubric: a code, its line, one sentence."""

    code: str
    line: int
    message: str


class Seed(Value):
    """A scenario document.

    Attributes:
        path: file name it was read from, or the log's sample for kept ones.
        name: shown only; different documents share names.
        metadata: the front matter, all keys kept.
        body: the document without front matter, as written.
        target_dimensions: from ``target_dims`` (or ``target_dim``), in order.
        target_visible: what the target may read, as one text.
        auditor_notes: what the target may not read, as one text.
        warnings: what could not be read, in sentences.
    """

    path: str
    name: str = ""
    title: str = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    body: str
    target_dimensions: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    system_prompt: str = ""
    user_turns: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    tool_responses: tuple[ToolResponse, ...] = ()
    target_visible: str = ""
    auditor_notes: str = ""
    rubric: Rubric
    warnings: tuple[str, ...] = ()

    @cached_property
    def id(self) -> str:
        """Identity: hash of the body without front matter, space normalised."""
        return text_hash(self.body)
