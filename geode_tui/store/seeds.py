"""Seeds and rubric versions by content hash."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from geode_tui.domain.rubric import Rubric
from geode_tui.domain.seed import Seed
from geode_tui.errors import StoreError
from geode_tui.store import codec, records
from geode_tui.store.connection import Connection

if TYPE_CHECKING:
    from geode_tui.store.store import Store


class Seeds:
    """Scenario documents. The body is the identity; front matter may change."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, seed: Seed) -> Future[int]:
        """Store a seed and link the transcripts whose log holds the same body.

        A known body takes the new front matter and the new reading of its
        rubric; older rubric versions stay. The future holds how many
        transcripts were newly linked.
        """

        def job(connection: Connection) -> int:
            records.put_seed(connection, seed)
            linked = connection.execute(
                "UPDATE transcripts SET seed = ?, seed_name = ? "
                "WHERE seed IS NULL AND seed_hash = ?",
                seed.id,
                records.display_name(seed),
                seed.id,
            ).rowcount
            if linked:
                records.bump(connection)
            return linked

        return self._store.write(job)

    def get(self, seed_id: str) -> Seed:
        """The seed of this id.

        Raises:
            StoreError: there is none.
        """
        seed = records.get_seed(self._store.reader, seed_id)
        if seed is None:
            raise StoreError(
                f"there is no seed {seed_id!r}.",
                hint="Put it into seeds/ and import again.",
            )
        return seed

    def of(self, transcript: str) -> Seed | None:
        """The seed that a transcript is linked to, or None.

        Raises:
            StoreError: there is no such transcript.
        """
        reader = self._store.reader
        seq = records.seq_of(reader, transcript)
        found = reader.value("SELECT seed FROM transcripts WHERE seq = ?", seq)
        return None if found is None else self.get(found)

    def all(self) -> list[Seed]:
        """Every seed, by file name."""
        return [
            codec.load(Seed, row["document"], row["path"])
            for row in self._store.reader.rows(
                "SELECT path, document FROM seeds ORDER BY path, id"
            )
        ]


class Rubrics:
    """Rubric versions, of seeds and of judges. A version never changes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, rubric: Rubric) -> Future[None]:
        """Store a rubric version; a known one stays as it is."""
        return self._store.write(lambda c: records.put_rubric(c, rubric))

    def get(self, rubric_id: str) -> Rubric:
        """The rubric version of this id.

        Raises:
            StoreError: there is none.
        """
        rubric = records.get_rubric(self._store.reader, rubric_id)
        if rubric is None:
            raise StoreError(
                f"there is no rubric version {rubric_id!r}.",
                hint="Import the log or the seed that it comes from.",
            )
        return rubric

    def all(self) -> list[Rubric]:
        """Every rubric version, in order of arrival."""
        return [
            codec.load(Rubric, row["document"], row["id"])
            for row in self._store.reader.rows(
                "SELECT id, document FROM rubrics ORDER BY rowid"
            )
        ]
