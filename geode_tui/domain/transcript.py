"""A transcript: one audited conversation tree of the target.

Messages carry global numbers ``m`` (1..n) exactly as the judge's citations
use them (``[M8]``). Branches name which messages they add; the messages that
a branch shares with its parent are found by walking up to the fork.

Each message has *one* text: reasoning, native tool calls and tool results are
written into it as segments, so that search, citations and evidence need one
kind of offset (code points of the raw text).
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Any

from pydantic import Field

from geode_tui.domain.base import Span, Value
from geode_tui.domain.ids import content_hash


class Role(StrEnum):
    """Who speaks. ``user`` is the auditor (or the simulated user)."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class SegmentKind(StrEnum):
    """What a stretch of a message's text is, where it is not plain speech."""

    REASONING = "reasoning"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    ATTACHMENT = "attachment"
    """A placeholder such as ``[image 12 kB]`` for content that is not text."""


class Segment(Value):
    """A marked stretch of a message's raw text. Segments never overlap."""

    kind: SegmentKind
    span: Span


class ToolCall(Value):
    """A call the target made, native or written as text.

    Attributes:
        name: the tool; None where the text gives arguments but no name.
        arguments: named arguments.
        positional: arguments without a name, in order.
        how: ``native``, or the form of the text it was written in
            (``tool_call_fence``, ``tool_call_tag``, ``invoke``, ``bare_json``,
            ``json_fence``, ``shell_tag``, ``bash_tag``, ``nameless_json``,
            ``call_line``, ``shell_fence``).
        span: the stretch of the message's raw text that holds the call.
        id: the id that pairs a native call with its result.
        complete: False where the text of the call was never closed.
        error: why the arguments could not be read, if so; ``raw`` then has them.
        raw: the arguments as written, where they could not be read.
    """

    name: str | None
    arguments: dict[str, Any] = Field(default_factory=dict)
    positional: tuple[Any, ...] = ()
    how: str
    span: Span
    id: str | None = None
    complete: bool = True
    error: str | None = None
    raw: str | None = None


class Message(Value):
    """One message of the tree.

    Attributes:
        m: global number, from 1, as cited by judges.
        id: the source's own message id, where it has one.
        text: the raw text, never altered; may hold control characters, lone
            surrogates and NUL.
        prefill: an assistant turn that the auditor wrote, not the target.
        tool_call_id: on tool messages, the id of the call that this answers.
        tool: on tool messages, the name of the tool.
        error: a tool's or model's own error text, if it reported one.
    """

    m: int = Field(ge=1)
    id: str | None = None
    role: Role
    text: str
    segments: tuple[Segment, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    prefill: bool = False
    tool_call_id: str | None = None
    tool: str | None = None
    error: str | None = None

    @property
    def by_target(self) -> bool:
        """True where the target itself wrote this."""
        return self.role is Role.ASSISTANT and not self.prefill

    def without(self, *kinds: SegmentKind) -> str:
        """The text with the segments of these kinds cut out."""
        if not self.segments:
            return self.text
        pieces: list[str] = []
        at = 0
        for segment in sorted(self.segments, key=lambda s: s.span.start):
            if segment.kind in kinds:
                pieces.append(self.text[at : segment.span.start])
                at = segment.span.end
        pieces.append(self.text[at:])
        return "".join(pieces)

    @property
    def spoken(self) -> str:
        """The text without reasoning."""
        return self.without(SegmentKind.REASONING)


class BranchKind(StrEnum):
    """How a branch came to be."""

    TRUNK = "trunk"
    ROLLBACK = "rollback"
    RESTART = "restart"


class Branch(Value):
    """One branch of the conversation tree.

    Attributes:
        n: number from 1, in the order in which the branches are listed.
        parent: ``n`` of the branch this one left; None for a trunk or restart.
        forked_from: ``m`` of the last message shared with the parent; None
            for a trunk or restart, or where the fork precedes every message.
        own: ``m`` of the messages that this branch adds, in order.
    """

    n: int = Field(ge=1)
    kind: BranchKind
    parent: int | None = None
    forked_from: int | None = None
    own: tuple[int, ...]


class Validity(StrEnum):
    """A fact about a transcript that bears on whether it can be scored."""

    NO_TARGET_REPLY = "no_target_reply"
    ONLY_HARNESS_ERRORS = "only_harness_errors"
    SOME_HARNESS_ERRORS = "some_harness_errors"
    TRUNCATED = "truncated"
    SAMPLE_ERROR = "sample_error"
    DUPLICATE = "duplicate"
    """Another transcript has the same content hash. Known only to the store."""


class Source(Value):
    """Where a transcript came from.

    Attributes:
        log: stable identity of the log (its run id where it has one, else its
            file name); with ``sample_id`` and ``epoch`` it names the sample.
        path: file name as imported (no folders), for display only.
        format: ``inspect``, ``petri1``, ``openai``, ``anthropic``, ``claude_code``.
    """

    log: str
    path: str
    format: str
    sample_id: str
    epoch: int = 1
    created: str | None = None
    task: str | None = None
    target_model: str | None = None
    auditor_model: str | None = None


class Transcript(Value):
    """One audited conversation tree, with everything a rater may see.

    Attributes:
        seed_text: the seed's body as the log records it (no metadata), or "".
        metadata: the sample's metadata as recorded, all keys kept.
        validity: facts on scorability, never scores.
        error: the sample's own error message, if it failed.
        numbering: how ``m`` was given: ``petri`` (the judge's own numbers) or
            ``order`` (position in the file).
    """

    source: Source
    messages: tuple[Message, ...]
    branches: tuple[Branch, ...]
    seed_text: str = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    validity: tuple[Validity, ...] = ()
    error: str | None = None
    numbering: str = "order"

    @cached_property
    def content(self) -> str:
        """Hash of what was said and how it branched; ids and dates left out."""
        return content_hash(
            {
                "messages": [
                    [
                        message.role.value,
                        message.text,
                        message.prefill,
                        message.tool,
                        message.error,
                        [
                            [s.kind.value, s.span.start, s.span.end]
                            for s in message.segments
                        ],
                    ]
                    for message in self.messages
                ],
                "branches": [
                    [b.kind.value, b.parent, b.forked_from, list(b.own)]
                    for b in self.branches
                ],
                "error": self.error,
            }
        )

    @cached_property
    def id(self) -> str:
        """Identity: log, sample and epoch plus content; the same everywhere."""
        digest = content_hash(
            [self.source.log, self.source.sample_id, self.source.epoch, self.content]
        )
        return "t" + digest.removeprefix("b2:")[:15]

    def message(self, m: int) -> Message:
        """The message numbered ``m``.

        Raises:
            KeyError: no such number.
        """
        if not 1 <= m <= len(self.messages):
            raise KeyError(m)
        return self.messages[m - 1]

    def branch(self, n: int) -> Branch:
        """The branch numbered ``n``.

        Raises:
            KeyError: no such number.
        """
        if not 1 <= n <= len(self.branches):
            raise KeyError(n)
        return self.branches[n - 1]

    @cached_property
    def branch_of(self) -> dict[int, int]:
        """For each message number, the branch that adds it."""
        return {m: branch.n for branch in self.branches for m in branch.own}

    def path(self, n: int) -> tuple[Message, ...]:
        """The whole conversation as branch ``n`` saw it, shared part included."""
        branch = self.branch(n)
        shared: tuple[Message, ...] = ()
        if branch.parent is not None and branch.forked_from is not None:
            shared = tuple(
                message
                for message in self.path(branch.parent)
                if message.m <= branch.forked_from
            )
        return shared + tuple(self.message(m) for m in branch.own)
