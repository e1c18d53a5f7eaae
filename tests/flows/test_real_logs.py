"""The real logs and seeds through the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from geode_tui.cli import main
from geode_tui.workflows.workspace import find_workspace, init_workspace

pytestmark = pytest.mark.shared


def run(workspace: Path, *arguments: object) -> tuple[int, Any]:
    result = CliRunner().invoke(
        main, ["-w", str(workspace), *(str(a) for a in arguments), "--json"]
    )
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, json.loads(result.stdout) if result.stdout else None


@pytest.fixture(scope="module")
def imported(
    tmp_path_factory: pytest.TempPathFactory, shared_logs: Path, shared_seeds: Path
) -> tuple[Path, dict[str, Any]]:
    """A workspace with every real seed and log, and what the import said."""
    root = init_workspace(tmp_path_factory.mktemp("real") / "w").root
    for seed in shared_seeds.iterdir():
        (root / "seeds" / seed.name).write_bytes(seed.read_bytes())
    _, summary = run(root, "import", shared_logs)
    return root, summary


def test_every_file_is_listed_and_what_is_refused_has_a_reason(
    imported: tuple[Path, dict[str, Any]], shared_logs: Path
) -> None:
    _, summary = imported
    listed = {Path(file["path"]).name for file in summary["files"]}
    assert listed == {path.name for path in shared_logs.iterdir()}
    for file in summary["files"]:
        assert (file["reason"] is None) is not file["refused"]
        assert all(refused["reason"] for refused in file["refused"])


def test_the_judge_s_citations_all_lead_to_a_message(
    imported: tuple[Path, dict[str, Any]],
) -> None:
    root, _ = imported
    (root / "geode.toml").write_text('[[raters]]\nname = "eve"\nrole = "auditor"\n')
    _, rows = run(root, "list")
    assert len(rows) >= 43
    cited = 0
    for row in rows:
        _, shown = run(root, "show", row["id"], "--unblind", "--rater", "eve")
        numbers = {message["m"] for message in shown["messages"]}
        for verdict in shown["verdicts"]:
            for citation in verdict["citations"]:
                cited += 1
                assert citation["m"] in numbers, (row["id"], citation)
    assert cited > 200


def test_importing_again_changes_nothing(
    imported: tuple[Path, dict[str, Any]], shared_logs: Path
) -> None:
    root, summary = imported
    with find_workspace(root).open_store() as store:
        before = list(store.transcripts.rows(revisions=True))
    _, again = run(root, "import", shared_logs)
    assert again["added"] == 0
    assert again["unchanged"] == summary["added"] + summary["unchanged"]
    with find_workspace(root).open_store() as store:
        assert list(store.transcripts.rows(revisions=True)) == before


def test_three_real_transcripts_are_labelled_and_exported(
    imported: tuple[Path, dict[str, Any]],
) -> None:
    root, _ = imported
    _, rows = run(root, "list")
    for row in rows[:3]:
        code, _ = run(
            root, "annotate", row["id"], "--rater", "ann", *_scores(root, row["id"])
        )
        assert code == 0
    result = CliRunner().invoke(main, ["-w", str(root), "export", "--rater", "ann"])
    labels = [json.loads(line) for line in result.stdout.splitlines()]
    assert {label["transcript"] for label in labels} == {r["id"] for r in rows[:3]}
    assert all(re.fullmatch(r"b2:[0-9a-f]{32}", label["rubric"]) for label in labels)


def _scores(root: Path, transcript: str) -> list[str]:
    from geode_tui.workflows.annotate import Annotate

    workspace = find_workspace(root)
    with workspace.open_store() as store:
        task = Annotate(store, workspace.config, "ann").task(transcript)
    names = [d.name for form in task.forms for d in form.dimensions]
    return [part for name in names for part in ("--score", f"{name}=2")]
