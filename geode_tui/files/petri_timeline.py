"""The target's conversation tree of a Petri sample, numbered like its judge's.

The timeline is walked depth first, branches by their creation number. In each
branch the messages that its ancestors have already shown are left out (a
restart has no ancestors), and what is left is numbered in that order, system
messages included. So ``[M8]`` in the judge's words is message 8 here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from geode_tui.domain.transcript import Branch, BranchKind
from geode_tui.files.conversation_tree import TreeBuilder
from geode_tui.files.inspect_chat import (
    Key,
    answers,
    conversation,
    draft_of,
    key_of,
    target_events,
)
from geode_tui.files.message_text import MessageDraft

if TYPE_CHECKING:
    from inspect_ai.event import ModelEvent, TimelineSpan
    from inspect_ai.model import ChatMessage

_NUMBER = re.compile(r"(\d{1,9})\s*$")


@dataclass
class TargetTree:
    """The target's messages and branches, before they are read.

    Attributes:
        drafts: message ``m`` is ``drafts[m - 1]``.
        events: the target's model calls, in the order of the tree.
        notes: what was left out.
    """

    drafts: list[MessageDraft] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    events: list[ModelEvent] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def tree_of_timeline(root: TimelineSpan) -> TargetTree:
    """The tree of a target timeline; branches without messages are left out."""
    return _Walk(root).tree


class _Walk:
    def __init__(self, root: TimelineSpan) -> None:
        self.tree = TargetTree()
        self._generated = {
            key_of(m) for s in _all_spans(root) for m in answers(_calls_in(s))
        }
        self._empty = 0
        self._visit(root, {}, None)
        if self._empty and self.tree.branches:
            self.tree.notes.append(
                f"{self._empty} branch(es) without any message are left out."
            )

    def _visit(
        self, span: TimelineSpan, ancestors: Mapping[Key, int], parent: int | None
    ) -> None:
        """Number what ``span`` adds to its ancestors, then its branches."""
        calls = _calls_in(span)
        path = dict(ancestors)
        own: list[int] = []
        last_shared: int | None = None
        for call in calls:
            for message in conversation(call):
                key = key_of(message)
                if key in path:
                    last_shared = path[key] if not own else last_shared
                    continue
                path[key] = self._number(message)
                own.append(path[key])
        self.tree.events += calls
        here = parent
        if own:
            here = len(self.tree.branches) + 1
            fork = ancestors.get(("", span.branched_from or ""), last_shared)
            self.tree.branches.append(self._branch(here, parent, fork, own))
        else:
            self._empty += 1
        for branch in sorted(span.branches, key=_creation):
            if branch.branched_from:
                self._visit(branch, path, here)
            else:
                self._visit(branch, {}, None)

    def _branch(
        self, n: int, parent: int | None, fork: int | None, own: Sequence[int]
    ) -> Branch:
        kind = BranchKind.ROLLBACK if parent is not None else BranchKind.RESTART
        return Branch(
            n=n,
            kind=BranchKind.TRUNK if n == 1 else kind,
            parent=parent,
            forked_from=fork if parent is not None else None,
            own=tuple(own),
        )

    def _number(self, message: ChatMessage) -> int:
        generated = key_of(message) in self._generated or message.source == "generate"
        self.tree.drafts.append(draft_of(message, generated=generated))
        return len(self.tree.drafts)


def _creation(span: TimelineSpan) -> int:
    match = _NUMBER.search(span.name)
    return int(match.group(1)) if match else 0


def _all_spans(span: TimelineSpan) -> Iterator[TimelineSpan]:
    waiting = [span]
    while waiting:
        span = waiting.pop()
        yield span
        waiting += span.branches


def _calls_in(span: TimelineSpan) -> list[ModelEvent]:
    """The target's model calls in a span and the spans of its content."""
    found: list[ModelEvent] = []
    for item in span.content:
        if item.type == "event":
            found += target_events([item.event])
        else:
            found += _calls_in(item)
    return found


def tree_of_events(calls: Sequence[ModelEvent]) -> TargetTree:
    """The tree as it shows in the target's model calls alone, for older logs.

    A call whose input does not continue the conversation went back to the last
    message that both share, or began anew where they share none.
    """
    builder = TreeBuilder()
    keys: list[Key] = []
    generated = {key_of(message) for message in answers(calls)}
    for call in calls:
        messages = conversation(call)
        shared = 0
        for known, message in zip(keys, messages, strict=False):
            if known != key_of(message):
                break
            shared += 1
        builder.cut(shared)
        del keys[shared:]
        for message in messages[shared:]:
            written = key_of(message) in generated or message.source == "generate"
            builder.add(draft_of(message, generated=written))
            keys.append(key_of(message))
    return TargetTree(builder.drafts, list(builder.branches()), list(calls))
