"""Pooled scores, and the two scorers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from cdec.api import load_corpus, predict
from cdec.clustering import Clustering
from cdec.corpus import Corpus
from cdec.metadocument import MetaDocuments
from cdec.metrics import ALL, DERIVED, METRICS, Counts
from cdec.metrics.scores import COUNT_COLUMNS, SCORERS, Scores, score
from cdec.settings import SETTINGS, build
from tests.refusals import refused
from tests.strategies import meta_documents, meta_documents_of
from tests.tiny_corpora import tiny

# Two meta-documents: one perfect link of one; no link of three.
TWO = meta_documents_of([0, 0, 1, 1, 1, 1], [0, 0, 1, 2, 3, 4], [0, 0, 1, 1, 1, 1])


def parts_of(metas: MetaDocuments) -> list[Scores]:
    groups = metas.table.groupby("meta", sort=False)
    return [score(MetaDocuments(part)) for _, part in groups]


@given(meta_documents())
@settings(max_examples=60)
def test_micro_is_the_sum_of_the_counts_over_the_meta_documents(metas: MetaDocuments) -> None:
    whole, parts = score(metas), parts_of(metas)
    for name in METRICS:
        summed = Counts.sum(part.counts[name] for part in parts)
        for column in COUNT_COLUMNS:
            assert getattr(whole.counts[name], column) == pytest.approx(getattr(summed, column))


def test_only_the_needed_metrics_are_counted() -> None:
    assert list(score(TWO, ["conll"]).counts) == ["muc", "b3", "ceafe"]


def test_only_the_requested_metrics_in_table_order() -> None:
    scores = score(TWO, ["conll", "muc"])
    assert list(scores.values) == ["muc", "conll"]
    assert scores["conll"] == score(TWO)["conll"]
    assert list(score(TWO).values) == list(ALL)
    with refused("name-unknown", "unknown metric", "muc, conll"):
        scores["b3"]


def test_rows_hold_values_and_counts_and_means_have_an_f1_only() -> None:
    rows = {row["metric"]: row for row in score(TWO).rows()}
    assert list(rows) == list(ALL)
    assert rows["muc"] == {
        **{"metric": "muc", "precision": 1.0, "recall": 0.25, "f1": 0.4},
        **{"p_num": 1, "p_den": 1, "r_num": 1, "r_den": 4},
    }
    for name in DERIVED:
        assert {rows[name][column] for column in COUNT_COLUMNS} == {None}
    assert rows["conll"]["precision"] is None


@pytest.mark.parametrize(
    ("metrics", "scorer", "code", "value"),
    [
        (["muck"], "cdec", "name-unknown", "'muc'"),
        (["muc"], "nelval", "name-unknown", "'neleval'"),
        (["muc", "lea"], "neleval", "metric-unsupported", "lea"),
    ],
)
def test_unknown_and_unsupported_names_are_errors(
    metrics: list[str], scorer: str, code: str, value: str
) -> None:
    with refused(code, value):
        score(TWO, metrics, scorer)


def assert_scorers_agree(metas: MetaDocuments) -> None:
    ours, theirs = score(metas).values, score(metas, scorer="neleval").values
    assert theirs.keys() == ours.keys() - {"lea"}
    for name, value in theirs.items():
        known = [(a, b) for a, b in zip(ours[name], value, strict=True) if b is not None]
        assert len(known) == sum(number is not None for number in ours[name])
        for a, b in known:
            assert a == pytest.approx(b, rel=0, abs=1e-9), name


@pytest.mark.parametrize("seed", range(200))
def test_neleval_agrees_under_every_setting(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, chains = int(rng.integers(5, 60)), int(rng.integers(1, 25))
    documents = np.sort(rng.integers(0, 6, size)).tolist()
    key, response = rng.integers(-1, chains, (2, size)).tolist()
    corpus = tiny(documents, key, response)
    setting = list(SETTINGS.values())[seed % len(SETTINGS)]
    assert_scorers_agree(build(setting, corpus.table, *corpus.sides))


@pytest.fixture(scope="module")
def lemma_on_test(
    ecbplus: object, shared_cache: object, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Corpus, Clustering]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(shared_cache))
        corpus = load_corpus(str(ecbplus), "test")
        return corpus, predict(corpus, "lemma")


# By topic and sub-topic: neleval needs some ten seconds for the whole split as one meta-document.
@pytest.mark.parametrize("setting", [pytest.param("simple", marks=pytest.mark.slow), "ycf", "bh"])
def test_neleval_agrees_on_ecbplus(setting: str, lemma_on_test: tuple[Corpus, Clustering]) -> None:
    corpus, response = lemma_on_test
    assert_scorers_agree(build(SETTINGS[setting], corpus.selected, corpus.gold, response))


def test_both_scorers_and_their_metrics() -> None:
    assert list(SCORERS) == ["cdec", "neleval"]
    assert all(name in SCORERS["cdec"].metrics for name in ALL)
    assert set(SCORERS["neleval"].metrics) == METRICS.keys() - {"lea"}
