"""uCDCR: tables and JSON files, repeated documents, unlinked actions."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from cdec import load_corpus
from cdec.corpus import divided
from tests.corpus.samples import documents, inspected, parquet, put, read, ucdcr
from tests.refusals import refused

pytest.importorskip("pyarrow", reason="install the extra `parquet`")


def _files(mentions: list[dict[str, object]], *texts: str) -> dict[str, str | bytes]:
    table = documents(*(texts or ("It rose .",)))
    return {
        "all_documents.parquet": parquet(table),
        "all_mentions.parquet": parquet(pd.DataFrame(mentions)),
    }


def _events(mentions: list[dict[str, object]]) -> str:
    lists = {"tokens_number": [1], "tokens_number_context": [1], "mention_context": ["It", "rose"]}
    return json.dumps([mention | lists for mention in mentions])


def test_the_tables(tmp_path: Path) -> None:
    mentions = ucdcr({}, {"tokens_number": "[0]", "mention_full_type": "LOC_GEO"})
    corpus = read(put(tmp_path, _files(mentions)))
    document = corpus.documents["1_1ecb"]
    assert (document.topic, document.subtopic) == ("1", "1ecb")
    assert document.attributes == {"part": "dev"}
    kinds = dict(corpus.mentions["kind"])
    assert kinds == {"1_1ecb/0_0_0": "entity", "1_1ecb/0_1_1": "event"}
    assert not corpus.variants


def test_a_mention_in_two_sentences_has_the_words_that_it_names(tmp_path: Path) -> None:
    """The numbers go on in the next sentence; without its words they may be damaged."""
    table = documents("It rose .", "It fell .").assign(**{"topic/subtopic_name/doc": "1/1ecb/1"})
    table["sent_id"], table["token_id_global"] = [0, 0, 0, 1, 1, 1], range(6)
    for words, inside in ((["rose", ".", "It"], True), (["rose", ".", "He"], False), ([], False)):
        mention = {"tokens_number": "[1, 2, 3]", "tokens_text": str(words)}
        files = {
            "all_documents.parquet": parquet(table),
            "all_mentions.parquet": parquet(pd.DataFrame(ucdcr(mention))),
        }
        path = put(tmp_path, files)
        if inside:
            assert read(path).mentions["tokens"].tolist() == [(1, 2, 3)]
        else:
            with refused("corpus-record-invalid"):
                read(path)


def test_an_action_outside_the_list_of_events_is_unlinked(tmp_path: Path) -> None:
    mentions = ucdcr({}, {"tokens_number": "[2]", "coref_chain": "D"})
    corpus = read(
        put(tmp_path, _files(mentions) | {"val.event_mentions.json": _events(mentions[:1])})
    )
    sizes = {name: len(corpus.select(variant=name).selected) for name in corpus.variants}
    assert sizes == {"ucdcr": 1, "with-unlinked": 2}


def test_without_documents_the_contexts_are_the_text(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, {"val.event_mentions.json": _events(ucdcr({}))}))
    assert corpus.text == "contexts"
    assert corpus.documents["1_1ecb"].sentences == (("It", "rose"),)
    assert corpus.mentions.index.tolist() == ["1_1ecb/m0"]


def test_a_repeated_document_counts_once(tmp_path: Path) -> None:
    table = documents("It rose .")
    files = _files(ucdcr({})) | {"all_documents.parquet": parquet(pd.concat([table, table]))}
    corpus = read(put(tmp_path, files))
    assert corpus.documents["1_1ecb"].tokens == ("It", "rose", ".")
    assert [d.kind for d in inspected(tmp_path).defects] == ["document-repeated"]


def test_a_name_of_two_documents_is_replaced_by_their_keys(tmp_path: Path) -> None:
    mentions = ucdcr({"doc": "1"}, {"doc": "1", "conll_doc_key": "1/1ecb/2"})
    corpus = read(put(tmp_path, _files(mentions, "It rose .", "It fell .")))
    assert sorted(corpus.documents) == ["1/1ecb/1", "1/1ecb/2"]
    assert [d.kind for d in inspected(tmp_path).defects] == ["document-name-repeated"]


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({"tokens_number": "[3]"}, "corpus-record-invalid"),
        ({"tokens_number": "[]"}, "corpus-record-invalid"),
        ({"sent_id": 1}, "corpus-record-invalid"),
        ({"tokens_number": "__import__('os')"}, "format-undetected"),
        ({"tokens_number": "[1"}, "format-undetected"),
        ({"conll_doc_key": "9"}, "corpus-file-invalid"),
        ({"coref_chain": None}, "field-invalid"),
    ],
)
def test_a_damaged_mention_is_an_error(
    tmp_path: Path, record: dict[str, object], code: str
) -> None:
    with refused(code):
        read(put(tmp_path, _files(ucdcr(record))))


def test_damaged_tables_are_errors(tmp_path: Path) -> None:
    sound = _files(ucdcr({}))
    table = documents("It rose .")
    faults: dict[bytes, str] = {
        b"": "corpus-file-invalid",
        bytes(sound["all_documents.parquet"])[:-9]: "corpus-file-invalid",  # type: ignore[arg-type]
        b"PAR1 nothing PAR1": "corpus-file-invalid",
        parquet(table.drop(columns="token")): "field-invalid",
        parquet(table.assign(token_id=7)): "corpus-file-invalid",
        parquet(table.assign(sent_id=10**6)): "corpus-file-invalid",
        parquet(table.assign(token=None)): "field-invalid",
    }
    for content, code in faults.items():
        with refused(code):
            read(put(tmp_path, sound | {"all_documents.parquet": content}))


def test_the_published_counts(corpora: Path) -> None:
    metaphors = divided(load_corpus(str(corpora / "ECB+METAm")))
    assert {part: len(c.selected) for part, c in metaphors.items()} == {"dev": 981, "test": 1200}
    unlinked = metaphors["test"].select(variant="with-unlinked")
    assert len(unlinked.selected) == 1777
    entities = divided(load_corpus(str(corpora / "uCDCR-format")))
    counts = {part: (len(c.documents), len(c.selected)) for part, c in entities.items()}
    # Of 3,375, 1,744 and 1,440 mentions; the rest repeat a span of their chain.
    assert counts == {"train": (55, 3305), "dev": (19, 1706), "test": (20, 1420)}


def test_a_gap_stays_a_gap(tmp_path: Path) -> None:
    mentions = ucdcr(
        {"tokens_number": "[0, 2]"},
        {"tokens_number": "[0, 1, 2]"},
        {"tokens_number": "[0, 2]", "coref_chain": "D"},
    )
    path = put(tmp_path, _files(mentions))
    tokens = read(path).mentions["tokens"].to_dict()
    assert sorted(tokens.values()) == [(0, 1, 2), (0, 2), (0, 2)]
    assert [defect.kind for defect in inspected(path).defects] == ["span-in-two-chains"]
