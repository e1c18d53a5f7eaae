"""Lines of styled text, laid out for a width, and two widgets that show them.

Everything beside the transcript is drawn from ``Line`` values: a list of
(text, style name) pieces. Text is taken literally, so nothing from outside can
act as markup; callers clean it first with ``domain.display``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

Piece = tuple[str, str]
"""Text without line breaks and the name of its style ("" for plain)."""

STYLES = ("dim", "strong", "head", "key", "code", "good", "warn", "mark", "chosen")
"""Style names; ``geode.tcss`` says how ``lines--NAME`` looks."""

COMPONENTS = {f"lines--{name}" for name in STYLES}


class Line(NamedTuple):
    """One line on the screen.

    Attributes:
        pieces: what is written, from the left.
        target: what the line stands for (a dimension, a citation), if anything.
    """

    pieces: tuple[Piece, ...] = ()
    target: object = None

    @property
    def plain(self) -> str:
        """The text alone."""
        return "".join(text for text, _ in self.pieces)

    @property
    def cells(self) -> int:
        """Width in terminal cells."""
        return sum(cell_len(text) for text, _ in self.pieces)


Layout = Callable[[int], Sequence[Line]]
"""Lays lines out for a width in cells."""


def _cut(text: str, width: int) -> int:
    """How many code points of ``text`` fit into ``width`` cells; at least one."""
    if text.isascii():
        return min(len(text), width) or 1
    used = 0
    for start, end, cells in split_graphemes(text[: 4 * width + 64])[0]:
        used += cells
        if used > width:
            return start or end
    return min(len(text), 4 * width + 64)


def _breaks(text: str, width: int) -> Iterable[tuple[int, int]]:
    """Half-open ranges of the visual lines of one logical line."""
    at = 0
    while True:
        fits = at + _cut(text[at : at + 4 * width + 64], width)
        if fits >= len(text):
            yield at, len(text)
            return
        blank = text.rfind(" ", at, fits + 1)
        end = blank if blank > at and text[at:blank].strip() else fits
        yield at, end
        at = end + 1 if text[end : end + 1] == " " else end


def wrap(
    pieces: Sequence[Piece],
    width: int,
    *,
    first: Piece = ("", ""),
    hang: int = 0,
    target: object = None,
) -> list[Line]:
    """Wrap pieces at blanks into lines of at most ``width`` cells.

    Args:
        pieces: the text of one paragraph.
        width: cells, from 1.
        first: goes before the text on the first line (a bullet, a key).
        hang: cells by which the lines are indented; ``first`` fills them on
            the first line.
        target: put on every line.
    """
    hang = min(hang, width // 2)
    text = "".join(piece for piece, _ in pieces)
    room = max(1, width - hang)
    lines: list[Line] = []
    for start, end in _breaks(text, room):
        head: list[Piece] = []
        if not lines and first[0]:
            head.append((first[0].ljust(hang), first[1]))
        elif hang:
            head.append((" " * hang, ""))
        lines.append(Line((*head, *_slice(pieces, start, end)), target))
    return lines


def _slice(pieces: Sequence[Piece], start: int, end: int) -> Iterable[Piece]:
    at = 0
    for text, style in pieces:
        low, high = max(start - at, 0), min(end - at, len(text))
        if low < high:
            yield text[low:high], style
        at += len(text)
        if at >= end:
            return


def flow(items: Sequence[Sequence[Piece]], width: int, gap: int = 3) -> list[Line]:
    """Items side by side, as many on a line as fit; an item is never split."""
    lines: list[list[Piece]] = []
    used = 0
    for item in items:
        cells = sum(cell_len(text) for text, _ in item)
        if lines and used + gap + cells <= width:
            lines[-1] += [(" " * gap, ""), *item]
            used += gap + cells
        else:
            lines.append(list(item))
            used = cells
    return [Line(tuple(line)) for line in lines]


def style_of(widget: Widget, name: str) -> Style:
    """The named style as it looks on this widget, without its background.

    Muted colours are blends with the background, so the full style is asked
    for; leaving the background out lets a cursor row keep its own.
    """
    full = widget.get_component_rich_style(f"lines--{name}")
    return full.without_color + Style.from_color(full.color)


def strip_of(
    widget: Widget, line: Line, width: int, *, over: Style | None = None
) -> Strip:
    """Draw a line at ``width`` cells; ``over`` is laid over the widget's style."""
    base = widget.rich_style + over if over else widget.rich_style
    segments = [
        Segment(text, base + style_of(widget, style) if style else base)
        for text, style in line.pieces
    ]
    return Strip(segments).adjust_cell_length(width, base)


class LinesWidget(Widget):
    """Shows a few lines; as high as they need. Subclasses give ``lines``."""

    COMPONENT_CLASSES = COMPONENTS
    DEFAULT_CSS = "LinesWidget { height: auto; }"

    def lines(self, width: int) -> Sequence[Line]:
        """The lines at this width."""
        raise NotImplementedError

    def changed(self) -> None:
        """Draw again, at another height where that is needed."""
        self._laid_out = None
        self.refresh(layout=True)

    _laid_out: tuple[int, Sequence[Line]] | None = None

    def _at(self, width: int) -> Sequence[Line]:
        if self._laid_out is None or self._laid_out[0] != width:
            self._laid_out = (width, self.lines(width))
        return self._laid_out[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as there are lines."""
        return len(self._at(width)) if width else 0

    def render_line(self, y: int) -> Strip:
        """One row."""
        width = self.size.width
        lines = self._at(width) if width else ()
        return strip_of(self, lines[y] if y < len(lines) else Line(), width)


class TextPane(ScrollView, can_focus=True):
    """A scrolled column of lines of any number; only those in sight are drawn.

    Lines that have a target may be linked: then there is a cursor on them.
    """

    COMPONENT_CLASSES = COMPONENTS
    DEFAULT_CSS = "TextPane { overflow-x: hidden; }"

    def __init__(self, layout: Layout | None = None) -> None:
        super().__init__()
        self._layout: Layout = layout or (lambda width: ())
        self._lines: Sequence[Line] = ()
        self._width = 0

    def show(self, layout: Layout, *, keep_place: bool = False) -> None:
        """Show other lines, from the top unless the place is to be kept."""
        self._layout = layout
        self._width = 0
        self._lay_out()
        if not keep_place:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Lay out again when the width has changed."""
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0 or width == self._width:
            return
        self._width = width
        self._lines = self._layout(width)
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()

    def find_line(self, target: object) -> int | None:
        """Number of the first line that stands for ``target``."""
        for y, line in enumerate(self._lines):
            if line.target == target:
                return y
        return None

    def scroll_to_target(self, target: object) -> None:
        """Bring the first line that stands for ``target`` to the top."""
        y = self.find_line(target)
        if y is not None:
            self.scroll_to(y=y, animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        """One row of the visible part."""
        at = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        line = self._lines[at] if at < len(self._lines) else Line()
        return strip_of(self, line, width)

    @property
    def plain(self) -> str:
        """All lines as plain text, as laid out at present."""
        return "\n".join(line.plain for line in self._lines)
