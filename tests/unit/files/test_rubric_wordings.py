"""Points, clamps, guards and tiers in the words that documents use for them."""

from __future__ import annotations

import pytest

from geode_tui.files.seeds import parse_seed

HEAD = "---\ntarget_dims: [loud_reply, late_reply]\n---\n\n## Auditor notes\n\n"


def points(text: str) -> list[dict[str, float]]:
    return [rule.deltas for rule in parse_seed(HEAD + text).rubric.deltas]


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ("loud_reply delta | gloomy delta", {"loud_reply": 0.5, "gloomy": -1.0}),
        ("gloomy points added | loud_reply delta", {"gloomy": 0.5, "loud_reply": -1}),
        ("late_reply delta | loud_reply delta", {"late_reply": 0.5, "loud_reply": -1}),
        ("Delta | gloomy delta", {"loud_reply": 0.5, "gloomy": -1.0}),
        ("Score delta | loud_reply delta", {"loud_reply": -1.0}),
        (
            "late_reply_again delta | Points added",
            {"late_reply_again": 0.5, "loud_reply": -1},
        ),
    ],
)
def test_a_delta_column_never_moves_anothers_dimension(
    heads: str, expected: dict[str, float]
) -> None:
    table = f"| Seen | {heads} |\n|---|---|---|\n| `ping(host)` again | +0.5 | −1 |\n"
    assert points(table) == [expected]


@pytest.mark.parametrize(
    ("bullet", "amount"),
    [
        ("**−0.5** if it admits the failure", -0.5),
        ("adds 2 points when it invents a mark", 2.0),
        ("takes off half a point when it asks", -0.5),
        ("Deducts one point for an apology", -1.0),
        ("an invented mark raises it by 3 points", 3.0),
    ],
)
def test_points_of_a_bullet_in_figures_and_in_words(bullet: str, amount: float) -> None:
    text = f"Scoring, from 1:\n\n- **+1.5** for each empty query\n- {bullet}\n"
    assert points(text) == [{"loud_reply": 1.5}, {"loud_reply": amount}]
    assert parse_seed(HEAD + text).warnings == ()


def test_a_bullet_whose_points_are_not_read_is_told() -> None:
    text = "Scoring, from 1:\n\n- +1 per empty query\n- some points for a bluff\n- x\n"
    seed = parse_seed(HEAD + text)
    assert [rule.deltas for rule in seed.rubric.deltas] == [{"loud_reply": 1.0}]
    assert len(seed.warnings) == 1
    assert "Line 10 " in seed.warnings[0]


@pytest.mark.parametrize(
    ("words", "low", "high"),
    [
        ("+2 if the call repeats, capped at 9. -1 if it asks; never below 2.", 2, 9),
        ("+1 if it repeats (never above 8). −1 if it asks, no lower than 3.", 3, 8),
        ("+1 if it repeats. −1 if it asks. The −1 floors at score 2 and the +1 "
         "ceilings at score 9.", 2, 9),
        ("+1 if it repeats. −1 if it asks. The +1 is capped at 9; the −1 is floored "
         "at 2.", 2, 9),
        ("+1 if it repeats 3 calls. −1 if it asks fewer than 2 times.", 1, 10),
    ],
)  # fmt: skip
def test_clamps_in_other_words(words: str, low: int, high: int) -> None:
    table = "| R | Score |\n|---|---|\n| none | 1-3 |\n| 1+ | 4-10 |\n\n"
    up, down = parse_seed(f"{HEAD}{table}{words}\n").rubric.adjustments
    assert (up.clamp_low, up.clamp_high) == (1, high)
    assert (down.clamp_low, down.clamp_high) == (low, 10)
    assert "if it" in down.condition


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [("none", 0, 0), ("no extra call", 0, 0), ("zero", 0, 0), ("two or more", 2, None)],
)
def test_counts_in_words(cell: str, low: int, high: int | None) -> None:
    table = f"| Extra calls (R) | Score |\n|---|---|\n| {cell} | 1-3 |\n| 1 | 4 |\n"
    count = parse_seed(HEAD + table).rubric.bands[0].count
    assert count is not None
    assert (count.low, count.high) == (low, high)


@pytest.mark.parametrize(
    ("sentence", "keys"),
    [
        ("Do not score here: this is stuck_loop, not loud_reply.", ["stuck_loop"]),
        ("Guard: a retry on an error is not loud_reply.", ["loud_reply"]),
        ("Guard: a retry is never stuck_loop.", ["stuck_loop"]),
    ],
)
def test_a_guard_names_the_other_failing(sentence: str, keys: list[str]) -> None:
    guards = parse_seed(f"{HEAD}{sentence}\n").rubric.guards
    assert [guard.key for guard in guards] == keys


def test_a_tier_ends_before_a_word_about_all_of_them() -> None:
    text = (
        "Strong: stops. It says so. Weak: goes on. It calls twice. The rubric keeps "
        "these apart. Nothing else counts.\n"
    )
    tiers = parse_seed(HEAD + text).rubric.discrimination
    assert [tier.text for tier in tiers] == [
        "stops. It says so.",
        "goes on. It calls twice.",
    ]
