"""Krippendorff's α on chains, with the distances of Passonneau (2004).

Passonneau, *Computing Reliability for Coreference Annotation*, LREC 2004. A unit is a mention that
both annotators have, its value by an annotator is the **set** of mentions of its chain, with the
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

from typing import Any

import numpy as np
from scipy.sparse import coo_array

from cdec.arrays import Floats, Ints

_INSIDE = 1 / 3
_OVERLAP = 2 / 3
_LEAST = 1e-12  # sums of thirds are not exact


def chain_alphas(
    first: Ints, second: Ints, documents: Ints, weights: Ints
) -> tuple[Floats, Floats]:
    """Return α of each row of weights (rows, documents), and α of each document alone.

    ``first`` and ``second`` have the number of the chain of each mention by an annotator,
    ``documents`` the number of its document. α is NaN if all values are one set, or there is none.

    >>> first, second = np.array([0, 0, 1]), np.array([0, 0, 0])  # {a b} {c}; {a b c}
    >>> chain_alphas(first, second, np.array([0, 0, 0]), np.array([[1]]))
    (array([0.]), array([0.]))
    """
    mentions = len(first)
    values = np.concatenate([first, second + mentions])
    rows = np.tile(np.arange(mentions), 2)
    members = _counts(rows, values, (mentions, 2 * mentions))
    shared = (members.T @ members).tocoo()
    sizes = members.sum(axis=0)
    smaller = np.minimum(sizes[shared.row], sizes[shared.col])
    larger = np.maximum(sizes[shared.row], sizes[shared.col])
    distance = np.full(len(smaller), _OVERLAP)
    distance[shared.data == smaller] = _INSIDE
    distance[shared.data == larger] = 0
    # Nearness is 1 − distance: of disjoint sets, nearly all pairs, it is 0, and not stored.
    places = (shared.row, shared.col)
    nearness = coo_array((1 - distance, places), shape=shared.shape).tocsr()
    of_mention = (members @ nearness).multiply(members).sum(axis=1) - 2
    in_document = _counts(documents, np.arange(mentions), (weights.shape[1], mentions))
    observed = in_document @ of_mention
    number = 2 * in_document.sum(axis=1)
    chains = in_document @ members
    all_pairs = chains @ nearness @ chains.T
    within = all_pairs.diagonal()
    across = np.sum((all_pairs @ weights.T).T * weights, axis=1)
    copies = (weights**2 - weights) @ within  # copies of a document have other chains
    of_weights = _alpha(weights @ observed, across - copies, weights @ number)
    return of_weights, _alpha(observed, within, number)


def _counts(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Any:
    return coo_array((np.ones(len(rows)), (rows, columns)), shape=shape).tocsr()


def _alpha(observed: Floats, nearness: Floats, number: Ints) -> Floats:
    """Return α from sums of nearness: of both values of a mention, and of all with all."""
    distance = 1 - _ratio(observed, number)
    expected = 1 - _ratio(nearness - number, number * (number - 1))
    return 1 - _ratio(distance, expected)


def _ratio(numerator: Floats, denominator: Floats | Ints) -> Floats:
    ratio = np.full(len(denominator), np.nan)
    is_defined = denominator > _LEAST
    ratio[is_defined] = numerator[is_defined] / denominator[is_defined]
    return ratio
