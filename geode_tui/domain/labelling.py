"""What a rater works with: queue rows, a labelling task, its forms, a reveal.

Nothing here can hold another rater's value except ``Reveal``, which exists
only after a reveal event has been saved.
"""

from __future__ import annotations

from enum import StrEnum

from geode_tui.domain.base import Value
from geode_tui.domain.rubric import Dimension, Rubric
from geode_tui.domain.score import Draft, Event, Verdict
from geode_tui.domain.seed import Seed
from geode_tui.domain.transcript import Transcript, Validity


class LabelState(StrEnum):
    """Where one rater stands with one transcript."""

    TODO = "todo"
    DRAFT = "draft"
    DONE = "done"
    NOT_SCORABLE = "not_scorable"
    REDO = "redo"
    """Labelled before, but the rubric's structure has changed since."""


class QueueOrder(StrEnum):
    """How the queue is sorted."""

    IMPORTED = "imported"
    SEED = "seed"
    MODEL = "model"
    LENGTH = "length"
    STATE = "state"


class QueueFilter(Value):
    """Which transcripts the queue shows, and in what order.

    Attributes:
        text: matched in seed name, sample id, model, and message text
            (full-text search); "" matches all.
        states: only these states; empty for all.
        validity: only transcripts with one of these marks; empty for all.
        hide_duplicates: leave out exact duplicates of an earlier transcript.
    """

    text: str = ""
    states: tuple[LabelState, ...] = ()
    validity: tuple[Validity, ...] = ()
    hide_duplicates: bool = False
    order: QueueOrder = QueueOrder.IMPORTED
    descending: bool = False


class QueueRow(Value):
    """One transcript as one rater's queue shows it. No value of any other rater."""

    id: str
    source: str
    sample_id: str
    epoch: int
    seed: str
    target_dimensions: tuple[str, ...]
    model: str
    messages: int
    branches: int
    validity: tuple[Validity, ...]
    state: LabelState


class Progress(Value):
    """How far a rater is through the queue."""

    done: int
    drafts: int
    total: int

    @property
    def finished(self) -> bool:
        """True where nothing is left to label."""
        return self.done >= self.total


class Form(Value):
    """One rubric to be filled in for a transcript, and the dimensions of it asked."""

    rubric: Rubric
    dimensions: tuple[Dimension, ...]


class LabelTask(Value):
    """Everything that the Label screen shows: the transcript, forms, own work.

    Attributes:
        forms: the seed's rubric, the judge's own rubric, or both; never empty.
        labels: the rater's own current labels, one per form labelled so far.
        draft: the rater's own draft; where labels exist and no draft does, the
            screen starts from the labels.
        seed: the scenario document, for its prompts and tool responses; None
            where only the log's own text of it is known.
        revealed: the rater has seen other raters' values of this transcript.
    """

    transcript: Transcript
    forms: tuple[Form, ...]
    state: LabelState
    labels: tuple[Event, ...] = ()
    draft: Draft = Draft()
    seed: Seed | None = None
    revealed: bool = False


class Reveal(Value):
    """What a reveal shows once its event has been saved."""

    event: Event
    verdicts: tuple[Verdict, ...]
    labels: tuple[Event, ...]
    """Other human raters' current labels; empty where the workspace hides them."""
