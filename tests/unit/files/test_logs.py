"""Which file is what, and one clear sentence for everything that is no log."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.errors import ConfigError
from geode_tui.files import limits
from geode_tui.files.logs import count_samples, log_paths, read_log
from geode_tui.files.sniff import Kind, sniff

TALK = {"messages": [{"role": "user", "content": "hi"}]}


def refusal(path: Path) -> Refused:
    """The one refusal of a file of which nothing is read."""
    (item,) = list(read_log(path))
    assert isinstance(item, Refused)
    assert item.whole_file
    assert item.path == str(path)
    assert item.reason.endswith(".")
    assert "\n" not in item.reason
    return item


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.json", b"", "empty"),
        ("blank.jsonl", b" \n\n", "empty"),
        ("a.eval", b"not a zip", "no Inspect log"),
        ("cut.eval", b"PK\x03\x04" + b"x" * 200, "damaged or cut short"),
        ("a.json", b'{"version": 2, "status": "succ', "cut short at line 1"),
        ("b.json", b'{"a": 1,}', "no valid JSON"),
        ("c.json", b'{"a": 1}', "no transcript"),
        ("d.json", b"[]", "no transcript"),
        ("e.json", b'[{"role": "user", "content": "x"}, 7]', "no transcript"),
        ("f.json", b'{"a": "\xff\xfe"}', "no Unicode"),
        ("g.json", b"[" * 100_000, "nested too deeply"),
        ("h.txt", b"Dear diary", "neither a zip"),
        ("i.json.gz", b"\x1f\x8b\x08\x00", "packed with gzip; unpack"),
        ("j.jsonl", b"nonsense\n", "no line"),
        ("k.json", b'{"eval": {}, "status": "success", "version": 2}', "header"),
        ("l.json", b'{"eval": 7, "status": "success"}', "no transcript"),
    ],
)
def test_each_bad_file_gets_one_sentence(
    tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    items = list(read_log(path))
    last = items[-1]
    assert isinstance(last, Refused)
    assert words.lower() in last.reason.lower()
    assert last.whole_file
    assert not any(isinstance(item, ImportedSample) for item in items)


def test_folders_and_missing_paths_are_said_to_be_such(tmp_path: Path) -> None:
    assert "folder" in refusal(tmp_path).reason
    assert "no such file" in refusal(tmp_path / "gone.eval").reason


def test_a_file_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from geode_tui.files import logs

    def refuse(_: Path) -> Kind:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(logs, "sniff", refuse)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(TALK))
    assert refusal(path).reason == "The file cannot be read: Permission denied."


def test_a_file_of_two_gigabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    with path.open("wb") as file:
        file.write(b'{"metadata": {}, "events": [')
        file.truncate(2 * 1024**3)
    assert "2.0 GB" in refusal(path).reason
    assert ".eval" in refusal(path).reason


def test_a_line_that_is_too_long_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LARGEST_LINE", 100)
    path = tmp_path / "a.jsonl"
    path.write_text(
        "\n".join([json.dumps(TALK), json.dumps({"x": "y" * 300}), json.dumps(TALK)])
    )
    items = list(read_log(path))
    assert [isinstance(item, ImportedSample) for item in items] == [True, False, True]
    assert isinstance(items[1], Refused)
    assert items[1].line == 2


def test_a_zip_that_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "x")
    assert "no header" in refusal(path).reason
    assert count_samples(path) == 0


def test_a_reader_s_own_mistake_does_not_end_the_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from geode_tui.files import logs

    def fail(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(logs, "read_json", fail)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(TALK))
    assert "ZeroDivisionError: oops" in refusal(path).reason


def test_harness_patterns_must_be_regular_expressions(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no regular expression"):
        read_log(tmp_path / "a.json", harness_errors=["("])


def test_folders_are_searched_and_named_files_kept(tmp_path: Path) -> None:
    for name in ("b.eval", "a.JSON", "sub/c.jsonl", "x.md", ".git/d.json", ".e.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = log_paths([tmp_path, tmp_path / "x.md", tmp_path / "gone", tmp_path])
    assert [str(p.relative_to(tmp_path)) for p in found] == [
        "a.JSON",
        "b.eval",
        "sub/c.jsonl",
        "x.md",
        "gone",
    ]


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.json", '{"version": 2, "status": "success", "eval": {}}', Kind.INSPECT),
        ("b.json", '{\n "metadata": {},\n "events": []}', Kind.JSON),
        (
            "c.json",
            '{"role": "user", "content": ""}\n{"role": "x"}',
            Kind.MESSAGE_LINES,
        ),
        ("d.jsonl", '{"parentUuid": null, "type": "user"}', Kind.CLAUDE_CODE),
        ("e.jsonl", '{"type":"summary","leafUuid":"x"}\n', Kind.CLAUDE_CODE),
        ("f.jsonl", 'junk\n{"messages": []}', Kind.MESSAGE_LINES),
        ("g.jsonl", '{"sessionId":"s","parentUuid":"' + "x" * 99_999, Kind.CLAUDE_CODE),
        ("h", "PK\x03\x04", Kind.INSPECT),
    ],
)
def test_the_kind_of_a_file_shows_in_its_first_bytes(
    tmp_path: Path, name: str, data: str, kind: Kind
) -> None:
    path = tmp_path / name
    path.write_text(data)
    assert sniff(path) is kind


def test_counts_only_where_they_are_cheap(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/a_epoch_1.json", "{}")
        archive.writestr("samples/a_epoch_2.json", "{}")
        archive.writestr("header.json", "{}")
    assert count_samples(path) == 2
    (tmp_path / "b.json").write_text("{}")
    assert count_samples(tmp_path / "b.json") is None
    assert count_samples(tmp_path / "gone") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    (refused,) = read_log(pipe)
    assert isinstance(refused, Refused)
    assert "no regular file" in refused.reason
