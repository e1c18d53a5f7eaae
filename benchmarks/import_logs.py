"""Time of an import against inspect_ai's own per-sample reader, same logs.

::

    python benchmarks/import_logs.py ../shared/transcripts [ROUNDS]

Goal: at most 1.5 times the reader's time. On the main thread the reader spends
half its time on signal handlers; so it is measured there, as a script calls it,
and on another thread, where an import runs it. Best of the rounds, taking turns,
after a warm-up that imports inspect_ai.
"""

from __future__ import annotations

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
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
    with ThreadPoolExecutor(max_workers=1) as thread:

        def aside(paths: list[Path]) -> int:
            return thread.submit(bare, paths).result()

        return _best((bare, aside, ours, whole), paths, rounds)


def _best(
    runs: Sequence[Callable[[list[Path]], int]], paths: list[Path], rounds: int
) -> list[float]:
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
    on_main, aside, by_us, in_all = best(paths, rounds)
    print(f"{len(paths)} logs, {samples} samples; seconds, and times the reader's")
    print(f"inspect_ai, main thread   {on_main:6.2f}")
    print(f"inspect_ai, other thread  {aside:6.2f}")
    for name, seconds in (("read_log", by_us), ("with the database", in_all)):
        ratios = f"{seconds / on_main:6.2f} {seconds / aside:6.2f}   (goal 1.5)"
        print(f"{name:<25} {seconds:6.2f} {ratios}")
    print(
        f"peak: inspect_ai {peak(bare, paths):.1f} MB, ours {peak(ours, paths):.1f} MB"
    )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
