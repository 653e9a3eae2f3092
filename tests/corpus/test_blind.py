from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import pandas as pd
import pytest

from cdec.baselines import SYSTEMS, System, run, system
from cdec.clustering import Clustering
from cdec.corpus import SEEN, Corpus, load_split, read, sample_path, select
from cdec.corpus.blind import blind
from cdec.errors import ScoringError
from tests.baselines.disguise import disguise
from tests.language.tiny import corpus

GOLD = ["doc", "topic", "subtopic", "tag", "chain", "descriptor"]

SLOW_REAL = pytest.param("ecbplus", marks=pytest.mark.slow)


@pytest.fixture(scope="module", params=["sample", SLOW_REAL])
def real(request: pytest.FixtureRequest) -> Corpus:
    if request.param == "sample":
        return read(sample_path())
    return select(request.getfixturevalue("whole_ecbplus"), "test", load_split("ycf"))


@dataclass
class ByPosition:
    """A system that depends on the order of documents and mentions, and on their ids."""

    name: str = "by-position"

    @property
    def parameters(self) -> Mapping[str, object]:
        return {}

    def fit(self, train: Corpus, dev: Corpus) -> Self:
        return self

    def predict(self, corpus: Corpus) -> Clustering:
        place = pd.Series(range(len(corpus.mentions)), corpus.mentions.index)
        return Clustering((place % 7).astype(str) + corpus.mentions["doc"].str[0])


def strings(value: object) -> Iterator[str]:
    """Yield every string in ``value`` except the words of the text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, pd.DataFrame):
        yield from (str(name) for name in [*value.columns, value.index.name, *value.attrs])
        yield from strings(
            [value.index.tolist(), value.drop(columns="text", errors="ignore").to_numpy().tolist()]
        )
    elif isinstance(value, dict):
        yield from strings([*value.keys(), *value.values()])
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from strings(item)
    elif hasattr(value, "__dict__"):
        fields = {name: item for name, item in vars(value).items() if name != "sentences"}
        yield from strings(list(fields.values()))


def test_nothing_gold_is_left(real: Corpus) -> None:
    hidden = blind(real).corpus
    found = {text for text in strings(hidden) if text not in (real.name, real.digest, real.part)}
    secret = {str(value) for name in GOLD for value in real.mentions[name]} | set(real.documents)
    secret |= set(real.mentions.index)
    assert not found & (secret - {""})
    assert not [text for text in found if "ecb" in text]
    assert list(hidden.mentions.columns) == SEEN
    assert len(hidden.mentions) == len(real.selected)
    with pytest.raises(KeyError):
        _ = hidden.gold


def test_strings_finds_gold_in_a_corpus_that_is_not_blind(real: Corpus) -> None:
    found = set(strings(real))
    assert set(real.documents) <= found
    assert set(real.mentions["chain"]) <= found


def test_every_mention_keeps_its_words(real: Corpus) -> None:
    hidden = blind(real)
    table = hidden.corpus.mentions
    for id_, doc, tokens in zip(table.index[:500], table["doc"], table["tokens"], strict=False):
        words = hidden.corpus.documents[doc].tokens
        true = real.mentions.loc[hidden.original[id_]]
        assert [words[i] for i in tokens] == [
            real.documents[true["doc"]].tokens[i] for i in true["tokens"]
        ]


@pytest.mark.parametrize("make", [lambda: system("lemma"), lambda: system("lemma-wd"), ByPosition])
def test_other_names_and_another_order_change_nothing(
    real: Corpus, make: Callable[[], System]
) -> None:
    other, renamed = disguise(real, seed=7)
    here, there = run(make(), real).labels, run(make(), other).labels
    assert there.loc[[renamed[id_] for id_ in here.index]].tolist() == here.tolist()


def test_ids_follow_the_text_alone() -> None:
    one = blind(corpus({"1_1ecb": ["A b"], "2_2ecb": ["C d"]}, [("2_2ecb", (1,), "x")])).corpus
    two = blind(corpus({"9_9ecbplus": ["C d"], "3_1ecb": ["A b"]}, [("9_9ecbplus", (1,), "y")]))
    assert list(one.documents) == list(two.corpus.documents) == sorted(one.documents)
    assert list(one.mentions.index) == list(two.corpus.mentions.index)
    assert one.mentions.index[0].endswith("/0")


def test_copies_of_a_text_are_distinguished_by_their_mentions() -> None:
    texts = {"1_1ecb": ["A b c"], "2_2ecb": ["A b c"]}
    mentions = [("1_1ecb", (2,), "x"), ("2_2ecb", (1,), "y")]
    for order in (texts, dict(reversed(texts.items()))):
        hidden = blind(corpus(order, mentions))
        first, second = hidden.corpus.documents
        assert second == f"{first}-2"
        assert hidden.original.tolist() == ["2_2ecb/11", "1_1ecb/11"]


def test_arguments_are_not_visible_and_have_no_chain() -> None:
    given = corpus({"1_1ecb": ["Police came ."]}, [("1_1ecb", (1,), "x")], argument="1_1ecb")
    assert len(given.mentions) == 2
    assert len(blind(given).corpus.mentions) == 1
    assert len(run(system("lemma"), given)) == 1


def test_the_answer_comes_back_under_the_real_ids_in_corpus_order(real: Corpus) -> None:
    answer = run(ByPosition(), real)
    assert answer.labels.index.equals(real.selected.index)


@dataclass
class Incomplete(ByPosition):
    lacks: int = 0
    adds: int = 0

    def predict(self, corpus: Corpus) -> Clustering:
        labels = super().predict(corpus).labels.iloc[self.lacks :]
        more = pd.Series(["x"] * self.adds, index=[f"no/{i}" for i in range(self.adds)])
        return Clustering(pd.concat([labels, more]) if self.adds else labels)


def test_an_answer_that_leaves_mentions_out_is_refused() -> None:
    given = corpus({"1_1ecb": ["A b c"]}, [("1_1ecb", (i,), "x") for i in range(3)])
    with pytest.raises(ScoringError, match="1_1ecb/11"):
        run(Incomplete(lacks=2), given)


def test_an_answer_with_foreign_mentions_is_refused() -> None:
    given = corpus({"1_1ecb": ["A b c"]}, [("1_1ecb", (i,), "x") for i in range(3)])
    with pytest.raises(ScoringError, match="no/0"):
        run(Incomplete(adds=1), given)


def test_every_registered_system_runs(real: Corpus) -> None:
    for name in SYSTEMS:
        assert system(name).name == name
