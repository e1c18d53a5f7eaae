from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from geode_tui.domain.score import Event
from geode_tui.errors import StoreError
from geode_tui.store import opening, schema
from geode_tui.store.connection import Connection
from geode_tui.store.store import Store

EVENT = Event(transcript="t1", rubric="r", rater="ada", scores={"d": 3})


def backups(database: Path) -> list[Path]:
    return sorted((database.parent / opening.BACKUPS).glob("*"))


def test_a_new_database_needs_no_backup(database: Path) -> None:
    with Store.open(database) as store:
        assert store.check() == ()
        assert store.reader.value("PRAGMA journal_mode") == "wal"
    assert backups(database) == []


def test_closing_leaves_one_file_that_is_safe_to_copy(database: Path) -> None:
    with Store.open(database) as store:
        store.blind("ada")
        store.events.append([EVENT])
    assert [path.name for path in database.parent.iterdir()] == ["geode.db"]


def test_opening_again_keeps_everything(database: Path) -> None:
    with Store.open(database) as store:
        store.events.append([EVENT])
    with Store.open(database, create=False) as store:
        assert list(store.events.all()) == [EVENT]


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    path = tmp_path / "a b%20#?ü" / "geode.db"
    with Store.open(path) as store:
        store.events.append([EVENT]).result()
    assert path.is_file()


def test_a_missing_database_is_not_made_unasked(database: Path) -> None:
    with pytest.raises(StoreError, match="no database here") as caught:
        Store.open(database, create=False)
    assert "init" in caught.value.hint
    assert not database.parent.exists()


@pytest.mark.parametrize("content", [b"no database " * 500, b"SQLite format 3\0junk"])
def test_a_file_that_is_no_database_stays_untouched(
    database: Path, content: bytes
) -> None:
    database.parent.mkdir()
    database.write_bytes(content)
    with pytest.raises(StoreError, match="no SQLite database"):
        Store.open(database)
    assert database.read_bytes() == content


def test_a_folder_in_its_place_is_refused(database: Path) -> None:
    database.mkdir(parents=True)
    with pytest.raises(StoreError, match="folder"):
        Store.open(database)


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "annotations").write_text("")
    with pytest.raises(StoreError, match="cannot be made"):
        Store.open(tmp_path / "annotations" / "geode.db")


def test_another_programs_database_is_refused(database: Path) -> None:
    database.parent.mkdir()
    other = sqlite3.connect(database)
    other.execute("CREATE TABLE bookmarks (url)")
    other.close()
    with pytest.raises(StoreError, match="another program"):
        Store.open(database)
    other = sqlite3.connect(database)
    assert other.execute("SELECT name FROM sqlite_master").fetchall() == [
        ("bookmarks",)
    ]
    assert other.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    other.close()


def test_a_newer_database_is_refused_with_advice(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(schema.STEPS, "m999_future", lambda db: None)
        Store.open(database).close()
    with pytest.raises(StoreError, match=r"newer geode-tui \(m999_future\)") as caught:
        Store.open(database)
    assert "Upgrade" in caught.value.hint


def test_a_migration_is_preceded_by_a_sound_backup(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(database) as store:
        store.events.append([EVENT]).result()

    def step(db: Any) -> None:
        db.execute("CREATE TABLE later (x TEXT) STRICT")

    monkeypatch.setitem(schema.STEPS, "m002_later", step)
    with Store.open(database) as store:
        assert list(store.events.all()) == [EVENT]
        assert store.reader.value("SELECT count(*) FROM later") == 0
    (copy,) = backups(database)
    assert "before-m002_later" in copy.name
    monkeypatch.delitem(schema.STEPS, "m002_later")
    with Store.open(copy) as store:
        assert list(store.events.all()) == [EVENT]
        assert store.check() == ()


def test_a_failing_migration_changes_nothing(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(database).close()

    def step(db: Any) -> None:
        db.execute("CREATE TABLE half (x TEXT) STRICT")
        db.execute("SELECT no_such_function()")

    with monkeypatch.context() as patch:
        patch.setitem(schema.STEPS, "m002_bad", step)
        with pytest.raises(StoreError, match="no_such_function"):
            Store.open(database)
    with Store.open(database) as store:
        assert store.check() == ()
        tables = store.reader.rows("SELECT name FROM sqlite_master")
        assert "half" not in {row["name"] for row in tables}


def test_no_backup_no_migration(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(database).close()
    (database.parent / opening.BACKUPS).write_text("in the way")
    with monkeypatch.context() as patch:
        patch.setitem(schema.STEPS, "m002", lambda db: db.execute("DROP TABLE drafts"))
        with pytest.raises(StoreError, match="no backup could be made"):
            Store.open(database)
    with Store.open(database) as store:
        assert store.check() == ()
        assert store.reader.value("SELECT count(*) FROM drafts") == 0


def test_a_migration_that_drops_the_triggers_is_noticed(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebuilding a table is how sqlite-utils changes one, and it loses triggers."""
    Store.open(database).close()
    monkeypatch.setitem(
        schema.STEPS, "m002", lambda db: db["events"].transform(rename={"at": "when_"})
    )
    with pytest.raises(StoreError, match="events_no_update"):
        Store.open(database)


@pytest.mark.parametrize("count", range(1, len(schema.STEPS) + 1))
def test_every_guard_is_there_after_every_migration(
    database: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    names = list(schema.STEPS)[:count]
    monkeypatch.setattr(schema, "STEPS", {name: schema.STEPS[name] for name in names})
    Store.open(database).close()
    connection = Connection(database)
    assert schema.missing_guards(connection) == []
    connection.close()


def test_a_lost_trigger_is_reported(store: Store) -> None:
    store.write(lambda c: c.execute("DROP TRIGGER events_no_delete")).result()
    assert any("events_no_delete" in problem for problem in store.check())


def test_processes_that_open_a_new_database_at_once_all_succeed(
    database: Path,
) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from geode_tui.store.store import Store\n"
        "sys.stdin.readline()\n"
        "with Store.open(Path(sys.argv[1])) as s: print(s.check())"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(database)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    answers = [process.communicate("go\n") for process in running]
    assert [(out.strip(), err) for out, err in answers] == [("()", "")] * 4


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize(
    ("file", "folder"), [(0o400, 0o700), (0o600, 0o500), (0, 0o700)]
)
def test_what_cannot_be_written_is_refused_at_once(
    database: Path, file: int, folder: int
) -> None:
    Store.open(database).close()
    database.chmod(file)
    database.parent.chmod(folder)
    try:
        with pytest.raises(StoreError, match=r"cannot be (opened|written)"):
            Store.open(database)
    finally:
        database.parent.chmod(0o700)


def test_a_refused_write_is_said_to_be(database: Path) -> None:
    Store.open(database).close()
    connection = Connection(database, mode="ro")
    with pytest.raises(StoreError, match="cannot be written") as caught:
        connection.execute("DELETE FROM drafts")
    assert "permissions" in caught.value.hint
    connection.close()


def test_opening_loads_neither_numpy_nor_other_slow_libraries(database: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from geode_tui.store.store import Store\n"
        "with Store.open(Path(sys.argv[1])) as s:\n"
        "    s.blind('ada').progress()\n"
        "slow = {'numpy', 'pandas', 'scipy', 'sklearn', 'inspect_ai', 'anthropic'}\n"
        "print(sorted(slow & set(sys.modules)), 'sqlite_utils' in sys.modules)\n"
        "import importlib.util as u; print(u.find_spec('numpy') is not None)\n"
        "import numpy; print(numpy.array([1]).sum())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(database)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:3] == ["[] True", "True", "1"]
