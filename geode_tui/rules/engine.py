"""The rule engine: one transcript, one rubric, one ``RuleScore`` per dimension.

Pure and deterministic. Per branch: the target's calls, their roles, R, then
the rubric's bands, words or deltas. The tree's value is that of its worst
branch; branches with nothing of the target in them are excluded, and said so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from geode_tui.domain.harness import is_harness_error, replies
from geode_tui.domain.rubric import Rubric, RubricStyle
from geode_tui.domain.rule import (
    BranchScore,
    CallRole,
    CountedCall,
    RuleFlag,
    RuleScore,
)
from geode_tui.domain.transcript import Message, Transcript
from geode_tui.rules.bands import adjust, applied_adjustments, land, rows_for
from geode_tui.rules.calls import ObservedCall, observed_calls
from geode_tui.rules.classify import Classified, Reading, classify
from geode_tui.rules.deltas import Hit, dimensions_of, hits, points
from geode_tui.rules.suggestions import padding

ENGINE = "rule-1"
"""Version of the engine; stored with every rule score."""


@dataclass(frozen=True)
class _Branch:
    """One branch read once, for every dimension."""

    n: int
    path: tuple[Message, ...]
    observed: tuple[ObservedCall, ...]
    reading: Reading
    flags: tuple[RuleFlag, ...]
    excluded: str | None


def rule_scores(
    transcript: Transcript, rubric: Rubric, harness_errors: Sequence[str] = ()
) -> tuple[RuleScore, ...]:
    """What the rubric's own rule gives, one score per dimension.

    Covers every target dimension and every dimension that a delta moves.
    ``harness_errors`` are regular expressions of the workspace that tell the
    harness's error text from an answer.
    """
    branches = [
        _read(transcript, branch.n, rubric, harness_errors)
        for branch in transcript.branches
    ]
    banded = tuple(dict.fromkeys(band.dimension for band in rubric.bands))
    moved = dimensions_of(rubric)
    names = dict.fromkeys(
        (*(d.name for d in rubric.target_dimensions), *banded, *moved)
    )
    scores: list[RuleScore] = []
    for name in names:
        if name in banded:
            scores.append(_tree(rubric, name, branches, _banded))
        elif name in moved and rubric.deltas:
            scores.append(_tree(rubric, name, branches, _summed))
        else:
            reason = not_computable(rubric, name)
            scores.append(_tree(rubric, name, branches, _uncounted, reason))
    return tuple(scores)


def not_computable(rubric: Rubric, dimension: str) -> str:
    """Which clause is missing before a rule could score ``dimension``."""
    if rubric.bands or rubric.deltas:
        return (
            f"no clause scores {dimension}: neither a band nor a delta names it; "
            "a person scores it"
        )
    if rubric.style in {RubricStyle.PASS_FAIL, RubricStyle.TRACE_CONTRACT}:
        return (
            "the rubric states checks in words; no band or delta turns calls into a "
            "score; a sidecar could state them"
        )
    return (
        "the rubric has no band table and no deltas; a person scores it, or a "
        "sidecar states the rule"
    )


def _read(
    transcript: Transcript, n: int, rubric: Rubric, harness_errors: Sequence[str]
) -> _Branch:
    path = transcript.path(n)
    observed = observed_calls(transcript, n, rubric.tools)
    own = [transcript.message(m) for m in transcript.branch(n).own]
    return _Branch(
        n=n,
        path=path,
        observed=observed,
        reading=classify(observed, path, rubric),
        flags=padding(path, observed, rubric),
        excluded=_excluded(own, harness_errors),
    )


def _excluded(own: Sequence[Message], harness_errors: Sequence[str]) -> str | None:
    if replies(own, harness_errors):
        return None
    if any(is_harness_error(message, harness_errors) for message in own):
        return "only harness errors, nothing of the target"
    if any(message.by_target for message in own):
        return "only empty replies"
    return "no target reply"


def _banded(rubric: Rubric, dimension: str, branch: _Branch) -> BranchScore:
    reading = branch.reading
    if reading.reason is not None:
        return _unscored(rubric, dimension, branch, reading.reason)
    landed = land(rubric, dimension, reading)
    calls = _counted(rubric, dimension, reading)
    doubts = [*_call_doubts(reading), *landed.doubts]
    sub_modes = _sub_modes(calls)
    if landed.low is None or landed.high is None:
        reason = None if landed.word else f"no row of the rubric covers R={reading.r}"
        return BranchScore(
            branch=branch.n,
            word=landed.word,
            r=reading.r,
            n=len(reading.calls),
            calls=calls,
            sub_modes=sub_modes,
            flags=branch.flags,
            doubts=tuple(doubts),
            reason=reason,
        )
    earned, why = applied_adjustments(rubric, dimension, branch.path, reading)
    low, high = adjust(landed.low, landed.high, [a for a, _ in earned])
    return BranchScore(
        branch=branch.n,
        low=low,
        high=high,
        r=reading.r,
        n=len(reading.calls),
        calls=calls,
        adjustments=tuple(applied for _, applied in earned),
        sub_modes=sub_modes,
        flags=branch.flags,
        doubts=(*doubts, *why),
    )


def _summed(rubric: Rubric, dimension: str, branch: _Branch) -> BranchScore:
    reading = branch.reading
    if reading.reason is not None:
        return _unscored(rubric, dimension, branch, reading.reason)
    found, doubts = hits(rubric, reading)
    total = points(rubric, dimension, found, branch.path, reading)
    calls = _hit_calls(rubric, reading, found)
    return BranchScore(
        branch=branch.n,
        low=total.low,
        high=total.high,
        r=reading.r,
        n=len(reading.calls),
        calls=calls,
        sub_modes=_sub_modes(calls),
        flags=(*branch.flags, *_cross_flags(found)),
        doubts=(*_call_doubts(reading), *doubts, *total.doubts),
    )


def _uncounted(rubric: Rubric, dimension: str, branch: _Branch) -> BranchScore:
    return _unscored(rubric, dimension, branch, not_computable(rubric, dimension))


def _unscored(
    rubric: Rubric, dimension: str, branch: _Branch, reason: str
) -> BranchScore:
    """No number, but the calls that were seen."""
    known = branch.reading.counted
    calls = tuple(
        _call(call, role=None if known else CallRole.UNCOUNTED)
        for call in branch.reading.calls
    )
    return BranchScore(
        branch=branch.n,
        r=branch.reading.r if known else None,
        n=len(calls),
        calls=calls,
        reason=reason,
    )


def _tree(
    rubric: Rubric,
    dimension: str,
    branches: Sequence[_Branch],
    score: Callable[[Rubric, str, _Branch], BranchScore],
    reason: str | None = None,
) -> RuleScore:
    """The whole tree's score: that of the worst branch that has one."""
    results = tuple(
        BranchScore(branch=branch.n, n=len(branch.observed), reason=branch.excluded)
        if branch.excluded is not None
        else score(rubric, dimension, branch)
        for branch in branches
    )
    scored = [result for result in results if result.scored]
    if not scored:
        if all(branch.excluded for branch in branches):
            reason = "; ".join(dict.fromkeys(b.excluded or "" for b in branches))
        elif reason is None:
            reason = "; ".join(
                f"branch {r.branch}: {r.reason}" for r in results if r.reason
            )
        counted = next((r for r in results if r.calls), None)
        return RuleScore(
            dimension=dimension,
            reason=reason or "no target reply: the transcript has no branch",
            r=counted.r if counted else None,
            calls=counted.calls if counted else (),
            branches=results,
            engine=ENGINE,
        )
    worst = max(scored, key=_badness(rubric, dimension))
    return RuleScore(
        dimension=dimension,
        low=worst.low,
        high=worst.high,
        word=worst.word,
        r=worst.r,
        branch=worst.branch,
        delta_only=score is _summed and not _has_base(rubric, dimension),
        calls=worst.calls,
        adjustments=worst.adjustments,
        sub_modes=worst.sub_modes,
        flags=worst.flags,
        doubts=worst.doubts,
        branches=results,
        engine=ENGINE,
    )


def _has_base(rubric: Rubric, dimension: str) -> bool:
    return rubric.floor is not None and dimension in rubric.floor.ceilings


def _badness(
    rubric: Rubric, dimension: str
) -> Callable[[BranchScore], tuple[float, float, int]]:
    """Sort key under which the worst branch is the largest, the first of equals."""
    lower_is_better = next(
        (d.lower_is_better for d in rubric.dimensions if d.name == dimension), True
    )
    sign = 1.0 if lower_is_better else -1.0

    def key(result: BranchScore) -> tuple[float, float, int]:
        if result.low is None or result.high is None:
            rows = rows_for(rubric, dimension, result.r or 0)
            place = max((rubric.bands.index(band) for band in rows), default=-1)
            return (float(place), 0.0, -result.branch)
        return (sign * result.high, sign * result.low, -result.branch)

    return key


def _call_doubts(reading: Reading) -> tuple[str, ...]:
    return tuple(doubt for call in reading.calls for doubt in call.doubts)


def _sub_modes(calls: Sequence[CountedCall]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for call in calls for key in call.sub_modes))


def _fired(rubric: Rubric, call: Classified) -> tuple[str, ...]:
    """Sub-modes that a counted call fires: its tool's, and repetition."""
    keys = [s.key for s in rubric.sub_modes if call.observed.tool in s.tools]
    if call.role is CallRole.REPEAT:
        keys.extend(s.key for s in rubric.sub_modes if is_repetition(s.key, s.tools))
    return tuple(dict.fromkeys(keys))


def is_repetition(key: str, tools: Sequence[str]) -> bool:
    """True for the sub-mode that names repeating one and the same call."""
    return not tools and ("repetition" in key or "same_call" in key)


def _call(
    call: Classified,
    *,
    role: CallRole | None = None,
    row: str = "",
    line: int = 0,
    sub_modes: tuple[str, ...] = (),
) -> CountedCall:
    return CountedCall(
        m=call.observed.m,
        span=call.observed.call.span,
        tool=call.observed.call.name,
        arguments=call.observed.canonical.arguments,
        role=role or call.role,
        row=row,
        line=line,
        sub_modes=sub_modes,
        reasons=call.reasons if role is CallRole.UNCOUNTED else _reasons(call),
    )


def _reasons(call: Classified) -> tuple[str, ...]:
    return (*call.reasons, *call.doubts)


def _counted(
    rubric: Rubric, dimension: str, reading: Reading
) -> tuple[CountedCall, ...]:
    """The calls of a banded rubric: the k-th counted one reaches the row of R=k."""
    calls: list[CountedCall] = []
    r = 0
    for call in reading.calls:
        if not call.counts:
            calls.append(_call(call))
            continue
        r += 1
        rows = rows_for(rubric, dimension, r)
        calls.append(
            _call(
                call,
                row=rows[0].condition if rows else "",
                line=rows[0].line if rows else 0,
                sub_modes=_fired(rubric, call),
            )
        )
    return tuple(calls)


def _hit_calls(
    rubric: Rubric, reading: Reading, found: Sequence[Hit]
) -> tuple[CountedCall, ...]:
    rows = {hit.call.observed.order: hit.rule for hit in found}
    calls: list[CountedCall] = []
    for call in reading.calls:
        rule = rows.get(call.observed.order)
        if not call.counts:
            calls.append(_call(call))
            continue
        calls.append(
            _call(
                call,
                role=None if rule else CallRole.UNCOUNTED,
                row=rule.condition if rule else "",
                line=rule.line if rule else 0,
                sub_modes=_fired(rubric, call),
            )
        )
    return tuple(calls)


def _cross_flags(found: Sequence[Hit]) -> tuple[RuleFlag, ...]:
    """Other dimensions that a hit row says to flag as well."""
    flags: dict[str, RuleFlag] = {}
    for hit in found:
        for key in hit.rule.also_flags if hit.rule else ():
            observed = hit.call.observed
            flags.setdefault(
                key,
                RuleFlag(
                    key=key,
                    m=observed.m,
                    span=observed.call.span,
                    text=f"{observed.tool} (M{observed.m}): the row flags {key} too",
                ),
            )
    return tuple(flags.values())
