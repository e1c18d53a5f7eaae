"""Intake: seeds, logs and annotation files into the store, one item at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from geode_tui.domain.base import Value
from geode_tui.domain.families import share_families
from geode_tui.domain.ids import text_hash
from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.domain.seed import Seed
from geode_tui.errors import GeodeError, SeedError
from geode_tui.files.annotations import is_event_file
from geode_tui.workflows.exchange import import_events
from geode_tui.workflows.workspace import Workspace

if TYPE_CHECKING:
    from geode_tui.store.store import Store


class FileStatus(StrEnum):
    """What became of one file."""

    ADDED = "added"
    """All of it was read and something was new."""
    UNCHANGED = "unchanged"
    """All of it was read and known already."""
    PARTIAL = "partial"
    """Some of it was read, some refused."""
    REFUSED = "refused"
    """Nothing of it was read."""


class Step(Value):
    """How far the file in hand is.

    Attributes:
        done: samples of this file handled so far.
        total: samples it has; None where that is not known beforehand.
    """

    path: str
    done: int
    total: int | None = None


class FileResult(Value):
    """What became of one file.

    Attributes:
        reason: why something was refused, in one sentence; None otherwise.
        transcripts: transcripts read from it, new or known.
        added: new transcripts; changed ones (new revisions) count here too.
        unchanged: transcripts that were there already.
        events: annotation events read from it, new or known.
        events_added: new annotation events.
        refused: every sample or line that could not be read.
        notes: facts about what was read (a sample's own error, repairs).
    """

    path: str
    status: FileStatus
    reason: str | None = None
    transcripts: int = 0
    added: int = 0
    unchanged: int = 0
    events: int = 0
    events_added: int = 0
    refused: tuple[Refused, ...] = ()
    notes: tuple[str, ...] = ()


class ImportSummary(Value):
    """What an import came to. Counts of transcripts, events and refusals."""

    files: tuple[FileResult, ...]
    added: int
    unchanged: int
    events: int
    events_added: int
    refused: int

    @property
    def nothing_read(self) -> bool:
        """True where no transcript and no event could be read."""
        return not (self.added or self.unchanged or self.events)


class SeedIntake(Value):
    """The workspace's seeds as they were just read.

    Attributes:
        seeds: one per body; of several files with the same body, the first.
        refused: documents that could not be read.
    """

    seeds: tuple[Seed, ...]
    refused: tuple[Refused, ...]


def load_seeds(store: Store, workspace: Workspace) -> SeedIntake:
    """Read the workspace's seeds and store them; their transcripts are linked.

    Raises:
        StoreError: the database cannot be written.
    """
    from geode_tui.files.seeds import read_seed, seed_paths

    if not workspace.seeds_dir.is_dir():
        return SeedIntake(seeds=(), refused=())
    seeds: dict[str, Seed] = {}
    refused: list[Refused] = []
    for path in seed_paths([workspace.seeds_dir]):
        try:
            seed = read_seed(path)
        except SeedError as error:
            refused.append(Refused(path=str(path), reason=str(error), whole_file=True))
        else:
            seeds.setdefault(seed.id, seed)
    kept = tuple(share_families(tuple(seeds.values())))
    for seed in kept:
        store.seeds.put(seed).result()
    return SeedIntake(seeds=kept, refused=tuple(refused))


def import_paths(
    store: Store, workspace: Workspace, paths: Iterable[Path]
) -> Iterator[Step | FileResult]:
    """Import logs and annotation files; folders are walked.

    One sample is in memory at a time. What cannot be read is refused by file,
    sample or line and costs nothing else. Importing again changes nothing.

    Yields:
        a ``Step`` after each sample, a ``FileResult`` after each file.

    Raises:
        StoreError: the database cannot be written.
    """
    from geode_tui.files.logs import log_paths

    seeds = {seed.id: seed for seed in load_seeds(store, workspace).seeds}
    for path in log_paths(paths):
        if is_event_file(path):
            yield Step(path=str(path), done=0)
            yield _import_events(store, path)
        else:
            yield from _import_log(store, workspace, path, seeds)


def summarise(results: Sequence[FileResult]) -> ImportSummary:
    """The sums over all files."""
    return ImportSummary(
        files=tuple(results),
        added=sum(r.added for r in results),
        unchanged=sum(r.unchanged for r in results),
        events=sum(r.events for r in results),
        events_added=sum(r.events_added for r in results),
        refused=sum(len(r.refused) for r in results),
    )


def _import_log(
    store: Store, workspace: Workspace, path: Path, seeds: dict[str, Seed]
) -> Iterator[Step | FileResult]:
    from geode_tui.files.logs import count_samples, read_log

    total = count_samples(path)
    yield Step(path=str(path), done=0, total=total)
    done = added = unchanged = 0
    refused: list[Refused] = []
    notes: list[str] = []
    patterns = workspace.config.imports.harness_errors
    for item in read_log(path, harness_errors=patterns):
        done += 1
        if isinstance(item, Refused):
            refused.append(item)
        else:
            seed = _seed_of(item, seeds, notes)
            rubric = seed.rubric if seed else None
            result = store.transcripts.add(item, seed, rubric).result()
            if result.outcome == "unchanged":
                unchanged += 1
            else:
                added += 1
            notes += _notes_of(item)
        yield Step(path=str(path), done=done, total=total)
    if not done:
        refused.append(
            Refused(
                path=str(path), reason="The file holds no samples.", whole_file=True
            )
        )
    yield FileResult(
        path=str(path),
        status=_status(added, unchanged, refused),
        reason=_reason(refused),
        transcripts=added + unchanged,
        added=added,
        unchanged=unchanged,
        refused=tuple(refused),
        notes=tuple(notes),
    )


def _import_events(store: Store, path: Path) -> FileResult:
    taken = import_events(store, path)
    known = taken.read - taken.added
    return FileResult(
        path=str(path),
        status=_status(taken.added, known, taken.refused),
        reason=_reason(taken.refused),
        events=taken.read,
        events_added=taken.added,
        refused=taken.refused,
    )


def _seed_of(
    sample: ImportedSample, seeds: dict[str, Seed], notes: list[str]
) -> Seed | None:
    """The workspace's seed with the sample's body, else the log's own text of it."""
    from geode_tui.files.seeds import parse_seed

    transcript = sample.transcript
    if not transcript.seed_text.strip():
        return None
    identity = text_hash(transcript.seed_text)
    if identity not in seeds:
        try:
            seed = parse_seed(
                transcript.seed_text,
                path=transcript.source.sample_id,
                metadata=transcript.metadata,
            )
        except GeodeError as error:
            notes.append(f"{_name(sample)}: its seed cannot be read: {error}")
            return None
        # A sample is called after its seed; a heading says less.
        name = seed.name or transcript.source.sample_id
        seeds[identity] = seed.model_copy(update={"name": name})
    return seeds[identity]


def _notes_of(sample: ImportedSample) -> list[str]:
    name = _name(sample)
    notes = [f"{name}: {note}" for note in sample.notes]
    error = sample.transcript.error
    if error and not any(error in note for note in notes):
        notes.append(f"{name}: it ended with an error: {error}")
    return notes


def _name(sample: ImportedSample) -> str:
    source = sample.transcript.source
    return f"sample {source.sample_id} epoch {source.epoch}"


def _status(added: int, unchanged: int, refused: Sequence[Refused]) -> FileStatus:
    if refused:
        return FileStatus.PARTIAL if added or unchanged else FileStatus.REFUSED
    return FileStatus.ADDED if added else FileStatus.UNCHANGED


def _reason(refused: Sequence[Refused]) -> str | None:
    if not refused:
        return None
    more = f" ({len(refused) - 1} more)" if len(refused) > 1 else ""
    return refused[0].reason + more
