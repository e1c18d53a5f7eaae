"""A calibration report: who agrees with whom, on what, and what is not covered."""

from __future__ import annotations

from pydantic import Field

from geode_tui.domain.agreement import AltTest, Ceiling, ScoreMap, SelfConsistency
from geode_tui.domain.base import Value
from geode_tui.domain.estimate import Estimate
from geode_tui.domain.transcript import Validity


class PersonAndJudge(Value):
    """One person held against one judge on one dimension.

    Attributes:
        figures: by name, judge first (a positive bias is a harsher judge).
        scores: (judge, person) -> how many transcripts, as rows of three.
    """

    rater: str
    figures: dict[str, Estimate]
    scores: tuple[tuple[int, int, int], ...]


class JudgeReport(Value):
    """One judge on one dimension.

    Attributes:
        headline: mean over people of quadratic kappa.
        ceiling, alt_test: None where fewer than two people scored the dimension.
        self_consistency: None where the judge ran once per transcript.
        off_scale: scores that are no whole number from 1 to 10; left out.
    """

    judge: str
    headline: Estimate
    people: tuple[PersonAndJudge, ...]
    ceiling: Ceiling | None = None
    alt_test: AltTest | None = None
    score_map: ScoreMap | None = None
    self_consistency: SelfConsistency | None = None
    off_scale: int = 0


class DimensionReport(Value):
    """One dimension in one wording. Dimensions are never pooled.

    Attributes:
        wording: ``seed`` for the seeds' own rubrics, ``judge`` for the words
            that the judge read.
        people: agreement among people, by figure.
        in_rule: rater -> share of scores inside the rule's range.
    """

    dimension: str
    wording: str
    items: int
    families: int
    raters: tuple[str, ...]
    people: dict[str, Estimate]
    judges: tuple[JudgeReport, ...] = ()
    in_rule: dict[str, Estimate] = Field(default_factory=dict)


class Coverage(Value):
    """How much of what the seeds ask for one rater has scored.

    Attributes:
        asked: transcripts whose seed asks for this dimension.
        scored: those of them that this rater scored.
    """

    rater: str
    dimension: str
    asked: int
    scored: int


class Suspect(Value):
    """A high judge score on a transcript that can hardly be scored."""

    transcript: str
    judge: str
    dimension: str
    score: float
    validity: tuple[Validity, ...]


class Left(Value):
    """What is left out of the agreement, and how much of it."""

    duplicates: int = 0
    after_reveal: int = 0
    outdated: int = 0


class CalibrationReport(Value):
    """Everything that ``calibrate`` says.

    Attributes:
        headlines: what has to be known before any number, in sentences.
        sub_modes: people's agreement on sub-mode sets, by figure.
        scorable: people's agreement on whether there can be a score at all.
        recipe: how all this was computed, in sentences.
        versions: program and libraries.
    """

    transcripts: int
    families: int
    people: tuple[str, ...]
    judges: tuple[str, ...]
    left_out: Left
    headlines: tuple[str, ...]
    dimensions: tuple[DimensionReport, ...]
    sub_modes: dict[str, Estimate]
    scorable: dict[str, Estimate]
    coverage: tuple[Coverage, ...]
    suspects: tuple[Suspect, ...]
    recipe: tuple[str, ...]
    versions: dict[str, str]
