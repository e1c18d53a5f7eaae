"""Which seeds are revisions of one scenario, so that they are counted as one."""

from __future__ import annotations

from collections.abc import Sequence

from geode_tui.domain.seed import Seed


def share_families(seeds: Sequence[Seed]) -> list[Seed]:
    """The seeds, those without a name in the family that their title belongs to.

    A document that lost its metadata keeps its title. Where named seeds of several
    families share that title, it says nothing, and the family stays.
    """
    named: dict[str, set[str]] = {}
    for seed in seeds:
        if seed.name:
            named.setdefault(_title(seed), set()).add(seed.rubric.family)
    shared: list[Seed] = []
    for seed in seeds:
        families = named.get(_title(seed), set())
        if not seed.name and len(families) == 1:
            rubric = seed.rubric.model_copy(update={"family": next(iter(families))})
            shared.append(seed.model_copy(update={"rubric": rubric}))
        else:
            shared.append(seed)
    return shared


def _title(seed: Seed) -> str:
    return " ".join(seed.title.casefold().split())
