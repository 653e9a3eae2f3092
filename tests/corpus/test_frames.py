"""A corpus from texts and mentions in memory."""

from __future__ import annotations

from cdec import build_corpus
from tests.corpus.articles import CRLF, TEXTS, characters, rows, words
from tests.refusals import refused


def test_topics_of_mentions_are_those_of_their_documents() -> None:
    given = [{**row, "topic": row["doc"] * 2, "kind": "entity"} for row in rows(characters)]
    corpus = build_corpus(given, TEXTS)
    assert [document.topic for document in corpus.documents.values()] == ["aa", "bb"]
    assert corpus.kinds == ("entity",)
    given[1]["topic"] = "other"
    with refused("corpus-record-invalid", "'a'", place="mentions, row 2"):
        build_corpus(given, TEXTS)


def test_a_table_of_texts_in_memory() -> None:
    documents = [
        {"id": "a", "text": CRLF, "topic": 1, "language": "en"},
        {"id": "b", "sentences": [["The", "fire"]], "topic": 2},
    ]
    given = [rows(characters)[0], {"doc": "b", "tokens": [1], "chain": "F"}]
    corpus = build_corpus(given, documents)
    assert words(corpus) == ["fire", "fire"]
    assert corpus.documents["a"].attributes == {"language": "en"}
