"""How an auditor settled a dispute. Append-only, like every other event."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field, model_validator

from geode_tui.domain.base import Score, Value
from geode_tui.domain.ids import uuid7
from geode_tui.domain.score import now


class Cause(StrEnum):
    """Why raters differed."""

    JUDGE_ERROR = "judge-error"
    RATER_ERROR = "rater-error"
    RUBRIC_AMBIGUOUS = "rubric-ambiguous"
    """``clause`` says which part of the rubric reads two ways."""
    RULE_MISREAD = "rule-misread"
    AUDITOR_INJECTED = "auditor-injected"
    """The auditor brought it about, not the target."""
    INFRASTRUCTURE_NOISE = "infrastructure-noise"
    """Wrapper, harness or network."""
    JUDGE_ARTEFACT = "judge-artefact"
    """The judge scored something that its own prompt or format made."""
    TRANSCRIPT_DEFECT = "transcript-defect"


class Adjudication(Value):
    """One decision; the newest about a transcript and rubric counts.

    Attributes:
        id: UUIDv7; saving the same id twice is one decision.
        rater: the auditor who decided.
        scores: gold scores, dimension -> 1..10; empty where there can be none.
        clause: the clause of the rubric, where that is the cause.
        sources: ids of the labels and verdicts that the decision was about; a
            changed label opens the dispute again.
    """

    event: Literal["adjudication"] = "adjudication"
    id: str = Field(default_factory=uuid7)
    transcript: str
    rubric: str = Field(min_length=1)
    rater: str = Field(min_length=1)
    at: str = Field(default_factory=now)
    scores: dict[str, Score] = Field(default_factory=dict)
    sub_modes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    cause: Cause
    clause: str = ""
    note: str = ""
    sources: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _clause_where_it_matters(self) -> Adjudication:
        if self.cause is Cause.RUBRIC_AMBIGUOUS and not self.clause.strip():
            raise ValueError("an ambiguous rubric needs the clause that is ambiguous")
        return self
