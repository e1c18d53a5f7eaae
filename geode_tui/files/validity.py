"""Facts about a transcript that bear on whether it can be scored."""

from __future__ import annotations

from collections.abc import Sequence

from geode_tui.domain.harness import is_harness_error, replies
from geode_tui.domain.transcript import Message, Validity


def validity_of(
    messages: Sequence[Message],
    *,
    harness_errors: Sequence[str] = (),
    truncated: bool = False,
    failed: bool = False,
) -> tuple[Validity, ...]:
    """The marks of a transcript; an empty reply counts as none.

    Args:
        messages: the whole tree's messages.
        harness_errors: regular expressions of the harness's own error texts.
        truncated: a limit of tokens, messages or time cut the conversation.
        failed: the sample itself ended with an error.
    """
    marks: list[Validity] = []
    real = replies(messages, harness_errors)
    noise = any(is_harness_error(message, harness_errors) for message in messages)
    if noise:
        some, only = Validity.SOME_HARNESS_ERRORS, Validity.ONLY_HARNESS_ERRORS
        marks.append(some if real else only)
    elif not real:
        marks.append(Validity.NO_TARGET_REPLY)
    if truncated:
        marks.append(Validity.TRUNCATED)
    if failed:
        marks.append(Validity.SAMPLE_ERROR)
    return tuple(marks)
