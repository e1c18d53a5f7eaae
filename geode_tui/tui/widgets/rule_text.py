"""The rule's working in the reveal panel, held against the rater's own score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from geode_tui.domain.base import Span
from geode_tui.domain.display import one_line
from geode_tui.domain.labelling import Reveal
from geode_tui.domain.rule import CallRole, RuleScore
from geode_tui.domain.score import Verdict
from geode_tui.tui.widgets.lines import Line, Piece, wrap
from geode_tui.tui.widgets.rubric_text import clean

Link = Callable[[int], object]
"""Makes the target of a line that leads to a message."""


def rule_scores(verdict: Verdict) -> tuple[RuleScore, ...]:
    """The working that a verdict of the rule holds."""
    if verdict.source != "rule":
        return ()
    return tuple(
        RuleScore.model_validate(score.raw)
        for score in verdict.scores
        if isinstance(score.raw, dict)
    )


def range_words(score: RuleScore) -> str:
    """``4-5``, ``6``, a word, ``+2 points``, or ``no score``."""
    if score.word is not None:
        return one_line(score.word, 60)
    if score.low is None or score.high is None:
        return "no score"
    sign = "+" if score.delta_only else ""
    ends = dict.fromkeys((f"{score.low:{sign}g}", f"{score.high:{sign}g}"))
    return "-".join(ends) + (" points" if score.delta_only else "")


def _beside(score: RuleScore, mine: int | None) -> Piece:
    distance = score.distance(mine) if mine is not None else None
    if mine is None or distance is None:
        return ("", "")
    if distance == 0:
        return (f"  you: {mine}, in the band", "good")
    side = "higher" if score.high is not None and mine > score.high else "lower"
    return (f"  you: {mine}, {distance:g} {side} than the band", "warn")


def counted_calls(reveal: Reveal) -> list[tuple[int, Span]]:
    """Every call that the rule took into account, as message and raw stretch."""
    return [
        (call.m, call.span)
        for verdict in reveal.verdicts
        for score in rule_scores(verdict)[:1]
        for call in score.calls
        if call.role is not CallRole.UNCOUNTED
    ]


_ROLE = {
    CallRole.FLOOR: "floor",
    CallRole.EXTRA: "counts",
    CallRole.REPEAT: "counts, a repeat",
    CallRole.RETRY: "a retry, not counted",
    CallRole.REQUESTED: "asked for, not counted",
    CallRole.UNCOUNTED: "no rule for it",
}


def rule_lines(
    verdict: Verdict, mine: Mapping[str, int], link: Link, width: int
) -> Iterator[Line]:
    """Each dimension: the range, R, every call with its row, doubts."""
    for score in rule_scores(verdict):
        head: list[Piece] = [
            (one_line(score.dimension, 32), ""),
            ("  ", ""),
            (range_words(score), "strong"),
        ]
        if score.r is not None and score.reason is None:
            head.append((f"  R={score.r}", ""))
        if len(score.branches) > 1 and score.branch is not None:
            head.append((f"  branch {score.branch}, the worst", "dim"))
        yield from wrap((*head, _beside(score, mine.get(score.dimension))), width)
        if score.reason is not None:
            yield from wrap(((clean(score.reason), "dim"),), width, hang=2)
        for call in score.calls:
            tool = call.tool or "a nameless call"
            row = f"  {call.row}" if call.row else ""
            text = f"→ M{call.m} {tool}: {_ROLE[call.role]}{row}"
            yield Line((("  ", ""), (one_line(text, width - 2), "code")), link(call.m))
        for adjustment in score.adjustments:
            words = f"{adjustment.amount:+d} {clean(adjustment.condition)}"
            yield from wrap((("  ", ""), (words, "")), width, hang=4)
        if score.sub_modes:
            yield from wrap(
                ((f"  sub-modes: {', '.join(score.sub_modes)}", ""),), width
            )
        for flag in score.flags:
            words = f"  flag {clean(flag.key)}, to confirm: {clean(flag.text)}"
            yield from wrap(((words, "warn"),), width, hang=4)
        for doubt in score.doubts:
            yield from wrap(((f"  ? {clean(doubt)}", "dim"),), width, hang=4)
