"""The score bar: the active dimension's scale, all dimensions, the score in words."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from geode_tui.domain.display import one_line
from geode_tui.domain.labelling import Form
from geode_tui.domain.rubric import Dimension, Rubric
from geode_tui.domain.score import Draft
from geode_tui.domain.wording import direction_words, score_groups, score_words
from geode_tui.tui.widgets.lines import Line, LinesWidget, Piece
from geode_tui.tui.widgets.rubric_text import clean

_NAME_CELLS = 34


def asked(forms: Sequence[Form]) -> list[tuple[Rubric, Dimension]]:
    """Every dimension asked, with its rubric; a name shared by forms comes once."""
    seen: dict[str, tuple[Rubric, Dimension]] = {}
    for form in forms:
        for dimension in form.dimensions:
            seen.setdefault(dimension.name, (form.rubric, dimension))
    return list(seen.values())


def scale_pieces(
    rubric: Rubric, dimension: Dimension, chosen: int | None
) -> list[Piece]:
    """1..10 with the chosen score in brackets and a bar where a band ends."""
    pieces: list[Piece] = []
    groups = score_groups(rubric, dimension.name)
    for number, group in enumerate(groups):
        if number:
            pieces.append(("│", "dim"))
        for score in range(group.low, group.high + 1):
            if score == chosen:
                pieces.append((f"[{score}]", "chosen"))
            else:
                pieces.append((f" {score} ", "" if chosen is None else "dim"))
    return pieces


def _cell(dimension: Dimension, draft: Draft, active: bool, width: int) -> list[Piece]:
    score = draft.scores.get(dimension.name)
    value = "-" if draft.not_scorable is not None else "·" if score is None else score
    name = one_line(dimension.name, max(4, width - 5))
    pad = " " * max(1, width - 4 - cell_len(name))
    return [
        ("▸" if active else " ", "key"),
        (name, "strong" if active else "dim" if score is None else ""),
        (pad, ""),
        (f"{value!s:>2}", "chosen" if score is not None else "dim"),
        (" ", ""),
    ]


def grid_lines(
    dimensions: Sequence[Dimension], draft: Draft, active: int, width: int, rows: int
) -> list[Line]:
    """All dimensions with their scores in columns, scrolled to the active one.

    Args:
        dimensions: at least one.
        draft: holds the scores.
        active: index of the active dimension.
        width: cells.
        rows: most lines to use.
    """
    longest = max(cell_len(one_line(d.name, _NAME_CELLS)) for d in dimensions)
    cell = min(longest + 5, width)
    columns = max(1, width // (cell + 2))
    total = -(-len(dimensions) // columns)
    first = 0
    if total > rows:
        first = min(max(active // columns - rows // 2, 0), total - rows)
    lines: list[Line] = []
    for row in range(first, min(first + rows, total)):
        pieces: list[Piece] = []
        for index in range(row * columns, min((row + 1) * columns, len(dimensions))):
            pieces += _cell(dimensions[index], draft, index == active, cell)
            pieces.append(("  ", ""))
        lines.append(Line(tuple(pieces)))
    if total > rows:
        hidden = f"rows {first + 1}-{first + rows} of {total}"
        lines[-1] = Line((*lines[-1].pieces, (hidden, "dim")))
    return lines


class DimensionBar(LinesWidget):
    """Scores of all dimensions asked; knows the draft only as last shown."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: list[tuple[Rubric, Dimension]] = []
        self._draft = Draft()
        self._active = 0
        self._rows = 3

    def show(
        self,
        dimensions: Sequence[tuple[Rubric, Dimension]],
        draft: Draft,
        active: int,
        rows: int,
    ) -> None:
        """Show a draft; ``rows`` bounds the list of dimensions."""
        self._asked = list(dimensions)
        self._draft, self._active, self._rows = draft, active, rows
        self.changed()

    def lines(self, width: int) -> list[Line]:
        """The scale, its words, then the list where there is more than one."""
        if not self._asked:
            return [Line()]
        rubric, dimension = self._asked[self._active]
        draft = self._draft
        chosen = draft.scores.get(dimension.name)
        name = one_line(dimension.name, min(_NAME_CELLS, width // 2))
        scale = scale_pieces(rubric, dimension, chosen)
        used = cell_len(name) + 2 + sum(cell_len(text) for text, _ in scale)
        many = len(self._asked) > 1
        place = f"{self._active + 1} of {len(self._asked)} · " if many else ""
        tail = place + direction_words(dimension)
        lines = [Line(((name, "strong"), ("  ", ""), *scale))]
        if used + len(tail) + 3 <= width:
            gap = " " * (width - used - len(tail))
            lines = [Line((*lines[0].pieces, (gap, ""), (tail, "dim")))]
        lines.append(Line(tuple(self._words(rubric, dimension, chosen, width))))
        if many:
            dimensions = [d for _, d in self._asked]
            lines += grid_lines(dimensions, draft, self._active, width, self._rows)
        return lines

    def _words(
        self, rubric: Rubric, dimension: Dimension, chosen: int | None, width: int
    ) -> list[Piece]:
        if self._draft.not_scorable is not None:
            reason = one_line(clean(self._draft.not_scorable), max(8, width - 15))
            return [("Not scorable: ", "warn"), (reason, "")]
        if chosen is not None:
            words = clean(score_words(rubric, dimension, chosen))
            return [(one_line(words or self._unworded(chosen), width), "")]
        if self._active:
            return self._before()
        return [("not scored yet: 1-9, 0 is 10", "dim")]

    def _unworded(self, chosen: int) -> str:
        """What to say of a score for which the rubric has no words."""
        open_ = [d for _, d in self._asked if d.name not in self._draft.scores]
        return f"scored {chosen}" + ("" if open_ else "; Enter submits")

    def _before(self) -> list[Piece]:
        """The score just given, in words, once the bar has moved on."""
        rubric, dimension = self._asked[self._active - 1]
        score = self._draft.scores.get(dimension.name)
        if score is None:
            return [("not scored yet: 1-9, 0 is 10", "dim")]
        words = clean(score_words(rubric, dimension, score))
        told = f"{dimension.name} = {score}" + (f" ({words})" if words else "")
        return [
            ("before: ", "dim"),
            (one_line(told, max(8, self.size.width - 8)), "dim"),
        ]
