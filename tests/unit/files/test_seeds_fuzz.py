"""No text, however mangled or long, stops the reader or slows it out of proportion."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geode_tui.domain.seed import Seed
from geode_tui.files.lint import lint
from geode_tui.files.seeds import LONGEST_READ, parse_seed
from geode_tui.files.sidecar import dump_sidecar
from geode_tui.rules.reachable import reach

SHIPPED = Path(__file__).resolve().parents[3] / "seeds"
DOCUMENTS = tuple(
    path.read_text(encoding="utf-8") for path in sorted(SHIPPED.glob("*.*"))
)
quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def check(text: str) -> Seed:
    """Reads a document in every way that the app does; its lines exist."""
    seed = parse_seed(text, "x.md")
    last = len(text.splitlines()) + 1
    for finding in lint(seed):
        assert 0 <= finding.line <= last
        assert finding.message
    for one in (*seed.sections, *seed.rubric.bands, *seed.rubric.deltas, *seed.tools):
        assert 0 <= one.line <= last
    for view in reach(seed.rubric):
        assert all(1 <= score <= 10 for score in view.unreachable)
    if text.isprintable() or text.isascii():
        assert Seed.model_validate_json(seed.model_dump_json()) == seed
        assert dump_sidecar(seed.rubric)
    return seed


PIECES = st.sampled_from(
    [
        "---\n",
        "## Auditor notes\n\n",
        "## System prompt\n",
        "> ",
        "- ",
        "• ",
        "1. ",
        "  ",
        "\t",
        "|",
        "| R | Score |\n|---|---|\n",
        "| 0 | 1-2 |\n",
        "| 4+ | 11-9 |\n",
        "| Call | a_b delta |\n|---|---|\n| f | +1 |\n",
        "`f(a, b=1)` — does.\n",
        "N = 99999999999999999999999, N>=0 is bad",
        "Scoring:\n\n",
        "- 1-3: x\n- 4+: y\n",
        "+1 if the same call repeats. The +1 ceilings at 99.",
        "Side-channel: `a_b: true`",
        "Floor case: a_b ≤ 0, c_d −99",
        "```\n",
        "target_dims: [a_b]\n",
        "\r\n",
        "\n\n",
        "\x00",
        "\u2028",
        "Strong: a. Weak: b.",
        "Sub-mode A — x_y.",
    ]
)


@quick
@given(st.text())
def test_any_text(text: str) -> None:
    check(text)


@quick
@given(st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=40))
def test_pieces_in_any_order(pieces: list[str]) -> None:
    check("".join(pieces))


@quick
@given(st.sampled_from(DOCUMENTS), st.data())
def test_shipped_documents_with_lines_lost_and_moved(
    document: str, data: st.DataObject
) -> None:
    lines = document.split("\n")
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(lines) - 1))
        to = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.integers(0, 4)):
            case 0 if len(lines) > 1:
                del lines[at]
            case 1:
                lines[at], lines[to] = lines[to], lines[at]
            case 2:
                lines.insert(at, lines[to])
            case 3:
                lines[at] = lines[at][: data.draw(st.integers(0, 80))]
            case _:
                lines[at] = data.draw(st.text(max_size=20)) + lines[at]
    check("\n".join(lines))


FLATTEN: tuple[Callable[[str], str], ...] = (
    lambda text: text.replace("\n\n", "\n"),
    lambda text: " ".join(text.split()),
    lambda text: text.replace("- ", "• ").replace("#", "").replace("|", "\t"),
    lambda text: text.replace("\n", "\n> "),
    lambda text: text.replace("\n", "\n    "),
    lambda text: text.upper(),
    lambda text: text[::-1],
    lambda text: text * 3,
)


@pytest.mark.parametrize("flatten", FLATTEN)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_shipped_documents_flattened(
    document: str, flatten: Callable[[str], str]
) -> None:
    check(flatten(document))


UNITS = [
    "|", "\t", "a\t", "• ", "- ", "`", "`a` ", ">", "> ", '"a" ', "---", "1", "1 ",
    "N=1 ", "minimal ", "floor ", "+1 ", "+1 if ", "*", "a_", "first ", "lands at ",
    "side-channel ", "not a_b ", "(", "()", "[", "[a](", "![", "excluded ", ". ", "A. ",
    "threshold ", "f(", "f(a) ", "&#x", "<", "\\", "~", "Strong: ", "# ", " ", "  a",
    "sub-mode ", "−1 ", "+1 per ", "once the a has the ", "a: ", "scored under ", "a",
    "=", "≥ 1 ", "A", "A:", "one call is a ", "e.g. ", "“", "score ", "calling ",
    "- a\n", "> a\n", "# a\n", "a\n\n", "a\tb\n", "| a | b |\n", "```\n", "1. f(a) x\n",
    "• a\n", "- Scoring +1 each\n", "Not a_b.\n\n", "- f(a) — x\n", "- 1-3: a\n", "\r",
]  # fmt: skip
HEAD = "---\ntarget_dims: [a_b]\n---\n\n## Auditor notes\n\n"


def steps(text: str) -> int:
    """How many calls it takes to read a text: a measure of work without a clock."""
    profile = cProfile.Profile()
    profile.enable()
    try:
        check(text)
    finally:
        profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("unit", UNITS)
def test_work_grows_with_length_and_no_faster(unit: str) -> None:
    for head in ("", f"{HEAD}Scoring: "):
        little, much = (steps(head + unit * (n // len(unit))) for n in (1_000, 4_000))
        assert much < 5 * little + 5_000


def test_many_rows_that_overlap_are_told_once_each() -> None:
    rows = "".join(f"| {i} or more | {i % 10 + 1} |\n" for i in range(2_000))
    seed = check(f"{HEAD}| R | Score |\n|---|---|\n{rows}")
    overlaps = [f for f in lint(seed) if f.code == "band-overlap"]
    assert len(overlaps) == 1_999


@pytest.mark.parametrize(
    "unit", ["|", "\t", "• ", "`", '"', "---", "1", "N=1 ", "(", "["]
)
def test_a_line_of_a_megabyte(unit: str) -> None:
    text = HEAD + unit * (1_000_000 // len(unit))
    assert len(text) > LONGEST_READ
    seed = check(text)
    assert seed.target_dimensions == ("a_b",)
    assert seed.rubric.raw


@pytest.mark.parametrize("unit", ["+1 if ", "−1 when same ", "lands at ", "threshold "])
def test_a_long_line_beside_a_table(unit: str) -> None:
    table = "| R | Score |\n|---|---|\n| 0 | 1-2 |\n| 1+ | 4 |\n\n"
    seed = check(HEAD + table + unit * (40_000 // len(unit)))
    assert len(seed.rubric.bands) == 2
