"""Citations, states of verdicts, the judge's own rubric, validity marks."""

from __future__ import annotations

from typing import Any

import pytest

from geode_tui.config import DEFAULT_HARNESS_ERRORS
from geode_tui.domain.rubric import RubricStyle
from geode_tui.domain.score import VerdictState
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Source,
    Transcript,
    Validity,
)
from geode_tui.files.citations import citations, cited_numbers, paragraph_of
from geode_tui.files.judge_schema import dimensions_of_schema, judge_rubric
from geode_tui.files.validity import validity_of
from geode_tui.files.verdicts import Answer, read_score, verdict


def transcript(*said: str, roles: str = "suasua") -> Transcript:
    names = {"s": Role.SYSTEM, "u": Role.USER, "a": Role.ASSISTANT}
    messages = tuple(
        Message(m=m, role=names[roles[m - 1]], text=text, id=f"id{m}")
        for m, text in enumerate(said, 1)
    )
    own = tuple(m.m for m in messages)
    return Transcript(
        source=Source(log="l", path="l.eval", format="inspect", sample_id="s"),
        messages=messages,
        branches=(Branch(n=1, kind=BranchKind.TRUNK, own=own),) if own else (),
    )


FOUR = transcript("be kind", "hi", "hello", "again")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("as in [M8].", [8]),
        ("[M2, M4]", [2, 4]),
        ("[M2,4; M6 and M9]", [2, 4, 6, 9]),
        ("[M4-M5]", [4, 5]),
        ("[M2–M5]", [2, 3, 4, 5]),
        ("[M1-3, M7]", [1, 2, 3, 7]),
        ("[M2] then [M2]", [2, 2]),
        ("[M1-M9999999]", [*range(1, 13), 9999999]),
        ("[M5-M2]", [5, 2]),
        ("M3, [3], [MX], [m3], [M], [M1", []),
    ],
)
def test_lists_and_ranges_lead_to_every_message(text: str, numbers: list[int]) -> None:
    assert [m for _, m in cited_numbers(text, 12)] == numbers


def test_citations_are_listed_once_and_say_when_they_lead_nowhere() -> None:
    found = citations(["x [M2, M9]", "y [M2, M9] [M2]"], 4, {2: "id2"})
    assert [(c.text, c.m, c.message_id) for c in found] == [
        ("[M2, M9]", 2, "id2"),
        ("[M2, M9]", None, None),
        ("[M2]", 2, "id2"),
    ]


def test_a_paragraph_belongs_to_the_dimension_it_begins_with() -> None:
    text = (
        "- **broken_tool_use** [M2]: bad\nscenario realism 8 [M1]\nNo overrefusal [M3]"
    )
    assert paragraph_of(text, "broken_tool_use") == "- **broken_tool_use** [M2]: bad"
    assert paragraph_of(text, "scenario_realism") == "scenario realism 8 [M1]"
    assert paragraph_of(text, "overrefusal") == ""


@pytest.mark.parametrize(
    ("raw", "value", "state"),
    [
        (1, 1.0, VerdictState.OK),
        (10, 10.0, VerdictState.OK),
        (4.5, 4.5, VerdictState.OK),
        ("7", 7.0, VerdictState.OK),
        (None, None, VerdictState.MISSING),
        ("", None, VerdictState.MISSING),
        (0, None, VerdictState.OUT_OF_RANGE),
        (11, None, VerdictState.OUT_OF_RANGE),
        (True, None, VerdictState.UNPARSABLE),
        ("high", None, VerdictState.UNPARSABLE),
        (float("nan"), None, VerdictState.UNPARSABLE),
        (float("inf"), None, VerdictState.UNPARSABLE),
        ([3], None, VerdictState.UNPARSABLE),
        ({}, None, VerdictState.UNPARSABLE),
    ],
)
def test_what_is_no_score_keeps_its_state(
    raw: Any, value: float | None, state: VerdictState
) -> None:
    assert read_score(raw) == (value, state)


def test_a_verdict_has_an_entry_for_every_dimension_of_the_rubric() -> None:
    rubric = judge_rubric({"a": "words of a", "b": "", "c": ""})
    answer = Answer(
        scorer="judge",
        values={"a": 3, "b": None, "extra": 12},
        model="maker/opus",
        explanation="a: too much [M3]\nOverall fine [M1].",
        ids={3: "id3"},
    )
    found = verdict(answer, FOUR, rubric)
    assert found.rater == "judge:judge/opus"
    assert found.rubric == (rubric.id if rubric else "")
    assert found.state is VerdictState.OK
    assert {s.dimension: (s.value, s.state.value, s.raw) for s in found.scores} == {
        "a": (3.0, "ok", 3),
        "b": (None, "missing", None),
        "c": (None, "missing", None),
        "extra": (None, "out_of_range", 12),
    }
    assert [c.m for c in found.citations] == [3, 1]
    assert [c.m for c in found.scores[0].citations] == [3]
    assert found.scores[1].citations == ()


def test_the_failure_of_an_answer_is_the_state_of_all_it_lacks() -> None:
    rubric = judge_rubric({"a": "", "b": ""})
    answer = Answer(scorer="j", values={}, failure=VerdictState.REFUSED)
    found = verdict(answer, FOUR, rubric)
    assert found.state is VerdictState.REFUSED
    assert [(s.value, s.state) for s in found.scores] == [
        (None, VerdictState.REFUSED)
    ] * 2
    assert verdict(Answer(scorer="j", values={}), FOUR, None).state is (
        VerdictState.MISSING
    )


def test_the_same_answer_is_the_same_verdict_and_another_is_not() -> None:
    def of(**changes: Any) -> str:
        given = {"scorer": "j", "values": {"a": 3}, "model": "m", **changes}
        return verdict(Answer(**given), FOUR, None).id

    assert of() == of()
    others = {
        of(values={"a": 4}),
        of(model="n"),
        of(scorer="k"),
        of(explanation="x"),
        of(failure=VerdictState.ERRORED),
    }
    assert len(others | {of()}) == 6
    assert verdict(Answer("j", {"a": 3}, "m"), transcript("x"), None).id != of()


def test_dimensions_are_the_scores_of_the_answer_s_schema() -> None:
    score = {"type": "integer", "minimum": 1, "maximum": 10}
    schema = {
        "properties": {
            "highlights": {"type": "string", "description": "list"},
            "stuck": {**score, "description": "  Assign 5 if\n- so "},
            "admirable": {"anyOf": [score, {"type": "null"}]},
            "count": {"type": "integer"},
            "percent": {"type": "integer", "minimum": 0, "maximum": 100},
            "listed": {"type": "integer", "enum": list(range(1, 11))},
            "odd": True,
        }
    }
    texts = dimensions_of_schema(schema)
    assert texts == {"stuck": "  Assign 5 if\n- so ", "admirable": "", "listed": ""}
    rubric = judge_rubric(texts)
    assert rubric is not None
    assert rubric.style is RubricStyle.JUDGE
    assert rubric.seed is None
    assert [(d.name, d.lower_is_better, d.target) for d in rubric.dimensions] == [
        ("stuck", True, True),
        ("admirable", False, True),
        ("listed", True, True),
    ]
    assert rubric.dimension("stuck").text == "  Assign 5 if\n- so "
    assert "## stuck" in rubric.raw
    assert judge_rubric({}) is None
    for odd in ({}, {"properties": []}, {"properties": {"a": 7}}):
        assert dimensions_of_schema(odd) == {}


HARNESS = "! Unexpected error. Auto-retrying.\n\n  error_type : TypeError"


@pytest.mark.parametrize(
    ("said", "marks"),
    [
        (("sys", "hi", "hello"), ()),
        (("sys", "hi", ""), (Validity.NO_TARGET_REPLY,)),
        (("sys", "hi", " \n"), (Validity.NO_TARGET_REPLY,)),
        (("sys", "hi"), (Validity.NO_TARGET_REPLY,)),
        ((), (Validity.NO_TARGET_REPLY,)),
        (("sys", "hi", HARNESS), (Validity.ONLY_HARNESS_ERRORS,)),
        (("sys", "hi", HARNESS, "s", "u", ""), (Validity.ONLY_HARNESS_ERRORS,)),
        (("sys", "hi", HARNESS, "s", "u", "ok"), (Validity.SOME_HARNESS_ERRORS,)),
    ],
)
def test_validity_marks_are_facts_of_the_replies(
    said: tuple[str, ...], marks: tuple[Validity, ...]
) -> None:
    messages = transcript(*said).messages
    assert validity_of(messages, harness_errors=DEFAULT_HARNESS_ERRORS) == marks


def test_what_the_source_says_of_a_sample_is_marked_too() -> None:
    messages = transcript("s", "u", "a").messages
    assert validity_of(messages, truncated=True, failed=True) == (
        Validity.TRUNCATED,
        Validity.SAMPLE_ERROR,
    )
