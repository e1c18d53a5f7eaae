"""``geode-tui rule``: what the rubric's own letter gives, with its working."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from geode_tui.domain.rule import BranchScore, CountedCall, RuleScore

if TYPE_CHECKING:
    from geode_tui.workflows.rule import RuleResult


@click.command(
    epilog=examples(
        "geode-tui rule t3f0",
        "geode-tui rule --all --json",
        "geode-tui rule t3f0 --unblind --rater ann",
    )
)
@click.argument("transcript_id", metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="Every transcript.")
@click.option(
    "--unblind",
    is_flag=True,
    help="For raters of this workspace: saves a reveal for each transcript shown, "
    "and later labels of it are marked.",
)
@workspace_option
@rater_option()
@json_option
@pass_invocation
def rule(
    invocation: Invocation,
    transcript_id: str | None,
    everything: bool,
    unblind: bool,
    as_json: bool,
) -> None:
    """Score by the rubric's letter and store it as the rater "rule".

    Shows R, the calls that count with the row each one hit, adjustments,
    sub-modes, flags and every doubt. ID may be any unique beginning of an id.
    """
    if (transcript_id is None) == (not everything):
        raise click.UsageError("Name one transcript, or give --all.")
    workspace = invocation.workspace()
    rater = invocation.likely_rater(workspace)
    if rater is not None and not unblind:
        raise click.UsageError(
            "The rubric's own score would tell a rater what to enter, so it stays "
            f"hidden from {rater}. --unblind shows it where the workspace allows "
            "that, and is recorded."
        )
    from geode_tui.workflows.rule import record_look, score_by_rule

    with workspace.open_store() as store:
        chosen = (
            [row.id for row in store.transcripts.rows()]
            if transcript_id is None
            else [store.transcripts.resolve(transcript_id)]
        )
        if rater is not None:
            record_look(store, workspace.config, rater, chosen)
        results = list(score_by_rule(store, workspace.config, chosen))
    if as_json:
        print_json([record for result in results for record in records(result)])
        return
    for number, result in enumerate(results):
        if number:
            say()
        _print(result)


def records(result: RuleResult) -> list[dict[str, Any]]:
    """The rule scores of one transcript as documented in docs/cli.md."""
    if not result.scores:
        empty: dict[str, Any] = {name: [] for name in _LISTS}
        return [
            {
                "transcript": result.transcript,
                **dict.fromkeys(("dimension", "low", "high", "word", "R", "branch")),
                "delta_only": False,
                **empty,
                "reason": result.reason,
                "branches": [],
                "engine": None,
            }
        ]
    return [_record(result.transcript, score) for score in result.scores]


_LISTS = ("calls", "sub_modes", "flags", "adjustments", "doubts")


def _record(transcript: str, score: RuleScore) -> dict[str, Any]:
    data = score.model_dump(mode="json")
    data["R"] = data.pop("r")
    for branch in data["branches"]:
        branch["R"] = branch.pop("r")
    return {"transcript": transcript, **data}


def _print(result: RuleResult) -> None:
    say(result.transcript)
    if result.reason is not None:
        say(f"  no rule score: {result.reason}")
    from geode_tui.workflows.rule import in_words

    for score in result.scores:
        say(f"  {score.dimension}: {in_words(score)}")
        for call in score.calls:
            say(f"    M{call.m} {_call(call)}")
            for reason in call.reasons:
                say(f"       {reason}")
        for adjustment in score.adjustments:
            say(f"    {adjustment.amount:+d} {adjustment.condition}")
        if score.sub_modes:
            say(f"    sub-modes: {', '.join(score.sub_modes)}")
        for flag in score.flags:
            say(f"    flag {flag.key} (M{flag.m}): {flag.text}")
        for doubt in score.doubts:
            say(f"    doubt: {doubt}")
        if len(score.branches) > 1:
            for branch in score.branches:
                say(f"    branch {branch.branch}: {_branch(branch)}")


def _call(call: CountedCall) -> str:
    row = f"  {call.row}" if call.row else ""
    return f"{call.role.value}: {call.tool or 'a nameless call'}{row}"


def _branch(branch: BranchScore) -> str:
    if branch.reason is not None:
        return branch.reason
    if branch.word is not None:
        return branch.word
    return f"{branch.low:g}-{branch.high:g}, R={branch.r}"
