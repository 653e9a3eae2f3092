"""WEC: mentions in their paragraphs."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdec import load_corpus
from tests.corpus.samples import put, read, sizes_of, wec
from tests.refusals import refused

_NAME = "Dev_Event_gold_mentions.json"


def test_each_distinct_context_is_a_sentence(tmp_path: Path) -> None:
    text = wec({}, {"mention_context": ["Rain", "fell"]}, {"tokens_number": [0]}, {"doc_id": "B"})
    corpus = read(put(tmp_path, {_NAME: text}))
    assert corpus.levels == {}
    assert corpus.text == "contexts"
    assert corpus.documents["A"].sentences == (("It", "rose"), ("Rain", "fell"))
    assert corpus.documents["A"].attributes == {"part": "dev"}
    assert dict(corpus.mentions["text"]) == {
        "A/0": "rose",
        "A/1": "fell",
        "A/2": "It",
        "B/3": "rose",
    }
    assert set(corpus.mentions["descriptor"]) == {"Flood"}


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({"tokens_number": [2]}, "corpus-record-invalid"),
        ({"tokens_number": [-1]}, "corpus-record-invalid"),
        ({"tokens_number": []}, "corpus-record-invalid"),
        ({"tokens_number": [1.5]}, "format-undetected"),
        ({"mention_context": "text"}, "format-undetected"),
        ({"mention_id": "0"}, "corpus-record-invalid"),
    ],
)
def test_a_damaged_record_is_an_error(tmp_path: Path, record: dict[str, object], code: str) -> None:
    with refused(code):
        read(put(tmp_path, {_NAME: wec({}, record)}))


def test_a_truncated_file_is_an_error(tmp_path: Path) -> None:
    with refused("json-invalid"):
        read(put(tmp_path, {_NAME: wec({}, {})[:-9]}))


def test_the_published_counts(corpora: Path) -> None:
    corpus = load_corpus(str(corpora / "WEC-Eng-dev"))
    sizes = sizes_of(corpus)
    assert (len(corpus.documents), sum(sizes), len(sizes)) == (1194, 1250, 233)
    assert sizes.count(1) == 17
