"""The detectors of annotation errors."""
