"""Candidate pairs of mentions and their features."""
