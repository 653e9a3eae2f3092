"""Features of tokens for the tagger: strings such as ``lemma=fire``, as a sparse 0/1 matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from cdec.arrays import Floats

REVISION = 1  # increase it when a feature changes: stored models then no longer fit
EDGE = "^"  # value of a neighbour outside the sentence
LEAST = 2  # a feature of fewer training tokens is left out
_NEIGHBOURS = (-2, -1, 1, 2)
_OFTEN, _LATE, _STEPS = 6, 3, 5


def feature_matrix(
    table: pd.DataFrame, shares: Floats, columns: Mapping[str, int]
) -> sparse.csr_array:
    """Return tokens × features; ``columns`` maps feature → column, and others are left out."""
    rows, places = [], []
    for names in feature_names(table, shares):
        column = names.map(columns)
        known = column.notna().to_numpy()
        rows.append(np.flatnonzero(known))
        places.append(column[known].to_numpy(dtype=np.int64))
    at = np.concatenate(rows), np.concatenate(places)
    return sparse.csr_array((np.ones(len(at[0])), at), shape=(len(table), len(columns)))


def frequent(table: pd.DataFrame, shares: Floats) -> tuple[str, ...]:
    """Return the features of at least ``LEAST`` tokens, sorted."""
    found: list[str] = []
    for names in feature_names(table, shares):
        counts = names.value_counts()
        found += counts.index[counts >= LEAST].tolist()
    return tuple(sorted(found))


def feature_names(table: pd.DataFrame, shares: Floats) -> Iterator[pd.Series[Any]]:
    """Yield the values of each family of features, one per token.

    ``table`` has the columns of ``cdec.detection.tokens``; ``shares`` those of the lexicon. The
    families: word, lemma, tags and their pairs, suffixes, capital, the neighbours' tags and lemmas,
    frequency of the lemma in the document, position of the sentence, share in the lexicon.
    """
    tag, lower = table["tag"], table["form"].str.lower()
    yield "word=" + lower
    yield from ("lemma=" + table["lemma"], "pos=" + table["pos"], "tag=" + tag)
    yield "lemma,pos=" + table["lemma"] + "," + table["pos"]
    yield from (f"last{size}=" + lower.str[-size:] for size in (2, 3, 4))
    first = (table["place"] == 0).map({True: ",first", False: ""})
    yield "capital=" + table["form"].str[:1].str.isupper().astype(str) + first
    near = {offset: _near(table, "tag", offset) for offset in _NEIGHBOURS}
    yield from (f"tag{offset}=" + near[offset] for offset in _NEIGHBOURS)
    yield from (f"lemma{offset}=" + _near(table, "lemma", offset) for offset in _NEIGHBOURS)
    yield "tags-1,0=" + near[-1] + "," + tag
    yield "tags0,1=" + tag + "," + near[1]
    yield "tags-1,0,1=" + near[-1] + "," + tag + "," + near[1]
    often = table.groupby(["doc", "lemma"])["token"].transform("size").clip(upper=_OFTEN)
    yield "in-document=" + often.astype(str)
    yield "sentence=" + table["sentence"].clip(upper=_LATE).astype(str)
    share = pd.Series(shares, table.index)
    yield "share=" + (share * _STEPS).round().map("{:.0f}".format).where(share.notna(), "unknown")


def _near(table: pd.DataFrame, column: str, offset: int) -> pd.Series[Any]:
    """Return the value of the token at this distance in the same sentence, else ``EDGE``."""
    by: Sequence[str] = ["doc", "sentence"]
    same = np.logical_and.reduce([table[name].shift(-offset) == table[name] for name in by])
    return table[column].shift(-offset).where(same, EDGE)
