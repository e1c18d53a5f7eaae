"""``geode-tui adjudicate``: settle a dispute with gold scores and a cause."""

from __future__ import annotations

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
from geode_tui.cli.printing import print_json, say
from geode_tui.domain.adjudication import Cause


@click.command(
    epilog=examples(
        "geode-tui adjudicate t3f0 --score redundant_tool_invocation=4"
        " --cause judge-error --rater eve",
        "geode-tui adjudicate t3f0 --score redundant_tool_invocation=4"
        ' --cause rubric-ambiguous --clause "any pair" --rater eve',
    )
)
@click.argument("transcript_id", metavar="ID")
@click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="DIMENSION=N",
    help="A gold score; may be repeated. None: no score is possible.",
)
@click.option(
    "--cause",
    required=True,
    type=click.Choice([cause.value for cause in Cause]),
    help="Why the raters differed.",
)
@click.option("--clause", default="", help="The clause that it turns on, as written.")
@click.option("--sub-mode", "sub_modes", multiple=True, help="A gold sub-mode.")
@click.option("--flag", "flags", multiple=True, help="A gold side-channel flag.")
@click.option("--note", default="", help="For people.")
@click.option("--rubric", help="Beginning of the version, where several are disputed.")
@workspace_option
@rater_option()
@json_option
@pass_invocation
def adjudicate(
    invocation: Invocation,
    transcript_id: str,
    scores: tuple[str, ...],
    cause: str,
    clause: str,
    sub_modes: tuple[str, ...],
    flags: tuple[str, ...],
    note: str,
    rubric: str | None,
    as_json: bool,
) -> None:
    """Settle the dispute over a transcript. Auditors only; saves a reveal.

    A decision is append-only: decide again, and the newer one counts. It never
    enters agreement. A label that changes afterwards opens the dispute again.
    """
    workspace, rater = invocation.workspace(), invocation.named_rater()
    if rater is None:
        raise click.UsageError(f"Say who decides: --rater NAME or {RATER_VARIABLE}.")
    gold = dict(_score(text) for text in scores)
    from geode_tui.workflows.disputes import adjudicate as settle
    from geode_tui.workflows.disputes import check_auditor, find_disputes
    from geode_tui.workflows.gather import gather, record_comparison

    check_auditor(workspace.config, rater)
    with workspace.open_store() as store:
        identity = store.transcripts.resolve(transcript_id)
        record_comparison(store, workspace.config, rater, [identity])
        items = gather(store, workspace.config).items
        found = find_disputes(
            store, workspace.config, [item for item in items if item.id == identity]
        )
        decision = settle(
            store,
            workspace.config,
            found,
            transcript=identity,
            rater=rater,
            scores=gold,
            cause=Cause(cause),
            rubric=rubric,
            sub_modes=sub_modes,
            flags=flags,
            clause=clause,
            note=note,
        )
    if as_json:
        print_json(decision.model_dump(mode="json"))
    else:
        say(f"Saved decision {decision.id} on {identity}.")


def _score(text: str) -> tuple[str, int]:
    name, _, number = text.rpartition("=")
    if not name or not number.strip().isdecimal() or not 1 <= int(number) <= 10:
        raise click.BadParameter(
            f"{text!r} is not DIMENSION=N with N from 1 to 10.", param_hint="--score"
        )
    return name.strip(), int(number)
