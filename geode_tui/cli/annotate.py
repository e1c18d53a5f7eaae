"""``geode-tui annotate``: one label without the app."""

from __future__ import annotations

import re

import click

from geode_tui.cli.options import (
    Invocation,
    examples,
    json_option,
    pass_invocation,
    rater_option,
    workspace_option,
)
from geode_tui.cli.printing import print_json, say
from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE, Span
from geode_tui.domain.labelling import LabelTask
from geode_tui.domain.score import Draft, Evidence
from geode_tui.domain.transcript import Transcript
from geode_tui.errors import AnnotationError

_EVIDENCE = re.compile(r"M?(\d{1,9})(?::(\d{1,9})-(\d{1,9}))?", re.IGNORECASE)


@click.command(
    epilog=examples(
        "geode-tui annotate t3f0 --rater ann --score redundant_tool_invocation=4",
        "geode-tui annotate t3f0 --rater ann --score 7 --sub-mode history_check \\",
        '    --evidence M6:120-188 --note "asks twice"',
        'geode-tui annotate t3f0 --rater ann --not-scorable "no reply of the target"',
        "geode-tui annotate t3f0 --rater ann --withdraw",
    ),
)
@click.argument("transcript_id", metavar="ID")
@click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="DIM=N",
    help="A score from 1 to 10; repeat it for each dimension asked. "
    "Where one dimension is asked, N alone will do.",
)
@click.option(
    "--sub-mode", "sub_modes", multiple=True, metavar="KEY", help="May be repeated."
)
@click.option(
    "--flag",
    "flags",
    multiple=True,
    metavar="KEY",
    help="A side channel's flag; it never moves the score. May be repeated.",
)
@click.option(
    "--evidence",
    "evidence",
    multiple=True,
    metavar="M3[:START-END]",
    help="A message, or characters START up to END of it, counted from 0. "
    "May be repeated.",
)
@click.option("--note", default="", metavar="TEXT")
@click.option(
    "--not-scorable", metavar="REASON", help="Instead of scores: why there are none."
)
@click.option("--withdraw", is_flag=True, help="Take your submitted label back.")
@workspace_option
@rater_option()
@json_option
@pass_invocation
def annotate(
    invocation: Invocation,
    transcript_id: str,
    scores: tuple[str, ...],
    sub_modes: tuple[str, ...],
    flags: tuple[str, ...],
    evidence: tuple[str, ...],
    note: str,
    not_scorable: str | None,
    withdraw: bool,
    as_json: bool,
) -> None:
    """Label a transcript. ID may be any unique beginning of its id.

    A second label of yours replaces the first; the first stays in the history.
    Where something does not fit, every problem is listed and nothing is saved.
    """
    workspace = invocation.workspace()
    rater = invocation.likely_rater(workspace)
    if rater is None:
        raise click.UsageError("Whose label is it? Give --rater NAME.")
    given = any((scores, sub_modes, flags, evidence, note, not_scorable is not None))
    if withdraw and given:
        raise click.UsageError("--withdraw stands alone.")
    from geode_tui.workflows.annotate import Annotate
    from geode_tui.workflows.submission import problems_of
    from geode_tui.workflows.workspace import remember_rater

    with workspace.open_store() as store:
        workflow = Annotate(store, workspace.config, rater)
        identity = store.transcripts.resolve(transcript_id)
        if withdraw:
            after = workflow.withdraw(identity).result()
        else:
            task = workflow.task(identity)
            draft, problems = draft_of(
                task, scores, sub_modes, flags, evidence, note, not_scorable
            )
            problems += problems_of(task, draft)
            if problems:
                raise AnnotationError(
                    "The label was not saved:\n  "
                    + "\n  ".join(dict.fromkeys(problems))
                )
            after = workflow.submit(task, draft).result()
        remember_rater(workspace, rater)
    if as_json:
        print_json([label.model_dump(mode="json") for label in after.labels])
    else:
        say(_done(after, rater, withdrawn=withdraw))


def draft_of(
    task: LabelTask,
    scores: tuple[str, ...],
    sub_modes: tuple[str, ...],
    flags: tuple[str, ...],
    evidence: tuple[str, ...],
    note: str,
    not_scorable: str | None,
) -> tuple[Draft, list[str]]:
    """What the options say as a draft, and what cannot be read of them."""
    problems: list[str] = []
    asked = [d.name for form in task.forms for d in form.dimensions]
    values: dict[str, int] = {}
    for text in scores:
        name, equals, number = text.rpartition("=")
        if not equals:
            if len(asked) != 1:
                problems.append(f"--score {text}: say of which dimension, DIM=N.")
                continue
            name = asked[0]
        value = int(number) if re.fullmatch(r"\d{1,9}", number.strip(), re.A) else 0
        if not LOWEST_SCORE <= value <= HIGHEST_SCORE:
            problems.append(f"--score {text}: a score is a whole number from 1 to 10.")
        elif name in values:
            problems.append(f"--score {text}: {name} has a score already.")
        else:
            values[name.strip()] = value
    marks: list[Evidence] = []
    for text in evidence:
        mark = _evidence(task.transcript, text)
        if isinstance(mark, str):
            problems.append(f"--evidence {text}: {mark}")
        else:
            marks.append(mark)
    if not_scorable is not None and scores:
        problems.append("A label has scores or --not-scorable, never both.")
    draft = Draft(
        scores=values,
        sub_modes=tuple(dict.fromkeys(sub_modes)),
        flags=tuple(dict.fromkeys(flags)),
        evidence=tuple(dict.fromkeys(marks)),
        note=note,
        not_scorable=not_scorable,
    )
    return draft, problems


def _evidence(transcript: Transcript, text: str) -> Evidence | str:
    """The evidence meant by ``M3`` or ``M3:10-25``, or what is wrong with it."""
    match = _EVIDENCE.fullmatch(text.strip())
    if match is None:
        return "it is written M3 or M3:10-25."
    m = int(match[1])
    if not 1 <= m <= len(transcript.messages):
        return f"the messages are M1 to M{len(transcript.messages)}."
    if match[2] is None:
        return Evidence(m=m)
    raw = transcript.message(m).text
    span = Span(start=int(match[2]), end=int(match[3]))
    if not span.start < span.end <= len(raw):
        return f"M{m} has characters 0 to {len(raw)}; START comes before END."
    return Evidence(m=m, span=span, quote=span.of(raw))


def _done(task: LabelTask, rater: str, *, withdrawn: bool) -> str:
    name = task.transcript.id
    if withdrawn:
        return f"Withdrawn: {rater}'s label of {name}; it is a draft again."
    scores = [
        f"{d} {score}" for label in task.labels for d, score in label.scores.items()
    ]
    return f"Saved: {rater}'s label of {name}: {', '.join(scores) or 'not scorable'}"
