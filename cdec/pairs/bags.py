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

from cdec.arrays import AnySeries, Floats, Ints

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
        documents = len(starts)
        doc = tokens["doc"].to_numpy(np.int64)
        lemmas = tokens["lemma"]
        lemma = lemmas.cat.codes.to_numpy().astype(np.int64)
        words = {word for word in lemmas.cat.categories if any(map(str.isalnum, word))}
        has_meaning = lemmas.isin(words - ENGLISH_STOP_WORDS).to_numpy()
        has_content_tag = tokens["pos"].isin(CONTENT).to_numpy()
        is_text = tokens["sentence"].to_numpy() >= np.array(starts, dtype=np.int64)[doc]
        table = tokens[["doc", "sentence", "pos"]].assign(
            at=np.arange(len(tokens)), lemma=lemma
        )
        return cls(
            lemma=lemma,
            first=np.searchsorted(doc, np.arange(documents)),
            idf=idf_of(doc, lemma, documents, len(lemmas.cat.categories)),
            content=table[has_content_tag & has_meaning & is_text],
        )

    def bag(
        self,
        rows: Any,
        lemmas: Any,
        size: int,
    ) -> csr_matrix:
        """Return binary bags of lemmas by row, weighted by idf, with rows of unit length."""
        bag = csr_matrix(
            (np.ones(len(rows)), (rows, lemmas)), shape=(size, len(self.idf))
        )
        bag.sum_duplicates()
        bag.data = self.idf[bag.indices]
        return csr_matrix(normalize(bag)).astype(np.float32)


def idf_of(
    doc: Ints,
    lemma: Ints,
    documents: int,
    lemmas: int,
) -> Floats:
    """Return the idf of each lemma code, over the documents."""
    width = max(documents, 1)
    lemma_of_pair = np.unique(lemma * width + doc) // width
    frequency = np.bincount(lemma_of_pair, minlength=lemmas)
    return np.log((1 + documents) / (1 + frequency)) + 1


def bags(
    tokens: AnySeries, codes: Mapping[str, Ints], words: Words
) -> dict[str, csr_matrix]:
    """Return the bags of each mention; ``tokens`` are its token numbers in the document.

    ``words``: lemmas of the mention. ``sentence``: content lemmas of its sentence, without those of
    the mention; ``window``, ``left``, ``right``: the part of these within ``WINDOW`` tokens of the
    head; ``names``, ``numbers``: the proper nouns, or numbers, of these; ``around``: content lemmas
    of the sentences before and after; ``events``: head lemmas of the other mentions in the
    sentence; ``story``: head lemmas of all mentions of the document.
    """
    size = len(tokens)
    first = words.first[codes["doc"]]
    places = pd.DataFrame({"doc": codes["doc"], "sentence": codes["sentence"]})
    places["row"] = np.arange(size)
    places["head"] = first + codes["head"]
    # The tokens of each mention in the corpus.
    rows = np.repeat(places["row"], tokens.map(len))
    mention_tokens = (
        np.fromiter(chain.from_iterable(tokens), np.int64, len(rows)) + first[rows]
    )
    near = places.merge(words.content, on=["doc", "sentence"])
    width = len(words.lemma)
    in_mention = np.isin(
        near["row"] * width + near["at"], rows * width + mention_tokens
    )
    near = near[~in_mention]
    distance = near["at"] - near["head"]
    is_close = distance.abs() <= WINDOW
    before = places.assign(sentence=places["sentence"] - 1)
    after = places.assign(sentence=places["sentence"] + 1)
    contexts = {
        "sentence": near,
        "window": near[is_close],
        "left": near[is_close & (distance < 0)],
        "right": near[is_close & (distance > 0)],
        "names": near[near["pos"] == "PROPN"],
        "numbers": near[near["pos"] == "NUM"],
        "around": pd.concat([before, after]).merge(
            words.content, on=["doc", "sentence"]
        ),
    }
    result = {}
    for name, context in contexts.items():
        result[name] = words.bag(context["row"], context["lemma"], size)
    result["words"] = words.bag(rows, words.lemma[mention_tokens], size)
    return {**result, **_bags_of_mentions(codes, places)}


def _bags_of_mentions(
    codes: Mapping[str, Ints], places: pd.DataFrame
) -> dict[str, csr_matrix]:
    """Return the bags of head lemmas of mentions: counts, weighted by the idf among mentions."""
    lemma = codes["lemma"]
    doc = codes["doc"]
    size = len(lemma)
    documents = int(doc.max(initial=-1)) + 1
    lemmas = int(lemma.max(initial=-1)) + 1
    weights = diags_array(idf_of(doc, lemma, documents, lemmas))
    ones = np.ones(size)
    sentence = places.groupby(["doc", "sentence"]).ngroup().to_numpy()
    of_sentences = csr_matrix((ones, (sentence, lemma)), shape=(size, lemmas))
    of_mentions = csr_matrix((ones, (np.arange(size), lemma)), shape=(size, lemmas))
    events = of_sentences[sentence] - of_mentions
    events.eliminate_zeros()
    story = csr_matrix((ones, (doc, lemma)), shape=(documents, lemmas))
    return {
        "events": csr_matrix(normalize(events @ weights)).astype(np.float32),
        "story": csr_matrix(normalize(story @ weights))[doc].astype(np.float32),
    }
