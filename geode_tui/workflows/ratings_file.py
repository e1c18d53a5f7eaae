"""Agreement of a table of ratings from anywhere, by the code that the app uses."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from geode_tui.calibration.ratings import Ratings
from geode_tui.calibration.report import agreement
from geode_tui.calibration.resampling import Resampling
from geode_tui.domain.estimate import Estimate
from geode_tui.errors import CalibrationError
from geode_tui.files.ratings import read_ratings

__all__ = ["agreement_of_file", "scale_of"]

MOST_STEPS = 1000

Level = Literal["nominal", "ordinal", "interval"]


def scale_of(text: str) -> tuple[float, ...]:
    """A scale as written: ``1-10`` (whole steps) or ``0,0.5,1``.

    Raises:
        CalibrationError: it is neither, has fewer than two steps or too many.
    """
    steps: set[float] = set()
    try:
        if "," in text:
            steps = {float(part) for part in text.split(",")}
        else:
            low, high = (int(part) for part in text.rsplit("-", 1))
            if high - low < MOST_STEPS:
                steps = {float(step) for step in range(low, high + 1)}
    except (ValueError, OverflowError):
        steps = set()
    if not 2 <= len(steps) <= MOST_STEPS or not all(abs(s) < 1e12 for s in steps):
        raise CalibrationError(
            f"{text!r} is no scale.",
            where="--scale",
            hint="Write 1-10, or every step: 0,0.5,1.",
        )
    return tuple(sorted(steps))


def agreement_of_file(
    path: Path,
    *,
    scale: str = "1-10",
    level: Level = "ordinal",
    dimension: str | None = None,
    resamples: int = Resampling().resamples,
) -> dict[str, Estimate]:
    """Every coefficient of the ratings in a JSON or CSV file, by name.

    Raises:
        CalibrationError: the file cannot be read, or a score is not on the
            scale.
    """
    table = read_ratings(path, dimension=dimension)
    items = list(
        dict.fromkeys(
            item
            for source in (table.ratings, table.labels)
            for given in source.values()
            for item in given
        )
    )
    # Every item has a row, also those that have labels and no score.
    scores = {
        rater: {item: given.get(item) for item in items}
        for rater, given in table.ratings.items()
    }
    if scores:
        try:
            ratings = Ratings.from_table(
                scores, groups=table.groups, scale=scale_of(scale)
            )
        except CalibrationError as error:
            raise CalibrationError(
                error.message, where=f"{path}, {error.where}", hint=error.hint
            ) from error
    else:
        ratings = Ratings.of(
            [[None] for _ in items],
            raters=["nobody"],
            groups=[table.groups.get(item, ("item", item)) for item in items],
            scale=scale_of(scale),
        )
    return agreement(
        ratings,
        level=level,
        labels=table.labels or None,
        items=items,
        resampling=Resampling(resamples=resamples),
    )
