"""Bags of words around each mention, as sparse rows of unit length.

Rows are weighted by idf, smoothed as in scikit-learn's ``TfidfTransformer``, over the documents of
the same corpus part: ln((1 + n) / (1 + df)) + 1. The dot product of two rows is their cosine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, diags_array
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.preprocessing import normalize

from cdec.arrays import Floats, Ints

CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "NUM")
WINDOW = 6  # tokens on each side of the head


@dataclass(frozen=True, eq=False)
class Words:
    """The tokens of a corpus, document after document.

    ``lemma``: the code of each token's lemma; ``first``: document row → its first token; ``idf``:
    that of each lemma code over all documents. ``content``: the content words, with the columns
    ``doc``, ``sentence``, ``at`` (row of the token), ``lemma`` and ``pos``.
    """

    lemma: Ints
    first: Ints
    idf: Floats
    content: pd.DataFrame

    @classmethod
    def of(cls, tokens: pd.DataFrame, starts: Sequence[int]) -> Words:
        """Return the words of ``annotate``; the text of a document starts at a sentence."""
        doc, size = tokens["doc"].to_numpy(np.int64), len(starts)
        lemma, words = tokens["lemma"].cat.codes.to_numpy().astype(np.int64), tokens["lemma"]
        meaning = {w for w in words.cat.categories if any(map(str.isalnum, w))} - ENGLISH_STOP_WORDS
        content = tokens["pos"].isin(CONTENT).to_numpy() & words.isin(meaning).to_numpy()
        content &= tokens["sentence"].to_numpy() >= np.array(starts, dtype=np.int64)[doc]
        table = tokens[["doc", "sentence", "pos"]].assign(at=np.arange(len(tokens)), lemma=lemma)
        idf = idf_of(doc, lemma, size, len(words.cat.categories))
        return cls(lemma, np.searchsorted(doc, np.arange(size)), idf, table[content])

    def bag(self, rows: Any, lemmas: Any, size: int) -> csr_matrix:
        """Return binary bags of lemmas by row, weighted by idf, with rows of unit length."""
        bag = csr_matrix((np.ones(len(rows)), (rows, lemmas)), shape=(size, len(self.idf)))
        bag.sum_duplicates()
        bag.data = self.idf[bag.indices]
        return csr_matrix(normalize(bag)).astype(np.float32)


def idf_of(doc: Ints, lemma: Ints, documents: int, lemmas: int) -> Floats:
    """Return the idf of each lemma code, over the documents."""
    seen = np.unique(lemma * max(documents, 1) + doc) // max(documents, 1)
    return np.log((1 + documents) / (1 + np.bincount(seen, minlength=lemmas))) + 1


def bags(tokens: pd.Series[Any], codes: Mapping[str, Ints], words: Words) -> dict[str, csr_matrix]:
    """Return the bags of each mention; ``tokens`` are its token numbers in the document.

    ``words``: lemmas of the mention. ``sentence``: content lemmas of its sentence, without those of
    the mention; ``window``, ``left``, ``right``: the part of these within ``WINDOW`` tokens of the
    head; ``names``, ``numbers``: the proper nouns, or numbers, of these; ``around``: content lemmas
    of the sentences before and after; ``events``: head lemmas of the other mentions in the
    sentence; ``story``: head lemmas of all mentions of the document.
    """
    size, first = len(tokens), words.first[codes["doc"]]
    places = pd.DataFrame({name: codes[name] for name in ("doc", "sentence")})
    places["row"], places["head"] = np.arange(size), first + codes["head"]
    rows = np.repeat(places["row"], tokens.map(len))
    own = np.fromiter(chain.from_iterable(tokens), np.int64, len(rows)) + first[rows]
    near = places.merge(words.content, on=["doc", "sentence"])
    whole = len(words.lemma)
    near = near[~np.isin(near["row"] * whole + near["at"], rows * whole + own)]
    distance = near["at"] - near["head"]
    close = distance.abs() <= WINDOW
    chosen = {
        "sentence": near,
        "window": near[close],
        "left": near[close & (distance < 0)],
        "right": near[close & (distance > 0)],
        "names": near[near["pos"] == "PROPN"],
        "numbers": near[near["pos"] == "NUM"],
        "around": pd.concat(
            places.assign(sentence=places["sentence"] + step).merge(
                words.content, on=["doc", "sentence"]
            )
            for step in (-1, 1)
        ),
    }
    result = {name: words.bag(part["row"], part["lemma"], size) for name, part in chosen.items()}
    result["words"] = words.bag(rows, words.lemma[own], size)
    # Bags of the head lemmas of mentions: counts, weighted by the idf among mentions.
    lemma, doc, one = codes["lemma"], codes["doc"], np.ones(size)
    documents, lemmas = int(doc.max(initial=-1)) + 1, int(lemma.max(initial=-1)) + 1
    weights = diags_array(idf_of(doc, lemma, documents, lemmas))
    group = places.groupby(["doc", "sentence"]).ngroup().to_numpy()
    sentences = csr_matrix((one, (group, lemma)), shape=(size, lemmas))
    others = sentences[group] - csr_matrix((one, (np.arange(size), lemma)), shape=(size, lemmas))
    others.eliminate_zeros()
    story = csr_matrix((one, (doc, lemma)), shape=(documents, lemmas))
    result["events"] = csr_matrix(normalize(others @ weights)).astype(np.float32)
    result["story"] = csr_matrix(normalize(story @ weights))[doc].astype(np.float32)
    return result
