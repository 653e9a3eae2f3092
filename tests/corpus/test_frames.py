"""A corpus from texts and mentions in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cdec import build_corpus
from cdec.corpus import read_texts
from cdec.errors import CdecWarning, CorpusError
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


TEXT: dict[str, Any] = {"id": "a", "text": "A fire."}
TOKENS: dict[str, Any] = {"id": "a", "sentences": [["A", "fire", "."]]}
MENTION: dict[str, Any] = {"doc": "a", "tokens": [1], "chain": "F"}


@pytest.mark.parametrize("document", [TEXT, TOKENS])
@pytest.mark.parametrize(
    "facts",
    [
        {"id": ["a"]},
        {"id": True},
        {"topic": True},
        {"topic": ["x"]},
        {"date": 2026},
        {"weight": 0.5},
        {"lengths": [3]},
        {"text_start": "0"},
        {"reviewed": "yes"},
    ],
    ids=str,
)
def test_documents_of_text_and_of_sentences_are_checked_alike(
    document: dict[str, Any], facts: dict[str, Any]
) -> None:
    name = next(iter(facts))
    with refused("corpus-record-invalid", f"'{name}'", place="documents, row 1") as caught:
        build_corpus([MENTION], [{**document, **facts}])
    assert isinstance(caught.value, CorpusError)


@pytest.mark.parametrize("name", ["sentences", "lengths", "text_start", "reviewed"])
def test_a_text_has_no_sentences_of_its_own(name: str, tmp_path: Path) -> None:
    value: Any = {"sentences": [["X"]], "text_start": 0}.get(name, [0])
    with refused("corpus-record-invalid", f"'{name}'", place="documents, row 1"):
        build_corpus([MENTION], [{**TEXT, name: value}])
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({**TEXT, name: value}))
    with refused("table-invalid", f"'{name}'", place="x.jsonl:1"):
        read_texts(path)


@pytest.mark.parametrize("text", ["", "...", 5])
def test_a_document_without_words_is_an_error_of_the_corpus(text: object) -> None:
    with pytest.raises(CorpusError):
        build_corpus([MENTION], [{**TEXT, "text": text}])


def test_a_document_without_id_beside_one_of_text() -> None:
    with refused("corpus-record-invalid", "'id'", place="documents, row 2"):
        build_corpus([MENTION], [TEXT, {"sentences": [["A"]]}])


@pytest.mark.parametrize("content", ["text", "sentences"])
def test_numbers_that_pandas_made_floats_are_topics(content: str) -> None:
    """A column with a missing value has floats: 1.0 is the topic 1 of a mention."""
    document = TEXT if content == "text" else TOKENS
    documents = pd.DataFrame({"id": ["a", "b"], content: [document[content]] * 2})
    documents["topic"] = [1, None]
    mentions = [MENTION, {**MENTION, "doc": "b"}]
    if content == "text":
        mentions[0] = {**MENTION, "topic": 1}
    corpus = build_corpus(pd.DataFrame(mentions), documents)
    assert [document.topic for document in corpus.documents.values()] == ["", "1"]


@pytest.mark.parametrize("own", [{"topic": "1"}, {}])
def test_a_mention_with_another_topic_names_both(own: dict[str, str]) -> None:
    mentions = [{**MENTION, "topic": "1"}, {**MENTION, "topic": "2"}]
    with refused("corpus-record-invalid", "'1'", "'2'", "'a'", place="mentions, row 2"):
        build_corpus(mentions, [{**TEXT, **own}])


@pytest.mark.parametrize("label", ["nan", "-1", -1, "None"])
def test_a_shared_label_of_no_chain_is_an_error(label: object) -> None:
    mentions = [{"doc": "a", "tokens": [n], "chain": label} for n in (0, 1)]
    with refused("label-ambiguous", place="mentions, row 2"):
        build_corpus(mentions, {"a": [["A", "fire"]]})
    assert len(build_corpus(mentions[:1], {"a": [["A", "fire"]]}).mentions) == 1


def test_mentions_without_any_chain_are_a_warning() -> None:
    mentions = [{"doc": "a", "tokens": [n]} for n in (0, 1)]
    with pytest.warns(CdecWarning, match="2 is a singleton"):
        corpus = build_corpus(mentions, {"a": [["A", "fire"]]})
    assert corpus.mentions["chain"].nunique() == 2
