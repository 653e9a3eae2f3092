"""Finders of mentions: a lexicon of words, and logistic regression over features of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from cdec.arrays import Floats, Ints
from cdec.detection.tokens import BEGIN, INSIDE, OUTSIDE, Merge, TokenScores

REVISION = 1  # increase it when a feature changes: stored models then no longer fit
EDGE = "^"  # value of a neighbour outside the sentence
LEAST = 2  # a feature of fewer training tokens is left out
_NEIGHBOURS = (-2, -1, 1, 2)
_OFTEN, _LATE, _STEPS = 6, 3, 5
_CLASSES = (OUTSIDE, BEGIN, INSIDE)
C = 0.3  # of 0.1, 0.3 and 1 the best on cybulska/dev, for events and for entities
_ROUNDS = 500
_NEVER = -1000.0  # log-odds of a class without examples; finite, so that a file can hold it


def feature_matrix(
    table: pd.DataFrame, shares: Floats, columns: Mapping[str, int]
) -> sparse.csr_array:
    """Return tokens × features; ``columns`` maps feature → column, and others are left out."""
    rows, places = [], []
    for names in feature_names(table, shares):
        column = names.map(columns)
        known = column.notna().to_numpy()
        rows.append(np.flatnonzero(known))
        places.append(column[known].to_numpy(dtype=np.int64))
    at = np.concatenate(rows), np.concatenate(places)
    return sparse.csr_array((np.ones(len(at[0])), at), shape=(len(table), len(columns)))


def frequent(table: pd.DataFrame, shares: Floats) -> tuple[str, ...]:
    """Return the features of at least ``LEAST`` tokens, sorted."""
    found: list[str] = []
    for names in feature_names(table, shares):
        counts = names.value_counts()
        found += counts.index[counts >= LEAST].tolist()
    return tuple(sorted(found))


def feature_names(table: pd.DataFrame, shares: Floats) -> Iterator[pd.Series[Any]]:
    """Yield the values of each family of features, one per token.

    ``table`` has the columns of ``cdec.detection.tokens``; ``shares`` those of the lexicon. The
    families: word, lemma, tags and their pairs, suffixes, capital, the neighbours' tags and lemmas,
    frequency of the lemma in the document, position of the sentence, share in the lexicon.
    """
    tag, lower = table["tag"], table["form"].str.lower()
    yield "word=" + lower
    yield from ("lemma=" + table["lemma"], "pos=" + table["pos"], "tag=" + tag)
    yield "lemma,pos=" + table["lemma"] + "," + table["pos"]
    yield from (f"last{size}=" + lower.str[-size:] for size in (2, 3, 4))
    first = (table["place"] == 0).map({True: ",first", False: ""})
    yield "capital=" + table["form"].str[:1].str.isupper().astype(str) + first
    near = {offset: _near(table, "tag", offset) for offset in _NEIGHBOURS}
    yield from (f"tag{offset}=" + near[offset] for offset in _NEIGHBOURS)
    yield from (f"lemma{offset}=" + _near(table, "lemma", offset) for offset in _NEIGHBOURS)
    yield "tags-1,0=" + near[-1] + "," + tag
    yield "tags0,1=" + tag + "," + near[1]
    yield "tags-1,0,1=" + near[-1] + "," + tag + "," + near[1]
    often = table.groupby(["doc", "lemma"])["token"].transform("size").clip(upper=_OFTEN)
    yield "in-document=" + often.astype(str)
    yield "sentence=" + table["sentence"].clip(upper=_LATE).astype(str)
    share = pd.Series(shares, table.index)
    yield "share=" + (share * _STEPS).round().map("{:.0f}".format).where(share.notna(), "unknown")


def _near(table: pd.DataFrame, column: str, offset: int) -> pd.Series[Any]:
    """Return the value of the token at this distance in the same sentence, else ``EDGE``."""
    by: Sequence[str] = ["doc", "sentence"]
    same = np.logical_and.reduce([table[name].shift(-offset) == table[name] for name in by])
    return table[column].shift(-offset).where(same, EDGE)


def entries(table: pd.DataFrame) -> pd.Series[Any]:
    """Return the entry of each token: its lemma and part of speech, as in ``say/VERB``."""
    return table["lemma"] + "/" + table["pos"]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """``shares``: entry → share of its occurrences in the training part that are in mentions."""

    MERGES: ClassVar[tuple[Merge, ...]] = ("never", "always")
    shares: Mapping[str, float] = field(repr=False)

    @classmethod
    def fit(cls, table: pd.DataFrame, labels: Ints) -> Self:
        """Return the lexicon of the annotated tokens ``table`` with these labels."""
        share = pd.Series(labels != OUTSIDE).groupby(entries(table).to_numpy()).mean()
        return cls({str(entry): float(x) for entry, x in share.items()})

    def scores(self, table: pd.DataFrame) -> TokenScores:
        """Return the share of each token; whether it continues a mention is not known."""
        inside = entries(table).map(self.shares).fillna(0.0)
        return TokenScores(inside.to_numpy().astype(np.float64), np.zeros(len(table)))


def left_out_shares(table: pd.DataFrame, labels: Ints) -> Floats:
    """Return the share of each token's entry in the other units (topics) of ``table``.

    NaN if the entry is in no other unit. A classifier trained on these shares sees what it will
    see in a new topic.
    """
    counts = pd.DataFrame({"entry": entries(table), "unit": table["unit"], "mention": labels > 0})
    rows = counts.groupby("entry")["mention"]
    own = counts.groupby(["entry", "unit"])["mention"]
    hits = (rows.transform("sum") - own.transform("sum")).to_numpy(dtype=np.float64)
    total = (rows.transform("size") - own.transform("size")).to_numpy(dtype=np.float64)
    share: Floats = np.divide(hits, total, out=np.full(len(table), np.nan), where=total > 0)
    return share


@dataclass(frozen=True, eq=False)
class Tagger:
    """``weights``: features × (outside, begin, inside); ``bias``: one number per class."""

    MERGES: ClassVar[tuple[Merge, ...]] = ("scored",)
    lexicon: Lexicon = field(repr=False)
    features: tuple[str, ...] = field(repr=False)
    weights: Floats = field(repr=False)
    bias: Floats = field(repr=False)

    @classmethod
    def fit(cls, table: pd.DataFrame, labels: Ints) -> Self:
        """Return the tagger trained on the annotated tokens ``table`` with these labels.

        Multinomial logistic regression, L2. Sentences must be whole: features look at neighbours.
        """
        shares = left_out_shares(table, labels)
        features = frequent(table, shares)
        matrix = feature_matrix(table, shares, _columns(features))
        with threadpool_limits(1):  # several threads change the last digit
            model = LogisticRegression(C=C, max_iter=_ROUNDS).fit(matrix, labels)
        weights, bias = np.zeros((len(features), len(_CLASSES))), np.full(len(_CLASSES), _NEVER)
        # Of two classes, scikit-learn has the log-odds of the second only.
        bias[OUTSIDE] = 0.0
        classes = model.classes_ if len(model.classes_) > 2 else model.classes_[1:]
        weights[:, classes], bias[classes] = model.coef_.T, model.intercept_
        return cls(Lexicon.fit(table, labels), features, weights, bias)

    def scores(self, table: pd.DataFrame) -> TokenScores:
        """Return 1 − P(outside), and P(inside) / (P(inside) + P(begin))."""
        known = pd.Series(self.lexicon.shares, dtype=np.float64)
        shares = entries(table).map(known).to_numpy().astype(np.float64)
        matrix = feature_matrix(table, shares, _columns(self.features))
        chances = softmax(matrix @ self.weights + self.bias, axis=1)
        inside = chances[:, BEGIN] + chances[:, INSIDE]
        return TokenScores(inside, chances[:, INSIDE] / np.maximum(inside, np.finfo(float).tiny))


def _columns(features: Sequence[str]) -> dict[str, int]:
    return {name: column for column, name in enumerate(features)}
