"""The places of mentions as strings: sentence and ids."""

from __future__ import annotations

import numpy as np

from cdec.arrays import Ints
from cdec.formats.conllu.trees import Trees


def spans_of(trees: Trees, nodes: Ints, begin: Ints, end: Ints) -> list[str]:
    """Return the places of mentions in their documents: sentence and ids, as in ``3:2-4,6.1``.

    ``nodes`` has the nodes of all mentions, mention i those from ``begin[i]`` to ``end[i]`` − 1.
    """
    first, last = nodes[begin], nodes[end - 1]
    sentence = trees.sentence_in_document[first].tolist()
    empty = np.concatenate([[0], np.cumsum(~trees.is_word)])
    words_only = empty[last + 1] == empty[first]
    simple = ((last - first + 1 == end - begin) & words_only).tolist()
    low, high = trees.number[first].tolist(), trees.number[last].tolist()
    return [
        (f"{s}:{a}-{b}" if a < b else f"{s}:{a}")
        if plain
        else f"{s}:{_span(trees, nodes[begin[row] : end[row]])}"
        for row, (s, a, b, plain) in enumerate(zip(sentence, low, high, simple, strict=True))
    ]


def _span(trees: Trees, nodes: Ints) -> str:
    """Return the ids of nodes as runs; empty nodes inside a run of nodes are part of it."""
    cuts = np.flatnonzero(np.diff(nodes) > 1) + 1
    runs = [(trees.id_of(run[0]), trees.id_of(run[-1])) for run in np.split(nodes, cuts)]
    return ",".join(a if a == b else f"{a}-{b}" for a, b in runs)
