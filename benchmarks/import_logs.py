"""Time of an import against inspect_ai's own per-sample reader, same logs.

::

    python benchmarks/import_logs.py ../shared/transcripts [ROUNDS]

Goal: at most 1.5 times the reader's time. Both run on a thread that is not the
main one, where the reader is faster; best of the rounds, after a warm-up that
imports inspect_ai. The last line is a whole import, database included.
"""

from __future__ import annotations

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from inspect_ai.log import read_eval_log_sample, read_eval_log_sample_summaries

from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.files.logs import log_paths, read_log
from geode_tui.workflows.intake import FileResult, import_paths, summarise
from geode_tui.workflows.workspace import init_workspace


def bare(paths: list[Path]) -> int:
    """Every sample by inspect_ai alone."""
    samples = 0
    for path in paths:
        for summary in read_eval_log_sample_summaries(path):
            read_eval_log_sample(
                path, id=summary.id, epoch=summary.epoch, resolve_attachments=True
            )
            samples += 1
    return samples


def ours(paths: list[Path]) -> int:
    """Every sample as a transcript with verdicts."""
    samples = 0
    for path in paths:
        for item in read_log(path):
            if isinstance(item, Refused):
                raise SystemExit(f"{item.path}: {item.reason}")
            samples += isinstance(item, ImportedSample)
    return samples


def whole(paths: list[Path]) -> int:
    """Every sample into a new workspace's database."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = init_workspace(Path(folder) / "w")
        with workspace.open_store() as store:
            steps = list(import_paths(store, workspace, paths))
    return summarise([s for s in steps if isinstance(s, FileResult)]).added


def best(paths: list[Path], rounds: int) -> list[float]:
    """Best seconds of each run; they take turns, so that noise hits all alike."""
    runs = (bare, ours, whole)
    seconds: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, taken in zip(runs, seconds, strict=True):
            start = time.perf_counter()
            run(paths)
            taken.append(time.perf_counter() - start)
    return [min(taken) for taken in seconds]


def peak(run: Callable[[list[Path]], int], paths: list[Path]) -> float:
    """Highest memory in use above the start, MB."""
    tracemalloc.start()
    run(paths)
    highest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return highest / 1e6


def main(folder: Path, rounds: int) -> None:
    paths = [p for p in log_paths([folder]) if p.suffix in (".eval", ".json")]
    samples = bare(paths)
    if ours(paths) != samples:
        raise SystemExit("the two readers do not read the same samples")
    by_inspect, by_us, in_all = best(paths, rounds)
    print(f"{len(paths)} logs, {samples} samples")
    print(f"inspect_ai per sample  {by_inspect:6.2f} s {peak(bare, paths):6.1f} MB")
    print(f"read_log               {by_us:6.2f} s {peak(ours, paths):6.1f} MB")
    print(f"with the database      {in_all:6.2f} s")
    print(f"ratio, reading         {by_us / by_inspect:6.2f}   (goal 1.5)")
    print(f"ratio, whole import    {in_all / by_inspect:6.2f}   (goal 1.5)")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(main, Path(sys.argv[1]), times).result()
