"""Chains as span groups, and DocBin files: what goes out comes back, also across documents."""

from pathlib import Path

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
    with refused("doc-unnamed", "Doc 1"):
        to_frame([doc("The fire , it burned", "a"), doc("The fire , it burned")])
    with refused("doc-unnamed", "a second 'a'"):
        to_frame([doc("The fire , it burned", "a"), doc("The fire , it burned", "a")])


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.spacy").write_bytes(b"no DocBin")
    with refused("docbin-invalid", place="x.spacy"):
        read_docbin(tmp_path / "x.spacy")
