"""Candidate pairs of mentions and their features, for what learns from pairs."""
