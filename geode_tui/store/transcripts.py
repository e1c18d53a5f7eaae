"""Transcripts in and out: identity, revisions, duplicates, search."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from geode_tui.domain.base import Value
from geode_tui.domain.imported import AuditorMessage, ImportedSample
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.seed import Seed
from geode_tui.domain.transcript import Transcript
from geode_tui.errors import StoreError
from geode_tui.store import codec, records, search
from geode_tui.store.connection import Connection
from geode_tui.store.schema import KEY_BITS
from geode_tui.store.verdicts import append_verdict

if TYPE_CHECKING:
    from geode_tui.store.store import Store

_SHOWN_CANDIDATES = 8


class AddOutcome(StrEnum):
    """What adding a sample did."""

    ADDED = "added"
    UNCHANGED = "unchanged"
    REVISION = "revision"
    """The same sample with other content: a new transcript beside the old one."""


class Added(Value):
    """Result of adding one sample: what happened, and the transcript's id."""

    outcome: AddOutcome
    id: str


class TranscriptFacts(Value):
    """What is known of a stored transcript without reading its messages."""

    id: str
    source: str
    log: str
    sample_id: str
    epoch: int
    revision: int
    latest: bool
    duplicate: bool
    messages: int
    branches: int
    seed: str | None
    seed_name: str
    judge_rubric: str | None


class Transcripts:
    """Every stored transcript, with what raters may not see beside it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(
        self,
        sample: ImportedSample,
        seed: Seed | None = None,
        rubric: Rubric | None = None,
    ) -> Future[Added]:
        """Store a sample in one transaction.

        Known content changes nothing but adds verdicts not seen before and
        links that were missing. Without ``seed``, a stored seed with the same
        body is linked. ``rubric`` replaces the seed's own reading of it.

        Raises (in the future):
            StoreError: the database failed, or the transcript is too long.
        """
        if seed is not None and rubric is not None and rubric.id != seed.rubric.id:
            seed = Seed.model_validate(seed.model_dump() | {"rubric": rubric})
        try:
            # Encoding is the slow part: it belongs to the importing thread.
            job = Addition(sample, seed)
        except StoreError as error:
            return self._store.failed(error)
        return self._store.write(job)

    def get(self, transcript: str) -> Transcript:
        """The transcript of this id.

        Raises:
            StoreError: there is none.
        """
        return records.TranscriptRows(self._store.reader, transcript).decode()

    def resolve(self, prefix: str) -> str:
        """The id that ``prefix`` begins; a whole id always means itself.

        Raises:
            StoreError: none or several begin so; the candidates are listed.
        """
        if prefix:
            found = [
                row["id"]
                for row in self._store.reader.rows(
                    "SELECT id FROM transcripts WHERE id >= ? AND id < ? ORDER BY id "
                    "LIMIT ?",
                    prefix,
                    f"{prefix}\U0010ffff",
                    _SHOWN_CANDIDATES + 1,
                )
            ]
            if len(found) == 1 or prefix in found:
                return prefix if prefix in found else str(found[0])
            if found:
                listed = ", ".join(found[:_SHOWN_CANDIDATES])
                more = ", …" if len(found) > _SHOWN_CANDIDATES else ""
                raise StoreError(
                    f"several transcripts begin with {prefix!r}: {listed}{more}.",
                    hint="Give more of the id.",
                )
        raise StoreError(
            f"no transcript begins with {prefix!r}.",
            hint="geode-tui list shows all of them.",
        )

    def rows(self, *, revisions: bool = False) -> Iterator[TranscriptFacts]:
        """Facts of every transcript in the order of import.

        ``revisions``: older revisions of changed samples too.
        """
        where = "" if revisions else "WHERE latest = 1"
        for row in self._store.reader.execute(
            "SELECT id, path AS source, log, sample_id, epoch, revision, latest, "
            "duplicate, messages, branches, seed, seed_name, judge_rubric "
            f"FROM transcripts {where} ORDER BY seq"
        ):
            yield TranscriptFacts.model_validate(dict(row))

    def count(self) -> int:
        """How many transcripts there are, older revisions left out."""
        return int(
            self._store.reader.value(
                "SELECT count(*) FROM transcripts WHERE latest = 1"
            )
        )

    def search(self, text: str) -> list[tuple[str, int]]:
        """Messages that hold every word of ``text``: (transcript id, ``m``)."""
        query = search.fts_query(text)
        if query is None:
            return []
        mask = (1 << KEY_BITS) - 1
        return [
            (row["id"], row["key"] & mask)
            for row in self._store.reader.rows(
                "SELECT t.id, f.rowid AS key FROM messages_fts f "
                f"JOIN transcripts t ON t.seq = f.rowid >> {KEY_BITS} "
                "WHERE messages_fts MATCH ? ORDER BY f.rowid",
                query,
            )
        ]

    def auditor(self, transcript: str) -> tuple[AuditorMessage, ...]:
        """The auditor's own conversation: reasoning and verdicts, never for raters.

        Raises:
            StoreError: there is no such transcript.
        """
        reader = self._store.reader
        return tuple(
            AuditorMessage.model_validate(dict(row))
            for row in reader.rows(
                "SELECT n, role, text, reasoning FROM auditor_messages "
                "WHERE transcript = ? ORDER BY n",
                records.seq_of(reader, transcript),
            )
        )

    def notes(self, transcript: str) -> tuple[str, ...]:
        """What the importer left out or repaired, in sentences."""
        reader = self._store.reader
        notes = reader.value(
            "SELECT notes FROM transcript_details WHERE transcript = ?",
            records.seq_of(reader, transcript),
        )
        return tuple(codec.loads(notes))


class Addition:
    """The job that stores one sample; everything is encoded beforehand."""

    def __init__(self, sample: ImportedSample, seed: Seed | None) -> None:
        transcript = sample.transcript
        self._seed = seed
        self._judge = sample.judge_rubric
        self._verdicts = sample.verdicts
        self._seed_text = transcript.seed_text
        self._row = records.source_row(transcript)
        self._messages = records.message_rows(transcript)
        self._branches = [
            {
                "n": branch.n,
                "kind": branch.kind.value,
                "parent": branch.parent,
                "forked_from": branch.forked_from,
                "own": codec.dumps(branch.own),
            }
            for branch in transcript.branches
        ]
        self._details = {
            "metadata": codec.dumps(transcript.metadata),
            "error": transcript.error,
            "numbering": transcript.numbering,
            "notes": codec.dumps(sample.notes),
        }
        self._auditor = [message.model_dump() for message in sample.auditor]

    def __call__(self, connection: Connection) -> Added:
        """Store the sample within a transaction of the caller's."""
        if self._judge is not None:
            records.put_rubric(connection, self._judge)
        known = connection.one(
            "SELECT seq, seed, judge_rubric FROM transcripts WHERE id = ?",
            self._row["id"],
        )
        if known is None:
            seq, outcome = self._insert(connection)
            self._link(connection, seq, None, None)
        else:
            seq, outcome = known["seq"], AddOutcome.UNCHANGED
            if self._link(connection, seq, known["seed"], known["judge_rubric"]):
                records.bump(connection)
        for verdict in self._verdicts:
            append_verdict(connection, verdict)
        return Added(outcome=outcome, id=self._row["id"])

    def _insert(self, connection: Connection) -> tuple[int, AddOutcome]:
        row = self._row
        before = connection.rows(
            "SELECT seq, revision, latest, content FROM transcripts "
            "WHERE log = ? AND sample_id = ? AND epoch = ?",
            row["log"],
            row["sample_id"],
            row["epoch"],
        )
        revision = 1 + max((old["revision"] for old in before), default=0)
        seq = connection.insert(
            "transcripts",
            {
                **row,
                "revision": revision,
                "latest": 1,
                "duplicate": 0,
                "seed": None,
                "seed_name": "",
                "judge_rubric": None,
            },
        )
        contents = {row["content"]}
        for old in before:
            if old["latest"]:
                contents.add(old["content"])
                connection.execute(
                    "UPDATE transcripts SET latest = 0 WHERE seq = ?", old["seq"]
                )
        _mark_duplicates(connection, seq, contents)
        self._insert_content(connection, seq)
        return seq, AddOutcome.REVISION if before else AddOutcome.ADDED

    def _insert_content(self, connection: Connection, seq: int) -> None:
        connection.insert(
            "transcript_details",
            {
                "transcript": seq,
                "seed_text": records.put_text(connection, self._seed_text),
                **self._details,
            },
        )
        offset = seq << KEY_BITS
        for message in self._messages:
            connection.insert("messages", {**message, "key": offset + message["key"]})
        for branch in self._branches:
            connection.insert("branches", {"transcript": seq, **branch})
        for message in self._auditor:
            connection.insert("auditor_messages", {"transcript": seq, **message})

    def _link(
        self, connection: Connection, seq: int, seed: str | None, judge: str | None
    ) -> bool:
        """Fill in what is not linked yet; True where something was."""
        links: dict[str, Any] = {}
        if seed is None:
            if self._seed is not None:
                if records.get_seed(connection, self._seed.id) is None:
                    records.put_seed(connection, self._seed)
                seed = self._seed.id
            elif self._row["seed_hash"]:
                seed = connection.value(
                    "SELECT id FROM seeds WHERE id = ?", self._row["seed_hash"]
                )
            if seed is not None:
                links["seed"] = seed
                links["seed_name"] = connection.value(
                    "SELECT name FROM seeds WHERE id = ?", seed
                )
        if judge is None and self._judge is not None:
            links["judge_rubric"] = self._judge.id
        if links:
            changes = ", ".join(f"{column} = ?" for column in links)
            connection.execute(
                f"UPDATE transcripts SET {changes} WHERE seq = ?", *links.values(), seq
            )
        return bool(links)


def _mark_duplicates(connection: Connection, seq: int, contents: set[str]) -> None:
    """Mark ``seq`` where an earlier transcript has its content.

    When a revision retires an older row, rows that were copies of that one are
    looked at again. Transcripts without messages are nobody's duplicates.
    """
    # The plus signs keep SQLite from walking the whole queue by another index.
    is_copy = (
        "latest = 1 AND messages > 0 AND EXISTS (SELECT 1 FROM transcripts o "
        "WHERE o.content = transcripts.content AND +o.latest = 1 "
        "AND +o.seq < transcripts.seq)"
    )
    if len(contents) == 1:
        connection.execute(
            f"UPDATE transcripts SET duplicate = ({is_copy}) WHERE seq = ?", seq
        )
        return
    for content in contents:
        connection.execute(
            f"UPDATE transcripts SET duplicate = ({is_copy}) WHERE content = ?", content
        )
