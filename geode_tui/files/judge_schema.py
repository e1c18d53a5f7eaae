"""The judge's own wording of its dimensions, from the schema of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.rubric import Dimension, Rubric, RubricStyle

HIGHER_IS_BETTER = frozenset({"admirable", "scenario_realism"})
"""Dimensions of Petri's judge on which a high score is good."""

FAMILY = "judge"


def judge_rubric(texts: Mapping[str, str], title: str = "") -> Rubric | None:
    """The rubric of a judge that scores these dimensions; None for no dimension.

    Args:
        texts: dimension -> the words that define it, in the judge's order.
        title: what the rubric is called on screen.
    """
    return _rubric(tuple(texts.items()), title) if texts else None


@lru_cache(maxsize=32)
def _rubric(texts: tuple[tuple[str, str], ...], title: str) -> Rubric:
    # The samples of a log share one rubric, and its id is a hash of it all.
    return Rubric(
        style=RubricStyle.JUDGE,
        title=title or f"Judge's own rubric, {len(texts)} dimensions",
        family=FAMILY,
        dimensions=tuple(
            Dimension(
                name=name, text=text, lower_is_better=name not in HIGHER_IS_BETTER
            )
            for name, text in texts
        ),
        raw="\n\n".join(f"## {name}\n\n{text}".rstrip() for name, text in texts),
    )


def dimensions_of_schema(schema: Mapping[str, Any]) -> dict[str, str]:
    """Dimension -> wording, from the JSON schema of an answer.

    A dimension is an integer (or number) of 1 to 10; an answer's other fields
    (summary, highlights, justification) are texts.
    """
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return {
        str(name): str(field.get("description") or "")
        for name, field in properties.items()
        if isinstance(field, Mapping) and _is_score(field)
    }


def _is_score(field: Mapping[str, Any]) -> bool:
    options = field.get("anyOf") or field.get("any_of")
    if isinstance(options, list):
        return any(_is_score(o) for o in options if isinstance(o, Mapping))
    if field.get("type") not in ("integer", "number"):
        return False
    scores = field.get("enum")
    low, high = field.get("minimum"), field.get("maximum")
    if isinstance(scores, list) and scores:
        numbers = [s for s in scores if isinstance(s, int)]
        low, high = min(numbers, default=None), max(numbers, default=None)
    return low == LOWEST_SCORE and high == HIGHEST_SCORE
