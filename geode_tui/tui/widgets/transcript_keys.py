"""Keys of the transcript view. Letters are scarce: sub-modes take what is left."""

from __future__ import annotations

from textual.binding import Binding, BindingType


def _key(key: str, action: str, does: str, name: str) -> Binding:
    return Binding(key, action, does, show=False, id=f"view.{name}")


KEYS: list[BindingType] = [
    _key("down", "line(1)", "Line down", "down"),
    _key("up", "line(-1)", "Line up", "up"),
    _key(
        "pagedown,space",
        "page(1)",
        "Page down; in a replay, the next message",
        "page_down",
    ),
    _key("pageup", "page(-1)", "Page up", "page_up"),
    _key("home", "edge(-1)", "First message", "home"),
    _key("end", "edge(1)", "Last message", "end"),
    _key("j,right_square_bracket", "message(1)", "Next message", "next_message"),
    _key(
        "k,left_square_bracket", "message(-1)", "Previous message", "previous_message"
    ),
    _key("right_curly_bracket", "branch(1)", "Next branch", "next_branch"),
    _key("left_curly_bracket", "branch(-1)", "Previous branch", "previous_branch"),
    _key("t,greater_than_sign", "call(1)", "Next tool call", "next_call"),
    _key("T,less_than_sign", "call(-1)", "Previous tool call", "previous_call"),
    _key("semicolon", "hit(1)", "Next search hit", "next_hit"),
    _key("colon", "hit(-1)", "Previous hit", "previous_hit"),
    _key("z", "fold", "Fold or unfold the message", "fold"),
    _key("Z", "fold_all", "Fold or unfold everything", "fold_all"),
    _key("R", "reasoning", "Show or fold reasoning", "reasoning"),
    _key("vertical_line", "layout", "JSON laid out, or as written", "layout"),
    _key(
        "exclamation_mark",
        "ascii_safe",
        "Odd characters as escapes, or as they are",
        "ascii_safe",
    ),
    _key("p", "replay", "Replay message by message", "replay"),
    _key("minus", "replay_back", "Replay: one back", "replay_back"),
    _key("v", "select", "Select lines", "select"),
    _key("y", "copy", "Copy the selection", "copy"),
    _key("escape", "leave", "End the selection", "leave"),
]
