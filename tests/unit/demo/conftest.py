"""The demo as the importers and the seed reader see it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from geode_tui import demo
from geode_tui.config import DEFAULT_HARNESS_ERRORS
from geode_tui.domain.imported import ImportedSample
from geode_tui.domain.seed import Seed
from geode_tui.files.logs import log_paths, read_log
from geode_tui.files.seeds import read_seed, seed_paths

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"


@pytest.fixture(scope="session")
def builder() -> ModuleType:
    """``scripts/build_demo.py`` as a module."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module("build_demo")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="session")
def seeds() -> dict[str, Seed]:
    """File name -> shipped seed."""
    return {path.name: read_seed(path) for path in seed_paths([demo.seeds_dir()])}


@pytest.fixture(scope="session")
def samples() -> dict[str, ImportedSample]:
    """Name of the conversation -> what the importer hands over."""
    found: dict[str, ImportedSample] = {}
    for path in log_paths([demo.transcripts_dir()]):
        for sample in read_log(path, harness_errors=DEFAULT_HARNESS_ERRORS):
            assert isinstance(sample, ImportedSample), sample
            found[sample.transcript.source.sample_id] = sample
    return found
