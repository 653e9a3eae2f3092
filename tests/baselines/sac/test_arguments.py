"""Gold arguments: provided only on request, as span and kind; and the features from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from cdec.baselines import run, system
from cdec.baselines.config import read_config
from cdec.baselines.sac import GOLD, Sac, SacConfig, SacPlus, columns, encode, store
from cdec.baselines.sac.features import features
from cdec.clustering import Clustering
from cdec.corpus import (
    ARGUMENT_COLUMNS,
    ARGUMENT_KINDS,
    SEEN,
    ArgumentCorpus,
    Corpus,
    arguments_of,
    divided,
    read,
    sample_path,
)
from cdec.corpus.blind import blind
from cdec.errors import CorpusError, UsageError
from cdec.pairs import Candidates
from tests.baselines.disguise import disguise
from tests.corpus.test_blind import GOLD as SECRET
from tests.corpus.test_blind import strings
from tests.language.tiny import corpus
from tests.refusals import refused

TEXTS = {
    "1_1ecb": ["Police in Oslo arrested a gunman on Monday .", "He fell ."],
    "1_2ecb": ["Police in Bergen arrested a thief Monday .", "Rain fell ."],
}
EVENTS = [("1_1ecb", (3,)), ("1_1ecb", (10,)), ("1_2ecb", (3,)), ("1_2ecb", (9,))]
ARGUMENTS = [
    ("1_1ecb", (0,), "HUMAN_PART_ORG"),
    ("1_1ecb", (2,), "LOC_GEO"),
    ("1_1ecb", (4, 5), "HUMAN_PART_PER"),
    ("1_1ecb", (7,), "TIME_DATE"),
    ("1_1ecb", (9,), "HUMAN_PART_PER"),
    ("1_2ecb", (0,), "HUMAN_PART_ORG"),
    ("1_2ecb", (2,), "LOC_GEO"),
    ("1_2ecb", (4, 5), "HUMAN_PART_PER"),
    ("1_2ecb", (6,), "TIME_DATE"),
    ("1_2ecb", (8,), "NON_HUMAN_PART"),
]


def corpus_with(arguments: list[tuple[str, tuple[int, ...], str]] = ARGUMENTS) -> Corpus:
    """Return the tiny corpus with events and arguments."""
    tiny = corpus(TEXTS, [*((*event, "x") for event in EVENTS), *arguments])
    tags = tiny.mentions["chain"]
    tagged = tiny.mentions.assign(
        tag=tags.where(tags != "x", "ACTION_OCCURRENCE"),
        kind=tags.where(tags == "x", "entity").replace("x", "event"),
        chain="gold-" + tags,
    )
    return replace(tiny, mentions=tagged, argument_kinds=ARGUMENT_KINDS)


@pytest.fixture(scope="module")
def sample() -> dict[str, Corpus]:
    return divided(read(sample_path()))


@pytest.fixture(scope="module")
def informed(sample: dict[str, Corpus], tmp_path_factory: pytest.TempPathFactory) -> Sac:
    path = tmp_path_factory.mktemp("config") / "gold.toml"
    path.write_text('system = "sac"\n[choices]\narguments = "gold"\n')
    untrained = read_config(path).make()
    assert isinstance(untrained, Sac)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(path.parent / "cache"))
        return untrained.fit(sample["train"], sample["dev"])


@dataclass
class Witness:
    """A system that records the corpora that it receives."""

    needs_arguments: bool
    name: str = "witness"
    shown: list[Corpus] = field(default_factory=list)

    @property
    def parameters(self) -> Mapping[str, object]:
        return {}

    def fit(self, train: Corpus, dev: Corpus) -> Self:
        return self

    def predict(self, corpus: Corpus) -> Clustering:
        self.shown.append(corpus)
        return Clustering(corpus.mentions["text"])


def test_without_a_request_a_system_receives_no_arguments() -> None:
    witness = Witness(needs_arguments=False)
    run(witness, corpus_with())
    (shown,) = witness.shown
    assert not isinstance(shown, ArgumentCorpus)
    assert list(shown.mentions.columns) == SEEN
    assert len(shown.mentions) == len(EVENTS)
    with pytest.raises(UsageError):
        arguments_of(shown)
    bare = blind(corpus_with([])).corpus
    assert bare.documents == shown.documents
    assert bare.mentions.equals(shown.mentions)
    assert vars(bare).keys() - {"events"} == vars(shown).keys() - {"events"}


def test_on_request_a_system_receives_spans_and_kinds_only() -> None:
    witness = Witness(needs_arguments=True)
    run(witness, corpus_with())
    (shown,) = witness.shown
    table = arguments_of(shown)
    assert list(table.columns) == ARGUMENT_COLUMNS
    assert list(shown.mentions.columns) == SEEN
    assert len(shown.mentions) == len(EVENTS)
    assert set(table["doc"]) == set(shown.documents)
    words = {
        (" ".join(shown.documents[doc].tokens[i] for i in at), kind)
        for doc, at, kind in zip(table["doc"], table["tokens"], table["kind"], strict=True)
    }
    assert words == {
        *(("Police", "participant"), ("a gunman", "participant"), ("He", "participant")),
        *(("a thief", "participant"), ("Rain", "participant"), ("Monday", "time")),
        *(("Oslo", "location"), ("Bergen", "location")),
    }


def test_nothing_gold_but_the_spans_on_the_sample(sample: dict[str, Corpus]) -> None:
    part = sample["test"]
    visible = set(strings(blind(part, arguments=True).corpus)) - {part.name, part.digest, part.part}
    secret = {str(value) for name in SECRET for value in part.mentions[name]}
    secret |= set(part.documents) | set(part.mentions.index)
    assert not visible & (secret - {""})


def test_the_same_words_take_part_in_one_sentence_each() -> None:
    m = encode(blind(corpus_with(), arguments=True).corpus, families=GOLD)
    first = {doc: row for row, doc in reversed(list(enumerate(m.codes["doc"])))}
    left, right = sorted(first.values())
    pairs = Candidates(
        np.array([left, left]), np.array([right, left + 1]), np.ones(2, dtype=np.float32)
    )
    rows = features(m, pairs, GOLD)
    across, within = (dict(zip(columns(GOLD), row.tolist(), strict=True)) for row in rows)
    # Police, gunman and Police, thief: two words each; the shared one has the lower idf.
    assert 0 < across["participant_cosine"] < 0.5
    assert (across["participants_known"], across["other_participants"]) == (1, 0)
    assert across["time_cosine"] == pytest.approx(1)
    assert (across["location_cosine"], across["other_locations"]) == (0, 1)
    # The other sentence of the document has only a pronoun, which is not a content word.
    assert within["time_cosine"] == within["times_known"] == within["other_times"] == 0


def test_order_and_names_do_not_matter(informed: Sac, sample: dict[str, Corpus]) -> None:
    other, renamed = disguise(sample["test"], seed=5)
    here, there = run(informed, sample["test"]).labels, run(informed, other).labels
    assert there.loc[[renamed[id_] for id_ in here.index]].tolist() == here.tolist()


def test_the_model_keeps_the_configuration(informed: Sac, sample: dict[str, Corpus]) -> None:
    assert informed.needs_arguments
    assert informed.parameters["arguments"] == "gold"
    assert Sac().parameters["arguments"] == "none"
    again = Sac(model=store.parse(store.dump(informed.fitting()), "here"))
    assert again.needs_arguments
    assert run(again, sample["test"]).labels.equals(run(informed, sample["test"]).labels)


def test_other_arguments_make_another_model(sample: dict[str, Corpus]) -> None:
    train = sample["train"]
    argument = train.mentions["kind"] == "entity"
    moved = replace(train, mentions=train.mentions[~(argument & argument.cumsum().eq(1))])
    gold = Sac(choices=replace(Sac().choices, arguments="gold"))
    assert gold._key(train) != gold._key(moved)
    assert Sac()._key(train) == Sac()._key(moved)


@pytest.mark.parametrize("make", [Sac, SacPlus])
def test_the_default_is_none(make: type[Sac]) -> None:
    choices = make().choices
    assert choices.arguments == "none"
    assert "arguments" not in choices.table()
    assert set(GOLD).isdisjoint(make().chosen.families)


def test_a_corpus_without_arguments_is_refused(informed: Sac, sample: dict[str, Corpus]) -> None:
    part = sample["test"]
    bare = replace(part, mentions=part.selected)
    with pytest.raises(CorpusError):
        run(informed, bare)
    with pytest.raises(CorpusError):
        informed.fit(bare, bare)
    with pytest.raises(UsageError):
        informed.predict(blind(part).corpus)
    run(system("lemma"), bare)


def test_invalid_parameters(tmp_path: Path) -> None:
    with refused("parameter-invalid", "participants, times, locations"):
        replace(SacConfig.shipped("sac"), families=("head", "times"))
    path = tmp_path / "bad.toml"
    path.write_text('system = "sac"\n[choices]\narguments = "golden"\n')
    with refused("name-unknown", "unknown arguments", "golden", place="bad.toml"):
        read_config(path)
