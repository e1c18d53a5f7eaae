"""Keys of the Label screen. Sub-modes and flags take letters that are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.binding import Binding, BindingType
from textual.dom import DOMNode

from geode_tui.domain.rubric import Rubric
from geode_tui.tui.screens.help import taken_characters
from geode_tui.tui.widgets.letters import LEAD, assign_letters

_SCORE = Binding.Group("Score", compact=True)

SCORES: list[BindingType] = [
    Binding(
        str(score % 10),
        f"score({score})",
        f"Score {score}",
        id=f"label.score_{score}",
        group=_SCORE,
    )
    for score in range(1, 11)
]

LABEL: list[BindingType] = [
    *SCORES,
    Binding("enter", "submit", "Submit, next", id="label.submit"),
    Binding("e", "evidence", "Evidence", id="label.evidence"),
    Binding("n", "note", "Note", id="label.note"),
    Binding("x", "not_scorable", "No score", id="label.not_scorable"),
    Binding("u,ctrl+z", "undo", "Undo", id="label.undo"),
    Binding(
        "right", "dimension(1)", "Next dimension", show=False, id="label.next_dimension"
    ),
    Binding(
        "left",
        "dimension(-1)",
        "Previous dimension",
        show=False,
        id="label.previous_dimension",
    ),
    Binding(
        "equals_sign",
        "fill",
        "Score untouched dimensions 1",
        show=False,
        id="label.fill",
    ),
    Binding(
        "backspace,delete", "clear", "Clear the score", show=False, id="label.clear"
    ),
    Binding(
        "E", "evidence_list", "List of evidence", show=False, id="label.evidence_list"
    ),
    Binding("U,ctrl+y", "redo", "Redo", show=False, id="label.redo"),
    Binding("V", "reveal", "Reveal what others said", show=False, id="label.reveal"),
    Binding(
        "H", "history", "History of your labels here", show=False, id="label.history"
    ),
    Binding(
        "right_parenthesis",
        "other(1)",
        "Next transcript, unsubmitted",
        show=False,
        id="label.next",
    ),
    Binding(
        "left_parenthesis",
        "other(-1)",
        "Previous transcript",
        show=False,
        id="label.previous",
    ),
    Binding("q", "back", "Queue", id="label.back"),
]
"""What enters a label."""

READING: list[BindingType] = [
    Binding("tab", "side", "Rubric", id="label.side", priority=True),
    Binding(
        "r", "page", "Rubric, its raw text, the scenario", show=False, id="label.page"
    ),
    Binding(
        "full_stop",
        "panel(1)",
        "Scroll the rubric down",
        show=False,
        id="label.panel_down",
    ),
    Binding(
        "comma", "panel(-1)", "Scroll the rubric up", show=False, id="label.panel_up"
    ),
    Binding("slash", "search", "Search", key_display="/", id="label.search"),
    Binding(
        "escape",
        "escape",
        "End search, replay, selection",
        show=False,
        id="label.escape",
    ),
    Binding("question_mark", "help", "Keys", key_display="?", id="label.help"),
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
