"""What every test may need: the real material, and a machine kept out."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True)
def _no_personal_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep the developer's own rater name, keys and profiles out of tests."""
    import os

    for name in list(os.environ):
        if name.startswith(("GEODE_", "ANTHROPIC_", "INSPECT_")):
            monkeypatch.delenv(name)
    home = tmp_path_factory.getbasetemp() / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local/share"))


@pytest.fixture(scope="session")
def shared_seeds() -> Path:
    """The folder of real seed documents; skips where it is absent."""
    folder = SHARED / "seeds"
    if not folder.is_dir():
        pytest.skip("real seeds are not at hand")
    return folder


@pytest.fixture(scope="session")
def shared_logs() -> Path:
    """The folder of real audit logs; skips where it is absent."""
    folder = SHARED / "transcripts"
    if not folder.is_dir():
        pytest.skip("real logs are not at hand")
    return folder


HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]2;PWNED\x07",
    "\x1b]52;c;ZXZpbA==\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x1b[2J\x1b[H\x1b[?1049l",
    "\x9b31mC1\x9c\x85\x90",
    "a\u202egnp.exe\u202c \u2066x\u2069 \u200f\u200e\u061c",
    "lone \ud800 and \udfff surrogates",
    "z\u0351\u0352\u0353\u0354\u0355\u0356\u0357\u0358\u0359\u035aalgo" * 8,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
    "\U0001f44d\U0001f3fd 1\ufe0f\u20e3",
    "\u6f22\u5b57\u304b\u306a \ud55c\uae00",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "\u0939\u093f\u0928\u094d\u0926\u0940",
    "[/",
    "[/nope]",
    "[b]x[/b] = a[i] + b[/i]",
    "[@click=app.quit]click me[/]",
    "[link=file:///etc/passwd]x[/link]",
    "tab\tstop\t\tend",
    "carriage\rreturn\r\nline",
    "\x00nul\x00\x01\x02\x7f",
    "line\u2028separator\u2029paragraph\x0b\x0c",
    "\ufeffbom \u200bzero\u200c\u200dwidth\u2060",
    "\ufff9interlinear\ufffa\ufffb \U000e0041tags\U000e007f",
    "$variable %s {0} {x!r} \\u001b",
    "",
    " ",
    "\n\n\n",
    "x" * 1_000_000,
    "\U0001f600" * 5_000,
    "word " * 20_000,
)
"""Texts that would act on a terminal, as markup, or on a layout."""


@pytest.fixture(scope="session")
def hostile_texts() -> tuple[str, ...]:
    """The corpus that every widget showing outside text has to bear."""
    return HOSTILE
