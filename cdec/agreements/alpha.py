"""Krippendorff's α on chains, with the distances of Passonneau (2004).

Passonneau, *Computing Reliability for Coreference Annotation*, LREC 2004. A unit is a mention that
both annotators have, its value by an annotator is the **set** of mentions of its chain, with the
mention itself: a singleton is a set of one, and labels mean nothing. The distance of two sets is 0
if they are equal, 1/3 if one is inside the other, 2/3 if they overlap otherwise, and 1 if they are
disjoint (she writes .33 and .67). A mention that an annotator lacks has no value by her; so that
each unit has one value of each annotator, it is no unit, and in no set: the agreement on mentions
counts it.

α is 1 − D_o / D_e: the mean distance of the two values of a unit, by that of two values of any
units (Krippendorff 2004, *Content Analysis*, 2nd edition, section 11.3). With N values in all,
D_o = O / N and D_e = E / (N (N − 1)), for the sums O and E over ordered pairs. Both sums add over
documents and pairs of documents, so that resamples need no new distances.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array

from cdec.arrays import Floats, Ints

# Nearness of two sets, in thirds: 3 − 3 · distance, which is 0 for nearly all pairs of sets.
_EQUAL = 3
_INSIDE = 2
_OVERLAP = 1


def chain_alphas(first: Ints, second: Ints, documents: Ints, weights: Ints) -> Floats:
    """Return α of each row of weights (rows, documents): how often a document occurs.

    ``first`` and ``second`` have the number of the chain of each mention by an annotator,
    ``documents`` the number of its document. Copies of a document have separate chains; a chain
    across documents has all its mentions, whatever the weights. α is NaN if all values are one set,
    or there is none.

    >>> first, second = np.array([0, 0, 1]), np.array([0, 0, 0])  # {a b} {c}; {a b c}
    >>> chain_alphas(first, second, np.array([0, 0, 0]), np.array([[1]]))
    array([0.])
    """
    mentions = len(first)
    rows = np.tile(np.arange(mentions), 2)
    chains = np.concatenate([first, second + mentions])
    ones = np.ones(2 * mentions, np.int64)
    members = coo_array((ones, (rows, chains)), shape=(mentions, 2 * mentions)).tocsr()
    sizes = members.sum(axis=0)
    shared = (members.T @ members).tocoo()
    one_size = sizes[shared.row]
    other_size = sizes[shared.col]
    near = np.full(len(shared.data), _OVERLAP)
    near[shared.data == np.minimum(one_size, other_size)] = _INSIDE
    near[shared.data == np.maximum(one_size, other_size)] = _EQUAL
    nearness = coo_array((near, (shared.row, shared.col)), shape=shared.shape).tocsr()

    number_of_documents = weights.shape[1]
    distances = _EQUAL - nearness[first, second + mentions]
    observed = weights @ np.bincount(documents, 2 * distances, number_of_documents)
    number = weights @ np.bincount(documents, minlength=number_of_documents) * 2
    counts = coo_array(
        (ones, (np.tile(documents, 2), chains)),
        shape=(number_of_documents, 2 * mentions),
    ).tocsr()
    pairs = counts @ nearness @ counts.T
    near_pairs = ((weights @ pairs) * weights).sum(axis=1)
    near_copies = (weights * (weights - 1)) @ pairs.diagonal()
    expected = _EQUAL * number**2 - near_pairs + near_copies
    with np.errstate(invalid="ignore"):
        alphas: Floats = 1 - (number - 1) * observed / expected
    return alphas
