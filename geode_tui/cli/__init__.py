"""The command line: parse arguments, build workflows, print or open the app."""

from geode_tui.cli.main import main

__all__ = ["main"]
