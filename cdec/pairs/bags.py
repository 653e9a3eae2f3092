"""Bags of words around each mention, as sparse rows of unit length.

The idf is smoothed as in scikit-learn's ``TfidfTransformer``, over the documents of the same corpus
part: ln((1 + n) / (1 + df)) + 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, diags_array
from sklearn.preprocessing import normalize

from cdec.arrays import Floats, Ints
from cdec.pairs.tokens import TokenTable

Incidences = tuple[Ints, Ints]  # (mention, word) incidences
WINDOW = 6  # tokens on each side of the head


def bags(
    table: pd.DataFrame, codes: Mapping[str, Ints], tokens: TokenTable, head_idf: Floats
) -> dict[str, csr_matrix]:
    """Return the bags of each mention of ``table``, which has all mentions of its documents.

    ``head_idf`` is the idf of each head lemma among the mentions of all documents.

    ``words``: lemmas of the mention. ``sentence``: content lemmas of its sentence, without those of
    the mention; ``window``, ``left``, ``right``: the part of these within ``WINDOW`` tokens of the
    head; ``names``, ``numbers``: the proper nouns, or numbers, of these; ``around``: content lemmas
    of the sentences before and after; ``events``: head lemmas of the other mentions in the
    sentence; ``story``: head lemmas of all mentions of the document.
    """
    idf = tokens.idf
    own = _own(table, tokens, codes)
    near = _sentence(codes, tokens, own)
    distance = near[1] - (tokens.first[codes["doc"]] + codes["head"])[near[0]]
    kinds = tokens.pos[near[1]]
    close = np.abs(distance) <= WINDOW
    choice = {
        "sentence": np.ones(len(distance), dtype=bool),
        "window": close,
        "left": close & (distance < 0),
        "right": close & (distance > 0),
        "names": kinds == "PROPN",
        "numbers": kinds == "NUM",
    }
    size = (len(table), tokens.size)
    result = {
        name: matrix((near[0][kept], tokens.lemma[near[1][kept]]), idf, size)
        for name, kept in choice.items()
    }
    result["words"] = matrix((own[0], tokens.lemma[own[1]]), idf, size)
    result["around"] = matrix(_around(codes, tokens), idf, size)
    return result | _event_bags(codes, head_idf)


def idf_of_heads(codes: Mapping[str, Ints]) -> Floats:
    """Return the idf of each head lemma, over the documents of all mentions."""
    lemma, doc = codes["lemma"], codes["doc"]
    size, documents = int(lemma.max(initial=-1)) + 1, int(doc.max(initial=-1)) + 1
    seen = np.unique(lemma * max(documents, 1) + doc) // max(documents, 1)
    return np.log((1 + documents) / (1 + np.bincount(seen, minlength=size))) + 1


def _own(table: pd.DataFrame, tokens: TokenTable, codes: Mapping[str, Ints]) -> Incidences:
    lengths = [len(at) for at in table["tokens"]]
    rows = np.repeat(np.arange(len(table)), lengths)
    flat = np.array([token for at in table["tokens"] for token in at], dtype=np.int64)
    return rows, flat + tokens.first[codes["doc"]][rows]


def _sentence(codes: Mapping[str, Ints], tokens: TokenTable, own: Incidences) -> Incidences:
    """Return the content tokens of each mention's sentence, without those of the mention."""
    rows, at = _spread(codes["doc"], codes["sentence"], tokens)
    size = len(tokens.lemma)
    foreign = ~np.isin(rows * size + at, own[0] * size + own[1])
    return rows[foreign], at[foreign]


def _around(codes: Mapping[str, Ints], tokens: TokenTable) -> Incidences:
    both = [_spread(codes["doc"], codes["sentence"] + step, tokens) for step in (-1, 1)]
    rows, at = (np.concatenate(side) for side in zip(*both, strict=True))
    return rows, tokens.lemma[at]


def _spread(doc: Ints, sentence: Ints, tokens: TokenTable) -> Incidences:
    """Return (mention, token) for each content token of the ``sentence`` given per mention."""
    content, groups = tokens.content_at, tokens.content_sentence
    wanted = doc * tokens.longest + sentence
    start = np.searchsorted(groups, wanted, "left")
    lengths = np.where(sentence < 0, 0, np.searchsorted(groups, wanted, "right") - start)
    rows = np.repeat(np.arange(len(doc)), lengths)
    offset = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return rows, content[start[rows] + offset]


def _event_bags(codes: Mapping[str, Ints], idf: Floats) -> dict[str, csr_matrix]:
    """Return the bags ``events`` and ``story`` (see ``bags``)."""
    lemma, doc, size = codes["lemma"], codes["doc"], len(idf)
    documents = int(doc.max(initial=-1)) + 1
    counts = csr_matrix((np.ones(len(doc)), (doc, lemma)), shape=(documents, size))
    groups = pd.factorize(doc * (int(codes["sentence"].max(initial=0)) + 1) + codes["sentence"])[0]
    sentences = csr_matrix((np.ones(len(doc)), (groups, lemma)), shape=(len(doc), size))
    own = csr_matrix((np.ones(len(doc)), (np.arange(len(doc)), lemma)), shape=(len(doc), size))
    others = csr_matrix(sentences[groups] - own)
    others.eliminate_zeros()
    return {
        "events": csr_matrix(normalize(others @ diags_array(idf))).astype(np.float32),
        "story": csr_matrix(normalize(counts @ diags_array(idf)))[doc].astype(np.float32),
    }


def matrix(pairs: Incidences, idf: Floats, shape: tuple[int, int]) -> csr_matrix:
    """Return binary bags, weighted by idf, with rows of unit length."""
    rows, words = pairs
    bag = csr_matrix((np.ones(len(rows)), (rows, words)), shape=shape)
    bag.sum_duplicates()
    bag.data = idf[bag.indices]
    return csr_matrix(normalize(bag)).astype(np.float32)
