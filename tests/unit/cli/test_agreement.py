"""``geode-tui agreement`` as a person would run it."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from geode_tui.calibration.ratings import Ratings
from geode_tui.calibration.report import agreement
from geode_tui.cli import main

KEYS = {
    "value",
    "low",
    "high",
    "reason",
    "warnings",
    "n_items",
    "n_groups",
    "n_pairs",
    "recipe",
}
ANN = [1, 2, 5, 7, 3, 9, 10, 4, 2, 6, 8, 1]
BOB = [1, 3, 5, 6, 3, 8, 10, 2, 2, 7, 8, 2]


def call(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["agreement", *arguments])
    assert result.exit_code == code, result.output
    return result


def table(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.json"
    ratings = {
        name: {f"i{n}": score for n, score in enumerate(scores)}
        for name, scores in (("ann", ANN), ("bob", BOB))
    }
    path.write_text(json.dumps({"ratings": ratings}), encoding="utf-8")
    return path


def test_json_holds_every_figure_of_the_app(tmp_path: Path) -> None:
    figures = json.loads(
        call(str(table(tmp_path)), "--json", "--resamples", "500").stdout
    )
    direct = agreement(Ratings.of(list(zip(ANN, BOB, strict=True))))
    assert figures.keys() == direct.keys()
    assert all(figure.keys() >= KEYS for figure in figures.values())
    for name, figure in figures.items():
        assert figure["value"] == direct[name].value
        assert (figure["value"] is None) == (figure["reason"] is not None)
    assert figures["cohen_kappa_quadratic"]["low"] is not None


def test_the_table_says_why_a_figure_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("item,ann,bob\n1,5,5\n2,5,5\n3,5,5\n4,5,5\n", encoding="utf-8")
    out = call(str(path)).stdout
    assert "Nothing varies" in out
    assert "nan" not in out.lower().split()


def test_labels_alone_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(
        '{"labels": {"a": {"x": ["p"], "y": [], "z": ["q"]},'
        ' "b": {"x": ["p"], "y": [], "z": ["q", "r"]}}}',
        encoding="utf-8",
    )
    figures = json.loads(call(str(path), "--json").stdout)
    assert figures["jaccard_alpha"]["n_items"] == 3
    assert figures["mae"]["value"] is None


def test_scales_and_scores_off_them(tmp_path: Path) -> None:
    path = tmp_path / "half.csv"
    path.write_text("item,ann,bob\n1,0,0.5\n2,1,1\n3,0.5,0.5\n", encoding="utf-8")
    error = call(str(path), code=1).stderr
    assert "not on the scale" in error
    assert "rater ann, item 1" in error
    assert "percent_exact" in call(str(path), "--scale", "0,0.5,1").stdout
    for scale in ("ten", "5", "10-1", "0-99999999", "1e99-2", "inf,1", "nan,1"):
        assert "no scale" in call(str(path), "--scale", scale, code=1).stderr
