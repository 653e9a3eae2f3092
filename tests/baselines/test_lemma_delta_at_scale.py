"""The corpus of the benchmark, smaller: exact, and without a quadratic step or dense table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdec.corpus.blind import blind
from cdec.language.similarity import ROUNDING
from cdec.language.vectors import vectors
from tests.baselines.test_lemma_delta import components
from tests.benchmarks.predict_at_scale import STAGES, HeadsGiven, measured
from tests.benchmarks.synthetic import Shape, make


@pytest.mark.parametrize("documents", [1_000, pytest.param(5_000, marks=pytest.mark.slow)])
def test_thousands_of_documents(documents: int, tmp_path: Path) -> None:
    figures = measured(documents, tmp_path / "response.conll")
    assert sum(figures[stage] for stage in STAGES) < 60  # some 5 s on an idle machine
    assert figures["peak_gib"] < 1  # the cosines of all documents alone would take 0.2


def test_a_part_of_it_is_exact() -> None:
    hidden = blind(make(Shape(300, story=5))).corpus
    rows = vectors(list(hidden.documents.values()), HeadsGiven().tfidf)
    similar = (rows @ rows.T).toarray() >= 0.3 - ROUNDING
    place = pd.Series(range(len(hidden.documents)), index=list(hidden.documents))
    doc, text = hidden.mentions["doc"].map(place).to_numpy(), hidden.mentions["text"]
    answer = HeadsGiven().predict(hidden).labels
    heaviest = text.value_counts().index[:5]
    assert text.value_counts().iloc[0] > 300  # one lemma in nearly every document
    for lemma in heaviest:
        ids = np.flatnonzero(text == lemma)
        links = ((a, b) for a in ids for b in ids if doc[a] == doc[b] or similar[doc[a], doc[b]])
        groups = answer.iloc[ids].groupby(answer.iloc[ids]).indices.values()
        assert sorted(sorted(ids[group]) for group in groups) == components(list(ids), links)


def test_the_generator() -> None:
    corpus = make(Shape(2_000))
    assert make(Shape(2_000)).mentions.equals(corpus.mentions)
    assert not make(Shape(2_000, seed=2)).mentions.equals(corpus.mentions)
    for id_, tokens, text in (
        corpus.mentions[["doc", "tokens", "text"]].head(50).itertuples(index=False)
    ):
        assert " ".join(corpus.documents[id_].tokens[k] for k in tokens) == text
    counts = corpus.mentions["text"].value_counts().to_numpy()
    expected = counts[0] / np.arange(
        1, 11
    )  # Zipf: the k-th lemma has 1/k of the first one's mentions
    assert np.abs(counts[:10] / expected - 1).max() < 0.35
    rows = vectors(list(corpus.documents.values()), HeadsGiven().tfidf)
    share = ((rows @ rows.T).toarray() >= 0.3).mean()
    assert share < 0.02  # documents are similar inside a story, and rarely beyond
