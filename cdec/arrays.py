"""Type aliases of arrays and series, the numbering of chains, and the number of links."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
# Single precision, for the large arrays of features and vectors.
Singles: TypeAlias = npt.NDArray[np.float32]
Reals: TypeAlias = Singles | Floats
AnySeries: TypeAlias = "pd.Series[Any]"
StrSeries: TypeAlias = "pd.Series[str]"
IntSeries: TypeAlias = "pd.Series[int]"
BoolSeries: TypeAlias = "pd.Series[bool]"
StrIndex: TypeAlias = "pd.Index[str]"
N = TypeVar("N", int, Ints, "pd.Series[Any]")
# Optional columns of aligned mentions (``cdec.matching.alignment``): the mention, of the
# response or of the key, that a row is an occurrence of; whether a mention was a singleton of the
# key before some were removed.
NAME = "name"
ALONE = "alone"
# Counts of each mention that only the alignment knows are columns, too: ``METRIC.p_num`` and so on.
# Those of recall count where the key has the mention, those of precision where the response has.
COUNTS = ("p_num", "p_den", "r_num", "r_den")


def found(labels: pd.Index[Any], among: pd.Index[Any]) -> Bools:
    """Return whether each label is ``among`` others, which must be unique.

    Like ``Index.isin``, which takes hundreds of times as long for strings.

    >>> found(pd.Index(["a", "b", "a"]), pd.Index(["a", "c"])).tolist()
    [True, False, True]
    """
    present: Bools = among.get_indexer(labels) >= 0
    return present


def numbered(
    meta: Ints,
    chain: Ints,
    *,
    in_order_of_codes: bool = False,
) -> Ints:
    """Return the chain number 0, 1, … of each mention; −1 without a chain.

    ``meta`` and ``chain`` have the integer codes of the meta-document and the chain label of each
    mention (−1: no chain). A label in two meta-documents is two chains. Numbers are in order of
    first occurrence, or of the codes.

    >>> numbered(np.array([1, 1, 0]), np.array([5, -1, 5])).tolist()
    [0, -1, 1]
    >>> numbered(np.array([1, 1, 0]), np.array([5, -1, 5]), in_order_of_codes=True).tolist()
    [1, -1, 0]
    """
    present = chain >= 0
    numbers = np.full(len(chain), -1, dtype=np.int64)
    labels = int(chain.max(initial=0)) + 1
    pairs = meta[present] * labels + chain[present]
    numbers[present] = pd.factorize(pairs, sort=in_order_of_codes)[0]
    return numbers


def chain_numbers(meta: AnySeries, labels: AnySeries) -> Ints:
    """Return the chain number of each mention, in order of first occurrence; −1 without a chain.

    ``meta`` has the meta-document of each mention; a label in two meta-documents is two chains.

    >>> chain_numbers(pd.Series(["m", "m", "n"]), pd.Series([1, None, 1])).tolist()
    [0, -1, 1]
    """
    return numbered(pd.factorize(meta)[0], pd.factorize(labels)[0])


def links(mentions: N) -> N:
    """Return the number of unordered pairs of n mentions, n (n − 1) / 2, elementwise.

    >>> links(4)
    6
    """
    return mentions * (mentions - 1) // 2
