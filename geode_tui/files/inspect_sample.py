"""One sample of an Inspect log as a transcript with its verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from geode_tui.domain.imported import AuditorMessage, ImportedSample
from geode_tui.domain.transcript import Source, Transcript
from geode_tui.files.conversation_tree import TreeBuilder, finish_tree
from geode_tui.files.declared_tools import declared_tools
from geode_tui.files.inspect_chat import (
    TARGET,
    draft_of,
    is_cut_short,
    target_events,
    tool_names,
)
from geode_tui.files.inspect_scores import judge_of, verdicts_of
from geode_tui.files.petri_timeline import (
    TargetTree,
    tree_of_events,
    tree_of_timeline,
)
from geode_tui.files.validity import validity_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

FORMAT = "inspect"


class ScoresOnly(Exception):  # noqa: N818 - a finding, not a mistake
    """A sample has scores but nothing was said in it; the text names the scorers."""


@dataclass(frozen=True)
class _Reading:
    """How the conversation of a sample was found."""

    tree: TargetTree
    audit: bool
    """An auditor led it: the sample's own messages are the auditor's."""
    numbering: str


def import_sample(
    sample: EvalSample, header: EvalLog, name: str, harness_errors: Sequence[str]
) -> ImportedSample | str:
    """The sample, or the reason for which there is nothing to import.

    Raises:
        ScoresOnly: the sample holds scores without any conversation.
    """
    reading = _read_conversation(sample, header)
    tree = reading.tree
    auditor = _auditor(sample) if reading.audit else ()
    if not tree.drafts and not auditor:
        if sample.error is not None:
            return f"The sample failed before anything was said: {_failure(sample)}."
        if sample.scores:
            raise ScoresOnly(", ".join(sample.scores))
        return "The sample holds no messages."
    transcript = _transcript(sample, header, name, reading, harness_errors)
    judge = judge_of(sample.events)
    return ImportedSample(
        transcript=transcript,
        verdicts=verdicts_of(sample, transcript, judge),
        judge_rubric=judge.rubric if judge else None,
        auditor=auditor,
        notes=tuple(_notes(sample, tree)),
    )


def _transcript(
    sample: EvalSample,
    header: EvalLog,
    name: str,
    reading: _Reading,
    harness_errors: Sequence[str],
) -> Transcript:
    spec, tree = header.eval, reading.tree
    seed = _seed_text(sample) if reading.audit else ""
    tools = tool_names(tree.events) | declared_tools([seed])
    messages = finish_tree(tree.drafts, tree.branches, tools)
    return Transcript(
        source=Source(
            log=spec.eval_id,
            path=name,
            format=FORMAT,
            sample_id=str(sample.id),
            epoch=sample.epoch,
            created=spec.created,
            task=spec.task,
            target_model=_model_in(header, TARGET) or spec.model,
            auditor_model=_model_in(header, "auditor"),
        ),
        messages=messages,
        branches=tuple(tree.branches),
        seed_text=seed,
        metadata=sample.metadata or {},
        validity=validity_of(
            messages,
            harness_errors=harness_errors,
            truncated=sample.limit is not None or is_cut_short(tree.events),
            failed=sample.error is not None,
        ),
        error=_failure(sample) if sample.error is not None else None,
        numbering=reading.numbering,
    )


def _model_in(header: EvalLog, role: str) -> str | None:
    config = (header.eval.model_roles or {}).get(role)
    configs = config if isinstance(config, list) else [config]
    return ", ".join(c.model for c in configs if c is not None) or None


def _read_conversation(sample: EvalSample, header: EvalLog) -> _Reading:
    """From the target timeline; in older logs from events; else from messages."""
    for timeline in sample.timelines or []:
        if timeline.name == TARGET:
            return _Reading(tree_of_timeline(timeline.root), True, "petri")
    calls = target_events(sample.events)
    if calls:
        return _Reading(tree_of_events(calls), True, "order")
    if TARGET in (header.eval.model_roles or {}):
        return _Reading(TargetTree(), True, "order")
    return _Reading(_tree_of_messages(sample), False, "order")


def _tree_of_messages(sample: EvalSample) -> TargetTree:
    """A plain task: its messages are the evaluated model's conversation."""
    said = any(m.role in ("assistant", "tool") for m in sample.messages)
    if not said and sample.error is None and not _model_called(sample):
        return TargetTree()  # the input alone is no conversation
    builder = TreeBuilder()
    for message in sample.messages:
        builder.add(draft_of(message, generated=message.source != "input"))
    calls = [e for e in sample.events if e.event == "model"]
    own = [e for e in calls if e.role is None]
    return TargetTree(builder.drafts, list(builder.branches()), own)


def _model_called(sample: EvalSample) -> bool:
    return any(event.event == "model" for event in sample.events)


def _auditor(sample: EvalSample) -> tuple[AuditorMessage, ...]:
    return tuple(
        draft_of(message, generated=True).as_auditor(n)
        for n, message in enumerate(sample.messages, 1)
    )


def _seed_text(sample: EvalSample) -> str:
    """The seed's body: what the auditor was told to do."""
    if isinstance(sample.input, str):
        return sample.input
    return "\n\n".join(m.text for m in sample.input if m.role in ("user", "system"))


def _failure(sample: EvalSample) -> str:
    return sample.error.message.strip() if sample.error is not None else ""


def _notes(sample: EvalSample, tree: TargetTree) -> list[str]:
    notes = list(tree.notes)
    if sample.error is not None:
        notes.append(f"The sample failed: {_failure(sample)}.")
    if sample.limit is not None:
        notes.append(f"A limit ended the sample: {sample.limit.type}.")
    failed = [e.error for e in tree.events if e.error and not e.output.choices]
    if failed:
        notes.append(f"{len(failed)} call(s) of the target failed: {failed[0]}.")
    if not tree.drafts:
        notes.append("The target never got to answer; only the auditor's part is kept.")
    return notes
