"""Decisions of auditors. Append-only, never read by the blind reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from geode_tui.domain.adjudication import Adjudication
from geode_tui.errors import StoreError
from geode_tui.store import codec
from geode_tui.store.connection import Connection

if TYPE_CHECKING:
    from geode_tui.store.store import Store


class Adjudications:
    """Every decision of every auditor."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def append(self, decisions: Sequence[Adjudication]) -> Future[int]:
        """Store decisions in one transaction; the future holds how many are new.

        Raises (in the future):
            StoreError: an id is known with other content; nothing is stored.
        """

        def job(connection: Connection) -> int:
            return sum(_append(connection, decision) for decision in decisions)

        return self._store.write(job)

    def all(self) -> Iterator[Adjudication]:
        """Every decision by id: the same order wherever they were collected."""
        return self._read("")

    def by(self, rater: str) -> Iterator[Adjudication]:
        """The decisions of one auditor, by id."""
        return self._read("WHERE rater = ?", rater)

    def of(self, transcript: str) -> tuple[Adjudication, ...]:
        """The decisions about one transcript, oldest first."""
        return tuple(self._read("WHERE transcript = ?", transcript))

    def raters(self) -> tuple[str, ...]:
        """Everybody who has decided anything."""
        rows = self._store.reader.rows(
            "SELECT DISTINCT rater FROM adjudications ORDER BY 1"
        )
        return tuple(row["rater"] for row in rows)

    def _read(self, where: str, *values: Any) -> Iterator[Adjudication]:
        for row in self._store.reader.execute(
            f"SELECT id, document FROM adjudications {where} ORDER BY id", *values
        ):
            yield codec.load(Adjudication, row["document"], f"decision {row['id']}")


def _append(connection: Connection, decision: Adjudication) -> bool:
    document = connection.value(
        "SELECT document FROM adjudications WHERE id = ?", decision.id
    )
    if document is None:
        connection.insert(
            "adjudications",
            {
                "id": decision.id,
                "transcript": decision.transcript,
                "rubric": decision.rubric,
                "rater": decision.rater,
                "document": codec.dumps(decision),
            },
        )
        return True
    if codec.load(Adjudication, document, f"decision {decision.id}") == decision:
        return False
    raise StoreError(
        f"decision {decision.id} is stored already, with other content.",
        hint="Decisions never change: decide again, and the newer one counts.",
    )
