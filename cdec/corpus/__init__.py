"""Corpora: their data model, their formats, splits, where copies live, the sample."""
