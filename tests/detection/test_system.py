"""Systems on the mentions of a detector: what they see, return and sign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pandas as pd
import pytest

import cdec
from cdec.baselines import system
from cdec.clustering import Clustering
from cdec.corpus import Corpus
from cdec.detection import Detecting, Detector
from cdec.evaluation import prediction
from cdec.formats import Annotation
from tests.refusals import refused


@dataclass
class Watching:
    """A system that keeps the corpora that it gets."""

    seen: list[Corpus] = field(default_factory=list)
    name: str = "watching"

    @property
    def parameters(self) -> Mapping[str, object]:
        return {"mine": 1}

    def predict(self, corpus: Corpus) -> Clustering:
        self.seen.append(corpus)
        return Clustering(pd.Series("x", corpus.mentions.index))


@dataclass(frozen=True)
class WatchingDetector(Detector):
    """A detector that keeps the corpora that it gets."""

    seen: list[Corpus] = field(default_factory=list, compare=False)

    def find(self, corpus: Corpus) -> pd.DataFrame:
        self.seen.append(corpus)
        return super().find(corpus)


@pytest.fixture(scope="module")
def test_part() -> Corpus:
    return cdec.load_corpus("sample", "test")


@pytest.fixture
def detector() -> WatchingDetector:
    train, dev = (cdec.load_corpus("sample", part) for part in ("train", "dev"))
    return WatchingDetector("detector-lexicon").fit(train, dev)


def rows(annotation: Annotation) -> list[tuple[str, int, int, str]]:
    columns = ["doc", "start", "end", "chain"]
    return list(annotation.mentions[columns].itertuples(index=False, name=None))


def test_neither_detector_nor_system_sees_gold_mentions(
    test_part: Corpus, detector: WatchingDetector
) -> None:
    inner = Watching()
    predicted = prediction(Detecting(inner, detector), test_part)
    (blind,), (shown,) = detector.seen, inner.seen
    assert blind.mentions.empty
    assert not blind.reviewed
    assert blind.region is None
    assert not blind.elsewhere
    assert {document.topic for document in blind.documents.values()} == {""}
    assert not set(blind.documents) & set(test_part.documents)
    assert list(shown.mentions) == ["doc", "sentence", "start", "end", "tokens", "text"]
    assert isinstance(predicted, Annotation)
    assert len(predicted) == len(shown.mentions)
    assert list(dict.fromkeys(predicted.mentions["doc"])) == [
        id_ for id_ in test_part.documents if id_ in set(predicted.mentions["doc"])
    ]


def test_gold_does_not_change_what_is_found(test_part: Corpus, detector: WatchingDetector) -> None:
    whole = prediction(Detecting(system("lemma"), detector), test_part)
    fewer = replace(test_part, mentions=test_part.mentions.iloc[::3].assign(chain="x"))
    assert isinstance(whole, Annotation)
    assert len(whole) > 100
    assert rows(prediction(Detecting(system("lemma"), detector), fewer)) == rows(whole)  # type: ignore[arg-type]


def test_mentions_are_inside_sentences_and_distinct(
    test_part: Corpus, detector: WatchingDetector
) -> None:
    predicted = prediction(Detecting(system("lemma"), detector), test_part)
    assert isinstance(predicted, Annotation)
    table = predicted.mentions
    assert not table.duplicated(["doc", "start", "end"]).any()
    for doc, start, end in zip(table["doc"], table["start"], table["end"], strict=True):
        starts = test_part.documents[doc].sentence_starts
        assert sum(s <= start for s in starts) == sum(s <= end for s in starts)
        assert end < len(test_part.documents[doc].tokens)


def test_the_signature_has_detector_and_parameters(
    test_part: Corpus, detector: WatchingDetector
) -> None:
    results = cdec.evaluate(test_part, Detecting(system("lemma"), detector), setting="simple")
    fields = results.signature.fields
    assert fields["mentions"] == "predicted"
    assert fields["detector"] == "detector-lexicon@1"
    assert set(fields["detection"]) == {"kind", "threshold", "merge", "trained_on", "model"}
    assert fields["detection"]["trained_on"] == "sample/sample-train"


def test_no_mention_found_is_an_empty_response(test_part: Corpus, detector: Detector) -> None:
    model = detector.fitting()
    never = replace(model.fitted["event"], cut=replace(model.fitted["event"].cut, threshold=1.1))
    silent = replace(detector, model=replace(model, fitted={"event": never}))
    predicted = prediction(Detecting(system("lemma"), silent), test_part)
    assert isinstance(predicted, Annotation)
    assert len(predicted) == 0


def test_a_system_with_mentions_of_its_own_is_refused(
    test_part: Corpus, detector: WatchingDetector
) -> None:
    inside = Detecting(system("lemma"), detector)
    with refused("system-invalid", "detector"):
        prediction(Detecting(inside, detector), test_part)
