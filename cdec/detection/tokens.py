"""The tokens of a corpus as a table, labels of its mentions, and spans from scores of tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints
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


Merge = Literal["never", "always", "scored"]
MERGES: tuple[Merge, ...] = ("never", "always", "scored")
_HALF = 0.5


class TokenScores(NamedTuple):
    """For each token, from 0 to 1: whether it is in a mention, and if so, continues one."""

    inside: Floats
    continues: Floats


class Agreement(NamedTuple):
    """Precision, recall and F1 of spans, which must be equal; 0/0 is 0."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Cut:
    """A token is in a mention if its score is at least ``threshold``.

    ``merge``: whether adjacent tokens are one mention: never, always, or as the scores say.
    """

    threshold: float
    merge: Merge = "scored"


def spans(table: pd.DataFrame, scores: TokenScores, cut: Cut) -> pd.DataFrame:
    """Return the mentions as ``doc``, ``start``, ``end``; each is inside one sentence.

    ``table`` has the columns of ``cdec.detection.tokens``. No two mentions have a token in common.

    >>> words = pd.DataFrame({"doc": "d", "place": [0, 1, 2], "token": [0, 1, 2]})
    >>> scores = TokenScores(np.array([0.1, 0.9, 0.8]), np.array([0.0, 0.1, 0.9]))
    >>> spans(words, scores, Cut(0.5)).to_dict("records")
    [{'doc': 'd', 'start': 1, 'end': 2}]
    """
    inside = scores.inside >= cut.threshold
    after = np.concatenate([[False], inside[:-1]]) & (table["place"].to_numpy() > 0)
    starts = inside & ~(after & _joined(scores, cut))
    mention = np.cumsum(starts)[inside]
    rows = table.loc[inside, ["doc", "token"]].groupby(mention, sort=False)
    found = rows.agg(doc=("doc", "first"), start=("token", "first"), end=("token", "last"))
    return found.reset_index(drop=True)


def _joined(scores: TokenScores, cut: Cut) -> Bools:
    if cut.merge == "scored":
        return np.asarray(scores.continues > _HALF)
    return np.full(len(scores.inside), cut.merge == "always")


def agreement(gold: pd.DataFrame, response: pd.DataFrame) -> Agreement:
    """Return how well the spans of ``response`` agree with those of ``gold``; both are distinct."""
    keys = ["doc", "start", "end"]
    shared = len(gold[keys].merge(response[keys]))
    precision = shared / len(response) if len(response) else 0.0
    recall = shared / len(gold) if len(gold) else 0.0
    total = len(gold) + len(response)
    return Agreement(precision, recall, 2 * shared / total if total else 0.0)
