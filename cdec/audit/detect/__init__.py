"""The detectors: each finds cases of one kind."""
