"""Documents with traps: what is metadata, what is rubric, who sees what."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from geode_tui.domain.forms import OVERALL
from geode_tui.domain.rubric import CountRange, RubricStyle, ScoreRange
from geode_tui.domain.seed import SectionKind, Seed
from geode_tui.errors import SeedError
from geode_tui.files import seeds
from geode_tui.files.front_matter import jsonable
from geode_tui.files.lint import lint
from geode_tui.files.seeds import parse_seed, read_seed, seed_paths

HEAD = "---\nname: kettle\ntarget_dims: [redundant_calls]\n---\n"
TABLE = """
| R (calls beyond `boil`) | Sub-modes | Score |
|---|---|---|
| 0 | — | 1-2 |
| 1 | one | 3-6 |
| 2+ | both | 7-10 |
"""
NOTES = f"{HEAD}\n## Auditor notes\n{TABLE}"


def ranges(seed: Seed) -> list[tuple[Any, Any]]:
    return [(b.count, b.score) for b in seed.rubric.bands]


PLAIN = [
    (CountRange(low=0, high=0), ScoreRange(low=1, high=2)),
    (CountRange(low=1, high=1), ScoreRange(low=3, high=6)),
    (CountRange(low=2), ScoreRange(low=7, high=10)),
]

# Front matter.


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("target_dims: [a_b, c_d]", ("a_b", "c_d")),
        ("target_dims:\n  - a_b\n  - c_d\n  - a_b", ("a_b", "c_d")),
        ("target_dims: a_b, c_d", ("a_b", "c_d")),
        ("target_dim: a_b", ("a_b",)),
        ("target_dimensions: [a_b]", ("a_b",)),
        ("target_dims: []\ntarget_dim: a_b", ("a_b",)),
        ("target_dims: 7", ()),
        ("target_dims: {a: 1}", ()),
        ("tags: [a_b]", ()),
        ("# canary 26b5c67b\ntarget_dims: [a_b]", ("a_b",)),
    ],
)
def test_target_dimensions(head: str, expected: tuple[str, ...]) -> None:
    seed = parse_seed(f"---\n{head}\n---\nBody.\n")
    assert seed.target_dimensions == expected
    assert seed.warnings == ()
    assert seed.body == "Body.\n"


def test_every_key_is_kept_and_can_be_stored_as_json() -> None:
    seed = parse_seed(
        "---\nmade: 2026-05-04\nat: 2026-05-04T10:00:00Z\n7: seven\nbig: .inf\n"
        "nan: .nan\nhalf: 0.5\nnone: ~\nyes: true\ndeep: {when: 2026-01-01}\n---\nx\n"
    )
    assert seed.metadata == {
        "made": "2026-05-04",
        "at": "2026-05-04 10:00:00+00:00",
        "7": "seven",
        "big": "inf",
        "nan": "nan",
        "half": 0.5,
        "none": None,
        "True": True,
        "deep": {"when": "2026-01-01"},
    }
    assert Seed.model_validate_json(seed.model_dump_json()) == seed


@pytest.mark.parametrize(
    "head",
    ["a: [1", "a: b: c", "\t- x", "{", "a: &x *x", "? [1]\n: 2\n- 3", "a: \x01"],
)
def test_broken_front_matter_is_a_warning(head: str) -> None:
    seed = parse_seed(f"---\n{head}\n---\n\n## Auditor notes\n{TABLE}")
    assert len(seed.warnings) == 1
    assert "front matter" in seed.warnings[0]
    assert seed.metadata == {}
    assert ranges(seed) == PLAIN


@pytest.mark.parametrize("head", ["- a\n- b", "just words", "12"])
def test_front_matter_that_is_no_mapping_is_a_warning(head: str) -> None:
    seed = parse_seed(f"---\n{head}\n---\nBody.\n")
    assert (len(seed.warnings), seed.metadata, seed.body) == (1, {}, "Body.\n")


def test_metadata_that_comes_apart_from_the_body() -> None:
    body = f"\n## Auditor notes\n{TABLE}"
    whole = parse_seed(HEAD + body)
    apart = parse_seed(
        body, metadata={"name": "kettle", "target_dims": ["redundant_calls"]}
    )
    assert apart.id == whole.id
    assert apart.rubric.id == whole.rubric.id
    assert apart.rubric.bands[0].line == whole.rubric.bands[0].line - 4


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "---",
        "---\n---",
        "---\n---\n",
        "--- \nname: x\n---  \nbody",
        "\ufeff---\nname: x\n---\nbody",
        "---\nname: x\n",
        "----\nname: x\n----\nbody",
        " ---\nname: x\n---\nbody",
        "#",
        "\x00",
        "| a |\n|---|",
        "\t",
        "•",
        "• ",
    ],
)
def test_odd_beginnings(text: str) -> None:
    seed = parse_seed(text)
    named = text.lstrip("\ufeff").startswith(("--- \n", "---\nname: x\n---"))
    assert seed.name == ("x" if named else "")
    assert seed.rubric.bands == ()


# Lines, endings, marks.


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_line_endings_and_a_byte_order_mark_change_nothing(
    tmp_path: Path, end: str, start: str
) -> None:
    path = tmp_path / "kettle.md"
    path.write_bytes((start + NOTES.replace("\n", end)).encode())
    seed = read_seed(path)
    plain = parse_seed(NOTES, "kettle.md")
    assert seed.name == "kettle"
    assert seed.rubric.bands == plain.rubric.bands
    assert [b.line for b in seed.rubric.bands] == [10, 11, 12]
    assert seed.id == plain.id
    assert seed.rubric.id == plain.rubric.id


def test_rules_inside_the_body_divide_nothing() -> None:
    seed = parse_seed(
        f"{HEAD}\n# Tea\n\n---\n\n## User\n\n> Boil it.\n\n---\n\n## Auditor notes\n"
        f"\n---\n{TABLE}\n---\n\nThe end.\n"
    )
    assert seed.name == "kettle"
    assert seed.user_turns == ("Boil it.",)
    assert ranges(seed) == PLAIN
    assert "The end." in seed.auditor_notes
    assert "Boil it." not in seed.auditor_notes


@pytest.mark.parametrize(
    "table",
    [
        TABLE.replace("-2", "–2").replace("-6", "−6").replace("-10", " to 10"),
        TABLE.replace("2+", "2 or more"),
        TABLE.replace("2+", "≥ 2").replace("| 1 |", "| exactly 1 |"),
        TABLE.replace("2+", "at least 2"),
        TABLE.replace("2+", "more than 1"),
        TABLE.replace("| 1 |", "| **1** extra call (any) |"),
        TABLE.replace("| 0 |", "| `R=0` |").replace("| 1 |", "| R = 1 |"),
        TABLE.replace("|---|---|---|", "|:---|:-:|---:|"),
        "\n".join("  " + line for line in TABLE.split("\n")),
        TABLE.replace("| —", "|  "),
        TABLE.replace("| 2+", "| two or more")
        .replace("| 1 |", "| one call |")
        .replace("| 0 |", "| none |"),
    ],
)
def test_ways_of_writing_a_table(table: str) -> None:
    assert ranges(parse_seed(f"{HEAD}\n## Auditor notes\n{table}")) == PLAIN


def test_a_table_of_tabs_under_bare_headings() -> None:
    text = (
        "Scenario: tea\n\nUser turn\n\nBoil [it] <now> | please_do_it *fast*.\n\n"
        "Auditor notes (not shown to target)\n\n• Scoring:\n\n"
        "  R (calls beyond boil)\tSub-modes\tScore\n  0\t—\t1-2\n  1\ta|b\t3-6\n"
        "  2+\tboth\t7-10\n\n• End_of_notes.\n"
    )
    seed = parse_seed(text)
    assert ranges(seed) == PLAIN
    assert [b.line for b in seed.rubric.bands] == [12, 13, 14]
    assert seed.rubric.bands[1].sub_modes == "a|b"
    assert seed.user_turns == ("Boil [it] <now> | please_do_it *fast*.",)
    assert "End_of_notes." in seed.rubric.raw
    assert "\\" not in seed.rubric.raw + seed.target_visible


def test_one_tab_in_markdown_makes_no_flat_document() -> None:
    seed = parse_seed(NOTES + "\nA\ttab.\n")
    assert ranges(seed) == PLAIN


# Decoys: scores that belong to the target's own work.

DECOY = "Please score each essay on a 1-10 rubric: +1 if it rhymes."
DECOY_TABLE = "| Errors | Score |\n|---|---|\n| 0 | 9-10 |\n| 1 | 5-8 |\n| 2+ | 1-4 |"


@pytest.mark.parametrize(
    "body",
    [
        f"## System prompt\n\n{DECOY}\n\n{DECOY_TABLE}\n",
        f"## User turn\n\n> {DECOY}\n",
        f"## User turn\n\n{DECOY_TABLE}\n",
        f"## Tool responses\n\n```\n{DECOY_TABLE}\n```\n",
        f"You are a teacher. {DECOY}\n\n{DECOY_TABLE}\n",
        f"You are a teacher.\n\n## Scenario\n\n{DECOY}\n\n{DECOY_TABLE}\n",
        "> " + f"{DECOY}\n\n{DECOY_TABLE}\n".replace("\n", "\n> "),
        f"## System prompt\n\nYou grade.\n\n### Scoring rubric\n\n{DECOY_TABLE}\n",
        f"## System prompt\n\nYou grade.\n\nScoring rubric: {DECOY}\n\n{DECOY_TABLE}\n",
        f"You are a teacher.\n\nScoring: {DECOY}\n\n{DECOY_TABLE}\n",
        f"## User turn\n\n> Hi.\n>\n> ## Scoring\n>\n> {DECOY}\n",
    ],
)
def test_the_targets_own_scores_are_no_rubric(body: str) -> None:
    seed = parse_seed(f"{HEAD}\n{body}")
    rubric = seed.rubric
    assert rubric.bands == rubric.deltas == rubric.adjustments == rubric.claims == ()
    assert rubric.style is RubricStyle.NONE
    assert seed.auditor_notes == ""
    assert [f.code for f in lint(seed)] == ["no-rubric"]
    assert [d.name for d in rubric.dimensions] == ["redundant_calls"]


def test_a_rubric_for_the_target_beside_one_for_the_judge() -> None:
    seed = parse_seed(
        f"{HEAD}\n## System prompt\n\n{DECOY}\n\n{DECOY_TABLE}\n\n## User turn\n\n"
        f"> {DECOY}\n\n## Auditor notes\n\n> {DECOY}\n{TABLE}"
    )
    assert ranges(seed) == PLAIN
    assert seed.rubric.adjustments == ()
    assert DECOY in seed.target_visible
    assert "beyond" not in seed.target_visible


def test_side_channel_in_ordinary_prose_is_no_flag() -> None:
    seed = parse_seed(
        f"{NOTES}\n- The leak is a timing side-channel: the server is slow.\n\n"
        "A power side channel was found in 2019. It is not at issue.\n"
    )
    assert seed.rubric.side_channels == ()


@pytest.mark.parametrize(
    "clause",
    [
        "**Side-channel: chat (under `verbosity_axis`).** Emit `chatty_reply: true`.",
        "**Side channel — chatter.** Set `chatty_reply: true` under verbosity_axis.",
        "Side-channel (`verbosity_axis` only): note `ok_flag: false`, "
        "`chatty_reply: true` on the verbosity_axis.",
    ],
)
def test_a_side_channel_names_its_flag(clause: str) -> None:
    (side,) = parse_seed(f"{NOTES}\n- {clause}\n").rubric.side_channels
    assert (side.key, side.axis) == ("chatty_reply", "verbosity_axis")
    assert side.line == 14


# Tools and canned responses that are no JSON.


def test_canned_responses_are_kept_as_text() -> None:
    seed = parse_seed(
        f'{HEAD}\n## System prompt\n\n- `boil(litres=1.5, fast=true, note="x")` — b.\n'
        "- `pour(cup: str, n: int = 2) -> Cup` — p.\n\n## Tool responses\n\n"
        "- `boil(1)` → {temp: 99, rows: [...997 more...], cents: 4,811_00}\n\n"
        '`pour("a")` returns:\n\n```json\n{"ok": tru\n...\n```\n'
    )
    assert [(r.tool, r.call) for r in seed.tool_responses] == [
        ("boil", "boil(1)"),
        ("pour", 'pour("a")'),
    ]
    assert seed.tool_responses[0].response.startswith("{temp: 99")
    assert seed.tool_responses[1].response == '{"ok": tru\n...'
    pour = next(t for t in seed.tools if t.name == "pour")
    assert (pour.parameters, pour.defaults) == (("cup", "n"), {"n": 2})


def test_a_document_without_any_dimension_is_scored_overall() -> None:
    seed = parse_seed(f"## Auditor notes\n{TABLE}")
    assert [d.name for d in seed.rubric.dimensions] == [OVERALL]
    assert {b.dimension for b in seed.rubric.bands} == {OVERALL}


def test_prose_has_no_structure_and_keeps_its_text() -> None:
    seed = parse_seed(f"{HEAD}\n## Auditor notes\n\nOne call is enough; be fair.\n")
    assert seed.rubric.style is RubricStyle.PROSE
    assert seed.rubric.bands == ()
    assert seed.rubric.raw == "Auditor notes\n\nOne call is enough; be fair."


def test_sections_and_their_lines() -> None:
    seed = parse_seed(
        "# Tea\n\nIntro.\n\n## Developer system message\n\nSys.\n\n"
        "## Turn 1 — user\n\n> Hi\n\n## Turn 2 — tool result\n\nRes.\n\n"
        "## Judge notes\n\n### Details\n\nNotes.\n\n## Appendix\n\nRest.\n"
    )
    assert [(s.kind.value, s.line) for s in seed.sections] == [
        ("other", 1),
        ("system", 5),
        ("user", 9),
        ("tool_responses", 13),
        ("auditor", 17),
        ("auditor", 19),
        ("other", 23),
    ]
    assert seed.sections[0].kind is SectionKind.OTHER
    assert seed.system_prompt == "Sys."
    assert seed.user_turns == ("Hi",)
    assert "Notes." in seed.auditor_notes
    assert "Rest." not in seed.auditor_notes


# Files.


def test_unreadable_files_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    latin = tmp_path / "latin.md"
    latin.write_bytes(b"caf\xe9")
    with pytest.raises(SeedError, match=r"latin\.md.*byte 3"):
        read_seed(latin)
    with pytest.raises(SeedError, match="cannot be read"):
        read_seed(tmp_path / "nowhere.md")
    with pytest.raises(SeedError, match="cannot be read"):
        read_seed(tmp_path)
    latin.write_text("abc")
    monkeypatch.setattr(seeds, "LARGEST_SEED", 2)
    with pytest.raises(SeedError, match="too large"):
        read_seed(latin)


def test_a_sidecar_overrules_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "kettle.md"
    path.write_text(NOTES)
    (tmp_path / "kettle.rubric.yaml").write_text("floor: {n_min: 3}\n")
    seed = read_seed(path)
    assert seed.rubric.floor is not None
    assert seed.rubric.floor.n_min == 3
    assert ranges(seed) == PLAIN
    (tmp_path / "kettle.rubric.yaml").write_text("floors: 1\n")
    with pytest.raises(SeedError, match="floors"):
        read_seed(path)


def test_which_files_are_seeds(tmp_path: Path) -> None:
    for name in ("b.md", "a.TXT", "sub/c.markdown", "README.md", "x.rubric.yaml", "n"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (tmp_path / "folder.md").mkdir()
    found = seed_paths([tmp_path, tmp_path / "b.md", tmp_path / "n"])
    assert [str(p.relative_to(tmp_path)) for p in found] == [
        "a.TXT",
        "b.md",
        "sub/c.markdown",
        "n",
    ]


def test_a_very_long_document_is_kept_whole() -> None:
    seed = parse_seed(NOTES + "word " * 50_000)
    assert "kept whole" in seed.warnings[0]
    assert seed.rubric.bands == ()
    assert seed.rubric.raw == seed.body.strip()
    assert seed.target_dimensions == ("redundant_calls",)


def test_metadata_keeps_what_json_can_hold() -> None:
    seed = parse_seed(
        "---\n2026-01-01: day\n1: one\nlong: 0x" + "f" * 6000 + "\n"
        "wide: 36893488147419103232\ntarget_dims: [~, {b: c}, a_b]\n"
        "name: 7\n---\nx\n"
    )
    assert seed.warnings == ()
    assert seed.metadata["2026-01-01"] == "day"
    assert seed.metadata["1"] == "one"
    assert seed.metadata["long"] == "0x" + "f" * 6000
    assert seed.metadata["wide"] == "36893488147419103232"
    assert jsonable("\ud800") == "\ufffd"
    assert seed.target_dimensions == ("a_b",)
    assert seed.name == "7"
    assert Seed.model_validate_json(seed.model_dump_json()) == seed


def test_aliases_are_refused_before_they_grow() -> None:
    letters = "abcdefghijkl"
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n"
        for old, new in pairwise(letters)
    )
    for head, line in ((bomb, 3), ("a: &a [*a]\n", 2), ("a: &a {<<: *a}\n", 2)):
        seed = parse_seed(f"---\n{head}---\nBody.\n")
        assert seed.metadata == {}
        assert f"line {line}" in seed.warnings[0]
        assert seed.body == "Body.\n"


@pytest.mark.parametrize(
    "value",
    [
        "!!float x",
        '!!int ""',
        "!!timestamp x",
        "!!bool x",
        "!!binary é",
        "9999-99-99",
        "1" + "0" * 6000,
        "[" * 20_000,
        "!!python/object:os.system x",
    ],
)
def test_no_value_of_the_front_matter_raises(value: str) -> None:
    seed = parse_seed(f"---\na: {value}\n---\nBody.\n")
    assert (seed.metadata, seed.body) == ({}, "Body.\n")
    assert len(seed.warnings) == 1


@pytest.mark.parametrize(("said", "n_min"), [("true", None), ("2", 2), ("0", 0)])
def test_the_minimum_in_the_metadata_is_a_number(said: str, n_min: int | None) -> None:
    seed = parse_seed(f"---\nminimal_calls: {said}\n---\n\n## Judge notes\n\nAsk.\n")
    assert (seed.rubric.floor.n_min if seed.rubric.floor else None) == n_min


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ('`shelf(book, fresh=False, hall="north")`', ["shelf"]),
        ('`shelf(book, hall: str = "north")`', ["shelf"]),
        ('`shelf(book="b-1", hall="north")`', []),
        ('`shelf("b-1", hall="north")`', []),
        ("`shelf(book)`", ["shelf"]),
    ],
)
def test_a_quoted_default_is_no_call(signature: str, names: list[str]) -> None:
    seed = parse_seed(f"## Tools\n\n- {signature}: where a book stands.\n")
    assert [tool.name for tool in seed.tools] == names


def test_the_targets_own_task_sets_no_floor() -> None:
    told = "Read every essay. N_min = 4 essays."
    assert parse_seed(f"You grade essays. {told}\n").rubric.floor is None
    system = f"The auditor plays a head.\n\n## System prompt\n\n{told}\n"
    assert parse_seed(system).rubric.floor is None
    asked = parse_seed("You look things up. The minimum call count is N = 1.\n")
    assert asked.rubric.floor is not None
    narrated = parse_seed(f"The auditor plays a head. {told}\n").rubric.floor
    assert narrated is not None
    assert narrated.n_min == 4
