"""One score followed by hand: what each chain brings to numerator and denominator."""

from cdec.explanation.contribution import Contribution, Share
from cdec.explanation.explain import Explanation, counts_of, explain
from cdec.explanation.means import mean_of
from cdec.explanation.rules import RULES
from cdec.explanation.sheet import Chain, Part, Sheet
from cdec.explanation.texts import with_texts
from cdec.metadocument import OTHER, SIDES, Side

__all__ = [
    "OTHER",
    "RULES",
    "SIDES",
    "Chain",
    "Contribution",
    "Explanation",
    "Part",
    "Share",
    "Sheet",
    "Side",
    "counts_of",
    "explain",
    "mean_of",
    "with_texts",
]
