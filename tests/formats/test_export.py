"""Files exported for other scorers agree with the corpus and the setting."""

import numpy as np
import pandas as pd
import pytest

from cdec.clustering import Clustering
from cdec.formats import from_corpus, from_meta_documents
from cdec.matching import Matched, match_corpus, match_files
from cdec.metadocument import MetaDocuments
from cdec.settings import SETTINGS, Setting, build, homes
from tests.formats.made import corpus, parse, rows, written
from tests.formats.perl import PerlScorer, by_document, ours
from tests.refusals import refused

CORPUS = corpus()


def test_texts_sentences_and_ids() -> None:
    made = from_corpus(CORPUS, CORPUS.gold)
    assert made.documents == {id_: doc.tokens for id_, doc in CORPUS.documents.items()}
    assert made.mentions["mention"].tolist() == CORPUS.selected.index.tolist()
    assert ("1_1ecb", 1, 4, (1, 4), "ACT1") in rows(made)
    text = written(made, "conll")
    assert "1_2ecb\t1\t6\t7&#32;½\t(ACT3)\n" in text
    assert text.count("\n\n") == len(CORPUS.documents)
    assert parse(text).documents == made.documents


def test_unknown_mentions_are_an_error() -> None:
    with refused("mention-unknown", "x/1", place=CORPUS.name):
        from_corpus(CORPUS, Clustering(pd.Series({"x/1": 1})))
    table = pd.DataFrame({"meta": ["m"], "key": [1], "response": [1]}, index=["x/1"])
    with refused("mention-unknown", "x/1", place=CORPUS.name):
        from_meta_documents(CORPUS, MetaDocuments(table), places(SETTINGS["simple"]))


def places(setting: Setting) -> dict[str, str]:
    return homes(setting, CORPUS.documents.values())


@pytest.mark.parametrize("name", SETTINGS)
def test_every_document_is_in_the_text_of_its_meta_document(name: str) -> None:
    only = {CORPUS.gold.labels.index[0]: "X"}
    metas = build(
        SETTINGS[name], CORPUS.selected, Clustering.from_labels(only), Clustering.from_labels(only)
    )
    for side in from_meta_documents(CORPUS, metas, places(SETTINGS[name])):
        lengths = [len(tokens) for tokens in side.documents.values() if tokens is not None]
        assert sum(lengths) == sum(len(doc.tokens) for doc in CORPUS.documents.values())


def response_with_twinless() -> Matched:
    labels = CORPUS.selected["chain"].replace({"ACT5": "ACT1", "ACT3": "ACT2"})
    made = written(from_corpus(CORPUS, Clustering(labels)), "csv")
    header, *lines = made.splitlines()
    extra = [f"1_1ecb,5,6,,,{labels.iloc[0]}", "2_1ecb,0,0,,,new"]
    return match_corpus(parse("\n".join([header, *lines[2:], *extra])), CORPUS)


@pytest.mark.parametrize("name", SETTINGS)
def test_meta_documents_keep_the_counts(name: str) -> None:
    matched = response_with_twinless()
    metas = build(SETTINGS[name], matched.mentions, matched.key, matched.response)
    sides = from_meta_documents(CORPUS, metas, places(SETTINGS[name]), matched.mentions)
    key, response = (parse(written(side, "conll")) for side in sides)
    again = match_files(key, response)
    assert ours(by_document(again)) == ours(metas)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("seed", range(5))
def test_the_reference_scorer_gives_the_settings_numbers(
    perl_scorer: PerlScorer, name: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    events = CORPUS.selected
    labels = pd.Series(rng.integers(0, 4, len(events)), index=events.index)
    metas = build(SETTINGS[name], events, CORPUS.gold, Clustering(labels))
    key, response = from_meta_documents(CORPUS, metas, places(SETTINGS[name]))
    printed = perl_scorer(written(key, "conll"), written(response, "conll"), ["all", "mentions"])
    found = ours(metas)
    assert {n: pytest.approx(counts) for n, counts in printed.items()} == found
