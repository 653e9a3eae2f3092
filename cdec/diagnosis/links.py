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

from collections.abc import Mapping, Sequence
from itertools import pairwise, product

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import AnySeries, Ints
from cdec.clustering import OTHER, SIDES, Side
from cdec.errors import UsageError, plural
from cdec.matching.alignment import Alignment
from cdec.metrics import links, value_of
from cdec.metrics.table import chain_numbers
from cdec.settings import Setting

KINDS = {
    "document": "within a document",
    "subtopic": "across documents of a sub-topic",
    "topic": "across sub-topics of a topic",
    "corpus": "across topics",
}
"""Kind of a link, by the smallest place that it does not leave → its name in ECB+."""
LEMMAS = {"same": "same lemma", "different": "different lemmas"}
ALL = "all"
_PLACES = ("topic", "subtopic", "doc")
_EDITS: dict[str, Side] = {"split": "response", "join": "key"}


def kind_labels(levels: Mapping[str, str]) -> dict[str, str]:
    """Return the kinds of links that a corpus with these levels has → their names in it.

    >>> kind_labels({"topic": "tournament"})["subtopic"]
    'across documents of a tournament'
    """
    topic = levels.get("topic")
    subtopic = levels.get("subtopic")
    labels = {"document": KINDS["document"]}
    smallest = subtopic or topic
    if not smallest:
        return {**labels, "subtopic": "across documents"}
    labels["subtopic"] = f"across documents of {_one(smallest)}"
    if subtopic:
        labels["topic"] = f"across {plural(subtopic)}"
    if subtopic and topic:
        labels["topic"] += f" of {_one(topic)}"
    if topic:
        labels["corpus"] = f"across {plural(topic)}"
    return labels


def _one(noun: str) -> str:
    if noun.startswith(tuple("aeiou")):
        return f"an {noun}"
    return f"a {noun}"


def with_labels(table: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows of a table whose kind has a label, or is ALL, with this label as kind."""
    named = {**labels, ALL: "all links"}
    return table[table["kind"].isin(named)].assign(kind=table["kind"].map(named))


def scored_mentions(run: Alignment, setting: Setting) -> pd.DataFrame:
    """Return the mentions that ``setting`` scores. Raises UsageError without a corpus."""
    needs = {*_PLACES, "sentence", "start", "end", "tokens"}
    if not needs <= {*run.mentions}:
        raise UsageError(
            "annotation-missing",
            "a diagnosis needs topics and sentences",
            hint="name a corpus",
        )
    return setting.build(run.mentions)


def facts_of(
    mentions: pd.DataFrame, lemmas: AnySeries, sides: Sequence[str] = SIDES
) -> pd.DataFrame:
    """Return the facts of scored mentions, indexed by mention id; all but ``word`` are codes.

    The columns of ``sides`` are chains under the setting, which splits chains at the borders of its
    meta-documents; −1 if that side does not have the mention. ``doc``, ``subtopic`` and ``topic``
    are places. ``word`` is the lemma of the head in ``lemmas``, ``lemma`` its code; a mention
    whose head is blank or unknown has a code that no other mention has, and no word.
    """
    facts = pd.DataFrame(index=mentions.index)
    for side in sides:
        facts[side] = chain_numbers(mentions["meta"], mentions[side])
    for depth, place in enumerate(_PLACES, start=1):
        # Equal names in two parents are two places.
        facts[place] = groups(mentions, *_PLACES[:depth])
    head = lemmas.reindex(mentions.index)
    word = head.where(head.astype(str).str.strip() != "")
    lemma = pd.factorize(word)[0].astype(np.int64)
    has_no_word = lemma < 0
    unused = lemma.max(initial=-1) + 1
    lemma[has_no_word] = unused + np.arange(has_no_word.sum())
    return facts.assign(word=word, lemma=lemma)


def mentions_of(facts: pd.DataFrame, *sides: str) -> pd.DataFrame:
    """Return the mentions that all ``sides`` have."""
    has_chain = facts[list(sides)] >= 0
    return facts[has_chain.all(axis=1)]


def groups(rows: pd.DataFrame, *columns: str) -> Ints:
    """Return the number 0, 1, … of the group of each row, in order of first occurrence."""
    return np.asarray(rows.groupby(list(columns), sort=False).ngroup(), dtype=np.int64)


def pairs_in(rows: pd.DataFrame, columns: Sequence[str]) -> int:
    """Return the number of pairs of mentions with equal ``columns``.

    >>> pairs_in(pd.DataFrame({"key": [1, 1, 2], "lemma": [5, 5, 5]}), ["key", "lemma"])
    1
    """
    sizes = rows.groupby(list(columns)).size()
    return int(links(sizes).sum())


def links_of_chains(facts: pd.DataFrame, side: str, *sides: str) -> pd.DataFrame:
    """Return the links of each chain of ``side`` that share the chains of ``sides``, by kind."""
    mentions = mentions_of(facts, side, *sides)
    within = {}
    for kind, places in zip(KINDS, (["doc"], ["subtopic"], ["topic"], []), strict=True):
        sizes = mentions.groupby([side, *sides, *places]).size()
        within[kind] = links(sizes).groupby(level=side).sum()
    table = pd.DataFrame(within)
    return table - table.shift(axis="columns", fill_value=0)


def link_counts(facts: pd.DataFrame, *sides: str) -> Ints:
    """Return the number of mention pairs that share the chains of all ``sides``.

    They are by kind and lemma, with totals, in the order of ``of_kinds``.
    """
    same_lemma = links_of_chains(facts, *sides, "lemma").sum()
    total = links_of_chains(facts, *sides).sum()
    by_kind = np.stack([same_lemma, total - same_lemma, total], axis=1)
    with_totals = np.vstack([by_kind, by_kind.sum(axis=0)])
    return with_totals.reshape(-1)


def of_kinds(**counts: Ints) -> pd.DataFrame:
    """Return counts by kind of link and by lemma (of the two heads), with totals (``all``)."""
    return pd.DataFrame(
        product([*KINDS, ALL], [*LEMMAS, ALL]), columns=["kind", "lemma"]
    ).assign(**counts)


def link_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the links that are right, missed and wrong, by kind and lemma, with their scores.

    An undefined score (0/0) is NaN.
    """
    right = link_counts(facts, "key", "response")
    key = link_counts(facts, "key")
    response = link_counts(facts, "response")
    counts = np.stack([right, response, right, key], axis=1).astype(np.float64)
    table = of_kinds(right=right, missed=key - right, wrong=response - right)
    return table.assign(**value_of(counts)._asdict())


def edit_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the splits and joins by kind, with totals.

    ``chains``: number of conflated or divided chains.
    """
    mentions = mentions_of(facts, *SIDES)
    part = groups(mentions, *SIDES)
    rows: list[tuple[str, str, int, int | None]] = []
    for edit, side in _EDITS.items():
        # The number of parts of all chains, then after parts of the same document are merged, ….
        places = [groups(mentions, side, place) for place in reversed(_PLACES)]
        merged = [_merged_parts(part, place) for place in places]
        numbers = [len(np.unique(part)), *merged, mentions[side].nunique()]
        edits = [before - after for before, after in pairwise(numbers)]
        for kind, number in zip(KINDS, edits, strict=True):
            rows.append((edit, kind, number, None))
        parts_of_chain = mentions.groupby(side)[OTHER[side]].nunique()
        rows.append((edit, ALL, sum(edits), int((parts_of_chain > 1).sum())))
    return pd.DataFrame(rows, columns=["edit", "kind", "edits", "chains"], dtype=object)


def mention_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of mentions that only the key or only the response has."""
    common = len(mentions_of(facts, *SIDES))
    edits = {
        "add mention": len(mentions_of(facts, "key")) - common,
        "remove mention": len(mentions_of(facts, "response")) - common,
    }
    return pd.DataFrame({"edit": [*edits], "edits": [*edits.values()]})


def _merged_parts(part: Ints, place: Ints) -> int:
    """Return the number of groups after merging all parts with mentions in the same place."""
    if not len(part):
        return 0
    # Nodes of the graph are parts, then places.
    parts = int(part.max()) + 1
    nodes = parts + int(place.max()) + 1
    graph = coo_array((np.ones(len(part)), (part, place + parts)), shape=(nodes, nodes))
    number, _ = connected_components(graph, directed=False)
    return int(number)
