"""What a reveal shows: the judge's scores and words, other raters, differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from geode_tui.domain.display import one_line
from geode_tui.domain.labelling import Reveal
from geode_tui.domain.score import (
    Citation,
    DimensionVerdict,
    Event,
    Verdict,
    VerdictState,
)
from geode_tui.tui.widgets.lines import Line, Piece, wrap
from geode_tui.tui.widgets.prose import prose_lines
from geode_tui.tui.widgets.rubric_text import clean
from geode_tui.tui.widgets.rule_text import rule_lines
from geode_tui.tui.widgets.words import VERDICT

_NAME_CELLS = 32


@dataclass(frozen=True)
class Cited:
    """A place that a verdict or a label cites; number ``at`` tells lines apart."""

    m: int
    at: int


def _difference(theirs: float, mine: int | None) -> Piece:
    if mine is None:
        return ("  you: none", "dim")
    gap = theirs - mine
    if gap == 0:
        return (f"  you: {mine}, the same", "good")
    side = "higher" if gap > 0 else "lower"
    return (f"  you: {mine}, {abs(gap):g} {side}", "warn")


class _Numbers:
    """Counts citations, so that each line has its own target."""

    def __init__(self) -> None:
        self.next = 0

    def cited(self, m: int) -> Cited:
        self.next += 1
        return Cited(m, self.next)


def _score(
    score: DimensionVerdict, mine: Mapping[str, int], width: int
) -> Iterator[Line]:
    name = one_line(score.dimension, _NAME_CELLS)
    if score.state is VerdictState.OK and score.value is not None:
        pieces: list[Piece] = [
            (f"{score.value:g}", "strong"),
            _difference(score.value, mine.get(score.dimension)),
        ]
    else:
        pieces = [(VERDICT[score.state], "warn")]
    yield from wrap(((name, ""), ("  ", ""), *pieces), width)


def _citations(
    citations: tuple[Citation, ...], numbers: _Numbers, width: int
) -> Iterator[Line]:
    for citation in citations:
        quote = f"  “{clean(citation.quote)}”" if citation.quote else ""
        if citation.m is None:
            text = f"{clean(citation.text)} names no message{quote}"
            yield from wrap(((text, "dim"),), width, hang=2)
            continue
        text = one_line(f"→ M{citation.m}{quote}", width - 2)
        yield Line((("  ", ""), (text, "code")), numbers.cited(citation.m))


def _verdict(
    verdict: Verdict, mine: Mapping[str, int], numbers: _Numbers, width: int
) -> Iterator[Line]:
    yield Line()
    yield from wrap(((clean(verdict.rater), "head"),), width)
    if verdict.state is not VerdictState.OK and verdict.source != "rule":
        yield from wrap(((f"{VERDICT[verdict.state]}.", "warn"),), width)
    if verdict.source == "rule":
        yield from rule_lines(verdict, mine, numbers.cited, width)
        return
    own = [s for s in verdict.scores if s.dimension in mine]
    rest = [s for s in verdict.scores if s.dimension not in mine]
    for score in own:
        yield from _score(score, mine, width)
        yield from _citations(score.citations, numbers, width)
    if own and rest:
        yield Line((("dimensions you did not score", "dim"),))
    for score in rest:
        yield from _score(score, mine, width)
        yield from _citations(score.citations, numbers, width)
    for title, text in (
        ("Explanation", verdict.explanation),
        ("Summary", verdict.summary),
        ("Highlights", verdict.highlights),
    ):
        if text.strip():
            yield Line()
            yield Line(((title, "strong"),))
            yield from prose_lines(text, width)
    if verdict.citations:
        yield Line()
        yield Line((("Cited messages", "strong"), ("  Enter goes there", "dim")))
        yield from _citations(verdict.citations, numbers, width)


def _label(
    label: Event, mine: Mapping[str, int], numbers: _Numbers, width: int
) -> Iterator[Line]:
    yield Line()
    yield from wrap(((clean(label.rater), "head"), ("  a rater", "dim")), width)
    if label.not_scorable is not None:
        yield from wrap(
            ((f"not scorable: {clean(label.not_scorable)}", "warn"),), width
        )
    for name, value in label.scores.items():
        pieces = [(one_line(name, _NAME_CELLS), ""), ("  ", ""), (str(value), "strong")]
        yield from wrap((*pieces, _difference(value, mine.get(name))), width)
    for title, keys in (("sub-modes", label.sub_modes), ("flags", label.flags)):
        if keys:
            text = f"{title}: " + ", ".join(clean(key) for key in keys)
            yield from wrap(((text, ""),), width)
    if label.note:
        yield from prose_lines(label.note, width)
    for item in label.evidence:
        quote = f"  “{clean(item.quote)}”" if item.quote else ""
        text = one_line(f"→ M{item.m}{quote}", width - 2)
        yield Line((("  ", ""), (text, "code")), numbers.cited(item.m))


def reveal_lines(reveal: Reveal, mine: Mapping[str, int], width: int) -> list[Line]:
    """All of a reveal.

    Args:
        reveal: what the store gave after it had saved the reveal event.
        mine: the rater's own submitted scores, for the differences.
        width: cells.
    """
    numbers = _Numbers()
    lines = wrap(
        (("This look is on record; later changes count as made after it.", "dim"),),
        width,
    )
    if not reveal.verdicts and not reveal.labels:
        lines += [Line(), Line((("No judge and no other rater has scored this.", ""),))]
    for verdict in reveal.verdicts:
        lines += _verdict(verdict, mine, numbers, width)
    for label in reveal.labels:
        lines += _label(label, mine, numbers, width)
    return lines
