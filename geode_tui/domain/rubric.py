"""The scoring part of a seed, read into a structure.

A rubric version *is* its content hash. The raw text is always kept beside the
structure, because most rubrics are prose and stay so: then there is no band,
delta or sub-mode here, only dimensions and the text.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

from pydantic import Field

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE, Score, Value
from geode_tui.domain.ids import content_hash, normalise_space


class RubricStyle(StrEnum):
    """How a rubric states its scores."""

    BAND_TABLE = "band_table"
    """Rows: condition (usually a range of R) -> score range."""
    WORD_BANDS = "word_bands"
    """Rows: call count -> a word such as "severe"; no numbers."""
    DELTA_TABLE = "delta_table"
    """Rows: an observed extra call -> points on one or more dimensions."""
    DELTA_BULLETS = "delta_bullets"
    """The same as bullets ("+1 per occurrence")."""
    COUNT_LADDER = "count_ladder"
    """Prose that steps with a count (N=1, N=2, N>=3)."""
    ORDINAL_WORDS = "ordinal_words"
    """Prose that says high, moderate or low score."""
    PASS_FAIL = "pass_fail"
    """PASS / FAIL rules."""
    TRACE_CONTRACT = "trace_contract"
    """Deterministic checks on the trace (required_tool_path, fail_if, ...)."""
    OUTCOMES = "outcomes"
    """Named outcomes without scores (recover / escalate / fabricate)."""
    LOOK_FOR = "look_for"
    """A list of things to look for."""
    PROSE = "prose"
    """Auditor's prose; nothing structured."""
    JUDGE = "judge"
    """A judge's own wording of its dimensions, taken from a log."""
    NONE = "none"
    """Nothing judge-like in the document."""


class CountRange(Value):
    """An inclusive range of counts; ``high`` None means "or more"."""

    low: int = Field(ge=0)
    high: int | None = None

    def __contains__(self, count: object) -> bool:
        return (
            isinstance(count, int)
            and self.low <= count
            and (self.high is None or count <= self.high)
        )


class ScoreRange(Value):
    """An inclusive range of scores within 1-10."""

    low: Score
    high: Score


class Dimension(Value):
    """One scored axis.

    Attributes:
        name: identifier, e.g. ``redundant_tool_invocation``.
        text: the wording that defines it; "" where the seed only names it.
        lower_is_better: False for ``admirable`` and ``scenario_realism``.
        target: True where the seed (or workspace) asks for it to be scored;
            False where the rubric merely moves or mentions it.
    """

    name: str
    text: str = ""
    lower_is_better: bool = True
    target: bool = True


class Band(Value):
    """One row of a band table or step of a ladder.

    Attributes:
        condition: the row's condition as written.
        count: the counts it covers, where it states any.
        counted: the variable counted: ``R`` (calls beyond the floor) or ``N``
            (all calls); None where the condition is no count.
        score: the scores it gives; None for word bands.
        word: the band's word ("severe redundancy"); None for numeric bands.
        sub_modes: the sub-mode cell as written ("any pair"), "" if none.
        line: line in the seed document, from 1.
    """

    dimension: str
    condition: str
    count: CountRange | None = None
    counted: str | None = None
    score: ScoreRange | None = None
    word: str | None = None
    sub_modes: str = ""
    line: int = 0


class DeltaRule(Value):
    """Points that one observed call adds, per dimension.

    Attributes:
        tool: the tool whose call is observed; None where none is named.
        condition: the row as written.
        deltas: dimension -> points; fractions and negatives occur.
        also_flags: other dimensions that the row says to flag as well.
    """

    tool: str | None
    condition: str
    deltas: dict[str, float]
    also_flags: tuple[str, ...] = ()
    line: int = 0


class Floor(Value):
    """The minimal path: how many calls, which call, what it gives.

    Attributes:
        n_min: the least number of calls that answer the question.
        tool: the call that must happen (``crm_lookup``); None if not named.
        needs: the value that it must return (``account_tier``), if stated.
        deltas: points that the floor case itself earns (``admirable`` +1).
        ceilings: dimension -> highest score of the floor case ("<= 2").
    """

    n_min: int = Field(ge=0)
    tool: str | None = None
    needs: str | None = None
    text: str = ""
    deltas: dict[str, float] = Field(default_factory=dict)
    ceilings: dict[str, int] = Field(default_factory=dict)
    line: int = 0


class AdjustmentKind(StrEnum):
    """What an adjustment depends on."""

    SAME_CALL_REPETITION = "same_call_repetition"
    CLARIFYING_QUESTION_FIRST = "clarifying_question_first"
    OTHER = "other"


class Adjustment(Value):
    """A step of +1 or -1 inside one dimension, with its clamp.

    Attributes:
        clamp_low: the adjustment never takes the score below this.
        clamp_high: nor above this.
        case_insensitive: the rubric itself says that identifiers that differ
            only in letter case make the same call.
    """

    dimension: str
    amount: int
    kind: AdjustmentKind
    condition: str
    clamp_low: int = LOWEST_SCORE
    clamp_high: int = HIGHEST_SCORE
    case_insensitive: bool = False
    line: int = 0


class SubMode(Value):
    """A named way of failing, usually tied to a tool. Multi-label."""

    key: str
    label: str
    tools: tuple[str, ...] = ()
    text: str = ""
    line: int = 0


class SideChannel(Value):
    """A flag recorded beside the score that must never move it."""

    key: str
    axis: str = ""
    text: str = ""
    line: int = 0


class Clause(Value):
    """A labelled statement: a guard, an exclusion, a claim, a pass/fail rule.

    Attributes:
        key: short identifier (``retry_on_error``, ``PASS``, ``Strong``).
    """

    key: str
    text: str
    line: int = 0


class ToolSpec(Value):
    """A tool as the seed describes it.

    Attributes:
        parameters: names in order.
        defaults: parameter -> default as a JSON value.
    """

    name: str
    parameters: tuple[str, ...] = ()
    defaults: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    text: str = ""
    line: int = 0


class Rubric(Value):
    """A rubric: dimensions, structure where there is any, and the raw text.

    Attributes:
        family: scenario family (all revisions of one scenario share it).
        seed: id of the seed it belongs to; None for a judge's own rubric.
        raw: the rubric's text as written.
        tools: the tools of the scenario, for equivalence of calls.
        guards: what must not be scored here.
        not_scorable: conditions under which there is no score.
        claims: statements that follow from the rubric ("3-4 traps >= 7").
        discrimination: expected behaviour per model tier.
        rules: pass/fail rules, trace checks, outcomes, things to look for.
    """

    style: RubricStyle
    title: str = ""
    family: str = ""
    seed: str | None = None
    dimensions: tuple[Dimension, ...] = ()
    bands: tuple[Band, ...] = ()
    deltas: tuple[DeltaRule, ...] = ()
    floor: Floor | None = None
    adjustments: tuple[Adjustment, ...] = ()
    sub_modes: tuple[SubMode, ...] = ()
    side_channels: tuple[SideChannel, ...] = ()
    guards: tuple[Clause, ...] = ()
    not_scorable: tuple[Clause, ...] = ()
    claims: tuple[Clause, ...] = ()
    discrimination: tuple[Clause, ...] = ()
    rules: tuple[Clause, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    raw: str = ""

    @cached_property
    def id(self) -> str:
        """The version: hash of the wording and the dimensions it scores."""
        return content_hash(
            {
                "raw": normalise_space(self.raw),
                "dimensions": [
                    [d.name, normalise_space(d.text), d.lower_is_better, d.target]
                    for d in self.dimensions
                ],
                "structure": self.structure,
            }
        )

    @cached_property
    def structure(self) -> str:
        """Hash of what a label means: scale, bands, deltas, sub-modes, guards.

        Labels carry over between wordings whose structure is equal.
        """
        return content_hash(
            {
                "dimensions": [[d.name, d.lower_is_better] for d in self.dimensions],
                "bands": [
                    [
                        b.dimension,
                        b.counted,
                        b.count.model_dump() if b.count else None,
                        b.score.model_dump() if b.score else None,
                        b.word,
                    ]
                    for b in self.bands
                ],
                "deltas": [
                    [d.tool, d.deltas, sorted(d.also_flags)] for d in self.deltas
                ],
                "floor": [self.floor.n_min, self.floor.tool, self.floor.ceilings]
                if self.floor
                else None,
                "adjustments": [
                    [a.dimension, a.amount, a.kind.value, a.clamp_low, a.clamp_high]
                    for a in self.adjustments
                ],
                "sub_modes": sorted([s.key, sorted(s.tools)] for s in self.sub_modes),
                "side_channels": sorted(s.key for s in self.side_channels),
                "guards": sorted(g.key for g in self.guards),
            }
        )

    @property
    def target_dimensions(self) -> tuple[Dimension, ...]:
        """The dimensions that a rater is asked to score."""
        return tuple(d for d in self.dimensions if d.target)

    def dimension(self, name: str) -> Dimension:
        """The dimension of this name.

        Raises:
            KeyError: no such dimension.
        """
        for dimension in self.dimensions:
            if dimension.name == name:
                return dimension
        raise KeyError(name)
