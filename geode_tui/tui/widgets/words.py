"""Short words for states and facts; a glyph never stands alone."""

from __future__ import annotations

from geode_tui.domain.labelling import LabelState, QueueOrder
from geode_tui.domain.score import VerdictState
from geode_tui.domain.transcript import Validity

STATE = {
    LabelState.TODO: "○ to do",
    LabelState.DRAFT: "◐ draft",
    LabelState.DONE: "✓ done",
    LabelState.NOT_SCORABLE: "✓ no score",
    LabelState.REDO: "! redo",
}

STATE_STYLE = {
    LabelState.TODO: "",
    LabelState.DRAFT: "mark",
    LabelState.DONE: "good",
    LabelState.NOT_SCORABLE: "good",
    LabelState.REDO: "warn",
}

VALIDITY = {
    Validity.NO_TARGET_REPLY: "no reply",
    Validity.ONLY_HARNESS_ERRORS: "only harness errors",
    Validity.SOME_HARNESS_ERRORS: "harness errors",
    Validity.TRUNCATED: "truncated",
    Validity.SAMPLE_ERROR: "sample error",
    Validity.DUPLICATE: "duplicate",
}

VALIDITY_SENTENCE = {
    Validity.NO_TARGET_REPLY: "The target never replied.",
    Validity.ONLY_HARNESS_ERRORS: "All replies are the harness's own error text.",
    Validity.SOME_HARNESS_ERRORS: "Some replies are the harness's own error text.",
    Validity.TRUNCATED: "The transcript is cut off.",
    Validity.SAMPLE_ERROR: "The sample ended with an error.",
    Validity.DUPLICATE: "Another transcript has exactly the same content.",
}

ORDER = {
    QueueOrder.IMPORTED: "import order",
    QueueOrder.SEED: "seed",
    QueueOrder.MODEL: "model",
    QueueOrder.LENGTH: "length",
    QueueOrder.STATE: "state",
}

VERDICT = {
    VerdictState.OK: "ok",
    VerdictState.REFUSED: "the judge refused",
    VerdictState.TRUNCATED: "the answer was cut off",
    VerdictState.UNPARSABLE: "the answer could not be read",
    VerdictState.OUT_OF_RANGE: "not on the scale",
    VerdictState.ERRORED: "the call failed",
    VerdictState.MISSING: "not scored",
}


def plural(count: int, noun: str) -> str:
    """``1 draft``, ``2 drafts``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
