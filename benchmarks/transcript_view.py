"""What the transcript view costs: ``python benchmarks/transcript_view.py [--quick]``.

Prints CPU milliseconds and ratios, all measured in this one run, with the
terminal sequences produced although nothing is shown. Beside the view stand a
widget-per-message view (Static), an empty ScrollView, a raw scan, and the
floor: making the same text safe and wrapping it, with no widget at all.
"""

from __future__ import annotations

import asyncio
import gc
import random
import re
import statistics
import sys
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from geode_tui.domain.display import display
from geode_tui.domain.transcript import (
    Branch,
    BranchKind,
    Message,
    Role,
    Source,
    Transcript,
)
from geode_tui.tui.widgets.transcript_view import TranscriptView
from geode_tui.tui.widgets.transcript_wrap import wrap

SIZE = (160, 48)
WIDTH = SIZE[0] - 5
PLAIN = re.findall(
    r"\S+",
    "the target checks whether account tier gold was returned by lookup and then "
    "answers calls history again to be sure although nothing new could be learned "
    'from it JSON {"ok": true} total 4,218,773.40',
)
WORDS = [*PLAIN, "–", "“quoted”", "naïve", "café", "漢字", "👍"]
QUERY = "learned"


def tree(texts: list[str]) -> Transcript:
    messages = tuple(
        Message(m=m, role=(Role.USER, Role.ASSISTANT)[m % 2], text=text)
        for m, text in enumerate(texts, 1)
    )
    own = tuple(range(1, len(texts) + 1))
    return Transcript(
        source=Source(log="b", path="b", format="openai", sample_id="b"),
        messages=messages,
        branches=(Branch(n=1, kind=BranchKind.TRUNK, own=own),),
    )


def conversation(count: int) -> Transcript:
    """``count`` messages of about 1.6 kB, a fifth of them not ASCII."""
    draw = random.Random(7)
    texts = []
    for m in range(count):
        words = WORDS if m % 5 == 0 else PLAIN
        sizes = [draw.randint(2, 22) for _ in range(draw.randint(4, 40))]
        texts.append("\n".join(" ".join(draw.choices(words, k=k)) for k in sizes))
    return tree(texts)


def one_output(size: int, joint: str = "\n", colour: str = "{}") -> Transcript:
    """Three messages, the second of ``size`` characters."""
    draw = random.Random(7)
    lines, total = [], 0
    while total < size:
        line = colour.format(" ".join(draw.choices(PLAIN, k=draw.randint(5, 25))))
        lines.append(line)
        total += len(line) + 1
    return tree(["Run it.", joint.join(lines), "Done."])


class Empty(ScrollView):
    """A page with nothing on it: what scrolling costs in itself."""

    def render_line(self, y: int) -> Strip:
        """A blank line."""
        return Strip.blank(self.size.width, self.rich_style)


class Bench(App[None]):
    """Shows one widget, and makes the terminal sequences that a driver would."""

    def __init__(self, make: Callable[[], Widget]) -> None:
        super().__init__()
        self._make = make
        self.frames = 0

    @property
    def is_headless(self) -> bool:
        """False, so that output is made."""
        return False

    def compose(self) -> ComposeResult:
        """The one widget."""
        yield self._make()

    def _display(self, *args: Any) -> None:
        super()._display(*args)
        self.frames += 1


def cpu() -> float:
    return time.process_time() * 1000


def best(measure: Callable[[Transcript], float], shown: Transcript) -> float:
    return min(measure(shown) for _ in range(3))


def floor(shown: Transcript) -> float:
    """Every text made safe and wrapped, nothing else."""
    begun = cpu()
    for message in shown.messages:
        wrap(display(message.text).text, WIDTH)
    return cpu() - begun


def scan(shown: Transcript) -> float:
    """Every place of the query in the bare texts, case ignored."""
    begun = cpu()
    hits = 0
    for message in shown.messages:
        text = message.text.lower()
        at = text.find(QUERY)
        while at >= 0:
            hits += 1
            at = text.find(QUERY, at + 1)
    return cpu() - begun


async def idle() -> None:
    """Long enough for a repaint; few wakings, as they are measured too."""
    for _ in range(6):
        await asyncio.sleep(0.003)


async def ready(view: TranscriptView) -> None:
    while view._idle is not None:
        await asyncio.sleep(0.02)
    await idle()


async def pages(view: Widget, times: int = 3) -> float:
    """One page down, painted: the least of some medians of twenty."""
    medians = []
    for _ in range(times):
        costs = []
        for _ in range(20):
            begun = cpu()
            y = view.scroll_offset.y + view.size.height - 2
            view.scroll_to(y=y, animate=False, force=True)
            await idle()
            costs.append(cpu() - begun)
        medians.append(statistics.median(costs))
    return min(medians)


async def first_paint(shown: Transcript) -> float:
    """From nothing, application included, until the text has been written out."""

    class Shown(Bench):
        def on_mount(self) -> None:
            self.query_one(TranscriptView).show(shown)

    gc.collect()
    begun = cpu()
    app = Shown(TranscriptView)
    async with app.run_test(size=SIZE):
        view = app.query_one(TranscriptView)
        while not (view._strips and app.frames):
            await asyncio.sleep(0)
        return cpu() - begun


async def median(measure: Awaitable[float], *more: Awaitable[float]) -> float:
    return statistics.median([await one for one in (measure, *more)])


@dataclass
class Costs:
    """Milliseconds, megabytes; ``wait`` is how long a key waits at the worst."""

    folded: float = 0
    exact: float = 0
    wait: float = 0
    page: float = 0
    search: float = 0
    hit: float = 0
    resize: float = 0
    memory: float = 0


async def costs_of(shown: Transcript) -> Costs:
    found = Costs()
    app = Bench(TranscriptView)
    async with app.run_test(size=SIZE) as pilot:
        view = app.query_one(TranscriptView)
        await idle()
        begun = cpu()
        view.show(shown)
        await ready(view)
        found.folded = cpu() - begun
        begun = cpu()
        waiting = asyncio.create_task(longest_wait(view))
        view.fold_all(False)
        await ready(view)
        found.exact = cpu() - begun
        found.wait = await waiting
        found.page = await pages(view)
        searches = [await search_of(view) for _ in range(3)]
        found.search, found.hit = map(min, zip(*searches, strict=True))
        begun = cpu()
        await pilot.resize_terminal(120, SIZE[1])
        await ready(view)
        found.resize = cpu() - begun
    found.memory = await memory_of(shown)
    return found


async def search_of(view: TranscriptView) -> tuple[float, float]:
    """Until everything is counted, and until the first place is painted too."""
    begun = cpu()
    view.search(QUERY)
    while not view.search_state.complete:
        await asyncio.sleep(0.005)
    counted = cpu() - begun
    await ready(view)
    painted = cpu() - begun
    view.clear_search()
    await idle()
    return counted, painted


async def longest_wait(view: TranscriptView) -> float:
    """The longest that the event loop is busy in one go, in milliseconds."""
    worst, before = 0.0, time.perf_counter()
    while True:
        await asyncio.sleep(0)
        now = time.perf_counter()
        worst, before = max(worst, now - before), now
        if view._idle is None:
            return worst * 1000


async def memory_of(shown: Transcript) -> float:
    """Megabytes held after unfolding, layout, reading on, and a search."""
    app = Bench(TranscriptView)
    async with app.run_test(size=SIZE):
        view = app.query_one(TranscriptView)
        await idle()
        gc.collect()
        tracemalloc.start()
        view.show(shown)
        view.fold_all(False)
        await ready(view)
        await pages(view)
        view.search(QUERY)
        await ready(view)
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return held / 1e6


async def static_paint(shown: Transcript) -> float:
    """First paint of the obvious way: a Static for every message."""

    class Messages(VerticalScroll):
        def compose(self) -> ComposeResult:
            for message in shown.messages:
                yield Static(message.text, markup=False)

    app = Bench(Messages)
    begun = cpu()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        return cpu() - begun


async def empty_page() -> float:
    app = Bench(Empty)
    async with app.run_test(size=SIZE):
        view = app.query_one(Empty)
        view.virtual_size = Size(SIZE[0], 300_000)
        await idle()
        return await pages(view)


def row(name: str, value: float, ratio: float | None = None, of: str = "") -> None:
    tail = f"{ratio:8.2f}x {of}" if ratio is not None else ""
    print(f"  {name:<34}{value:10.1f} {tail}")


async def report(title: str, shown: Transcript, small: float) -> None:
    """One table: the view beside everything that it is measured by."""
    size = sum(len(message.text.encode()) for message in shown.messages) / 1e6
    paint = await median(*(first_paint(shown) for _ in range(3)))
    found = await costs_of(shown)
    empty = await empty_page()
    least, raw = best(floor, shown), best(scan, shown)
    many = len(shown.messages) > 3
    print(f"{title}, {size:.1f} MB")
    row("first paint", paint, paint / small, "that of 50 messages (goal 2)")
    row("exact layout, long ones folded", found.folded, found.folded / least, "floor")
    row(
        "exact layout, all unfolded", found.exact, found.exact / least, "floor (goal 2)"
    )
    row("  floor: make safe and wrap", least)
    row("  longest wait meanwhile, wall", found.wait)
    row("page down", found.page, found.page / empty, "empty (goal 1.3)")
    row("  page down, empty ScrollView", empty)
    row("search and count", found.search, found.search / raw, "raw scan (goal 2)")
    row("  and the first place painted", found.hit, found.hit / raw, "raw scan")
    row("  raw scan", raw)
    row("resize 160 to 120, exact again", found.resize, found.resize / least, "floor")
    goal = "text (goal 1.5)" if many else "text (goal 3)"
    row("memory, MB", found.memory, found.memory / size, goal)


async def main() -> None:
    big = 1_000 if "--quick" in sys.argv else 10_000
    fifty = conversation(50)
    await costs_of(fifty)  # imports and caches
    small = await median(*(first_paint(fifty) for _ in range(5)))
    print(f"CPU milliseconds, {SIZE[0]}x{SIZE[1]}\n50 messages")
    row("first paint", small)
    statics = await static_paint(fifty)
    row("  a Static per message", statics, statics / small, "the view")
    thousand = await static_paint(conversation(1_000))
    row("  a Static per message, 1,000", thousand, thousand / small, "the view at 50")
    await report(f"{big:,} messages", conversation(big), small)
    await report("one output", one_output(5_000_000), small)
    coloured = one_output(5_000_000, colour="\x1b[32m{}\x1b[0m\tdone")
    await report("one output with colours and tabs", coloured, small)
    await report("one output on one line", one_output(5_000_000, " "), small)


if __name__ == "__main__":
    asyncio.run(main())
