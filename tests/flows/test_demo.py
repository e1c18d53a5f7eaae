"""The demo workspace is ready to be labelled, compared and exported."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from geode_tui import demo
from geode_tui.domain.labelling import LabelState, QueueFilter
from geode_tui.domain.score import Draft
from geode_tui.domain.transcript import Validity
from geode_tui.errors import WorkspaceError
from geode_tui.store.store import Store
from geode_tui.workflows.annotate import Annotate
from geode_tui.workflows.demo import build_demo
from geode_tui.workflows.exchange import export_jsonl, scope_of
from geode_tui.workflows.workspace import Workspace

EVERYTHING = QueueFilter()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return build_demo(tmp_path_factory.mktemp("demo") / "with blank ✓")


@pytest.fixture
def store(workspace: Workspace) -> Iterator[Store]:
    with workspace.open_store() as opened:
        yield opened


def test_every_transcript_is_in_and_linked_to_a_seed(store: Store) -> None:
    names = {path.name for path in demo.seeds_dir().iterdir()}
    rows = list(store.transcripts.rows())
    assert len(rows) == 67
    assert len({row.seed_name for row in rows}) >= 14
    assert len(names) == 16


def test_the_rerun_is_marked_as_a_duplicate_not_its_original(
    workspace: Workspace, store: Store
) -> None:
    annotate = Annotate(store, workspace.config, "somebody new")
    marked = {
        row.sample_id
        for row in annotate.page(EVERYTHING, 0, 100)
        if Validity.DUPLICATE in row.validity
    }
    assert marked == {"crm-rerun-of-history"}


def test_a_new_rater_has_everything_to_do(workspace: Workspace, store: Store) -> None:
    annotate = Annotate(store, workspace.config, "somebody new")
    progress = annotate.progress()
    assert (progress.done, progress.drafts, progress.total) == (0, 0, 67)
    for row in annotate.page(EVERYTHING, 0, 100):
        task = annotate.task(row.id)
        assert task.state is LabelState.TODO
        assert [d for form in task.forms for d in form.dimensions]


@pytest.mark.parametrize("rater", ["demo-ada", "demo-ben"])
def test_the_raters_labels_belong_to_their_transcripts(
    workspace: Workspace, store: Store, rater: str
) -> None:
    annotate = Annotate(store, workspace.config, rater)
    done = {LabelState.DONE, LabelState.NOT_SCORABLE}
    rows = [r for r in annotate.page(EVERYTHING, 0, 100) if r.state in done]
    assert len(rows) == annotate.progress().done > 45
    for row in rows:
        task = annotate.task(row.id)
        assert [label.rater for label in task.labels] == [rater]
        assert {label.rubric for label in task.labels} == {
            form.rubric.id for form in task.forms
        }


def test_a_reveal_shows_judge_and_raters(workspace: Workspace, store: Store) -> None:
    annotate = Annotate(store, workspace.config, "visitor")
    (row,) = [
        r
        for r in annotate.page(EVERYTHING, 0, 100)
        if r.sample_id == "crm-sweep-one-word"
    ]
    task = annotate.task(row.id)
    (dimension,) = task.forms[0].dimensions
    annotate.submit(task, Draft(scores={dimension.name: 8})).result()
    reveal = annotate.reveal(row.id).result()
    assert {label.rater for label in reveal.labels} == {"demo-ada", "demo-ben"}
    raters = {verdict.rater for verdict in reveal.verdicts}
    assert "rule" in raters
    assert any("invented" in rater for rater in raters)


@pytest.mark.parametrize("rater", ["demo-ada", "demo-ben"])
def test_the_committed_labels_are_an_export(
    workspace: Workspace, store: Store, rater: str
) -> None:
    out = io.StringIO()
    export_jsonl(store, out, scope_of(store, workspace.config, rater))
    (committed,) = [p for p in demo.label_files() if p.stem == rater]
    assert out.getvalue() == committed.read_text(encoding="utf-8")


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me", encoding="utf-8")
    with pytest.raises(WorkspaceError, match="not empty"):
        build_demo(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_building_it_needs_no_slow_library(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from geode_tui.workflows.demo import build_demo\n"
        f"build_demo(pathlib.Path({str(tmp_path / 'demo')!r}))\n"
        "print(*{m.split('.')[0] for m in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert loaded.isdisjoint({"inspect_ai", "anthropic", "sklearn", "scipy", "numpy"})
