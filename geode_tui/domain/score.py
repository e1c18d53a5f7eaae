"""What raters say of a transcript: annotation events, drafts, verdicts.

Events are append-only. The current label of (rater, transcript, rubric) is
the last event that no later one supersedes; withdrawing a label is itself an
event.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from pydantic import Field, model_validator

from geode_tui.domain.base import Score, Span, Value
from geode_tui.domain.ids import uuid7
from geode_tui.domain.rubric import Rubric


def now() -> str:
    """The present as ISO 8601 in UTC with milliseconds and ``Z``."""
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
    return stamp.replace("+00:00", "Z")


class RaterRole(StrEnum):
    """What a person may do: raters label blind, auditors settle disputes."""

    RATER = "rater"
    AUDITOR = "auditor"


class Evidence(Value):
    """A message, or a span of its raw text, cited in support of a label.

    Attributes:
        m: message number.
        span: code points of the raw text; None for the whole message.
        quote: the text of the span at the time, so that an export reads alone.
        dimension: the dimension it supports; None for the label as a whole.
    """

    m: int = Field(ge=1)
    span: Span | None = None
    quote: str | None = None
    dimension: str | None = None


class EventKind(StrEnum):
    """What happened."""

    ANNOTATION = "annotation"
    """A label was submitted."""
    WITHDRAWAL = "withdrawal"
    """A submitted label was taken back (undo); ``supersedes`` names it."""
    REVEAL = "reveal"
    """Other raters' values were shown to ``rater``."""


class Event(Value):
    """One append-only event.

    Attributes:
        id: UUIDv7 given by the client; saving the same id twice is one event.
        transcript: transcript id.
        rubric: rubric version (content hash); "" on reveals of a transcript.
        scores: dimension -> 1..10. A dimension left out is missing, not 1.
        not_scorable: the reason, where the rater found no score possible;
            then ``scores`` is empty.
        supersedes: id of the rater's earlier event that this one replaces.
        after_reveal: the rater had seen other raters' values of this
            transcript; such labels are out of blind agreement by default.
        shown: on reveals, what was shown (``judge``, ``rule``, rater names).
    """

    event: EventKind = EventKind.ANNOTATION
    id: str = Field(default_factory=uuid7)
    transcript: str
    rubric: str = ""
    rater: str = Field(min_length=1)
    at: str = Field(default_factory=now)
    scores: dict[str, Score] = Field(default_factory=dict)
    sub_modes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    note: str = ""
    not_scorable: str | None = None
    supersedes: str | None = None
    after_reveal: bool = False
    shown: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_or_the_other(self) -> Event:
        if self.event is EventKind.ANNOTATION:
            if self.not_scorable is not None and self.scores:
                raise ValueError("a label has scores or is not scorable, never both")
            if self.not_scorable is None and not self.scores:
                raise ValueError("a label needs a score or a reason for having none")
            if self.not_scorable is not None and not self.not_scorable.strip():
                raise ValueError("'not scorable' needs a reason")
            if not self.rubric:
                raise ValueError("a label names its rubric version")
        if self.event is EventKind.WITHDRAWAL and not self.supersedes:
            raise ValueError("a withdrawal names the event it takes back")
        return self


class Draft(Value):
    """A label in the making: anything may be missing. One per rater and transcript."""

    scores: dict[str, Score] = Field(default_factory=dict)
    sub_modes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    note: str = ""
    not_scorable: str | None = None

    @property
    def empty(self) -> bool:
        """True where nothing has been entered."""
        return self == Draft()


def fits(event: Event, rubric: Rubric, messages: int) -> list[str]:
    """What in ``event`` does not fit its rubric or transcript, in sentences.

    ``messages`` is the transcript's number of messages. An empty list is good.
    """
    problems: list[str] = []
    names = {d.name for d in rubric.dimensions}
    for dimension in event.scores:
        if dimension not in names:
            known = ", ".join(sorted(names)) or "none"
            problems.append(
                f"{dimension!r} is no dimension of this rubric (it has {known})."
            )
    keys = {s.key for s in rubric.sub_modes}
    for key in event.sub_modes:
        if key not in keys:
            known = ", ".join(sorted(keys)) or "none"
            problems.append(f"{key!r} is no sub-mode of this rubric (it has {known}).")
    flags = {s.key for s in rubric.side_channels}
    for key in event.flags:
        if key not in flags:
            known = ", ".join(sorted(flags)) or "none"
            problems.append(
                f"{key!r} is no side-channel flag of this rubric (it has {known})."
            )
    for evidence in event.evidence:
        if evidence.m > messages:
            problems.append(
                f"There is no message M{evidence.m}; the last one is M{messages}."
            )
    return problems


class VerdictState(StrEnum):
    """How a judge's answer, or one dimension of it, turned out."""

    OK = "ok"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    UNPARSABLE = "unparsable"
    OUT_OF_RANGE = "out_of_range"
    ERRORED = "errored"
    MISSING = "missing"


class Citation(Value):
    """A reference from a verdict to a message.

    Attributes:
        text: as written (``[M2, M4]`` gives one citation per message).
        m: the message number it resolves to; None where it resolves to none.
        message_id: the id that the log itself records for it, if any.
        quote: quoted text, where the judge gave some.
    """

    text: str
    m: int | None = None
    message_id: str | None = None
    quote: str | None = None


class DimensionVerdict(Value):
    """One dimension of a verdict. ``value`` is set only where ``state`` is ok."""

    dimension: str
    value: float | None = None
    state: VerdictState
    raw: Any = None
    citations: tuple[Citation, ...] = ()


class Verdict(Value):
    """An answer of a judge (or the rule) for a transcript.

    Attributes:
        rater: e.g. ``judge:audit_judge/claude-opus-4-7``; scorer and model.
        rubric: version it scored; None where the log does not record one.
        state: of the answer as a whole.
        explanation: the judge's own justification, outside text.
        source: ``log`` for verdicts found in imported logs.
    """

    id: str
    transcript: str
    rubric: str | None = None
    rater: str
    at: str | None = None
    model: str | None = None
    epoch: int = 1
    state: VerdictState = VerdictState.OK
    scores: tuple[DimensionVerdict, ...] = ()
    explanation: str = ""
    summary: str = ""
    highlights: str = ""
    citations: tuple[Citation, ...] = ()
    metadata: dict[str, Any] = Field(default_factory=dict)
    source: str = "log"
