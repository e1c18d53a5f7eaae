"""What raters say of the transcripts of a workspace, gathered to be compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from geode_tui.calibration.disputes import view_of_label, view_of_rule, view_of_verdict
from geode_tui.config import Config, RevealRule
from geode_tui.domain.dispute import RaterView
from geode_tui.domain.report import Left
from geode_tui.domain.rubric import Rubric, RubricStyle
from geode_tui.domain.rule import RuleScore
from geode_tui.domain.score import Event, EventKind, RaterRole, Verdict
from geode_tui.domain.transcript import Validity
from geode_tui.errors import BlindnessError, StoreError
from geode_tui.rules.verdict import RATER
from geode_tui.store.store import Store
from geode_tui.workflows.annotate import Annotate
from geode_tui.workflows.rule import apply_rule

SEED, JUDGE = "seed", "judge"


@dataclass(frozen=True)
class Item:
    """One transcript with everybody's current values.

    Attributes:
        family: scenario family; the transcript itself where no seed is known.
        asked: dimensions that its seed asks for.
        rubric: the seed's rubric as people are asked it.
        labels: (wording, label) of people.
        verdicts: of judges, oldest first.
        higher_is_better: dimensions on which a high score is good.
    """

    id: str
    family: str
    asked: tuple[str, ...]
    rubric: Rubric | None
    labels: tuple[tuple[str, Event], ...]
    verdicts: tuple[Verdict, ...]
    rule: tuple[RuleScore, ...]
    validity: tuple[Validity, ...]
    higher_is_better: frozenset[str]

    @property
    def latest(self) -> dict[str, Verdict]:
        """The newest verdict of each judge."""
        return {verdict.rater: verdict for verdict in self.verdicts}

    def views(self, rubric: Rubric) -> list[RaterView]:
        """Everybody's values on the dimensions of ``rubric``."""
        people = [
            view
            for _, label in self.labels
            if label.rubric == rubric.id and (view := view_of_label(label))
        ]
        others = [view_of_verdict(v) for v in self.latest.values()]
        if rubric.style is not RubricStyle.JUDGE:
            others.append(view_of_rule(self.rule))
        names = {dimension.name for dimension in rubric.dimensions}
        for view in others:
            scores = {name: s for name, s in view.scores.items() if name in names}
            if scores:
                people.append(view.model_copy(update={"scores": scores}))
        return people


@dataclass(frozen=True)
class Gathered:
    """Every transcript once, and what was left out."""

    items: tuple[Item, ...]
    left_out: Left


def gather(store: Store, config: Config, *, after_reveal: bool = False) -> Gathered:
    """Current values of every transcript; exact duplicates count once.

    Labels made after a reveal are left out unless asked for, labels of another
    rubric structure always: they answer another question.
    """
    rubrics = {rubric.id: rubric for rubric in store.rubrics.all()}
    labels: dict[str, list[Event]] = {}
    for event in store.events.current():
        labels.setdefault(event.transcript, []).append(event)
    duplicates = revealed = outdated = 0
    items = []
    for facts in store.transcripts.rows():
        if facts.duplicate:
            duplicates += 1
            continue
        transcript = store.transcripts.get(facts.id)
        result = apply_rule(store, config, transcript)
        known = result.rubric
        kept = []
        for event in labels.get(facts.id, ()):
            if event.after_reveal and not after_reveal:
                revealed += 1
                continue
            rubric = rubrics.get(event.rubric)
            judged = rubric is not None and rubric.style is RubricStyle.JUDGE
            if rubric and known and not judged and rubric.structure != known.structure:
                outdated += 1
                continue
            kept.append((JUDGE if judged else SEED, event))
        judged_by = rubrics.get(facts.judge_rubric or "")
        family = (known.family or known.seed or known.id) if known else facts.id
        items.append(
            Item(
                id=facts.id,
                family=family,
                asked=tuple(d.name for d in known.target_dimensions) if known else (),
                rubric=known,
                labels=tuple(kept),
                verdicts=tuple(
                    v for v in store.verdicts.of(facts.id) if v.source != RATER
                ),
                rule=result.scores,
                validity=transcript.validity,
                higher_is_better=frozenset(
                    dimension.name
                    for one in (known, judged_by)
                    for dimension in (one.dimensions if one else ())
                    if not dimension.lower_is_better
                ),
            )
        )
    left = Left(duplicates=duplicates, after_reveal=revealed, outdated=outdated)
    return Gathered(tuple(items), left)


def record_comparison(
    store: Store, config: Config, rater: str, transcripts: Iterable[str] | None = None
) -> None:
    """Save a reveal of everybody's values, or refuse; all transcripts by default.

    A transcript whose values ``rater`` has been shown before gets no new event.

    Raises:
        BlindnessError: an auditor may look at any time, a rater only once the
            reveal rule allows it for every transcript concerned.
    """
    auditor = config.role_of(rater) is RaterRole.AUDITOR
    if not auditor and not config.label.show_other_raters:
        raise BlindnessError(
            "This workspace shows raters no other rater's labels.",
            hint="An auditor may compare them: geode.toml, [[raters]], role.",
        )
    if transcripts is None:
        transcripts = [facts.id for facts in store.transcripts.rows()]
    chosen = list(transcripts)
    # A comparison tells of items that are still to be labelled, so nothing less
    # than a finished queue will do, also where single items may be revealed.
    workflow = Annotate(store, config, rater)
    if not auditor:
        progress = workflow.progress()
        if config.label.reveal is RevealRule.NEVER:
            raise BlindnessError(
                "This workspace never shows raters the values of others."
            )
        if not progress.finished:
            raise BlindnessError(
                f"{progress.total - progress.done} of {progress.total} transcripts"
                f" are still to be labelled by {rater}.",
                hint="A comparison holds the values of others: finish the queue"
                " first, or ask an auditor.",
            )
    seen: dict[str, set[str]] = {}
    present: dict[str, set[str]] = {}
    for event in store.events.all():
        if event.event is EventKind.REVEAL:
            if event.rater == rater:
                seen.setdefault(event.transcript, set()).update(event.shown)
        elif event.rater != rater:
            present.setdefault(event.transcript, set()).add(event.rater)
    reveals = []
    for identity in chosen:
        shown = {RATER, *store.verdicts.raters(identity), *present.get(identity, ())}
        if not shown <= seen.get(identity, set()):
            reveals.append(
                Event(
                    event=EventKind.REVEAL,
                    transcript=identity,
                    rater=rater,
                    shown=tuple(sorted(shown)),
                )
            )
    if reveals:
        store.events.append(reveals).result()


def rubric_of(store: Store, version: str) -> Rubric | None:
    """A rubric version; None where its text is not stored here."""
    try:
        return store.rubrics.get(version)
    except StoreError:
        return None
