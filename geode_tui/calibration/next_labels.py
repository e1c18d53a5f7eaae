"""Which transcripts to label next, and by whom.

Plain Python on plain values: spread over the judge's bands, disagreements and
rare sub-modes first, one transcript per scenario family before a second.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from geode_tui.domain.agreement import Assignment
from geode_tui.errors import CalibrationError

BANDS = ((2, "1-2"), (5, "3-5"), (7, "6-7"), (10, "8-10"))
NO_SCORE = "no judge score"


@dataclass(frozen=True)
class Candidate:
    """A transcript that could be labelled.

    Attributes:
        group: scenario family.
        judge: the judge's score; None where it gave none.
        spread: points by which judges, runs or the rule differ; 0 if unknown.
        sub_modes: as the judge or the rule sees them.
        labelled_by: people who have labelled it already.
    """

    transcript: str
    group: str
    judge: float | None = None
    spread: float = 0.0
    sub_modes: frozenset[str] = frozenset()
    labelled_by: frozenset[str] = field(default_factory=frozenset)

    @property
    def stratum(self) -> str:
        """The judge's band."""
        if self.judge is None:
            return NO_SCORE
        return next((name for top, name in BANDS if self.judge <= top), BANDS[-1][1])


def label_next(
    candidates: Sequence[Candidate],
    raters: Sequence[str],
    count: int,
    *,
    overlap: float = 0.3,
    per_item: int = 2,
    seed: int = 0,
) -> list[Assignment]:
    """The next transcripts in the order they should be labelled.

    Each pick comes from the stratum with the fewest labels so far, from the
    family used least; among those a wider spread and rarer sub-modes go first.
    A share ``overlap`` of the picks goes to ``per_item`` people, so that
    agreement between people can be measured; people with the least work are
    chosen. The order is fixed by ``seed``.

    Args:
        candidates: transcripts without exact duplicates.
        raters: people to share the work.
        count: transcripts wanted; fewer come back if there are no more.
        overlap: from 0 to 1.
        per_item: people on an overlapping transcript.
        seed: breaks ties.

    Raises:
        CalibrationError: no raters, or an overlap outside 0 to 1.
    """
    if not raters:
        raise CalibrationError(
            "nobody is named who could label.", hint="Name one rater or more."
        )
    if not 0 <= overlap <= 1:
        raise CalibrationError(f"an overlap of {overlap:g} is not between 0 and 1.")
    known = Counter(m for c in candidates for m in c.sub_modes)
    done = Counter(c.stratum for c in candidates for _ in c.labelled_by)
    families: Counter[str] = Counter(c.group for c in candidates if c.labelled_by)
    load: Counter[str] = Counter(dict.fromkeys(raters, 0))
    people = len(set(raters))
    left = [c for c in candidates if set(raters) - c.labelled_by]
    out: list[Assignment] = []
    doubled = 0
    while left and len(out) < count:
        pick = min(
            left,
            key=lambda c: (
                done[c.stratum],
                families[c.group],
                -_urgency(c, known, len(candidates)),
                _shuffled(c.transcript, seed),
            ),
        )
        left.remove(pick)
        # Keep the running share of doubly labelled picks at the overlap.
        double = doubled < round(overlap * (len(out) + 1)) or bool(pick.labelled_by)
        wanted = 1
        if double:
            wanted = max(1, min(per_item, people) - len(pick.labelled_by))
            doubled += 1
        free = sorted(
            set(raters) - pick.labelled_by,
            key=lambda r: (load[r], _shuffled(f"{pick.transcript} {r}", seed)),
        )[:wanted]
        load.update(free)
        done[pick.stratum] += len(free)
        families[pick.group] += 1
        out.append(
            Assignment(
                transcript=pick.transcript,
                raters=tuple(free),
                stratum=pick.stratum,
                why=_why(pick, known, len(candidates)),
            )
        )
    return out


def _urgency(c: Candidate, known: Counter[str], n: int) -> float:
    return c.spread + _rarity(c, known, n)


def _rarity(c: Candidate, known: Counter[str], n: int) -> float:
    """0 to 1: how few of the candidates share the rarest sub-mode."""
    if not c.sub_modes:
        return 0.0
    return 1 - min(known[m] for m in c.sub_modes) / n


def _why(c: Candidate, known: Counter[str], n: int) -> tuple[str, ...]:
    why = [f"judge band {c.stratum}" if c.judge is not None else NO_SCORE]
    if c.spread:
        why.append(f"scores differ by {c.spread:g}")
    if _rarity(c, known, n) > 0.5:
        rarest = min(sorted(c.sub_modes), key=lambda m: known[m])
        why.append(f"sub-mode {rarest} is rare ({known[rarest]} of {n})")
    if c.labelled_by:
        why.append("has one label: a second tells how far people agree")
    return tuple(why)


def _shuffled(name: str, seed: int) -> bytes:
    return hashlib.blake2b(f"{seed} {name}".encode(), digest_size=8).digest()
