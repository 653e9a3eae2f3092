from dataclasses import replace

import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

from cdec.baselines import lemma_docs, run
from cdec.baselines.lemma import Lemma
from cdec.baselines.lemma_docs import LemmaDocs
from cdec.corpus import Corpus, load_split, read, sample_path, select
from cdec.corpus.blind import blind
from cdec.language.vectors import vectors
from tests.baselines.disguise import disguise
from tests.baselines.test_lemma_delta import ENDED, MENTIONS, TEXTS, chains, similarities
from tests.language.tiny import corpus
from tests.refusals import refused


@pytest.fixture(scope="module", params=["sample", "ecbplus"])
def real(request: pytest.FixtureRequest) -> Corpus:
    if request.param == "sample":
        return read(sample_path())
    return select(request.getfixturevalue("whole_ecbplus"), "dev", load_split("ycf"))


def test_documents_are_joined_by_mean_cosine() -> None:
    tiny = corpus(TEXTS, MENTIONS)
    cosine = similarities(tiny)
    first = cosine["1_1ecb", "1_2ecb"]
    assert first > cosine["1_2ecb", "2_1ecb"]
    mean = (cosine["1_1ecb", "2_1ecb"] + cosine["1_2ecb", "2_1ecb"]) / 2
    for delta, expected in [(first, False), (mean, True), (mean + 0.001, False)]:
        answer = chains(run(LemmaDocs(delta=delta), tiny))
        assert (["1_1ecb/11", "1_1ecb/12", "1_2ecb/11", "2_1ecb/11"] in answer) is expected
        assert ["2_2ecb/11", "2_2ecb/12"] in answer


def test_a_cluster_does_not_need_the_lemma_in_every_document() -> None:
    tiny = corpus(TEXTS, [mention for mention in ENDED if mention[0] != "1_2ecb"])
    cosine = similarities(tiny)
    mean = (cosine["1_1ecb", "2_1ecb"] + cosine["1_2ecb", "2_1ecb"]) / 2
    assert len(chains(run(LemmaDocs(delta=mean), tiny))) == 1


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2, 0.3, 0.5])
def test_the_same_as_average_link_over_all_documents(real: Corpus, delta: float) -> None:
    hidden = blind(real).corpus
    rows = vectors(list(hidden.documents.values()), LemmaDocs().tfidf).toarray()
    groups = fcluster(linkage(pdist(rows, "cosine"), "average"), 1 - delta, "distance")
    group = dict(zip(hidden.documents, groups, strict=True))
    expected = hidden.mentions["doc"].map(group).astype(str) + LemmaDocs().lemmas(hidden)
    answer = LemmaDocs(delta=delta).predict(hidden).labels
    assert len(set(zip(expected, answer, strict=True))) == expected.nunique() == answer.nunique()


def test_zero_is_lemma(real: Corpus) -> None:
    assert chains(run(LemmaDocs(delta=0), real)) == chains(run(Lemma(), real))


def test_a_curve_is_what_each_system_predicts(real: Corpus) -> None:
    hidden = blind(real).corpus
    deltas = [0.4, 0, 0.1]
    for delta, answer in zip(deltas, LemmaDocs().curve(hidden, deltas), strict=True):
        alone = LemmaDocs(delta=delta).predict(hidden)
        pd.testing.assert_series_equal(answer.labels, alone.labels)


def test_other_names_and_another_order_change_nothing(real: Corpus) -> None:
    other, renamed = disguise(real, seed=5)
    here, there = run(LemmaDocs(), real).labels, run(LemmaDocs(), other).labels
    assert there.loc[[renamed[str(id_)] for id_ in here.index]].tolist() == here.tolist()


def test_documents_without_text_are_clusters_of_one() -> None:
    mentions = [(id_, (0,), "a") for id_ in ("1_1ecb", "1_2ecb")]
    silent = corpus({"1_1ecb": ["ended ,"], "1_2ecb": ["ended the"]}, mentions)
    alone = LemmaDocs(tfidf=replace(LemmaDocs().tfidf, min_df=3))
    assert len(chains(run(alone, silent))) == 2


def test_too_large_a_component_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lemma_docs, "LARGEST", 2)
    with refused("parameter-invalid", "4 documents", "0.01", "2", place="lemma-docs"):
        run(LemmaDocs(delta=0.01), corpus(TEXTS, ENDED))
    assert len(chains(run(LemmaDocs(delta=1), corpus(TEXTS, ENDED)))) == 3
