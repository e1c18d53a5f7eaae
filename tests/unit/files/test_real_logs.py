"""The real logs: every sample, every branch, every citation of the judge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.domain.transcript import Validity
from geode_tui.files.logs import count_samples, log_paths, read_log

pytestmark = pytest.mark.shared

_HEADER = re.compile(r"^(?:<prefill>)?\[M(\d+)\] ([A-Z]+):\n", re.MULTILINE)


@pytest.fixture(scope="module")
def imported(shared_logs: Path) -> dict[tuple[str, str, int], ImportedSample]:
    found: dict[tuple[str, str, int], ImportedSample] = {}
    for path in log_paths([shared_logs]):
        for item in read_log(path):
            assert not isinstance(item, Refused), item
            source = item.transcript.source
            found[path.name, source.sample_id, source.epoch] = item
    return found


@pytest.fixture(scope="module")
def recorded(shared_logs: Path) -> dict[tuple[str, str, int], Any]:
    """Every sample as inspect_ai alone reads it."""
    from inspect_ai.log import read_eval_log_sample, read_eval_log_sample_summaries

    found: dict[tuple[str, str, int], Any] = {}
    for path in log_paths([shared_logs]):
        for summary in read_eval_log_sample_summaries(path):
            found[path.name, str(summary.id), summary.epoch] = read_eval_log_sample(
                path, id=summary.id, epoch=summary.epoch, resolve_attachments=True
            )
    return found


def target_spans(sample: Any) -> Iterator[Any]:
    """Spans of the target's timeline in which the target was called."""
    for timeline in sample.timelines or []:
        if timeline.name == "target":
            waiting = [timeline.root]
            while waiting:
                span = waiting.pop()
                waiting += span.branches
                calls = [c for c in span.content if c.type == "event"]
                if any(c.event.event == "model" for c in calls):
                    yield span


def test_every_sample_that_inspect_reads_is_in(imported: Any, recorded: Any) -> None:
    assert imported.keys() == recorded.keys()
    assert sum(bool(s.timelines) for s in recorded.values()) == 43


def test_there_are_as_many_branches_as_spans_with_words(
    imported: Any, recorded: Any
) -> None:
    silent = 0
    for key, sample in recorded.items():
        if not sample.timelines:
            continue
        transcript = imported[key].transcript
        spans = len(list(target_spans(sample)))
        assert len(transcript.branches) == spans, key
        if spans == 0:
            silent += 1
            assert Validity.NO_TARGET_REPLY in transcript.validity
            assert imported[key].auditor
    assert silent == 3


def test_numbers_are_those_that_the_judge_saw(imported: Any, recorded: Any) -> None:
    """Headers, speakers and first words, in the very prompt of the judge."""
    compared = 0
    for key, sample in recorded.items():
        for event in sample.events:
            if event.event != "model" or event.role != "judge":
                continue
            prompt = event.input[0].text
            prompt = prompt[prompt.index("[BEGIN TRANSCRIPT]") :]
            messages = imported[key].transcript.messages
            seen = 0
            for header in _HEADER.finditer(prompt):
                if int(header.group(1)) != seen + 1:
                    continue  # a header quoted inside a message
                message = messages[seen]
                seen += 1
                assert message.role.value.upper() == header.group(2), key
                begin = prompt[header.end() : header.end() + 60].lstrip()
                assert begin.startswith(message.text.lstrip()[:30]), key
            assert seen == len(messages), key
            compared += seen
            break
    assert compared > 280


def test_every_citation_leads_to_a_message_and_to_the_recorded_one(
    imported: Any,
) -> None:
    numbers = 0
    agreed: Counter[bool] = Counter()
    for sample in imported.values():
        cited = {}
        for verdict in sample.verdicts:
            for citation in verdict.citations:
                assert citation.m is not None, citation
                if citation.message_id is not None:
                    cited[citation.m] = citation.message_id
                else:
                    cited.setdefault(citation.m, None)
        numbers += len(cited)
        for m, message_id in cited.items():
            if message_id is not None:
                agreed[sample.transcript.message(m).id == message_id] += 1
    assert agreed == {True: 285, False: 1}  # one wrong id in the log itself
    assert numbers == 286 + 5  # five stand inside a range, without an id


def test_the_errored_sample_is_in_with_its_reason(imported: Any) -> None:
    failed = [s for s in imported.values() if s.transcript.error]
    (sample,) = failed
    assert sample.transcript.source.sample_id == "gen1-014e-c7d9b3a1"
    assert Validity.SAMPLE_ERROR in sample.transcript.validity
    assert any("ClaudeCliInvocationError" in note for note in sample.notes)
    assert sample.verdicts == ()


def test_the_judge_s_own_words_come_as_a_rubric(imported: Any) -> None:
    sizes = Counter(
        len(s.judge_rubric.dimensions) for s in imported.values() if s.judge_rubric
    )
    assert sizes == {22: 16, 17: 26}
    rubrics = {s.judge_rubric.id for s in imported.values() if s.judge_rubric}
    assert len(rubrics) == 2
    for sample in imported.values():
        if (rubric := sample.judge_rubric) is None:
            continue
        assert all(len(d.text) > 80 and d.target for d in rubric.dimensions)
        favourable = {d.name for d in rubric.dimensions if not d.lower_is_better}
        assert favourable == {"admirable", "scenario_realism"}
        (verdict,) = sample.verdicts
        assert verdict.rubric == rubric.id
        assert {s.dimension for s in verdict.scores} == {
            d.name for d in rubric.dimensions
        }


def test_written_calls_are_found_in_every_form_of_these_logs(imported: Any) -> None:
    calls = [
        (c.how, c.name)
        for s in imported.values()
        for m in s.transcript.messages
        for c in m.tool_calls
    ]
    assert Counter(calls) == {
        ("nameless_json", None): 11,
        ("tool_call_fence", "invoice_detail"): 2,
        ("tool_call_fence", "release_get"): 1,
        ("tool_call_fence", "flight_status"): 1,
        ("tool_call_fence", "dns_lookup"): 1,
        ("tool_call_fence", "dns_lookup_secondary"): 1,
        ("tool_call_tag", "crm_lookup"): 1,
        ("tool_call_tag", None): 1,
        ("bash_tag", "bash"): 1,
        ("shell_tag", "run_shell"): 1,
    }


def test_only_target_messages_hold_calls_and_no_auditor_s_thought_is_shown(
    imported: Any,
) -> None:
    for sample in imported.values():
        assert all(m.by_target for m in sample.transcript.messages if m.tool_calls)
        shown = sample.transcript.model_dump_json()
        for message in sample.auditor:
            thought = message.reasoning.strip()
            assert len(thought) < 60 or thought not in shown


def test_samples_are_counted_without_reading_them(shared_logs: Path) -> None:
    counts = [count_samples(p) for p in log_paths([shared_logs]) if p.suffix == ".eval"]
    assert sum(c or 0 for c in counts) == 44
