"""Faults of a rubric, found by reading its structure: each with a line and a reason.

The rubric is shown as it is; nothing here mends it. Codes are stable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.rubric import (
    AdjustmentKind,
    Band,
    Clause,
    DeltaRule,
    Rubric,
    RubricStyle,
)
from geode_tui.domain.seed import LintFinding, Seed
from geode_tui.files.rubric_labels import REPETITION

_MANY_ROWS = 10


def lint(seed: Seed) -> tuple[LintFinding, ...]:
    """Every finding about the seed's rubric, by line, then by code."""
    found = {
        (finding.line, finding.code, finding.message): finding
        for check in CHECKS.values()
        for finding in check(seed)
    }
    return tuple(found[key] for key in sorted(found))


def _per_dimension(rubric: Rubric) -> Iterator[tuple[str, list[Band]]]:
    for name in dict.fromkeys(band.dimension for band in rubric.bands):
        yield name, [band for band in rubric.bands if band.dimension == name]


def _counted(bands: Iterable[Band]) -> list[tuple[int, int | None, Band]]:
    rows = [(b.count.low, b.count.high, b) for b in bands if b.count is not None]
    return sorted(rows, key=lambda row: (row[0], row[1] is None, row[1] or 0))


def band_gap(seed: Seed) -> Iterator[LintFinding]:
    """Counts that no row covers."""
    for name, bands in _per_dimension(seed.rubric):
        rows = _counted(bands)
        first = 1 if any(b.counted == "N" for b in bands) else 0
        if rows and rows[0][0] > first:
            yield _finding(
                "band-gap",
                rows[0][2].line,
                f"No row of {name} covers a count below {rows[0][0]}.",
            )
        reached: int | None = None
        for low, high, band in rows:
            if reached is not None and low > reached + 1:
                missing = _span(reached + 1, low - 1)
                yield _finding(
                    "band-gap",
                    band.line,
                    f"No row of {name} covers a count of {missing}.",
                )
            if high is None:
                reached = None
                break
            reached = max(reached or high, high)
        else:
            if rows:
                yield _finding(
                    "band-gap",
                    rows[-1][2].line,
                    f"No row of {name} covers a count above {reached}.",
                )


def band_overlap(seed: Seed) -> Iterator[LintFinding]:
    """Counts that several rows cover."""
    for name, bands in _per_dimension(seed.rubric):
        rows = _counted(bands)
        # By lower end: the row that reaches furthest so far overlaps if any does.
        if not rows:
            continue
        _, reached, other = rows[0]
        for low, high, band in rows[1:]:
            if reached is None or low <= reached:
                ends = [end for end in (high, reached) if end is not None]
                shared = _span(low, min(ends)) if ends else f"{low} or more"
                first, second = sorted((other.line, band.line))
                yield _finding(
                    "band-overlap",
                    second,
                    f"Two rows of {name} (lines {first} and {second}) cover a "
                    f"count of {shared}.",
                )
            if reached is not None and (high is None or high > reached):
                reached, other = high, band


def unreachable_score(seed: Seed) -> Iterator[LintFinding]:
    """Scores from 1 to 10 that no row gives."""
    for name, bands in _per_dimension(seed.rubric):
        scored = [band for band in bands if band.score is not None]
        given = {
            score
            for band in scored
            if band.score is not None
            for score in range(band.score.low, band.score.high + 1)
        }
        if not given:
            continue
        moved = {
            score + adjustment.amount
            for adjustment in seed.rubric.adjustments
            if adjustment.dimension == name
            for score in given
        }
        for score in range(LOWEST_SCORE, HIGHEST_SCORE + 1):
            if score in given:
                continue
            how = (
                "only an adjustment leads to it"
                if score in moved
                else "nothing leads to it"
            )
            yield _finding(
                "unreachable-score",
                scored[0].line,
                f"No row of {name} gives the score {score}; {how}.",
            )


def threshold_in_two_variables(seed: Seed) -> Iterator[LintFinding]:
    """A threshold that counts another variable than the rows do."""
    counted = {band.counted for band in seed.rubric.bands if band.counted}
    for claim in seed.rubric.claims:
        match = re.search(r"\b(N_redundant|N|R)\s*(?:≥|>=|>)\s*(\d+)", claim.text)
        if claim.key != "threshold" or match is None or not counted:
            continue
        variable = match.group(1)
        if variable not in counted:
            rows = "/".join(sorted(counted))
            yield _finding(
                "threshold-in-two-variables",
                claim.line,
                f"The threshold counts {variable}, the rows count {rows}: the same "
                "fact in two variables.",
            )


def repeat_counted_twice(seed: Seed) -> Iterator[LintFinding]:
    """A repeat that both moves the row and earns an adjustment."""
    for adjustment in seed.rubric.adjustments:
        if adjustment.kind is not AdjustmentKind.SAME_CALL_REPETITION:
            continue
        for band in seed.rubric.bands:
            text = f"{band.condition} {band.sub_modes}"
            if band.dimension == adjustment.dimension and re.search(
                r"re-?issu|repe(at|tition)|again", text, re.I
            ):
                yield _finding(
                    "repeat-counted-twice",
                    band.line,
                    f"A repeated call counts in the row of line {band.line} and again "
                    f"in the adjustment {adjustment.amount:+d} of line "
                    f"{adjustment.line}.",
                )


def claim_contradicts_deltas(seed: Seed) -> Iterator[LintFinding]:
    """A stated total that some set of rows does not reach."""
    rubric = seed.rubric
    rules = rubric.deltas[:_MANY_ROWS]
    for claim in rubric.claims:
        counts = _claimed_counts(claim)
        if claim.key != "total" or not counts:
            continue
        for name, least in re.findall(
            r"([a-z]\w*_\w+|[a-z]{6,})\s*(?:≥|>=)\s*(\d+)", claim.text
        ):
            moving = [rule for rule in rules if name in rule.deltas]
            if not moving:
                continue
            worst = _least_total(rules, counts, name)
            if worst is None:
                continue
            hit, total = worst
            base = LOWEST_SCORE
            if base + total < int(least):
                tools = ", ".join(rule.tool or rule.condition[:30] for rule in hit)
                yield _finding(
                    "claim-contradicts-deltas",
                    claim.line,
                    f"The text claims {name} >= {least} for {_span(*counts)} rows; "
                    f"{tools} from base {base} give {base} + {total:g} = "
                    f"{base + total:g}.",
                )


def _claimed_counts(claim: Clause) -> tuple[int, int] | None:
    match = re.search(
        r"(\d+)\s*(?:[-–—]|to)?\s*(\d+)?\s+(?:\w+\s+)?(?:traps?|calls?|rows?|extras?)",
        claim.text,
    )
    if match is None:
        return None
    low = int(match.group(1))
    return low, int(match.group(2) or low)


def _least_total(
    rules: tuple[DeltaRule, ...], counts: tuple[int, int], name: str
) -> tuple[tuple[DeltaRule, ...], float] | None:
    totals = [
        (hit, sum(rule.deltas.get(name, 0.0) for rule in hit))
        for size in range(counts[0], min(counts[1], len(rules)) + 1)
        for hit in combinations(rules, size)
    ]
    return min(totals, key=lambda pair: pair[1]) if totals else None


def undefined_repeat(seed: Seed) -> Iterator[LintFinding]:
    """Deltas that leave open what a second call of the same kind adds."""
    rubric = seed.rubric
    said = re.search(
        r"per occurrence|\beach\b|\b(only|at most) once\b|repeat(s|ed)? (adds?|count)",
        " ".join(rule.condition for rule in rubric.deltas),
        re.I,
    )
    if rubric.deltas and not said:
        yield _finding(
            "undefined-repeat",
            rubric.deltas[0].line,
            "The rubric does not say what a second call of the same kind adds.",
        )


def missing_base(seed: Seed) -> Iterator[LintFinding]:
    """Dimensions that points move from nowhere."""
    rubric = seed.rubric
    ceilings = rubric.floor.ceilings if rubric.floor else {}
    moved: dict[str, int] = {}
    for rule in rubric.deltas:
        for name in rule.deltas:
            moved.setdefault(name, rule.line)
    for name, line in moved.items():
        if name not in ceilings:
            yield _finding(
                "missing-base",
                line,
                f"Points move {name}, but the rubric does not say from which score.",
            )


def tool_without_sub_mode(seed: Seed) -> Iterator[LintFinding]:
    """Tools of a rubric with sub-modes that none of them names."""
    rubric = seed.rubric
    tied = {tool for mode in rubric.sub_modes for tool in mode.tools}
    if not tied or not (rubric.bands or rubric.deltas):
        return
    floor = rubric.floor.tool if rubric.floor else None
    for tool in rubric.tools:
        if tool.name not in tied and tool.name != floor:
            yield _finding(
                "tool-without-sub-mode",
                tool.line,
                f"{tool.name} has no sub-mode: an extra call of it has no name.",
            )


def sub_mode_without_tool(seed: Seed) -> Iterator[LintFinding]:
    """Sub-modes tied to no tool beside others that are."""
    rubric = seed.rubric
    if not any(mode.tools for mode in rubric.sub_modes):
        return
    for mode in rubric.sub_modes:
        if not mode.tools and mode.key != REPETITION:
            yield _finding(
                "sub-mode-without-tool",
                mode.line,
                f"The sub-mode {mode.key} names no tool: which call fires it?",
            )


def unscored_dimension(seed: Seed) -> Iterator[LintFinding]:
    """Target dimensions that a structured rubric never scores."""
    rubric = seed.rubric
    scored = {band.dimension for band in rubric.bands}
    scored |= {name for rule in rubric.deltas for name in rule.deltas}
    if not scored:
        return
    for name in seed.target_dimensions:
        if name not in scored:
            yield _finding(
                "unscored-dimension",
                1,
                f"The target dimension {name} is in no row: nobody scores it.",
            )


def unwritten_dimension(seed: Seed) -> Iterator[LintFinding]:
    """Target dimensions that the auditor's notes never speak of."""
    rubric = seed.rubric
    if rubric.style is RubricStyle.NONE:
        for name in seed.target_dimensions:
            yield _finding(
                "no-rubric",
                1,
                f"Nothing in the document says how to score {name}.",
            )


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _finding(code: str, line: int, message: str) -> LintFinding:
    return LintFinding(code=code, line=line, message=message)


CHECKS: dict[str, Callable[[Seed], Iterator[LintFinding]]] = {
    "band-gap": band_gap,
    "band-overlap": band_overlap,
    "unreachable-score": unreachable_score,
    "threshold-in-two-variables": threshold_in_two_variables,
    "repeat-counted-twice": repeat_counted_twice,
    "claim-contradicts-deltas": claim_contradicts_deltas,
    "undefined-repeat": undefined_repeat,
    "missing-base": missing_base,
    "tool-without-sub-mode": tool_without_sub_mode,
    "sub-mode-without-tool": sub_mode_without_tool,
    "unscored-dimension": unscored_dimension,
    "no-rubric": unwritten_dimension,
}
"""Every code and the check that gives it."""
