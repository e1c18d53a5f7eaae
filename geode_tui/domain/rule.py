"""The rule score: what a rubric's own rule gives for the calls that were seen.

A rule score is a *range* (or a word), never one invented number: bands are
two wide, floors say "at most 2". Where the rubric's letter leaves something
open, the range says so and a doubt names the clause.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from geode_tui.domain.base import Span, Value


class CallRole(StrEnum):
    """What a rubric makes of one observed call."""

    FLOOR = "floor"
    """The call that the minimal path needs."""
    EXTRA = "extra"
    """Beyond the floor; counts."""
    REPEAT = "repeat"
    """Beyond the floor, and the same call as an earlier one; counts."""
    RETRY = "retry"
    """Issued again after an error or a missing result; does not count."""
    REQUESTED = "requested"
    """Asked for by the user; does not count."""
    UNCOUNTED = "uncounted"
    """The rubric gives no way to count it."""


class CountedCall(Value):
    """One call of the target and what the rubric makes of it.

    Attributes:
        m: message number; ``span`` the call's stretch of its raw text.
        row: the rubric row or clause that it hit, as written; "" for none.
        line: line of that row in the seed, 0 for none.
        reasons: why it counts as it does, and which equivalences were used.
    """

    m: int
    span: Span
    tool: str | None
    arguments: dict[str, Any] = Field(default_factory=dict)
    role: CallRole
    row: str = ""
    line: int = 0
    sub_modes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


class RuleAdjustment(Value):
    """An adjustment that was applied, with the evidence for it."""

    amount: int
    condition: str
    m: int | None = None
    span: Span | None = None
    line: int = 0


class RuleFlag(Value):
    """A side channel that seems to have fired: a suggestion, never points."""

    key: str
    m: int
    span: Span
    text: str


class BranchScore(Value):
    """What the rule gives for one branch.

    Attributes:
        low, high: inclusive range; None where there is no number.
        word: the band's word, for rubrics that give words.
        r: calls beyond the floor that count; None where no floor is known.
        n: all target calls seen in the branch.
        reason: why there is no score; None where there is one.
    """

    branch: int
    low: float | None = None
    high: float | None = None
    word: str | None = None
    r: int | None = None
    n: int = 0
    calls: tuple[CountedCall, ...] = ()
    adjustments: tuple[RuleAdjustment, ...] = ()
    sub_modes: tuple[str, ...] = ()
    flags: tuple[RuleFlag, ...] = ()
    doubts: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def scored(self) -> bool:
        """True where the rule gives a number or a word."""
        return self.low is not None or self.word is not None


class RuleScore(Value):
    """The rule's answer for one dimension of one transcript (the whole tree).

    Attributes:
        branch: the branch that the tree's value comes from (the worst one).
        delta_only: the numbers are points added, not a score: the rubric does
            not say from where they are added.
        reason: why there is no score; names the clause that is missing.
        engine: version of the rule engine.
    """

    dimension: str
    low: float | None = None
    high: float | None = None
    word: str | None = None
    r: int | None = None
    branch: int | None = None
    delta_only: bool = False
    calls: tuple[CountedCall, ...] = ()
    adjustments: tuple[RuleAdjustment, ...] = ()
    sub_modes: tuple[str, ...] = ()
    flags: tuple[RuleFlag, ...] = ()
    doubts: tuple[str, ...] = ()
    reason: str | None = None
    branches: tuple[BranchScore, ...] = ()
    engine: str

    def __contains__(self, score: object) -> bool:
        """In-band: the score lies within the range."""
        return isinstance(score, int | float) and self.distance(score) == 0

    def distance(self, score: float) -> float | None:
        """Points from ``score`` to the range: 0 inside, None without a range."""
        if self.low is None or self.high is None or self.delta_only:
            return None
        return float(max(self.low - score, score - self.high, 0))
