"""Explain a score: the share of each chain in numerator and denominator."""

from cdec.explanation.explain import Explanation, explain, prepare_files
from cdec.metadocument import SIDES

__all__ = ["SIDES", "Explanation", "explain", "prepare_files"]
