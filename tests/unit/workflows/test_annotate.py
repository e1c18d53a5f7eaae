from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from geode_tui.config import Config, LabelSettings, RaterSettings
from geode_tui.domain.base import Span
from geode_tui.domain.labelling import LabelState, QueueFilter
from geode_tui.domain.rubric import SideChannel
from geode_tui.domain.score import (
    Draft,
    Event,
    EventKind,
    Evidence,
    RaterRole,
)
from geode_tui.domain.transcript import Transcript
from geode_tui.errors import AnnotationError, BlindnessError, StoreError
from geode_tui.store.store import Store
from geode_tui.workflows.annotate import Annotate

DIMENSION = "redundant_tool_invocation"
ALL = QueueFilter()

Opener = Callable[..., Annotate]


@pytest.fixture
def transcripts(
    store: Store, build_sample: Any, make_seed: Any, judge_rubric: Any
) -> list[Transcript]:
    """Three transcripts of one seed, with verdicts and the judge's words."""
    seed = make_seed("Body")
    channel = SideChannel(key="verbose_padding_leak")
    rubric = seed.rubric.model_dump() | {"side_channels": (channel,)}
    seed = type(seed).model_validate(seed.model_dump() | {"rubric": rubric})
    store.seeds.put(seed).result()
    samples = [
        build_sample(f"s{n}", seed_text="Body", judge=judge_rubric) for n in range(3)
    ]
    for sample in samples:
        store.transcripts.add(sample).result()
    return [sample.transcript for sample in samples]


@pytest.fixture
def opened(store: Store) -> Opener:
    def make(
        rater: str = "ada", role: RaterRole = RaterRole.RATER, **settings: Any
    ) -> Annotate:
        config = Config(
            raters=(RaterSettings(name=rater, role=role),) if rater else (),
            label=LabelSettings.model_validate(settings),
        )
        return Annotate(store, config, rater)

    return make


def submit(annotate: Annotate, transcript: Transcript, score: int = 4) -> Any:
    task = annotate.task(transcript.id)
    names = [d.name for form in task.forms for d in form.dimensions]
    draft = Draft(scores=dict.fromkeys(names, score))
    return annotate.submit(task, draft).result()


# ---- submit ----


def test_a_label_is_stored_and_the_draft_ends(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened()
    first = transcripts[0]
    draft = Draft(
        scores={DIMENSION: 4},
        sub_modes=("tier_history",),
        flags=("verbose_padding_leak",),
        evidence=(
            Evidence(m=2),
            Evidence(m=2, span=Span(start=0, end=6), dimension=DIMENSION),
        ),
        note="why \0",
    )
    annotate.save_draft(first.id, draft).result()
    task = annotate.task(first.id)
    assert (task.state, task.draft) == (LabelState.DRAFT, draft)
    after = annotate.submit(task, draft).result()
    assert (after.state, after.draft) == (LabelState.DONE, Draft())
    (event,) = store.events.all()
    assert after.labels == annotate.history(first.id) == (event,)
    assert event.scores == {DIMENSION: 4}
    assert (event.rubric, event.rater) == (task.forms[0].rubric.id, "ada")
    assert (event.sub_modes, event.flags) == (draft.sub_modes, draft.flags)
    assert event.evidence[0] == draft.evidence[0]
    assert event.evidence[1].quote == "Answer"
    assert (event.note, event.supersedes, event.after_reveal) == ("why \0", None, False)
    assert annotate.progress().done == 1


def test_a_second_label_replaces_the_first_and_keeps_it(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened()
    submit(annotate, transcripts[0], 4)
    after = submit(annotate, transcripts[0], 5)
    first, second = annotate.history(transcripts[0].id)
    assert second.supersedes == first.id
    assert after.labels == (second,)
    assert list(store.events.current()) == [second]


def test_the_same_answer_again_is_no_second_label(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened()
    submit(annotate, transcripts[0], 4)
    annotate.save_draft(transcripts[0].id, Draft(note="half a thought")).result()
    after = submit(annotate, transcripts[0], 4)
    assert (after.state, after.draft) == (LabelState.DONE, Draft())
    assert store.events.count() == 1


def test_not_scorable_needs_no_scores(
    opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened()
    task = annotate.task(transcripts[0].id)
    after = annotate.submit(task, Draft(not_scorable="No reply at all.")).result()
    assert after.state is LabelState.NOT_SCORABLE
    assert after.labels[0].not_scorable == "No reply at all."
    assert annotate.progress().done == 1
    assert submit(annotate, transcripts[0]).state is LabelState.DONE


def test_every_problem_is_listed_and_nothing_is_stored(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened(judge_dimensions=["admirable"])
    task = annotate.task(transcripts[0].id)
    draft = Draft(
        scores={"unknown": 3},
        sub_modes=("no_such_mode", "tier_history"),
        flags=("no_such_flag",),
        evidence=(
            Evidence(m=99),
            Evidence(m=1, dimension="elsewhere"),
            Evidence(m=1, span=Span(start=5, end=5)),
            Evidence(m=1, span=Span(start=0, end=10_000)),
        ),
    )
    annotate.save_draft(transcripts[0].id, draft).result()
    with pytest.raises(AnnotationError) as caught:
        annotate.submit(task, draft).result()
    for words in (
        f"No score yet for {DIMENSION}, admirable",
        "'unknown' is not asked",
        "'no_such_mode' is no sub-mode",
        "'no_such_flag' is no side-channel",
        "no message M99",
        "'elsewhere'",
        "no stretch 5-5",
        "no stretch 0-10000",
    ):
        assert words in caught.value.message
    assert "tier_history'" not in caught.value.message.split("(")[0]
    assert annotate.problems(task, draft) == caught.value.message.split("\n")
    assert store.events.count() == 0
    assert annotate.task(transcripts[0].id).draft == draft


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        (Draft(), "No score yet"),
        (Draft(not_scorable="  "), "needs a reason"),
        (Draft(not_scorable="x", scores={DIMENSION: 1}), "never both"),
    ],
)
def test_half_a_label_is_refused(
    opened: Opener, transcripts: list[Transcript], draft: Draft, words: str
) -> None:
    annotate = opened()
    with pytest.raises(AnnotationError, match=words):
        annotate.submit(annotate.task(transcripts[0].id), draft).result()


def test_two_forms_make_two_events_in_one_transaction(
    store: Store, opened: Opener, transcripts: list[Transcript], judge_rubric: Any
) -> None:
    annotate = opened(judge_dimensions=["*"])
    task = annotate.task(transcripts[0].id)
    assert [form.rubric.seed for form in task.forms] == [None, None]
    draft = Draft(
        scores={DIMENSION: 2, "disappointing": 3, "admirable": 8},
        sub_modes=("tier_history",),
        evidence=(Evidence(m=1, dimension="admirable"), Evidence(m=2)),
        note="both",
    )
    after = annotate.submit(task, draft).result()
    own, judged = after.labels
    assert (own.rubric, judged.rubric) == (task.forms[0].rubric.id, judge_rubric.id)
    assert (own.scores, own.sub_modes) == ({DIMENSION: 2}, ("tier_history",))
    assert judged.scores == {"disappointing": 3, "admirable": 8}
    assert judged.sub_modes == ()
    assert [e.m for e in own.evidence] == [2]
    assert [e.m for e in judged.evidence] == [1, 2]
    assert (own.note, judged.note) == ("both", "both")
    # Changing one score makes one event.
    changed = draft.model_copy(update={"scores": draft.scores | {"admirable": 9}})
    annotate.submit(after, changed).result()
    assert store.events.count() == 3


def test_a_target_without_a_wording_is_stored_under_its_own_version(
    store: Store, opened: Opener, transcripts: list[Transcript], make_seed: Any
) -> None:
    seed = make_seed("Body", sub_modes=())
    seed = seed.model_copy(update={"target_dimensions": (DIMENSION, "unworded")})
    store.seeds.put(seed).result()
    annotate = opened()
    after = submit(annotate, transcripts[0])
    (event,) = after.labels
    assert event.scores == {DIMENSION: 4, "unworded": 4}
    assert [d.name for d in store.rubrics.get(event.rubric).dimensions] == [
        DIMENSION,
        "unworded",
    ]


def test_a_transcript_without_seed_or_judge_can_be_labelled(
    store: Store, opened: Opener, build_sample: Any
) -> None:
    for n, metadata in enumerate(({}, {"target_dims": ["calm", "kind"]})):
        sample = build_sample(f"plain{n}", metadata=metadata)
        store.transcripts.add(sample).result()
        after = submit(opened(), sample.transcript)
        assert after.state is LabelState.DONE
        expected = {"calm": 4, "kind": 4} if n else {"overall": 4}
        assert after.labels[0].scores == expected
        assert store.rubrics.get(after.labels[0].rubric)


def test_a_new_structure_is_labelled_beside_the_old_label(
    store: Store, opened: Opener, transcripts: list[Transcript], make_seed: Any
) -> None:
    annotate = opened()
    old = submit(annotate, transcripts[0]).labels[0]
    store.seeds.put(make_seed("Body", sub_modes=("other_mode",))).result()
    task = annotate.task(transcripts[0].id)
    assert (task.state, task.labels) == (LabelState.REDO, (old,))
    assert annotate.next_todo(QueueFilter(states=(LabelState.REDO,))) is not None
    new = submit(annotate, transcripts[0]).labels[0]
    assert new.supersedes is None
    assert list(store.events.current()) == [old, new]


def test_a_new_wording_keeps_the_label_and_a_change_replaces_it(
    store: Store, opened: Opener, transcripts: list[Transcript], make_seed: Any
) -> None:
    annotate = opened()
    seed = store.seeds.all()[0]
    old = submit(annotate, transcripts[0], 4).labels[0]
    rubric = seed.rubric.model_dump() | {"raw": "Other words."}
    store.seeds.put(
        type(seed).model_validate(seed.model_dump() | {"rubric": rubric})
    ).result()
    assert annotate.task(transcripts[0].id).labels == (old,)
    new = submit(annotate, transcripts[0], 6).labels[0]
    assert new.rubric != old.rubric
    assert new.supersedes == old.id
    assert list(store.events.current()) == [new]


# ---- withdraw ----


def test_a_label_taken_back_becomes_the_draft(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened(judge_dimensions=["admirable"])
    labels = submit(annotate, transcripts[0], 6).labels
    after = annotate.withdraw(transcripts[0].id).result()
    assert (after.state, after.labels) == (LabelState.DRAFT, ())
    assert after.draft.scores == {DIMENSION: 6, "admirable": 6}
    kinds = [event.event for event in annotate.history(transcripts[0].id)]
    assert kinds == [EventKind.ANNOTATION] * 2 + [EventKind.WITHDRAWAL] * 2
    assert list(store.events.current()) == []
    again = annotate.submit(after, after.draft).result()
    assert again.state is LabelState.DONE
    assert [e.supersedes for e in again.labels] == [None, None]
    assert not {e.id for e in again.labels} & {e.id for e in labels}


def test_a_draft_that_is_there_is_not_overwritten(
    opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened()
    submit(annotate, transcripts[0])
    edit = Draft(scores={DIMENSION: 9}, note="being edited")
    annotate.save_draft(transcripts[0].id, edit).result()
    assert annotate.withdraw(transcripts[0].id).result().draft == edit


def test_there_must_be_something_to_take_back(
    opened: Opener, transcripts: list[Transcript]
) -> None:
    submit(opened("ben"), transcripts[0])
    with pytest.raises(AnnotationError, match="no label of yours"):
        opened("ada").withdraw(transcripts[0].id).result()


# ---- reveal ----


def refusal(annotate: Annotate, transcript: Transcript) -> str | None:
    reason = annotate.reveal_refusal(transcript.id)
    if reason is not None:
        with pytest.raises(BlindnessError, match=reason[:20]):
            annotate.reveal(transcript.id).result()
    return reason


def test_the_rules_of_the_reveal(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    never = opened(reveal="never")
    queue = opened()
    item = opened(reveal="after-item")
    for annotate in (never, queue, item):
        assert refusal(annotate, transcripts[0])
    submit(item, transcripts[0])
    assert refusal(item, transcripts[0]) is None
    assert refusal(item, transcripts[1])
    reason = refusal(queue, transcripts[0])
    assert reason is not None
    assert "2 of 3" in reason
    for transcript in transcripts:
        submit(item, transcript)
    assert refusal(queue, transcripts[1]) is None
    assert refusal(never, transcripts[1])
    # A draft begun on the last one is unfinished work.
    item.save_draft(transcripts[2].id, Draft(note="hm")).result()
    assert refusal(queue, transcripts[1])
    auditor = opened("eve", RaterRole.AUDITOR, reveal="never")
    assert refusal(auditor, transcripts[0]) is None
    auditor.reveal(transcripts[0].id).result()
    assert store.raters.all()["eve"] is RaterRole.AUDITOR


def test_a_reveal_shows_verdicts_and_the_labels_of_others(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    ben = opened("ben")
    submit(ben, transcripts[0], 1)
    theirs = submit(ben, transcripts[0], 2).labels
    annotate = opened(reveal="after-item")
    submit(annotate, transcripts[0], 9)
    shown = annotate.reveal(transcripts[0].id).result()
    assert shown.verdicts == store.verdicts.of(transcripts[0].id) != ()
    assert shown.labels == theirs
    assert shown.event.shown == ("judge:secret-scorer", "ben")
    assert annotate.history(transcripts[0].id)[-1] == shown.event
    assert store.events.get(shown.event.id) == shown.event


def test_other_raters_can_stay_hidden(
    opened: Opener, transcripts: list[Transcript]
) -> None:
    submit(opened("ben"), transcripts[0])
    annotate = opened(reveal="after-item", show_other_raters=False)
    submit(annotate, transcripts[0])
    shown = annotate.reveal(transcripts[0].id).result()
    assert shown.labels == ()
    assert shown.event.shown == ("judge:secret-scorer",)


def test_nothing_is_shown_before_the_reveal_is_on_the_disk(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened(reveal="after-item")
    submit(annotate, transcripts[0])
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    future = annotate.reveal(transcripts[0].id)
    assert not future.done()
    assert not annotate.task(transcripts[0].id).revealed
    other.execute("ROLLBACK")
    other.close()
    assert future.result().event in annotate.history(transcripts[0].id)


def test_a_reveal_that_cannot_be_stored_shows_nothing(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened(reveal="after-item")
    submit(annotate, transcripts[0])
    store.write(
        lambda c: c.execute(
            "CREATE TRIGGER stop BEFORE INSERT ON events WHEN NEW.event = 'reveal' "
            "BEGIN SELECT RAISE(ABORT, 'stopped'); END"
        )
    ).result()
    with pytest.raises(StoreError, match="stopped"):
        annotate.reveal(transcripts[0].id).result()


def test_labels_after_a_reveal_are_marked(
    opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened(reveal="after-item")
    before = submit(annotate, transcripts[0], 4).labels[0]
    annotate.reveal(transcripts[0].id).result()
    assert annotate.task(transcripts[0].id).revealed
    after = submit(annotate, transcripts[0], 5).labels[0]
    elsewhere = submit(annotate, transcripts[1], 5).labels[0]
    assert (before.after_reveal, after.after_reveal) == (False, True)
    assert not elsewhere.after_reveal
    withdrawn = annotate.withdraw(transcripts[0].id).result()
    assert annotate.history(transcripts[0].id)[-1].after_reveal
    assert annotate.submit(withdrawn, withdrawn.draft).result().labels[0].after_reveal


def test_a_task_opened_before_a_reveal_does_not_hide_it(
    opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened(reveal="after-item")
    stale = submit(annotate, transcripts[0], 4)
    annotate.reveal(transcripts[0].id).result()
    after = annotate.submit(stale, Draft(scores={DIMENSION: 7})).result()
    assert after.labels[0].after_reveal


def test_the_same_score_after_a_reveal_stays_blind(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened(reveal="after-item")
    before = submit(annotate, transcripts[0], 4).labels
    annotate.reveal(transcripts[0].id).result()
    assert submit(annotate, transcripts[0], 4).labels == before


# ---- two raters, and nobody ----


def test_raters_do_not_see_or_block_one_another(
    opened: Opener, transcripts: list[Transcript]
) -> None:
    ada, ben = opened("ada"), opened("ben")
    for transcript in transcripts:
        submit(ada, transcript, 7)
    ada.save_draft(transcripts[0].id, Draft(note="of ada")).result()
    assert ben.progress().model_dump() == {"done": 0, "drafts": 0, "total": 3}
    assert {row.state for row in ben.page(ALL, 0, 9)} == {LabelState.TODO}
    task = ben.task(transcripts[0].id)
    assert (task.labels, task.draft, task.state) == ((), Draft(), LabelState.TODO)
    assert ben.history(transcripts[0].id) == ()
    assert ben.next_todo(ALL) == transcripts[0].id


def test_nobody_looks_and_writes_nothing(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    nobody = opened("")
    assert nobody.count(ALL) == 3
    task = nobody.task(transcripts[0].id)
    for future in (
        nobody.save_draft(transcripts[0].id, Draft(note="x")),
        nobody.submit(task, Draft(scores={DIMENSION: 1})),
        nobody.reveal(transcripts[0].id),
    ):
        with pytest.raises(BlindnessError, match="Nobody is named"):
            future.result()
    assert store.events.count() == 0
    assert store.raters.all() == {}


def test_an_unknown_transcript_is_said_to_be(opened: Opener) -> None:
    auditor = opened("eve", RaterRole.AUDITOR)
    for future in (auditor.reveal("t0"), auditor.withdraw("t0")):
        with pytest.raises(StoreError, match="no transcript"):
            future.result()


def test_a_label_of_a_retired_revision_can_still_be_changed(
    store: Store, opened: Opener, transcripts: list[Transcript], build_sample: Any
) -> None:
    annotate = opened()
    submit(annotate, transcripts[0], 3)
    store.transcripts.add(build_sample("s0", "changed", seed_text="Body")).result()
    assert annotate.position(ALL, transcripts[0].id) is None
    after = submit(annotate, transcripts[0], 5)
    assert after.labels[0].scores == {DIMENSION: 5}


def test_events_made_elsewhere_count(
    store: Store, opened: Opener, transcripts: list[Transcript]
) -> None:
    annotate = opened()
    event = Event(
        transcript=transcripts[1].id,
        rubric=annotate.task(transcripts[1].id).forms[0].rubric.id,
        rater="ada",
        scores={DIMENSION: 2},
    )
    store.events.append([event]).result()
    assert annotate.task(transcripts[1].id).labels == (event,)
    assert annotate.next_todo(ALL, after=transcripts[0].id) == transcripts[2].id
