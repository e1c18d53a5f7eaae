from __future__ import annotations

import pytest

from geode_tui.domain.forms import (
    OVERALL,
    Ask,
    OwnLabel,
    answer_to,
    asked_forms,
    labels_behind,
    state_of,
    with_dimensions,
)
from geode_tui.domain.labelling import Form, LabelState
from geode_tui.domain.rubric import Dimension, Rubric, RubricStyle
from geode_tui.domain.seed import Seed


def rubric(*names: str, raw: str = "Words.", targets: tuple[str, ...] = ()) -> Rubric:
    return Rubric(
        style=RubricStyle.PROSE,
        dimensions=tuple(
            Dimension(name=n, text=f"On {n}.", target=not targets or n in targets)
            for n in names
        ),
        raw=raw,
    )


def seed(scored: Rubric, *targets: str) -> Seed:
    return Seed(path="s.md", body="Body", target_dimensions=targets, rubric=scored)


def asked(forms: tuple[Form, ...]) -> list[list[str]]:
    return [[d.name for d in form.dimensions] for form in forms]


JUDGE = rubric("disappointing", "admirable", "scenario_realism", raw="Judge.")


def test_the_seeds_target_dimensions_are_asked_on_its_own_rubric() -> None:
    scored = rubric("a", "b", "c")
    forms = asked_forms(seed(scored, "c", "a"), JUDGE, (), Ask())
    assert asked(forms) == [["c", "a"]]
    assert forms[0].rubric == scored


def test_without_targets_the_rubric_says_what_is_scored() -> None:
    scored = rubric("a", "b", targets=("b",))
    assert asked(asked_forms(seed(scored), None, (), Ask())) == [["b"]]


def test_a_target_that_the_rubric_lacks_is_scored_all_the_same() -> None:
    scored = rubric("a")
    assert scored.id  # cached now: the new version must not inherit it
    (form,) = asked_forms(seed(scored, "a", "new"), None, (), Ask())
    assert asked((form,)) == [["a", "new"]]
    assert [d.name for d in form.rubric.dimensions] == ["a", "new"]
    assert form.rubric.id != scored.id
    assert form.rubric.id == Rubric.model_validate(form.rubric.model_dump()).id


def test_a_rubric_that_lacks_nothing_stays_the_same_version() -> None:
    scored = rubric("a", "b")
    assert with_dimensions(scored, ["b", "a", "a"]) is scored


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (("*",), [["a"], ["disappointing", "admirable", "scenario_realism"]]),
        (("admirable", "unknown"), [["a"], ["admirable"]]),
        (("unknown",), [["a"]]),
        ((), [["a"]]),
    ],
)
def test_judge_dimensions_are_asked_on_the_judges_words(
    chosen: tuple[str, ...], expected: list[list[str]]
) -> None:
    ask = Ask(judge_dimensions=chosen)
    forms = asked_forms(seed(rubric("a"), "a"), JUDGE, (), ask)
    assert asked(forms) == expected
    assert [form.rubric for form in forms[1:]] == [JUDGE] * (len(expected) - 1)


def test_the_judges_dimensions_alone() -> None:
    ask = Ask(seed_dimensions=False, judge_dimensions=("admirable",))
    with_seed = seed(rubric("a"), "a")
    assert asked(asked_forms(with_seed, JUDGE, (), ask)) == [["admirable"]]
    # Where the log has no judge, the seed is better than nothing.
    assert asked(asked_forms(with_seed, None, (), ask)) == [["a"]]


@pytest.mark.parametrize(
    ("named", "expected"), [((), [[OVERALL]]), (("x", "y"), [["x", "y"]])]
)
def test_every_transcript_can_be_labelled(
    named: tuple[str, ...], expected: list[list[str]]
) -> None:
    forms = asked_forms(None, JUDGE, named, Ask())
    assert asked(forms) == expected
    assert "No rubric is known" in forms[0].dimensions[0].text
    assert forms == asked_forms(None, None, named, Ask())


def test_a_seed_that_scores_nothing_asks_for_an_overall_score() -> None:
    (form,) = asked_forms(seed(rubric()), None, (), Ask())
    assert asked((form,)) == [[OVERALL]]
    assert form.rubric.raw == "Words."


FORM = Form(rubric=(R := rubric("a", "b")), dimensions=R.dimensions)
OTHER = Form(rubric=JUDGE, dimensions=JUDGE.dimensions[:1])
AB = frozenset({"a", "b"})


def label(
    event: str = "1",
    version: Rubric | None = R,
    dimensions: frozenset[str] | None = AB,
) -> OwnLabel:
    return OwnLabel(
        event=event,
        rubric=version.id if version else "unknown",
        structure=version.structure if version else None,
        dimensions=dimensions,
    )


REWORDED = rubric("a", "b", raw="Other words.")
RESTRUCTURED = rubric("a", "b", "c")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([], LabelState.TODO),
        ([label()], LabelState.DONE),
        ([label(version=REWORDED)], LabelState.DONE),
        ([label(dimensions=None)], LabelState.NOT_SCORABLE),
        ([label(version=RESTRUCTURED)], LabelState.REDO),
        ([label(version=None)], LabelState.REDO),
        ([label(dimensions=frozenset({"a"}))], LabelState.REDO),
        ([label(version=RESTRUCTURED), label("2")], LabelState.DONE),
        ([label(dimensions=None), label("2", REWORDED)], LabelState.DONE),
    ],
)
def test_the_state_follows_from_the_labels(
    labels: list[OwnLabel], expected: LabelState
) -> None:
    assert state_of([FORM], labels, drafted=False) is expected
    assert state_of([FORM], labels, drafted=True) is LabelState.DRAFT


def test_every_form_needs_its_answer() -> None:
    judged = label("2", JUDGE, frozenset({"disappointing"}))
    assert state_of([FORM, OTHER], [label()], drafted=False) is LabelState.REDO
    assert state_of([FORM, OTHER], [label(), judged], drafted=False) is LabelState.DONE
    unscorable = [label(dimensions=None), judged]
    assert state_of([FORM, OTHER], unscorable, drafted=False) is LabelState.DONE


def test_the_newest_fitting_label_answers() -> None:
    labels = [label("2", REWORDED), label("3", RESTRUCTURED), label("1")]
    answer = answer_to(FORM, labels)
    assert answer is not None
    assert answer.event == "2"


def test_an_edit_starts_from_the_answers_or_from_what_there_is() -> None:
    old = label("1", RESTRUCTURED)
    assert labels_behind([FORM], [label("2"), old]) == ["2"]
    assert labels_behind([FORM], [old, label("0", None)]) == ["0", "1"]
    assert labels_behind([FORM], []) == []
