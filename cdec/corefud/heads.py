"""The heads of mentions from the tree.

The candidates are the words of a mention whose parent lies outside, and its empty nodes. Of several
candidates those count that have no parent inside by DEPS. If several are left, empty nodes are
replaced by their first parent that is a word, and the lowest common ancestor of all is the head if
it is a candidate; else the head that the file gives, or the first candidate. (The rule of udapi's
block corefud.MoveHead, described in its documentation.)
"""

from __future__ import annotations

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.corefud.entities import Entities
from cdec.corefud.trees import DEPREL, HEAD, UPOS, WIDTH, Trees, arcs_of
from cdec.files.input import integer


def tree_heads(trees: Trees, entities: Entities) -> Ints:
    """Return the node of the head of each mention."""
    heads = entities.head.copy()
    parents = parent_nodes(trees)
    sizes = np.diff(entities.bounds)
    for row in np.flatnonzero(sizes > 1).tolist():
        nodes = entities.nodes[entities.bounds[row] : entities.bounds[row + 1]]
        given = int(entities.head[row]) if entities.has_heads else -1
        heads[row] = _head(trees, parents, nodes, given)
    return heads


def parent_nodes(trees: Trees) -> Ints:
    """Return the node of each word's parent; −1 for a root, −2 for an empty node."""
    texts = trees.column(HEAD)
    numbers = np.array([n if (n := integer(t)) >= 0 else -2 for t in texts], dtype=np.int64)
    return _word_nodes(trees, trees.sentence, np.where(trees.is_word, numbers, -2))


def _word_nodes(trees: Trees, sentence: Ints, number: Ints) -> Ints:
    """Return the node of word ``number`` of a sentence; −1 for 0, −2 if there is none."""
    words = np.flatnonzero(trees.is_word)
    first = np.searchsorted(trees.sentence[words], sentence)
    at = first + number - 1
    valid = (number > 0) & (at < len(words))
    valid[valid] &= trees.sentence[words[at[valid]]] == sentence[valid]
    nodes = np.where(number == 0, -1, -2)
    nodes[valid] = words[at[valid]]
    return nodes


def _head(trees: Trees, parents: Ints, nodes: Ints, given: int) -> int:
    inside = set(nodes.tolist())
    candidates: list[int] = [n for n in nodes.tolist() if int(parents[n]) not in inside]
    if len(candidates) > 1:
        arcs = {node: dependents(trees, node) for node in candidates}
        candidates = [n for n in candidates if not inside & set(arcs[n])] or candidates
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        return given if given >= 0 else int(nodes[0])
    words = [_word(trees, node, inside) for node in candidates]
    ancestor = _common_ancestor(parents, [word for word in words if word >= 0])
    if ancestor in candidates:
        return ancestor
    return given if given in candidates else candidates[0]


def dependents(trees: Trees, node: int) -> list[int]:
    """Return the parents of a node by DEPS, as nodes."""
    base = (int(trees.place[node]) // WIDTH - int(trees.number[node])) * WIDTH
    found = []
    for inside, _ in arcs_of(trees.deps[node]):
        at = int(np.searchsorted(trees.place, base + inside))
        if at < len(trees) and trees.place[at] == base + inside:
            found.append(at)
    return found


def _word(trees: Trees, node: int, inside: set[int]) -> int:
    """Return the node if it is a word, else its first parent by DEPS that is one; −1 if none."""
    seen = set()
    while not trees.is_word[node]:
        seen.add(node)
        parents = dependents(trees, node)
        words = [n for n in parents if trees.is_word[n]]
        if words:
            return words[0]
        node = next((n for n in parents if n not in seen), -1)
        if node < 0:
            return -1
    return node


def _common_ancestor(parents: Ints, words: list[int]) -> int:
    """Return the lowest node that is an ancestor of all words, or one of them; −1 if none."""
    paths = []
    for word in words:
        path = [word]
        while (parent := int(parents[path[-1]])) >= 0 and len(path) <= len(parents):
            path.append(parent)
        paths.append(path)
    common = set.intersection(*map(set, paths)) if paths else set()
    return next((node for node in paths[0] if node in common), -1) if paths else -1


def upos_of_heads(trees: Trees, entities: Entities, head: Ints, upos: str) -> Bools:
    """Return which mentions have a head with this UPOS, or with a ``flat`` child that has it.

    Žabokrtský et al. (2022), CRAC, table 8.
    """
    tags = np.array(trees.column(UPOS), dtype=object) == upos
    flat = np.array([r.split(":")[0] == "flat" for r in trees.column(DEPREL)], dtype=np.bool_)
    parents = parent_nodes(trees)
    children = np.flatnonzero(flat & tags & (parents >= 0))
    tags = tags.copy()
    tags[parents[children]] = True
    found: Bools = tags[head].astype(np.bool_)
    return found


def written_order(trees: Trees) -> Ints:
    """Return the nodes in the order of CRAC's plain text: an empty node follows its parent.

    Of several parents the highest in the tree counts. Empty nodes that follow their parent in the
    file come first.
    """
    number, sizes = trees.number.copy(), np.bincount(trees.sentence, trees.is_word)
    parents = parent_nodes(trees) if trees.empty_deps else number
    words = np.flatnonzero(trees.is_word)
    starts = np.cumsum(sizes).astype(int) - sizes.astype(int)
    for node, cell in trees.empty_deps.items():
        sentence = trees.sentence[node]
        places = [place for place, _ in arcs_of(cell) if place // WIDTH <= sizes[sentence]]
        above = [p // WIDTH for p in places if p % WIDTH == 0] or [p // WIDTH for p in places]
        own = words[starts[sentence] :]
        if above:
            number[node] = min(above, key=lambda n: _depth(parents, own[n - 1] if n else -1))
    base = (trees.place - trees.sub) // WIDTH - trees.number
    is_moved = number != trees.number
    return np.lexsort((np.arange(len(trees)), is_moved, ~trees.is_word, base + number))


def _depth(parents: Ints, node: int) -> int:
    """Return the number of words from the root to a word; 0 for the root."""
    depth = 0
    while node >= 0 and depth <= len(parents):
        node, depth = parents[node], depth + 1
    return depth
