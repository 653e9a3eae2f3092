"""Copies: responses whose chains are those of the key, of another system, or of another run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.clustering import Side
from cdec.matching.alignment import Alignment

NEAR = 0.99
"""Responses with at least this share of their mentions in equal chains are nearly equal."""
Codes = npt.NDArray[np.uint64]
_PLACE = ["doc", "start", "end", "tokens"]


class Copy(NamedTuple):
    """Two runs that have the same chains, and the share of their mentions that are in them."""

    first: Alignment
    second: Alignment
    share: float


def is_key(run: Alignment) -> bool:
    """Return whether a response links the mentions of the key as the key does.

    Singletons do not matter, nor do mentions that the key does not have: a response without them
    has the links of the key all the same.
    """
    key = _linked(_codes(run.mentions, "key"))
    common = run.mentions[run.mentions["key"].notna()]
    return len(key) > 0 and key.equals(_linked(_codes(common, "response")))


def share_of_key(run: Alignment) -> float:
    """Return the share of a response's mentions that are in a chain of the key; 0 without links.

    Mentions that are not on both sides do not matter: a response to half of the documents is
    compared with the key of this half.
    """
    sides = run.mentions[["key", "response"]].notna()
    common = run.mentions[sides.all(axis=1)]
    response = _codes(common, "response")
    if not len(_linked(response)):
        return 0.0
    return float((response == _codes(common, "key")).mean())


def copies(runs: Sequence[Alignment]) -> Iterator[Copy]:
    """Yield the pairs of runs on a task that have nearly equal chains, in the order of the runs."""
    chains = [_codes(run.mentions, "response") for run in runs]
    places = pd.Index([], dtype=np.uint64)
    for codes in chains:
        places = places.union(codes.index)
    columns = [codes.reindex(places, fill_value=0).to_numpy() for codes in chains]
    for first, second in combinations(range(len(runs)), 2):
        share = _share(columns[first], columns[second])
        if share >= NEAR:
            yield Copy(runs[first], runs[second], share)


def _share(first: Codes, second: Codes) -> float:
    """Return the share of the mentions of either side that are in equal chains; 0: no mention."""
    is_mention = (first != 0) | (second != 0)
    if not is_mention.any():
        return 0.0
    return float((first == second)[is_mention].mean())


def _codes(mentions: pd.DataFrame, side: Side) -> pd.Series:
    """Return place of a mention → code of its chain: equal chains have equal codes.

    The code of a chain is the sum of those of its mentions, whatever its label.
    """
    present = mentions[mentions[side].notna()]
    has_tokens = present["start"] >= 0
    names = present[_PLACE].astype(str).assign(id="")
    names.loc[~has_tokens, "id"] = present.index[~has_tokens].astype(str)
    places = pd.util.hash_pandas_object(names, index=False)
    codes = places.groupby(present[side]).transform("sum").to_numpy()
    chains = pd.Series(codes, pd.Index(places.to_numpy()), dtype=np.uint64)
    return chains[~chains.index.duplicated()].sort_index()


def _linked(codes: pd.Series) -> pd.Series:
    return codes[codes.duplicated(keep=False)]
