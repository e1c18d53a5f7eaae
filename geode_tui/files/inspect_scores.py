"""Scorers' answers in an Inspect sample, and the rubric that the judge read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from geode_tui.domain.rubric import Rubric
from geode_tui.domain.score import Verdict, VerdictState
from geode_tui.domain.transcript import Transcript
from geode_tui.files.chat import flat_text
from geode_tui.files.citations import cited_numbers
from geode_tui.files.inspect_chat import CUT_SHORT
from geode_tui.files.judge_schema import dimensions_of_schema, judge_rubric
from geode_tui.files.verdicts import Answer, verdict

if TYPE_CHECKING:
    from inspect_ai.event import Event, ModelEvent
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

JUDGE = "judge"
_ANSWER_TOOL = "answer"
_OWN_FIELDS = frozenset({"highlights", "summary", "scanner_references"})


@dataclass(frozen=True)
class Judge:
    """The judge's last call in a sample, and its rubric if the call shows one."""

    call: ModelEvent
    rubric: Rubric | None


def judge_of(events: Sequence[Event]) -> Judge | None:
    """The judge of a sample: the last call in that role or with an answer tool."""
    for event in reversed(events):
        if event.event != "model":
            continue
        schema = _schema(event)
        if event.role == JUDGE or schema:
            return Judge(event, judge_rubric(dimensions_of_schema(schema)))
    return None


def _schema(call: ModelEvent) -> Mapping[str, Any]:
    """The JSON schema of the call's answer; {} where it asks for none."""
    for tool in call.tools:
        if tool.name == _ANSWER_TOOL:
            return tool.parameters.model_dump(exclude_none=True)
    asked = call.config.response_schema
    return asked.json_schema.model_dump(exclude_none=True) if asked else {}


def verdicts_of(
    sample: EvalSample, transcript: Transcript, judge: Judge | None
) -> tuple[Verdict, ...]:
    """One verdict per scorer of the sample."""
    return tuple(
        _verdict(name, score, sample, transcript, judge)
        for name, score in (sample.scores or {}).items()
    )


def _verdict(
    name: str,
    score: Score,
    sample: EvalSample,
    transcript: Transcript,
    judge: Judge | None,
) -> Verdict:
    metadata = score.metadata or {}
    values = _values(name, score.value)
    rubric = judge.rubric if judge else None
    known = {d.name for d in rubric.dimensions} if rubric else set()
    unanswered = values.keys() <= {name} and _is_empty(values)
    if judge and not (unanswered or not known or known & values.keys()):
        judge, rubric = None, None  # another scorer's answer
    if unanswered:
        values = {}
    failure = _failure(metadata, judge) if _is_empty(values) else None
    answer = Answer(
        scorer=name,
        values=values,
        model=judge.call.model if judge else None,
        failure=failure,
        explanation=score.explanation or score.reason or "",
        summary=flat_text(metadata.get("summary")),
        highlights=flat_text(metadata.get("highlights")),
        at=sample.completed_at,
        ids=_recorded_ids(metadata.get("scanner_references"), transcript),
        metadata={k: v for k, v in metadata.items() if k not in _OWN_FIELDS},
    )
    return verdict(answer, transcript, rubric)


def _values(name: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    if isinstance(value, list):
        return {f"{name}[{i}]": item for i, item in enumerate(value)}
    return {name: value}


def _is_empty(values: Mapping[str, Any]) -> bool:
    """True where no value is given; Inspect writes NaN for "unscored"."""
    return all(v is None or v == "" or v != v for v in values.values())


def _failure(metadata: Mapping[str, Any], judge: Judge | None) -> VerdictState:
    """Why a scorer gave no answer."""
    output = judge.call.output if judge else None
    reason = metadata.get("stop_reason")
    if reason is None and output is not None and output.choices:
        reason = output.choices[0].stop_reason
    if metadata.get("refusal") or reason in {"refusal", "content_filter"}:
        return VerdictState.REFUSED
    if reason in CUT_SHORT:
        return VerdictState.TRUNCATED
    if judge is not None and (judge.call.error or metadata.get("error")):
        return VerdictState.ERRORED
    if judge is not None and output is not None and output.choices:
        return VerdictState.UNPARSABLE
    return VerdictState.ERRORED if metadata.get("error") else VerdictState.MISSING


def _recorded_ids(references: Any, transcript: Transcript) -> dict[int, str]:
    """Message number -> message id, as the log itself records its citations."""
    ids: dict[int, str] = {}
    for reference in references if isinstance(references, list) else []:
        if not isinstance(reference, Mapping):
            continue
        cite, message_id = reference.get("cite"), reference.get("id")
        if not isinstance(cite, str) or not isinstance(message_id, str):
            continue
        numbers = {m for _, m in cited_numbers(cite, len(transcript.messages))}
        if len(numbers) == 1:
            ids[numbers.pop()] = message_id
    return ids
