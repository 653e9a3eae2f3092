"""Words that mentions of key and response share, for the mention overlap ratio (``mor``)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.matching.pairing import equal, overlapping
from cdec.matching.spans import Spans
from cdec.metadocument import TALLY_COLUMNS
from cdec.metrics.assignment import best_assignment

SPAN = ["doc", "start", "end", "tokens"]
"""The columns of a table of mentions that name the words of a mention."""


def word_counts(
    key: pd.DataFrame, response: pd.DataFrame, known: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the columns of ``mor`` for the mentions of both; none if one has no tokens at all.

    The tables are indexed by mention id and have the columns SPAN. A response mention that is given
    by its id has the tokens that are ``known``.

    >>> key, response = (
    ...     pd.DataFrame({"doc": ["d"], "start": 0, "end": end, "tokens": [()]}, index=["d/1"])
    ...     for end in (1, 2)
    ... )
    >>> word_counts(key, response).loc["d/1"].iloc[:4].tolist()
    [2.0, 3.0, 2.0, 2.0]
    """
    if known is not None:
        known = known.reindex(response.index)
        response = response.where(response["start"] >= 0, known)
    if not ((key["start"] >= 0).any() and (response["start"] >= 0).any()):
        return pd.DataFrame()
    ours, theirs = Spans.of_tables((key, response))
    in_key, in_response = shared_words(ours, theirs)
    recall = {"mor.r_num": in_key, "mor.r_den": ours.sizes}
    precision = {"mor.p_num": in_response, "mor.p_den": theirs.sizes}
    sides = pd.DataFrame(precision, index=response.index), pd.DataFrame(recall, index=key.index)
    # No format but CoNLL-U has zeros.
    return pd.concat(sides, axis=1).reindex(columns=[*TALLY_COLUMNS]).fillna(0.0)


def shared_words(key: Spans, response: Spans, partner: Ints | None = None) -> tuple[Ints, Ints]:
    """Return how many places each mention shares with its partner in the best one-to-one choice.

    The best choice maximises the sum. Equal mentions are partners in one of the best choices:
    ``partner`` has the equal key mention of each response mention (−1: none), if it is known.

    >>> [words.tolist() for words in shared_words(Spans.of([[1, 2], [5]]), Spans.of([[2, 3]]))]
    [[1, 0], [1]]
    """
    ours, theirs = np.zeros(len(key), dtype=np.int64), np.zeros(len(response), dtype=np.int64)
    partner = equal(key, response) if partner is None else partner
    same = np.flatnonzero(partner >= 0)
    ours[partner[same]] = theirs[same] = response.sizes[same]
    free = np.ones(len(key), dtype=np.bool_)
    free[partner[same]] = False
    rows, cols = np.flatnonzero(free), np.flatnonzero(partner < 0)
    i, j, words = overlapping(key.take(rows), response.take(cols))
    chosen = best_assignment(i, j, words.astype(np.float64))
    ours[rows[i[chosen]]] = theirs[cols[j[chosen]]] = words[chosen]
    return ours, theirs
