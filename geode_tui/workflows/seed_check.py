"""What a seed document says, what is at fault in it, and which scores it can give."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from geode_tui.domain.base import Value
from geode_tui.domain.seed import LintFinding, Seed
from geode_tui.errors import GeodeError, SeedError
from geode_tui.files.lint import lint
from geode_tui.files.seeds import read_seed, seed_paths
from geode_tui.files.sidecar import dump_sidecar
from geode_tui.rules.reachable import Reach, reach


class SeedReport(Value):
    """One document.

    Attributes:
        path: the file, as it was named.
        error: why it cannot be read; None where it was.
        seed: what was read; None where it cannot be.
        findings: faults of its rubric, by line.
        reach: per scored dimension, what every number of calls can give.
    """

    path: str
    error: str | None = None
    seed: Seed | None = None
    findings: tuple[LintFinding, ...] = ()
    reach: tuple[Reach, ...] = ()


def check_seeds(paths: Iterable[Path]) -> tuple[SeedReport, ...]:
    """A report on every document that these files and folders name.

    One that cannot be read is a report with its ``error``; the rest goes on.
    """
    return tuple(_report(path) for path in seed_paths(paths))


def _report(path: Path) -> SeedReport:
    try:
        seed = read_seed(path)
    except GeodeError as error:
        return SeedReport(path=str(path), error=str(error))
    return SeedReport(
        path=str(path), seed=seed, findings=lint(seed), reach=reach(seed.rubric)
    )


def find_seed(named: str, folder: Path) -> SeedReport:
    """The one document of this path, id (or its beginning), name or file name.

    Raises:
        SeedError: none is called so, several are, or it cannot be read.
    """
    path = Path(named)
    reports = check_seeds([path if path.is_file() else folder])
    found = [r for r in reports if path.is_file() or _is_called(r, named)]
    if not found:
        raise SeedError(
            f"no seed is called {named!r}.",
            where=str(folder),
            hint="Give a file, a name, or the beginning of an id; "
            "`geode-tui seeds check` lists them.",
        )
    if len(found) > 1:
        places = ", ".join(report.path for report in found)
        raise SeedError(
            f"{named!r} names {len(found)} seeds: {places}.",
            hint="Give the file.",
        )
    if found[0].error is not None:
        raise SeedError(found[0].error)
    return found[0]


def _is_called(report: SeedReport, named: str) -> bool:
    path = Path(report.path)
    if named in {path.name, path.stem}:
        return True
    seed = report.seed
    if seed is None or not named:
        return False
    identity = seed.id.removeprefix("b2:")
    begins = len(named) >= 4 and identity.startswith(named.removeprefix("b2:"))
    return seed.name == named or begins


def rubric_sidecar(path: Path) -> str:
    """The YAML of a sidecar that states what was read from ``path``.

    Raises:
        SeedError: it cannot be read.
    """
    return dump_sidecar(read_seed(path).rubric)
