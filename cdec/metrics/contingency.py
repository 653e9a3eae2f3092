"""Contingency: how the chains of a key and of a response share mentions, sparse and pooled."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array

from cdec.arrays import Ints, numbered
from cdec.clustering import Clustering
from cdec.errors import ScoringError, counted
from cdec.metadocument import MetaDocuments

Labels: TypeAlias = "npt.NDArray[Any] | pd.Series[Any] | Sequence[Hashable]"


@dataclass(frozen=True, slots=True, eq=False)
class Contingency:
    """Key chains × response chains, over one or many meta-documents at once.

    ``key_sizes`` (one entry a key chain) and ``response_sizes`` (one a response chain) count
    mentions, twinless ones included. ``rows``, ``cols`` and ``overlap`` are the non-zero cells,
    ordered by row and then column: key chain, response chain, mentions that both hold.
    ``key_mentions``, ``response_mentions`` and ``common_mentions`` have one entry a
    meta-document: only inside one can two mentions make a link.

    Chains of different meta-documents share no mention, so the pooled counts of every metric
    are the sums over the meta-documents.

    >>> counted = Contingency.from_labels([1, 1, 2, 2], [1, 1, 1, -1])
    >>> counted
    Contingency(2 × 1 chain, 2 cells, 1 meta)
    >>> counted.overlap.tolist()
    [2, 1]
    """

    key_sizes: Ints
    response_sizes: Ints
    rows: Ints
    cols: Ints
    overlap: Ints
    key_mentions: Ints
    response_mentions: Ints
    common_mentions: Ints

    def __repr__(self) -> str:
        shape = f"{len(self.key_sizes)} × {counted(len(self.response_sizes), 'chain')}"
        cells = counted(len(self.overlap), "cell")
        return f"Contingency({shape}, {cells}, {len(self.key_mentions)} meta)"

    @classmethod
    def from_labels(cls, key: Labels, response: Labels, meta: Labels | None = None) -> Contingency:
        """Return the contingency of two label arrays of one length, one entry a mention.

        A mention that one side lacks has −1 there (integers) or a missing value (any other
        type). ``meta`` names each mention's meta-document; a label that occurs in two of them is
        two chains. Raises ScoringError for arrays that do not align or a mention without
        meta-document.

        >>> import numpy as np
        >>> made = Contingency.from_labels(np.array([1, 1, 2]), np.array([1, 1, -1]))
        >>> made.response_sizes.tolist()
        [2]
        """
        _check_aligned(key, response, meta)
        documents = np.zeros(len(key), dtype=np.int64) if meta is None else _codes(meta)
        return _count(_codes(key), _codes(response), documents)

    @classmethod
    def from_meta_documents(cls, meta_documents: MetaDocuments) -> Contingency:
        """Return the contingency of all the meta-documents, pooled.

        >>> table = pd.DataFrame({"meta": ["m", "n"], "key": [1, 1], "response": [1, 1]})
        >>> Contingency.from_meta_documents(MetaDocuments(table)).key_sizes.tolist()  # two chains
        [1, 1]
        """
        meta, key, response = meta_documents.codes()
        return _count(key, response, meta)

    @classmethod
    def from_clusterings(cls, key: Clustering, response: Clustering) -> Contingency:
        """Return the contingency of two clusterings, aligned by mention id, as one document.

        >>> key = Clustering.from_labels({"a": 1, "b": 1})
        >>> response = Clustering.from_labels({"b": 1, "c": 1})
        >>> Contingency.from_clusterings(key, response).common_mentions.tolist()
        [1]
        """
        key_codes, response_codes = _factorize(key.labels), _factorize(response.labels)
        place = key.labels.index.get_indexer(response.labels.index)
        twinless = response_codes[place < 0]
        partner = np.full(len(key_codes), -1)
        partner[place[place >= 0]] = response_codes[place >= 0]
        left = np.concatenate([key_codes, np.full(len(twinless), -1)])
        right = np.concatenate([partner, twinless])
        return _count(left, right, np.zeros(len(left), dtype=np.int64))


def _check_aligned(key: Labels, response: Labels, meta: Labels | None) -> None:
    """Raise ScoringError unless the label arrays speak of the same mentions."""
    given = [labels for labels in (key, response, meta) if labels is not None]
    if len({len(labels) for labels in given}) > 1:
        sizes = ", ".join(str(len(labels)) for labels in given)
        raise ScoringError(f"label arrays differ in length: {sizes}")
    indexes = [labels.index for labels in given if isinstance(labels, pd.Series)]
    if any(not indexes[0].equals(index) for index in indexes[1:]):
        raise ScoringError(
            "label Series have different indexes", hint="use Contingency.from_clusterings"
        )


def _codes(labels: Labels) -> Ints:
    """Return codes 0, 1, … of the labels, −1 for a missing one; in integer arrays −1 is missing."""
    values = labels if isinstance(labels, np.ndarray | pd.Series) else pd.Series(list(labels))
    if not (isinstance(values.dtype, np.dtype) and values.dtype.kind == "i"):
        return _factorize(values)
    numbers = np.asarray(values)
    present = numbers != -1
    codes = np.full(len(numbers), -1)
    codes[present] = _factorize(numbers[present])
    return codes


def _factorize(values: npt.NDArray[Any] | pd.Series[Any]) -> Ints:
    """Return codes 0, 1, … in order of first occurrence, −1 for a missing value."""
    return pd.factorize(values)[0].astype(np.int64, copy=False)


def _count(key: Ints, response: Ints, meta: Ints) -> Contingency:
    """Return the contingency of codes 0, 1, … per mention (−1: that side lacks the mention)."""
    if (meta < 0).any():
        raise ScoringError(f"{counted(int((meta < 0).sum()), 'mention')} without a meta-document")
    documents = int(meta.max()) + 1 if len(meta) else 0
    # A code that stands in two meta-documents is two chains.
    chains = (numbered(meta, key), numbered(meta, response)) if documents > 1 else (key, response)
    in_key, in_response = (side >= 0 for side in chains)
    common = in_key & in_response
    key_sizes, response_sizes = (np.bincount(side[side >= 0]) for side in chains)
    cells = coo_array(
        (np.ones(common.sum(), dtype=np.int64), (chains[0][common], chains[1][common])),
        shape=(len(key_sizes), len(response_sizes)),
    ).tocsr()
    return Contingency(
        key_sizes=key_sizes,
        response_sizes=response_sizes,
        rows=np.repeat(np.arange(len(key_sizes)), np.diff(cells.indptr)),
        cols=cells.indices.astype(np.int64),
        overlap=cells.data,
        key_mentions=np.bincount(meta[in_key], minlength=documents),
        response_mentions=np.bincount(meta[in_response], minlength=documents),
        common_mentions=np.bincount(meta[common], minlength=documents),
    )
