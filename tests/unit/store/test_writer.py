"""What is acknowledged is on the disk, whoever else writes and however we end."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from geode_tui.domain.score import Draft, Event
from geode_tui.errors import StoreError
from geode_tui.store.connection import Connection
from geode_tui.store.store import Store
from geode_tui.store.writer import transact

APPENDING = """
import sys
from pathlib import Path
from geode_tui.domain.score import Draft, Event
from geode_tui.store.store import Store

path, rater, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = Store.open(path)
for n in range(count):
    event = Event(transcript=f"t{n}", rubric="r", rater=rater, scores={"d": n % 10 + 1})
    store.drafts.save(rater, f"t{n}", Draft(note=str(n))).result()
    store.events.append([event], clear_draft=(rater, f"t{n}")).result()
    print(event.id, flush=True)
store.close()
"""


def appending(database: Path, rater: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", APPENDING, str(database), rater, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def label(n: int = 0) -> Event:
    return Event(transcript=f"t{n}", rubric="r", rater="ada", scores={"d": 3})


@pytest.mark.parametrize("acknowledged", [1, 2, 5, 20, 80, 200])
def test_a_killed_process_loses_no_acknowledged_event(
    database: Path, acknowledged: int
) -> None:
    process = appending(database, "ada", 1_000_000)
    assert process.stdout is not None
    seen = [process.stdout.readline().strip() for _ in range(acknowledged)]
    process.kill()
    rest, _ = process.communicate()
    seen += [line for line in rest.split("\n") if len(line) == len(seen[0])]
    with Store.open(database) as store:
        kept = [event.id for event in store.events.all()]
        assert kept[: len(seen)] == seen
        # At most the one whose acknowledgement was on its way.
        assert len(kept) - len(seen) <= 1
        assert store.check() == ()


def test_processes_that_write_at_once_all_succeed(database: Path) -> None:
    Store.open(database).close()
    running = [appending(database, f"rater-{n}", 60) for n in range(4)]
    acknowledged: list[str] = []
    for process in running:
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        acknowledged += out.split()
    with Store.open(database) as store:
        kept = {event.id for event in store.events.all()}
        assert len(acknowledged) == 240
        assert kept == set(acknowledged)
        assert store.check() == ()


def test_a_writer_waits_for_another_program(store: Store, database: Path) -> None:
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    future = store.events.append([label()])
    # Reading goes on meanwhile, and nobody says "saved" yet.
    assert list(store.events.all()) == []
    assert not future.done()
    other.execute("ROLLBACK")
    other.close()
    assert future.result() == 1


def test_patience_ends_in_words(database: Path) -> None:
    Store.open(database).close()
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    connection = Connection(database, wait=0.0)
    with pytest.raises(StoreError, match="another program holds") as caught:
        transact(connection, lambda c: None, patience=0.05)
    assert "Close what else" in caught.value.hint
    other.close()
    transact(connection, lambda c: c.execute("DELETE FROM drafts"))
    connection.close()


def test_many_threads_may_write_and_read(store: Store) -> None:
    def work(thread: int) -> int:
        for n in range(25):
            store.events.append([label(100 * thread + n)]).result()
            assert store.events.count() >= n + 1
        return store.events.count()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert store.events.count() == 200


def test_readers_of_ended_threads_are_closed(store: Store) -> None:
    for _ in range(20):
        thread = threading.Thread(target=store.events.count)
        thread.start()
        thread.join()
    assert len(store._readers) <= 2


def test_closing_writes_what_is_queued(database: Path) -> None:
    store = Store.open(database)
    for n in range(200):
        store.events.append([label(n)])
    store.close()
    with Store.open(database) as again:
        assert again.events.count() == 200


def test_ending_the_program_writes_what_is_queued(database: Path) -> None:
    code = APPENDING.replace(".result()", "").replace("store.close()", "")
    subprocess.run(
        [sys.executable, "-c", code, str(database), "ada", "200"],
        check=True,
        capture_output=True,
    )
    with Store.open(database) as store:
        assert store.events.count() == 200


def test_a_cancelled_future_is_written_all_the_same(
    store: Store, database: Path
) -> None:
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    first, second = store.events.append([label(1)]), store.events.append([label(2)])
    assert not second.cancel()
    other.execute("ROLLBACK")
    other.close()
    assert (first.result(), second.result()) == (1, 1)


def test_a_closed_store_says_so(database: Path) -> None:
    store = Store.open(database)
    blind = store.blind("ada")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.events.append([label()]).result()
    with pytest.raises(StoreError, match="closed"):
        store.events.count()
    with pytest.raises(StoreError, match="closed"):
        blind.progress()


def test_a_full_disk_loses_one_change_and_nothing_else(
    store: Store, build_sample
) -> None:
    store.events.append([label(1)]).result()
    pages = store.reader.value("PRAGMA page_count")

    def limit(to: int) -> None:
        store.write(lambda c: c.value(f"PRAGMA max_page_count = {to}")).result()

    limit(pages + 5)
    large = build_sample("large", "x " * 200_000)
    with pytest.raises(StoreError, match="disk is full") as caught:
        store.transcripts.add(large).result()
    assert "Make room" in caught.value.hint
    assert store.transcripts.count() == 0
    store.drafts.save("ada", "t2", Draft(note="still works")).result()
    limit(1_000_000)
    assert store.transcripts.add(large).result().outcome == "added"
    assert store.events.count() == 1
    assert store.check() == ()


def test_a_failing_job_does_not_stop_the_writer(store: Store) -> None:
    def bad(connection: Connection) -> None:
        connection.insert("raters", {"name": "half", "role": "rater"})
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(bad).result()
    assert store.raters.all() == {}
    assert store.events.append([label()]).result() == 1


def test_readers_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        store.reader.execute("DELETE FROM drafts")


def test_commits_are_synchronous(store: Store) -> None:
    full = 2
    assert store.write(lambda c: None).result() is None
    assert store._writer._connection.value("PRAGMA synchronous") == full
