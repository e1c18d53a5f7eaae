from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geode_tui.domain.score import Draft, Event, EventKind, Evidence, RaterRole
from geode_tui.domain.transcript import Span
from geode_tui.errors import StoreError
from geode_tui.store.store import Store


def label(rater: str = "ada", score: int = 3, **more: object) -> Event:
    given = {"transcript": "t1", "rubric": "r1", "scores": {"d": score}} | more
    return Event.model_validate({"rater": rater, **given})


def withdrawal(of: Event) -> Event:
    return Event(
        event=EventKind.WITHDRAWAL,
        transcript=of.transcript,
        rubric=of.rubric,
        rater=of.rater,
        supersedes=of.id,
    )


FULL = Event(
    transcript="t\ud800",
    rubric="r",
    rater="Ada \0",
    scores={"d\udfff": 10, "e": 1},
    sub_modes=("b", "a"),
    flags=("f",),
    evidence=(Evidence(m=2, span=Span(start=0, end=4), quote="\ud83d\ude00"),),
    note="note \0 \ufdd0",
    after_reveal=True,
)


def test_an_event_comes_back_exactly(store: Store) -> None:
    reveal = Event(
        event=EventKind.REVEAL, transcript="t1", rater="ada", shown=("judge:x", "ben")
    )
    no_score = label(scores={}, not_scorable="nothing there")
    events = [FULL, reveal, no_score]
    assert store.events.append(events).result() == 3
    assert list(store.events.all()) == sorted(events, key=lambda e: e.id)
    assert store.events.get(FULL.id) == FULL
    assert store.events.get("none") is None
    assert store.events.raters() == ("Ada \0", "ada")
    assert store.check() == ()


def test_saving_an_event_twice_is_one_event(store: Store) -> None:
    event = label()
    assert store.events.append([event, event]).result() == 1
    assert store.events.append([event]).result() == 0
    assert list(store.events.all()) == [event]


def test_an_id_with_other_content_is_refused_and_nothing_is_stored(
    store: Store,
) -> None:
    event = label(score=3)
    store.events.append([event]).result()
    other = event.model_copy(update={"scores": {"d": 4}})
    with pytest.raises(StoreError, match="with other content") as caught:
        store.events.append([label("ben"), other]).result()
    assert event.id in caught.value.message
    assert list(store.events.all()) == [event]


def test_the_order_is_that_of_the_ids_wherever_events_were_collected(
    store: Store,
) -> None:
    events = [label(score=1 + n % 10, transcript=f"t{n}") for n in range(50)]
    shuffled = events[:]
    random.Random(3).shuffle(shuffled)
    for event in shuffled:
        store.events.append([event])
    store.events.append([]).result()
    assert list(store.events.all()) == events


def test_events_wait_for_their_transcript(store: Store, build_sample) -> None:
    sample = build_sample()
    event = label(transcript=sample.transcript.id)
    store.events.append([event]).result()
    assert store.events.waiting() == 1
    store.transcripts.add(sample).result()
    assert store.events.waiting() == 0
    assert list(store.events.of(sample.transcript.id)) == [event]


def test_the_current_label_is_the_one_that_nothing_replaces(store: Store) -> None:
    first = label(score=1)
    second = label(score=2, supersedes=first.id)
    store.events.append([first]).result()
    assert list(store.events.current()) == [first]
    store.events.append([second]).result()
    assert list(store.events.current()) == [second]
    store.events.append([withdrawal(second)]).result()
    assert list(store.events.current()) == []


def test_nobody_replaces_the_label_of_another(store: Store) -> None:
    first = label("ada")
    store.events.append([first, label("eve", supersedes=first.id)]).result()
    assert {e.rater for e in store.events.current()} == {"ada", "eve"}


def test_two_machines_of_one_rater_do_not_make_two_labels(store: Store) -> None:
    earlier, later = label(score=1), label(score=2)
    store.events.append([later]).result()
    store.events.append([earlier]).result()
    assert list(store.events.current("t1")) == [later]


def test_a_clock_that_went_back_does_not_bring_an_old_label_back(store: Store) -> None:
    new, old = label(score=2), label(score=1)
    assert new.id < old.id
    new = new.model_copy(update={"supersedes": old.id})
    store.events.append([old, new]).result()
    assert list(store.events.current()) == [new]


def expected(events: list[Event]) -> list[Event]:
    """The rule of the current label, written without SQL."""
    gone = {(e.rater, e.supersedes) for e in events if e.supersedes != e.id}
    standing: dict[tuple[str, str, str], Event] = {}
    for event in sorted(events, key=lambda e: e.id):
        if event.event is EventKind.ANNOTATION and (event.rater, event.id) not in gone:
            standing[event.rater, event.transcript, event.rubric] = event
    return sorted(standing.values(), key=lambda e: e.id)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Labels, replacements and withdrawals of two raters, in any order of arrival."""
    events: list[Event] = []
    for _ in range(draw(st.integers(1, 12))):
        rater = draw(st.sampled_from(["ada", "ben"]))
        older = draw(st.sampled_from([None, *events]))
        if older is not None and draw(st.booleans()):
            events.append(withdrawal(older).model_copy(update={"rater": rater}))
        else:
            events.append(
                label(
                    rater,
                    transcript=draw(st.sampled_from(["t1", "t2"])),
                    rubric=draw(st.sampled_from(["r1", "r2"])),
                    supersedes=None if older is None else older.id,
                )
            )
    return draw(st.permutations(events))


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory):
    with Store.open(tmp_path_factory.mktemp("history") / "geode.db") as opened:
        yield opened


@settings(max_examples=60, deadline=None)
@given(events=histories())
def test_stored_current_labels_follow_the_rule(
    shared_store: Store, events: list[Event]
) -> None:
    store = shared_store
    # One database for all examples: raters make each example a world of its own.
    stamp = events[0].id
    events = [e.model_copy(update={"rater": f"{e.rater} {stamp}"}) for e in events]
    for event in events:
        store.events.append([event])
    store.events.append([]).result()
    ours = [e for e in store.events.current() if e.rater.endswith(stamp)]
    assert ours == expected(events)
    assert store.check() == ()


def test_stored_current_labels_can_be_made_anew(store: Store) -> None:
    store.events.append([label(transcript=f"t{n}") for n in range(5)]).result()
    before = list(store.events.current())
    store.write(
        lambda c: c.execute("DELETE FROM labels WHERE transcript <> 't1'")
    ).result()
    assert any("current_labels differ" in problem for problem in store.check())
    store.events.rebuild_labels().result()
    assert store.check() == ()
    assert list(store.events.current()) == before


def test_a_draft_changes_and_ends(store: Store) -> None:
    blind = store.blind("ada")
    draft = Draft(scores={"d": 3}, note="\0")
    store.drafts.save("ada", "t1", draft).result()
    store.drafts.save("ada", "t1", draft.model_copy(update={"note": "x"})).result()
    count = "SELECT count(*) FROM drafts"
    assert store.reader.value(count) == 1
    store.drafts.save("ada", "t1", Draft()).result()
    assert store.reader.value(count) == 0
    store.drafts.save("ada", "t1", draft).result()
    store.drafts.clear("ada", "t1").result()
    assert store.reader.value(count) == 0
    blind.close()


def test_a_refused_event_leaves_the_draft(store: Store) -> None:
    event = label()
    store.events.append([event]).result()
    store.drafts.save("ada", "t1", Draft(note="mine")).result()
    other = event.model_copy(update={"note": "other"})
    with pytest.raises(StoreError):
        store.events.append([other], clear_draft=("ada", "t1")).result()
    assert store.reader.value("SELECT count(*) FROM drafts") == 1


def test_raters_have_roles(store: Store) -> None:
    store.raters.put("ada", RaterRole.RATER).result()
    store.raters.put("ada", RaterRole.AUDITOR).result()
    assert store.raters.all() == {"ada": RaterRole.AUDITOR}
