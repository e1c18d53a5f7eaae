"""Scores from elsewhere as a judge's verdicts or as people's labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from geode_tui.config import Config
from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE, Value
from geode_tui.domain.ids import content_hash
from geode_tui.domain.imported import Refused
from geode_tui.domain.score import (
    DimensionVerdict,
    Event,
    EventKind,
    Verdict,
    VerdictState,
    fits,
)
from geode_tui.errors import ConfigError, StoreError
from geode_tui.files.scores import ScoreRow, read_scores
from geode_tui.store.store import Store
from geode_tui.workflows.rule import seed_rubric
from geode_tui.workflows.workspace import rater_name

Found = dict[tuple[str, str], dict[str, ScoreRow]]


class ScoreIntake(Value):
    """What a file of scores came to; ``added`` verdicts or labels are new."""

    rows: int
    added: int
    unchanged: int
    refused: tuple[Refused, ...]


def import_scores(
    store: Store,
    config: Config,
    path: Path,
    *,
    human: bool,
    rater: str | None = None,
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> ScoreIntake:
    """Read scores and store them; the same file twice adds nothing.

    A judge's scores become one verdict per transcript; scores that are no 1 to
    10 are kept as out of range. A person's become one label per transcript on
    the seed's rubric, and a changed one supersedes the earlier label.

    Args:
        store: where they go.
        config: says what is asked.
        path: CSV or JSONL.
        human: people's labels, otherwise a judge's verdicts.
        rater: whose scores they are, where no column says it.
        dimension: of every row, where no column says it.
        columns: field -> column.
    """
    ids = _Ids(store)
    found: Found = {}
    refused: list[Refused] = []
    rows = 0
    for row in read_scores(path, columns or {}):
        if isinstance(row, Refused):
            refused.append(row)
            continue
        rows += 1
        who, what = row.rater or rater or "", row.dimension or dimension or ""
        try:
            if not who or not what:
                raise StoreError(f"no {'dimension' if who else 'rater'} is named.")
            who = rater_name(who) if human else f"judge:{who.removeprefix('judge:')}"
            given = found.setdefault((who, ids.of(row)), {})
            if what in given:
                raise StoreError(f"{what} is scored twice (line {given[what].line}).")
            given[what] = row
        except (StoreError, ConfigError) as error:
            refused.append(Refused(path=str(path), line=row.line, reason=str(error)))
    added = unchanged = 0
    for (who, transcript), given in found.items():
        try:
            if human:
                new = _label(store, config, who, transcript, given)
            else:
                new = store.verdicts.append([_verdict(who, transcript, given)]).result()
        except (StoreError, ValidationError, ValueError) as error:
            line = min(row.line for row in given.values())
            refused.append(Refused(path=str(path), line=line, reason=str(error)))
            continue
        added += int(new)
        unchanged += int(not new)
    return ScoreIntake(
        rows=rows, added=added, unchanged=unchanged, refused=tuple(refused)
    )


class _Ids:
    """Finds transcripts by id, or by sample and epoch where that is unique."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._samples: dict[tuple[str, str], list[str]] = {}
        for facts in store.transcripts.rows():
            key = (facts.sample_id, str(facts.epoch))
            self._samples.setdefault(key, []).append(facts.id)

    def of(self, row: ScoreRow) -> str:
        if row.transcript:
            return self._store.transcripts.resolve(row.transcript)
        found = self._samples.get((row.sample_id, row.epoch or "1"), [])
        if len(found) != 1:
            many = "several transcripts have" if found else "no transcript has"
            raise StoreError(
                f"{many} the sample {row.sample_id!r}, epoch {row.epoch or 1}.",
                hint="Name the transcript by its id.",
            )
        return found[0]


def _verdict(who: str, transcript: str, given: Mapping[str, ScoreRow]) -> Verdict:
    scores = tuple(_scored(name, row.score) for name, row in sorted(given.items()))
    content = [who, transcript, [[s.dimension, s.raw] for s in scores]]
    return Verdict(
        id="v" + content_hash(content).removeprefix("b2:"),
        transcript=transcript,
        rater=who,
        scores=scores,
        explanation="\n".join(row.note for row in given.values() if row.note),
        source="scores",
    )


def _scored(name: str, score: float | None) -> DimensionVerdict:
    state = VerdictState.OK
    if score is None:
        state = VerdictState.MISSING
    elif not LOWEST_SCORE <= score <= HIGHEST_SCORE:
        state = VerdictState.OUT_OF_RANGE
    value = score if state is VerdictState.OK else None
    return DimensionVerdict(dimension=name, value=value, state=state, raw=score)


def _label(
    store: Store,
    config: Config,
    who: str,
    transcript: str,
    given: Mapping[str, ScoreRow],
) -> int:
    text = store.transcripts.get(transcript)
    rubric = seed_rubric(store, config, text)
    if rubric is None:
        raise StoreError("no seed is known for this transcript.", where=transcript)
    scores = {}
    for name, row in given.items():
        if row.score is None:
            continue
        if row.score != int(row.score) or not 1 <= row.score <= HIGHEST_SCORE:
            raise StoreError(f"{name}: {row.score:g} is no whole number from 1 to 10.")
        scores[name] = int(row.score)
    if not scores:
        raise StoreError("no score is given.", where=transcript)
    own = [e for e in store.events.of(transcript) if e.rater == who]
    current = next(
        (
            e
            for e in store.events.current(transcript)
            if e.rater == who and e.rubric == rubric.id
        ),
        None,
    )
    if current is not None and current.scores == scores:
        return 0
    event = Event(
        transcript=transcript,
        rubric=rubric.id,
        rater=who,
        scores=scores,
        note="\n".join(row.note for row in given.values() if row.note),
        supersedes=current.id if current else None,
        after_reveal=any(e.event is EventKind.REVEAL for e in own),
    )
    if problems := fits(event, rubric, len(text.messages)):
        raise StoreError(" ".join(problems), where=transcript)
    return store.events.append([event], rubrics=[rubric]).result()
