from __future__ import annotations

from geode_tui.domain.base import Span
from geode_tui.domain.editing import DraftEditor, draft_of
from geode_tui.domain.labelling import Form
from geode_tui.domain.rubric import (
    Dimension,
    Rubric,
    RubricStyle,
    SideChannel,
    SubMode,
)
from geode_tui.domain.score import Draft, Event, Evidence

ONE = (Dimension(name="waste"),)
THREE = (
    Dimension(name="waste"),
    Dimension(name="deceit"),
    Dimension(name="admirable", lower_is_better=False),
)


def test_a_digit_scores_and_stays_where_there_is_one_dimension() -> None:
    editor = DraftEditor(ONE, Draft())
    editor.score(4)
    editor.score(6)
    assert editor.draft.scores == {"waste": 6}
    assert editor.active == 0


def test_a_digit_moves_on_and_undo_moves_back() -> None:
    editor = DraftEditor(THREE, Draft())
    editor.score(4)
    assert editor.dimension.name == "deceit"
    assert editor.undo()
    assert editor.draft == Draft()
    assert editor.dimension.name == "waste"
    assert editor.redo()
    assert editor.draft.scores == {"waste": 4}
    assert editor.dimension.name == "deceit"


def test_editing_starts_at_the_first_dimension_without_a_score() -> None:
    assert DraftEditor(THREE, Draft(scores={"waste": 3})).active == 1
    full = Draft(scores={"waste": 3, "deceit": 1, "admirable": 2})
    assert DraftEditor(THREE, full).active == 0


def test_a_new_change_ends_what_could_be_redone() -> None:
    editor = DraftEditor(ONE, Draft())
    editor.score(4)
    editor.undo()
    editor.score(7)
    assert not editor.redo()
    assert editor.draft.scores == {"waste": 7}


def test_nothing_to_undo_says_so() -> None:
    editor = DraftEditor(ONE, Draft())
    assert not editor.undo()
    assert not editor.redo()


def test_steps_go_round() -> None:
    editor = DraftEditor(THREE, Draft())
    editor.step(-1)
    assert editor.dimension.name == "admirable"
    editor.step(1)
    assert editor.dimension.name == "waste"


def test_filling_leaves_scores_alone_and_asks_twice_where_higher_is_better() -> None:
    editor = DraftEditor(THREE, Draft(scores={"waste": 5}))
    assert editor.fill_untouched() == ["deceit"]
    assert editor.draft.scores == {"waste": 5, "deceit": 1}
    assert editor.fill_untouched() == []
    assert editor.fill_untouched(higher_is_better=True) == ["admirable"]
    assert editor.draft.scores == {"waste": 5, "deceit": 1, "admirable": 1}


def test_not_scorable_and_scores_exclude_each_other() -> None:
    editor = DraftEditor(ONE, Draft(scores={"waste": 5}))
    editor.not_scorable("no reply")
    assert editor.draft == Draft(not_scorable="no reply")
    editor.score(3)
    assert editor.draft == Draft(scores={"waste": 3})
    editor.undo()
    editor.undo()
    assert editor.draft == Draft(scores={"waste": 5})


def test_evidence_toggles_by_place() -> None:
    editor = DraftEditor(ONE, Draft())
    span = Evidence(m=2, span=Span(start=1, end=4), quote="abc")
    assert editor.toggle_evidence(Evidence(m=2))
    assert editor.toggle_evidence(span)
    assert editor.draft.evidence == (Evidence(m=2), span)
    assert not editor.toggle_evidence(Evidence(m=2, dimension="waste"))
    assert editor.draft.evidence == (span,)


def test_marks_toggle() -> None:
    editor = DraftEditor(ONE, Draft())
    assert editor.toggle_sub_mode("a")
    assert editor.toggle_sub_mode("b")
    assert not editor.toggle_sub_mode("a")
    assert editor.toggle_flag("leak")
    assert (editor.draft.sub_modes, editor.draft.flags) == (("b",), ("leak",))


def test_typing_a_note_is_one_step() -> None:
    editor = DraftEditor(ONE, Draft())
    for note in ("h", "hi", "hi!"):
        editor.write_note(note)
    editor.end_note()
    editor.write_note("hi! more")
    editor.undo()
    assert editor.draft.note == "hi!"
    editor.undo()
    assert editor.draft.note == ""


def test_clearing_an_untouched_dimension_is_no_step() -> None:
    editor = DraftEditor(ONE, Draft())
    editor.clear()
    assert not editor.undo()


def test_a_reopened_draft_drops_what_the_forms_no_longer_offer() -> None:
    rubric = Rubric(
        style=RubricStyle.BAND_TABLE,
        dimensions=ONE,
        sub_modes=(SubMode(key="kept", label="kept"),),
        side_channels=(SideChannel(key="leak"),),
    )
    label = Event(
        transcript="t1",
        rubric="b2:1",
        rater="ada",
        scores={"waste": 3, "gone": 4},
        sub_modes=("kept", "gone"),
        flags=("leak", "gone"),
        evidence=(Evidence(m=1),),
        note="a note",
    )
    draft = draft_of([label, label], [Form(rubric=rubric, dimensions=ONE)])
    assert draft == Draft(
        scores={"waste": 3},
        sub_modes=("kept",),
        flags=("leak",),
        evidence=(Evidence(m=1),),
        note="a note",
    )


def test_a_reopened_reason_stays_a_reason() -> None:
    label = Event(
        transcript="t1", rubric="b2:1", rater="ada", not_scorable="no reply at all"
    )
    rubric = Rubric(style=RubricStyle.PROSE, dimensions=ONE)
    draft = draft_of([label], [Form(rubric=rubric, dimensions=ONE)])
    assert draft == Draft(not_scorable="no reply at all")
