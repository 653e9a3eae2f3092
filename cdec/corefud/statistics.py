"""Counts of mentions in trees, as in Žabokrtský et al. (2022), CRAC, tables 9–14."""

from __future__ import annotations

import numpy as np

from cdec.arrays import Bools
from cdec.corefud.heads import outside
from cdec.corefud.nodes import UPOS
from cdec.corefud.treebank import Treebank

TAGS = ("NOUN", "PRON", "PROPN", "DET", "ADJ", "VERB", "ADV", "NUM", "_")


def statistics(bank: Treebank) -> dict[str, float | None]:
    """Return the counts of a text, and shares of mentions in percent, by their nodes and heads.

    A treelet is a mention with one node that has no parent in it.
    """
    nodes, spans = bank.nodes, bank.spans
    rows, is_empty = spans.rows(), ~nodes.is_word[spans.places]
    root = outside(nodes, spans)
    for at in np.flatnonzero(is_empty).tolist():
        inside = spans.places[slice(*spans.bounds[rows[at] : rows[at] + 2])]
        root[at] = np.isin(inside, nodes.parents(int(spans.places[at]))).sum() == 0
    tags = np.array(nodes.column(UPOS), dtype=object)[spans.head]
    return {
        "sentences": int(nodes.sentence[-1]) + 1,
        "empty": int((~nodes.is_word).sum()),
        "with_empty": _percent(np.bincount(rows[is_empty], minlength=len(spans)) > 0),
        "with_gap": _percent(spans.last - spans.first + 1 > spans.sizes),
        "no_treelet": _percent(np.bincount(rows[root], minlength=len(spans)) > 1),
        **{f"head_{tag}": _percent(tags == tag) for tag in TAGS},
        "head_other": _percent(~np.isin(tags, TAGS)),
    }


def _percent(mask: Bools) -> float | None:
    return 100 * float(mask.mean()) if len(mask) else None
