"""Keys of the Label screen. Sub-modes and flags take letters that are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.binding import Binding, BindingType
from textual.dom import DOMNode

from geode_tui.domain.rubric import Rubric
from geode_tui.tui.screens.help import taken_characters
from geode_tui.tui.widgets.letters import LEAD, assign_letters


def _quiet(key: str, action: str, does: str, name: str) -> Binding:
    """A key that the footer leaves out; the key overview has it."""
    return Binding(key, action, does, show=False, id=f"label.{name}")


SCORES: list[BindingType] = [
    _quiet(str(score % 10), f"score({score})", f"Score {score}", f"score_{score}")
    for score in range(1, 11)
]

LABEL: list[BindingType] = [
    *SCORES,
    Binding("enter", "submit", "Submit", key_display="Enter", id="label.submit"),
    Binding("e", "evidence", "Evidence", id="label.evidence"),
    Binding("n", "note", "Note", id="label.note"),
    Binding("x", "not_scorable", "No score", id="label.not_scorable"),
    Binding("question_mark", "help", "Keys", key_display="?", id="label.help"),
    Binding("q", "queue", "Queue", id="label.queue"),
    Binding("u,ctrl+z", "undo", "Undo", id="label.undo"),
    _quiet("U,ctrl+y", "redo", "Redo", "redo"),
    _quiet("right", "dimension(1)", "Next dimension", "next_dimension"),
    _quiet("left", "dimension(-1)", "Previous dimension", "previous_dimension"),
    _quiet("equals_sign", "fill", "Score untouched dimensions 1", "fill"),
    _quiet("backspace,delete", "clear", "Clear the score", "clear"),
    _quiet("E", "evidence_list", "List of evidence", "evidence_list"),
    _quiet("V", "reveal", "Reveal what others said", "reveal"),
    _quiet("H", "history", "History of your labels here", "history"),
    _quiet("right_parenthesis", "other(1)", "Next transcript, unsubmitted", "next"),
    _quiet("left_parenthesis", "other(-1)", "Previous transcript", "previous"),
]
"""What enters a label or leads to another one."""

READING: list[BindingType] = [
    Binding("tab", "side", "Rubric", key_display="Tab", id="label.side"),
    Binding("slash", "search", "Search", key_display="/", id="label.search"),
    _quiet("r", "page", "Rubric, as written, scenario, reveal", "page"),
    _quiet("full_stop", "panel(1)", "Scroll the rubric down", "panel_down"),
    _quiet("comma", "panel(-1)", "Scroll the rubric up", "panel_up"),
    _quiet("escape", "escape", "End the search, replay or rubric page", "escape"),
]
"""What only changes what is seen."""


def mark_names(rubric: Rubric) -> list[tuple[str, str]]:
    """(key, name) of every sub-mode, then every flag."""
    return [(mode.key, mode.label or mode.key) for mode in rubric.sub_modes] + [
        (flag.key, flag.key) for flag in rubric.side_channels
    ]


def mark_keys(
    rubric: Rubric, nodes: Sequence[type[DOMNode]], keymap: Mapping[str, str]
) -> dict[str, str]:
    """Sub-mode or flag -> the keystroke that toggles it, free on all ``nodes``."""
    names = mark_names(rubric)
    taken = taken_characters(nodes, keymap) | {LEAD}
    free = taken - {LEAD}
    letters = assign_letters([name for _, name in names], free)
    return {key: letter for (key, _), letter in zip(names, letters, strict=True)}
