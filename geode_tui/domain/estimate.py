"""One figure of agreement: a value, or the reason why there is none.

Every statistic of the project is handed over in this shape, so that no screen
or export ever meets a NaN, a silent zero, or a number without its n.
"""

from __future__ import annotations

import math
from enum import StrEnum

from pydantic import Field, model_validator

from geode_tui.domain.base import Value

MIN_ITEMS = 3
"""Below this a coefficient can only take trivial values."""
MIN_ITEMS_INTERVAL = 10
MIN_GROUPS_INTERVAL = 10


class Reason(StrEnum):
    """Why a value, or its interval, is not there (or needs a note)."""

    NO_DATA = "no_data"
    NO_OVERLAP = "no_overlap"
    TOO_FEW_ITEMS = "too_few_items"
    TOO_FEW_GROUPS = "too_few_groups"
    NO_VARIANCE = "no_variance"
    CONSTANT_RATER = "constant_rater"
    NO_POSITIVE_LABELS = "no_positive_labels"
    JUDGE_NOT_BETTER_THAN_CHANCE = "judge_not_better_than_chance"
    OUT_OF_RANGE = "out_of_range"
    TOO_FEW_ITEMS_PER_ANNOTATOR = "too_few_items_per_annotator"
    IDENTICAL_SCORES = "identical_scores"
    NO_DISCORDANT_PAIRS = "no_discordant_pairs"
    NOT_APPLICABLE = "not_applicable"

    @property
    def sentence(self) -> str:
        """The reason in words, for people."""
        return _SENTENCES[self]


_SENTENCES = {
    Reason.NO_DATA: "There are no ratings.",
    Reason.NO_OVERLAP: "No item has been rated by both (or by any two) raters.",
    Reason.TOO_FEW_ITEMS: "Too few items: a coefficient needs"
    f" {MIN_ITEMS}, an interval {MIN_ITEMS_INTERVAL}.",
    Reason.TOO_FEW_GROUPS: "Fewer than"
    f" {MIN_GROUPS_INTERVAL} scenario families: an interval would be too short.",
    Reason.NO_VARIANCE: "Nothing varies: every rating (or every resample) is the"
    " same, so agreement beyond chance is undefined.",
    Reason.CONSTANT_RATER: "One rater gave the same score throughout.",
    Reason.NO_POSITIVE_LABELS: "Nobody gave this label.",
    Reason.JUDGE_NOT_BETTER_THAN_CHANCE: "The judge's sensitivity and specificity"
    " add up to 1 or less: it is no better than chance, nothing can be corrected.",
    Reason.OUT_OF_RANGE: "The corrected value lies outside 0 to 1 and was clipped.",
    Reason.TOO_FEW_ITEMS_PER_ANNOTATOR: "No annotator has enough shared items.",
    Reason.IDENTICAL_SCORES: "The scores are identical on every item, so resampling"
    " says nothing about the uncertainty.",
    Reason.NO_DISCORDANT_PAIRS: "Both are right and wrong on the same items.",
    Reason.NOT_APPLICABLE: "The figure is not defined for ratings of this kind.",
}


class Caution(StrEnum):
    """What a careful reader needs to know beside a value."""

    ONE_SCORE_DOMINATES = "one_score_dominates"
    CONSTANT_RATER = "constant_rater"
    FEW_ITEMS = "few_items"
    FEW_GROUPS = "few_groups"
    FEW_POSITIVES = "few_positives"
    ITEMS_DROPPED = "items_dropped"
    OUT_OF_RANGE = "out_of_range"
    NO_DISCORDANT_PAIRS = "no_discordant_pairs"
    IDENTICAL_SCORES = "identical_scores"
    FEW_LABELLED = "few_labelled"
    ANNOTATORS_LEFT_OUT = "annotators_left_out"
    LOW_POWER = "low_power"


class Interval(Value):
    """A confidence interval and how it was made.

    Attributes:
        low, high: ends, ``low <= high``; both finite.
        level: nominal coverage, e.g. 0.95.
        method: in words, with resamples and seed.
    """

    low: float
    high: float
    level: float = 0.95
    method: str

    @property
    def width(self) -> float:
        """``high - low``."""
        return self.high - self.low


class Estimate(Value):
    """A value with its uncertainty, or the reason for having neither.

    Attributes:
        value: finite; None where nothing may be shown but the reason.
        interval: None where none can be given; ``interval_reason`` says why.
        reason: why ``value`` is None.
        warnings: codes; ``notes`` say the particulars in sentences.
        n_items: items that entered the figure.
        n_groups: scenario families (clusters) that those items come from.
        n_pairs: pairs of ratings compared; for a mean of one rater, the items.
        recipe: formula and choices in words.
        details: named parts of the figure (counts, p values, raw values).
    """

    value: float | None = None
    interval: Interval | None = None
    reason: Reason | None = None
    interval_reason: Reason | None = None
    warnings: tuple[Caution, ...] = ()
    notes: tuple[str, ...] = ()
    n_items: int = Field(default=0, ge=0)
    n_groups: int = Field(default=0, ge=0)
    n_pairs: int = Field(default=0, ge=0)
    recipe: str
    details: dict[str, float] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _value_or_reason(self) -> Estimate:
        numbers = [self.value, *self.details.values()]
        if self.interval is not None:
            numbers += [self.interval.low, self.interval.high]
        if not all(math.isfinite(n) for n in numbers if n is not None):
            raise ValueError("an estimate holds finite numbers only")
        if (self.value is None) != (self.reason is not None):
            raise ValueError("an estimate has a value or a reason, never both")
        if self.value is None and self.interval is not None:
            raise ValueError("an interval needs a value")
        return self

    @property
    def low(self) -> float | None:
        """Lower end of the interval, if there is one."""
        return self.interval.low if self.interval else None

    @property
    def high(self) -> float | None:
        """Upper end of the interval, if there is one."""
        return self.interval.high if self.interval else None
