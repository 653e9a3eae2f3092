"""The heads of mentions from the tree.

The candidates are the words of a mention whose parent lies outside, and its empty nodes. Of several
candidates those count that have no parent inside by DEPS. If several are left, empty nodes are
replaced by their first parent that is a word, and the lowest common ancestor of all is the head if
it is a candidate; else the first candidate. (The rule of udapi's block corefud.MoveHead, described
in its documentation.)
"""

from __future__ import annotations

import numpy as np

from cdec.arrays import Ints
from cdec.corefud.nodes import WIDTH, Nodes, arcs_of
from cdec.corefud.spans import Spans


def tree_heads(nodes: Nodes, spans: Spans) -> Ints:
    """Return the node of the head of each mention."""
    heads = spans.first.copy()
    rows = spans.rows()
    above = nodes.parent[spans.places]
    # A mention and a node as one number; that of no node, −1, is none of a mention's places.
    width = len(nodes) + 1
    is_candidate = ~np.isin(rows * width + above, rows * width + spans.places)
    number = np.bincount(rows[is_candidate], minlength=len(spans))
    is_head = is_candidate & (number[rows] == 1)
    heads[rows[is_head]] = spans.places[is_head]
    for row in np.flatnonzero(number > 1).tolist():
        mention = slice(*spans.bounds[row : row + 2])
        places = spans.places[mention]
        candidates = places[is_candidate[mention]].tolist()
        heads[row] = _head_of_several(nodes, {*places.tolist()}, candidates)
    return heads


def _head_of_several(nodes: Nodes, mention: set[int], candidates: list[int]) -> int:
    """Return the head of the nodes of a mention that has several candidates by HEAD."""
    by_deps = [node for node in candidates if mention.isdisjoint(nodes.parents(node))]
    if by_deps:
        candidates = by_deps
    if len(candidates) == 1:
        return candidates[0]
    words = [_word(nodes, node) for node in candidates]
    paths = [_path(nodes.parent, word) for word in words if word >= 0]
    if paths:
        common = set.intersection(*map(set, paths))
        ancestor = next((node for node in paths[0] if node in common), -1)
        if ancestor in candidates:
            return ancestor
    return candidates[0]


def _word(nodes: Nodes, node: int) -> int:
    """Return the node if it is a word, else its first parent by DEPS that is one; −1 if none."""
    visited = set()
    while node >= 0 and not nodes.is_word[node]:
        visited.add(node)
        parents = nodes.parents(node)
        words = [parent for parent in parents if nodes.is_word[parent]]
        empty = [parent for parent in parents if parent not in visited]
        node = next(iter(words or empty), -1)
    return node


def _path(parent: Ints, node: int) -> list[int]:
    """Return a word and its ancestors; of a cycle, all words."""
    path = []
    while node >= 0 and node not in path:
        path.append(node)
        node = int(parent[node])
    return path


def written_order(nodes: Nodes) -> Ints:
    """Return the nodes in the order of CRAC's plain text: an empty node follows its parent.

    Of several parents the highest in the tree counts. Empty nodes that follow their parent in the
    file come first.
    """
    number = nodes.number.copy()
    empty = np.flatnonzero(~nodes.is_word)
    for node in empty.tolist():
        places = [place for place, _ in arcs_of(nodes.deps[node])]
        words = [place for place in places if place % WIDTH == 0]
        numbers = [place // WIDTH for place in words or places]
        if numbers:
            parents = nodes.at(nodes.base[node] + np.array(numbers) * WIDTH).tolist()
            depths = [len(_path(nodes.parent, parent)) for parent in parents]
            number[node] = numbers[depths.index(min(depths))]
    moved = number != nodes.number
    return np.lexsort(
        (np.arange(len(nodes)), moved, ~nodes.is_word, nodes.base + number * WIDTH)
    )
