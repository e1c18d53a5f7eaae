"""docs/formats.md names every form, state and mark there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from geode_tui.domain.score import VerdictState
from geode_tui.domain.transcript import ToolCall, Validity
from geode_tui.files.logs import LOG_SUFFIXES

ROOT = Path(__file__).resolve().parents[3]
FORMATS = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


def forms_in_code() -> set[str]:
    source = "".join(
        (ROOT / "geode_tui" / "files" / f"{name}.py").read_text(encoding="utf-8")
        for name in ("tool_call_text", "call_shapes", "message_text")
    )
    named = re.findall(r'how="([a-z_]+)"|"(\w+_(?:json|fence|tag|line))"', source)
    return {a or b for a, b in named}


@pytest.mark.parametrize("how", sorted(forms_in_code()))
def test_every_form_of_a_call_is_documented(how: str) -> None:
    assert f"| `{how}` |" in FORMATS
    assert f"``{how}``" in (ToolCall.__doc__ or "")


@pytest.mark.parametrize("word", [*VerdictState, *Validity])
def test_every_state_and_mark_is_documented(word: str) -> None:
    assert f"| `{word}` |" in FORMATS


def test_every_suffix_that_folders_are_searched_for_is_documented() -> None:
    assert all(f"`{suffix}`" in FORMATS for suffix in LOG_SUFFIXES)
    assert len(forms_in_code()) == 11
