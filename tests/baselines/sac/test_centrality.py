"""Centrality of sentences, on three small documents."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from cdec.baselines.sac import CENTRALITY, DENSITY, Sentences, columns, density, encode
from cdec.baselines.sac.centrality import centrality
from cdec.baselines.sac.features import features
from cdec.language.similarity import NO_PAIRS, DocumentPairs
from cdec.pairs.candidates import candidates
from tests.language.tiny import corpus

# Documents 0, 1 and 2 with three, two and one sentences, along three axes.
ROWS = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1, 0]]
SENTENCES = Sentences(ROWS, np.array([0, 3, 5, 6]), 0.6)
CODES = {
    "doc": np.array([0, 0, 1, 2]),
    "sentence": np.array([0, 2, 0, 0]),
    "stem": np.array([7, 8, 7, 8]),
}
NEAR = DocumentPairs(np.array([0, 0]), np.array([1, 2]), np.array([0.6, 0.2]))


def of(
    mention: int, sentences: Sentences = SENTENCES, near: DocumentPairs = NEAR
) -> dict[str, float]:
    values = centrality(CODES, near, sentences)[mention].tolist()
    return dict(zip(CENTRALITY, values, strict=True))


def test_a_sentence_that_both_near_documents_have() -> None:
    values = of(0)
    for name in ("best", "best_3", "best_8", "weighted"):
        assert values[name] == 1
    assert (values["close"], values["rank"], values["relative_rank"]) == (2, 0, 0)
    assert (values["near_documents"], values["document_sentences"]) == (2, 3)
    # Document 1 has a mention of stem 7, document 2 has none.
    assert (values["stems"], values["stem_share"]) == (1, 0.5)
    assert values["stem_weight"] == pytest.approx(0.75)


def test_a_sentence_that_no_document_repeats() -> None:
    values = of(1)
    for name in ("best", "best_3", "best_8", "weighted", "close"):
        assert values[name] == 0
    assert (values["rank"], values["relative_rank"]) == (2, 1)


def test_bags_and_vectors_give_the_same_numbers() -> None:
    bags = Sentences(csr_matrix(ROWS), SENTENCES.first, 0.6)
    assert (centrality(CODES, NEAR, bags) == centrality(CODES, NEAR, SENTENCES)).all()


def test_a_document_without_mentions_is_not_near() -> None:
    more = Sentences(
        np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1, 0, 0]], np.array([0, 3, 5, 6, 7]), 0.6
    )
    wider = DocumentPairs(np.array([0, 0, 0]), np.array([1, 2, 3]), np.array([0.6, 0.2, 0.9]))
    assert of(0, more, wider) == of(0)


def test_without_near_documents_only_the_length_is_known() -> None:
    values = of(0, near=NO_PAIRS)
    assert {name for name, value in values.items() if value} == {"document_sentences"}


def test_density_counts_mentions() -> None:
    values = density(CODES, SENTENCES)
    assert values.shape == (4, len(DENSITY))
    assert values[0].tolist() == pytest.approx([1, 2 / 3, 2 / 3])
    assert values[3].tolist() == [1, 1, 1]


def test_a_pair_has_the_lower_and_the_higher_value(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    texts = {
        "1_1ecb": ["Police arrested a gunman", "Rain fell"],
        "1_2ecb": ["Officers arrested a gunman"],
    }
    mentions = [("1_1ecb", (1,), "a"), ("1_1ecb", (5,), "b"), ("1_2ecb", (1,), "a")]
    families = ("centrality", "rivals", "density")
    near = DocumentPairs(np.array([0]), np.array([1]), np.array([0.5]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(tmp_path_factory.mktemp("cache")))
        m = encode(corpus(texts, mentions), families=families, near=near)
    pairs = candidates(m.codes["doc"], near)
    table = dict(zip(columns(families), features(m, pairs, families).T, strict=True))
    # Pairs 0–1, 0–2 and 1–2: mention 1 is in a sentence that the other document does not have.
    assert table["best_low"][1] > 0.5
    assert table["best_low"][2] == 0
    assert (table["best_low"] <= table["best_high"]).all()
    assert table["document_sentences_high"].tolist() == [2, 2, 2]
