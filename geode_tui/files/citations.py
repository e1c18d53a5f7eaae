"""References to messages in a judge's prose: ``[M8]``, ``[M2, M4]``, ``[M4-M5]``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from geode_tui.domain.score import Citation

_REFERENCE = re.compile(
    r"\[(M\d{1,7}(?:\s{0,3}(?:,|;|/|&|and|to|through|-|–|—|\.\.|…)\s{0,3}M?\d{1,7}){0,60})\]"
)
_PIECE = re.compile(r"(,|;|/|&|and|to|through|-|–|—|\.\.|…)?\s{0,3}M?(\d{1,7})")
_RANGE = frozenset({"to", "through", "-", "–", "—", "..", "…"})


def cited_numbers(text: str, messages: int) -> Iterator[tuple[str, int]]:
    """Each reference of ``text`` as (as written, message number), in order.

    A list gives one pair per message; a range gives every message of it that
    exists. A number with no such message is given too: the caller decides.

    Args:
        text: a judge's prose.
        messages: how many messages the transcript has.
    """
    for reference in _REFERENCE.finditer(text):
        last: int | None = None
        for joint, digits in _PIECE.findall(reference.group(1)):
            number = int(digits)
            if joint in _RANGE and last is not None and last < number:
                for between in range(last + 1, min(number, messages + 1)):
                    yield reference.group(), between
            yield reference.group(), number
            last = number


def citations(
    texts: Sequence[str], messages: int, ids: Mapping[int, str] | None = None
) -> tuple[Citation, ...]:
    """The messages that a judge's texts refer to, each (text, message) once.

    Args:
        texts: explanation, summary, highlights: in the order to list them.
        messages: how many messages the transcript has.
        ids: message number -> id, as the log itself records the citation.
    """
    found: dict[tuple[str, int], Citation] = {}
    for text in texts:
        for written, number in cited_numbers(text, messages):
            found.setdefault(
                (written, number),
                Citation(
                    text=written,
                    m=number if 1 <= number <= messages else None,
                    message_id=(ids or {}).get(number),
                ),
            )
    return tuple(found.values())


def paragraph_of(text: str, dimension: str) -> str:
    """The paragraphs of an explanation that begin with a dimension's name.

    Only such paragraphs are taken as being about one dimension; prose that
    merely mentions its name is not.
    """
    name = re.escape(dimension).replace("_", r"[_\s]")
    heading = re.compile(rf"^[\s\-*•#>`\d.]{{0,20}}{name}(?![\w])", re.IGNORECASE)
    return "\n".join(line for line in text.split("\n") if heading.match(line))
