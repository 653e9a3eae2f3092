"""Prediction in blocks: the same clusters, however many pairs are in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cdec.baselines.sac import (
    Calibration,
    Linear,
    Model,
    SacConfig,
    columns,
    describe,
    encode,
    mean_logits,
    near_documents,
    stream,
)
from cdec.corpus import Corpus, divided, read, sample_path
from cdec.corpus.blind import blind
from cdec.io import silent, workers
from cdec.language import mention_heads
from cdec.pairs import candidates, grow


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return blind(divided(read(sample_path()))["train"]).corpus


SYSTEMS = [("average", -6.0), ("single", -6.0), ("single", -40.0, "centrality", "rivals")]


@pytest.fixture(scope="module", params=SYSTEMS)
def model(request: pytest.FixtureRequest) -> Model:
    link, shift, *more = request.param
    families = ("head", "letters", "words", "context", "documents", "place", "crowd", *more)
    choices = replace(SacConfig.shipped("sac"), families=families, extras=(), link=link)
    weights = np.random.default_rng(0).normal(0.4, 1, len(columns(families)))
    members = (Linear(weights, shift),)
    return Model(choices, "", "", "", (), members, Calibration(1, 0), 0.45, {})


def expected(corpus: Corpus, model: Model) -> list[int]:
    """The clusters from the list of all pairs."""
    whole = describe(corpus, model.choices, "hanta")
    p = model.calibration.probabilities(mean_logits(model.members, whole.features))
    trees = grow(whole.pairs, p, len(whole.mentions), model.threshold, model.choices.link)
    return list(trees.cut(model.threshold))


def found(corpus: Corpus, model: Model) -> list[int]:
    near = near_documents(corpus, model.choices, silent)
    mentions = encode(corpus, "hanta", families=model.choices.families, near=near)
    return list(stream.clusters(mentions, near, model))


@pytest.mark.parametrize("kept", [1 << 24, 100])
@pytest.mark.parametrize("block", [1 << 17, 500])
def test_blocks_and_passes_do_not_matter(
    kept: int, block: int, corpus: Corpus, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = expected(corpus, model)
    assert 10 < len(set(whole)) < len(whole)
    monkeypatch.setattr(stream, "KEPT", kept)
    monkeypatch.setattr(stream, "_MERGED", 50)
    monkeypatch.setattr(candidates, "BLOCK", block)
    monkeypatch.setattr(mention_heads, "DOCUMENTS", 5)
    assert found(corpus, model) == whole


def test_other_processes_give_the_same_clusters(
    corpus: Corpus, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_WORTH", 0)
    with workers(2):
        assert found(corpus, model) == expected(corpus, model)


def test_the_number_of_pairs_is_known_before_they_are_made(corpus: Corpus, model: Model) -> None:
    near = near_documents(corpus, model.choices, silent)
    document = encode(corpus, "hanta").codes["doc"]
    assert candidates.count(document, near) == len(candidates.candidates(document, near))
