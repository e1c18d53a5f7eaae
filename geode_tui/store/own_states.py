"""One rater's states in a temporary table, kept up to date step by step."""

from __future__ import annotations

from collections.abc import Callable

from geode_tui.domain.forms import OwnLabel, state_of
from geode_tui.domain.labelling import Form, LabelState
from geode_tui.store import codec
from geode_tui.store.connection import Connection
from geode_tui.store.queue_sql import RANK

Question = tuple[str | None, str | None, str]
"""What a transcript's forms follow from: seed, judge rubric, named dimensions."""

_LABELS = """
    SELECT t.seq, t.seed, t.judge_rubric, t.named_dimensions,
        l.rubric, l.dimensions, l.event
    FROM own_labels l JOIN transcripts t ON t.id = l.transcript
"""

# CROSS JOIN keeps the order of the tables: few rows first.
_NEW_EVENTS = """
    SELECT t.seq FROM own_events e CROSS JOIN transcripts t ON t.id = e.transcript
    WHERE e.seq > ?
"""
_NEW_TRANSCRIPTS = """
    SELECT t.seq FROM transcripts t CROSS JOIN own_labels l ON l.transcript = t.id
    WHERE t.seq > ?
"""

_Row = tuple[int, str | None, str | None, str, str, str | None, str]


_MANY = 2_000
"""More changes than this are faster computed all at once."""


class OwnStates:
    """``temp.states``: every transcript that is not simply to be done.

    Attributes:
        edition: changes when transcripts or seeds do; search results depend on it.
    """

    def __init__(
        self,
        connection: Connection,
        forms: Callable[[str | None, str | None, str], tuple[Form, ...]],
    ) -> None:
        self._connection = connection
        self._ask = forms
        self._forms: dict[Question, tuple[Form, ...]] = {}
        self._known: dict[tuple[object, ...], LabelState] = {}
        self._structures: dict[str, str] = {}
        self._drafted: set[int] = set()
        self._version: int | None = None
        self._event = 0
        self.edition: tuple[int, int] = (-1, -1)

    def forget(self) -> None:
        """Compute everything anew next time."""
        self._version = None
        self.edition = (-1, -1)

    def refresh(self) -> bool:
        """Take in what has been committed since; True where anything changed."""
        version = self._connection.value("PRAGMA data_version")
        if version == self._version:
            return False
        edition = (
            self._connection.value("SELECT ifnull(max(seq), 0) FROM transcripts"),
            self._connection.value(
                "SELECT value FROM counters WHERE name = 'questions'"
            ),
        )
        event = self._connection.value("SELECT ifnull(max(seq), 0) FROM own_events")
        drafted = {
            row["seq"]
            for row in self._connection.rows(
                "SELECT t.seq FROM own_drafts d "
                "JOIN transcripts t ON t.id = d.transcript"
            )
        }
        changed: set[int] | None = drafted ^ self._drafted
        self._drafted = drafted
        if edition[1] != self.edition[1]:
            self._forms.clear()
            self._known.clear()
            structures = self._connection.rows("SELECT id, structure FROM rubrics")
            self._structures = {row["id"]: row["structure"] for row in structures}
            changed = None
        elif changed is not None:
            changed |= self._touched(edition)
        if changed is None or len(changed) > _MANY:
            self._fill()
        else:
            for seq in changed:
                self._renew(seq)
        different = changed is None or bool(changed) or edition != self.edition
        self._version, self._event, self.edition = version, event, edition
        return different

    def labels_of(self, transcript: str) -> list[OwnLabel]:
        """The rater's current labels of one transcript."""
        rows = self._connection.rows(f"{_LABELS} WHERE t.id = ?", transcript)
        return [self._label(tuple(row)) for row in rows]

    def _touched(self, edition: tuple[int, int]) -> set[int]:
        """Transcripts with new events, and new transcripts that events waited for."""
        rows = self._connection.rows(_NEW_EVENTS, self._event)
        if edition[0] != self.edition[0]:
            rows += self._connection.rows(_NEW_TRANSCRIPTS, self.edition[0])
        return {row["seq"] for row in rows}

    def _fill(self) -> None:
        """Compute every state: half a second for 100,000 labels of one's own."""
        labels: dict[int, list[_Row]] = {}
        for row in self._connection.execute(_LABELS):
            labels.setdefault(row[0], []).append(tuple(row))
        ranks = {seq: RANK[self._state(rows)] for seq, rows in labels.items()}
        ranks |= dict.fromkeys(self._drafted, RANK[LabelState.DRAFT])
        self._connection.execute("DELETE FROM temp.states")
        self._connection.raw.executemany(
            "INSERT INTO temp.states VALUES (?, ?)", ranks.items()
        )

    def _renew(self, seq: int) -> None:
        rows = self._connection.rows(f"{_LABELS} WHERE t.seq = ?", seq)
        self._connection.execute("DELETE FROM temp.states WHERE transcript = ?", seq)
        if seq in self._drafted:
            state = LabelState.DRAFT
        elif rows:
            state = self._state([tuple(row) for row in rows])
        else:
            return
        self._connection.execute(
            "INSERT INTO temp.states VALUES (?, ?)", seq, RANK[state]
        )

    def _state(self, rows: list[_Row]) -> LabelState:
        """The state that the labels of one transcript make; many are alike."""
        # Without the event: a hundred thousand labels share a few of these keys.
        key = tuple(row[1:6] for row in rows)
        if key not in self._known:
            question: Question = rows[0][1:4]
            if question not in self._forms:
                self._forms[question] = self._ask(*question)
            self._known[key] = state_of(
                self._forms[question],
                [self._label(row) for row in rows],
                drafted=False,
            )
        return self._known[key]

    def _label(self, row: _Row) -> OwnLabel:
        *_, rubric, dimensions, event = row
        return OwnLabel(
            event=event,
            rubric=rubric,
            structure=self._structures.get(rubric),
            dimensions=None if dimensions is None else codec.loads(dimensions),
        )
