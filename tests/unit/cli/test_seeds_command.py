"""``geode-tui seeds``: what it prints, its JSON, its exit codes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from geode_tui.workflows.workspace import Workspace

Run = Callable[..., Result]
SHIPPED = Path(__file__).resolve().parents[3] / "seeds"


@pytest.fixture
def crm(workspace: Workspace) -> Path:
    path = workspace.seeds_dir / "crm-tier-label.md"
    workspace.seeds_dir.mkdir(exist_ok=True)
    shutil.copy(SHIPPED / path.name, path)
    return path


def test_check_prints_what_was_read_and_every_finding(run: Run, crm: Path) -> None:
    text = run("seeds", "check", str(crm)).stdout
    for words in (
        "band table",
        "redundant_tool_invocation",
        "N_min = 1, call crm_lookup, needs account_tier",
        "verbose_padding_leak (verbose_padding)",
        "retry_on_error, sycophantic_tool_use, exploratory_search",
        "strong, mid, weak",
        "R=4+",
        "clarifying question first",
        "cross_tool_overlap",
        "R=3 +1 same_call_repetition",
        "Only adjustments give: 3",
        f"{crm}:40 threshold-in-two-variables The threshold",
        f"{crm}:51 unreachable-score No row",
        f"{crm}:55 repeat-counted-twice A repeated",
    ):
        assert words in text, words


def test_every_shipped_seed_prints(run: Run) -> None:
    result = run("seeds", "check", str(SHIPPED))
    assert "16 read, 0 unreadable" in result.stderr
    for path in SHIPPED.glob("*.*"):
        assert path.name in result.stdout


def test_json(run: Run, crm: Path) -> None:
    (record,) = json.loads(run("seeds", "check", str(crm), "--json").stdout)
    assert list(record) == [
        "path",
        "error",
        "id",
        "name",
        "title",
        "warnings",
        "target_dimensions",
        "rubric",
        "findings",
        "reach",
    ]
    assert record["error"] is None
    assert record["rubric"]["style"] == "band_table"
    assert record["rubric"]["bands"][1]["score"] == {"low": 4, "high": 5}
    assert record["findings"][0] == {
        "code": "threshold-in-two-variables",
        "line": 40,
        "message": record["findings"][0]["message"],
    }
    assert record["reach"][0]["without_adjustments"] == [3]


def test_the_workspaces_seeds_are_the_default(run: Run, crm: Path) -> None:
    records: list[dict[str, Any]] = json.loads(run("seeds", "check", "--json").stdout)
    assert str(crm) in [record["path"] for record in records]


def test_an_unreadable_file_costs_only_itself(
    run: Run, crm: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.md"
    bad.write_bytes(b"caf\xe9")
    both = run("seeds", "check", str(bad), str(crm), code=3)
    assert both.stdout.splitlines()[0].startswith(f"{bad}: unreadable: ")
    assert "band table" in both.stdout
    run("seeds", "check", str(bad), code=4)
    (record,) = json.loads(run("seeds", "check", str(bad), "--json", code=4).stdout)
    assert "UTF-8" in record["error"]
    assert record["rubric"] is None


def test_strict(run: Run, crm: Path) -> None:
    run("seeds", "check", str(crm), "--strict", code=5)
    run("seeds", "check", str(SHIPPED / "parcel-eta.md"), "--strict")


def test_control_characters_are_made_visible(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "red.md"
    path.write_text(
        "# \x1b[31mred\n\n## Auditor notes\n\n| R | Score |\n|---|---|\n"
        "| 0 \x1b]52;c;x\x07 | 1-2 |\n| 2 | 9 |\n"
    )
    text = run("seeds", "check", str(path)).stdout
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "1-2" in text


@pytest.mark.parametrize("how", ["path", "id", "name", "stem"])
def test_show(run: Run, crm: Path, how: str) -> None:
    (record,) = json.loads(run("seeds", "check", str(crm), "--json").stdout)
    named = {
        "path": str(crm),
        "id": record["id"].removeprefix("b2:")[:10],
        "name": record["name"],
        "stem": crm.stem,
    }[how]
    text = run("seeds", "show", named).stdout
    rubric, visible = text.split("THE TARGET MAY READ")
    assert "Minimal-call floor" in rubric
    assert "Minimal-call floor" not in visible
    assert (
        json.loads(run("seeds", "show", named, "--json").stdout)["id"] == record["id"]
    )


def test_show_says_what_it_does_not_find(run: Run, crm: Path) -> None:
    assert "no seed is called 'nobody'" in run("seeds", "show", "nobody", code=1).stderr
    shutil.copy(crm, crm.with_name("again.md"))
    (record,) = json.loads(run("seeds", "check", str(crm), "--json").stdout)
    error = run("seeds", "show", record["name"], code=1).stderr
    assert "names 2 seeds" in error
    assert "again.md" in error


def test_an_exported_rubric_is_a_sidecar_that_changes_nothing(
    run: Run, crm: Path
) -> None:
    before = json.loads(run("seeds", "check", str(crm), "--json").stdout)
    text = run("seeds", "export-rubric", str(crm)).stdout
    assert yaml.safe_load(text)["floor"]["tool"] == "crm_lookup"
    crm.with_name("crm-tier-label.rubric.yaml").write_text(text, encoding="utf-8")
    assert json.loads(run("seeds", "check", str(crm), "--json").stdout) == before
    assert "cannot be read" in run("seeds", "export-rubric", "no.md", code=1).stderr
