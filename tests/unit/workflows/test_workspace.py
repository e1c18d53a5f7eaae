from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from geode_tui.config import Config, load_config
from geode_tui.domain.score import RaterRole
from geode_tui.errors import ConfigError, WorkspaceError
from geode_tui.workflows.workspace import (
    find_workspace,
    init_workspace,
    rater_name,
    recall_rater,
    remember_rater,
    replace_file,
)

ROOT = Path(__file__).resolve().parents[3]


class TestInit:
    def test_makes_folders_and_settings_that_are_the_defaults(
        self, tmp_path: Path
    ) -> None:
        made = init_workspace(tmp_path / "a b" / "übung")
        assert made.seeds_dir.is_dir()
        assert "geode.db" in (made.annotations_dir / ".gitignore").read_text()
        assert made.config == Config()
        with made.open_store() as store:
            assert store.path == made.database
        assert find_workspace(made.root) == made

    def test_refuses_a_workspace_and_overwrites_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "seeds").mkdir()
        (tmp_path / "seeds" / "mine.md").write_text("# Mine\n")
        (tmp_path / "geode.toml.bak").write_text("")
        made = init_workspace(tmp_path)
        assert (made.seeds_dir / "mine.md").read_text() == "# Mine\n"
        with pytest.raises(WorkspaceError, match="already"):
            init_workspace(tmp_path)

    def test_a_file_in_the_way_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(WorkspaceError, match="cannot be made"):
            init_workspace(tmp_path / "file" / "deeper")

    def test_the_commented_settings_are_the_defaults_too(self, tmp_path: Path) -> None:
        made = init_workspace(tmp_path / "w")
        for path in (made.root / "geode.toml", ROOT / "geode.toml"):
            text = path.read_text(encoding="utf-8")
            loose = re.sub(r"^# (?=\w+ = |\[)", "", text, flags=re.MULTILINE)
            assert loose != text
            stated = Config.model_validate(tomllib.loads(loose))
            expected = Config(
                raters=({"name": "ann", "role": RaterRole.RATER},),  # type: ignore[arg-type]
                app={"theme": "geode"},  # type: ignore[arg-type]
            )
            assert stated == expected


class TestFind:
    def test_upward_from_a_folder_inside(self, tmp_path: Path) -> None:
        made = init_workspace(tmp_path / "w")
        deep = made.seeds_dir / "more"
        deep.mkdir()
        assert find_workspace(deep, upward=True).root == made.root
        with pytest.raises(WorkspaceError, match="is no workspace"):
            find_workspace(deep)

    def test_none_there(self, tmp_path: Path) -> None:
        with pytest.raises(WorkspaceError, match=r"no such folder.*geode-tui init"):
            find_workspace(tmp_path / "missing")

    def test_two_folders_are_enough(self, tmp_path: Path) -> None:
        (tmp_path / "seeds").mkdir()
        (tmp_path / "annotations").mkdir()
        assert find_workspace(tmp_path).config == Config()

    def test_the_project_itself_is_one(self) -> None:
        assert find_workspace(ROOT).config == Config()


class TestRater:
    def test_kept_for_each_workspace(self, tmp_path: Path) -> None:
        one, two = init_workspace(tmp_path / "1"), init_workspace(tmp_path / "2")
        assert recall_rater(one) is None
        remember_rater(one, " ann ")
        remember_rater(two, "ben")
        remember_rater(one, "Zoë")
        assert (recall_rater(one), recall_rater(two)) == ("Zoë", "ben")

    def test_a_broken_memory_is_no_memory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        made = init_workspace(tmp_path / "w")
        remember_rater(made, "ann")
        (memory,) = (tmp_path / "config").rglob("raters.json")
        for text in ("[", "[]", json.dumps({str(made.root.resolve()): 7})):
            memory.write_text(text)
            assert recall_rater(made) is None
        remember_rater(made, "ann")
        assert recall_rater(made) == "ann"

    def test_a_memory_that_cannot_be_written_is_no_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "config").write_text("a file")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        made = init_workspace(tmp_path / "w")
        remember_rater(made, "ann")
        assert recall_rater(made) is None

    @pytest.mark.parametrize(
        "name", ["", "  ", "x" * 81, "a\nb", "a\x1b[2J", "a\u202eb", "rule", "judge:x"]
    )
    def test_names_that_cannot_be_used(self, name: str) -> None:
        with pytest.raises(ConfigError):
            rater_name(name)

    def test_any_script_will_do(self) -> None:
        assert rater_name(" Zoë 日本 ") == "Zoë 日本"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text("old")

    def fail(file: object) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        replace_file(path, fail)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def settings(model: type[BaseModel], prefix: str = "") -> list[str]:
    """Dotted names of every setting, as ``geode.toml`` spells them."""
    names: list[str] = []
    for name, field in model.model_fields.items():
        dotted = f"{prefix}{field.alias or name}"
        inner = getattr(field.annotation, "__args__", (field.annotation,))[0]
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            names += settings(inner, f"{dotted}.")
        else:
            names.append(dotted)
    return names


def test_every_setting_is_documented_with_its_default() -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `([\w.]+)` \|", text, flags=re.MULTILINE)
    upper = [name for name in documented if not name.isupper() and "." in name]
    assert sorted(upper) == sorted(settings(Config))


def test_unknown_settings_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "geode.toml").write_text('[label]\nreveal = "sometimes"\n')
    with pytest.raises(ConfigError, match=r"label\.reveal"):
        load_config(tmp_path)
