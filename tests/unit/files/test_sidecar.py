"""Sidecars state or correct a rubric's structure, and only that."""

from __future__ import annotations

from pathlib import Path

import pytest

from geode_tui.domain.rubric import (
    Band,
    CountRange,
    Dimension,
    Floor,
    Rubric,
    RubricStyle,
    ScoreRange,
)
from geode_tui.errors import SeedError
from geode_tui.files.sidecar import (
    apply_sidecar,
    dump_sidecar,
    read_sidecar,
    sidecar_path,
)


@pytest.fixture
def prose() -> Rubric:
    return Rubric(
        style=RubricStyle.PROSE, dimensions=(Dimension(name="d"),), raw="One call."
    )


def test_a_sidecar_lies_beside_its_seed() -> None:
    assert sidecar_path(Path("seeds/a.b.md")) == Path("seeds/a.b.rubric.yaml")


def test_stated_fields_replace_and_the_rest_stays(
    tmp_path: Path, prose: Rubric
) -> None:
    path = tmp_path / "s.rubric.yaml"
    path.write_text(
        "floor: {n_min: 1, tool: lookup}\n"
        "bands:\n"
        "  - {dimension: d, condition: none, counted: R, count: {low: 0, high: 0},\n"
        "     score: {low: 1, high: 2}}\n"
    )
    got = apply_sidecar(prose, read_sidecar(path))
    assert got.floor == Floor(n_min=1, tool="lookup")
    assert got.bands[0].score == ScoreRange(low=1, high=2)
    assert (got.raw, got.dimensions) == (prose.raw, prose.dimensions)
    assert got.id != prose.id


def test_what_was_read_comes_back_from_its_own_export(
    tmp_path: Path, prose: Rubric
) -> None:
    full = prose.model_copy(
        update={
            "floor": Floor(n_min=1, tool="t", ceilings={"d": 2}),
            "bands": (
                Band(
                    dimension="d",
                    condition="4+ — “many”",
                    count=CountRange(low=4),
                    score=ScoreRange(low=10, high=10),
                ),
            ),
        }
    )
    path = tmp_path / "s.rubric.yaml"
    path.write_text(dump_sidecar(full), encoding="utf-8")
    assert apply_sidecar(prose, read_sidecar(path)) == full


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("- a list", "mapping"),
        ("bands: [", "cannot be read"),
        ("raw: other words", "raw"),
        (
            "bands: [{dimension: d, condition: c, score: {low: 0, high: 3}}]",
            "bands.0.score.low",
        ),
        ("floor: {n_min: many}", "floor.n_min"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "s.rubric.yaml"
    path.write_text(text)
    with pytest.raises(SeedError, match=named):
        read_sidecar(path)
