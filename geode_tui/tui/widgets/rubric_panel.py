"""The right side: the rubric, its raw text, the rest of the seed, a reveal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip

from geode_tui.domain.labelling import Reveal
from geode_tui.domain.rubric import Dimension, Rubric
from geode_tui.domain.seed import Seed
from geode_tui.tui.widgets.lines import (
    Line,
    LinesWidget,
    TextPane,
    strip_of,
    style_of,
)
from geode_tui.tui.widgets.prose import raw_lines
from geode_tui.tui.widgets.reveal_text import Cited, reveal_lines
from geode_tui.tui.widgets.rubric_text import rubric_lines
from geode_tui.tui.widgets.seed_text import seed_lines


class Page(Enum):
    """What the panel shows."""

    RUBRIC = "Rubric"
    RAW = "As written"
    SEED = "Scenario"
    REVEAL = "Reveal"


class _Tabs(LinesWidget):
    """The names of the pages, the present one in brackets."""

    def __init__(self) -> None:
        super().__init__()
        self._page = Page.RUBRIC
        self._pages: Sequence[Page] = ()

    def show(self, page: Page, pages: Sequence[Page]) -> None:
        self._page, self._pages = page, pages
        self.changed()

    def lines(self, width: int) -> list[Line]:
        pieces = [
            (f"[{p.value}]", "chosen") if p is self._page else (f" {p.value} ", "dim")
            for p in self._pages
        ]
        return [Line(tuple(pieces))]


class LinkPane(TextPane):
    """A pane whose citations can be walked through and followed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "down,j", "walk(1)", "Next citation or line", show=False, id="panel.down"
        ),
        Binding(
            "up,k", "walk(-1)", "Previous citation or line", show=False, id="panel.up"
        ),
        Binding(
            "enter",
            "follow",
            "Go to the citation",
            key_display="Enter",
            id="panel.follow",
        ),
    ]

    @dataclass
    class Followed(Message):
        """The rater wants to see message ``m``."""

        m: int

    def __init__(self) -> None:
        super().__init__()
        self._at: Cited | None = None

    def _links(self) -> list[tuple[int, Cited]]:
        return [
            (y, line.target)
            for y, line in enumerate(self._lines)
            if isinstance(line.target, Cited)
        ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without citations Enter is left to the screen."""
        return bool(self._links()) if action == "follow" else True

    def action_walk(self, step: int) -> None:
        """Move to the next citation, or by a line where there is none."""
        links = self._links()
        if not links:
            self.scroll_relative(y=step, animate=False, force=True)
            return
        targets = [target for _, target in links]
        if self._at in targets:
            index = min(max(targets.index(self._at) + step, 0), len(links) - 1)
        else:
            index = 0 if step > 0 else len(links) - 1
        y, self._at = links[index]
        if not self.scroll_offset.y <= y < self.scroll_offset.y + self.size.height:
            self.scroll_to(
                y=max(0, y - self.size.height // 2), animate=False, force=True
            )
        self.refresh()

    def action_follow(self) -> None:
        """Go to the message of the citation under the cursor, or the first one."""
        links = self._links()
        cited = self._at or (links[0][1] if links else None)
        if cited is not None:
            self.post_message(self.Followed(cited.m))

    def render_line(self, y: int) -> Strip:
        """One row; an arrow and another style mark the citation under the cursor."""
        at = self.scroll_offset.y + y
        line = self._lines[at] if at < len(self._lines) else Line()
        width = self.scrollable_content_region.width
        if self._at is None or line.target != self._at:
            return strip_of(self, line, width)
        plain = Line(((line.plain, ""),))
        return strip_of(self, plain, width, over=style_of(self, "chosen"))


class RubricPanel(Vertical):
    """Pages of text about what is being scored; only one is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page.RUBRIC
        self._rubric: Rubric | None = None
        self._dimensions: Sequence[Dimension] = ()
        self._keys: Mapping[str, str] = {}
        self._seed: Seed | None = None
        self._body = ""
        self._reveal: tuple[Reveal, Mapping[str, int]] | None = None

    def compose(self) -> ComposeResult:
        """The tabs and one pane."""
        yield _Tabs()
        yield LinkPane()

    @property
    def pane(self) -> LinkPane:
        """The scrolled part."""
        return self.query_one(LinkPane)

    def show_rubric(
        self, rubric: Rubric, dimensions: Sequence[Dimension], keys: Mapping[str, str]
    ) -> None:
        """Show a rubric with the keystrokes of its sub-modes and flags."""
        same = rubric == self._rubric and self._dimensions == dimensions
        self._rubric, self._dimensions, self._keys = rubric, dimensions, keys
        if self.page in {Page.RUBRIC, Page.RAW} and not same:
            self._draw()

    def show_seed(self, seed: Seed | None, body: str) -> None:
        """Give the scenario document, or the log's copy of it. Ends a reveal."""
        self._seed, self._body, self._reveal = seed, body, None
        self.turn_to(Page.RUBRIC)

    def show_reveal(self, reveal: Reveal, mine: Mapping[str, int]) -> None:
        """Show what other raters said; this page is there until the next transcript."""
        self._reveal = (reveal, mine)
        self.turn_to(Page.REVEAL)

    @property
    def pages(self) -> list[Page]:
        """Pages that have something to show."""
        pages = [Page.RUBRIC, Page.RAW, Page.SEED]
        return [*pages, Page.REVEAL] if self._reveal else pages

    def turn(self, step: int = 1) -> None:
        """Turn to the next page, round the end."""
        pages = self.pages
        self.turn_to(pages[(pages.index(self.page) + step) % len(pages)])

    def turn_to(self, page: Page) -> None:
        """Turn to a page."""
        self.page = page
        self._draw()

    def go_to(self, dimension: str) -> None:
        """Bring a dimension's text into view, where the rubric is shown."""
        if self.page is Page.RUBRIC:
            self.pane.scroll_to_target(dimension)

    def scroll_by(self, step: int) -> None:
        """Scroll by half a page without the focus."""
        half = max(1, self.pane.size.height // 2)
        self.pane.scroll_relative(y=step * half, animate=False, force=True)

    def _draw(self) -> None:
        self.query_one(_Tabs).show(self.page, self.pages)
        rubric = self._rubric
        if self.page is Page.SEED:
            seed, body = self._seed, self._body
            self.pane.show(lambda width: seed_lines(seed, body, width))
        elif self.page is Page.REVEAL and self._reveal:
            reveal, mine = self._reveal
            self.pane.show(lambda width: reveal_lines(reveal, mine, width))
        elif rubric is not None and self.page is Page.RAW:
            raw = rubric.raw or "This rubric has no text of its own."
            self.pane.show(lambda width: list(raw_lines(raw, width)))
        elif rubric is not None:
            asked, keys = self._dimensions, self._keys
            self.pane.show(lambda width: rubric_lines(rubric, asked, keys, width))
