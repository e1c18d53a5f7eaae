"""Claude Code session files: JSON lines, one event of a session each.

An answer that is spread over several lines (one block a line) is one message.
Results in a user's turn become tool messages, paired with their calls by id.
Prompts that leave an earlier point of the session (a rewind) open a branch;
subagents' side chains are left out with a note.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from geode_tui.domain.imported import ImportedSample, Refused
from geode_tui.domain.transcript import Role, Source, Transcript
from geode_tui.files.chat import ShapeError, read_message
from geode_tui.files.conversation_tree import TreeBuilder, finish_tree
from geode_tui.files.json_lines import Line, bad_line, read_lines
from geode_tui.files.limits import UnreadableError
from geode_tui.files.message_text import MessageDraft
from geode_tui.files.messages import name_tools
from geode_tui.files.validity import validity_of

FORMAT = "claude_code"

Read = ImportedSample | Refused
_SPEAKERS = ("user", "assistant")


def read_claude_code(path: Path, harness_errors: Sequence[str]) -> Iterator[Read]:
    """The session as one transcript, and its unreadable lines.

    Raises:
        UnreadableError: nothing was said in the session.
        OSError: the file cannot be read.
    """
    events: list[Line] = []
    other: Counter[str] = Counter()
    for line in read_lines(path):
        if isinstance(line, Refused):
            yield line
        elif not isinstance(line.value, Mapping):
            yield bad_line(path, line.number, "The line is no event; it is left out.")
        elif line.value.get("type") in _SPEAKERS:
            events.append(line)
        else:
            other[str(line.value.get("type"))] += 1
    session = _Session()
    main = [line for line in events if line.value.get("isSidechain") is not True]
    aside = len(events) - len(main)
    if not main:  # a subagent's own file is a session in its own right
        main, aside = events, 0
    for line in main:
        try:
            session.take(line.value)
        except ShapeError as error:
            yield bad_line(
                path, line.number, f"The line's message is left out: {error}."
            )
    if not session.tree.drafts:
        raise UnreadableError("Nothing was said in this session, so there is no log.")
    notes = []
    if aside:
        notes.append(f"{aside} line(s) of subagents' side chains are left out.")
    if other:
        kinds = ", ".join(sorted(other))[:200]
        notes.append(f"{other.total()} line(s) that are no messages: {kinds}.")
    transcript = session.transcript(path, harness_errors)
    yield ImportedSample(transcript=transcript, notes=tuple(notes))


class _Session:
    """Builds the conversation from the session's lines in order."""

    def __init__(self) -> None:
        self.tree = TreeBuilder()
        self.id: str | None = None
        self.created: str | None = None
        self.model: str | None = None
        self._of_line: dict[str, int] = {}
        """Line id -> number of the (last) message that the line gave."""
        self._prompts: set[int] = set()
        self._open_answer: str | None = None

    def take(self, event: Mapping[str, Any]) -> None:
        """Add a line of a speaker.

        Raises:
            ShapeError: it holds no readable message.
        """
        message = event.get("message")
        if not isinstance(message, Mapping):
            raise ShapeError("it has none")
        drafts = read_message({**message, "id": event.get("uuid")})
        self._remember(event, message)
        answer = _text(message.get("id"))
        if drafts[0].role is Role.ASSISTANT:
            m = self._answer(drafts[0], answer, event)
        else:
            self._open_answer = None
            m = self._turn(drafts, event)
        uuid = event.get("uuid")
        if isinstance(uuid, str):
            self._of_line[uuid] = m

    def _answer(
        self, draft: MessageDraft, answer: str | None, event: Mapping[str, Any]
    ) -> int:
        if event.get("isApiErrorMessage") is True:
            draft.error = "API error"
        if answer is not None and answer == self._open_answer:
            self.tree.drafts[-1].absorb(draft)
            return len(self.tree.drafts)
        self._open_answer = answer
        return self.tree.add(draft)

    def _turn(self, drafts: Sequence[MessageDraft], event: Mapping[str, Any]) -> int:
        if any(draft.role is Role.USER for draft in drafts):
            self._rewind(event.get("parentUuid"))
        m = 0
        for draft in drafts:
            m = self.tree.add(draft)
            if draft.role is Role.USER:
                self._prompts.add(m)
        return m

    def _rewind(self, parent: Any) -> None:
        """Go back if the prompt follows a point that a later prompt has passed.

        Answers and results behind that point are no sign of it: results of
        parallel calls hang on different lines of one answer.
        """
        fork = self._of_line.get(parent) if isinstance(parent, str) else None
        path = self.tree.path  # its numbers only grow
        keep = 0 if fork is None else bisect_right(path, fork)
        if keep == 0 or path[keep - 1] != fork:
            return
        if any(m in self._prompts for m in path[keep:]):
            self.tree.cut(keep)

    def _remember(self, event: Mapping[str, Any], message: Mapping[str, Any]) -> None:
        self.id = self.id or _text(event.get("sessionId"))
        self.created = self.created or _text(event.get("timestamp"))
        model = _text(message.get("model"))
        if model and not model.startswith("<"):  # "<synthetic>" is no model
            self.model = self.model or model

    def transcript(self, path: Path, harness_errors: Sequence[str]) -> Transcript:
        name_tools(self.tree.drafts)
        branches = self.tree.branches()
        messages = finish_tree(self.tree.drafts, branches)
        return Transcript(
            source=Source(
                log=self.id or path.name,
                path=path.name,
                format=FORMAT,
                sample_id=path.stem,
                created=self.created,
                target_model=self.model,
            ),
            messages=messages,
            branches=branches,
            validity=validity_of(messages, harness_errors=harness_errors),
        )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
