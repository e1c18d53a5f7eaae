"""A rubric as lines: floor, bands, adjustments, sub-modes, flags, guards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from geode_tui.domain.display import one_line, visible
from geode_tui.domain.rubric import Band, Dimension, Rubric, RubricStyle
from geode_tui.domain.wording import bands_of, direction_words, span_words
from geode_tui.tui.widgets.lines import Line, Piece, wrap
from geode_tui.tui.widgets.prose import inline, prose_lines

_PROSE_STYLES = {
    RubricStyle.PROSE,
    RubricStyle.LOOK_FOR,
    RubricStyle.ORDINAL_WORDS,
    RubricStyle.COUNT_LADDER,
}
"""Styles whose text says more than what was read from it."""


_SIGNED = re.compile(r"^[+\-−]\d+\s+")
"""An adjustment's own number at the start of its condition."""


def clean(text: str) -> str:
    """Outside text of one paragraph on one line, at any length."""
    return " ".join(visible(text).split())


def _head(title: str, target: object = None) -> Iterator[Line]:
    yield Line()
    yield Line(((title, "head"),), target)


def _item(mark: str, text: str, width: int, style: str = "dim") -> list[Line]:
    return wrap(inline(clean(text)), width, first=(mark, style), hang=max(2, len(mark)))


def _dimension(dimension: Dimension, width: int) -> Iterator[Line]:
    name = one_line(dimension.name, width)
    yield from wrap(
        ((name, "head"), (f"  {direction_words(dimension)}", "dim")),
        width,
        target=dimension.name,
    )
    if dimension.text:
        yield from prose_lines(dimension.text, width)


def _bands(bands: Sequence[Band], width: int) -> Iterator[Line]:
    counted = {band.counted for band in bands if band.counted}
    yield from _head("Bands" + (f" by {', '.join(sorted(counted))}" if counted else ""))
    for band in bands:
        pieces: list[Piece] = [*inline(clean(band.condition))]
        if band.sub_modes.strip(" -–—"):
            pieces.append((f"  {clean(band.sub_modes)}", "dim"))
        if band.score:
            first = (span_words(band.score), "strong")
            yield from wrap(pieces, width, first=first, hang=6)
        else:
            word = ((clean(band.word or ""), "strong"), ("  ", ""))
            yield from wrap((*word, *pieces), width, first=("• ", "dim"), hang=2)


def _deltas(rubric: Rubric, width: int) -> Iterator[Line]:
    for rule in rubric.deltas:
        points = ", ".join(
            f"{one_line(name, 40)} {value:+g}" for name, value in rule.deltas.items()
        )
        yield from _item("• ", rule.condition, width)
        if points:
            yield from wrap(((points, "strong"),), width, hang=4)
        if rule.also_flags:
            flags = ", ".join(clean(flag) for flag in rule.also_flags)
            yield from wrap(((f"also flag {flags}", "dim"),), width, hang=4)


def _floor(rubric: Rubric, width: int) -> Iterator[Line]:
    floor = rubric.floor
    if floor is None:
        return
    yield from _head("Floor")
    calls = "one call" if floor.n_min == 1 else f"{floor.n_min} calls"
    pieces: list[Piece] = [(calls, "strong")]
    if floor.tool:
        pieces += [(": ", ""), (one_line(floor.tool, 60), "code")]
    if floor.needs:
        pieces += [(" must return ", ""), (one_line(floor.needs, 60), "code")]
    for name, ceiling in floor.ceilings.items():
        pieces.append((f"; {one_line(name, 60)} at most {ceiling}", ""))
    for name, value in floor.deltas.items():
        pieces.append((f"; {one_line(name, 60)} {value:+g}", ""))
    yield from wrap(pieces, width)
    if floor.text:
        yield from wrap(inline(clean(floor.text), "dim"), width)


def _marks(rubric: Rubric, keys: Mapping[str, str], width: int) -> Iterator[Line]:
    if rubric.sub_modes:
        yield from _head("Sub-modes (any number)")
    for mode in rubric.sub_modes:
        pieces: list[Piece] = [(clean(mode.label) or clean(mode.key), "strong")]
        if mode.tools:
            tools = ", ".join(one_line(tool, 40) for tool in mode.tools)
            pieces.append((f"  {tools}", "code"))
        if mode.text:
            pieces += [("  ", ""), *inline(clean(mode.text))]
        mark = keys.get(mode.key) or "·"
        yield from wrap(pieces, width, first=(mark, "key"), hang=3, target=mode.key)
    if rubric.side_channels:
        yield from _head("Flags beside the score (never move it)")
    for flag in rubric.side_channels:
        pieces = [(clean(flag.key), "strong")]
        if flag.axis:
            pieces.append((f"  {clean(flag.axis)}", "code"))
        if flag.text:
            pieces += [("  ", ""), *inline(clean(flag.text))]
        mark = keys.get(flag.key) or "·"
        yield from wrap(pieces, width, first=(mark, "key"), hang=3, target=flag.key)


def _clauses(rubric: Rubric, width: int, *, all_of_them: bool) -> Iterator[Line]:
    for title, clauses in (
        ("Do not score here", rubric.guards),
        ("Not scorable", rubric.not_scorable),
        # The seed's own words, where they follow, hold these already.
        ("Rules", rubric.rules if all_of_them else ()),
        ("Expected", rubric.discrimination if all_of_them else ()),
    ):
        if clauses:
            yield from _head(title)
        for clause in clauses:
            pieces: list[Piece] = []
            if clause.key and not clause.text.startswith(clause.key):
                pieces.append((f"{clean(clause.key)}  ", "strong"))
            pieces += inline(clean(clause.text))
            yield from wrap(pieces, width, first=("• ", "dim"), hang=2)


def rubric_lines(
    rubric: Rubric,
    dimensions: Sequence[Dimension],
    keys: Mapping[str, str],
    width: int,
) -> list[Line]:
    """The whole rubric in reading order.

    Args:
        rubric: what to show.
        dimensions: those asked of the rater; shown first, each with its bands.
        keys: key of a sub-mode or flag -> the keystroke that toggles it.
        width: cells.
    """
    lines: list[Line] = []
    for dimension in dimensions:
        if lines and lines[-1].target is None:  # names without a text stay together
            lines.append(Line())
        lines += _dimension(dimension, width)
        bands = bands_of(rubric, dimension.name)
        if bands:
            lines += _bands(bands, width)
    lines += _floor(rubric, width)
    if rubric.deltas:
        lines += [*_head("Each observed call adds"), *_deltas(rubric, width)]
    if rubric.adjustments:
        lines += _head("Adjustments")
    for step in rubric.adjustments:
        clamp = f"  (stays within {step.clamp_low}-{step.clamp_high})"
        lines += wrap(
            (*inline(_SIGNED.sub("", clean(step.condition))), (clamp, "dim")),
            width,
            first=(f"{step.amount:+d}", "strong"),
            hang=4,
        )
    lines += _marks(rubric, keys, width)
    own_words = _reads_as_prose(rubric)
    lines += _clauses(rubric, width, all_of_them=not own_words)
    if own_words:
        known = rubric.bands or rubric.deltas or rubric.floor or rubric.sub_modes
        lines += _head("In the seed's own words") if known else [Line()]
        lines += prose_lines(rubric.raw, width)
    return lines


def _reads_as_prose(rubric: Rubric) -> bool:
    """True where the text itself says more than what was read from it."""
    if rubric.style is RubricStyle.JUDGE or not rubric.raw.strip():
        return False
    structured = rubric.bands or rubric.deltas or rubric.rules
    return rubric.style in _PROSE_STYLES or not structured
