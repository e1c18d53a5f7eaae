"""Formats in and out: logs, seeds, annotation files. No storage, no screens."""
