"""Builds a conversation tree from what is added, rolled back and restarted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from geode_tui.domain.transcript import Branch, BranchKind, Message
from geode_tui.files.message_text import MessageDraft


@dataclass
class _Limb:
    kind: BranchKind
    parent: int | None = None
    forked_from: int | None = None
    own: list[int] = field(default_factory=list)


class TreeBuilder:
    """Messages in order of arrival, numbered from 1, and where they branch.

    ``path`` holds the numbers of the conversation as it stands. Going back
    opens a branch only when something is added after it, so that a roll-back
    with nothing behind it leaves no empty branch.
    """

    def __init__(self) -> None:
        self.drafts: list[MessageDraft] = []
        self.path: list[int] = []
        self._limbs: list[_Limb] = []
        self._limb_of: dict[int, int] = {}
        self._went_back = False

    def add(self, draft: MessageDraft) -> int:
        """Append a message to the conversation as it stands; returns its number."""
        if not self._limbs or self._went_back:
            self._limbs.append(self._new_limb())
            self._went_back = False
        self.drafts.append(draft)
        m = len(self.drafts)
        self.path.append(m)
        self._limbs[-1].own.append(m)
        self._limb_of[m] = len(self._limbs)
        return m

    def cut(self, keep: int) -> None:
        """Go back to the first ``keep`` messages of the conversation."""
        if keep < len(self.path):
            del self.path[max(keep, 0) :]
            self._went_back = True

    def restart(self) -> None:
        """Begin the conversation anew."""
        self.cut(0)

    def _new_limb(self) -> _Limb:
        if not self._limbs:
            return _Limb(BranchKind.TRUNK)
        if not self.path:
            return _Limb(BranchKind.RESTART)
        fork = self.path[-1]
        return _Limb(BranchKind.ROLLBACK, self._limb_of[fork], fork)

    def branches(self) -> tuple[Branch, ...]:
        """The branches in the order in which they were begun."""
        return tuple(
            Branch(
                n=n,
                kind=limb.kind,
                parent=limb.parent,
                forked_from=limb.forked_from,
                own=tuple(limb.own),
            )
            for n, limb in enumerate(self._limbs, 1)
        )


def finish_tree(
    drafts: Sequence[MessageDraft],
    branches: Sequence[Branch],
    tools: frozenset[str] = frozenset(),
) -> tuple[Message, ...]:
    """The messages of a tree, each read with what precedes it on its path."""
    messages: dict[int, Message] = {}
    ends: dict[int, bool] = {}
    for branch in branches:
        previous = branch.forked_from
        after_calls = ends.get(previous, False) if previous is not None else False
        for m in branch.own:
            message = drafts[m - 1].finish(m, tools=tools, after_calls=after_calls)
            messages[m] = message
            if message.role.value == "assistant":
                after_calls = message.by_target and bool(message.tool_calls)
            ends[m] = after_calls
    return tuple(messages[m] for m in sorted(messages))
