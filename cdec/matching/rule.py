"""Align the mentions of two tables by a rule other than equality, and count their words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.corpus.model import Corpus
from cdec.errors import ScoringError
from cdec.matching.pairing import completed, equal, overlapping
from cdec.matching.policy import Rule
from cdec.matching.spans import Spans
from cdec.metadocument import NAME, TALLY_COLUMNS
from cdec.metrics.assignment import best_assignment

# A table with doc, start, end and tokens → the number of each head in its document, −1 if unknown.
Heads: TypeAlias = Callable[[pd.DataFrame], Ints]


def head_column(mentions: pd.DataFrame) -> Ints:
    """Return the column ``head`` of a table; −1 for each mention without such a column.

    >>> head_column(pd.DataFrame({"start": [3]})).tolist()
    [-1]
    """
    if "head" not in mentions:
        return np.full(len(mentions), -1)
    return mentions["head"].to_numpy(np.int64)


def by_rule(
    gold: pd.DataFrame, table: pd.DataFrame, rule: Rule, heads: Heads = head_column
) -> pd.DataFrame:
    """Return the mentions of the response with the ids of the key mentions they are aligned with.

    ``gold`` is indexed by mention id. In ``table`` a mention that equals one of the key has its id,
    any other the id of its place. All occurrences of a repeated mention get the same id. Raises
    ScoringError if the rule needs heads and the key has none.
    """
    if rule.kind == "exact" or not len(gold) or not len(table):
        return table
    offsets = _offsets(gold, table)
    key = Spans.from_table(gold, offsets, heads(gold) if rule.needs_heads else None)
    if rule.needs_heads and (key.head < 0).all():
        raise ScoringError(
            "heads-missing",
            f"the mentions of the key have no heads, which --match {rule.kind} needs",
            hint="use --match overlap:0.5, or a CoNLL-U key",
        )
    first = np.flatnonzero(~table.index.duplicated())
    once = table.iloc[first]
    response = Spans.from_table(once, offsets, heads(once) if rule.kind == "head" else None)
    partner = completed(key, response, rule, gold.index.get_indexer(once.index))
    ids = dict(zip(once.index[partner >= 0], gold.index[partner[partner >= 0]], strict=True))
    return table.set_axis(pd.Index([ids.get(i, i) for i in table.index], dtype=object))


def with_words(mentions: pd.DataFrame, gold: pd.DataFrame, settled: pd.DataFrame) -> pd.DataFrame:
    """Return ``mentions`` with the columns of the tallies, if any mention has tokens.

    ``gold`` and ``settled`` are the mentions of key and response by id, with their own tokens.
    """
    if not ((gold["start"] >= 0).any() and (settled["start"] >= 0).any()):
        return mentions
    offsets = _offsets(gold, settled)
    key, response = (Spans.from_table(side, offsets) for side in (gold, settled))
    shared = shared_words(key, response)
    columns: dict[str, tuple[pd.DataFrame, Ints]] = {
        "mor.p_num": (settled, shared[1]),
        "mor.p_den": (settled, response.sizes),
        "mor.r_num": (gold, shared[0]),
        "mor.r_den": (gold, key.sizes),
    }
    table = tallied(mentions, columns)
    # No format but CoNLL-U has zeros.
    return table.assign(**{name: 0 for name in TALLY_COLUMNS if name not in columns})


def tallied(mentions: pd.DataFrame, columns: dict[str, tuple[pd.DataFrame, Ints]]) -> pd.DataFrame:
    """Return ``mentions`` with columns of numbers given for the mentions of other tables."""
    numbers = {}
    for name, (side, values) in columns.items():
        numbers[name] = np.zeros(len(mentions))
        numbers[name][mentions.index.get_indexer(side.index)] = values
    return mentions.assign(**numbers)


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


def _offsets(*tables: pd.DataFrame) -> dict[str, int]:
    """Return the place of the first token of each document: documents follow one another."""
    ends = pd.concat([table[["doc", "end"]] for table in tables])
    sizes = ends.groupby("doc", sort=False)["end"].max().clip(lower=0) + 1
    return dict(zip(sizes.index, (sizes.cumsum() - sizes).tolist(), strict=True))


def with_own_places(table: pd.DataFrame, settled: pd.DataFrame) -> pd.DataFrame:
    """Return ``table`` with ``place``: that of the response mention if it differs, else ''.

    ``settled`` has the mentions of the response by id, with their places; and NAME, which the table
    then has too, if a mention occurs more than once.
    """
    pairs = zip(settled["place"], settled.index, strict=True)
    own = ["" if place == id_ else place for place, id_ in pairs]
    places = pd.Series(own, index=settled.index, dtype=object)
    if NAME in settled:
        table = table.assign(
            **{NAME: settled[NAME].reindex(table.index).fillna(table.index.to_series())}
        )
    return table.assign(place=places.reindex(table.index, fill_value=""))


def heads_in(corpus: Corpus, nlp: str) -> Heads:
    """Return the function that finds the heads of mentions in the documents of ``corpus``."""

    def find(mentions: pd.DataFrame) -> Ints:
        from cdec.language import heads  # noqa: PLC0415  # only some rules need heads

        columns = (mentions[name] for name in ("start", "end", "tokens"))
        tokens = [t or tuple(range(s, e + 1)) for s, e, t in zip(*columns, strict=True)]
        known = mentions["start"].to_numpy() >= 0
        spans = mentions[["doc"]].assign(tokens=pd.Series(tokens, index=mentions.index))[known]
        found = np.full(len(mentions), -1)
        found[known] = heads(replace(corpus, mentions=spans), nlp)["head"].to_numpy()
        return found

    return find
