"""Explain a score: the share of each chain in numerator and denominator."""

from cdec.explanation.explain import Explanation, counts_of, explain, prepare_files, with_texts
from cdec.metadocument import OTHER, SIDES, Side
from cdec.metrics.contribution import Contribution, Share, braces, brief, decimal, full
from cdec.metrics.sheet import Chain, Part, Sheet

__all__ = [
    "OTHER",
    "SIDES",
    "Chain",
    "Contribution",
    "Explanation",
    "Part",
    "Share",
    "Sheet",
    "Side",
    "braces",
    "brief",
    "counts_of",
    "decimal",
    "explain",
    "full",
    "prepare_files",
    "with_texts",
]
