"""Rule scores as verdicts of the rater ``rule``, so that they stand beside others."""

from __future__ import annotations

from collections.abc import Sequence

from geode_tui.domain.ids import content_hash
from geode_tui.domain.rule import RuleScore
from geode_tui.domain.score import DimensionVerdict, Verdict, VerdictState
from geode_tui.rules.engine import ENGINE

RATER = "rule"


def as_verdict(transcript: str, rubric: str, scores: Sequence[RuleScore]) -> Verdict:
    """One verdict that holds every dimension's range and working.

    Its id depends on transcript, rubric version and engine alone, so scoring
    again is the same verdict. A dimension's ``value`` is set only where the
    range is a single number; the range itself is in ``raw``, with the working.
    """
    return Verdict(
        id="v" + content_hash([transcript, rubric, ENGINE]).removeprefix("b2:"),
        transcript=transcript,
        rubric=rubric,
        rater=RATER,
        model=ENGINE,
        state=VerdictState.OK
        if any(_has_score(s) for s in scores)
        else VerdictState.MISSING,
        scores=tuple(
            DimensionVerdict(
                dimension=score.dimension,
                value=score.low
                if _has_score(score) and score.low == score.high
                else None,
                state=VerdictState.OK if _has_score(score) else VerdictState.MISSING,
                raw=score.model_dump(mode="json"),
            )
            for score in scores
        ),
        explanation="\n".join(f"{s.dimension}: {in_words(s)}" for s in scores),
        source="rule",
    )


def _has_score(score: RuleScore) -> bool:
    return score.word is not None or (score.low is not None and not score.delta_only)


def in_words(score: RuleScore) -> str:
    """The score as a person reads it: ``4-5 (R=1, branch 2)``, or why there is none."""
    if score.reason is not None:
        return f"no score: {score.reason}"
    if score.word is not None:
        value = score.word
    elif score.low is None or score.high is None:
        return "no score"
    elif score.delta_only:
        value = _range(score.low, score.high, sign="+") + " points"
    else:
        value = _range(score.low, score.high)
    return f"{value} (R={score.r}, branch {score.branch})"


def _range(low: float, high: float, sign: str = "") -> str:
    pair = [f"{low:{sign}g}", f"{high:{sign}g}"]
    return pair[0] if low == high else "-".join(pair)
