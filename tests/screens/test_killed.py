"""kill -9 while labelling: no submitted label is lost, no draft is old."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from geode_tui.config import Config
from geode_tui.domain.imported import ImportedSample
from geode_tui.domain.score import Draft
from geode_tui.store.store import Store
from geode_tui.workflows.annotate import Annotate
from geode_tui.workflows.workspace import init_workspace

KILLS = 20
DRIVER = Path(__file__).with_name("killed_driver.py")


def test_twenty_kills(
    tmp_path: Path, transcript_of: Any, band_rubric: Any, make_task: Any
) -> None:
    workspace = init_workspace(tmp_path / "killed while labelling")
    seed = make_task().seed
    with Store.open(workspace.database) as store:
        for n in range(400):
            texts = (f"You answer, case {n}.", "Which tier?", "Gold.")
            sample = ImportedSample(transcript=transcript_of(f"s{n}", texts))
            store.transcripts.add(sample, seed).result()
    command = [sys.executable, str(DRIVER), str(workspace.root), str(KILLS), "7"]
    submitted = drafts = 0
    with (
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as driver,
        Store.open(workspace.database) as store,
    ):
        assert driver.stdin is not None
        assert driver.stdout is not None
        annotate = Annotate(store, Config(), "ada")
        for line in driver.stdout:
            one = json.loads(line)
            assert one["heard"][0].get("ready")
            for said in one["heard"]:
                if "submitted" in said:
                    submitted += 1
                    events = annotate.history(said["transcript"])
                    assert said["submitted"] in [event.scores for event in events]
            drafts += check_draft(annotate, one)
            driver.stdin.write("\n")
            driver.stdin.flush()
    assert driver.returncode == 0
    # The rounds must have met both: labels that count and drafts that wait.
    assert submitted >= KILLS // 4
    assert drafts >= KILLS // 4


def stalled(one: dict[str, Any]) -> float:
    """Seconds for which the machine let the app do nothing at all.

    The app types every 0.15 s or sooner; a longer silence is the machine's, and
    in it nothing can be saved.
    """
    times = [x["at"] for x in one["heard"]] + [one["killed"]]
    return sum(max(after - before - 0.4, 0.0) for before, after in pairwise(times))


def check_draft(annotate: Annotate, one: dict[str, Any]) -> bool:
    """What was on the screen a second before the kill, or later, is stored.

    False where the kill came too soon after the transcript was opened to tell.
    """
    last = one["heard"][-1]["transcript"] if len(one["heard"]) > 1 else None
    typed = [x for x in one["heard"] if "typed" in x and x["transcript"] == last]
    saved = [x for x in one["heard"] if "saved" in x and x["transcript"] == last]
    task = annotate.task(last) if last else None
    if task is None or task.labels or not typed:
        return False
    states = [Draft.model_validate(x["typed"]) for x in typed]
    old = [x for x in typed if x["at"] < one["killed"] - 1.0 - stalled(one)]
    at_least = max(
        [states.index(Draft.model_validate(x["saved"])) for x in saved[-1:]]
        + [len(old) - 1],
        default=-1,
    )
    if at_least < 0:
        return False
    assert task.draft in states[at_least:]
    return True
