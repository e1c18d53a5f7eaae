"""A judge's answer as found in a log, turned into a verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.ids import content_hash
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.score import Citation, DimensionVerdict, Verdict, VerdictState
from geode_tui.domain.transcript import Transcript
from geode_tui.files.citations import citations, paragraph_of


@dataclass
class Answer:
    """What a log records of one scorer's answer.

    Attributes:
        scorer: name of the scorer.
        values: dimension -> what the judge gave, whatever it is.
        failure: why there is no answer as a whole, if there is none.
        ids: message number -> id that the log records for its citation.
        cited: citations given in another way than by number.
    """

    scorer: str
    values: Mapping[str, Any]
    model: str | None = None
    failure: VerdictState | None = None
    explanation: str = ""
    summary: str = ""
    highlights: str = ""
    at: str | None = None
    ids: Mapping[int, str] = field(default_factory=dict)
    cited: tuple[Citation, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def verdict(answer: Answer, transcript: Transcript, rubric: Rubric | None) -> Verdict:
    """The verdict of ``answer`` on ``transcript``.

    Every dimension of the judge's rubric gets an entry: one that the answer
    leaves out is missing, or has the failure of the answer as a whole.
    """
    count = len(transcript.messages)
    names = dict.fromkeys(d.name for d in rubric.dimensions) if rubric else {}
    names |= dict.fromkeys(answer.values)
    scores = tuple(
        _dimension(name, answer, count, answer.values.get(name)) for name in names
    )
    source = transcript.source
    texts = (answer.explanation, answer.summary, answer.highlights)
    return Verdict(
        id=_id(answer, transcript),
        transcript=transcript.id,
        rubric=rubric.id if rubric else None,
        rater=_rater(answer),
        at=answer.at or source.created,
        model=answer.model,
        epoch=source.epoch,
        state=_whole_state(answer, scores),
        scores=scores,
        explanation=answer.explanation,
        summary=answer.summary,
        highlights=answer.highlights,
        citations=(*citations(texts, count, answer.ids), *answer.cited),
        metadata=dict(answer.metadata),
    )


def _id(answer: Answer, transcript: Transcript) -> str:
    """The same for the same answer, so that importing it again adds nothing."""
    source = transcript.source
    digest = content_hash(
        [
            [source.log, source.sample_id, source.epoch, answer.scorer, answer.model],
            repr(dict(answer.values)),
            [answer.failure, answer.explanation, answer.summary, answer.highlights],
            transcript.content,
        ]
    )
    return "v" + digest.removeprefix("b2:")[:31]


def _rater(answer: Answer) -> str:
    model = (answer.model or "").rsplit("/", 1)[-1]
    return f"judge:{answer.scorer}/{model}" if model else f"judge:{answer.scorer}"


def _whole_state(answer: Answer, scores: tuple[DimensionVerdict, ...]) -> VerdictState:
    if answer.failure is not None:
        return answer.failure
    states = [score.state for score in scores]
    if not states:
        return VerdictState.MISSING
    if VerdictState.OK in states:
        return VerdictState.OK
    return states[0]


def _dimension(name: str, answer: Answer, count: int, raw: Any) -> DimensionVerdict:
    value, state = read_score(raw)
    if state is VerdictState.MISSING and answer.failure is not None:
        state = answer.failure
    about = paragraph_of(answer.explanation, name)
    return DimensionVerdict(
        dimension=name,
        value=value,
        state=state,
        raw=str(raw) if isinstance(raw, float) and not math.isfinite(raw) else raw,
        citations=citations([about], count, answer.ids) if about else (),
    )


def read_score(raw: Any) -> tuple[float | None, VerdictState]:
    """A judge's value as a score on 1-10, and how it turned out.

    Numbers written as text count; True and False do not.
    """
    if raw is None or raw == "":
        return None, VerdictState.MISSING
    if isinstance(raw, str):
        try:
            raw = float(raw.strip()) if len(raw) < 40 else raw
        except ValueError:
            return None, VerdictState.UNPARSABLE
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None, VerdictState.UNPARSABLE
    if not math.isfinite(raw):
        return None, VerdictState.UNPARSABLE
    if not LOWEST_SCORE <= raw <= HIGHEST_SCORE:
        return None, VerdictState.OUT_OF_RANGE
    return float(raw), VerdictState.OK
