"""Scores of mention pairs: their quality, and every metric against the threshold."""
