from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from geode_tui.domain.score import Event, EventKind
from geode_tui.workflows.workspace import Workspace

Run = Callable[..., Result]
SECRETS = ("SECRET-OF-THE-JUDGE", "judge:test", "SECRET-PLAN")


def events(workspace: Workspace) -> list[Event]:
    with workspace.open_store() as store:
        return list(store.events.all())


class TestList:
    def test_json_has_the_documented_keys(self, run: Run, filled: dict) -> None:
        rows = json.loads(run("list", "--json", "--rater", "ann").stdout)
        assert [row["id"] for row in rows] == list(filled.values())
        assert rows[0] == {
            "id": filled["museum"],
            "source": "run-1.eval",
            "sample_id": "museum",
            "epoch": 1,
            "seed": "opening-hours",
            "target_dimensions": ["redundant_calls"],
            "model": "model-a",
            "messages": 3,
            "branches": 2,
            "validity": [],
            "state": "todo",
        }

    def test_state_is_the_asking_rater_s_own(self, run: Run, filled: dict) -> None:
        run("annotate", filled["pool"], "--rater", "ann", "--score", "3")
        done = json.loads(
            run("list", "--json", "--rater", "ann", "--state", "done").stdout
        )
        assert [row["id"] for row in done] == [filled["pool"]]
        others = json.loads(run("list", "--json", "--rater", "ben").stdout)
        assert {row["state"] for row in others} == {"todo"}

    def test_without_a_name_there_is_no_state(self, run: Run, filled: dict) -> None:
        rows = json.loads(run("list", "--json").stdout)
        assert [row["state"] for row in rows] == [None] * 3
        assert "--rater" in run("list", "--state", "todo", code=2).stderr

    def test_a_table_for_people(self, run: Run, filled: dict) -> None:
        lines = run("list", "--text", "library").stdout.splitlines()
        assert len(lines) == 2
        assert lines[0].split()[:4] == ["id", "seed", "sample", "ep"]
        assert lines[1].startswith(filled["library"])

    def test_limit_and_order(self, run: Run, filled: dict) -> None:
        rows = json.loads(run("list", "--json", "--limit", "2", "--descending").stdout)
        assert [row["sample_id"] for row in rows] == ["pool", "library"]

    def test_an_empty_workspace_says_what_to_do(self, run: Run) -> None:
        result = run("list")
        assert result.stdout == ""
        assert "geode-tui import" in result.stderr
        assert json.loads(run("list", "--json").stdout) == []


class TestShow:
    def test_json_has_the_documented_keys(self, run: Run, filled: dict) -> None:
        shown = json.loads(run("show", filled["pool"], "--json").stdout)
        assert shown["id"] == filled["pool"]
        assert shown["branches"] == [
            {"n": 1, "kind": "trunk", "parent": None, "forked_from": None},
            {"n": 2, "kind": "rollback", "parent": 1, "forked_from": 1},
        ]
        assert [(m["m"], m["branch"], m["role"]) for m in shown["messages"]] == [
            (1, 1, "user"),
            (2, 1, "assistant"),
            (3, 2, "assistant"),
        ]
        (call,) = shown["messages"][1]["tool_calls"]
        assert call["name"] == "hours"
        assert call["arguments"] == {"day": "Monday"}
        assert call["how"] == "bare_json"
        assert "verdicts" not in shown
        assert "labels" not in shown

    @pytest.mark.parametrize("form", [(), ("--json",)])
    def test_nothing_of_the_judge_or_the_auditor_shows(
        self, run: Run, filled: dict, form: tuple[str, ...]
    ) -> None:
        output = run("show", filled["pool"], *form).output
        assert "pool open" in output
        assert not [secret for secret in SECRETS if secret in output]

    def test_unblinding_needs_a_name(self, run: Run, filled: dict) -> None:
        result = run("show", filled["pool"], "--unblind", code=2)
        assert "--rater" in result.stderr

    def test_a_remembered_name_does_not_unblind(
        self, run: Run, filled: dict, workspace: Workspace
    ) -> None:
        for identity in filled.values():
            run("annotate", identity, "--rater", "ann", "--score", "3")
        run("show", filled["pool"], "--unblind", code=2)
        assert not [e for e in events(workspace) if e.event is EventKind.REVEAL]

    def test_unblinding_waits_for_the_queue(
        self, run: Run, filled: dict, workspace: Workspace
    ) -> None:
        result = run("show", filled["pool"], "--unblind", "--rater", "ann", code=1)
        assert result.stdout == ""
        assert "3 of 3 transcripts" in result.stderr
        assert events(workspace) == []

    def test_unblinding_saves_a_reveal_and_shows_verdicts_and_labels(
        self, run: Run, filled: dict, workspace: Workspace
    ) -> None:
        run("annotate", filled["pool"], "--rater", "ben", "--score", "9")
        for identity in filled.values():
            run("annotate", identity, "--rater", "ann", "--score", "3")
        shown = json.loads(
            run("show", filled["pool"], "--json", "--unblind", "--rater", "ann").stdout
        )
        assert [
            (v["rater"], v["dimension"], v["value"], v["state"])
            for v in shown["verdicts"]
        ] == [
            ("judge:test/model-j", "redundant_calls", 7, "ok"),
            ("judge:test/model-j", "candour", None, "missing"),
        ]
        assert shown["verdicts"][0]["citations"][0]["m"] == 2
        assert [(e["rater"], e["scores"]) for e in shown["labels"]] == [
            ("ben", {"redundant_calls": 9})
        ]
        reveal = events(workspace)[-1]
        assert reveal.event is EventKind.REVEAL
        assert (reveal.rater, reveal.transcript) == ("ann", filled["pool"])
        assert set(reveal.shown) == {"judge:test/model-j", "ben"}

    def test_an_auditor_may_look_at_once(
        self, run: Run, filled: dict, workspace: Workspace
    ) -> None:
        (workspace.root / "geode.toml").write_text(
            '[[raters]]\nname = "eve"\nrole = "auditor"\n'
        )
        output = run("show", filled["pool"], "--unblind", "--rater", "eve").stdout
        assert "SECRET-OF-THE-JUDGE" in output
        assert "SECRET-PLAN" not in output

    def test_an_unknown_or_short_id_is_explained(self, run: Run, filled: dict) -> None:
        assert "no transcript begins" in run("show", "zzz", code=1).stderr
        assert "several transcripts" in run("show", "t", code=1).stderr


class TestAnnotate:
    def test_a_whole_label(self, run: Run, filled: dict, workspace: Workspace) -> None:
        run(
            *("annotate", filled["pool"], "--rater", "ann"),
            *("--score", "redundant_calls=4", "--sub-mode", "asks_again"),
            *("--flag", "padding", "--evidence", "M3:3-8", "--evidence", "M1"),
            *("--note", "nine ü"),
        )
        (label,) = events(workspace)
        assert label.scores == {"redundant_calls": 4}
        assert label.sub_modes == ("asks_again",)
        assert label.flags == ("padding",)
        assert [(e.m, e.quote) for e in label.evidence] == [(3, "opens"), (1, None)]
        assert label.note == "nine ü"
        assert not label.after_reveal

    def test_every_problem_is_listed_and_nothing_is_saved(
        self, run: Run, filled: dict, workspace: Workspace
    ) -> None:
        result = run(
            *("annotate", filled["pool"], "--rater", "ann"),
            *("--score", "redundant_calls=11", "--score", "candour=2"),
            *("--sub-mode", "sulks", "--flag", "flags", "--evidence", "M9"),
            *("--evidence", "three", "--evidence", "M3:8-3"),
            code=1,
        )
        for part in ("=11", "candour", "sulks", "'flags'", "M9", "three", "M3:8-3"):
            assert part in result.stderr
        assert events(workspace) == []

    @pytest.mark.parametrize("score", ["0", "11", "3.5", "-1", "٣", "four", "", "1e1"])
    def test_a_score_is_a_whole_number_from_1_to_10(
        self, run: Run, filled: dict, workspace: Workspace, score: str
    ) -> None:
        run("annotate", filled["pool"], "-r", "ann", f"--score={score}", code=1)
        assert events(workspace) == []

    def test_a_second_label_replaces_the_first(
        self, run: Run, filled: dict, workspace: Workspace
    ) -> None:
        run("annotate", filled["pool"], "-r", "ann", "--score", "4")
        run("annotate", filled["pool"], "-r", "ann", "--score", "5")
        first, second = events(workspace)
        assert second.supersedes == first.id
        assert "score" in run("annotate", filled["pool"], "-r", "ann", code=1).stderr

    def test_not_scorable_has_a_reason_and_no_score(
        self, run: Run, filled: dict, workspace: Workspace
    ) -> None:
        base = ("annotate", filled["pool"], "-r", "ann", "--not-scorable")
        assert "reason" in run(*base, " ", code=1).stderr
        assert "never both" in run(*base, "cut off", "--score", "3", code=1).stderr
        run(*base, "cut off")
        assert [e.not_scorable for e in events(workspace)] == ["cut off"]

    def test_withdrawing_takes_the_label_back(
        self, run: Run, filled: dict, workspace: Workspace
    ) -> None:
        base = ("annotate", filled["pool"], "-r", "ann")
        assert "no label" in run(*base, "--withdraw", code=1).stderr
        run(*base, "--score", "4")
        run(*base, "--withdraw", "--score", "4", code=2)
        run(*base, "--withdraw")
        assert [e.event.value for e in events(workspace)] == [
            "annotation",
            "withdrawal",
        ]
        assert json.loads(run("list", "--json").stdout)[2]["state"] == "draft"

    def test_json_gives_the_current_labels(self, run: Run, filled: dict) -> None:
        result = run("annotate", filled["pool"], "-r", "ann", "--score", "4", "--json")
        (label,) = json.loads(result.stdout)
        assert label["scores"] == {"redundant_calls": 4}

    def test_somebody_must_be_named(self, run: Run, filled: dict) -> None:
        result = run("annotate", filled["pool"], "--score", "4", code=2)
        assert "--rater NAME" in result.stderr
        for name in ("judge:me", "rule", "a\x1bb", "x" * 81):
            run("annotate", filled["pool"], "-r", name, "--score", "4", code=1)
