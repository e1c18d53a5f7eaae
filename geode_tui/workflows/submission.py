"""From a draft to label events: what is wrong with it, and what it becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from geode_tui.domain.labelling import Form, LabelTask
from geode_tui.domain.score import Draft, Event, Evidence, fits
from geode_tui.domain.transcript import Transcript

_WHOLE = "submission"


def problems_of(task: LabelTask, draft: Draft) -> list[str]:
    """Why ``draft`` cannot be submitted as an answer to ``task``; empty is good."""
    problems: list[str] = []
    asked = {d.name for form in task.forms for d in form.dimensions}
    if draft.not_scorable is not None:
        if not draft.not_scorable.strip():
            problems.append("'Not scorable' needs a reason.")
        if draft.scores:
            problems.append("A label has scores or is not scorable, never both.")
    else:
        missing = [name for name in _in_order(task) if name not in draft.scores]
        if missing:
            problems.append(f"No score yet for {', '.join(missing)}.")
    for name in draft.scores:
        if name not in asked:
            listed = ", ".join(_in_order(task))
            problems.append(f"{name!r} is not asked here (asked: {listed}).")
    problems += _unknown_keys(task, draft)
    for evidence in draft.evidence:
        problems += _evidence_problems(task.transcript, asked, evidence)
    return problems


def events_for(
    task: LabelTask,
    draft: Draft,
    *,
    rater: str,
    standing: Sequence[Event],
    structure_of: Callable[[str], str | None],
    after_reveal: bool,
) -> list[Event]:
    """One event per form whose label changes.

    Args:
        task: what was asked; ``problems_of(task, draft)`` is empty.
        draft: the answers. Note, reason and general evidence belong to every form.
        rater: who answers.
        standing: the rater's current labels of the transcript. A new label
            replaces the one on the same structure; one on another structure
            stays, since it still is the judgement under that rubric.
        structure_of: structure of a rubric version, None where it is unknown.
        after_reveal: the rater has seen others' values of this transcript.
    """
    evidence = tuple(_with_quote(task.transcript, item) for item in draft.evidence)
    events: list[Event] = []
    for form in task.forms:
        older = _replaced(form, standing, structure_of)
        event = _label(task, form, draft, evidence, rater, older, after_reveal)
        if older is None or not _same(older, event):
            events.append(event)
    return events


def _label(
    task: LabelTask,
    form: Form,
    draft: Draft,
    evidence: tuple[Evidence, ...],
    rater: str,
    older: Event | None,
    after_reveal: bool,
) -> Event:
    names = [d.name for d in form.dimensions]
    modes = {mode.key for mode in form.rubric.sub_modes}
    flags = {channel.key for channel in form.rubric.side_channels}
    return Event(
        transcript=task.transcript.id,
        rubric=form.rubric.id,
        rater=rater,
        scores={name: draft.scores[name] for name in names if name in draft.scores},
        sub_modes=tuple(key for key in draft.sub_modes if key in modes),
        flags=tuple(key for key in draft.flags if key in flags),
        evidence=tuple(
            item
            for item in evidence
            if item.dimension is None or item.dimension in names
        ),
        note=draft.note,
        not_scorable=draft.not_scorable,
        supersedes=None if older is None else older.id,
        after_reveal=after_reveal,
    )


def _replaced(
    form: Form,
    standing: Sequence[Event],
    structure_of: Callable[[str], str | None],
) -> Event | None:
    """The newest standing label that judges the same thing as ``form``."""
    same = [
        label
        for label in standing
        if label.rubric == form.rubric.id
        or structure_of(label.rubric) == form.rubric.structure
    ]
    return max(same, key=lambda label: label.id, default=None)


def _same(older: Event, newer: Event) -> bool:
    """True where two labels say the same, whenever they were made.

    Whoever confirms a blind label after a reveal has not changed it.
    """
    when = {"id": "", "at": "", "supersedes": None, "after_reveal": False}
    return older.model_copy(update=when) == newer.model_copy(update=when)


def _in_order(task: LabelTask) -> list[str]:
    """Names of the asked dimensions, each once."""
    return list(dict.fromkeys(d.name for form in task.forms for d in form.dimensions))


def _unknown_keys(task: LabelTask, draft: Draft) -> list[str]:
    """Sub-modes and flags that no form knows, put as ``fits`` puts them."""
    known_modes = {m.key for form in task.forms for m in form.rubric.sub_modes}
    known_flags = {c.key for form in task.forms for c in form.rubric.side_channels}
    stray = Event(
        transcript=task.transcript.id,
        rubric=task.forms[0].rubric.id,
        rater=_WHOLE,
        sub_modes=tuple(key for key in draft.sub_modes if key not in known_modes),
        flags=tuple(key for key in draft.flags if key not in known_flags),
        evidence=draft.evidence,
        not_scorable=_WHOLE,
    )
    return fits(stray, task.forms[0].rubric, len(task.transcript.messages))


def _evidence_problems(
    transcript: Transcript, asked: set[str], evidence: Evidence
) -> list[str]:
    problems: list[str] = []
    if evidence.dimension is not None and evidence.dimension not in asked:
        problems.append(
            f"Evidence in M{evidence.m} is for {evidence.dimension!r}, "
            "which is not asked here."
        )
    span = evidence.span
    if span is not None and evidence.m <= len(transcript.messages):
        length = len(transcript.message(evidence.m).text)
        if not span.start < span.end <= length:
            problems.append(
                f"M{evidence.m} has no stretch {span.start}-{span.end}; "
                f"its text has {length} characters."
            )
    return problems


def _with_quote(transcript: Transcript, evidence: Evidence) -> Evidence:
    """Evidence that carries its words, so that an export reads alone."""
    if evidence.span is None:
        return evidence
    quote = evidence.span.of(transcript.message(evidence.m).text)
    return evidence.model_copy(update={"quote": quote})
