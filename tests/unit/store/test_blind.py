"""The labelling read model: what it shows, and what it cannot show."""

from __future__ import annotations

import inspect
import sqlite3
from pathlib import Path

import pytest

from geode_tui.domain.forms import Ask
from geode_tui.domain.labelling import LabelState, QueueFilter, QueueOrder
from geode_tui.domain.score import Draft, Event, EventKind
from geode_tui.domain.transcript import Validity
from geode_tui.errors import StoreError
from geode_tui.store import blind as blind_module
from geode_tui.store import blind_connection
from geode_tui.store.blind import BlindReader
from geode_tui.store.blind_connection import OPEN_TABLES, OWN_VIEWS, open_blind
from geode_tui.store.connection import Connection
from geode_tui.store.store import Store

ALL = QueueFilter()
SECRETS = ("secret", "SECRET", "9.0", "ben", "7777")


@pytest.fixture
def filled(store: Store, build_sample, make_seed, judge_rubric) -> list[str]:
    """Six transcripts of two seeds; ids in the order of import."""
    for n in range(2):
        store.seeds.put(make_seed(f"Body {n}", name=f"scenario-{n}")).result()
    return [
        store.transcripts.add(
            build_sample(
                f"s{n}",
                f"question {n}",
                *["answer"] * (6 - n),
                seed_text=f"Body {n % 2}",
                model=f"model-{n // 3}",
                judge=judge_rubric,
            )
        )
        .result()
        .id
        for n in range(6)
    ]


def rubric_of(store: Store, transcript: str) -> str:
    seed = store.seeds.of(transcript)
    assert seed is not None
    return seed.rubric.id


def label(store: Store, transcript: str, rater: str = "ada", **more: object) -> Event:
    scores = {"scores": {"redundant_tool_invocation": 3}}
    event = Event.model_validate(
        {
            "transcript": transcript,
            "rubric": rubric_of(store, transcript),
            "rater": rater,
            **(scores | more),
        }
    )
    store.events.append([event]).result()
    return event


def states(blind: BlindReader) -> list[str]:
    return [row.state.value for row in blind.page(ALL, 0, 100)]


def shown(blind: BlindReader, **filters: object) -> list[str]:
    chosen = QueueFilter.model_validate(filters)
    rows = [row.sample_id for row in blind.page(chosen, 0, 100)]
    assert blind.count(chosen) == len(rows)
    return rows


# ---- what it shows ----


def test_a_page_is_a_stretch_of_the_queue(store: Store, filled: list[str]) -> None:
    blind = store.blind("ada")
    assert [row.id for row in blind.page(ALL, 0, 100)] == filled
    assert [row.id for row in blind.page(ALL, 2, 3)] == filled[2:5]
    assert blind.page(ALL, 6, 3) == []
    row = blind.page(ALL, 1, 1)[0]
    assert (row.seed, row.model, row.messages, row.branches, row.epoch) == (
        "scenario-1",
        "model-0",
        6,
        1,
        1,
    )
    assert row.target_dimensions == ("redundant_tool_invocation",)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("order", QueueOrder)
def test_every_order_agrees_with_positions_and_the_next_to_do(
    store: Store, filled: list[str], order: QueueOrder, descending: bool
) -> None:
    label(store, filled[4])
    store.drafts.save("ada", filled[1], Draft(note="x")).result()
    blind = store.blind("ada")
    chosen = QueueFilter(order=order, descending=descending)
    rows = blind.page(chosen, 0, 100)
    assert sorted(row.id for row in rows) == sorted(filled)
    for at, row in enumerate(rows):
        assert blind.position(chosen, row.id) == at
        onward = rows[at + 1 :] + rows[: at + 1]
        expected = next(r.id for r in onward if r.state is not LabelState.DONE)
        assert blind.next_todo(chosen, after=row.id) == expected
    first = next(r.id for r in rows if r.state is not LabelState.DONE)
    assert blind.next_todo(chosen) == first
    keys = {
        QueueOrder.IMPORTED: lambda r: filled.index(r.id),
        QueueOrder.SEED: lambda r: r.seed,
        QueueOrder.MODEL: lambda r: r.model,
        QueueOrder.LENGTH: lambda r: r.messages,
        QueueOrder.STATE: lambda r: ["todo", "draft", "done"].index(r.state.value),
    }
    sorted_keys = [keys[order](row) for row in rows]
    assert sorted_keys == sorted(sorted_keys, reverse=descending)


def test_filters_narrow_the_queue(store: Store, filled: list[str]) -> None:
    label(store, filled[0])
    store.drafts.save("ada", filled[1], Draft(note="x")).result()
    blind = store.blind("ada")
    assert shown(blind, text="scenario-1") == ["s1", "s3", "s5"]
    assert shown(blind, text="model-1") == ["s3", "s4", "s5"]
    assert shown(blind, text="QUESTION 4") == ["s4"]
    assert shown(blind, text="question", states=("draft",)) == ["s1"]
    assert shown(blind, states=("done", "draft")) == ["s0", "s1"]
    assert shown(blind, states=("todo",)) == ["s2", "s3", "s4", "s5"]
    assert shown(blind, text="%") == []
    assert shown(blind, text="s_") == []
    assert shown(blind, text="   ") == [f"s{n}" for n in range(6)]
    assert blind.position(QueueFilter(states=(LabelState.DONE,)), filled[3]) is None


def test_marks_and_copies_can_be_filtered(store: Store, build_sample) -> None:
    for n in ("a", "b"):
        store.transcripts.add(build_sample(n, "same")).result()
    marked = build_sample("c", "other")
    transcript = marked.transcript.model_dump() | {"validity": ("truncated",)}
    sample = marked.model_dump() | {"transcript": transcript, "verdicts": ()}
    store.transcripts.add(type(marked).model_validate(sample)).result()
    blind = store.blind("ada")
    assert shown(blind, hide_duplicates=True) == ["a", "c"]
    assert shown(blind, validity=("duplicate",)) == ["b"]
    assert shown(blind, validity=("truncated", "duplicate")) == ["b", "c"]
    assert shown(blind, validity=("no_target_reply",)) == []
    marks = [row.validity for row in blind.page(ALL, 0, 9)]
    assert marks == [(), (Validity.DUPLICATE,), (Validity.TRUNCATED,)]


def test_the_queue_follows_what_is_committed(store: Store, filled: list[str]) -> None:
    blind = store.blind("ada")
    assert states(blind) == ["todo"] * 6
    assert blind.progress().model_dump() == {"done": 0, "drafts": 0, "total": 6}
    store.drafts.save("ada", filled[2], Draft(note="x")).result()
    assert states(blind)[2] == "draft"
    event = label(store, filled[2])
    assert states(blind)[2] == "draft"
    store.drafts.clear("ada", filled[2]).result()
    assert states(blind)[2] == "done"
    assert blind.state(filled[2]) is LabelState.DONE
    label(store, filled[3], scores={}, not_scorable="no reply")
    assert states(blind)[3] == "not_scorable"
    assert blind.progress().model_dump() == {"done": 2, "drafts": 0, "total": 6}
    withdrawal = Event(
        event=EventKind.WITHDRAWAL,
        transcript=filled[2],
        rubric=event.rubric,
        rater="ada",
        supersedes=event.id,
    )
    store.events.append([withdrawal]).result()
    assert states(blind)[2] == "todo"
    # A reader made now, which computes everything at once, says the same.
    assert states(store.blind("ada")) == states(blind)


def test_all_done_leaves_nothing_to_do(store: Store, filled: list[str]) -> None:
    blind = store.blind("ada")
    for transcript in filled:
        label(store, transcript)
    assert blind.next_todo(ALL) is None
    assert blind.next_todo(ALL, after=filled[0]) is None
    assert blind.progress().finished


def test_an_old_revision_leaves_the_queue(
    store: Store, build_sample, filled: list[str]
) -> None:
    blind = store.blind("ada")
    label(store, filled[0])
    assert states(blind)[0] == "done"
    store.transcripts.add(build_sample("s0", "changed", seed_text="Body 0")).result()
    rows = blind.page(ALL, 0, 100)
    assert len(rows) == 6
    assert [row.sample_id for row in rows][-1] == "s0"
    assert rows[-1].state is LabelState.TODO
    assert blind.progress().done == 0
    assert blind.history(filled[0])


def test_events_that_came_first_count_when_their_transcript_comes(
    store: Store, build_sample, make_seed
) -> None:
    blind = store.blind("ada")
    seed = make_seed("Body")
    sample = build_sample(seed_text="Body")
    event = Event(
        transcript=sample.transcript.id,
        rubric=seed.rubric.id,
        rater="ada",
        scores={"redundant_tool_invocation": 2},
    )
    store.events.append([event]).result()
    assert states(blind) == []
    store.transcripts.add(sample).result()
    assert states(blind) == ["redo"]
    store.seeds.put(seed).result()
    assert states(blind) == ["done"]


def test_a_rubric_of_another_structure_asks_again(
    store: Store, make_seed, filled: list[str]
) -> None:
    blind = store.blind("ada")
    event = label(store, filled[0])
    store.seeds.put(make_seed("Body 0", name="scenario-0", raw="Reworded.")).result()
    assert states(blind)[0] == "done"
    store.seeds.put(make_seed("Body 0", name="scenario-0", sub_modes=())).result()
    assert states(blind) == ["redo"] + ["todo"] * 5
    assert blind.next_todo(ALL, after=filled[5]) == filled[0]
    task = blind.task(filled[0])
    assert (task.state, task.labels) == (LabelState.REDO, (event,))


def test_a_workspace_that_asks_for_more_asks_again(
    store: Store, filled: list[str], judge_rubric
) -> None:
    label(store, filled[0])
    ask = Ask(judge_dimensions=("admirable",))
    blind = store.blind("ada", ask)
    assert states(blind)[0] == "redo"
    label(store, filled[0], rubric=judge_rubric.id, scores={"admirable": 5})
    assert states(blind)[0] == "done"
    assert states(store.blind("ada", Ask(judge_dimensions=("*",))))[0] == "redo"


def test_a_task_holds_the_raters_own_work(store: Store, filled: list[str]) -> None:
    event = label(store, filled[0])
    label(store, filled[0], "ben", scores={"redundant_tool_invocation": 7}, note="7777")
    draft = Draft(scores={"redundant_tool_invocation": 4}, note="draft \0")
    store.drafts.save("ada", filled[0], draft).result()
    store.drafts.save("ben", filled[0], Draft(note="7777")).result()
    task = store.blind("ada").task(filled[0])
    assert task.transcript == store.transcripts.get(filled[0])
    assert task.seed == store.seeds.of(filled[0])
    assert (task.labels, task.draft, task.revealed) == ((event,), draft, False)
    assert store.blind("ada").history(filled[0]) == (event,)


def test_nobody_may_look_at_the_queue(store: Store, filled: list[str]) -> None:
    label(store, filled[0])
    blind = store.blind("")
    assert states(blind) == ["todo"] * 6
    assert blind.history(filled[0]) == ()


def test_a_failed_question_leaves_the_reader_whole(
    store: Store, filled: list[str]
) -> None:
    blind = store.blind("ada")
    label(store, filled[0])
    with pytest.raises(StoreError, match="no transcript"):
        blind.task("nothing")
    assert states(blind)[0] == "done"
    assert shown(blind, text="question 0") == ["s0"]


# ---- what it cannot show ----


def every_call(blind: BlindReader, transcript: str) -> list[object]:
    """The answer of every public method, in each way it can be asked."""
    filters = [
        QueueFilter(text=text, states=chosen, validity=marks, order=order)
        for text in ("", "question", "nothing", "SECRET")
        for chosen in ((), tuple(LabelState))
        for marks in ((), (Validity.DUPLICATE, Validity.TRUNCATED))
        for order in QueueOrder
    ]
    answers: list[object] = []
    for chosen in filters:
        answers += [
            blind.page(chosen, 0, 50),
            blind.count(chosen),
            blind.position(chosen, transcript),
            blind.next_todo(chosen),
            blind.next_todo(chosen, after=transcript),
        ]
    answers += [
        blind.progress(),
        blind.task(transcript),
        blind.history(transcript),
        blind.revealed(transcript),
        blind.state(transcript),
        blind.structure(blind.task(transcript).forms[0].rubric.id),
    ]
    return answers


ASKED = {
    "page",
    "count",
    "position",
    "next_todo",
    "progress",
    "task",
    "history",
    "revealed",
    "state",
    "structure",
}


def test_every_public_method_is_asked_in_these_tests() -> None:
    public = {
        name
        for name, member in inspect.getmembers(BlindReader)
        if not name.startswith("_") and callable(member)
    }
    assert public == ASKED | {"close"}


def test_no_statement_reads_verdicts_auditor_or_other_raters(
    store: Store, filled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every statement, and every table and view that SQLite says it reads."""
    label(store, filled[0])
    label(store, filled[0], "ben", scores={"redundant_tool_invocation": 7}, note="7777")
    store.drafts.save("ben", filled[1], Draft(note="7777")).result()
    statements: list[str] = []
    reads: set[tuple[str | None, str | None]] = set()

    def watched(path: Path, rater: str) -> Connection:
        connection = open_blind(path, rater)
        connection.raw.set_trace_callback(statements.append)
        return connection

    answer = blind_connection._Authorizer.__call__

    def noting(self: object, action: int, *names: str | None) -> int:
        if action == sqlite3.SQLITE_READ and names[2] == "main":
            # The innermost views have names that end in a random token.
            view = names[3]
            own = view if view is None else view.rpartition("_")[0]
            reads.add((names[0], own if own in OWN_VIEWS else None))
        return answer(self, action, *names)

    monkeypatch.setattr(blind_connection._Authorizer, "__call__", noting)
    monkeypatch.setattr(blind_module, "open_blind", watched)
    blind = store.blind("ada")
    label(store, filled[2])
    answers = repr(every_call(blind, filled[0]))

    assert not [
        secret for secret in SECRETS if secret in answers.replace("SECRET'", "")
    ]
    assert len(statements) > 100
    forbidden = ("verdict", "auditor_messages", "raters", "main.events", "main.labels")
    for statement in statements:
        assert not any(word in statement for word in forbidden), statement
        assert "7777" not in statement
    allowed = {(table, None) for table in OPEN_TABLES}
    allowed |= {(table, view) for view, table in OWN_VIEWS.items()}
    assert reads <= allowed
    assert {table for table, _ in reads} >= {"events", "labels", "drafts", "messages"}


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM verdicts",
        "SELECT count(*) FROM verdicts",
        "SELECT 1 FROM verdict_scores",
        "SELECT * FROM auditor_messages",
        "SELECT * FROM events",
        "SELECT * FROM main.events WHERE rater = 'ada'",
        "SELECT document FROM events WHERE id IN (SELECT id FROM own_events)",
        "SELECT * FROM labels",
        "SELECT * FROM drafts",
        "SELECT * FROM current_labels",
        "SELECT * FROM standing_labels",
        "SELECT * FROM raters",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM transcripts WHERE id IN (SELECT transcript FROM verdicts)",
        "SELECT * FROM own_events UNION ALL SELECT * FROM events",
        "WITH own_events AS (SELECT * FROM events) SELECT * FROM own_events",
        "SELECT * FROM (SELECT * FROM events) AS own_events",
        "SELECT * FROM temp.me",
        "SELECT * FROM sqlite_temp_master",
        "UPDATE temp.me SET name = 'ben'",
        "DELETE FROM temp.me",
        "INSERT INTO temp.me VALUES ('ben')",
        "INSERT INTO temp.hits SELECT seq FROM events",
        "DROP VIEW temp.own_events",
        "CREATE TEMP VIEW v AS SELECT * FROM events",
        "CREATE TEMP TRIGGER g AFTER INSERT ON hits BEGIN SELECT 1; END",
        "CREATE TEMP TABLE stolen AS SELECT * FROM events",
        "ATTACH 'geode.db' AS again",
        "PRAGMA writable_schema = ON",
        "PRAGMA data_version = 3",
        "PRAGMA table_info(verdicts)",
        "DELETE FROM drafts",
        "DELETE FROM events",
        "INSERT INTO drafts VALUES ('ada', 't', '', '')",
        "SELECT * FROM pragma_table_list",
        "VACUUM",
    ],
)
def test_sqlite_itself_refuses_the_rest(
    store: Store, filled: list[str], statement: str
) -> None:
    label(store, filled[0], "ben")
    connection = open_blind(store.path, "ada")
    try:
        with pytest.raises(StoreError):
            connection.execute(statement).fetchall()
    finally:
        connection.close()


def test_views_show_the_raters_own_rows(store: Store, filled: list[str]) -> None:
    mine = label(store, filled[0])
    label(store, filled[0], "ben")
    for rater in ("ada", "ben"):
        store.drafts.save(rater, filled[1], Draft(note=rater)).result()
    connection = open_blind(store.path, "ada")
    for view in OWN_VIEWS:
        rows = connection.rows(f"SELECT * FROM {view}")
        assert [row["rater"] for row in rows] == ["ada"]
    assert connection.value("SELECT id FROM own_events") == mine.id
    connection.close()


@pytest.mark.parametrize("name", ["ada' OR '1'='1", "%", "ADA", " ada", "a\0"])
def test_a_name_is_a_name_and_no_sql(
    store: Store, filled: list[str], name: str
) -> None:
    label(store, filled[0])
    blind = store.blind(name)
    assert states(blind) == ["todo"] * 6
    label(store, filled[1], name)
    assert states(blind) == ["todo", "done"] + ["todo"] * 4
    assert len(blind.history(filled[1])) == 1
