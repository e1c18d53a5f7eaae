"""Inspect logs (``.eval`` and ``.json``), read sample by sample.

``inspect_ai`` does the reading (zstd zips, message pools, attachments); it
takes seconds to import and is imported only when a log is read.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.files.inspect_sample import ScoresOnly, import_sample
from geode_tui.files.limits import UnreadableError, read_json, size_words

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

LARGEST_SAMPLE = 2 * 1024 * 1024 * 1024
"""Bytes of unpacked JSON: the largest sample that is read."""

_HEADERS = frozenset({"header.json", "_journal/start.json"})
_PREFIX, _EPOCH, _SUFFIX = "samples/", "_epoch_", ".json"

Read = ImportedSample | Refused


@dataclass(frozen=True)
class _Place:
    """A sample of a log: where it is, and how to read it."""

    sample_id: str
    epoch: int
    read: Callable[[], EvalSample]
    problem: str | None = None


def is_inspect_log(data: Any) -> bool:
    """True where a JSON document is an Inspect log."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("eval"), Mapping)
        and "status" in data
    )


def read_inspect_log(path: Path, harness_errors: tuple[str, ...]) -> Iterator[Read]:
    """The samples of a log; what cannot be read is refused one by one.

    Raises:
        UnreadableError: nothing of the file can be read.
        OSError: the file cannot be opened.
    """
    is_zip = zipfile.is_zipfile(path)
    if not is_zip and _begins_like_zip(path):
        raise UnreadableError(
            "The zip is damaged or cut short. Copy the log again; for a log whose"
            " run was broken off, `inspect log recover` may help."
        )
    # On the main thread each read would install and remove signal handlers,
    # which takes longer than the reading.
    with ThreadPoolExecutor(max_workers=1) as reader:
        opening = reader.submit(_open_zip if is_zip else _open_json, path)
        yield from _samples(path, *opening.result(), harness_errors, reader)


def _samples(
    path: Path,
    header: EvalLog,
    places: Iterator[_Place],
    harness_errors: tuple[str, ...],
    reader: Executor,
) -> Iterator[Read]:
    scores_only: list[tuple[_Place, str]] = []
    imported = 0
    for place in places:
        if place.problem is not None:
            yield _refused(path, place, place.problem)
            continue
        try:
            sample = reader.submit(place.read).result()
        except Exception as error:  # whatever inspect_ai raises costs one sample
            yield _refused(path, place, f"The sample cannot be read: {_why(error)}.")
            continue
        try:
            found = import_sample(sample, header, path.name, harness_errors)
        except ScoresOnly as error:
            scores_only.append((place, str(error)))
            continue
        except Exception as error:
            yield _refused(path, place, f"The sample is not understood: {_why(error)}.")
            continue
        del sample
        if isinstance(found, str):
            yield _refused(path, place, found)
        else:
            imported += 1
            yield found
    yield from _score_only_refusals(path, scores_only, imported)


def _score_only_refusals(
    path: Path, found: list[tuple[_Place, str]], imported: int
) -> Iterator[Refused]:
    if found and not imported:
        yield Refused(
            path=str(path),
            reason=f"This log holds only scores ({found[0][1]}) for {len(found)}"
            " sample(s) and no messages, so there is nothing to read or label."
            " Import the log of the audit itself.",
            whole_file=True,
        )
        return
    for place, names in found:
        yield _refused(
            path, place, f"The sample holds only scores ({names}) and no messages."
        )


def _open_zip(path: Path) -> tuple[EvalLog, Iterator[_Place]]:
    from inspect_ai.log import read_eval_log

    with zipfile.ZipFile(path) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    if not _HEADERS & sizes.keys():
        raise UnreadableError(
            "This zip is no Inspect log: it has no header. Name the log itself."
        )
    try:
        header = read_eval_log(path.absolute(), header_only=True, format="eval")
    except Exception as error:
        raise UnreadableError(
            f"The log's header cannot be read: {_why(error)}. Copy the log again, or"
            " read it with a newer inspect_ai."
        ) from error
    listed = _listed_in_zip(path.absolute(), sizes)
    return header, _places_in_zip(path.absolute(), listed, sizes)


def _listed_in_zip(path: Path, sizes: Mapping[str, int]) -> dict[tuple[str, int], None]:
    """(sample id, epoch) in the order of the log's summaries, then any others."""
    from inspect_ai.log import read_eval_log_sample_summaries

    entries = {name for name in sizes if name.startswith(_PREFIX)}
    listed: dict[tuple[str, int], None] = {}
    try:
        for summary in read_eval_log_sample_summaries(path, format="eval"):
            listed[str(summary.id), summary.epoch] = None
    except Exception:
        listed.clear()  # the entries themselves say what there is
    for name in sorted(entries):
        stem = name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
        name_of_sample, _, digits = stem.rpartition(_EPOCH)
        if digits.isdigit():
            listed.setdefault((name_of_sample, int(digits)), None)
    return listed


def _places_in_zip(
    path: Path, listed: Mapping[tuple[str, int], None], sizes: Mapping[str, int]
) -> Iterator[_Place]:
    from inspect_ai.log import read_eval_log_sample

    for sample_id, epoch in listed:
        size = sizes.get(f"{_PREFIX}{sample_id}{_EPOCH}{epoch}{_SUFFIX}", 0)
        problem = None
        if size > LARGEST_SAMPLE:
            problem = (
                f"The sample has {size_words(size)}; the limit is"
                f" {size_words(LARGEST_SAMPLE)}. Log fewer events."
            )

        def read(sample_id: str = sample_id, epoch: int = epoch) -> EvalSample:
            return read_eval_log_sample(
                path,
                id=sample_id,
                epoch=epoch,
                resolve_attachments=True,
                format="eval",
            )

        yield _Place(sample_id, epoch, read, problem)


def _open_json(path: Path) -> tuple[EvalLog, Iterator[_Place]]:
    data: Any = read_json(path)
    if not is_inspect_log(data):
        raise UnreadableError("This JSON is no Inspect log.")
    samples = data.pop("samples", None)
    try:
        header = _parse(data)
    except Exception as error:
        raise UnreadableError(
            f"The log's header cannot be read: {_why(error)}. Write the log again, or"
            " read it with a newer inspect_ai."
        ) from error
    if not isinstance(samples, list) or not samples:
        raise UnreadableError(
            "The log has no samples, only a header and results. Import the log of the"
            " run itself."
        )
    return header, _places_in_json(data, samples)


def _places_in_json(data: dict[str, Any], samples: list[Any]) -> Iterator[_Place]:
    """Each sample as a log of its own, so that a bad one costs only itself."""
    for number, raw in enumerate(samples, 1):
        known = isinstance(raw, Mapping)
        epoch = raw.get("epoch") if known else None

        def read(raw: Any = raw) -> EvalSample:
            log = _parse({**data, "samples": [raw]})
            if not log.samples:
                raise ValueError("it is empty")
            return log.samples[0]

        yield _Place(
            str(raw.get("id", number)) if known else f"number {number}",
            epoch if isinstance(epoch, int) else 1,
            read,
        )


def _parse(data: Mapping[str, Any]) -> EvalLog:
    from inspect_ai.log import read_eval_log

    stream = io.BytesIO(json.dumps(data).encode("ascii"))
    return read_eval_log(stream, resolve_attachments=True, format="json")


def _begins_like_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"PK"


def _refused(path: Path, place: _Place, reason: str) -> Refused:
    return Refused(
        path=str(path), reason=reason, sample_id=place.sample_id, epoch=place.epoch
    )


def _why(error: Exception) -> str:
    """An error in a few words; the many lines of a validation error cut."""
    first = str(error).strip().split("\n")
    text = " ".join(line.strip() for line in first[:3])[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
