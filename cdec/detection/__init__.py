"""Mentions from raw text: detectors trained on a corpus, and systems on what they find."""

from cdec.detection.detector import NAMES, Detector
from cdec.detection.system import Detecting

__all__ = ["NAMES", "Detecting", "Detector"]
