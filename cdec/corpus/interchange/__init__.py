"""The interchange format: a corpus as JSON Lines, described in ``docs/interchange.md``."""
