"""Text from outside, made safe to show: literal, with its control characters visible.

Nothing that leaves here can move a cursor, set a title, write a clipboard,
reverse the reading order or tear a row. Offsets map both ways, so that what is
cited on screen is a stretch of the raw text.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from geode_tui.domain.base import Span

TAB = 4
"""Columns between tab stops."""

MOST_MARKS = 4
"""Combining marks kept on one character; more are one replacement character."""

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
)
_UNSAFE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and line feed; DEL; C1
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # bidi, invisible
    "\u2028\u2029\ufeff\ufff9-\ufffb"
    "\ud800-\udfff"
    "\U000e0000-\U000e007f"
)
_UNSHOWN = "[\ufe0e\ufe0f]|\u200d(?=[\u2190-\u2bff\U0001f000-\U0001ffff])"
"""Variation selectors and joiners of emoji: left out, as no two terminals and no
two libraries agree on how wide what they make is."""
_SPECIAL = re.compile(f"\r\n|\t|[{_UNSAFE}]|[{_MARKS}]{{{MOST_MARKS + 1},}}|{_UNSHOWN}")
_WIDE_MARKS = re.compile(
    "[\u200d\ufe0e\ufe0f\u20e3\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff\u0900-\u0dff]"
    "|[^\x00-\uffff]"
)


@dataclass(frozen=True, slots=True)
class Display:
    """A text ready to be shown, and how its offsets relate to the raw text.

    ``_raw`` and ``_shown`` hold, for every replaced stretch, where the plain
    text *after* it starts in either text; both are empty where nothing had to
    be replaced, and then ``text`` is the raw text itself.
    """

    text: str
    raw_length: int
    _raw: Sequence[int] = ()
    _shown: Sequence[int] = ()
    _raw_starts: Sequence[int] = ()
    _shown_starts: Sequence[int] = ()

    @property
    def clean(self) -> bool:
        """True where nothing had to be replaced: ``text`` is the raw text."""
        return not self._raw_starts

    def to_display(self, raw: int) -> int:
        """Where raw offset ``raw`` is shown; inside a replaced stretch: its start."""
        raw = max(0, min(raw, self.raw_length))
        index = bisect_right(self._raw_starts, raw) - 1
        if index < 0:
            return raw
        if raw < self._raw[index]:
            return self._shown_starts[index]
        return self._shown[index] + raw - self._raw[index]

    def to_raw(self, shown: int) -> int:
        """The raw offset shown at ``shown``; inside a replacement: its start."""
        shown = max(0, min(shown, len(self.text)))
        index = bisect_right(self._shown_starts, shown) - 1
        if index < 0:
            return shown
        if shown < self._shown[index]:
            return self._raw_starts[index]
        return self._raw[index] + shown - self._shown[index]

    def raw_span(self, start: int, end: int) -> Span:
        """The raw stretch behind the shown one; replaced stretches count whole."""
        first, last = self.raw_range(start, end)
        return Span(start=first, end=last)

    def raw_range(self, start: int, end: int) -> tuple[int, int]:
        """``raw_span`` as two numbers."""
        if not self._raw_starts:
            return start, end
        first, last = self.to_raw(start), self.to_raw(end)
        index = bisect_right(self._shown_starts, end - 1) - 1
        if index >= 0 and self._shown_starts[index] < end < self._shown[index]:
            last = self._raw[index]
        return first, max(first, last)


Edit = tuple[int, int, str]
"""A change of layout alone: ``raw[start:end]`` (blanks or nothing) is shown as text."""


def display(
    raw: str, *, ascii_safe: bool = False, edits: Sequence[Edit] = ()
) -> Display:
    """``raw`` made safe: controls as pictures, tabs as blanks, CRLF as LF.

    Invisible, bidirectional and unpaired characters become U+FFFD. With
    ``ascii_safe``, clusters that terminals measure differently (joined or
    flagged emoji, Indic scripts) become ``<U+....>`` escapes; else the joiners
    of emoji are left out, so that each part is shown by itself.

    Args:
        raw: any text.
        ascii_safe: escape what terminals disagree about.
        edits: changes of layout, in order and apart from each other.
    """
    pattern = _SAFE_SPECIAL if ascii_safe else _SPECIAL
    if not edits and pattern.search(raw) is None:
        return Display(raw, len(raw))
    pieces: list[str] = []
    raws, showns = array("I"), array("I")
    raw_starts, shown_starts = array("I"), array("I")
    at = length = 0
    line_start = 0  # moved back by the second cells of wide characters
    for start, end, instead in _changes(pattern, raw, edits):
        plain = raw[at:start]
        newline = plain.rfind("\n")
        if newline >= 0:
            line_start = length + newline + 1
        if not plain.isascii():
            line_start -= cells(plain[newline + 1 :]) - len(plain) + newline + 1
        pieces.append(plain)
        length += len(plain)
        raw_starts.append(start)
        shown_starts.append(length)
        if instead == "\t":
            instead = " " * (TAB - (length - line_start) % TAB)
        pieces.append(instead)
        length += len(instead)
        if instead[:1] == "\n":
            line_start = length - len(instead) + 1
        at = end
        raws.append(at)
        showns.append(length)
    pieces.append(raw[at:])
    return Display(
        "".join(pieces),
        len(raw),
        raws,
        showns,
        raw_starts,
        shown_starts,
    )


def _changes(
    pattern: re.Pattern[str], raw: str, edits: Sequence[Edit]
) -> Iterator[Edit]:
    """Every stretch to be shown otherwise, in order; a tab stays a tab here."""
    at = 0
    get = (_VISIBLE if pattern is _SAFE_SPECIAL else _INSTEAD).get
    for start, end, laid_out in (*edits, (len(raw), len(raw), "")):
        for match in pattern.finditer(raw, at, start):
            found = match.group()
            text = get(found)
            yield match.start(), match.end(), _instead(found) if text is None else text
        if laid_out or end > start:
            yield start, end, laid_out
        at = end


_SAFE_SPECIAL = re.compile(f"{_WIDE_MARKS.pattern}|{_SPECIAL.pattern}")
_VISIBLE = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {
    "\t": "\t",
    "\r\n": "\n",
    "\x7f": "\N{SYMBOL FOR DELETE}",
}
_INSTEAD = _VISIBLE | {"\ufe0e": "", "\ufe0f": "", "\u200d": ""}


def _instead(found: str) -> str:
    code = ord(found[0])
    if len(found) == 1 and _WIDE_MARKS.match(found) and not 0xE0000 <= code <= 0xE007F:
        return f"<U+{code:04X}>"
    if len(found) > 1 and unicodedata.combining(found[0]):
        return found[:MOST_MARKS] + _REPLACEMENT
    return _REPLACEMENT


def visible(raw: str) -> str:
    """``raw`` made safe to print over several lines."""
    return display(raw).text


def one_line(raw: str, width: int | None = None) -> str:
    """``raw`` made safe to print in one cell or line.

    Line ends become ``↵``; text beyond ``width`` terminal cells is cut with
    ``…``.
    """
    # A cut far beyond the width keeps a 5 MB value cheap in a table cell.
    head = raw if width is None else raw[: 4 * width + 64]
    text = display(head).text.replace("\n", "↵")
    if width is None:
        return text
    if len(head) == len(raw) and cells(text) <= width:
        return text
    used = 0
    kept: list[str] = []
    for character in text:
        used += cells(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept) + "…" if width > 0 else ""


def cells(text: str) -> int:
    """Terminal cells that ``text`` takes: 2 for wide characters, 0 for marks."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or character in "\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
