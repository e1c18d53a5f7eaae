"""The rule as a rater: score transcripts by their rubric's letter, keep the verdict.

A rule score is another rater's value. Whoever labels in the workspace sees it
only by a reveal, here as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from geode_tui.config import Config
from geode_tui.domain.forms import Ask, asked_forms
from geode_tui.domain.rubric import Rubric, RubricStyle
from geode_tui.domain.rule import RuleScore
from geode_tui.domain.score import Event, EventKind, Verdict
from geode_tui.domain.transcript import Transcript
from geode_tui.errors import BlindnessError
from geode_tui.rules.engine import rule_scores
from geode_tui.rules.verdict import RATER, as_verdict, in_words
from geode_tui.store.store import Store

__all__ = [
    "RuleResult",
    "apply_rule",
    "current_only",
    "in_words",
    "record_look",
    "score_by_rule",
    "seed_rubric",
]


@dataclass(frozen=True)
class RuleResult:
    """What the rule gives for one transcript.

    Attributes:
        scores: one per dimension; empty where no seed's rubric is known.
        reason: why there are none.
    """

    transcript: str
    rubric: Rubric | None
    scores: tuple[RuleScore, ...]
    verdict: Verdict | None = None
    reason: str | None = None

    @property
    def computable(self) -> bool:
        """True where the rubric states a rule at all."""
        rubric = self.rubric
        return rubric is not None and bool(rubric.bands or rubric.deltas)


def seed_rubric(store: Store, config: Config, transcript: Transcript) -> Rubric | None:
    """The seed's rubric as raters are asked it; None where no seed is known."""
    seed = store.seeds.of(transcript.id)
    if seed is None:
        return None
    judge_dimensions = config.label.judge_dimensions
    ask = Ask(seed_dimensions=True, judge_dimensions=judge_dimensions)
    forms = asked_forms(seed, None, (), ask)
    return next(
        (f.rubric for f in forms if f.rubric.style is not RubricStyle.JUDGE), None
    )


def apply_rule(store: Store, config: Config, transcript: Transcript) -> RuleResult:
    """Compute the rule score of one transcript; nothing is stored."""
    rubric = seed_rubric(store, config, transcript)
    if rubric is None:
        return RuleResult(
            transcript.id, None, (), reason="no seed is known for this transcript"
        )
    scores = rule_scores(transcript, rubric, config.imports.harness_errors)
    verdict = as_verdict(transcript.id, rubric.id, scores)
    return RuleResult(transcript.id, rubric, scores, verdict)


def score_by_rule(
    store: Store, config: Config, transcripts: Sequence[str]
) -> Iterator[RuleResult]:
    """Score transcripts one by one; each verdict is stored before it is given."""
    for identity in transcripts:
        result = apply_rule(store, config, store.transcripts.get(identity))
        if result.verdict is not None:
            store.verdicts.append([result.verdict]).result()
        yield result


def record_look(
    store: Store, config: Config, rater: str, transcripts: Sequence[str]
) -> None:
    """Save a reveal of the rule score for each transcript, all or none.

    Raises:
        BlindnessError: the workspace does not let this rater look now; says why.
    """
    from geode_tui.workflows.annotate import Annotate

    annotate = Annotate(store, config, rater)
    for identity in transcripts:
        refusal = annotate.reveal_refusal(identity)
        if refusal is not None:
            raise BlindnessError(
                refusal,
                where=identity,
                hint="The rule score is another rater's value.",
            )
    store.events.append(
        [
            Event(
                event=EventKind.REVEAL,
                transcript=identity,
                rater=rater,
                shown=(RATER,),
            )
            for identity in transcripts
        ]
    ).result()


def current_only(
    verdicts: Sequence[Verdict], now: Verdict | None
) -> tuple[Verdict, ...]:
    """Verdicts without rule scores of older engines, rubrics or settings."""
    return tuple(v for v in verdicts if v.source != RATER) + ((now,) if now else ())
