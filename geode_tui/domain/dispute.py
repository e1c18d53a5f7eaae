"""Where raters differ by more than the workspace allows."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from geode_tui.domain.base import Value
from geode_tui.domain.score import Evidence


class RaterKind(StrEnum):
    """Who gave a value."""

    HUMAN = "human"
    JUDGE = "judge"
    RULE = "rule"


class PairKind(StrEnum):
    """Which two kinds of rater are held against each other."""

    HUMAN_HUMAN = "human-human"
    HUMAN_JUDGE = "human-judge"
    HUMAN_RULE = "human-rule"
    JUDGE_RULE = "judge-rule"


class DifferenceKind(StrEnum):
    """What two raters differ in."""

    SCORE = "score"
    BAND = "band"
    SUB_MODES = "sub-modes"
    FLAGS = "flags"
    SCORABLE = "scorable"
    """One gave a score, the other found that none is possible."""


class DisputeRule(Value):
    """What counts as a dispute.

    Attributes:
        distance: scores further apart than this are disputed; None never.
        band: scores in different bands of the rubric are disputed.
        sub_modes: sub-mode sets that are not equal are disputed.
        flags: side-channel flags that are not equal are disputed.
        scorable: a score against "not scorable" is disputed.
        pairs: kinds of rater that are compared.
    """

    distance: float | None = Field(default=1, ge=0)
    band: bool = True
    sub_modes: bool = True
    flags: bool = True
    scorable: bool = True
    pairs: tuple[PairKind, ...] = tuple(PairKind)


class RaterView(Value):
    """What one rater says of one transcript and rubric, whoever it is.

    Attributes:
        scores: dimension -> (low, high); both equal for a single score, a
            range for the rule.
        sub_modes, flags: None where this rater was not asked or did not say.
        not_scorable: the reason, where the rater found no score possible.
        evidence: what the rater cites.
        source: id of the event or verdict.
    """

    rater: str
    kind: RaterKind
    scores: dict[str, tuple[float, float]] = Field(default_factory=dict)
    sub_modes: frozenset[str] | None = None
    flags: frozenset[str] | None = None
    not_scorable: str | None = None
    evidence: tuple[Evidence, ...] = ()
    source: str = ""


class Difference(Value):
    """One thing that two raters differ in.

    Attributes:
        dimension: "" for sub-modes and flags.
        points: distance of the scores; 0 where it is not about points.
        only_first, only_second: sub-modes or flags that only one gave.
    """

    kind: DifferenceKind
    pair: PairKind
    first: str
    second: str
    dimension: str = ""
    points: float = 0
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()


class Dispute(Value):
    """A transcript whose raters differ, with everything they differ in.

    ``severity`` orders disputes: the widest distance in points, then how many
    differences there are.
    """

    transcript: str
    rubric: str
    differences: tuple[Difference, ...] = Field(min_length=1)
    views: tuple[RaterView, ...]

    @property
    def severity(self) -> tuple[float, int]:
        """Greatest distance in points, number of differences."""
        return max(d.points for d in self.differences), len(self.differences)
