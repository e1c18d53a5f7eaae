"""Small transcripts, seeds and rubrics, and an open store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from geode_tui.domain.imported import AuditorMessage, ImportedSample
from geode_tui.domain.rubric import Dimension, Rubric, RubricStyle, SubMode
from geode_tui.domain.score import DimensionVerdict, Verdict, VerdictState
from geode_tui.domain.seed import Seed
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Source,
    Transcript,
)
from geode_tui.store.store import Store

SampleMaker = Callable[..., ImportedSample]
SeedMaker = Callable[..., Seed]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "annotations" / "geode.db"


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    with Store.open(database) as opened:
        yield opened


@pytest.fixture
def make_sample() -> SampleMaker:
    """A sample with two messages, a verdict of 9 and an auditor's thought."""

    def make(
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

    return make


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
