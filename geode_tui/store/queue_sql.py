"""The queue's filter and order as SQL over ``transcripts t`` and ``states s``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from geode_tui.domain.labelling import LabelState, QueueFilter, QueueOrder
from geode_tui.domain.transcript import Validity

RANK = {
    LabelState.TODO: 0,
    LabelState.DRAFT: 1,
    LabelState.REDO: 2,
    LabelState.NOT_SCORABLE: 3,
    LabelState.DONE: 4,
}
"""States as numbers, in the order in which the queue sorts them."""

STATE_AT = {rank: state for state, rank in RANK.items()}

UNFINISHED = (LabelState.TODO, LabelState.DRAFT, LabelState.REDO)

STATE = f"ifnull(s.state, {RANK[LabelState.TODO]})"
SOURCE = "transcripts t LEFT JOIN temp.states s ON s.transcript = t.seq"

# Each is written as its index has it, so that a page needs no sorting.
_KEYS = {
    QueueOrder.IMPORTED: "t.seq",
    QueueOrder.SEED: "t.seed_name",
    QueueOrder.MODEL: "ifnull(t.target_model, '')",
    QueueOrder.LENGTH: "t.messages",
    QueueOrder.STATE: STATE,
}


@dataclass(frozen=True)
class QueueQuery:
    """One filter and order.

    Attributes:
        where: conditions for ``WHERE``.
        values: their parameters.
        key: what is sorted by; ties are broken by the order of import.
        descending: the whole order turned round.
        by_state: whether ``where`` or ``key`` depends on the rater's states.
    """

    where: str
    values: tuple[Any, ...]
    key: str
    descending: bool
    by_state: bool

    @property
    def order(self) -> str:
        """The ``ORDER BY`` terms."""
        way = "DESC" if self.descending else "ASC"
        return f"{self.key} {way}, t.seq {way}"

    def beyond(self, *, later: bool = True) -> str:
        """Condition for rows after (or before) a row, given its key and number."""
        sign = ">" if later is not self.descending else "<"
        return f"({self.key}, t.seq) {sign} (?, ?)"


def queue_query(chosen: QueueFilter) -> QueueQuery:
    """``chosen`` as SQL; its text must have been put into ``temp.hits`` before."""
    terms: list[str] = ["t.latest = 1"]
    values: list[Any] = []
    if chosen.text.strip():
        terms.append("t.seq IN (SELECT transcript FROM temp.hits)")
    if chosen.states:
        terms.append(f"{STATE} IN ({', '.join('?' * len(chosen.states))})")
        values += [RANK[state] for state in chosen.states]
    if chosen.validity:
        marks: list[str] = []
        for mark in chosen.validity:
            if mark is Validity.DUPLICATE:
                marks.append("t.duplicate = 1")
            else:
                marks.append("instr(t.validity, ?) > 0")
                values.append(f'"{mark.value}"')
        terms.append(f"({' OR '.join(marks)})")
    if chosen.hide_duplicates:
        terms.append("t.duplicate = 0")
    return QueueQuery(
        where=" AND ".join(terms),
        values=tuple(values),
        key=_KEYS[chosen.order],
        descending=chosen.descending,
        by_state=bool(chosen.states) or chosen.order is QueueOrder.STATE,
    )
