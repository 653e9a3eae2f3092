"""Tuning of the systems with a threshold δ, by grid search."""
