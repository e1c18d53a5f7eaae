"""``geode-tui disputes``: where raters differ by more than the workspace allows."""

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
from geode_tui.cli.printing import Column, print_json, print_table, say
from geode_tui.domain.dispute import Difference, RaterView

if TYPE_CHECKING:
    from geode_tui.workflows.disputes import OpenOrSettled


@click.command(
    epilog=examples(
        "geode-tui disputes --rater eve",
        "geode-tui disputes t3f0 --rater eve",
        "geode-tui disputes --open --json --rater eve",
    )
)
@click.argument("transcript_id", metavar="[ID]", required=False)
@click.option("--open", "only_open", is_flag=True, help="Leave settled ones out.")
@click.option("--names", is_flag=True, help="Name the people; they are A, B, ... else.")
@click.option(
    "--after-reveal",
    is_flag=True,
    help="Count labels that were made after a look at others' values too.",
)
@workspace_option
@rater_option()
@json_option
@pass_invocation
def disputes(
    invocation: Invocation,
    transcript_id: str | None,
    only_open: bool,
    names: bool,
    after_reveal: bool,
    as_json: bool,
) -> None:
    """List disputes, the worst first; with ID, everything about one transcript.

    What counts as a dispute is set in geode.toml, [disputes]. The list holds
    everybody's values: an auditor may see it at any time, a rater once the
    queue is done; each look is saved as a reveal.
    """
    workspace = invocation.workspace()
    rater = invocation.likely_rater(workspace)
    from geode_tui.workflows.disputes import find_disputes
    from geode_tui.workflows.gather import gather, record_comparison

    with workspace.open_store() as store:
        chosen = None if transcript_id is None else [transcript_id]
        if chosen is not None:
            chosen = [store.transcripts.resolve(chosen[0])]
        if rater is not None:
            record_comparison(store, workspace.config, rater, chosen)
        items = gather(store, workspace.config, after_reveal=after_reveal).items
        if chosen is not None:
            items = tuple(item for item in items if item.id in chosen)
        found = find_disputes(store, workspace.config, items)
        explained = {
            verdict.id: verdict.explanation for i in items for verdict in i.verdicts
        }
    found = [one for one in found if not (only_open and one.settled)]
    if as_json:
        print_json([dispute_record(one, explained, names=names) for one in found])
    elif chosen is None:
        _print_list(found, names=names)
    else:
        for one in found:
            _print(dispute_record(one, explained, names=names))
        if not found:
            say("No dispute over this transcript.")


def dispute_record(
    one: OpenOrSettled, explained: dict[str, str], *, names: bool
) -> dict[str, Any]:
    """A dispute as documented in docs/cli.md."""
    called = _called(one, names)
    dispute = one.dispute
    return {
        "transcript": dispute.transcript,
        "rubric": dispute.rubric,
        "points": dispute.severity[0],
        "settled": one.settled,
        "differences": [
            {
                **d.model_dump(mode="json"),
                "first": called[d.first],
                "second": called[d.second],
            }
            for d in dispute.differences
        ],
        "views": [_view(v, called, explained) for v in dispute.views],
        "decision": None
        if one.decision is None
        else one.decision.model_dump(mode="json"),
    }


def _view(
    view: RaterView, called: dict[str, str], explained: dict[str, str]
) -> dict[str, Any]:
    return {
        "rater": called[view.rater],
        "kind": view.kind.value,
        "scores": {name: list(ends) for name, ends in view.scores.items()},
        "sub_modes": None if view.sub_modes is None else sorted(view.sub_modes),
        "flags": None if view.flags is None else sorted(view.flags),
        "not_scorable": view.not_scorable,
        "evidence": [e.model_dump(mode="json") for e in view.evidence],
        "explanation": explained.get(view.source, ""),
    }


def _called(one: OpenOrSettled, names: bool) -> dict[str, str]:
    from geode_tui.workflows.disputes import anonymous

    if names:
        return {view.rater: view.rater for view in one.dispute.views}
    return anonymous(one.dispute)


def _print_list(found: list[OpenOrSettled], *, names: bool) -> None:
    columns = (
        Column("transcript"),
        Column("points", right=True),
        Column("state"),
        Column("differences", shrinks=True),
    )
    rows = []
    for one in found:
        called = _called(one, names)
        words = [_difference(d, called) for d in one.dispute.differences]
        rows.append(
            [
                one.dispute.transcript,
                f"{one.dispute.severity[0]:g}",
                _state(one.settled, one.decision is not None),
                "; ".join(words),
            ]
        )
    if rows:
        print_table(columns, rows)
    settled = sum(one.settled for one in found)
    say(f"{len(found) - settled} open, {settled} settled.")


def _state(settled: bool, decided: bool) -> str:
    return "settled" if settled else "reopened" if decided else "open"


def _difference(d: Difference, called: dict[str, str]) -> str:
    pair = f"{called[d.first]} / {called[d.second]}"
    what = d.kind.value
    if d.dimension:
        what = f"{d.dimension} {what}" + (f" {d.points:g}" if d.points else "")
    return f"{what} ({pair})"


def _print(record: dict[str, Any]) -> None:
    state = _state(record["settled"], record["decision"] is not None)
    say(f"{record['transcript']}  {state}  rubric {record['rubric']}")
    for view in record["views"]:
        scores = ", ".join(
            f"{name} {low:g}" if low == high else f"{name} {low:g}-{high:g}"
            for name, (low, high) in view["scores"].items()
        )
        none = view["not_scorable"]
        say(f"  {view['rater']}: " + (f"not scorable: {none}" if none else scores))
        for key in ("sub_modes", "flags"):
            if view[key]:
                say(f"    {key.replace('_', '-')}: {', '.join(view[key])}")
        for evidence in view["evidence"]:
            say(f"    M{evidence['m']} {evidence['quote'] or ''}".rstrip())
        for line in view["explanation"].splitlines():
            say(f"    | {line}")
    if record["decision"] is not None:
        _print_decision(record["decision"])


def _print_decision(decision: dict[str, Any]) -> None:
    gold = ", ".join(f"{name} {score}" for name, score in decision["scores"].items())
    say(f"  decided by {decision['rater']}: {gold or 'no score'}, {decision['cause']}")
    for key in ("clause", "note"):
        if decision[key]:
            say(f"    {key}: {decision[key]}")
