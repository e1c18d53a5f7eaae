"""``geode-tui show``: one transcript; the judge's verdicts only after a reveal."""

from __future__ import annotations

from typing import Any

import click

from geode_tui.cli.options import (
    RATER_VARIABLE,
    Invocation,
    examples,
    json_option,
    pass_invocation,
    rater_option,
    workspace_option,
)
from geode_tui.cli.printing import Column, print_json, print_table, say
from geode_tui.domain.labelling import Reveal
from geode_tui.domain.score import DimensionVerdict, Verdict
from geode_tui.domain.transcript import Branch, BranchKind, Message, Transcript


@click.command(
    epilog=examples(
        "geode-tui show t3f0",
        "geode-tui show t3f0 --json",
        "geode-tui show t3f0 --unblind --rater ann",
    ),
)
@click.argument("transcript_id", metavar="ID")
@click.option(
    "--unblind",
    is_flag=True,
    help="Also the judge's verdicts and other raters' labels. Needs --rater; "
    "saves a reveal, and later labels of this transcript are marked.",
)
@workspace_option
@rater_option()
@json_option
@pass_invocation
def show(
    invocation: Invocation, transcript_id: str, unblind: bool, as_json: bool
) -> None:
    """Show a transcript. ID may be any unique beginning of its id."""
    workspace, rater = invocation.workspace(), invocation.named_rater()
    if unblind and rater is None:
        raise click.UsageError(
            f"--unblind needs to know who looks: give --rater NAME or {RATER_VARIABLE}."
        )
    from geode_tui.store.records import display_name
    from geode_tui.workflows.annotate import Annotate

    with workspace.open_store() as store:
        identity = store.transcripts.resolve(transcript_id)
        transcript = store.transcripts.get(identity)
        linked = store.seeds.of(identity)
        seed = None if linked is None else display_name(linked)
        reveal = None
        if unblind and rater is not None:
            annotate = Annotate(store, workspace.config, rater)
            reveal = annotate.reveal(identity).result()
    if as_json:
        print_json(transcript_record(transcript, seed, reveal))
    else:
        _print(transcript, seed, reveal)


def transcript_record(
    transcript: Transcript, seed: str | None, reveal: Reveal | None
) -> dict[str, Any]:
    """The transcript as documented in docs/cli.md; verdicts only with a reveal."""
    source = transcript.source
    record: dict[str, Any] = {
        "id": transcript.id,
        "source": source.path,
        "sample_id": source.sample_id,
        "epoch": source.epoch,
        "seed": seed,
        "format": source.format,
        "task": source.task,
        "model": source.target_model,
        "validity": [mark.value for mark in transcript.validity],
        "error": transcript.error,
        "branches": [
            {
                "n": branch.n,
                "kind": branch.kind.value,
                "parent": branch.parent,
                "forked_from": branch.forked_from,
            }
            for branch in transcript.branches
        ],
        "messages": [
            _message_record(message, transcript.branch_of.get(message.m))
            for message in transcript.messages
        ],
    }
    if reveal is not None:
        record["verdicts"] = [
            row for verdict in reveal.verdicts for row in _verdict_records(verdict)
        ]
        record["labels"] = [label.model_dump(mode="json") for label in reveal.labels]
    return record


def _message_record(message: Message, branch: int | None) -> dict[str, Any]:
    return {
        "m": message.m,
        "branch": branch,
        "role": message.role.value,
        "text": message.text,
        "prefill": message.prefill,
        "tool": message.tool,
        "error": message.error,
        "tool_calls": [
            {
                "name": call.name,
                "arguments": call.arguments,
                "positional": list(call.positional),
                "how": call.how,
                "complete": call.complete,
                "error": call.error,
                "span": [call.span.start, call.span.end],
            }
            for call in message.tool_calls
        ],
    }


def _verdict_records(verdict: Verdict) -> list[dict[str, Any]]:
    whole = {
        "rater": verdict.rater,
        "dimension": None,
        "value": None,
        "state": verdict.state.value,
        "citations": [c.model_dump(mode="json") for c in verdict.citations],
        "rubric": verdict.rubric,
        "model": verdict.model,
        "explanation": verdict.explanation,
    }
    if not verdict.scores:
        return [whole]
    return [
        {
            **whole,
            "dimension": score.dimension,
            "value": score.value,
            "state": score.state.value,
            **_range(verdict, score),
            # A judge that cites for the answer as a whole cites for each score.
            "citations": [c.model_dump(mode="json") for c in score.citations]
            or whole["citations"],
        }
        for score in verdict.scores
    ]


def _range(verdict: Verdict, score: DimensionVerdict) -> dict[str, Any]:
    """What the rule gives is a range or a word rather than a value."""
    if verdict.source != "rule" or not isinstance(score.raw, dict):
        return {}
    return {name: score.raw.get(name) for name in ("low", "high", "word", "reason")}


def _print(transcript: Transcript, seed: str | None, reveal: Reveal | None) -> None:
    source = transcript.source
    say(f"{transcript.id}  {source.path}")
    facts = [f"sample {source.sample_id}", f"epoch {source.epoch}"]
    facts += [f"seed {seed}"] if seed else []
    facts += [f"model {source.target_model}"] if source.target_model else []
    facts += [mark.value.replace("_", " ") for mark in transcript.validity]
    say(", ".join(facts))
    if transcript.error:
        say(f"The sample ended with an error: {transcript.error}")
    for branch in transcript.branches:
        if len(transcript.branches) > 1:
            say(f"\n{'=' * 8} {branch_words(branch)} {'=' * 8}")
        for m in branch.own:
            message = transcript.message(m)
            extra = f" ({message.tool})" if message.tool else ""
            extra += ", written by the auditor" if message.prefill else ""
            say(f"\n[M{m}] {message.role.value}{extra}")
            say(message.text)
            if message.error:
                say(f"error: {message.error}")
    if reveal is not None:
        _print_reveal(reveal)


def branch_words(branch: Branch) -> str:
    """How a branch came to be, in words."""
    if branch.kind is BranchKind.ROLLBACK:
        since = f"M{branch.forked_from}" if branch.forked_from else "the beginning"
        return f"Branch {branch.n}: rolled back to {since}"
    if branch.kind is BranchKind.RESTART:
        return f"Branch {branch.n}: restart"
    return f"Branch {branch.n}"


def _verdict_rows(verdict: Verdict) -> list[list[str]]:
    if not verdict.scores:
        return [[verdict.rater, "", "", verdict.state.value.replace("_", " "), ""]]
    return [
        [
            verdict.rater,
            score.dimension,
            "" if score.value is None else f"{score.value:g}",
            score.state.value.replace("_", " "),
            " ".join(dict.fromkeys(citation.text for citation in score.citations)),
        ]
        for score in verdict.scores
    ]


def _print_reveal(reveal: Reveal) -> None:
    say("\nVerdicts")
    columns = (
        Column("rater", shrinks=True),
        Column("dimension", shrinks=True),
        Column("value", right=True),
        Column("state"),
        Column("cites", shrinks=True),
    )
    print_table(
        columns,
        [row for verdict in reveal.verdicts for row in _verdict_rows(verdict)],
    )
    for verdict in reveal.verdicts:
        if verdict.explanation:
            say(f"\n{verdict.rater} explains:")
            say(verdict.explanation)
    for label in reveal.labels:
        scores = ", ".join(f"{name} {score}" for name, score in label.scores.items())
        say(f"\n{label.rater}: {scores or f'not scorable: {label.not_scorable}'}")
        if label.sub_modes or label.flags:
            say("  " + ", ".join((*label.sub_modes, *label.flags)))
        if label.note:
            say(f"  {label.note}")
