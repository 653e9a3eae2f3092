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
    heads, rows = spans.first.copy(), spans.rows()
    wide, above = len(nodes) + 1, nodes.parent[spans.places]
    is_candidate = ~np.isin(rows * wide + above, rows * wide + spans.places) | (above < 0)
    number = np.bincount(rows[is_candidate], minlength=len(spans))
    alone = is_candidate & (number[rows] == 1)
    heads[rows[alone]] = spans.places[alone]
    for row in np.flatnonzero(number > 1).tolist():
        mention = slice(*spans.bounds[row : row + 2])
        inside = set(spans.places[mention].tolist())
        candidates = spans.places[mention][is_candidate[mention]].tolist()
        candidates = [n for n in candidates if not inside & {*nodes.parents(n)}] or candidates
        words = [word for node in candidates if (word := _word(nodes, node)) >= 0]
        best = candidates[0] if len(candidates) == 1 else _common_ancestor(nodes.parent, words)
        heads[row] = best if best in candidates else candidates[0]
    return heads


def _word(nodes: Nodes, node: int) -> int:
    """Return the node if it is a word, else its first parent by DEPS that is one; −1 if none."""
    seen = set()
    while node >= 0 and not nodes.is_word[node]:
        seen.add(node)
        parents = nodes.parents(node)
        words = (parent for parent in parents if nodes.is_word[parent])
        node = next(words, next((parent for parent in parents if parent not in seen), -1))
    return node


def _common_ancestor(parent: Ints, words: list[int]) -> int:
    """Return the lowest node that is an ancestor of all words, or one of them; −1 if none."""
    paths = [_path(parent, word) for word in words]
    common = set.intersection(*map(set, paths)) if paths else set()
    return next((node for node in paths[0] if node in common), -1) if paths else -1


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
        above = [p // WIDTH for p in places if p % WIDTH == 0] or [p // WIDTH for p in places]
        words = nodes.at((nodes.base[node] + np.array(above, np.int64)) * WIDTH).tolist()
        depths = [len(_path(nodes.parent, word)) for word in words]
        number[node] = above[depths.index(min(depths))] if above else number[node]
    moved = number != nodes.number
    return np.lexsort((np.arange(len(nodes)), moved, ~nodes.is_word, nodes.base + number))
