"""One module per user journey; the only layer that combines the rooms below it."""
