"""The columns from which the probability of a case is computed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints
from cdec.audit.detect.pool import COLUMNS
from cdec.audit.find import LEARNED, Finds, Prepared
from cdec.corpus.model import Corpus

# Of the strongest pair: words around the mentions, of their sentences and documents, rarity of a
# common lemma, spelling of the heads.
_CONTEXTS = ("window", "sentence", "lemma_idf", "document_cosine", "events", "letter_cosine")
_SHAPES = ("clusters", "crossing", "pairs", "dense", "smaller", "larger", "outside", "inside")
LINKS = (*LEARNED, "companions", *_CONTEXTS, *_SHAPES)
MEMBERS = (*LEARNED, "rival", "size", "copy", "outside")


def link_features(corpus: Corpus, prepared: Prepared, finds: Finds) -> pd.DataFrame:
    """Return one row for each of ``finds.links``, with the columns ``LINKS``.

    ``svm`` and ``held-out`` are margins; ``companions`` and ``pairs`` (mention pairs between the
    chains) logarithms of 1 + a count; ``clusters`` whether both chains have several mentions, and
    ``dense`` their ``pairs``; ``smaller`` and ``larger`` the logarithms of their sizes;
    ``crossing`` whether the pair is of two sub-topics; ``outside`` the share of its mentions
    outside the reviewed sentences; ``inside`` whether it is in one document. A column is NaN if
    its detector was not chosen.
    """
    links = finds.links
    left, right = (links[side].to_numpy(np.int64) for side in ("left", "right"))
    pair = links["pair"].to_numpy(np.int64)
    sizes = np.bincount(finds.chain)
    features = {name: prepared.pool.features[pair, COLUMNS.index(name)] for name in _CONTEXTS}
    columns = {name: links[name] for name in LEARNED if name in links}
    if "companions" in links:
        columns["companions"] = np.log1p(links["companions"])
    ends = np.log([sizes[links["one"]], sizes[links["two"]]])
    clusters, pairs = ends.min(axis=0) > 0, np.log1p(links["count"])
    docs, subtopics = (pd.factorize(corpus.selected[c])[0] for c in ("doc", "subtopic"))
    table = pd.DataFrame({**columns, **features}, index=links.index).assign(
        clusters=clusters,
        crossing=subtopics[left] != subtopics[right],
        pairs=pairs,
        dense=clusters * pairs,
        smaller=ends.min(axis=0),
        larger=ends.max(axis=0),
        outside=_outside(corpus, left, right),
        inside=docs[left] == docs[right],
    )
    return table.reindex(columns=list(LINKS)).astype(float)


def member_features(corpus: Corpus, prepared: Prepared, finds: Finds) -> pd.DataFrame:
    """Return one row for each of ``finds.members``, with the columns ``MEMBERS``.

    ``svm`` and ``held-out`` are margins of the links to the chain; ``rival`` the highest margin to
    a mention of another chain; ``size`` the logarithm of the number of links; ``copy`` whether
    a copy of the mention, in a similar sentence, is in the same chain.
    """
    members = finds.members
    rows = members["mention"].to_numpy(np.int64)
    rivals = [f"rival-{name}" for name in LEARNED if f"rival-{name}" in members]
    columns = {name: members[name] for name in LEARNED if name in members}
    table = pd.DataFrame(columns, index=members.index).assign(
        rival=members[rivals].mean(axis=1).fillna(-3.0),
        size=np.log(members["count"]),
        copy=np.isin(rows, copied(corpus, prepared, finds.chain)),
        outside=_outside(corpus, rows),
    )
    return table.reindex(columns=list(MEMBERS)).astype(float)


def copied(corpus: Corpus, prepared: Prepared, chain: Ints) -> Ints:
    """Return the rows of the mentions that have a copy in their chain."""
    ids = corpus.selected.index
    ends = [ids.get_indexer(pd.Index(prepared.alike[side])) for side in ("left", "right")]
    together = chain[ends[0]] == chain[ends[1]]
    return np.unique(np.concatenate([end[together] for end in ends])).astype(np.int64)


def _outside(corpus: Corpus, *sides: Ints) -> Floats:
    """Return the share of mentions outside the reviewed sentences; NaN if these are unknown."""
    if not corpus.mentions["reviewed"].any():
        return np.full(len(sides[0]), np.nan)
    outside = ~corpus.selected["reviewed"].to_numpy(bool)
    return np.asarray(np.mean([outside[side] for side in sides], axis=0), dtype=np.float64)
