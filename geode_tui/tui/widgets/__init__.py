"""Widgets: they show domain values and post messages; they know no workflow."""
