"""What an importer hands over: samples that could be read, and refusals."""

from __future__ import annotations

from geode_tui.domain.base import Value
from geode_tui.domain.rubric import Rubric
from geode_tui.domain.score import Verdict
from geode_tui.domain.transcript import Transcript


class AuditorMessage(Value):
    """A message of the auditor's own conversation, for the auditor view only.

    It holds the auditor's reasoning and often verdicts, so no labelling query
    may return it.
    """

    n: int
    role: str
    text: str
    reasoning: str = ""


class ImportedSample(Value):
    """One sample of a log, ready to be stored.

    Attributes:
        judge_rubric: the judge's own wording of its dimensions, where the log
            records it; verdicts of the sample name it.
        auditor: the auditor's conversation.
        notes: what was left out or repaired, in sentences.
    """

    transcript: Transcript
    verdicts: tuple[Verdict, ...] = ()
    judge_rubric: Rubric | None = None
    auditor: tuple[AuditorMessage, ...] = ()
    notes: tuple[str, ...] = ()


class Refused(Value):
    """A file, a sample or a line that could not be read, and why.

    Attributes:
        reason: one sentence that says what is wrong and what to do.
        whole_file: nothing of the file could be read.
    """

    path: str
    reason: str
    sample_id: str | None = None
    epoch: int | None = None
    line: int | None = None
    whole_file: bool = False
