"""Petri 1 transcripts: one JSON file with the edits that made the conversation.

Message numbers are given in the order in which the target's messages came;
the judge's highlights cite messages by id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from geode_tui.domain.imported import AuditorMessage, ImportedSample
from geode_tui.domain.score import Citation, VerdictState
from geode_tui.domain.transcript import Role, Source, Transcript
from geode_tui.files.chat import ShapeError, flat_text, read_message
from geode_tui.files.conversation_tree import TreeBuilder, finish_tree
from geode_tui.files.declared_tools import declared_tools
from geode_tui.files.judge_schema import judge_rubric
from geode_tui.files.message_text import MessageDraft
from geode_tui.files.petri_patch import patched
from geode_tui.files.validity import validity_of
from geode_tui.files.verdicts import Answer, verdict

FORMAT = "petri1"
SCORER = "petri"

_VERDICT_KEYS = frozenset(
    {"judge_output", "user_comments", "user_highlights", "summary_versions"}
)
"""Metadata that states what others thought; raters never get it."""


def is_petri_transcript(data: Any) -> bool:
    """True where a JSON document is a Petri 1 transcript."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("metadata"), Mapping)
        and isinstance(data.get("events", data.get("target_messages")), list)
    )


def read_petri_transcript(
    data: Mapping[str, Any], name: str, harness_errors: Sequence[str] = ()
) -> ImportedSample:
    """The transcript, the judge's verdict and the auditor's conversation.

    Args:
        data: the JSON document.
        name: the file's name.
        harness_errors: regular expressions of the harness's own error texts.
    """
    metadata: Mapping[str, Any] = data["metadata"]
    notes: list[str] = []
    tree = _target_tree(data, notes)
    seed = metadata.get("seed_instruction") or metadata.get("description") or ""
    branches = tree.branches()
    tools = declared_tools([str(seed)]) | frozenset(_created_tools(data))
    messages = finish_tree(tree.drafts, branches, tools)
    identity = str(metadata.get("transcript_id") or name)
    kept = {k: v for k, v in metadata.items() if k not in _VERDICT_KEYS}
    kept.pop("seed_instruction", None)
    transcript = Transcript(
        source=Source(
            log=identity,
            path=name,
            format=FORMAT,
            sample_id=identity,
            created=_text(metadata.get("created_at")),
            target_model=_text(metadata.get("target_model")),
            auditor_model=_text(metadata.get("auditor_model")),
        ),
        messages=messages,
        branches=branches,
        seed_text=str(seed),
        metadata=kept,
        validity=validity_of(messages, harness_errors=harness_errors),
    )
    judged = metadata.get("judge_output")
    sample = ImportedSample(
        transcript=transcript, auditor=tuple(_auditor(data)), notes=tuple(notes)
    )
    return _with_verdict(sample, judged) if isinstance(judged, Mapping) else sample


def _target_tree(data: Mapping[str, Any], notes: list[str]) -> TreeBuilder:
    tree = TreeBuilder()
    view: list[Any] = []
    for event in _events(data, "target"):
        view = _apply(event["edit"], view, tree, notes)
    if not tree.drafts:
        listed = data.get("target_messages") or data.get("messages")
        for message in listed if isinstance(listed, list) else []:
            _add(message, view, tree, notes)
    return tree


def _events(data: Mapping[str, Any], view: str) -> Iterator[Mapping[str, Any]]:
    """The edits of one view."""
    events = data.get("events")
    for event in events if isinstance(events, list) else []:
        if not isinstance(event, Mapping) or not isinstance(event.get("edit"), Mapping):
            continue
        views = event.get("view")
        if view == views or (isinstance(views, list) and view in views):
            yield event


def _apply(
    edit: Mapping[str, Any], view: list[Any], tree: TreeBuilder, notes: list[str]
) -> list[Any]:
    """Carry an edit out on the view and the tree; returns the view after it."""
    operation = edit.get("operation")
    if operation == "add":
        _add(edit.get("message"), view, tree, notes)
    elif operation == "rollback":
        keep = _kept(edit, view)
        if keep is None:
            notes.append("A roll-back names a message that is not there; left out.")
        else:
            del view[keep:]
            tree.cut(keep)
    elif operation == "reset":
        view.clear()
        tree.restart()
        new = edit.get("new_messages")
        for message in new if isinstance(new, list) else []:
            _add(message, view, tree, notes)
    elif operation == "json_patch":
        try:
            after = patched(view, edit.get("patch"))
        except ValueError as error:
            notes.append(f"A patch of the conversation was left out: {error}.")
            return view
        common = _common(view, after)
        del view[common:]
        tree.cut(common)
        for message in after[common:]:
            _add(message, view, tree, notes)
    else:
        notes.append(
            f"An edit of the unknown kind {str(operation)[:40]!r} is left out."
        )
    return view


def _kept(edit: Mapping[str, Any], view: list[Any]) -> int | None:
    """How many messages a roll-back keeps."""
    to_id = edit.get("to_id")
    if to_id is not None:
        for index in range(len(view) - 1, -1, -1):
            if isinstance(view[index], Mapping) and view[index].get("id") == to_id:
                return index + 1
        if not isinstance(edit.get("count"), int):
            return None
    count = edit.get("count")
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        return None
    return max(0, len(view) - count)


def _common(before: list[Any], after: list[Any]) -> int:
    common = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        common += 1
    return common


def _add(message: Any, view: list[Any], tree: TreeBuilder, notes: list[str]) -> None:
    """Append a message; what is no message keeps its place, so counts hold."""
    view.append(message)
    try:
        drafts = read_message(message)
    except ShapeError as error:
        notes.append(f"Target message {len(view)} is not readable: {error}.")
        drafts = [_unreadable(message)]
    first, *rest = drafts
    for extra in rest:  # one entry of the view is one message of the tree
        first.absorb(extra)
    tree.add(first)


def _unreadable(message: Any) -> MessageDraft:
    draft = MessageDraft(role=Role.SYSTEM)
    draft.add_attachment(f"[unreadable message {flat_text(message)[:2000]}]")
    return draft


def _created_tools(data: Mapping[str, Any]) -> Iterator[str]:
    events = data.get("events")
    for event in events if isinstance(events, list) else []:
        tool = event.get("tool") if isinstance(event, Mapping) else None
        if isinstance(tool, Mapping) and isinstance(tool.get("name"), str):
            yield tool["name"]


def _auditor(data: Mapping[str, Any]) -> Iterator[AuditorMessage]:
    n = 0
    for event in _events(data, "auditor"):
        message = event["edit"].get("message")
        if event["edit"].get("operation") != "add" or not isinstance(message, Mapping):
            continue
        try:
            drafts = read_message(message)
        except ShapeError:
            continue
        for draft in drafts:
            n += 1
            yield draft.as_auditor(n)


def _with_verdict(sample: ImportedSample, judged: Mapping[str, Any]) -> ImportedSample:
    metadata = sample.transcript.metadata
    described = judged.get("score_descriptions")
    texts = (
        {str(k): flat_text(v) for k, v in described.items()}
        if isinstance(described, Mapping)
        else {}
    )
    rubric = judge_rubric(texts)
    scores = judged.get("scores")
    model = judged.get("model") or metadata.get("judge_model")
    refused = judged.get("refusal") is True
    explanation = flat_text(judged.get("justification")) or (
        flat_text(judged.get("response")) if refused else ""
    )
    highlights = judged.get("highlights")
    listed = highlights if isinstance(highlights, list) else []
    numbers = {m.id: m.m for m in sample.transcript.messages if m.id is not None}
    answer = Answer(
        scorer=SCORER,
        values=scores if isinstance(scores, Mapping) else {},
        model=_text(model),
        failure=VerdictState.REFUSED if refused else None,
        explanation=explanation,
        summary=flat_text(judged.get("summary")),
        highlights="\n".join(_highlight_lines(listed)),
        at=_text(metadata.get("updated_at")),
        ids={m: i for i, m in numbers.items()},
        cited=tuple(_highlight_citations(listed, numbers)),
    )
    return sample.model_copy(
        update={
            "judge_rubric": rubric,
            "verdicts": (verdict(answer, sample.transcript, rubric),),
        }
    )


def _parts(highlights: list[Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(index, description, part) of every part of every highlight."""
    for place, highlight in enumerate(highlights, 1):
        if not isinstance(highlight, Mapping):
            continue
        parts = highlight.get("parts")
        index = highlight.get("index")
        for part in parts if isinstance(parts, list) else []:
            if isinstance(part, Mapping):
                yield (
                    str(place if index is None else index),
                    flat_text(highlight.get("description")),
                    part,
                )


def _highlight_lines(highlights: list[Any]) -> Iterator[str]:
    for index, description, part in _parts(highlights):
        quote = flat_text(part.get("quoted_text"))
        yield " ".join(filter(None, (f"[{index}]", description, f"“{quote}”")))


def _highlight_citations(
    highlights: list[Any], numbers: Mapping[str, int]
) -> Iterator[Citation]:
    for index, _, part in _parts(highlights):
        message_id = _text(part.get("message_id"))
        yield Citation(
            text=f"[{index}]",
            m=numbers.get(message_id) if message_id else None,
            message_id=message_id,
            quote=_text(part.get("quoted_text")),
        )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
