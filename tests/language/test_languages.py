"""The language of a document decides its lemmatiser."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from cdec import build_corpus, evaluate
from cdec.corpus import Corpus, Document
from cdec.corpus.blind import blind
from cdec.language import heads, identity, pipeline
from cdec.language.taggers import universal_dutch
from tests.refusals import refused

HANTA, STEMS = version("HanTa"), version("snowballstemmer")
SENTENCES = {
    "en": ["He", "won", "two", "contracts", "."],
    "nl": ["Hij", "won", "twee", "contracten", "."],
    "es": ["Ganó", "los", "contratos", "nuevos", "."],
    "": ["They", "won", "the", "contracts", "."],
}


def corpus_of(*languages: str) -> Corpus:
    documents = [
        {"id": f"d{n}", "sentences": [SENTENCES[language[:2].lower()]], "topic": "t"}
        | ({"language": language} if language else {})
        for n, language in enumerate(languages)
    ]
    mentions = [
        {"doc": each["id"], "tokens": [place], "chain": f"c{place}"}
        for each in documents
        for place in (1, 3)
    ]
    return build_corpus(mentions, documents, name="x")


def test_the_lemmas_are_those_of_each_language() -> None:
    corpus = corpus_of("en", "nl-NL", "ES", "")
    table = heads(corpus, "hanta").reset_index()
    assert table["lemma"].tolist() == [
        *("win", "contract"),
        *("winnen", "contract"),
        *("los", "nuev"),
        *("win", "contract"),
    ]
    assert table["pos"].tolist() == ["VERB", "NOUN", "VERB", "NOUN", "X", "X", "VERB", "NOUN"]
    shown = heads(blind(corpus).corpus, "hanta")
    assert sorted(shown["lemma"]) == sorted(table["lemma"])


def test_the_signature_names_every_lemmatiser_and_a_notice_the_languages() -> None:
    corpus = corpus_of("en", "nl", "es")
    results = evaluate(corpus, "lemma", setting="pure", metrics="b3")
    nlp = f"hanta-{HANTA}+hanta-nl-{HANTA}+snowball-es-{STEMS}"
    assert results.signature.fields["nlp"] == nlp
    (found,) = results.notices
    assert (found.code, found.count, found.warning) == ("corpus-languages", 3, False)
    one = evaluate(corpus_of("en", ""), "lemma", setting="pure", metrics="b3")
    assert one.signature.fields["nlp"] == f"hanta-{HANTA}"
    assert not one.notices


def test_a_pipeline_that_the_user_names_is_used_for_all_documents() -> None:
    corpus = corpus_of("en", "nl")
    assert heads(corpus, "snowball:en")["lemma"].tolist() == [
        "won",
        "contract",
        "won",
        "contracten",
    ]
    assert identity("snowball:en", corpus) == f"snowball-en-{STEMS}"
    assert pipeline("hanta:en").identity != pipeline("hanta").identity


def test_a_language_without_a_lemmatiser_is_refused() -> None:
    documents = [{"id": "a", "sentences": [["x"]], "language": "xx"}]
    corpus = build_corpus([{"doc": "a", "tokens": [0], "chain": "1"}], documents, name="x")
    with refused("package-missing", "'xx'", place="a"):
        heads(corpus, "hanta")
    assert heads(corpus, "snowball:de")["lemma"].tolist() == ["x"]


@pytest.mark.parametrize("name", ["hanta:de", "hanta:", "snowball", "snowball:xx"])
def test_other_names_are_refused(name: str) -> None:
    with refused("name-unknown", "unknown pipeline", f"'{name}'"):
        pipeline(name)


def test_the_fingerprint_of_english_is_that_of_no_language() -> None:
    same = [Document("d", "", "", (("a",),), attributes={"language": n}) for n in ("en", "EN-us")]
    plain = Document("e", "", "", (("a",),)).fingerprint
    assert {document.fingerprint for document in same} == {plain}
    other = Document("d", "", "", (("a",),), attributes={"language": "nl"})
    assert other.fingerprint != plain


@pytest.mark.parametrize(
    ("lemma", "tag", "pos"),
    [
        ("winnen", "WW(pv,verl,ev)", "VERB"),
        ("zijn", "WW(pv,tgw,ev)", "AUX"),
        ("boeing", "N(eigen,ev,basis,zijd,stan)", "PROPN"),
        ("x", "UNC", "X"),
    ],
)
def test_dutch_parts_of_speech(lemma: str, tag: str, pos: str) -> None:
    assert universal_dutch(lemma, tag) == pos
