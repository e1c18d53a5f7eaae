from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geode_tui.config import Config, LabelSettings, RaterSettings, RevealRule
from geode_tui.domain.base import Span
from geode_tui.domain.score import Draft, Event, EventKind, Evidence, RaterRole
from geode_tui.errors import BlindnessError
from geode_tui.files.annotations import (
    CSV_COLUMNS,
    event_line,
    is_event_file,
    place,
    read_events,
    safe_cell,
)
from geode_tui.store.store import Store
from geode_tui.workflows.annotate import Annotate
from geode_tui.workflows.exchange import (
    Scope,
    export_csv,
    export_jsonl,
    import_events,
    scope_of,
)
from geode_tui.workflows.workspace import Workspace

NOTE = "größer\n\t=1+1 \x00 \ud800 \u202e \x1b[2J 😀"
KEYS = [
    "event",
    "id",
    "transcript",
    "rubric",
    "rater",
    "at",
    "scores",
    "sub_modes",
    "flags",
    "evidence",
    "note",
    "not_scorable",
    "supersedes",
    "after_reveal",
]


def jsonl(store: Store, scope: Scope) -> str:
    out = io.StringIO()
    export_jsonl(store, out, scope)
    return out.getvalue()


def label(store: Store, rater: str, transcript: str, draft: Draft) -> None:
    work = Annotate(store, Config(), rater)
    work.submit(work.task(transcript), draft).result()


def score(value: int, **more: object) -> Draft:
    return Draft.model_validate({"scores": {"redundant_calls": value}, **more})


@pytest.fixture
def used(workspace: Workspace, filled: dict[str, str]) -> Workspace:
    """Two raters: labels, a correction, a withdrawal, a reveal."""
    with workspace.open_store() as store:
        spot = Evidence(m=3, span=Span(start=3, end=8))
        for at, name in enumerate(filled, 2):
            label(store, "ann", filled[name], score(at, note=NOTE, evidence=(spot,)))
        label(store, "ann", filled["pool"], score(9, sub_modes=("asks_again",)))
        label(store, "ben", filled["pool"], Draft(not_scorable="=cut off"))
        ann = Annotate(store, Config(), "ann")
        ann.reveal(filled["pool"]).result()
        ann.withdraw(filled["museum"]).result()
    return workspace


class TestJsonl:
    def test_one_event_a_line_with_the_documented_keys(self, used: Workspace) -> None:
        with used.open_store() as store:
            lines = jsonl(store, Scope("ann")).splitlines()
        records = [json.loads(line) for line in lines]
        assert all(list(record)[: len(KEYS)] == KEYS for record in records)
        assert [record["event"] for record in records] == [
            "annotation",
            "annotation",
            "annotation",
            "annotation",
            "reveal",
            "withdrawal",
        ]
        assert records[0]["note"] == NOTE
        assert records[0]["evidence"][0]["quote"] == "opens"

    def test_export_import_export_is_identical(
        self, used: Workspace, tmp_path: Path
    ) -> None:
        auditor = Config(raters=(RaterSettings(name="eve", role=RaterRole.AUDITOR),))
        with used.open_store() as store:
            scope = scope_of(store, auditor, "eve", unblind=True)
            first = jsonl(store, scope)
            assert len(first.splitlines()) == store.events.count()
        path = tmp_path / "all.jsonl"
        path.write_text(first, encoding="utf-8")
        with Store.open(tmp_path / "new" / "geode.db") as store:
            taken = import_events(store, path)
            assert (taken.added, taken.refused) == (len(first.splitlines()), ())
            again = import_events(store, path)
            assert (again.read, again.added) == (taken.read, 0)
            scope = scope_of(store, Config(), "eve", unblind=True)
            assert jsonl(store, scope) == first

    def test_the_order_of_the_file_does_not_matter(
        self, used: Workspace, tmp_path: Path
    ) -> None:
        with used.open_store() as store:
            first = jsonl(store, Scope("ann"))
        lines = first.splitlines(keepends=True)
        random.Random(4).shuffle(lines)
        path = tmp_path / "shuffled.jsonl"
        path.write_text("".join(lines), encoding="utf-8")
        with Store.open(tmp_path / "new" / "geode.db") as store:
            import_events(store, path)
            assert jsonl(store, scope_of(store, Config(), None)) == first

    def test_labels_count_when_their_transcript_comes(
        self, used: Workspace, tmp_path: Path, seed, make_sample
    ) -> None:
        with used.open_store() as store:
            text = jsonl(store, Scope("ann"))
        path = tmp_path / "ann.jsonl"
        path.write_text(text, encoding="utf-8")
        with Store.open(tmp_path / "new" / "geode.db") as store:
            import_events(store, path)
            assert store.events.waiting() == len(text.splitlines())
            store.transcripts.add(make_sample("pool"), seed, seed.rubric).result()
            work = Annotate(store, Config(), "ann")
            assert work.progress().done == 1

    def test_bad_lines_cost_only_themselves(
        self, used: Workspace, tmp_path: Path
    ) -> None:
        with used.open_store() as store:
            lines = jsonl(store, Scope("ann")).splitlines()
        changed = json.loads(lines[1]) | {"note": "forged"}
        wrong = [
            '{"event": "annotation", "transc',
            json.dumps(json.loads(lines[0]) | {"scores": {"redundant_calls": 11}}),
            json.dumps(changed),
            "[1, 2]",
            '{"id": ' + "9" * 5000 + "}",
        ]
        path = tmp_path / "mixed.jsonl"
        path.write_text("\n".join([*lines, "", *wrong]), encoding="utf-8")
        with Store.open(tmp_path / "new" / "geode.db") as store:
            taken = import_events(store, path)
            assert (taken.read, taken.added) == (len(lines), len(lines))
            start = len(lines) + 2
            assert [
                r.line for r in sorted(taken.refused, key=lambda r: r.line or 0)
            ] == [*range(start, start + len(wrong))]
            assert store.events.count() == len(lines)

    @given(st.text(st.characters()), st.text(st.characters()))
    def test_any_text_comes_back(self, note: str, quote: str) -> None:
        event = Event(
            transcript="t1",
            rubric="r",
            rater="ann",
            scores={"d": 3},
            note=note,
            evidence=(Evidence(m=1, quote=quote),),
        )
        line = event_line(event)
        assert line.count("\n") == 1
        assert line.encode("utf-8").endswith(b"}\n")
        assert Event.model_validate(json.loads(line)) == event

    def test_event_files_are_told_from_other_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "lines.jsonl"
        event = Event(transcript="t1", rubric="r", rater="ann", scores={"d": 3})
        for text, expected in [
            ("\n\n" + event_line(event), True),
            ('{"role": "user", "content": "annotation"}\n', False),
            ('{"type": "user", "event": "annotation"}\n', False),
            ("[" * 100_000, False),
            ("", False),
            ("\n", False),
        ]:
            path.write_text(text)
            assert is_event_file(path) is expected
        assert not is_event_file(tmp_path)
        assert not is_event_file(tmp_path / "missing.jsonl")
        (refused,) = read_events(tmp_path / "missing.jsonl")
        assert "cannot be read" in refused.reason


class TestBlindness:
    def test_a_rater_gets_their_own_events(self, used: Workspace) -> None:
        with used.open_store() as store:
            scope = scope_of(store, Config(), "ben")
            assert scope.hidden == 1
            text = jsonl(store, scope)
        assert "=cut off" in text
        assert '"ann"' not in text

    def test_others_stay_hidden_until_the_queue_is_done(self, used: Workspace) -> None:
        with used.open_store() as store:
            before = store.events.count()
            with pytest.raises(BlindnessError, match="2 of 3 transcripts"):
                scope_of(store, Config(), "ben", unblind=True)
            assert store.events.count() == before

    @pytest.mark.parametrize(
        "label_settings",
        [
            LabelSettings(reveal=RevealRule.NEVER),
            LabelSettings(show_other_raters=False, reveal=RevealRule.AFTER_ITEM),
        ],
    )
    def test_settings_forbid_it_to_raters_and_not_to_auditors(
        self, used: Workspace, filled: dict[str, str], label_settings: LabelSettings
    ) -> None:
        eve = RaterSettings(name="eve", role=RaterRole.AUDITOR)
        config = Config(label=label_settings, raters=(eve,))
        with used.open_store() as store:
            for name in ("museum", "library"):
                label(store, "ben", filled[name], score(5))
            with pytest.raises(BlindnessError):
                scope_of(store, config, "ben", unblind=True)
            assert scope_of(store, config, "eve", unblind=True).unblinded

    def test_after_item_needs_every_item_that_others_have_labelled(
        self, used: Workspace, filled: dict[str, str]
    ) -> None:
        config = Config(label=LabelSettings(reveal=RevealRule.AFTER_ITEM))
        with used.open_store() as store:
            with pytest.raises(BlindnessError, match="2 transcripts"):
                scope_of(store, config, "ben", unblind=True)
            for name in ("museum", "library"):
                label(store, "ben", filled[name], score(5))
            assert scope_of(store, config, "ben", unblind=True).unblinded

    def test_a_reveal_is_saved_once_for_each_transcript_shown(
        self, used: Workspace, filled: dict[str, str]
    ) -> None:
        with used.open_store() as store:
            for name in ("museum", "library"):
                label(store, "ben", filled[name], score(5))
            for _ in range(2):
                scope_of(store, Config(), "ben", unblind=True)
            reveals = [
                e
                for e in store.events.all()
                if e.event is EventKind.REVEAL and e.rater == "ben"
            ]
            assert {e.transcript for e in reveals} == set(filled.values())
            assert len(reveals) == 3
            assert all(e.shown == ("ann",) for e in reveals)
            assert Annotate(store, Config(), "ben").task(filled["pool"]).revealed

    def test_nobody_named_and_two_people_known(self, used: Workspace) -> None:
        with (
            used.open_store() as store,
            pytest.raises(BlindnessError, match="nobody was named"),
        ):
            scope_of(store, Config(), None)

    def test_the_only_rater_needs_no_name(
        self, workspace: Workspace, filled: dict[str, str]
    ) -> None:
        with workspace.open_store() as store:
            assert jsonl(store, scope_of(store, Config(), None)) == ""
            label(store, "ann", filled["pool"], score(4))
            scope = scope_of(store, Config(), None)
            assert (scope.rater, scope.hidden) == ("ann", 0)
            # Where the settings list somebody else, it may be them who asks.
            listed = Config(raters=(RaterSettings(name="ben"),))
            with pytest.raises(BlindnessError):
                scope_of(store, listed, None)


class TestCsv:
    def rows(self, store: Store, scope: Scope) -> list[dict[str, str]]:
        out = io.StringIO()
        export_csv(store, out, scope)
        return list(csv.DictReader(io.StringIO(out.getvalue())))

    def test_current_labels_one_row_per_dimension(
        self, used: Workspace, filled: dict[str, str]
    ) -> None:
        eve = RaterSettings(name="eve", role=RaterRole.AUDITOR)
        with used.open_store() as store:
            scope = scope_of(store, Config(raters=(eve,)), "eve", unblind=True)
            rows = self.rows(store, scope)
        assert tuple(rows[0]) == CSV_COLUMNS
        assert [
            (r["rater"], r["sample_id"], r["dimension"], r["score"]) for r in rows
        ] == [
            ("ann", "library", "redundant_calls", "3"),
            ("ann", "pool", "redundant_calls", "9"),
            ("ben", "pool", "redundant_calls", ""),
        ]
        assert rows[0]["evidence"] == "M3:3-8"
        assert rows[0]["seed"] == "opening-hours"
        assert rows[1]["sub_modes"] == "asks_again"
        assert rows[2]["not_scorable"] == "'=cut off"

    @pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\n", "＝"])
    def test_no_cell_begins_a_formula(self, start: str) -> None:
        assert safe_cell(f"{start}1+1") == f"'{start}1+1"
        assert safe_cell("1+1") == "1+1"
        assert safe_cell("\r=1+1") == "'\n=1+1"

    @given(st.text(st.characters()))
    def test_any_cell_is_read_back_by_a_csv_reader(self, text: str) -> None:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow([safe_cell(text), "end"])
        written = out.getvalue()
        assert "\x00" not in written
        written.encode("utf-8")
        (row,) = csv.reader(io.StringIO(written, newline=""))
        assert row == [safe_cell(text), "end"]

    def test_places(self) -> None:
        assert place(Evidence(m=3)) == "M3"
        assert place(Evidence(m=3, span=Span(start=0, end=4))) == "M3:0-4"
