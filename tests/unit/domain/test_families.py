"""Revisions of one scenario are found by name, or by title where one has no name."""

from __future__ import annotations

from geode_tui.domain.families import share_families
from geode_tui.files.seeds import parse_seed


def families(*documents: tuple[str, str]) -> list[str]:
    """(name, title) of each document -> its family."""
    seeds = [
        parse_seed(
            (f"---\nname: {name}\n---\n" if name else "") + f"# {title}\n\nText {i}.\n",
            f"file-{i}.md",
        )
        for i, (name, title) in enumerate(documents)
    ]
    shared = share_families(seeds)
    assert [seed.id for seed in shared] == [seed.id for seed in seeds]
    assert [seed.rubric.id for seed in shared] == [seed.rubric.id for seed in seeds]
    return [seed.rubric.family for seed in shared]


def test_a_title_leads_to_the_named_revision() -> None:
    assert families(("", "Late  Ferry"), ("ferry", "Late ferry")) == ["ferry", "ferry"]


def test_two_names_of_one_title_leave_it_open() -> None:
    found = families(("ferry", "Late"), ("tram", "Late"), ("", "Late"))
    assert found == ["ferry", "tram", "file-2"]


def test_names_come_before_titles() -> None:
    assert families(("ferry", "Late"), ("ferry", "Early"), ("tram", "Late")) == [
        "ferry",
        "ferry",
        "tram",
    ]


def test_other_titles_stay_apart() -> None:
    assert families(("ferry", "Late"), ("", "Early")) == ["ferry", "file-1"]
