"""Answers of judges and of the rule. Append-only, never read by the blind reader."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from geode_tui.domain.ids import content_hash
from geode_tui.domain.score import Verdict
from geode_tui.errors import StoreError
from geode_tui.store import codec
from geode_tui.store.connection import Connection

if TYPE_CHECKING:
    from geode_tui.store.store import Store

_PLAIN = (
    "id",
    "transcript",
    "rubric",
    "rater",
    "at",
    "model",
    "epoch",
    "state",
    "source",
    "explanation",
    "summary",
    "highlights",
)


class Verdicts:
    """Every verdict of every judge."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def append(self, verdicts: Sequence[Verdict]) -> Future[int]:
        """Store verdicts in one transaction; the future holds how many are new.

        A known id with other values (a log that was scored again) is kept too,
        under an id made from its content.

        Raises (in the future):
            StoreError: a verdict's transcript is not stored.
        """

        def job(connection: Connection) -> int:
            for verdict in verdicts:
                if not connection.value(
                    "SELECT 1 FROM transcripts WHERE id = ?", verdict.transcript
                ):
                    raise StoreError(
                        f"verdict {verdict.id} is about the unknown transcript "
                        f"{verdict.transcript!r}.",
                        hint="Import its log first.",
                    )
            return sum(append_verdict(connection, verdict) for verdict in verdicts)

        return self._store.write(job)

    def of(self, transcript: str) -> tuple[Verdict, ...]:
        """The verdicts on one transcript, in order of arrival."""
        return tuple(_read(self._store.reader, "WHERE transcript = ?", transcript))

    def all(self) -> Iterator[Verdict]:
        """Every verdict, in order of arrival."""
        return _read(self._store.reader, "")

    def raters(self, transcript: str) -> tuple[str, ...]:
        """Who gave a verdict on one transcript."""
        return tuple(
            row["rater"]
            for row in self._store.reader.rows(
                "SELECT DISTINCT rater FROM verdicts WHERE transcript = ? ORDER BY 1",
                transcript,
            )
        )


def append_verdict(connection: Connection, verdict: Verdict) -> bool:
    """Insert one verdict unless it is stored already; True where it is new."""
    known = next(_read(connection, "WHERE id = ?", verdict.id), None)
    if known is not None:
        given = codec.load(Verdict, codec.dumps(verdict), verdict.id)
        if known == given:
            return False
        digest = content_hash(codec.dumps(verdict)).removeprefix("b2:")[:12]
        verdict = verdict.model_copy(update={"id": f"{verdict.id}~{digest}"})
        if connection.value("SELECT 1 FROM verdicts WHERE id = ?", verdict.id):
            return False
    row: dict[str, Any] = {name: getattr(verdict, name) for name in _PLAIN}
    row["citations"] = codec.dumps([c.model_dump() for c in verdict.citations])
    row["metadata"] = codec.dumps(verdict.metadata)
    seq = connection.insert("verdicts", row)
    for position, score in enumerate(verdict.scores):
        connection.insert(
            "verdict_scores",
            {
                "verdict": seq,
                "position": position,
                "dimension": score.dimension,
                "value": score.value,
                "state": score.state.value,
                "raw": codec.dumps(score.raw),
                "citations": codec.dumps([c.model_dump() for c in score.citations]),
            },
        )
    return True


def _read(connection: Connection, where: str, *values: Any) -> Iterator[Verdict]:
    for row in connection.execute(
        f"SELECT * FROM verdicts {where} ORDER BY seq", *values
    ):
        scores = connection.rows(
            "SELECT * FROM verdict_scores WHERE verdict = ? ORDER BY position",
            row["seq"],
        )
        yield codec.build(
            Verdict,
            {
                **{name: row[name] for name in _PLAIN},
                "citations": codec.loads(row["citations"]),
                "metadata": codec.loads(row["metadata"]),
                "scores": [_score(score) for score in scores],
            },
            f"verdict {row['id']}",
        )


def _score(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "dimension": row["dimension"],
        "value": row["value"],
        "state": row["state"],
        "raw": codec.loads(row["raw"]),
        "citations": codec.loads(row["citations"]),
    }
