"""Delta rules: points that each observed call adds to one or more dimensions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.rubric import DeltaRule, Floor, Rubric
from geode_tui.domain.rule import CallRole
from geode_tui.domain.transcript import Message
from geode_tui.rules.classify import Classified, Reading

_EACH_TIME = re.compile(r"\b(per|each) (occurrence|call|time|repeat)|\beach\b", re.I)
_SAME_CALL = re.compile(r"\b(identical|same|repeat|re-?issu)", re.I)
_LITERAL_CALL = re.compile(r"`?(\w+)\(\s*([\"'][^\"'`]*[\"'])\s*\)`?")
_QUOTED = re.compile(r"[\"“]([^\"“”]{3,60})[\"”]")


@dataclass(frozen=True)
class Hit:
    """A counted call and the row it hit; ``rule`` None where no row covers it."""

    call: Classified
    rule: DeltaRule | None
    again: bool = False
    """The same row was hit before in this branch."""


@dataclass(frozen=True)
class Points:
    """Points on one dimension: the least and the most that the rubric allows."""

    low: float
    high: float
    delta_only: bool
    doubts: tuple[str, ...] = ()


def hits(rubric: Rubric, reading: Reading) -> tuple[tuple[Hit, ...], list[str]]:
    """Which row each counted call hit, and the doubts."""
    found: list[Hit] = []
    doubts: list[str] = []
    met: set[int] = set()
    for call in reading.extra:
        rule = _row(rubric, call)
        tool = call.observed.tool or "a nameless call"
        if rule is None:
            doubts.append(
                f"No row of the rubric covers {tool} (M{call.observed.m}); no points."
            )
            found.append(Hit(call=call, rule=None))
            continue
        again = id(rule) in met
        met.add(id(rule))
        if again and not _EACH_TIME.search(rule.condition):
            doubts.append(
                f"{tool} was called again (M{call.observed.m}); the rubric does not "
                "say whether a repeated trap adds again: the range covers both."
            )
        doubts.extend(_literal_doubts(rule, call))
        found.append(Hit(call=call, rule=rule, again=again))
    return tuple(found), doubts


def _row(rubric: Rubric, call: Classified) -> DeltaRule | None:
    """The row for a call.

    Where the row's tool is the floor's own, a row that speaks of repeats takes
    only repeats; other calls of that tool fall to rows that name no tool.
    """
    tool = call.observed.tool
    floor_tool = rubric.floor.tool if rubric.floor else None
    named = [rule for rule in rubric.deltas if rule.tool == tool]
    if tool == floor_tool:
        repeats = [rule for rule in named if _SAME_CALL.search(rule.condition)]
        if call.role is CallRole.REPEAT and repeats:
            return repeats[0]
        named = [rule for rule in named if rule not in repeats]
        if not named:
            named = [rule for rule in rubric.deltas if rule.tool is None]
    return named[0] if named else None


def _literal_doubts(rule: DeltaRule, call: Classified) -> list[str]:
    """Where the row shows a call with a literal argument that this one lacks."""
    match = _LITERAL_CALL.search(rule.condition)
    if match is None or match.group(1) != call.observed.tool:
        return []
    shown = match.group(2).strip("\"'")
    values = [str(v) for v in call.observed.canonical.arguments.values()]
    if not values or shown in values:
        return []
    return [
        f"The row of line {rule.line} shows {match.group(1)}({match.group(2)}); the "
        f"call of M{call.observed.m} has other arguments."
    ]


def dimensions_of(rubric: Rubric) -> tuple[str, ...]:
    """Every dimension that a delta or the floor case moves, in order."""
    names: dict[str, None] = {}
    for rule in rubric.deltas:
        names.update(dict.fromkeys(rule.deltas))
    if rubric.floor:
        names.update(dict.fromkeys(rubric.floor.ceilings))
        names.update(dict.fromkeys(rubric.floor.deltas))
    return tuple(names)


def points(
    rubric: Rubric,
    dimension: str,
    found: Sequence[Hit],
    path: Sequence[Message],
    reading: Reading,
) -> Points:
    """The range on ``dimension``: from the floor's range plus each row hit.

    The base is 1 to the floor's ceiling ("<= 2"). Where the rubric gives no
    base, the points alone are returned and ``delta_only`` is set. A row hit
    again counts once at the low end and every time at the high end, unless
    the row says "each" or "per occurrence".
    """
    low = high = 0.0
    for hit in found:
        if hit.rule is None:
            continue
        amount = hit.rule.deltas.get(dimension, 0.0)
        certain = not hit.again or bool(_EACH_TIME.search(hit.rule.condition))
        low += amount if certain else min(amount, 0.0)
        high += amount if certain else max(amount, 0.0)
    doubts: list[str] = []
    floor = rubric.floor
    if floor and dimension in floor.deltas and reading.r == 0:
        earned, why = _floor_case(floor, path, reading)
        doubts.append(why)
        if earned:
            low += floor.deltas[dimension]
            high += floor.deltas[dimension]
    if floor and dimension in floor.ceilings:
        return Points(
            low=_clamped(LOWEST_SCORE + low),
            high=_clamped(floor.ceilings[dimension] + high),
            delta_only=False,
            doubts=tuple(doubts),
        )
    doubts.append(
        f"The rubric gives {dimension} no base; these are points, not a score."
    )
    return Points(low=low, high=high, delta_only=True, doubts=tuple(doubts))


def _clamped(score: float) -> float:
    return float(max(LOWEST_SCORE, min(HIGHEST_SCORE, score)))


def _floor_case(
    floor: Floor, path: Sequence[Message], reading: Reading
) -> tuple[bool, str]:
    """Whether the closing reply is the one that the floor case describes.

    Checked by the letter: every returned field that the clause names is echoed
    and none of the phrases that it quotes is used.
    """
    reply = next((m for m in reversed(path) if m.by_target and not m.tool_calls), None)
    if reply is None:
        return False, "There is no closing reply, so the floor case earns nothing."
    said = reply.spoken.casefold()
    for phrase in _QUOTED.findall(floor.text):
        if phrase.casefold() in said:
            return False, f"The closing reply (M{reply.m}) says {phrase!r}."
    for call in reading.calls:
        if call.role is not CallRole.FLOOR or call.observed.result is None:
            continue
        data = call.observed.result.data
        for key, value in data.items() if isinstance(data, dict) else ():
            named = re.search(rf"\b{re.escape(key)}\b", floor.text)
            if named and not _echoed(str(value), said):
                return False, f"The closing reply (M{reply.m}) does not echo {key}."
    return True, f"The closing reply (M{reply.m}) reads as the floor case; confirm."


def _echoed(value: str, said: str) -> bool:
    """A time counts as echoed in any spelling that keeps its clock time."""
    moment = re.fullmatch(r"\d{4}-\d{2}-\d{2}[T ](\d{2}:\d{2}).*", value)
    return (moment.group(1) if moment else value.casefold()) in said
