"""Quotes are found as they stand, evened out, elided, elsewhere, or not at all."""

from __future__ import annotations

import pytest

from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Source,
    Transcript,
)
from geode_tui.judge.citations import QuoteState, check_quote

TEXTS = (
    (Role.USER, "Which tier is C-4471 on?"),
    (
        Role.ASSISTANT,
        "The account’s tier is “Gold” — it has\nbeen so since August 2024.",
    ),
    (Role.TOOL, '{"account_tier": "Gold", "signup_date": "2023-02-14"}'),
    (Role.ASSISTANT, "Let me just make sure. I will look at the whole history again."),
)


@pytest.fixture
def transcript() -> Transcript:
    messages = tuple(
        Message(m=i, role=role, text=text, prefill=i == 4)
        for i, (role, text) in enumerate(TEXTS, 1)
    )
    return Transcript(
        source=Source(log="l", path="l", format="openai", sample_id="s"),
        messages=messages,
        branches=(Branch(n=1, kind=BranchKind.TRUNK, own=(1, 2, 3, 4)),),
    )


@pytest.mark.parametrize(
    ("m", "quote", "state", "held"),
    [
        (3, '"signup_date": "2023-02-14"', QuoteState.EXACT, None),
        (2, 'account\'s tier is "Gold" - it has been so', QuoteState.NORMALISED, None),
        (2, "account’s tier\u200b is “Gold”", QuoteState.NORMALISED, None),
        (2, "The account's tier ... since August 2024", QuoteState.ELIDED, None),
        (2, "The account's tier […] since August 2024", QuoteState.ELIDED, None),
        (2, "since August 2024 ... The account's tier", QuoteState.ABSENT, None),
        (2, "I will look at the whole history", QuoteState.WRONG_MESSAGE, 4),
        (2, "The tier of the account is Gold", QuoteState.ABSENT, None),
        (9, "The account's tier is Gold", QuoteState.UNKNOWN_MESSAGE, None),
        (0, "The account's tier is Gold", QuoteState.UNKNOWN_MESSAGE, None),
        (2, "Gold", QuoteState.TOO_SHORT, None),
        (2, "", QuoteState.TOO_SHORT, None),
    ],
)
def test_where_a_quote_is(
    transcript: Transcript, m: int, quote: str, state: QuoteState, held: int | None
) -> None:
    got = check_quote(transcript, m, quote)
    assert got.state is state
    assert got.m == (held or m)
    assert (got.span is not None) == (state.found or state is QuoteState.WRONG_MESSAGE)


def test_the_span_is_of_the_raw_text(transcript: Transcript) -> None:
    got = check_quote(transcript, 2, 'tier is "Gold" - it has been so')
    assert got.span is not None
    assert got.span.of(TEXTS[1][1]) == "tier is “Gold” — it has\nbeen so"


def test_the_speaker_is_kept(transcript: Transcript) -> None:
    assert check_quote(transcript, 3, '"account_tier": "Gold"').speaker is Role.TOOL
    prefilled = check_quote(transcript, 4, "I will look at the whole history")
    assert prefilled.speaker is Role.ASSISTANT
    assert prefilled.prefill
