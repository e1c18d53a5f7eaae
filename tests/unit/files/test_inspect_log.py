"""Inspect logs: the target's tree, the judge's verdicts, what is refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.domain.score import VerdictState
from geode_tui.domain.transcript import SegmentKind, Validity
from geode_tui.files.logs import read_log

UNSCORED = float("nan")
Shape = list[tuple[str, int | None, int | None, str]]


def read(path: Path) -> tuple[list[ImportedSample], list[Refused]]:
    items = list(read_log(path))
    samples = [item for item in items if isinstance(item, ImportedSample)]
    return samples, [item for item in items if isinstance(item, Refused)]


def shape(sample: ImportedSample) -> Shape:
    said = {m.m: m.text for m in sample.transcript.messages}
    return [
        (b.kind.value, b.parent, b.forked_from, "".join(said[m] for m in b.own))
        for b in sample.transcript.branches
    ]


def one(make: Any, root: Any, **more: Any) -> ImportedSample:
    (sample,), refused = read(make.write(make.audit(root, **more)))
    assert refused == []
    return sample


def opening(make: Any) -> tuple[Any, ...]:
    return (make.message("system", "S"), make.message("user", "U"))


def test_the_tree_is_numbered_depth_first_by_creation(make: Any) -> None:
    before = opening(make)
    root = make.span(
        "branch 1",
        make.talk("s:S", "u:U", "a:A", "u:V", "a:B"),
        (
            make.span("branch 10", make.talk("s:S10", "u:U10", "a:A10"), fork=""),
            make.span(
                "branch 2",
                make.talk("a:A2", "u:V2", "a:B2", before=before),
                (
                    make.span(
                        "branch 4",
                        make.talk(
                            "u:V4",
                            "a:B4",
                            before=(*before, make.message("assistant", "A2")),
                        ),
                        fork="A2",
                    ),
                ),
                fork="U",
            ),
            make.span("branch 3", make.talk("s:S3", "u:U3", "a:A3")),
        ),
    )
    sample = one(make, root)
    assert shape(sample) == [
        ("trunk", None, None, "SUAVB"),
        ("rollback", 1, 2, "A2V2B2"),
        ("rollback", 2, 6, "V4B4"),
        ("restart", None, None, "S3U3A3"),
        ("restart", None, None, "S10U10A10"),
    ]
    transcript = sample.transcript
    assert [m.m for m in transcript.messages] == list(range(1, 17))
    assert [m.text for m in transcript.path(3)] == ["S", "U", "A2", "V4", "B4"]
    assert transcript.numbering == "petri"
    assert transcript.validity == ()


def test_empty_branches_are_left_out_and_the_first_with_words_is_the_trunk(
    make: Any,
) -> None:
    root = make.span(
        "branch 1",
        [],
        (
            make.span("branch 2", make.talk("s:S", "u:U", "a:A")),
            make.span("branch 3", []),
            make.span("branch 4", make.talk("s:T", "a:B")),
        ),
    )
    sample = one(make, root)
    assert shape(sample) == [
        ("trunk", None, None, "SUA"),
        ("restart", None, None, "TB"),
    ]
    assert sample.notes == ("2 branch(es) without any message are left out.",)


def test_an_audit_in_which_the_target_never_answered_comes_in_marked(
    make: Any,
) -> None:
    sample = one(make, make.span("branch 1", []))
    assert sample.transcript.messages == ()
    assert sample.transcript.branches == ()
    assert sample.transcript.validity == (Validity.NO_TARGET_REPLY,)
    assert [a.text for a in sample.auditor] == ["You audit.", "I would score this R=9."]


def test_what_the_auditor_thinks_is_nowhere_in_the_transcript(make: Any) -> None:
    sample = one(make, make.span("branch 1", make.talk("s:S", "a:A")))
    assert "R=9" not in sample.transcript.model_dump_json()
    transcript = sample.transcript
    assert transcript.seed_text == "# Seed\n\nDo it."
    assert transcript.metadata == {"target_dims": ["a"], "odd": None}
    source = transcript.source
    assert (source.log, source.sample_id, source.epoch) == ("eval-1", "seed-1", 1)
    assert source.target_model == "maker/target"
    assert source.auditor_model == "maker/auditor"
    assert source.path == "log.eval"


def test_an_assistant_message_that_the_target_never_wrote_is_a_prefill(
    make: Any,
) -> None:
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    staged = make.message("assistant", call, "p")
    answer = make.message("assistant", call, "a", source="generate")
    event = make.call([make.message("user", "U"), staged], answer)
    messages = one(make, make.span("branch 1", [event])).transcript.messages
    assert [(m.prefill, len(m.tool_calls)) for m in messages] == [
        (False, 0),
        (True, 0),
        (False, 1),
    ]


def test_answers_cut_short_and_failed_calls_are_said(make: Any) -> None:
    user, half = make.message("user", "U"), make.message("assistant", "hal")
    events = [
        make.call([user], None, error="overloaded"),
        make.call([user], half, stop="max_tokens"),
    ]
    sample = one(make, make.span("branch 1", events))
    assert Validity.TRUNCATED in sample.transcript.validity
    assert sample.notes == ("1 call(s) of the target failed: overloaded.",)


def test_only_the_target_s_model_calls_are_its_conversation(make: Any) -> None:
    other = make.call(
        [make.message("user", "X")], make.message("assistant", "Y"), role="auditor"
    )
    root = make.span("branch 1", [other, *make.talk("s:S", "a:A")])
    assert shape(one(make, root)) == [("trunk", None, None, "SA")]


def test_older_audits_are_read_from_the_target_s_model_calls(make: Any) -> None:
    before = opening(make)
    events = [
        *make.talk("s:S", "u:U", "a:A", "u:V", "a:B"),
        *make.talk("a:C", before=before),
        *make.talk("s:T", "u:W", "a:D"),
    ]
    sample = one(make, None, events=events)
    assert shape(sample) == [
        ("trunk", None, None, "SUAVB"),
        ("rollback", 1, 2, "C"),
        ("restart", None, None, "TWD"),
    ]
    assert sample.transcript.numbering == "order"
    assert sample.auditor != ()


def test_plain_tasks_are_read_from_their_messages(make: Any) -> None:
    from inspect_ai.model import ContentImage, ContentReasoning, ContentText
    from inspect_ai.tool import ToolCall, ToolCallError

    picture = ContentImage(image="data:image/png;base64," + "A" * 4000)
    call = ToolCall(id="c", function="look", arguments={"at": 1})
    spoken = [ContentReasoning(reasoning="hm"), ContentText(text="So.")]
    sample = make.plain(
        make.message("assistant", "an example", source="input"),
        make.message("user", [ContentText(text="What?"), picture], "u"),
        make.message("assistant", spoken, "a", tool_calls=[call]),
        make.message(
            "tool",
            "nothing",
            tool_call_id="c",
            function="look",
            error=ToolCallError("timeout", "too slow"),
        ),
    )
    (read_one,), _ = read(make.write(sample, audit=False))
    transcript = read_one.transcript
    example, asked, said, back = transcript.messages
    assert example.prefill
    assert asked.text == "What?\n[image 3 kB]"
    assert [s.kind for s in said.segments] == [
        SegmentKind.REASONING,
        SegmentKind.TOOL_CALL,
    ]
    assert said.tool_calls[0].arguments == {"at": 1}
    assert (back.tool_call_id, back.tool, back.error) == (
        "c",
        "look",
        "timeout: too slow",
    )
    assert transcript.source.target_model == "maker/solver"
    assert transcript.seed_text == ""
    assert read_one.auditor == ()


# Verdicts


def judged(make: Any, value: Any, judge: Any = None, **more: Any) -> ImportedSample:
    from inspect_ai.scorer import Score

    call = judge or make.judge(("stuck", "admirable"))
    return one(
        make,
        make.span("branch 1", make.talk("s:S", "u:U", "a:A")),
        events=[call],
        scores={"audit_judge": Score(value=value, **more)},
    )


def test_the_judge_s_answer_with_its_words_and_citations(make: Any) -> None:
    references = [
        {"type": "message", "cite": "[M3]", "id": "A"},
        {"type": "message", "cite": "[M1, M2]", "id": "S"},
        {"type": "message", "cite": 7},
        "odd",
    ]
    sample = judged(
        make,
        {"stuck": 4, "admirable": 12},
        explanation="stuck: at [M3], not at [M9]",
        metadata={
            "summary": "sum",
            "highlights": "[M1, M2]",
            "scanner_references": references,
            "stop_reason": "tool_calls",
        },
    )
    assert sample.judge_rubric is not None
    assert {d.name: d.text for d in sample.judge_rubric.dimensions} == {
        "stuck": "words of stuck",
        "admirable": "words of admirable",
    }
    (found,) = sample.verdicts
    assert found.rater == "judge:audit_judge/judge"
    assert found.model == "maker/judge"
    assert found.rubric == sample.judge_rubric.id
    assert found.transcript == sample.transcript.id
    assert found.metadata == {"stop_reason": "tool_calls"}
    assert (found.summary, found.highlights) == ("sum", "[M1, M2]")
    assert [(s.dimension, s.value, s.state.value) for s in found.scores] == [
        ("stuck", 4.0, "ok"),
        ("admirable", None, "out_of_range"),
    ]
    assert [(c.m, c.message_id) for c in found.citations] == [
        (3, "A"),
        (None, None),
        (1, None),
        (2, None),
    ]


@pytest.mark.parametrize(
    ("value", "metadata", "stop", "error", "state"),
    [
        (UNSCORED, {"refusal": True}, "stop", None, VerdictState.REFUSED),
        (UNSCORED, None, "content_filter", None, VerdictState.REFUSED),
        (UNSCORED, {"stop_reason": "max_tokens"}, "stop", None, VerdictState.TRUNCATED),
        (UNSCORED, None, "max_tokens", None, VerdictState.TRUNCATED),
        (UNSCORED, None, "stop", None, VerdictState.UNPARSABLE),
        (UNSCORED, None, "stop", "overloaded", VerdictState.ERRORED),
        ("", None, "stop", None, VerdictState.UNPARSABLE),
        ({"stuck": None}, None, "max_tokens", None, VerdictState.TRUNCATED),
    ],
)
def test_no_answer_is_a_state_with_a_reason_and_never_a_number(
    make: Any,
    value: Any,
    metadata: dict[str, Any] | None,
    stop: str,
    error: str | None,
    state: VerdictState,
) -> None:
    call = make.judge(("stuck", "admirable"), stop=stop, error=error)
    sample = judged(make, value, call, metadata=metadata)
    (found,) = sample.verdicts
    assert found.state is state
    assert [(s.dimension, s.value, s.state) for s in found.scores] == [
        ("stuck", None, state),
        ("admirable", None, state),
    ]


def test_other_scorers_have_no_judge_and_no_rubric(make: Any) -> None:
    from inspect_ai.scorer import Score

    scores = {"match": Score(value="I"), "length": Score(value=[1, 20])}
    sample = one(
        make,
        make.span("branch 1", make.talk("s:S", "a:A")),
        events=[make.judge(("stuck",))],
        scores=scores,
    )
    match, length = sample.verdicts
    assert (match.rater, match.rubric, match.model) == ("judge:match", None, None)
    assert match.state is VerdictState.UNPARSABLE
    assert match.scores[0].raw == "I"
    assert [(s.dimension, s.state.value) for s in length.scores] == [
        ("length[0]", "ok"),
        ("length[1]", "out_of_range"),
    ]


def test_reading_again_gives_the_same_transcripts_and_verdicts(make: Any) -> None:
    from inspect_ai.scorer import Score

    root = make.span("branch 1", make.talk("s:S", "a:A"))
    samples = [
        make.audit(
            root,
            epoch=epoch,
            events=[make.judge(("stuck",))],
            scores={"audit_judge": Score(value={"stuck": 2})},
        )
        for epoch in (1, 2)
    ]
    path = make.write(*samples)
    first, _ = read(path)
    assert first == read(path)[0]
    assert first[0].transcript.id != first[1].transcript.id
    assert first[0].verdicts[0].id != first[1].verdicts[0].id
    assert first[0].transcript.content == first[1].transcript.content


# What is refused


def test_scores_without_words_are_no_transcript(make: Any) -> None:
    from inspect_ai.scorer import Score

    scores = {"critic": Score(value=0.4)}
    lone = [make.plain(id_=i, scores=scores) for i in (1, 2)]
    samples, refused = read(make.write(*lone, audit=False))
    assert samples == []
    (whole,) = refused
    assert whole.whole_file
    assert "only scores (critic) for 2 sample(s)" in whole.reason
    talk = make.plain(make.message("user", "Q"), make.message("assistant", "A"), id_=3)
    path = make.write(lone[0], talk, name="mixed.eval", audit=False)
    samples, refused = read(path)
    assert len(samples) == 1
    assert [(r.sample_id, r.whole_file) for r in refused] == [("1", False)]


def test_a_failed_sample_comes_in_with_its_error_where_anything_was_said(
    make: Any,
) -> None:
    from inspect_ai._util.error import EvalError

    error = EvalError(message="boom: it broke", traceback="", traceback_ansi="")
    said = make.audit(make.span("branch 1", make.talk("s:S", "a:A")), error=error)
    silent = make.audit(None, id_="seed-2", messages=[], error=error)
    samples, refused = read(make.write(said, silent))
    (sample,) = samples
    assert sample.transcript.error == "boom: it broke"
    assert Validity.SAMPLE_ERROR in sample.transcript.validity
    assert sample.notes == ("The sample failed: boom: it broke.",)
    (item,) = refused
    assert (item.sample_id, item.whole_file) == ("seed-2", False)
    assert "boom: it broke" in item.reason


def test_a_corrupt_sample_costs_only_itself(make: Any, tmp_path: Path) -> None:
    root = make.span("branch 1", make.talk("s:S", "a:A"))
    path = make.write(*(make.audit(root, id_=f"s{i}") for i in range(3)))
    broken = tmp_path / "broken.eval"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(broken, "w") as target:
        for entry in source.infolist():
            data = source.read(entry)
            if entry.filename == "samples/s1_epoch_1.json":
                data = data[: len(data) // 2]
            target.writestr(entry, data)
    samples, refused = read(broken)
    assert [s.transcript.source.sample_id for s in samples] == ["s0", "s2"]
    assert [(r.sample_id, r.epoch, r.whole_file) for r in refused] == [("s1", 1, False)]
    assert "cannot be read" in refused[0].reason


@pytest.mark.parametrize("name", ["a b.eval", "a::b [1]#%20.eval", "~x.eval"])
def test_odd_names_of_files_and_samples(make: Any, name: str) -> None:
    root = make.span("branch 1", make.talk("s:S", "a:A"))
    ids = ["a/b", "ü x_epoch_9", "..", "1"]
    path = make.write(*(make.audit(root, id_=i) for i in ids))
    samples, refused = read(path.rename(path.with_name(name)))
    assert refused == []
    assert [s.transcript.source.sample_id for s in samples] == ids


def test_a_sample_that_is_too_large_is_refused_unread(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from geode_tui.files import inspect_log

    root = make.span("branch 1", make.talk("s:S", "a:A"))
    path = make.write(make.audit(root))
    monkeypatch.setattr(inspect_log, "LARGEST_SAMPLE", 100)
    samples, refused = read(path)
    assert samples == []
    assert "the limit is" in refused[0].reason


def test_json_logs_are_read_alike_and_lose_only_bad_samples(make: Any) -> None:
    root = make.span("branch 1", make.talk("s:S", "a:A"))
    zipped = make.write(*(make.audit(root, id_=f"s{i}") for i in range(3)))
    path = make.write(
        *(make.audit(root, id_=f"s{i}") for i in range(3)), name="log.json"
    )
    samples, refused = read(path)
    assert refused == []
    assert [s.transcript.content for s in samples] == [
        s.transcript.content for s in read(zipped)[0]
    ]
    data = json.loads(path.read_text())
    data["samples"][0]["messages"] = [{"role": "narrator"}]
    data["samples"].append("odd")
    path.write_text(json.dumps(data))
    samples, refused = read(path)
    assert [s.transcript.source.sample_id for s in samples] == ["s1", "s2"]
    assert [r.sample_id for r in refused] == ["s0", "number 4"]


def test_a_log_cut_in_the_middle_is_one_clear_line(make: Any) -> None:
    path = make.write(make.audit(make.span("branch 1", make.talk("s:S", "a:A"))))
    path.write_bytes(path.read_bytes()[:-200])
    samples, (item,) = read(path)
    assert samples == []
    assert item.whole_file
    assert "damaged or cut short" in item.reason


def test_nothing_heavy_is_imported_to_read_other_formats() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from geode_tui.files import logs;"
        "assert 'inspect_ai' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
