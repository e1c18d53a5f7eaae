from __future__ import annotations

import pytest

from geode_tui.domain.imported import ImportedSample
from geode_tui.domain.score import Event
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Segment,
    SegmentKind,
    Source,
    Span,
    ToolCall,
    Transcript,
    Validity,
)
from geode_tui.errors import StoreError
from geode_tui.store.store import Store

HOSTILE = (
    "nul \0 inside",
    "lone \ud800 and \udfff",
    "\ud83d\ude00 as two halves",
    "escape itself \ufdd0 \ufdd0\U000f0800",
    "\x1b[31m \x9b2J \u202e bidi \u2028 line",
    "'; DROP TABLE events; --",
    "",
)


@pytest.fixture
def rich() -> Transcript:
    """Every field set, every text hostile."""
    text = " | ".join(HOSTILE)
    call = ToolCall(
        name="crm_lookup",
        arguments={text: [1, 2.5, None, {"deep\0": "\ud800"}]},
        positional=("x", 3),
        how="native",
        span=Span(start=1, end=4),
        id="call-1",
        complete=False,
        error=text,
        raw=text,
    )
    messages = (
        Message(m=1, role=Role.SYSTEM, text=text),
        Message(
            m=2,
            id=f"id {text}",
            role=Role.ASSISTANT,
            text=text,
            segments=(
                Segment(kind=SegmentKind.REASONING, span=Span(start=0, end=3)),
                Segment(kind=SegmentKind.TOOL_CALL, span=Span(start=4, end=9)),
            ),
            tool_calls=(call, call),
            prefill=True,
        ),
        Message(m=3, role=Role.TOOL, text="", tool_call_id="c", tool="t", error=text),
    )
    return Transcript(
        source=Source(
            log=text,
            path=text,
            format="inspect",
            sample_id=text,
            epoch=3,
            created="2026-01-02",
            task=text,
            target_model=text,
            auditor_model=text,
        ),
        messages=messages,
        branches=(
            Branch(n=1, kind=BranchKind.TRUNK, own=(1, 2)),
            Branch(n=2, kind=BranchKind.ROLLBACK, parent=1, forked_from=1, own=(3,)),
            Branch(n=3, kind=BranchKind.RESTART, own=()),
        ),
        seed_text=text,
        metadata={"tags": [text], text: {"nested": None}, "n": 1.5},
        validity=(Validity.TRUNCATED, Validity.SAMPLE_ERROR),
        error=text,
        numbering="petri",
    )


def test_a_transcript_comes_back_exactly(store: Store, rich: Transcript) -> None:
    sample = ImportedSample(transcript=rich, notes=("one \0", "two \ud800"))
    added = store.transcripts.add(sample).result()
    assert (added.outcome, added.id) == ("added", rich.id)
    back = store.transcripts.get(rich.id)
    assert back == rich
    assert (back.id, back.content) == (rich.id, rich.content)
    assert store.transcripts.notes(rich.id) == sample.notes
    assert store.check() == ()


def test_verdicts_and_the_auditor_come_back_exactly(store, build_sample) -> None:
    sample = build_sample()
    store.transcripts.add(sample).result()
    assert store.verdicts.of(sample.transcript.id) == sample.verdicts
    assert store.transcripts.auditor(sample.transcript.id) == sample.auditor


def test_importing_again_changes_nothing(store, build_sample, make_seed) -> None:
    sample, seed = build_sample(seed_text="Body"), make_seed("Body")
    store.transcripts.add(sample, seed, seed.rubric).result()

    def content() -> list[list[tuple[object, ...]]]:
        tables = ("transcripts", "messages", "verdicts", "seeds", "rubrics", "counters")
        return [
            [tuple(row) for row in store.reader.rows(f"SELECT * FROM {table}")]
            for table in tables
        ]

    before = content()
    again = store.transcripts.add(sample, seed, seed.rubric).result()
    assert (again.outcome, again.id) == ("unchanged", sample.transcript.id)
    assert content() == before


def test_changed_content_is_a_revision_and_labels_stay(store, build_sample) -> None:
    first, second = build_sample("s", "one"), build_sample("s", "two")
    store.transcripts.add(first).result()
    label = Event(
        transcript=first.transcript.id, rubric="r", rater="ada", scores={"d": 1}
    )
    store.events.append([label]).result()
    added = store.transcripts.add(second).result()
    assert (added.outcome, added.id) == ("revision", second.transcript.id)
    facts = {f.id: f for f in store.transcripts.rows(revisions=True)}
    old, new = facts[first.transcript.id], facts[second.transcript.id]
    assert (old.revision, old.latest, new.revision, new.latest) == (1, False, 2, True)
    assert [f.id for f in store.transcripts.rows()] == [second.transcript.id]
    assert store.transcripts.count() == 1
    assert list(store.events.of(first.transcript.id)) == [label]
    assert store.transcripts.get(first.transcript.id) == first.transcript
    # The older content once more is known, and does not become the newest.
    assert store.transcripts.add(first).result().outcome == "unchanged"
    assert [f.id for f in store.transcripts.rows()] == [second.transcript.id]


def test_epochs_and_samples_are_transcripts_of_their_own(store, build_sample) -> None:
    sample = build_sample().transcript
    for epoch in (1, 2):
        source = sample.source.model_copy(update={"epoch": epoch})
        each = Transcript(
            source=source, messages=sample.messages, branches=sample.branches
        )
        outcome = store.transcripts.add(ImportedSample(transcript=each)).result()
        assert outcome.outcome == "added"
    assert store.transcripts.count() == 2


def test_copies_are_marked_from_the_second_on(store, build_sample) -> None:
    samples = [build_sample(n, "same", "text") for n in ("a", "b", "c")]
    for sample in samples:
        store.transcripts.add(sample).result()

    def copies() -> dict[str, bool]:
        return {f.sample_id: f.duplicate for f in store.transcripts.rows()}

    assert copies() == {"a": False, "b": True, "c": True}
    marks = store.transcripts.get(samples[1].transcript.id).validity
    assert marks == (Validity.DUPLICATE,)
    # The first one is replaced: the copies are looked at again.
    store.transcripts.add(build_sample("a", "other", "text")).result()
    assert copies() == {"a": False, "b": False, "c": True}


def test_transcripts_without_messages_are_no_copies(store, build_sample) -> None:
    for n in ("a", "b"):
        source = build_sample(n).transcript.source
        empty = Transcript(source=source, messages=(), branches=())
        store.transcripts.add(ImportedSample(transcript=empty)).result()
    assert not any(f.duplicate for f in store.transcripts.rows())


def test_a_log_scored_again_adds_its_verdicts(store, build_sample) -> None:
    sample = build_sample()
    store.transcripts.add(sample).result()
    old = sample.verdicts[0]
    score = old.scores[0].model_copy(update={"value": 2.0})
    new = old.model_copy(update={"scores": (score,)})
    again = sample.model_copy(update={"verdicts": (new,)})
    for _ in range(2):
        assert store.transcripts.add(again).result().outcome == "unchanged"
    kept = store.verdicts.of(sample.transcript.id)
    assert [v.scores[0].value for v in kept] == [9, 2]
    assert kept[0] == old
    assert kept[1].id.startswith(f"{old.id}~")


def test_a_verdict_needs_its_transcript(store, build_sample) -> None:
    stray = build_sample().verdicts[0]
    with pytest.raises(StoreError, match="unknown transcript"):
        store.verdicts.append([stray]).result()


def test_ids_may_be_shortened(store, build_sample) -> None:
    ids = [store.transcripts.add(build_sample(f"s{n}")).result().id for n in range(40)]
    for known in ids:
        assert store.transcripts.resolve(known) == known
        others = [i for i in ids if i != known]
        length = next(
            n for n in range(1, 17) if not any(i.startswith(known[:n]) for i in others)
        )
        assert store.transcripts.resolve(known[:length]) == known


def test_a_short_id_that_fits_several_lists_them(store, build_sample) -> None:
    ids = [store.transcripts.add(build_sample(f"s{n}")).result().id for n in range(3)]
    with pytest.raises(StoreError) as caught:
        store.transcripts.resolve("t")
    assert all(known in caught.value.message for known in ids)


@pytest.mark.parametrize("prefix", ["", "tzz", "%", "_", "t%", "\ud800", "t\0"])
def test_an_unknown_id_is_said_to_be(store, build_sample, prefix: str) -> None:
    store.transcripts.add(build_sample()).result()
    with pytest.raises(StoreError, match="no transcript begins"):
        store.transcripts.resolve(prefix)
    with pytest.raises(StoreError, match="no transcript"):
        store.transcripts.get(prefix)


def test_search_finds_messages_by_their_words(store, build_sample) -> None:
    sample = build_sample("s", "The Größe of it", "well-known: CRM_lookup(x)")
    found = store.transcripts.add(sample).result().id
    for text in ("größe", "GRÖßE the", "well-known", "crm_lookup", "know", "lookup x"):
        assert [i for i, _ in store.transcripts.search(text)] == [found], text
    assert store.transcripts.search("nown") == []
    assert store.transcripts.search("lookup") == [(found, 2)]
    assert store.transcripts.search("größe lookup") == []


@pytest.mark.parametrize(
    "text",
    [
        '"',
        '""',
        'a"b',
        "a* OR b",
        "text:a",
        "NEAR(a b)",
        "a AND",
        "NOT a",
        "^a",
        "(",
        "-a",
        "{text}: a",
        "a + b",
        "'; DROP TABLE messages; --",
        "\0",
        "a\0b",
        "\ud800",
        "…",
        "",
        "   ",
        "*",
        "a" * 5000,
    ],
)
def test_no_search_is_an_error_or_an_operator(store, build_sample, text: str) -> None:
    sample = build_sample("s", f"before {text} after", "other")
    found = store.transcripts.add(sample).result().id
    words = [w for w in text.split() if any(c.isalnum() for c in w)]
    assert store.transcripts.search(text) == ([(found, 1)] if words else [])


def test_seeds_are_linked_by_their_body_whichever_comes_first(
    store, build_sample, make_seed
) -> None:
    early = build_sample("early", seed_text="Body  one\n")
    late = build_sample("late", seed_text="Body one")
    store.transcripts.add(early).result()
    seed = make_seed("Body one")
    assert store.seeds.put(seed).result() == 1
    store.transcripts.add(late).result()
    assert [f.seed for f in store.transcripts.rows()] == [seed.id, seed.id]
    assert store.seeds.of(late.transcript.id) == seed
    assert store.seeds.put(seed).result() == 0


def test_a_seed_may_change_its_front_matter_but_old_rubrics_stay(
    store, make_seed
) -> None:
    old = make_seed("Body", raw="Old words.")
    new = make_seed("Body", name="renamed", raw="New words.")
    store.seeds.put(old).result()
    store.seeds.put(new).result()
    assert store.seeds.all() == [new]
    assert store.rubrics.get(old.rubric.id) == old.rubric
    assert [r.id for r in store.rubrics.all()] == [old.rubric.id, new.rubric.id]


def test_a_log_does_not_overwrite_a_seed_document(
    store, build_sample, make_seed
) -> None:
    document = make_seed("Body", name="document")
    store.seeds.put(document).result()
    from_log = make_seed("Body", name="from the log", dimensions=())
    store.transcripts.add(build_sample(seed_text="Body"), from_log).result()
    assert store.seeds.all() == [document]


def test_the_workspaces_reading_of_a_rubric_wins(
    store, build_sample, make_seed
) -> None:
    seed, other = make_seed("Body"), make_seed("Body", raw="From a sidecar.")
    store.transcripts.add(build_sample(), seed, other.rubric).result()
    assert store.seeds.get(seed.id).rubric == other.rubric


def test_unknown_seeds_and_rubrics_are_said_to_be(store: Store) -> None:
    with pytest.raises(StoreError, match="no seed"):
        store.seeds.get("b2:none")
    with pytest.raises(StoreError, match="no rubric version"):
        store.rubrics.get("b2:none")
