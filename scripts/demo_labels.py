"""The demo raters' labels as events, checked against rubric and transcript."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import demo_source

from geode_tui.domain.base import Span
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.score import Event, EventKind, Evidence, fits
from geode_tui.domain.transcript import Transcript
from geode_tui.files.annotations import event_line
from geode_tui.files.logs import read_log
from geode_tui.files.seeds import read_seed

STARTED = {
    "ada": datetime(2026, 10, 5, 9, 2, tzinfo=UTC),
    "ben": datetime(2026, 10, 6, 13, 31, tzinfo=UTC),
}


def label_files(transcripts: Path, seeds: Path) -> dict[str, str]:
    """File name -> JSONL of one rater's events.

    Raises:
        ValueError: a label does not fit its rubric or quotes what is not there.
    """
    rubrics = {path.name: read_seed(path).rubric for path in sorted(seeds.iterdir())}
    read = _by_sample(transcripts)
    files: dict[str, str] = {}
    for short, started in STARTED.items():
        at, events = started, []
        items = [c for c in demo_source.conversations() if short in c]
        if short == "ben":
            items = items[len(items) // 2 :] + items[: len(items) // 2]
        for item in items:
            pause = int(hashlib.sha256((short + item["id"]).encode()).hexdigest(), 16)
            at += timedelta(seconds=55 + pause % 160, milliseconds=pause % 997)
            events += _events(
                f"demo-{short}", at, item, read[item["id"]], rubrics[item["seed"]]
            )
        files[f"demo-{short}.jsonl"] = "".join(map(event_line, events))
    return files


def _by_sample(folder: Path) -> dict[str, Transcript]:
    found: dict[str, Transcript] = {}
    for path in sorted(folder.iterdir()):
        for sample in read_log(path):
            transcript: Transcript | None = getattr(sample, "transcript", None)
            if transcript is None:
                raise ValueError(f"{path.name} cannot be read back: {sample}")
            found[transcript.source.sample_id] = transcript
    return found


def _events(
    rater: str,
    at: datetime,
    item: dict[str, Any],
    transcript: Transcript,
    rubric: Rubric,
) -> list[Event]:
    label = item[rater.removeprefix("demo-")]
    events: list[Event] = []
    if first := label.get("first"):
        early = at - timedelta(seconds=31)
        events.append(_label(rater, early, item, first, transcript, rubric, None))
    earlier = events[-1].id if events else None
    events.append(_label(rater, at, item, label, transcript, rubric, earlier))
    if label.get("withdrawn"):
        later = at + timedelta(seconds=20)
        events.append(
            Event(
                event=EventKind.WITHDRAWAL,
                id=_id(rater, later, item["id"]),
                transcript=transcript.id,
                rubric=rubric.id,
                rater=rater,
                at=_stamp(later),
                supersedes=events[-1].id,
            )
        )
    return events


def _label(
    rater: str,
    at: datetime,
    item: dict[str, Any],
    label: dict[str, Any],
    transcript: Transcript,
    rubric: Rubric,
    supersedes: str | None,
) -> Event:
    targets = tuple(d.name for d in rubric.target_dimensions)
    event = Event(
        id=_id(rater, at, item["id"]),
        transcript=transcript.id,
        rubric=rubric.id,
        rater=rater,
        at=_stamp(at),
        scores=dict(sorted(demo_source.scores(label, targets).items())),
        sub_modes=tuple(_sub_mode(word, rubric) for word in label.get("modes", ())),
        flags=tuple(_flag(word, rubric) for word in label.get("flags", ())),
        evidence=tuple(_evidence(q, transcript) for q in label.get("ev", ())),
        note=label.get("note", ""),
        not_scorable=label.get("ns"),
        supersedes=supersedes,
    )
    if problems := fits(event, rubric, len(transcript.messages)):
        raise ValueError(f"{item['id']}, {rater}: {' '.join(problems)}")
    return event


def _sub_mode(word: str, rubric: Rubric) -> str:
    """The key of the sub-mode that belongs to a tool or has ``word`` in its key."""
    for mode in rubric.sub_modes:
        if word in mode.tools or word in mode.key:
            return mode.key
    known = ", ".join(m.key for m in rubric.sub_modes) or "none"
    raise ValueError(f"{rubric.family}: no sub-mode for {word!r} (it has {known})")


def _flag(word: str, rubric: Rubric) -> str:
    for channel in rubric.side_channels:
        if word in channel.key:
            return channel.key
    raise ValueError(f"{rubric.family}: no side channel for {word!r}")


def _evidence(quote: str, transcript: Transcript) -> Evidence:
    """The first place where the target itself says ``quote``."""
    for message in transcript.messages:
        start = message.text.find(quote)
        if message.by_target and start >= 0:
            span = Span(start=start, end=start + len(quote))
            return Evidence(m=message.m, span=span, quote=quote)
    raise ValueError(f"{transcript.source.sample_id}: nobody says {quote!r}")


def _id(rater: str, at: datetime, item: str) -> str:
    """A UUIDv7 of this moment whose random bits come from rater and item."""
    digest = hashlib.sha256(f"{rater}/{item}/{_stamp(at)}".encode()).digest()
    value = (
        int(at.timestamp() * 1000) << 80
        | 0x7 << 76
        | (digest[0] << 8 | digest[1]) % 4096 << 64
        | 0b10 << 62
        | int.from_bytes(digest[2:10], "big") >> 2
    )
    return str(uuid.UUID(int=value))


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
