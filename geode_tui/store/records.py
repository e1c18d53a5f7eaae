"""Transcripts, seeds and rubrics as rows, and rows as domain values.

Plain functions over a connection, shared by the full store and the blind
reader. Nothing here touches verdicts, events or the auditor's conversation.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from geode_tui.domain.ids import content_hash, text_hash
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.seed import Seed
from geode_tui.domain.transcript import Transcript, Validity
from geode_tui.errors import StoreError
from geode_tui.store import codec
from geode_tui.store.connection import Connection
from geode_tui.store.schema import KEY_BITS

MOST_MESSAGES = (1 << KEY_BITS) - 1
_NAMED = ("target_dims", "target_dim")


def named_dimensions(metadata: dict[str, Any]) -> tuple[str, ...]:
    """The dimensions that a sample's own metadata asks to be scored."""
    for key in _NAMED:
        value = metadata.get(key)
        if isinstance(value, str):
            value = value.split(",")
        if isinstance(value, (list, tuple)):
            names = dict.fromkeys(str(name).strip() for name in value)
            if found := tuple(name for name in names if name):
                return found
    return ()


def display_name(seed: Seed) -> str:
    """What the queue calls a seed: its name, else its title, else its file."""
    return seed.name or seed.title or seed.path


def bump(connection: Connection) -> None:
    """Note that what transcripts are asked may have changed."""
    connection.execute("UPDATE counters SET value = value + 1 WHERE name = 'questions'")


def put_rubric(connection: Connection, rubric: Rubric) -> None:
    """Store a rubric version; a known one stays as it is."""
    if connection.value("SELECT 1 FROM rubrics WHERE id = ?", rubric.id):
        return
    # Labels may have waited for it: what they mean is known only now.
    bump(connection)
    connection.insert(
        "rubrics",
        {
            "id": rubric.id,
            "structure": rubric.structure,
            "family": rubric.family,
            "style": rubric.style.value,
            "seed": rubric.seed,
            "document": codec.dumps(rubric),
        },
    )


def put_seed(connection: Connection, seed: Seed) -> bool:
    """Store a seed or what has changed in its front matter or rubric; True if so."""
    row = {
        "id": seed.id,
        "name": display_name(seed),
        "path": seed.path,
        "rubric": seed.rubric.id,
        "target_dimensions": codec.dumps(seed.target_dimensions),
        "document": codec.dumps(seed),
    }
    known = connection.one("SELECT * FROM seeds WHERE id = ?", seed.id)
    if known is not None and dict(known) == row:
        return False
    put_rubric(connection, seed.rubric)
    changes = ", ".join(f"{column} = excluded.{column}" for column in row)
    connection.execute(
        f"INSERT INTO seeds ({', '.join(row)}) VALUES ({', '.join('?' * len(row))}) "
        f"ON CONFLICT (id) DO UPDATE SET {changes}",
        *row.values(),
    )
    connection.execute(
        "UPDATE transcripts SET seed_name = ? WHERE seed = ?", row["name"], seed.id
    )
    bump(connection)
    return True


def get_seed(connection: Connection, seed: str) -> Seed | None:
    """The seed of this id, or None."""
    document = connection.value("SELECT document FROM seeds WHERE id = ?", seed)
    return None if document is None else codec.load(Seed, document, f"seed {seed}")


def get_rubric(connection: Connection, rubric: str) -> Rubric | None:
    """The rubric version of this id, or None."""
    document = connection.value("SELECT document FROM rubrics WHERE id = ?", rubric)
    return (
        None if document is None else codec.load(Rubric, document, f"rubric {rubric}")
    )


def source_row(transcript: Transcript) -> dict[str, Any]:
    """The columns of ``transcripts`` that follow from the transcript alone."""
    if len(transcript.messages) > MOST_MESSAGES:
        raise StoreError(
            f"has {len(transcript.messages):,} messages; "
            f"at most {MOST_MESSAGES:,} can be stored.",
            where=transcript.source.path,
            hint="Split the log.",
        )
    source = transcript.source
    return {
        "id": transcript.id,
        "log": source.log,
        "path": source.path,
        "format": source.format,
        "sample_id": source.sample_id,
        "epoch": source.epoch,
        "created": source.created,
        "task": source.task,
        "target_model": source.target_model,
        "auditor_model": source.auditor_model,
        "content": transcript.content,
        "messages": len(transcript.messages),
        "branches": len(transcript.branches),
        "validity": codec.dumps(
            [v.value for v in transcript.validity if v is not Validity.DUPLICATE]
        ),
        "seed_hash": text_hash(transcript.seed_text) if transcript.seed_text else "",
        "named_dimensions": codec.dumps(named_dimensions(transcript.metadata)),
    }


def message_rows(transcript: Transcript) -> list[dict[str, Any]]:
    """One row per message; the key still lacks the transcript's number."""
    return [
        {
            "key": message.m,
            "id": message.id,
            "role": message.role.value,
            "text": message.text,
            "segments": codec.dumps([s.model_dump() for s in message.segments])
            if message.segments
            else None,
            "tool_calls": codec.dumps([c.model_dump() for c in message.tool_calls])
            if message.tool_calls
            else None,
            "prefill": int(message.prefill),
            "tool_call_id": message.tool_call_id,
            "tool": message.tool,
            "error": message.error,
        }
        for message in transcript.messages
    ]


def put_text(connection: Connection, text: str) -> str | None:
    """Store a text that many transcripts share; its key, None for no text."""
    if not text:
        return None
    key = content_hash(text)
    connection.insert("texts", {"hash": key, "text": text}, ignore=True)
    return key


def seq_of(connection: Connection, transcript: str) -> int:
    """The row number of a transcript.

    Raises:
        StoreError: there is no such transcript.
    """
    seq = connection.value("SELECT seq FROM transcripts WHERE id = ?", transcript)
    if seq is None:
        raise StoreError(
            f"there is no transcript {transcript!r}.",
            hint="geode-tui list shows all of them.",
        )
    return int(seq)


class TranscriptRows:
    """All rows of one transcript, read but not yet made into values.

    Reading needs the connection, decoding does not: a shared connection is
    free again while a long transcript is put together.
    """

    def __init__(self, connection: Connection, transcript: str) -> None:
        """Read the rows of ``transcript``.

        Raises:
            StoreError: there is no such transcript.
        """
        self.seq = seq_of(connection, transcript)
        head = connection.one(
            "SELECT t.*, d.metadata, d.error AS sample_error, d.numbering, x.text "
            "AS seed_text FROM transcripts t "
            "JOIN transcript_details d ON d.transcript = t.seq "
            "LEFT JOIN texts x ON x.hash = d.seed_text WHERE t.seq = ?",
            self.seq,
        )
        if head is None:
            raise StoreError(
                f"transcript {transcript!r} is incomplete.", hint="Import it again."
            )
        self.head: sqlite3.Row = head
        self._messages = connection.rows(
            "SELECT * FROM messages WHERE key > ? AND key < ? ORDER BY key",
            self.seq << KEY_BITS,
            (self.seq + 1) << KEY_BITS,
        )
        self._branches = connection.rows(
            "SELECT n, kind, parent, forked_from, own FROM branches "
            "WHERE transcript = ? ORDER BY n",
            self.seq,
        )

    def decode(self) -> Transcript:
        """The transcript.

        Raises:
            StoreError: a newer version wrote what this one cannot read.
        """
        head = self.head
        validity = codec.loads(head["validity"])
        if head["duplicate"]:
            validity.append(Validity.DUPLICATE.value)
        offset = self.seq << KEY_BITS
        return codec.build(
            Transcript,
            {
                "source": {
                    name: head[name]
                    for name in (
                        "log",
                        "path",
                        "format",
                        "sample_id",
                        "epoch",
                        "created",
                        "task",
                        "target_model",
                        "auditor_model",
                    )
                },
                "messages": [_message(row, offset) for row in self._messages],
                "branches": [
                    {**dict(row), "own": codec.loads(row["own"])}
                    for row in self._branches
                ],
                "seed_text": head["seed_text"] or "",
                "metadata": codec.loads(head["metadata"]),
                "validity": validity,
                "error": head["sample_error"],
                "numbering": head["numbering"],
            },
            f"transcript {head['id']}",
        )


def _message(row: sqlite3.Row, offset: int) -> dict[str, Any]:
    value: dict[str, Any] = dict(row)
    value["m"] = value.pop("key") - offset
    value["prefill"] = bool(row["prefill"])
    for column in ("segments", "tool_calls"):
        value[column] = codec.loads(row[column]) if row[column] else ()
    return value
