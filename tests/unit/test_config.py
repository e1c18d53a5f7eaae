"""Settings are checked when they are read, and the message names the setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from geode_tui.config import load_config
from geode_tui.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("foo = 1", "foo: there is no such setting."),
        ("[label]\nfoo = 1", "label.foo: there is no such setting."),
        ('[import]\nharness_errors = ["("]', "'(' is no regular expression"),
        ('[label]\nreveal = "sometimes"', "label.reveal: "),
        ("= 1", "cannot be read"),
    ],
)
def test_an_unusable_setting_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "geode.toml").write_text(text)
    with pytest.raises(ConfigError) as error:
        load_config(tmp_path)
    assert said in str(error.value)


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path).label.seed_dimensions
