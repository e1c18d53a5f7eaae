"""What a queue of 100,000 transcripts costs, beside 1,000,000 events.

Makes a database of that size (small transcripts, ten raters who have labelled
everything), then measures what the Queue screen asks for: opening, pages at the
start, the middle and the end, counts, filters, search, the next to label, and
a submit. Latencies are medians of several runs in milliseconds; the last column
compares each with one plain ``SELECT`` of the same number of rows by primary key.

    python benchmarks/labelling_queue.py [--transcripts N] [--events N] [--keep FILE]
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from geode_tui.config import Config
from geode_tui.domain.imported import ImportedSample
from geode_tui.domain.labelling import LabelState, QueueFilter, QueueOrder
from geode_tui.domain.rubric import Dimension, Rubric, RubricStyle
from geode_tui.domain.score import Draft, Event
from geode_tui.domain.seed import Seed
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Source,
    Transcript,
)
from geode_tui.store.connection import Connection
from geode_tui.store.events import append_event, event_row
from geode_tui.store.store import Store
from geode_tui.store.transcripts import Addition
from geode_tui.workflows.annotate import Annotate

WORDS = ("account ledger tide gauge ticket parcel meter archive invoice clock").split()  # noqa: SIM905
PAGE = 50
BATCH = 2_000
RATERS = 10


def seed(n: int) -> Seed:
    dimension = Dimension(name="redundant_tool_invocation", text="Needless calls.")
    rubric = Rubric(
        style=RubricStyle.PROSE, dimensions=(dimension,), raw=f"Rubric {n}."
    )
    return Seed(
        path=f"seed-{n:02}.md",
        name=f"Scenario {n:02}",
        body=f"Body {n}.",
        target_dimensions=(dimension.name,),
        rubric=rubric,
    )


def sample(n: int, pick: random.Random, seed_text: str) -> ImportedSample:
    texts = [" ".join(pick.choices(WORDS, k=12)) for _ in range(6)]
    texts[0] += f" case{n}"
    return ImportedSample(
        transcript=Transcript(
            source=Source(
                log=f"log-{n // 500}",
                path=f"log-{n // 500}.eval",
                format="inspect",
                sample_id=f"sample-{n}",
                target_model=f"model-{n % 7}",
            ),
            messages=tuple(
                Message(m=m, role=Role.USER if m % 2 else Role.ASSISTANT, text=text)
                for m, text in enumerate(texts, 1)
            ),
            branches=(Branch(n=1, kind=BranchKind.TRUNK, own=tuple(range(1, 7))),),
            seed_text=seed_text,
        )
    )


def fill(store: Store, transcripts: int, events: int) -> None:
    """Write in large transactions: the time for this is printed, not judged."""
    pick = random.Random(7)
    seeds = [seed(n) for n in range(30)]
    for document in seeds:
        store.seeds.put(document).result()
    ids: list[tuple[str, str]] = []
    began = time.perf_counter()
    for start in range(0, transcripts, BATCH):
        numbers = range(start, min(start + BATCH, transcripts))
        samples = [sample(n, pick, seeds[n % 30].body) for n in numbers]
        jobs = [Addition(item, None) for item in samples]
        store.write(lambda c, jobs=jobs: [job(c) for job in jobs]).result()
        ids += [
            (item.transcript.id, seeds[n % 30].rubric.id)
            for n, item in zip(numbers, samples, strict=True)
        ]
    took = time.perf_counter() - began
    print(f"filled {transcripts:,} transcripts in {took:.0f} s")
    began = time.perf_counter()
    for start in range(0, events, BATCH):
        made = [
            Event(
                transcript=ids[n % len(ids)][0],
                rubric=ids[n % len(ids)][1],
                rater=f"rater-{n // len(ids) % RATERS}",
                scores={"redundant_tool_invocation": pick.randint(1, 10)},
            )
            for n in range(start, min(start + BATCH, events))
        ]
        rows = [(event, event_row(event)) for event in made]

        def job(connection: Connection, rows: list = rows) -> None:
            for event, row in rows:
                append_event(connection, event, row)

        store.write(job).result()
    print(f"filled {events:,} events in {time.perf_counter() - began:.0f} s")


def median_ms(work: Callable[..., object], *values: object, runs: int = 7) -> float:
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work(*values)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def once_ms(work: Callable[..., object], *values: object) -> float:
    return median_ms(work, *values, runs=1)


class Table:
    """Latencies, each beside the floor."""

    def __init__(self, store: Store, middle: int) -> None:
        sql = "SELECT * FROM transcripts WHERE seq BETWEEN ? AND ?"
        rows = store.reader.rows
        self.floor = median_ms(rows, sql, middle, middle + PAGE - 1, runs=21)
        self.row(f"floor: {PAGE} rows by primary key", self.floor)

    def row(self, name: str, took: float) -> None:
        """Print one latency in ms."""
        print(f"{name:<52}{took:>10.2f} ms{took / self.floor:>10.1f} x", flush=True)


def measure_reading(table: Table, annotate: Annotate, who: str, size: int) -> None:
    plain, todo = QueueFilter(), QueueFilter(states=(LabelState.TODO,))
    table.row(f"[{who}] first page", once_ms(annotate.page, plain, 0, PAGE))
    table.row(f"[{who}] page at the start", median_ms(annotate.page, plain, 0, PAGE))
    end = median_ms(annotate.page, plain, size - PAGE, PAGE)
    table.row(f"[{who}] page at the end", end)
    for order in QueueOrder:
        chosen = QueueFilter(order=order, descending=True)
        took = median_ms(annotate.page, chosen, size // 2, PAGE)
        table.row(f"[{who}] page in the middle, by {order.value}", took)
        row = annotate.page(chosen, size // 2, 1)[0]
        took = median_ms(annotate.position, chosen, row.id)
        table.row(f"[{who}] position of a row, by {order.value}", took)
    table.row(f"[{who}] count of a state", once_ms(annotate.count, todo))
    table.row(f"[{who}] the same again", median_ms(annotate.count, todo))
    table.row(f"[{who}] progress", median_ms(annotate.progress))
    table.row(f"[{who}] next to do", median_ms(annotate.next_todo, plain))
    for text in ("case77", "ledger tide", "ledger"):
        chosen = QueueFilter(text=text)
        took = once_ms(annotate.count, chosen)
        found = annotate.count(chosen)
        table.row(f"[{who}] search {text!r}, {found:,} found", took)
        took = median_ms(annotate.page, chosen, found // 2, PAGE)
        table.row(f"[{who}] page of it", took)


def measure_writing(table: Table, annotate: Annotate, middle: int) -> None:
    plain = QueueFilter()
    shown = annotate.page(plain, middle, 1)[0].id
    task = annotate.task(shown)
    scores = iter(range(1000))

    def draft() -> None:
        annotate.save_draft(shown, Draft(note=str(next(scores)))).result()

    def submit() -> None:
        answer = {"redundant_tool_invocation": next(scores) % 10 + 1}
        annotate.submit(task, Draft(scores=answer)).result()

    table.row("open a transcript", median_ms(annotate.task, shown))
    table.row("save a draft (on the disk)", median_ms(draft))
    table.row("page after a draft", once_ms(annotate.page, plain, 0, PAGE))
    table.row("submit (on the disk), task read again", median_ms(submit))
    table.row("page after a submit", once_ms(annotate.page, plain, 0, PAGE))
    table.row("progress after that", once_ms(annotate.progress))


def measure(path: Path, transcripts: int) -> None:
    began = time.perf_counter()
    with Store.open(path) as store:
        opened = (time.perf_counter() - began) * 1000
        table = Table(store, transcripts // 2)
        table.row("open the store, sqlite-utils imported", opened)
        for rater, who in (("newcomer", "no label"), ("rater-3", "all labelled")):
            began = time.perf_counter()
            annotate = Annotate(store, Config(), rater)
            made = (time.perf_counter() - began) * 1000
            table.row(f"[{who}] make the reader, once", made)
            measure_reading(table, annotate, who, transcripts)
        measure_writing(table, Annotate(store, Config(), "rater-3"), transcripts // 2)
        count = store.events.count()
        took = once_ms(lambda: sum(1 for _ in store.events.all()))
        table.row(f"read all {count:,} events", took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transcripts", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="a database to make and use again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or Path(folder) / "geode.db"
        if not path.exists():
            with Store.open(path) as store:
                fill(store, given.transcripts, given.events)
        print(f"{path.stat().st_size / 1e6:,.0f} MB")
        measure(path, given.transcripts)


if __name__ == "__main__":
    main()
