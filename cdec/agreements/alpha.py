"""Krippendorff's α on chains, with the distances of Passonneau (2004).

Passonneau, *Computing Reliability for Coreference Annotation*, LREC 2004. A unit is a mention that
all annotators have, its value by an annotator is the **set** of mentions of its chain, with the
mention itself: a singleton is a set of one, and labels mean nothing. The distance of two sets is 0
if they are equal, 1/3 if one is inside the other, 2/3 if they overlap otherwise, and 1 if they are
disjoint (she writes .33 and .67). A mention that an annotator lacks has no value by her; so that
each unit has one value of each annotator, it is no unit, and in no set: the agreement on mentions
counts it.

α is 1 − D_o / D_e: the mean distance of two values of one unit, by that of two values of all units
(Krippendorff 2004, *Content Analysis*, 2nd edition, section 11.3). Sums of distances add over pairs
of documents, so that resamples need no new distances. Copies of a document in a resample have
separate chains, and a chain across documents has all its mentions, drawn or not.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array

from cdec.arrays import Floats, Ints

_INSIDE = 1 / 3
_OVERLAP = 2 / 3
_LEAST = 1e-12  # sums of thirds are not exact


class ChainValues:
    """The sums behind α, by document: what ``alphas`` weighs.

    ``values`` (mentions, annotators) are numbers of chains, of which no two annotators share one;
    ``documents`` (mentions) are numbers from 0. Documents without a unit are allowed.
    """

    def __init__(self, values: Ints, documents: Ints, size: int) -> None:
        mentions, annotators = values.shape
        chains = int(values.max(initial=-1)) + 1
        rows = np.repeat(np.arange(mentions), annotators)
        entries = (np.ones(values.size), (rows, values.ravel()))
        members = coo_array(entries, shape=(mentions, chains)).tocsr()
        shared = (members.T @ members).tocoo()
        sizes = members.sum(axis=0)
        smaller = np.minimum(sizes[shared.row], sizes[shared.col])
        larger = np.maximum(sizes[shared.row], sizes[shared.col])
        distance = np.full(len(shared.data), _OVERLAP)
        distance[shared.data == smaller] = _INSIDE
        distance[shared.data == larger] = 0
        # 1 minus the distance: disjoint sets, nearly all pairs, are the zeros of a sparse matrix.
        places = (shared.row, shared.col)
        nearness = coo_array((1 - distance, places), shape=shared.shape).tocsr()
        with_itself = (members @ nearness).multiply(members).sum(axis=1)
        of_unit = (with_itself - annotators) / (annotators - 1)
        self.number = annotators * np.bincount(documents, minlength=size)
        self.observed = np.bincount(documents, of_unit, minlength=size)
        homes = (np.ones(mentions), (documents, np.arange(mentions)))
        counts = coo_array(homes, shape=(size, mentions)).tocsr() @ members
        self.pairs = counts @ nearness @ counts.T
        self.within = self.pairs.diagonal()

    def alphas(self, weights: Ints) -> Floats:
        """Return α of each row of weights (rows, documents); NaN if all values are one set.

        >>> values = np.array([[0, 2], [0, 2], [1, 2]])  # {a b} {c}; {a b c}
        >>> chains = ChainValues(values, np.zeros(3, np.int64), 1)
        >>> chains.alphas(np.array([[1]])).tolist(), chains.of_documents.tolist()
        ([0.0], [0.0])
        """
        across = np.sum((self.pairs @ weights.T).T * weights, axis=1)
        nearness = across - (weights**2 - weights) @ self.within
        return _alpha(weights @ self.observed, nearness, weights @ self.number)

    @property
    def of_documents(self) -> Floats:
        """α of each document alone."""
        return _alpha(self.observed, self.within, self.number)


def _alpha(observed: Floats, nearness: Floats, number: Ints) -> Floats:
    """Return α from sums of nearness: of values of one unit, and of all values with all."""
    distance = 1 - _ratio(observed, number)
    expected = 1 - _ratio(nearness - number, number * (number - 1))
    return 1 - _ratio(distance, expected)


def _ratio(numerator: Floats, denominator: Floats | Ints) -> Floats:
    ratio = np.full(len(denominator), np.nan)
    is_defined = denominator > _LEAST
    ratio[is_defined] = numerator[is_defined] / denominator[is_defined]
    return ratio
