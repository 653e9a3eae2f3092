"""Evaluation of the detectors on planted annotation errors."""
