"""Counts of mentions in trees, as in Žabokrtský et al. (2022), CRAC, tables 9–14."""

from __future__ import annotations

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.corefud.heads import dependents, parent_nodes
from cdec.corefud.treebank import Treebank
from cdec.corefud.trees import UPOS

TAGS = ("NOUN", "PRON", "PROPN", "DET", "ADJ", "VERB", "ADV", "NUM", "_")


def statistics(bank: Treebank) -> dict[str, float | None]:
    """Return the counts of a text, and the shares of mentions by their nodes and their heads."""
    trees, entities = bank.trees, bank.entities
    rows = np.repeat(np.arange(len(entities)), np.diff(entities.bounds))
    empty = np.bincount(rows[~trees.is_word[entities.nodes]], minlength=len(entities)) > 0
    first, last = entities.nodes[entities.bounds[:-1]], entities.nodes[entities.bounds[1:] - 1]
    gap = last - first + 1 > np.diff(entities.bounds)
    tags = np.array(trees.column(UPOS), dtype=object)[entities.head]
    by_tag = {f"head_{tag}": _percent(tags == tag) for tag in TAGS}
    return {
        "sentences": int(trees.sentence[-1]) + 1,
        "empty": int((~trees.is_word).sum()),
        "with_empty": _percent(empty),
        "with_gap": _percent(gap),
        "no_treelet": _percent(_roots(bank) > 1),
        **by_tag,
        "head_other": _percent(~np.isin(tags, TAGS)),
    }


def _roots(bank: Treebank) -> Ints:
    """Return how many nodes of each mention have no parent in it; one for a treelet."""
    trees, entities = bank.trees, bank.entities
    parents = parent_nodes(trees)[entities.nodes]
    rows = np.repeat(np.arange(len(entities)), np.diff(entities.bounds))
    wide = len(trees) + 1
    inside = np.isin(rows * wide + parents, rows * wide + entities.nodes) & (parents >= 0)
    for at in np.flatnonzero(~trees.is_word[entities.nodes]).tolist():
        row = rows[at]
        nodes = entities.nodes[entities.bounds[row] : entities.bounds[row + 1]]
        inside[at] = bool(np.isin(dependents(trees, int(entities.nodes[at])), nodes).any())
    return np.bincount(rows[~inside], minlength=len(entities))


def _percent(mask: Bools) -> float | None:
    return 100 * float(mask.mean()) if len(mask) else None
