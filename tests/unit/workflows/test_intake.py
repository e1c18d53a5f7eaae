from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.domain.score import Event
from geode_tui.files import logs
from geode_tui.files.annotations import event_line
from geode_tui.store.store import Store
from geode_tui.workflows.intake import (
    FileResult,
    FileStatus,
    ImportSummary,
    Step,
    import_paths,
    load_seeds,
    summarise,
)
from geode_tui.workflows.workspace import Workspace

CHAT = {
    "messages": [
        {"role": "user", "content": "When does the pool open?"},
        {"role": "assistant", "content": "At nine."},
    ]
}
SEED_FILE = "---\nname: hours-from-file\ntarget_dims: [redundant_calls]\n---\n"


def run(store: Store, workspace: Workspace, *paths: Path) -> ImportSummary:
    steps = import_paths(store, workspace, paths)
    return summarise([step for step in steps if isinstance(step, FileResult)])


@pytest.fixture
def store(workspace: Workspace) -> Iterator[Store]:
    with workspace.open_store() as store:
        yield store


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    path = tmp_path / "chats.jsonl"
    other = json.loads(json.dumps(CHAT).replace("pool", "museum"))
    lines = [json.dumps(CHAT), '{"messages": [', json.dumps(other)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def from_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Makes a file that is read as the given samples and refusals."""

    def make(*items: ImportedSample | Refused) -> Path:
        path = tmp_path / "run-1.eval"
        path.write_bytes(b"PK")
        monkeypatch.setattr(logs, "read_log", lambda *_, **__: iter(items))
        return path

    return make


class TestFiles:
    def test_a_bad_line_is_listed_and_the_rest_goes_in(
        self, store: Store, workspace: Workspace, chats: Path
    ) -> None:
        summary = run(store, workspace, chats)
        (result,) = summary.files
        assert result.status is FileStatus.PARTIAL
        assert (summary.added, summary.refused) == (2, 1)
        assert result.refused[0].line == 2
        assert result.reason == result.refused[0].reason
        assert store.transcripts.count() == 2

    def test_importing_again_changes_nothing(
        self, store: Store, workspace: Workspace, chats: Path
    ) -> None:
        run(store, workspace, chats)
        before = list(store.transcripts.rows())
        again = run(store, workspace, chats)
        assert (again.added, again.unchanged) == (0, 2)
        assert list(store.transcripts.rows()) == before

    def test_files_that_are_no_logs_cost_only_themselves(
        self, store: Store, workspace: Workspace, chats: Path, tmp_path: Path
    ) -> None:
        wrong = {
            "cut.eval": b"PK\x03\x04 cut off",
            "broken.json": b'{"samples": [',
            "other.json": b'{"name": "package", "version": "1"}',
            "empty.jsonl": b"",
            "zeros.jsonl": b"\x00" * 1000,
        }
        for name, content in wrong.items():
            (tmp_path / name).write_bytes(content)
        missing = tmp_path / "missing.eval"
        summary = run(store, workspace, tmp_path, missing)
        by_name = {Path(result.path).name: result for result in summary.files}
        for name in (*wrong, "missing.eval"):
            assert by_name[name].status is FileStatus.REFUSED, name
            assert by_name[name].reason, name
        assert by_name["chats.jsonl"].added == 2
        assert not summary.nothing_read

    def test_steps_tell_how_far_it_is(
        self,
        store: Store,
        workspace: Workspace,
        from_log: Callable[..., Path],
        make_sample: Callable[..., ImportedSample],
    ) -> None:
        path = from_log(make_sample("pool"), make_sample("museum"))
        steps = list(import_paths(store, workspace, [path]))
        assert [s.done for s in steps if isinstance(s, Step)] == [0, 1, 2]
        assert isinstance(steps[-1], FileResult)

    def test_one_sample_is_stored_before_the_next_is_read(
        self,
        store: Store,
        workspace: Workspace,
        make_sample: Callable[..., ImportedSample],
        from_log: Callable[..., Path],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        path = from_log()
        stored: list[int] = []

        def samples(*_: object, **__: object) -> Iterator[ImportedSample]:
            for name in ("pool", "museum", "library"):
                stored.append(store.transcripts.count())
                yield make_sample(name)

        monkeypatch.setattr(logs, "read_log", samples)
        run(store, workspace, path)
        assert stored == [0, 1, 2]

    def test_a_changed_sample_is_a_new_revision(
        self,
        store: Store,
        workspace: Workspace,
        from_log: Callable[..., Path],
        make_sample: Callable[..., ImportedSample],
    ) -> None:
        run(store, workspace, from_log(make_sample("pool")))
        summary = run(store, workspace, from_log(make_sample("pool", reply="At ten.")))
        assert summary.added == 1
        assert store.transcripts.count() == 1
        assert len(list(store.transcripts.rows(revisions=True))) == 2

    def test_a_sample_s_own_error_is_noted(
        self,
        store: Store,
        workspace: Workspace,
        from_log: Callable[..., Path],
        make_sample: Callable[..., ImportedSample],
    ) -> None:
        sample = make_sample("pool")
        failed = sample.transcript.model_copy(update={"error": "out of tokens"})
        sample = sample.model_copy(update={"transcript": failed, "notes": ("cut",)})
        (result,) = run(store, workspace, from_log(sample)).files
        assert result.status is FileStatus.ADDED
        assert result.notes == (
            "sample pool epoch 1: cut",
            "sample pool epoch 1: it ended with an error: out of tokens",
        )

    def test_a_log_without_samples_is_refused(
        self, store: Store, workspace: Workspace, from_log: Callable[..., Path]
    ) -> None:
        (result,) = run(store, workspace, from_log()).files
        assert result.status is FileStatus.REFUSED
        assert "no samples" in (result.reason or "")


class TestEvents:
    def test_annotation_files_are_recognised(
        self, store: Store, workspace: Workspace, chats: Path, tmp_path: Path
    ) -> None:
        event = Event(transcript="t1", rubric="r", rater="ann", scores={"d": 3})
        path = tmp_path / "ann.jsonl"
        path.write_text(event_line(event) + "{}\n", encoding="utf-8")
        summary = run(store, workspace, tmp_path)
        by_name = {Path(result.path).name: result for result in summary.files}
        assert by_name["ann.jsonl"].status is FileStatus.PARTIAL
        assert (summary.events, summary.events_added) == (1, 1)
        assert by_name["ann.jsonl"].refused[0].line == 2
        assert list(store.events.all()) == [event]
        again = run(store, workspace, path)
        assert (again.events, again.events_added) == (1, 0)
        assert not again.nothing_read


class TestSeeds:
    def test_the_file_with_the_same_body_is_linked(
        self,
        store: Store,
        workspace: Workspace,
        from_log: Callable[..., Path],
        make_sample: Callable[..., ImportedSample],
    ) -> None:
        sample = make_sample("pool")
        body = sample.transcript.seed_text.replace("\n", "\n \n")
        (workspace.seeds_dir / "hours.md").write_text(SEED_FILE + body)
        run(store, workspace, from_log(sample))
        (facts,) = store.transcripts.rows()
        assert facts.seed_name == "hours-from-file"
        assert Path(store.seeds.get(str(facts.seed)).path).name == "hours.md"

    def test_without_a_file_the_log_s_own_text_is_kept(
        self,
        store: Store,
        workspace: Workspace,
        from_log: Callable[..., Path],
        make_sample: Callable[..., ImportedSample],
    ) -> None:
        sample = make_sample("pool")
        named = sample.transcript.model_copy(
            update={"metadata": {"name": "from-log", "target_dims": ["candour"]}}
        )
        run(store, workspace, from_log(sample.model_copy(update={"transcript": named})))
        (facts,) = store.transcripts.rows()
        seed = store.seeds.get(str(facts.seed))
        assert seed.name == "from-log"
        assert seed.target_dimensions == ("candour",)
        assert seed.body == sample.transcript.seed_text

    def test_a_seed_without_a_name_is_called_after_its_sample(
        self,
        store: Store,
        workspace: Workspace,
        from_log: Callable[..., Path],
        make_sample: Callable[..., ImportedSample],
    ) -> None:
        run(store, workspace, from_log(make_sample("pool")))
        (facts,) = store.transcripts.rows()
        assert facts.seed_name == "pool"

    def test_a_file_that_comes_later_takes_over(
        self,
        store: Store,
        workspace: Workspace,
        from_log: Callable[..., Path],
        make_sample: Callable[..., ImportedSample],
    ) -> None:
        sample = make_sample("pool")
        run(store, workspace, from_log(sample))
        (workspace.seeds_dir / "hours.md").write_text(
            SEED_FILE + sample.transcript.seed_text
        )
        load_seeds(store, workspace)
        (facts,) = store.transcripts.rows()
        assert facts.seed_name == "hours-from-file"
        assert store.seeds.get(str(facts.seed)).target_dimensions == (
            "redundant_calls",
        )

    def test_unreadable_seeds_are_listed(
        self, store: Store, workspace: Workspace
    ) -> None:
        (workspace.seeds_dir / "bad.md").write_bytes(b"\xff\xfe\x00bad\xff")
        (workspace.seeds_dir / "good.md").write_text("# Good\n\nA scenario.\n")
        taken = load_seeds(store, workspace)
        assert [Path(seed.path).name for seed in taken.seeds] == ["good.md"]
        assert [Path(refused.path).name for refused in taken.refused] == ["bad.md"]

    def test_revisions_of_one_title_are_stored_as_one_family(
        self, store: Store, workspace: Workspace
    ) -> None:
        notes = "# Late ferry\n\n## Auditor notes\n\nAsk about "
        (workspace.seeds_dir / "a.md").write_text(f"{notes}the ferry.\n")
        (workspace.seeds_dir / "b.md").write_text(
            f"---\nname: ferry\n---\n{notes}delays.\n"
        )
        load_seeds(store, workspace)
        assert [rubric.family for rubric in store.rubrics.all()] == ["ferry", "ferry"]

    def test_a_workspace_without_seeds_folder(
        self, store: Store, workspace: Workspace
    ) -> None:
        workspace.seeds_dir.rmdir()
        assert load_seeds(store, workspace).seeds == ()
