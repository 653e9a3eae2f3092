"""The tokens of a corpus as a table, with the labels of its annotated mentions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent
from cdec.language.annotate import annotate

COLUMNS = {
    "doc": "document id",
    "unit": "topic of the document, or its id in a corpus without topics",
    "sentence": "index of the sentence in the document",
    "place": "index of the token in the sentence",
    "token": "index of the token in the document",
    "form": "the token as in the text",
    "lemma": "its lemma in lower case",
    "pos": "its universal part of speech",
    "tag": "its tag in the tag set of the pipeline",
}
OUTSIDE, BEGIN, INSIDE = 0, 1, 2


def token_table(corpus: Corpus, nlp: str = "hanta", progress: Progress = silent) -> pd.DataFrame:
    """Return one row per token, in text order, with ``COLUMNS``; mentions are not used.

    Raises the errors of ``annotate``.
    """
    docs = annotate(corpus, nlp, progress)
    rows = []
    for id_, document in corpus.documents.items():
        tokens = iter(docs[id_])
        for number, sentence in enumerate(document.sentences):
            for place, form in enumerate(sentence):
                token = next(tokens)
                about = (id_, document.topic or id_, number, place, token.i, form)
                rows.append((*about, token.lemma_.lower(), token.pos_, token.tag_))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def annotated(corpus: Corpus, table: pd.DataFrame) -> Bools:
    """Return which tokens are in sentences in which the annotators marked every mention.

    These are the reviewed sentences of a corpus that lists them, else all sentences.
    """
    named = zip(table["doc"], table["sentence"], strict=True)
    inside = np.fromiter((place in corpus.reviewed for place in named), np.bool_, len(table))
    return inside if inside.any() else np.ones(len(table), dtype=np.bool_)


def labels(corpus: Corpus, table: pd.DataFrame) -> Ints:
    """Return BEGIN for the first token of a selected mention, INSIDE for its others, else OUTSIDE.

    Of mentions that share a token, the longer one is used; a gap splits a mention in two.
    """
    value: dict[tuple[str, int], int] = {}
    selected = corpus.selected[["doc", "tokens"]]
    ordered = sorted(selected.itertuples(index=False, name=None), key=lambda row: len(row[1]))
    for doc, tokens in ordered:
        runs = (t - 1 in tokens[:i] for i, t in enumerate(tokens))
        for token, follows in zip(tokens, runs, strict=True):
            value[doc, token] = INSIDE if follows else BEGIN
    places = zip(table["doc"], table["token"], strict=True)
    return np.fromiter((value.get(place, OUTSIDE) for place in places), np.int64, len(table))


def gold_spans(corpus: Corpus, docs: Iterable[str], tokens: Iterable[int]) -> pd.DataFrame:
    """Return ``doc``, ``start``, ``end`` of the selected mentions that begin at these tokens."""
    table = corpus.selected[["doc", "start", "end"]]
    inside = pd.MultiIndex.from_arrays([list(docs), list(tokens)])
    return table[pd.MultiIndex.from_frame(table[["doc", "start"]]).isin(inside)]
