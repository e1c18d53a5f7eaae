"""One rater's states in a temporary table, kept up to date step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from geode_tui.domain.forms import OwnLabel, state_of
from geode_tui.domain.labelling import Form, LabelState
from geode_tui.store import codec
from geode_tui.store.connection import Connection
from geode_tui.store.queue_sql import RANK

Question = tuple[str | None, str | None, str]
"""What a transcript's forms follow from: seed, judge rubric, named dimensions."""

_LABELS = """
    SELECT t.seq, t.seed, t.judge_rubric, t.named_dimensions,
        l.rubric, l.event, l.dimensions,
        (SELECT structure FROM rubrics WHERE id = l.rubric) AS structure
    FROM own_labels l JOIN transcripts t ON t.id = l.transcript
"""


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
        self._known: dict[tuple[Question, tuple[object, ...]], LabelState] = {}
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
        transcripts, questions = self.edition
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
        if edition[1] != questions:
            self._forms.clear()
            self._known.clear()
            changed = None
        elif changed is not None:
            changed |= self._touched(transcripts, self._event)
        if changed is None:
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
        return [
            _label(row["event"], row["rubric"], row["structure"], row["dimensions"])
            for row in rows
        ]

    def _touched(self, transcripts: int, event: int) -> set[int]:
        """Transcripts with new events, and new transcripts that events waited for."""
        rows = self._connection.rows(
            "SELECT t.seq FROM own_events e JOIN transcripts t ON t.id = e.transcript "
            "WHERE e.seq > ? UNION "
            "SELECT t.seq FROM transcripts t JOIN own_labels l ON l.transcript = t.id "
            "WHERE t.seq > ?",
            event,
            transcripts,
        )
        return {row["seq"] for row in rows}

    def _fill(self) -> None:
        self._connection.execute("DELETE FROM temp.states")
        rows = self._connection.execute(f"{_LABELS} ORDER BY t.seq")
        ranks: dict[int, int] = dict.fromkeys(self._drafted, RANK[LabelState.DRAFT])
        for seq, group in groupby(map(tuple, rows), key=lambda row: row[0]):
            if seq not in ranks:
                ranks[seq] = RANK[self._state(group)]
        self._connection.raw.executemany(
            "INSERT INTO temp.states VALUES (?, ?)", ranks.items()
        )

    def _renew(self, seq: int) -> None:
        rows = [
            tuple(row)
            for row in self._connection.rows(f"{_LABELS} WHERE t.seq = ?", seq)
        ]
        self._connection.execute("DELETE FROM temp.states WHERE transcript = ?", seq)
        if seq in self._drafted:
            state = LabelState.DRAFT
        elif rows:
            state = self._state(rows)
        else:
            return
        self._connection.execute(
            "INSERT INTO temp.states VALUES (?, ?)", seq, RANK[state]
        )

    def _state(self, rows: Iterable[tuple[object, ...]]) -> LabelState:
        """The state that the labels of one transcript make; many are alike."""
        labels = list(rows)
        _, seed, judge, named = labels[0][:4]
        question: Question = (
            None if seed is None else str(seed),
            None if judge is None else str(judge),
            str(named),
        )
        # Without the event: a hundred thousand labels share a few of these keys.
        key = (question, tuple((row[4], row[6], row[7]) for row in labels))
        if key not in self._known:
            if question not in self._forms:
                self._forms[question] = self._ask(*question)
            self._known[key] = state_of(
                self._forms[question],
                [_label(row[5], row[4], row[7], row[6]) for row in labels],
                drafted=False,
            )
        return self._known[key]


def _label(
    event: object, rubric: object, structure: object, dimensions: object
) -> OwnLabel:
    scored = None if dimensions is None else frozenset(codec.loads(str(dimensions)))
    return OwnLabel(
        event=str(event),
        rubric=str(rubric),
        structure=None if structure is None else str(structure),
        dimensions=scored,
    )
