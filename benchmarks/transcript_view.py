"""What the transcript view costs: ``python benchmarks/transcript_view.py``.

Prints CPU milliseconds and ratios, all measured in this one run, with the
terminal sequences produced although nothing is shown. Beside the view stand a
widget-per-message view (Static), an empty ScrollView, and the floor: making
the same text safe and wrapping it, with no widget at all.
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
from collections.abc import Callable

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
WORDS = re.split(
    " ",
    "the target checks whether account tier gold was returned by lookup and then "
    "answers calls history again to be sure although nothing new could be learned "
    'from it – “quoted” naïve café result JSON {"ok": true} total 4,218,773.40',
)

PLAIN = [word for word in WORDS if word.isascii()]


def transcript(count: int, seed: int = 7) -> Transcript:
    """``count`` messages of about 1.8 kB, a fifth of them not ASCII."""
    draw = random.Random(seed)
    messages = []
    for m in range(1, count + 1):
        lines = []
        for _ in range(draw.randint(4, 40)):
            words = draw.choices(WORDS if m % 5 == 0 else PLAIN, k=draw.randint(2, 22))
            lines.append(" ".join(words))
        role = (Role.USER, Role.ASSISTANT)[m % 2]
        messages.append(Message(m=m, role=role, text="\n".join(lines)))
    return tree(messages)


def one_output(size: int, seed: int = 7) -> Transcript:
    """Three messages, the second a tool output of ``size`` characters."""
    draw = random.Random(seed)
    lines = []
    total = 0
    while total < size:
        line = " ".join(draw.choices(PLAIN, k=draw.randint(5, 25)))
        lines.append(line)
        total += len(line) + 1
    texts = ("Run it.", "\n".join(lines), "Done.")
    return tree(
        [Message(m=i, role=Role.USER, text=text) for i, text in enumerate(texts, 1)]
    )


def tree(messages: list[Message]) -> Transcript:
    own = tuple(message.m for message in messages)
    return Transcript(
        source=Source(log="b", path="b", format="openai", sample_id="b"),
        messages=tuple(messages),
        branches=(Branch(n=1, kind=BranchKind.TRUNK, own=own),),
    )


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
        self.loud = True

    @property
    def is_headless(self) -> bool:
        """False while output is to be made."""
        return not self.loud

    def compose(self) -> ComposeResult:
        """The one widget."""
        yield self._make()


def cpu() -> float:
    return time.process_time() * 1000


def floor(shown: Transcript) -> float:
    begun = cpu()
    for message in shown.messages:
        wrap(display(message.text).text, WIDTH)
    return cpu() - begun


async def pages(app: Bench, pilot: object, view: Widget, count: int = 15) -> float:
    """Median CPU milliseconds of one page down, painted."""
    costs = []
    height = view.size.height - 2
    for _ in range(count):
        begun = cpu()
        view.scroll_to(y=view.scroll_offset.y + height, animate=False, force=True)
        await idle(app)
        costs.append(cpu() - begun)
    return statistics.median(costs)


async def idle(app: Bench) -> None:
    """Until nothing is left to do: no polling, which would be measured too."""
    for _ in range(6):
        await asyncio.sleep(0.003)


async def ready(view: TranscriptView) -> None:
    while view._idle is not None:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)


async def view_case(shown: Transcript) -> dict[str, float]:
    found: dict[str, float] = {}
    app = Bench(TranscriptView)
    async with app.run_test(size=SIZE) as pilot:
        view = app.query_one(TranscriptView)
        await idle(app)
        begun = cpu()
        view.show(shown)
        while not view._strips:
            await asyncio.sleep(0)
        await ready(view)
        found["exact layout"] = cpu() - begun
        view.fold_all(False)
        await ready(view)
        found["page down"] = await pages(app, pilot, view)
        begun = cpu()
        view.search("learned")
        await idle(app)
        found["search"] = cpu() - begun
        view.clear_search()
        begun = cpu()
        await pilot.resize_terminal(120, SIZE[1])
        await ready(view)
        found["resize"] = cpu() - begun
    return found


async def memory_case(shown: Transcript) -> float:
    """Megabytes that the view holds once everything is laid out and unfolded."""
    app = Bench(TranscriptView)
    async with app.run_test(size=SIZE):
        view = app.query_one(TranscriptView)
        await idle(app)
        gc.collect()
        tracemalloc.start()
        view.show(shown)
        view.fold_all(False)
        await ready(view)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return held / 1e6


async def first_paint(shown: Transcript) -> float:
    """From nothing to the first painted line, application included."""

    class Shown(Bench):
        def on_mount(self) -> None:
            self.query_one(TranscriptView).show(shown)

    gc.collect()
    begun = cpu()
    app = Shown(TranscriptView)
    async with app.run_test(size=SIZE):
        view = app.query_one(TranscriptView)
        while not view._strips:
            await asyncio.sleep(0)
        return cpu() - begun


async def static_case(shown: Transcript) -> float:
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


async def empty_case() -> float:
    app = Bench(Empty)
    async with app.run_test(size=SIZE) as pilot:
        view = app.query_one(Empty)
        view.virtual_size = Size(SIZE[0], 300_000)
        await idle(app)
        return await pages(app, pilot, view)


def scan(shown: Transcript) -> float:
    """The same search over the bare texts."""
    begun = cpu()
    hits = 0
    for message in shown.messages:
        for _ in re.finditer("learned", message.text, re.I):
            hits += 1
    return cpu() - begun


def row(name: str, value: float, ratio: float | None = None, goal: str = "") -> None:
    tail = f"{ratio:8.2f}x  {goal}" if ratio is not None else ""
    print(f"  {name:<34}{value:10.1f} {tail}")


async def main() -> None:
    big = 10_000 if "--quick" not in sys.argv else 1_000
    small_t, big_t, huge_t = transcript(50), transcript(big), one_output(5_000_000)
    size = sum(len(m.text.encode()) for m in big_t.messages) / 1e6
    await view_case(transcript(20, seed=1))  # imports and caches
    await first_paint(small_t)
    paints = [await first_paint(t) for t in (small_t, big_t, huge_t)]
    large, huge = [await view_case(t) for t in (big_t, huge_t)]
    large_memory, huge_memory = [await memory_case(t) for t in (big_t, huge_t)]
    empty = await empty_case()
    big_floor, huge_floor = floor(big_t), floor(huge_t)
    raw, huge_raw = scan(big_t), scan(huge_t)
    print(f"CPU milliseconds, {SIZE[0]}x{SIZE[1]}; {big:,} messages are {size:.1f} MB")
    print("50 messages")
    row("first paint", paints[0])
    row("Static per message, first paint", await static_case(small_t))
    print(f"{big:,} messages")
    row("first paint", paints[1], paints[1] / paints[0], "of 50 messages, goal <= 2")
    exact = large["exact layout"]
    row("exact layout", exact, exact / big_floor, "of the floor, goal <= 2")
    row("floor: make safe and wrap", big_floor)
    row(
        "page down",
        large["page down"],
        large["page down"] / empty,
        "of empty, goal <= 1.3",
    )
    row("page down, empty ScrollView", empty)
    row(
        "search and show",
        large["search"],
        large["search"] / raw,
        "of a scan, goal <= 2",
    )
    row("raw scan", raw)
    row("resize 160 -> 120", large["resize"])
    row(
        "memory, MB",
        large_memory,
        large_memory / size,
        "of the text, goal <= 1.5",
    )
    thousand = transcript(1_000)
    row("Static per message, 1,000", await static_case(thousand))
    print("one output of 5 MB")
    row("first paint", paints[2], paints[2] / paints[0], "of 50 messages")
    row(
        "exact layout",
        huge["exact layout"],
        huge["exact layout"] / huge_floor,
        "of floor",
    )
    row("page down", huge["page down"], huge["page down"] / empty, "of empty")
    row("search and show", huge["search"], huge["search"] / huge_raw, "of a scan")
    row("memory, MB", huge_memory, huge_memory / 5, "of the text, goal <= 3")


if __name__ == "__main__":
    asyncio.run(main())
