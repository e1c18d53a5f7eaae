"""Disputes by the workspace's rule, and how auditors settle them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from geode_tui.calibration.disputes import find_dispute, ranked
from geode_tui.config import Config
from geode_tui.domain.adjudication import Adjudication, Cause
from geode_tui.domain.dispute import Dispute
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.score import Event, RaterRole, fits
from geode_tui.errors import AnnotationError, BlindnessError
from geode_tui.store.store import Store
from geode_tui.workflows.gather import Item, rubric_of


@dataclass(frozen=True)
class OpenOrSettled:
    """A dispute and the newest decision about it.

    Attributes:
        decision: None where nobody has decided.
        settled: the decision was about the values as they are now.
    """

    dispute: Dispute
    rubric: Rubric
    decision: Adjudication | None

    @property
    def settled(self) -> bool:
        """True where no label or verdict has changed since the decision."""
        if self.decision is None:
            return False
        return set(sources(self.dispute)) <= set(self.decision.sources)


def sources(dispute: Dispute) -> tuple[str, ...]:
    """Ids of the labels and verdicts that a dispute rests on."""
    return tuple(view.source for view in dispute.views if view.source)


def find_disputes(
    store: Store, config: Config, items: Iterable[Item]
) -> list[OpenOrSettled]:
    """Every dispute, open ones first, the worst of them on top."""
    rule = config.disputes.rule
    decisions: dict[tuple[str, str], Adjudication] = {}
    for decision in store.adjudications.all():
        decisions[decision.transcript, decision.rubric] = decision
    rubrics: dict[str, Rubric] = {}
    found = []
    for item in items:
        versions = dict.fromkeys(label.rubric for _, label in item.labels)
        # Judge and rule may differ where nobody has labelled yet.
        if item.rubric is not None:
            versions.setdefault(item.rubric.id)
        for version in versions:
            rubric = rubrics.get(version) or rubric_of(store, version)
            if rubric is None and item.rubric and item.rubric.id == version:
                rubric = item.rubric
            if rubric is None:
                continue
            rubrics[version] = rubric
            dispute = find_dispute(item.id, rubric, item.views(rubric), rule)
            if dispute is not None:
                found.append(dispute)
    out = [
        OpenOrSettled(
            dispute,
            rubrics[dispute.rubric],
            decisions.get((dispute.transcript, dispute.rubric)),
        )
        for dispute in ranked(found)
    ]
    return sorted(out, key=lambda one: one.settled)


def anonymous(dispute: Dispute) -> dict[str, str]:
    """Rater -> the name shown: people become A, B, ... in the order of the views."""
    names = {}
    people = 0
    for view in dispute.views:
        if view.kind == "human":
            names[view.rater] = f"rater {_letters(people)}"
            people += 1
        else:
            names[view.rater] = view.rater
    return names


def _letters(number: int) -> str:
    head = _letters(number // 26 - 1) if number >= 26 else ""
    return head + chr(ord("A") + number % 26)


def check_auditor(config: Config, rater: str) -> None:
    """Do nothing where ``rater`` may settle disputes.

    Raises:
        BlindnessError: only auditors do.
    """
    if config.role_of(rater) is not RaterRole.AUDITOR:
        raise BlindnessError(
            f"{rater} is no auditor here, and only auditors settle disputes.",
            hint='geode.toml: [[raters]], name, role = "auditor".',
        )


def adjudicate(
    store: Store,
    config: Config,
    disputed: Sequence[OpenOrSettled],
    *,
    transcript: str,
    rater: str,
    scores: dict[str, int],
    cause: Cause,
    rubric: str | None = None,
    sub_modes: Sequence[str] = (),
    flags: Sequence[str] = (),
    clause: str = "",
    note: str = "",
) -> Adjudication:
    """Settle the dispute over a transcript; stored before it is returned.

    Args:
        store: where it is kept.
        config: says who is an auditor.
        disputed: from ``find_disputes``.
        transcript: whole id.
        rater: who decides.
        scores: gold scores; empty where no score is possible.
        cause: why the raters differed.
        rubric: beginning of the version's id, where several are disputed.
        sub_modes: gold sub-modes.
        flags: gold side-channel flags.
        clause: key or words of the clause of the rubric; must be there.
        note: for people.

    Raises:
        BlindnessError: only auditors settle disputes.
        AnnotationError: there is no such dispute, or what is decided does not
            fit its rubric.
    """
    check_auditor(config, rater)
    mine = [
        one
        for one in disputed
        if one.dispute.transcript == transcript
        and one.dispute.rubric.startswith(rubric or "")
    ]
    if len(mine) != 1:
        versions = ", ".join(one.rubric.id for one in mine)
        raise AnnotationError(
            f"several rubrics are disputed: {versions}."
            if mine
            else "there is no dispute over this transcript.",
            where=transcript,
            hint="Choose one with --rubric." if mine else "See geode-tui disputes.",
        )
    known = mine[0].rubric
    messages = len(store.transcripts.get(transcript).messages)
    as_label = Event(
        transcript=transcript,
        rubric=known.id,
        rater=rater,
        scores=scores,
        sub_modes=tuple(sub_modes),
        flags=tuple(flags),
        not_scorable=None if scores else cause.value,
    )
    problems = fits(as_label, known, messages)
    keys = {c.key for c in (*known.guards, *known.claims, *known.not_scorable)}
    if clause and clause not in keys and clause not in known.raw:
        problems.append(f"The rubric has no clause {clause!r}; quote it as written.")
    if cause is Cause.RUBRIC_AMBIGUOUS and not clause.strip():
        problems.append("An ambiguous rubric needs the clause: --clause.")
    if problems:
        raise AnnotationError(" ".join(problems), where=transcript)
    decision = Adjudication(
        transcript=transcript,
        rubric=known.id,
        rater=rater,
        scores=scores,
        sub_modes=tuple(sub_modes),
        flags=tuple(flags),
        cause=cause,
        clause=clause,
        note=note,
        sources=sources(mine[0].dispute),
    )
    store.adjudications.append([decision]).result()
    return decision
