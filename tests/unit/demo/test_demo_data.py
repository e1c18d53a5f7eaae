"""The demo's data is current, complete and true to its rubrics."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from sklearn.metrics import cohen_kappa_score

from geode_tui import demo
from geode_tui.config import DEFAULT_HARNESS_ERRORS
from geode_tui.domain.ids import text_hash
from geode_tui.domain.imported import ImportedSample
from geode_tui.domain.rubric import RubricStyle
from geode_tui.domain.score import Event, EventKind, VerdictState, fits
from geode_tui.domain.seed import Seed
from geode_tui.domain.transcript import BranchKind, Validity
from geode_tui.rules.engine import rule_scores

ROOT = Path(__file__).resolve().parents[3]
NO_CALLS_BY_RUBRIC = {RubricStyle.NONE, RubricStyle.JUDGE}


def events() -> list[Event]:
    return [
        Event.model_validate(json.loads(line))
        for path in demo.label_files()
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def test_committed_files_are_what_the_builder_writes(
    builder: ModuleType, tmp_path: Path
) -> None:
    builder.main(tmp_path)
    written = {p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file()}
    committed = {
        p.relative_to(ROOT)
        for p in (*demo.transcripts_dir().iterdir(), *demo.label_files())
    }
    assert written == committed
    for name in written:
        assert (tmp_path / name).read_bytes() == (ROOT / name).read_bytes(), (
            f"{name} is stale; run scripts/build_demo.py"
        )


def test_every_style_of_rubric_is_shipped(seeds: dict[str, Seed]) -> None:
    styles = {seed.rubric.style for seed in seeds.values()}
    assert styles >= set(RubricStyle) - NO_CALLS_BY_RUBRIC


def test_fourteen_families_two_of_them_in_two_revisions(
    seeds: dict[str, Seed],
) -> None:
    names = Counter(name.replace("-rev2", "").split(".")[0] for name in seeds)
    assert len(names) == 14
    assert sorted(names.values())[-2:] == [2, 2]
    assert len({seed.id for seed in seeds.values()}) == 16


def test_both_revisions_of_the_band_table_mean_the_same(
    seeds: dict[str, Seed],
) -> None:
    first = seeds["crm-tier-label.md"].rubric
    second = seeds["crm-tier-label-rev2.txt"].rubric
    assert first.id != second.id
    assert first.structure == second.structure


def test_every_conversation_is_linked_to_a_shipped_seed(
    seeds: dict[str, Seed], samples: dict[str, ImportedSample]
) -> None:
    known = {seed.id for seed in seeds.values()}
    used = {text_hash(s.transcript.seed_text) for s in samples.values()}
    assert used == known


def test_citations_lead_to_the_quoted_message(
    samples: dict[str, ImportedSample],
) -> None:
    checked = 0
    for name, sample in samples.items():
        for verdict in sample.verdicts:
            for citation in verdict.citations:
                assert citation.m is not None, (name, citation)
                if citation.quote:
                    text = sample.transcript.message(citation.m).text
                    assert citation.quote in text, (name, citation)
                    checked += 1
    assert checked > 80


def test_the_awkward_cases_are_there(samples: dict[str, ImportedSample]) -> None:
    transcripts = {name: s.transcript for name, s in samples.items()}
    assert Validity.ONLY_HARNESS_ERRORS in transcripts["crm-harness-down"].validity
    assert Validity.NO_TARGET_REPLY in transcripts["crm-silence"].validity
    mixed = transcripts["calendar-error-then-booked"].validity
    assert Validity.SOME_HARNESS_ERRORS in mixed
    copy = transcripts["crm-rerun-of-history"]
    original = transcripts["crm-history-for-safety"]
    assert copy.content == original.content
    assert copy.id != original.id
    kinds = [branch.kind for branch in transcripts["crm-three-tries"].branches]
    assert kinds == [BranchKind.TRUNK, BranchKind.ROLLBACK, BranchKind.RESTART]
    hostile = "".join(m.text for m in transcripts["tide-strange-terminal"].messages)
    assert all(c in hostile for c in ("\x1b", "\x07", "\u202e", "[@click=app.quit]"))
    longest = max(
        len(m.text.splitlines()) for m in transcripts["weigh-all-passages"].messages
    )
    assert longest == 502


def test_calls_are_written_in_every_form(samples: dict[str, ImportedSample]) -> None:
    how = {
        call.how
        for sample in samples.values()
        for message in sample.transcript.messages
        for call in message.tool_calls
    }
    assert how >= {
        "native",
        "tool_call_fence",
        "tool_call_tag",
        "invoke",
        "bare_json",
        "json_fence",
        "shell_tag",
        "bash_tag",
        "nameless_json",
    }


def test_verdicts_have_every_state_that_a_log_can_show(
    samples: dict[str, ImportedSample],
) -> None:
    states = Counter(
        score.state
        for sample in samples.values()
        for verdict in sample.verdicts
        for score in verdict.scores
    )
    whole = Counter(v.state for s in samples.values() for v in s.verdicts)
    assert states[VerdictState.OK] > 60
    assert states[VerdictState.OUT_OF_RANGE] == 1
    assert states[VerdictState.MISSING] == 1
    assert whole[VerdictState.REFUSED] == 1


def test_invented_verdicts_say_so(samples: dict[str, ImportedSample]) -> None:
    verdicts = [v for s in samples.values() for v in s.verdicts]
    raters = {verdict.rater for verdict in verdicts}
    assert raters
    assert all(verdict.rubric for verdict in verdicts)
    assert all("demo-judge (invented)" in rater for rater in raters)


def test_labels_fit_rubric_and_transcript(
    seeds: dict[str, Seed], samples: dict[str, ImportedSample]
) -> None:
    rubrics = {seed.rubric.id: seed.rubric for seed in seeds.values()}
    transcripts = {s.transcript.id: s.transcript for s in samples.values()}
    for event in events():
        transcript = transcripts[event.transcript]
        rubric = rubrics[event.rubric]
        assert not fits(event, rubric, len(transcript.messages))
        asked = {d.name for d in rubric.target_dimensions}
        if event.event is EventKind.ANNOTATION and event.not_scorable is None:
            assert set(event.scores) == asked
        for evidence in event.evidence:
            assert evidence.span is not None
            text = transcript.message(evidence.m).text
            assert evidence.span.of(text) == evidence.quote


def test_raters_agree_as_people_do(samples: dict[str, ImportedSample]) -> None:
    gone = {e.supersedes for e in events()}
    labels: dict[str, dict[tuple[str, str], int]] = {}
    for event in events():
        if event.event is EventKind.ANNOTATION and event.id not in gone:
            for dimension, score in event.scores.items():
                labels.setdefault(event.rater, {})[event.transcript, dimension] = score
    ada, ben = labels["demo-ada"], labels["demo-ben"]
    both = sorted(ada.keys() & ben.keys())
    kappa = cohen_kappa_score(
        [ada[key] for key in both],
        [ben[key] for key in both],
        weights="quadratic",
        labels=range(1, 11),
    )
    assert 0.7 < kappa < 0.85
    for own in (ada, ben):
        share = len({transcript for transcript, _ in own}) / len(samples)
        assert 0.65 < share < 0.85


@pytest.mark.parametrize("rater", ["demo-ada", "demo-ben"])
def test_event_ids_are_in_order_of_time(rater: str) -> None:
    own = [event for event in events() if event.rater == rater]
    assert [e.id for e in own] == sorted(e.id for e in own)
    assert [e.at for e in own] == sorted(e.at for e in own)


def test_every_row_of_the_band_table_and_both_adjustments_occur(
    seeds: dict[str, Seed], samples: dict[str, ImportedSample]
) -> None:
    rubric = seeds["crm-tier-label.md"].rubric
    extra: set[int] = set()
    adjusted: set[int] = set()
    modes: set[str] = set()
    for name, sample in samples.items():
        if not name.startswith("crm-"):
            continue
        (score,) = rule_scores(sample.transcript, rubric, DEFAULT_HARNESS_ERRORS)
        extra |= {branch.r for branch in score.branches if branch.r is not None}
        adjusted |= {step.amount for step in score.adjustments}
        modes |= set(score.sub_modes)
    assert extra >= {0, 1, 2, 3}
    assert max(extra) >= 4
    assert adjusted == {1, -1}
    assert modes == {mode.key for mode in rubric.sub_modes}


def test_every_trap_of_the_calendar_occurs_alone_and_in_company(
    seeds: dict[str, Seed], samples: dict[str, ImportedSample]
) -> None:
    rubric = seeds["calendar-one-shot.md"].rubric
    fired = {
        tuple(sorted(score.sub_modes))
        for name, sample in samples.items()
        if name.startswith("calendar-")
        for score in rule_scores(sample.transcript, rubric, DEFAULT_HARNESS_ERRORS)
    }
    traps = {mode.key for mode in rubric.sub_modes}
    assert len(traps) == 4
    assert fired >= {(trap,) for trap in traps}
    assert {len(group) for group in fired} == {0, 1, 2, 3, 4}
