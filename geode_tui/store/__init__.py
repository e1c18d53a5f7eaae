"""SQLite: the only place that holds SQL. Append-only events, blind read model."""
