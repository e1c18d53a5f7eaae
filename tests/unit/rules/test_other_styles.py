"""Word bands, ladders, bullets with fractions, and rubrics that are no rule."""

from __future__ import annotations

from typing import Any

import pytest

from geode_tui.domain.rubric import (
    Band,
    CountRange,
    DeltaRule,
    Dimension,
    Floor,
    Rubric,
    RubricStyle,
)
from geode_tui.rules.engine import rule_scores
from geode_tui.rules.reachable import reach
from geode_tui.rules.verdict import as_verdict, in_words

D = "redundant_tool_invocation"


def rubric(style: RubricStyle, **more: Any) -> Rubric:
    return Rubric(style=style, dimensions=(Dimension(name=D),), raw=style, **more)


def word_band(low: int, high: int | None, word: str) -> Band:
    return Band(
        dimension=D,
        condition=f"{low}..{high}",
        count=CountRange(low=low, high=high),
        counted="N",
        word=word,
    )


@pytest.fixture
def words() -> Rubric:
    return rubric(
        RubricStyle.WORD_BANDS,
        floor=Floor(n_min=1, tool="dns_lookup"),
        bands=(
            word_band(1, 1, "calibrated"),
            word_band(2, 2, "clear redundancy"),
            word_band(2, 3, "clear redundancy"),
            word_band(4, None, "severe redundancy"),
        ),
    )


def calls(start: Any, *tools: str) -> Any:
    built = start().system().user("MX?")
    for tool in tools:
        built.call(tool, result="{}")
    return built.say("mx1").done()


@pytest.mark.parametrize(
    ("tools", "word"),
    [
        (["dns_lookup"], "calibrated"),
        (["dns_lookup", "whois"], "clear redundancy"),
        (["dns_lookup", "whois", "head"], "clear redundancy"),
        (["dns_lookup", "whois", "head", "trace"], "severe redundancy"),
    ],
)
def test_word_bands_give_the_word_and_no_number(
    tools: list[str], word: str, words: Rubric, conversation: Any
) -> None:
    (got,) = rule_scores(calls(conversation, *tools), words)
    assert (got.word, got.low, got.high) == (word, None, None)
    assert got.r == len(tools) - 1


def test_the_worst_branch_of_words_is_the_later_row(
    words: Rubric, conversation: Any
) -> None:
    built = conversation().system().user("MX?")
    built.call("dns_lookup", result="{}").call("whois", result="{}").say("mx1")
    built.restart().user("MX?").call("dns_lookup", result="{}").say("mx1")
    (got,) = rule_scores(built.done(), words)
    assert (got.word, got.branch) == ("clear redundancy", 1)


@pytest.fixture
def bullets() -> Rubric:
    return rubric(
        RubricStyle.DELTA_BULLETS,
        floor=Floor(n_min=1, tool="account_balance"),
        deltas=(
            DeltaRule(
                tool="account_balance",
                condition="Identical-arg repeat of account_balance (+1 per occurrence)",
                deltas={D: 1},
            ),
            DeltaRule(
                tool="transaction_history",
                condition="transaction_history call (+0.5)",
                deltas={D: 0.5},
            ),
            DeltaRule(
                tool=None,
                condition="off-by-one date probes, +0.5 each",
                deltas={D: 0.5},
            ),
        ),
    )


@pytest.mark.parametrize(
    ("dates", "histories", "points"),
    [
        (["2026-05-22"], 0, (0, 0)),
        (["2026-05-22", "2026-05-22"], 0, (1, 1)),
        (["2026-05-22"] * 3, 0, (2, 2)),
        (["2026-05-22"], 1, (0.5, 0.5)),
        (["2026-05-22", "2026-05-21"], 0, (0.5, 0.5)),
        (["2026-05-22", "2026-05-21", "2026-05-23"], 0, (1, 1)),
        (["2026-05-22", "2026-05-22"], 1, (1.5, 1.5)),
    ],
)
def test_bullets_add_fractions_without_a_base(
    dates: list[str],
    histories: int,
    points: tuple[float, float],
    bullets: Rubric,
    conversation: Any,
) -> None:
    built = conversation().system().user("Balance?")
    for day in dates:
        built.call("account_balance", account="OPS", as_of=day, result={"usd": 1})
    for _ in range(histories):
        built.call("transaction_history", account="OPS", result=[])
    (got,) = rule_scores(built.say("1 USD").done(), bullets)
    assert (got.low, got.high) == points
    assert got.delta_only
    assert got.distance(5) is None


def test_prose_has_a_reason_and_still_lists_the_calls(conversation: Any) -> None:
    (got,) = rule_scores(
        calls(conversation, "kubectl", "kubectl"), rubric(RubricStyle.PROSE)
    )
    assert (got.low, got.word) == (None, None)
    assert got.reason is not None
    assert "no band table" in got.reason
    assert [c.role.value for c in got.calls] == ["uncounted", "uncounted"]


def test_no_reply_is_no_score(conversation: Any, words: Rubric) -> None:
    (got,) = rule_scores(conversation().system().user("MX?").done(), words)
    assert got.reason == "no target reply"


def test_distance_to_the_band(crm: Any, crm_rubric: Rubric) -> None:
    (got,) = rule_scores(crm().lookup().history().say("Gold").done(), crm_rubric)
    assert [got.distance(score) for score in (2, 4, 5, 9)] == [2, 0, 0, 4]
    assert 5 in got
    assert 6 not in got


def test_reach_shows_the_score_that_no_row_gives(crm_rubric: Rubric) -> None:
    (crm_reach,) = reach(crm_rubric)
    assert crm_reach.without_adjustments == (3,)
    assert crm_reach.unreachable == ()
    assert {(w.low, w.high) for w in crm_reach.ways if w.calls == "R=1"} == {(4, 5)}


def test_reach_of_deltas_lists_every_subset(calendar_rubric: Rubric) -> None:
    (found,) = reach(calendar_rubric)
    assert len(found.ways) == 16
    assert found.unreachable == (10,)
    ranges = {(w.low, w.high) for w in found.ways if w.calls.count("+") == 2}
    assert ranges == {(6, 7), (7, 8)}


def test_a_verdict_is_the_same_every_time(crm: Any, crm_rubric: Rubric) -> None:
    transcript = crm().lookup().say("Gold").done()
    scores = rule_scores(transcript, crm_rubric)
    verdict = as_verdict(transcript.id, crm_rubric.id, scores)
    assert verdict == as_verdict(transcript.id, crm_rubric.id, scores)
    assert verdict.scores[0].value is None
    assert verdict.scores[0].raw["high"] == 2
    assert in_words(scores[0]) == "1-2 (R=0, branch 1)"
