"""Responses with mentions of their own: dicts by tokens, tables, annotations, systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pandas as pd
import pytest

import cdec
from cdec.corpus import Corpus
from cdec.evaluation import run_on
from cdec.formats import Annotation, from_corpus, mention_table
from cdec.metrics import ALL
from tests.refusals import refused


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return cdec.load_corpus("sample", "test")


class Finder:
    """Finds the first token of each document, and puts all of them into one chain."""

    name = "finder"
    parameters: ClassVar[Mapping[str, object]] = {"tokens": 1}

    def predict(self, corpus: Corpus) -> Annotation:
        docs = list(corpus.documents)
        table = mention_table(docs, [0] * len(docs), [0] * len(docs), ["x"] * len(docs))
        return Annotation("any", "any", table, dict.fromkeys(docs))


def spans(sample: Corpus) -> pd.DataFrame:
    table = sample.selected
    return table[table["tokens"].map(len) == table["end"] - table["start"] + 1]


def test_keys_are_tokens_or_ids(sample: Corpus) -> None:
    table = spans(sample)
    places = list(zip(table["doc"], table["start"], table["end"], strict=True))
    chains = dict(zip(places, table["chain"], strict=True))
    texts = {f"{d}/{s}-{e}": chain for (d, s, e), chain in chains.items()}
    ids = table["chain"].to_dict()
    mixed: dict[Any, Any] = {**dict(list(texts.items())[:9]), **dict(list(ids.items())[9:])}
    expected = run_on(sample, ids).response.labels.sort_index()
    for response in (chains, texts, mixed):
        run = run_on(sample, response)
        assert run.response.labels.sort_index().index.equals(expected.index)
        assert run.signed["mentions"] == "gold"


FIVE = ("muc", "b3", "ceafe", "lea", "conll")


@pytest.mark.parametrize("metrics", [FIVE, FIVE[::-1], (*ALL,), (*ALL,)[::-1], ("all", "mentions")])
def test_named_metrics_are_those_shown(sample: Corpus, metrics: tuple[str, ...]) -> None:
    labels = dict(list(spans(sample)["chain"].items())[:-3])
    shown = cdec.evaluate(sample, labels, metrics=metrics).frame["metric"]
    expected = {"mentions", *ALL} if "all" in metrics else {*metrics}
    assert set(shown) == expected
    usual = cdec.evaluate(sample, labels).frame["metric"]
    assert set(usual) == {*FIVE, "mentions"}
    every = cdec.evaluate(sample, labels, metrics="All").frame["metric"]
    assert {*ALL, "mentions"} <= set(every)


def test_twinless_mentions_of_a_dict(sample: Corpus) -> None:
    doc = next(iter(sample.documents))
    labels = {**sample.gold.labels.to_dict(), (doc, 0, 3): "new"}
    run = run_on(sample, labels)
    assert len(run.response) == len(sample.gold) + 1
    assert run.signed["mentions"] == "predicted"


def test_a_frame(sample: Corpus) -> None:
    frame = spans(sample)[["doc", "start", "end", "chain"]]
    run = run_on(sample, frame)
    assert len(run.response) == len(frame)


@pytest.mark.parametrize(
    "key", [("doc", 1), ("doc", 3, 2), ("doc", -1, 2), (1, 2, 3), ("doc", "1", "2")]
)
def test_invalid_mentions(key: tuple[Any, ...], sample: Corpus) -> None:
    with refused("argument-type"):
        run_on(sample, {key: "x"})


def test_an_unknown_id_is_still_refused(sample: Corpus) -> None:
    with refused("system-invalid", "nowhere"):
        run_on(sample, {"nowhere": "x"})


def test_an_annotation(sample: Corpus) -> None:
    results = cdec.evaluate(sample, from_corpus(sample, sample.gold), metrics="conll")
    assert results["conll"].f1 == 1


def test_a_system_with_its_own_mentions(sample: Corpus) -> None:
    run = run_on(sample, Finder())
    assert set(run.mentions.loc[run.response.labels.index, "doc"]) == set(sample.documents)
    assert run.signed["mentions"] == "predicted"
    assert (run.system, run.signed["tokens"]) == ("finder", 1)
    with refused("system-invalid", place="finder"):
        cdec.predict(sample, Finder())


def test_a_system_that_names_other_documents(sample: Corpus) -> None:
    class Lost(Finder):
        def predict(self, corpus: Corpus) -> Annotation:
            table = mention_table(["elsewhere"], [0], [0], ["x"])
            return Annotation("any", "any", table, {"elsewhere": None})

    with refused("system-invalid", "elsewhere", place="finder"):
        run_on(sample, Lost())
