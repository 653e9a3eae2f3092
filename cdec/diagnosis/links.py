"""Mentions as facts, and errors by kind: links, splits and joins of chains.

Links are right, missed or wrong, and counted without enumerating them: a chain of n mentions has
n (n − 1) / 2. The same formula on the parts of a chain in each document gives the links within
documents, and so on for sub-topics and topics; a kind is the difference of two consecutive levels.
Right links are the mention pairs that share the key chain and the response chain. The sums over all
kinds are the numerators and denominators of the coreference part of BLANC under the same setting.

Edits turn the response into the key. A response chain whose mentions belong to k key chains is
*conflated* and needs k − 1 splits; a key chain whose mentions belong to k response chains is
*divided* and needs k − 1 joins (the terms are from Kummerfeld and Klein 2013, *Error-driven
analysis of challenges in coreference resolution*, EMNLP). If both sides have the same mentions,
splits and joins are the wrong and missing links of MUC. The kind of an edit is the smallest unit
that two of the separated or joined parts share: with c(ℓ) groups of a chain's k parts after all
parts with mentions in the same unit of level ℓ are merged, k − c(document) edits are within
documents, c(document) − c(sub-topic) across documents of a sub-topic, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints, chain_numbers
from cdec.clustering import OTHER, SIDES, Side
from cdec.errors import UsageError
from cdec.matching.alignment import Alignment
from cdec.metrics import links, value_of
from cdec.settings import Setting

KINDS = {
    "document": "within a document",
    "subtopic": "across documents of a sub-topic",
    "topic": "across sub-topics of a topic",
    "corpus": "across topics",
}
LEMMAS = {"same": "same lemma", "different": "different lemmas"}
ALL = "all"
_PLACES = ("topic", "subtopic", "doc")
_EDITS: dict[str, Side] = {"split": "response", "join": "key"}


def scored(run: Alignment, setting: Setting) -> pd.DataFrame:
    """Return the mentions that ``setting`` scores. Raises UsageError without a corpus."""
    if not {*_PLACES, "sentence", "start", "end", "tokens"} <= {*run.mentions}:
        message = "a diagnosis needs topics and sentences"
        raise UsageError("annotation-missing", message, hint="name a corpus")
    return setting.build(run.mentions)


def facts_of(
    table: pd.DataFrame, lemmas: pd.Series[Any], sides: Sequence[str] = SIDES
) -> pd.DataFrame:
    """Return the facts of scored mentions, indexed by mention id; all but ``word`` are codes.

    The columns of ``sides`` are chains under the setting, which splits chains at the borders of its
    meta-documents; −1 if that side does not have the mention. ``doc``, ``subtopic`` and ``topic``
    are places. ``word`` is the lemma of the head in ``lemmas``, ``lemma`` its code; a mention
    whose head is blank or unknown has a code of its own, and no word.
    """
    chains = {side: chain_numbers(table["meta"], table[side]) for side in sides}
    # Equal names in two parents are two places.
    places = {name: groups(table, *_PLACES[:depth]) for depth, name in enumerate(_PLACES, start=1)}
    known = lemmas.reindex(table.index)
    word = known.where(known.astype(str).str.strip() != "")
    lemma = pd.factorize(word)[0].astype(np.int64)
    lemma[lemma < 0] = lemma.max(initial=-1) + 1 + np.arange((lemma < 0).sum())
    return pd.DataFrame({**chains, **places, "word": word, "lemma": lemma}, index=table.index)


def present(facts: pd.DataFrame, *sides: str) -> pd.DataFrame:
    """Return the mentions that all ``sides`` have."""
    return facts[(facts[list(sides)] >= 0).all(axis=1)]


def groups(rows: pd.DataFrame, *columns: str) -> Ints:
    """Return the number 0, 1, … of the group of each row, in order of first occurrence."""
    return np.asarray(rows.groupby(list(columns), sort=False).ngroup(), dtype=np.int64)


def pairs_in(rows: pd.DataFrame, columns: Sequence[str]) -> int:
    """Return the number of pairs of mentions with equal ``columns``.

    >>> pairs_in(pd.DataFrame({"key": [1, 1, 2], "lemma": [5, 5, 5]}), ["key", "lemma"])
    1
    """
    return int(links(rows.groupby(list(columns)).size()).sum())


def by_distance(facts: pd.DataFrame, *columns: str) -> Ints:
    """Return the pairs that share ``columns`` by the smallest place that they share: KINDS."""
    within = [pairs_in(facts, [*columns, *place]) for place in (["doc"], ["subtopic"], ["topic"])]
    return np.diff([0, *within, pairs_in(facts, columns)])


def link_counts(facts: pd.DataFrame, *sides: str) -> Ints:
    """Return the number of mention pairs that share the chains of all ``sides``.

    They are by kind and lemma, with totals, in the order of ``of_kinds``.
    """
    rows = present(facts, *sides)
    same, every = by_distance(rows, *sides, "lemma"), by_distance(rows, *sides)
    by_kind = np.stack([same, every - same, every], axis=1)
    return np.vstack([by_kind, by_kind.sum(axis=0)]).reshape(-1)


def of_kinds(**counts: Ints) -> pd.DataFrame:
    """Return counts by kind of link and by lemma (of the two heads), with totals (``all``)."""
    heads = product([*KINDS, ALL], [*LEMMAS, ALL])
    return pd.DataFrame(heads, columns=["kind", "lemma"]).assign(**counts)


def link_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the links that are right, missed and wrong, by kind and lemma, with their scores.

    An undefined score (0/0) is NaN.
    """
    right = link_counts(facts, "key", "response")
    key, response = link_counts(facts, "key"), link_counts(facts, "response")
    counts = np.stack([right, response, right, key], axis=1).astype(np.float64)
    table = of_kinds(right=right, missed=key - right, wrong=response - right)
    return table.assign(**value_of(counts)._asdict())


def edit_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the splits and joins by kind, with totals.

    ``chains``: number of conflated or divided chains.
    """
    both, rows = present(facts, *SIDES), list[Any]()
    cell = groups(both, *SIDES)
    for edit, whole in _EDITS.items():
        merged = (_merged(cell, groups(both, whole, place)) for place in reversed(_PLACES))
        counts = [len(np.unique(cell)), *merged, both[whole].nunique()]
        steps = [before - after for before, after in pairwise(counts)]
        parts = both.groupby(whole)[OTHER[whole]].nunique()
        rows += [(edit, kind, n, None) for kind, n in zip(KINDS, steps, strict=True)]
        rows.append((edit, ALL, sum(steps), int((parts > 1).sum())))
    return pd.DataFrame(rows, columns=["edit", "kind", "edits", "chains"], dtype=object)


def mention_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of mentions that only the key or only the response has."""
    counts = [len(present(facts, side)) - len(present(facts, *SIDES)) for side in SIDES]
    return pd.DataFrame({"edit": ["add mention", "remove mention"], "edits": counts})


def _merged(cell: Ints, place: Ints) -> int:
    """Return the number of groups after merging all parts with mentions in the same unit."""
    if not len(cell):
        return 0
    first = int(cell.max()) + 1
    size = first + int(place.max()) + 1
    graph = coo_array((np.ones(len(cell)), (cell, place + first)), shape=(size, size))
    return int(connected_components(graph, directed=False)[0])
