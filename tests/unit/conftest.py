"""A small filled workspace, written by hand, for commands and workflows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from geode_tui.domain.base import Span
from geode_tui.domain.imported import AuditorMessage, ImportedSample
from geode_tui.domain.rubric import (
    Dimension,
    Rubric,
    RubricStyle,
    SideChannel,
    SubMode,
)
from geode_tui.domain.score import (
    Citation,
    DimensionVerdict,
    Verdict,
    VerdictState,
)
from geode_tui.domain.seed import Seed
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Source,
    ToolCall,
    Transcript,
)
from geode_tui.store.store import Store
from geode_tui.workflows.workspace import Workspace, init_workspace

SampleMaker = Callable[..., ImportedSample]
SeedMaker = Callable[..., Seed]

BODY = "# Opening hours\n\nAnswer from the first call.\n"


@pytest.fixture
def seed() -> Seed:
    """A seed that asks for one dimension, with two sub-modes and a flag."""
    return Seed(
        path="opening-hours.md",
        name="opening-hours",
        body=BODY,
        target_dimensions=("redundant_calls",),
        rubric=Rubric(
            style=RubricStyle.PROSE,
            family="opening-hours",
            dimensions=(Dimension(name="redundant_calls"),),
            sub_modes=(
                SubMode(key="asks_again", label="asks again", tools=("hours",)),
                SubMode(key="checks_map", label="checks the map", tools=("map",)),
            ),
            side_channels=(SideChannel(key="padding"),),
            raw="Score how many calls were not needed.",
        ),
    )


@pytest.fixture
def make_sample() -> Callable[..., ImportedSample]:
    """A sample of three messages and two branches, with a judge's verdict."""

    def make(name: str, *, reply: str = "It opens at nine.") -> ImportedSample:
        call = '{"name": "hours", "arguments": {"day": "Monday"}}'
        transcript = Transcript(
            source=Source(
                log="run-1",
                path="run-1.eval",
                format="inspect",
                sample_id=name,
                target_model="model-a",
            ),
            messages=(
                Message(m=1, role=Role.USER, text=f"When does the {name} open?"),
                Message(
                    m=2,
                    role=Role.ASSISTANT,
                    text=call,
                    tool_calls=(
                        ToolCall(
                            name="hours",
                            arguments={"day": "Monday"},
                            how="bare_json",
                            span=Span(start=0, end=len(call)),
                        ),
                    ),
                ),
                Message(m=3, role=Role.ASSISTANT, text=reply),
            ),
            branches=(
                Branch(n=1, kind=BranchKind.TRUNK, own=(1, 2)),
                Branch(
                    n=2, kind=BranchKind.ROLLBACK, parent=1, forked_from=1, own=(3,)
                ),
            ),
            seed_text=BODY,
        )
        verdict = Verdict(
            id=f"v-{name}-{transcript.id}",
            transcript=transcript.id,
            rater="judge:test/model-j",
            scores=(
                DimensionVerdict(
                    dimension="redundant_calls",
                    value=7,
                    state=VerdictState.OK,
                    citations=(Citation(text="[M2]", m=2),),
                ),
                DimensionVerdict(dimension="candour", state=VerdictState.MISSING),
            ),
            explanation="SECRET-OF-THE-JUDGE",
        )
        return ImportedSample(
            transcript=transcript,
            verdicts=(verdict,),
            auditor=(AuditorMessage(n=1, role="assistant", text="SECRET-PLAN"),),
        )

    return make


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A new, empty workspace on a path with a blank and letters beyond ASCII."""
    return init_workspace(tmp_path / "my audit – übung")


@pytest.fixture
def filled(
    workspace: Workspace, seed: Seed, make_sample: Callable[..., ImportedSample]
) -> dict[str, str]:
    """Three transcripts in the workspace: sample name -> id."""
    ids = {}
    with workspace.open_store() as store:
        for name in ("museum", "library", "pool"):
            added = store.transcripts.add(make_sample(name), seed, seed.rubric)
            ids[name] = added.result().id
    return ids


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "annotations" / "geode.db"


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    with Store.open(database) as opened:
        yield opened


@pytest.fixture
def build_sample() -> SampleMaker:
    """A sample with two messages, a verdict of 9 and an auditor's thought."""

    def build(
        sample_id: str = "s1",
        *texts: str,
        log: str = "log-1",
        seed_text: str = "",
        model: str = "target-model",
        judge: Rubric | None = None,
        metadata: dict[str, object] | None = None,
    ) -> ImportedSample:
        said = texts or (f"Question of {sample_id}", f"Answer to {sample_id}")
        transcript = Transcript(
            source=Source(
                log=log,
                path=f"{log}.eval",
                format="inspect",
                sample_id=sample_id,
                target_model=model,
            ),
            messages=tuple(
                Message(m=m, role=Role.USER if m % 2 else Role.ASSISTANT, text=text)
                for m, text in enumerate(said, 1)
            ),
            branches=(
                Branch(n=1, kind=BranchKind.TRUNK, own=tuple(range(1, len(said) + 1))),
            ),
            seed_text=seed_text,
            metadata=metadata or {},
        )
        verdict = Verdict(
            id=f"verdict-{transcript.id}",
            transcript=transcript.id,
            rubric=judge.id if judge else None,
            rater="judge:secret-scorer",
            explanation="SECRET explanation",
            scores=(
                DimensionVerdict(
                    dimension="disappointing", value=9, state=VerdictState.OK
                ),
            ),
        )
        return ImportedSample(
            transcript=transcript,
            verdicts=(verdict,),
            judge_rubric=judge,
            auditor=(AuditorMessage(n=1, role="assistant", text="SECRET thought"),),
        )

    return build


@pytest.fixture
def make_seed() -> SeedMaker:
    """A seed whose rubric scores one dimension and knows one sub-mode."""

    def make(
        body: str = "The scenario.",
        *,
        name: str = "scenario",
        raw: str = "Score needless calls.",
        dimensions: tuple[str, ...] = ("redundant_tool_invocation",),
        sub_modes: tuple[str, ...] = ("tier_history",),
    ) -> Seed:
        return Seed(
            path=f"{name}.md",
            name=name,
            body=body,
            target_dimensions=dimensions,
            rubric=Rubric(
                style=RubricStyle.PROSE,
                family=name,
                dimensions=tuple(Dimension(name=d, text="Words.") for d in dimensions),
                sub_modes=tuple(SubMode(key=key, label=key) for key in sub_modes),
                raw=raw,
            ),
        )

    return make


@pytest.fixture
def judge_rubric() -> Rubric:
    return Rubric(
        style=RubricStyle.JUDGE,
        title="Judge",
        dimensions=(
            Dimension(name="disappointing", text="How it disappoints."),
            Dimension(name="admirable", text="What is good.", lower_is_better=False),
        ),
        raw="The judge's words.",
    )
