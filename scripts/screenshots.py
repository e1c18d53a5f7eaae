"""Takes the pictures of the README from the real app on the demo workspace.

    python scripts/screenshots.py      writes docs/label.png and docs/queue.png

Needs the ``docs`` dependency group (cairosvg) and the font DejaVu Sans Mono.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

import cairosvg

from geode_tui.tui.app import GeodeApp, WorkspaceSession
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.screens.queue import QueueScreen
from geode_tui.workflows.demo import build_demo

DOCS = Path(__file__).parents[1] / "docs"
SIZE = (150, 44)


def save(app: GeodeApp, name: str) -> None:
    """The screen as a PNG; a font that is at hand keeps the columns."""
    svg = re.sub(r"@font-face \{.*?\}", "", app.export_screenshot(), flags=re.S)
    svg = svg.replace("Fira Code", "DejaVu Sans Mono")
    cairosvg.svg2png(svg.encode(), write_to=str(DOCS / name), output_width=1600)


async def main() -> None:
    """Open the demo, save the queue, label a transcript half-way, save it."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = build_demo(Path(folder) / "demo")
        app = GeodeApp(WorkspaceSession(lambda: workspace, lambda: "you"))
        async with app.run_test(size=SIZE) as pilot:
            while not isinstance(app.screen, QueueScreen):
                await pilot.pause(0.05)
            await pilot.pause(0.5)
            save(app, "queue.png")
            await pilot.press("slash", *"crm-sweep-one", "enter")
            await pilot.pause(0.5)
            await pilot.press("enter")
            while not isinstance(app.screen, LabelScreen):
                await pilot.pause(0.05)
            await pilot.pause(0.5)
            await pilot.press("8", "j", "j", "j", "j", "e", "d", "s")
            await pilot.pause(1.0)
            save(app, "label.png")


if __name__ == "__main__":
    asyncio.run(main())
