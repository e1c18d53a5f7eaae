"""Where the demo's data is: shipped seeds, invented transcripts, two raters' labels.

Nothing here runs a model or comes from one. Seeds and labels live at the top
of a source tree, which is itself a workspace; a wheel carries them inside this
package.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def _shipped(name: str) -> Path:
    inside = _HERE / name
    return inside if inside.is_dir() else _HERE.parents[1] / name


def seeds_dir() -> Path:
    """The folder of shipped seed documents."""
    return _shipped("seeds")


def transcripts_dir() -> Path:
    """The folder of invented transcripts."""
    return _HERE / "transcripts"


def label_files() -> tuple[Path, ...]:
    """The labels of the demo's raters, one file of events per rater."""
    return tuple(sorted(_shipped("annotations").glob("demo-*.jsonl")))


def settings_file() -> Path:
    """The commented ``geode.toml`` of the demo workspace."""
    return _HERE / "geode.toml"
