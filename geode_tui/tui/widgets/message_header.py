"""The sticky line over the transcript, and the strip of branches under it."""

from __future__ import annotations

from rich.cells import cell_len

from geode_tui.domain.display import one_line
from geode_tui.domain.transcript import Branch, BranchKind, Transcript, Validity
from geode_tui.tui.widgets.lines import Line, LinesWidget, Piece
from geode_tui.tui.widgets.words import VALIDITY

_KIND = {
    BranchKind.TRUNK: "",
    BranchKind.ROLLBACK: "from M{0}",
    BranchKind.RESTART: "restart",
}


class MessageHeader(LinesWidget):
    """Where the cursor is, and what is known of this transcript."""

    def __init__(self) -> None:
        super().__init__()
        self._transcript: Transcript | None = None
        self._title = ""
        self._validity: tuple[Validity, ...] = ()
        self._m = 1
        self._extra = ""

    def show(
        self, transcript: Transcript, title: str, validity: tuple[Validity, ...]
    ) -> None:
        """Show another transcript under ``title`` (the seed's name)."""
        self._transcript, self._title, self._validity = transcript, title, validity
        self._m, self._extra = 1, ""
        self.changed()

    def at(self, m: int) -> None:
        """The message cursor stands on ``m`` now."""
        if m != self._m:
            self._m = m
            self.changed()

    def extra(self, text: str) -> None:
        """Say more at the left, such as the step of a replay; "" to end it."""
        self._extra = text
        self.changed()

    def lines(self, width: int) -> list[Line]:
        """One line."""
        transcript = self._transcript
        if transcript is None or not transcript.messages:
            return [Line((("no messages", "dim"),))]
        message = transcript.message(min(self._m, len(transcript.messages)))
        left: list[Piece] = [
            (f"M{message.m}", "strong"),
            (f" of {len(transcript.messages)} ", "dim"),
            (message.role.value.upper(), "strong"),
        ]
        if len(transcript.branches) > 1:
            branch = transcript.branch_of.get(message.m, 1)
            left.append((f" · branch {branch} of {len(transcript.branches)}", "dim"))
        if message.prefill:
            left.append((" · written by the auditor", "warn"))
        if self._extra:
            left.append((f" · {self._extra}", "key"))
        facts = ", ".join(VALIDITY[mark] for mark in self._validity)
        used = sum(cell_len(text) for text, _ in left)
        room = width - used - 3
        facts = one_line(facts, max(0, room)) if facts else ""
        space = room - cell_len(facts) - (3 if facts else 0)
        title = one_line(self._title, space) if space > 4 else ""
        right: list[Piece] = [(title, "dim")]
        if facts:
            right += [(" · " if title else "", "dim"), (facts, "warn")]
        gap = max(1, width - used - sum(cell_len(text) for text, _ in right))
        return [Line((*left, (" " * gap, ""), *right))]


def _branch_label(branch: Branch) -> str:
    kind = _KIND[branch.kind].format(branch.forked_from or 0)
    first, last = (branch.own[0], branch.own[-1]) if branch.own else (0, 0)
    size = f"M{first}-M{last}" if first != last else f"M{first}" if first else "empty"
    return f"{branch.n} {size}{' ' + kind if kind else ''}"


class BranchStrip(LinesWidget):
    """All branches on one line, the current one in brackets; hidden for one."""

    def __init__(self) -> None:
        super().__init__()
        self._branches: tuple[Branch, ...] = ()
        self._current = 1

    def show(self, transcript: Transcript) -> None:
        """Show the branches of another transcript."""
        self._branches, self._current = transcript.branches, 1
        self.display = len(self._branches) > 1
        self.changed()

    def at(self, branch: int) -> None:
        """The message cursor stands in this branch now."""
        if branch != self._current:
            self._current = branch
            self.changed()

    def lines(self, width: int) -> list[Line]:
        """One line, scrolled so that the current branch is on it."""
        labels = [_branch_label(branch) for branch in self._branches]
        cells = [cell_len(label) + 4 for label in labels]
        current = min(max(self._current, 1), len(labels)) - 1 if labels else 0
        first = current
        room = width - 10 - (cells[current] if cells else 0)
        while first > 0 and room - cells[first - 1] > 12:
            first -= 1
            room -= cells[first]
        pieces: list[Piece] = [("branches ", "dim")]
        if first:
            pieces.append((f"‹ {first} ", "dim"))
        used = sum(cell_len(text) for text, _ in pieces)
        for index in range(first, len(labels)):
            left = len(labels) - index
            if used + cells[index] > width - (5 if left > 1 else 0) and index > current:
                pieces.append((f" {left} ›", "dim"))
                break
            here = index == current
            text = f"[{labels[index]}]" if here else f" {labels[index]} "
            pieces += [(text, "chosen" if here else "dim"), ("  ", "")]
            used += cells[index]
        return [Line(tuple(pieces))]
