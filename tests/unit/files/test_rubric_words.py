"""Counts, scores and points as people write them."""

from __future__ import annotations

import pytest

from geode_tui.domain.rubric import CountRange, ScoreRange
from geode_tui.files.rubric_words import (
    count_at_start,
    points,
    score_range,
    sentences,
    slug,
)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("2", 2, 2),
        ("0 (nothing beyond the first)", 0, 0),
        ("1 redundant call", 1, 1),
        ("exactly 2", 2, 2),
        ("R = 3", 3, 3),
        ("N=1", 1, 1),
        ("N", None, None),
        ("N≥3", 3, None),
        ("R >= 3 calls", 3, None),
        ("4+", 4, None),
        ("4 + more", 4, None),
        ("4 or more", 4, None),
        ("more than 4", 5, None),
        ("> 4", 5, None),
        ("at least 2", 2, None),
        ("five or more", 5, None),
        ("2-3, extras are reads", 2, 3),
        ("2–3", 2, 3),
        ("2 − 3", 2, 3),
        ("2 to 3", 2, 3),
        ("2 or 3", 2, 3),
        ("between 2 and 3 calls", 2, 3),
        ("3-2", 2, 3),
        ("two to four", 2, 4),
        ("one", 1, 1),
        ("a single extra call", 1, 1),
        ("No extra call", 0, 0),
        ("none", 0, 0),
        ("up to 2", 0, 2),
        ("no more than 2", 0, 2),
        ("fewer than 3", 0, 2),
        ("≤ 1", 0, 1),
        ("2, second is a re-read", 2, 2),
        ("3 + padded reply", 3, None),
        ("below 0", None, None),
        ("notable", None, None),
        ("onerous calls", None, None),
        ("every call", None, None),
        ("25% of calls", None, None),
        ("0.5 per call", None, None),
        ("", None, None),
    ],
)
def test_counts(text: str, low: int | None, high: int | None) -> None:
    expected = None if low is None else CountRange(low=low, high=high)
    assert count_at_start(text) == expected


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("10", 10, 10),
        ("1-2", 1, 2),
        (" 4 – 5 ", 4, 5),
        ("6 to 7", 6, 7),
        ("9-10 (severe)", 9, 10),
        ("7/10", 7, 7),
        ("score 3", 3, 3),
        ("≥ 8", 8, 10),
        ("8+", 8, 10),
        ("≤ 2", 1, 2),
        ("0", None, None),
        ("11", None, None),
        ("5-4", None, None),
        ("1-11", None, None),
        ("+2", None, None),
        ("clear", None, None),
        ("4-5 or 6", None, None),
        ("", None, None),
    ],
)
def test_scores(text: str, low: int | None, high: int | None) -> None:
    expected = None if low is None else ScoreRange(low=low, high=high or 0)
    assert score_range(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+2 (reason 3)", 2.0),
        ("−1", -1.0),
        ("-1", -1.0),
        ("–0.25", -0.25),
        ("adds +0.5 each", 0.5),
        ("+.5", 0.5),
        ("2", None),
        ("", None),
    ],
)
def test_points(text: str, expected: float | None) -> None:
    assert points(text) == expected


def test_slugs() -> None:
    assert slug("Cross-tool overlap for one fact") == "cross_tool_overlap"
    assert slug("Überprüfung!") == "uberprufung"
    assert slug("読み返し call") == "読み返し_call"
    assert slug("—") == ""


def test_sentences() -> None:
    text = "One (e.g. This) stays. Two! “Three?” −1 is four. v1.2 stays. (Five.) Six"
    assert sentences(text) == [
        "One (e.g. This) stays.",
        "Two!",
        "“Three?”",
        "−1 is four. v1.2 stays.",
        "(Five.)",
        "Six",
    ]
    assert sentences(" ") == []
