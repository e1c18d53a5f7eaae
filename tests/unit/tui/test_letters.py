from __future__ import annotations

from string import ascii_letters

import pytest

from geode_tui.tui.widgets.letters import LEAD, assign_letters

TAKEN = frozenset("enxurqjkgGEUVH")


@pytest.mark.parametrize("count", range(1, 41))
@pytest.mark.parametrize("name", ["sub mode {0}", "every name the same", "n"])
def test_keys_are_distinct_and_never_taken(count: int, name: str) -> None:
    keys = assign_letters([name.format(i) for i in range(count)], TAKEN)
    assert len(keys) == count
    assert "" not in keys
    assert len(set(keys)) == count
    assert TAKEN.isdisjoint(keys)
    assert all(len(key) == 1 or key[0] == LEAD for key in keys)
    # A single letter is never the beginning of a sequence.
    assert LEAD not in keys


def test_initials_come_first() -> None:
    names = ["defensive re-verification", "semantic duplication", "double check"]
    assert assign_letters(names, TAKEN) == ("d", "s", "c")


def test_more_marks_than_keys_leave_some_to_the_palette() -> None:
    keys = assign_letters([f"m{i}" for i in range(200)], TAKEN)
    used = [key for key in keys if key]
    assert len(used) == len(set(used)) == 2 * len(ascii_letters) - len(TAKEN)
    assert keys[-1] == ""


def test_without_the_lead_key_there_are_single_letters_only() -> None:
    keys = assign_letters([f"m{i}" for i in range(60)], TAKEN | {LEAD})
    assert max(len(key) for key in keys) == 1
