"""``python -m geode_tui``."""

from geode_tui.cli import main

main()
