"""Screens: they call workflows and hand domain values to widgets."""
