"""What the choice of a setting changes: the tables behind docs/settings-decide-tables.md."""
