"""What to label next: how many more, which transcripts, by whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from geode_tui.calibration.disputes import distance, view_of_rule
from geode_tui.calibration.next_labels import Candidate, label_next
from geode_tui.calibration.planning import labels_for_width
from geode_tui.config import Config
from geode_tui.domain.agreement import Assignment, LabelsNeeded
from geode_tui.domain.estimate import Estimate
from geode_tui.domain.report import CalibrationReport
from geode_tui.domain.score import RaterRole
from geode_tui.workflows.calibrate import calibrate, judge_score
from geode_tui.workflows.gather import Gathered, Item

HUMAN_FIGURE = "krippendorff_alpha_ordinal"


@dataclass(frozen=True)
class Need:
    """How many labels one figure of one dimension needs."""

    dimension: str
    wording: str
    figure: str
    now: Estimate
    needed: LabelsNeeded


@dataclass(frozen=True)
class Plan:
    """What to do next."""

    needs: tuple[Need, ...]
    assignments: tuple[Assignment, ...]


def make_plan(
    gathered: Gathered,
    raters: Sequence[str],
    *,
    width: float,
    count: int,
    overlap: float = 0.3,
    resamples: int = 10_000,
) -> Plan:
    """How many labels an interval of ``width`` needs, and the next ``count``.

    Raises:
        CalibrationError: nobody could label, or the overlap is not from 0 to 1.
    """
    assignments = label_next(
        [_candidate(item) for item in gathered.items],
        raters,
        count,
        overlap=overlap,
    )
    report = calibrate(gathered, resamples=resamples)
    return Plan(tuple(_needs(report, width)), tuple(assignments))


def people_of(config: Config, gathered: Gathered) -> list[str]:
    """Who labels here: raters of the settings and whoever has labelled blind."""
    names = {r.name for r in config.raters if r.role is RaterRole.RATER}
    names |= {
        label.rater
        for item in gathered.items
        for _, label in item.labels
        if config.role_of(label.rater) is RaterRole.RATER
    }
    return sorted(names)


def _needs(report: CalibrationReport, width: float) -> Iterator[Need]:
    for part in report.dimensions:
        figures = {}
        if HUMAN_FIGURE in part.people:
            figures["ordinal alpha among people"] = part.people[HUMAN_FIGURE]
        for judge in part.judges:
            figures[f"quadratic kappa of {judge.judge} with people"] = judge.headline
        for name, now in figures.items():
            yield Need(
                part.dimension, part.wording, name, now, labels_for_width(now, width)
            )


def _candidate(item: Item) -> Candidate:
    rule = view_of_rule(item.rule)
    worst: list[float] = []
    spread = 0.0
    for name in item.asked:
        scores = [judge_score(verdict, name) for verdict in item.verdicts]
        known = [score for score in scores if score is not None]
        newest = [judge_score(verdict, name) for verdict in item.latest.values()]
        worst += [score for score in newest if score is not None]
        ranges = [(score, score) for score in known]
        if name in rule.scores:
            ranges.append(rule.scores[name])
        apart = [distance(a, b) for a, b in combinations(ranges, 2)]
        spread = max([spread, *apart])
    return Candidate(
        transcript=item.id,
        group=item.family,
        judge=max(worst, default=None),
        spread=spread,
        sub_modes=rule.sub_modes or frozenset(),
        labelled_by=frozenset(label.rater for _, label in item.labels),
    )
