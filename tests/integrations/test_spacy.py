"""Chains as span groups, and DocBin files: what goes out comes back, also across documents."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

import cdec
from cdec.integrations.spacy import read_docbin, to_docs, to_frame, write_docbin
from tests.refusals import refused

VOCAB = Vocab()


def doc(text: str, name: str | None = None) -> Doc:
    made = Doc(VOCAB, words=text.split())
    made.spans["coref_clusters_1"] = [made[0:2], made[3:4]]
    made.spans["other"] = [made[0:1]]
    if name:
        made.user_data["doc"] = name
    return made


def test_a_response_goes_through_a_docbin_unchanged(tmp_path: Path) -> None:
    corpus = cdec.load_corpus("sample", "test")
    response = cdec.predict(corpus, "lemma")
    write_docbin(tmp_path / "x.spacy", to_docs(corpus, response))
    docs = read_docbin(tmp_path / "x.spacy", spacy.blank("en").vocab)
    assert list(docs) == list(corpus.documents)
    scores = [
        cdec.evaluate(corpus, answer, setting="simple", metrics="conll")["conll"].f1
        for answer in (response, to_frame(docs))
    ]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("kind", ["event", "entity", "all"])
def test_a_key_with_gaps_comes_back(kind: str) -> None:
    corpus = cdec.load_corpus("sample", mentions=kind)
    results = cdec.evaluate(corpus, to_frame(to_docs(corpus).values()), metrics="b3")
    assert results["b3"].f1 == 1.0


def test_groups_are_local_to_a_document_unless_said_otherwise() -> None:
    docs = {"a": doc("The fire , it burned"), "b": doc("The fire , it burned")}
    assert to_frame(docs)["chain"].unique().tolist() == [
        "a#coref_clusters_1",
        "b#coref_clusters_1",
    ]
    assert to_frame(docs, across=True)["chain"].unique().tolist() == ["coref_clusters_1"]
    assert to_frame(docs)[["start", "end"]].to_numpy().tolist() == [[0, 1], [3, 3]] * 2
    assert to_frame(docs, prefix="other")["end"].tolist() == [0, 0]
    docs["b"].spans["coref_clusters_1"].attrs["chain"] = "fire"
    assert to_frame(docs)["chain"].tolist() == ["a#coref_clusters_1"] * 2 + ["fire"] * 2


def test_docs_need_names() -> None:
    with refused("argument-type", "Doc 1"):
        to_frame([doc("The fire , it burned", "a"), doc("The fire , it burned")])
    with refused("argument-type", "a second 'a'"):
        to_frame([doc("The fire , it burned", "a"), doc("The fire , it burned", "a")])


def test_chains_may_be_a_dict_or_series() -> None:
    corpus = cdec.load_corpus("sample", "test")
    expected = to_frame(to_docs(corpus))
    for chains in (corpus.gold.labels, corpus.gold.labels.to_dict()):
        assert to_frame(to_docs(corpus, chains)).equals(expected)


def test_chains_of_another_part_are_refused() -> None:
    test, train = (cdec.load_corpus("sample", part) for part in ("test", "train"))
    unknown = train.gold.labels.index[0]
    with refused("mention-unknown", unknown, place=test.name) as caught:
        to_docs(test, train.gold)
    assert caught.value.hint


@pytest.mark.parametrize("chains", [["a"], "lemma", 1])
def test_other_chains_are_refused(chains: Any) -> None:
    with refused("argument-type", type(chains).__name__):
        to_docs(cdec.load_corpus("sample", "test"), chains)


@pytest.mark.parametrize("corpus", [None, "sample"])
def test_another_corpus_is_refused(corpus: Any) -> None:
    with refused("argument-type", type(corpus).__name__):
        to_docs(corpus)


@pytest.mark.parametrize("docs", [doc("The fire , it burned"), None, 1, "a", [None], {"a": "b"}])
def test_what_is_not_several_docs_is_refused(docs: Any, tmp_path: Path) -> None:
    with refused("argument-type") as caught:
        to_frame(docs)
    assert caught.value.hint
    with refused("argument-type"):
        write_docbin(tmp_path / "x.spacy", docs)


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.spacy").write_bytes(b"no DocBin")
    with refused("file-invalid", place="x.spacy"):
        read_docbin(tmp_path / "x.spacy")
