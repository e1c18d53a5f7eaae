"""What the calibration room finds beyond single figures."""

from __future__ import annotations

from geode_tui.domain.base import Value
from geode_tui.domain.estimate import Estimate


class AnnotatorTest(Value):
    """One person's part of the alternative annotator test.

    Attributes:
        n: items shared with the judge and at least one other person.
        groups: scenario families that those items come from; the test runs on
            their means.
        judge_better, human_better, ties: who lay closer to the others, by item.
        p: one-sided p value of "the judge loses by epsilon or more"; None
            where the person has too few items.
        judge_wins: that hypothesis is rejected at the family's false-discovery rate.
    """

    rater: str
    n: int
    groups: int
    judge_better: int
    human_better: int
    ties: int
    p: float | None = None
    judge_wins: bool = False


class AltTest(Value):
    """Whether the judge may stand in for a person (epsilon is part of the answer).

    Attributes:
        winning_rate: share of annotators that the judge wins against; the test
            is passed from 0.5.
        advantage: probability that the judge is at least as close to the other
            people as a person is, averaged over annotators (ties count).
        epsilon: how much worse than a person the judge may be.
        power: probability that a judge exactly as good as a person passes
            with this many items; None where no annotator qualifies.
    """

    winning_rate: Estimate
    advantage: Estimate
    epsilon: float
    q: float
    power: float | None
    annotators: tuple[AnnotatorTest, ...]

    @property
    def passed(self) -> bool:
        """True where the judge wins against half of the annotators or more."""
        rate = self.winning_rate.value
        return rate is not None and rate >= 0.5


class CeilingLine(Value):
    """One person and the judge, held against the same mean of the other people."""

    rater: str
    human: Estimate
    judge: Estimate
    judge_less_human: Estimate


class Ceiling(Value):
    """How well people agree with people, and the judge with the same people."""

    lines: tuple[CeilingLine, ...]
    human: Estimate
    judge: Estimate
    judge_less_human: Estimate


class SelfConsistency(Value):
    """How far a judge agrees with itself, and what that allows.

    Attributes:
        judge: reliability of one run (interval alpha over repeated runs).
        human: reliability of one person (interval alpha over people).
        ceiling: sqrt(judge x human), the correlation with one person that
            noise alone would allow.
        repeats: runs used; ``copies`` runs left out as cached copies.
    """

    judge: Estimate
    human: Estimate
    ceiling: Estimate
    repeats: int
    copies: int


class ScoreMap(Value):
    """A monotone map from judge scores to human scores.

    Attributes:
        knots: (judge score, mapped score), ascending.
        gain: mean absolute error saved per item on data that the map has not
            seen; positive is better.
        mae_before, mae_after: out of fold.
        offered: the gain's interval lies above 0.
        why: the decision in a sentence.
    """

    knots: tuple[tuple[float, float], ...]
    gain: Estimate
    mae_before: Estimate
    mae_after: Estimate
    folds: int
    offered: bool
    why: str

    def __call__(self, score: float) -> float:
        """The mapped score: linear between knots, flat beyond them.

        Raises:
            ValueError: the map has no knots.
        """
        if not self.knots:
            raise ValueError("the score map is empty")
        below = [k for k in self.knots if k[0] <= score]
        above = [k for k in self.knots if k[0] >= score]
        if not below or not above:
            return (below[-1] if below else above[0])[1]
        (x0, y0), (x1, y1) = below[-1], above[0]
        return y0 if x1 == x0 else y0 + (y1 - y0) * (score - x0) / (x1 - x0)


class LabelsNeeded(Value):
    """How many labels a goal needs, from what is known so far.

    Attributes:
        have_items, have_groups: now.
        need_items, need_groups: in all, at the present items per family.
        goal: in words.
        reason: why nothing can be said; the numbers are then None.
    """

    goal: str
    have_items: int
    have_groups: int
    need_items: int | None = None
    need_groups: int | None = None
    reason: str | None = None

    @property
    def more_items(self) -> int | None:
        """Labels still to make; 0 where the goal is reached."""
        if self.need_items is None:
            return None
        return max(0, self.need_items - self.have_items)


class Assignment(Value):
    """One transcript to label next. ``why`` tells of the judge: auditors only."""

    transcript: str
    raters: tuple[str, ...]
    stratum: str
    why: tuple[str, ...]
