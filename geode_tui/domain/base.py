"""The base of every domain value: frozen, no unknown fields, picklable."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

LOWEST_SCORE = 1
HIGHEST_SCORE = 10

Score = Annotated[int, Field(ge=LOWEST_SCORE, le=HIGHEST_SCORE, strict=True)]
"""An integer score from 1 to 10."""


class Value(BaseModel):
    """An immutable value."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Span(Value):
    """A half-open range of code points in a message's raw text."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)

    def of(self, text: str) -> str:
        """The text of the span."""
        return text[self.start : self.end]
