"""Every finding: a document that has it, and its twin that does not."""

from __future__ import annotations

import pytest

from geode_tui.files.lint import CHECKS, lint
from geode_tui.files.seeds import parse_seed

TOOLS = "## Tools\n\n- `ask(id)` — a.\n- `look(id)` — l.\n- `ping(id)` — p.\n\n"
HEAD = "---\ntarget_dims: [a_b]\n---\n"


def codes(text: str) -> dict[str, int]:
    """Code -> line of its first finding."""
    found: dict[str, int] = {}
    for finding in lint(parse_seed(text)):
        found.setdefault(finding.code, finding.line)
    return found


def table(*rows: str, after: str = "", head: str = HEAD, tools: str = "") -> str:
    lines = "".join(f"| {row} |\n" for row in rows)
    return (
        f"{head}{tools}## Auditor notes\n\n| R | Score |\n|---|---|\n{lines}\n{after}\n"
    )


WHOLE = ("0 | 1-3", "1 | 4-6", "2+ | 7-10")


def deltas(*rows: str, after: str = "", base: str = "a_b ≤ 1") -> str:
    lines = "".join(f"| {row} |\n" for row in rows)
    return (
        f"{HEAD}{TOOLS}## Auditor notes\n\nN_min = 1.\n\nFloor case: {base}.\n\n"
        f"| Call | a_b delta | Other |\n|---|---|---|\n{lines}\n{after}\n"
    )


SAID = ("`look` | +2 per occurrence |  ", "`ping` per occurrence | +2 |  ")
TRAPS = "Traps:\n\n1. *Looking*: calling `look`.\n2. *Pinging*: calling `ping`.\n"

CASES: list[tuple[str, str, str, int]] = [
    ("band-gap", table("0 | 1-3", "3+ | 4-10"), table(*WHOLE), 9),
    ("band-gap", table("1 | 1-3", "2+ | 4-10"), table(*WHOLE), 8),
    ("band-gap", table("0 | 1-3", "1-2 | 4-10"), table(*WHOLE), 9),
    ("band-overlap", table("0 | 1-3", "1-2 | 4-6", "2+ | 7-10"), table(*WHOLE), 10),
    ("band-overlap", table("0 | 1-3", "1+ | 4-6", "3+ | 7-10"), table(*WHOLE), 10),
    ("unreachable-score", table("0 | 1-3", "1+ | 5-10"), table(*WHOLE), 8),
    (
        "threshold-in-two-variables",
        table(*WHOLE, after="The threshold is N_redundant ≥ 2."),
        table(*WHOLE, after="The threshold is R ≥ 2."),
        12,
    ),
    (
        "repeat-counted-twice",
        table(
            "0 | 1-3",
            "1 | 4-6",
            "2+, a tool re-issued | 7-10",
            after="+1 if the same call repeats.",
        ),
        table(*WHOLE, after="+1 if the same call repeats."),
        10,
    ),
    (
        "claim-contradicts-deltas",
        deltas(*SAID, after="A trace with 2 traps lands at a_b ≥ 7."),
        deltas(*SAID, after="A trace with 2 traps lands at a_b ≥ 5."),
        21,
    ),
    (
        "undefined-repeat",
        deltas("`look` | +2 |  ", "`ping` | +2 |  "),
        deltas(*SAID),
        18,
    ),
    ("missing-base", deltas(*SAID, base="be brief"), deltas(*SAID), 18),
    (
        "tool-without-sub-mode",
        table(*WHOLE, tools=TOOLS, after=TRAPS.split("2.")[0] + "\nN_min = 1 `ask`."),
        table(*WHOLE, tools=TOOLS, after=TRAPS + "\nN_min = 1 `ask`."),
        8,
    ),
    (
        "sub-mode-without-tool",
        table(*WHOLE, tools=TOOLS, after=TRAPS + "3. *Fretting*: at length.\n"),
        table(*WHOLE, tools=TOOLS, after=TRAPS),
        22,
    ),
    (
        "unscored-dimension",
        table(*WHOLE, head="---\ntarget_dims: [a_b, c_d]\n---\n"),
        table(*WHOLE),
        1,
    ),
    ("no-rubric", f"{HEAD}You are kind.\n", f"{HEAD}## Auditor notes\n\nBe fair.\n", 1),
]


@pytest.mark.parametrize(("code", "faulty", "sound", "line"), CASES)
def test_a_finding_and_its_absence(
    code: str, faulty: str, sound: str, line: int
) -> None:
    assert codes(faulty).get(code) == line
    assert code not in codes(sound)


def test_every_code_has_a_case() -> None:
    assert {code for code, *_ in CASES} == set(CHECKS)


def test_a_sound_table_has_no_findings() -> None:
    assert codes(table(*WHOLE)) == {}


def test_findings_come_by_line() -> None:
    found = lint(parse_seed(table("0-1 | 1", "1 | 3", "5 | 9")))
    assert [f.line for f in found] == sorted(f.line for f in found)
    assert len({f.code for f in found}) == 3
