"""Evaluation: match a response with its key, apply settings, score, save and read results."""
