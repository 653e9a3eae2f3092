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


def links(mentions: N) -> N:
    """Return the number of unordered pairs of n mentions, n (n − 1) / 2, elementwise.

    >>> links(4)
    6
    """
    return mentions * (mentions - 1) // 2
