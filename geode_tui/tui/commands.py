"""The command palette offers every action that has a key, and every mark."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from geode_tui.domain.display import one_line
from geode_tui.tui.screens.label import LabelScreen
from geode_tui.tui.widgets.key_help import key_name

_NAME_CELLS = 60


class KeyActions(Provider):
    """Actions of the screen from which the palette was opened."""

    def _actions(self) -> Iterator[tuple[str, str, Any]]:
        seen: set[str] = set()
        for key, active in self.screen.active_bindings.items():
            binding = active.binding
            name = binding.description
            if not name or not active.enabled or name in seen or not binding.id:
                continue
            seen.add(name)
            run = partial(self.app.run_action, binding.action, active.node)
            yield name, f"key {key_name(key)}", run
        if isinstance(self.screen, LabelScreen):
            for key, label, letters in self.screen.marks():
                name = f"Toggle {one_line(label, _NAME_CELLS)}"
                how = f"key {' '.join(letters)}" if letters else "no key is left"
                yield name, how, partial(self.screen.action_mark, key)

    async def discover(self) -> Hits:
        """Everything, before a word is typed."""
        for name, how, run in self._actions():
            yield DiscoveryHit(Content(name), run, text=name, help=how)

    async def search(self, query: str) -> Hits:
        """What matches the words."""
        matcher = self.matcher(query)
        for name, how, run in self._actions():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, Content(name), run, text=name, help=how)
