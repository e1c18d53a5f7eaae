"""The one exception tree of the project.

Every message says what was wrong, where (file, sample, line) and what to do
about it. Failures of one item in a batch are values, not exceptions; an
exception here means that the thing asked for cannot be done at all.
"""

from __future__ import annotations


class GeodeError(Exception):
    """Base of every error that a user may see.

    Attributes:
        message: what was wrong, in one sentence.
        where: file, sample, line or setting; empty when there is no such place.
        hint: what to do about it; empty when there is nothing to do.
    """

    title = "Error"

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} {self.hint}" if self.hint else text

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.where, self.hint))


def _rebuild(kind: type[GeodeError], message: str, where: str, hint: str) -> GeodeError:
    return kind(message, where=where, hint=hint)


class ConfigError(GeodeError):
    """A setting in geode.toml, an option or the environment is unusable."""

    title = "Settings"


class WorkspaceError(GeodeError):
    """The workspace folder is missing or cannot be used."""

    title = "Workspace"


class SeedError(GeodeError):
    """A seed document cannot be read."""

    title = "Seed"


class TerminalError(GeodeError):
    """The app cannot be drawn here."""

    title = "Terminal"


class StoreError(GeodeError):
    """The database cannot be opened, read or written."""

    title = "Database"


class BlindnessError(GeodeError):
    """A request would show a rater what they must not see yet."""

    title = "Blind"


class AnnotationError(GeodeError):
    """A label does not fit its rubric, its transcript or its history."""

    title = "Label"


class ExchangeError(GeodeError):
    """An export cannot be written or an annotation file cannot be read."""

    title = "Export"


class CalibrationError(GeodeError):
    """Ratings cannot be compared as they are given."""

    title = "Agreement"
