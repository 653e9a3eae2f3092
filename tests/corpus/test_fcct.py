"""FCC-T: two readings of its key, without text."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from cdec import load_corpus
from cdec.corpus import part_of
from tests.corpus.samples import FCCT, FCCT_SPANS, inspected, put, read, sizes_of
from tests.refusals import refused

_NAME = "football-tournaments_cup_d0000000"


def test_masked_tokens_and_bare_labels(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, {"key.conll.gz": gzip.compress(FCCT.encode())}))
    assert corpus.text == "none"
    assert corpus.levels == {"topic": "tournament"}
    document = corpus.documents[f"{_NAME}1"]
    assert (document.topic, document.subtopic) == ("cup", "")
    assert document.sentences == (("It", "___", "___", "___"), (), ("___",))
    ids = [f"{_NAME}1/0_1_3", f"{_NAME}1/2_0_0", f"{_NAME}2/0_0_0"]
    assert corpus.mentions.index.tolist() == ids
    assert corpus.mentions["chain"].tolist() == ["0", "1", "0"]
    assert corpus.variants == {"hypercoref": {}}


def test_spans_without_tokens(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, {"key.conll": FCCT_SPANS}))
    assert corpus.documents[f"{_NAME}1"].sentences == (("___",) * 4,)
    assert corpus.variants == {"bugert": {}}
    assert sizes_of(corpus) == [1, 2]


def test_both_readings_are_variants_of_the_key(tmp_path: Path) -> None:
    files = {"a.conll.gz": gzip.compress(FCCT.encode()), "b.conll": FCCT_SPANS.encode()}
    corpus = read(put(tmp_path, files))
    chains = {name: dict(corpus.select(variant=name).selected["chain"]) for name in corpus.variants}
    shared = {f"{_NAME}1/0_1_3": "0", f"{_NAME}2/0_0_0": "0"}
    assert chains["hypercoref"] == shared | {f"{_NAME}1/2_0_0": "1"}
    assert chains["bugert"] == shared | {f"{_NAME}1/0_0_0": "bugert-9"}
    assert not inspected(tmp_path).defects


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("d00000001_0_0_0\t(9)", "d00000001_0_9_0\t(9)", "tokens-invalid", 4),
        ("d00000001_0_0_0\t(9)", "d00000001_0_0_99999\t(9)", "tokens-invalid", 4),
        ("d00000001_0_0_0\t(9)", "d00000001_0_0\t9", "corpus-file-invalid", 4),
        ("d00000001_0_0_0\t(9)", "d00000001_0_1_3\t(9)", "mention-duplicate", 4),
    ],
)
def test_a_damaged_span_is_named(tmp_path: Path, old: str, new: str, code: str, line: int) -> None:
    put(tmp_path, {"key.conll": FCCT_SPANS.replace(old, new)})
    with refused(code, place=f"key.conll:{line}"):
        read(tmp_path)


def test_a_mention_outside_the_masked_tokens_is_an_error(tmp_path: Path) -> None:
    spans = FCCT_SPANS.replace("d00000001_0_0_0", "d00000001_7_0_0")
    put(tmp_path, {"a.conll": FCCT, "b.conll": spans})
    with refused("corpus-record-invalid"):
        read(tmp_path)


def test_a_damaged_gzip_is_an_error(tmp_path: Path) -> None:
    packed = gzip.compress(FCCT.encode() * 200)
    put(tmp_path, {"key.conll.gz": packed[:-9]})
    with refused("corpus-file-invalid", place="key.conll.gz"):
        read(tmp_path)


def test_the_published_counts(corpora: Path) -> None:
    whole = load_corpus(str(corpora / "FCC-T"))
    assert part_of(whole, None).part == "fcc-t-test"
    sizes = {
        name: (len(keyed.selected), len(sizes_of(keyed)))
        for name in whole.variants
        for keyed in [whole.select(variant=name)]
    }
    assert len(whole.documents) == 122
    assert sizes == {"hypercoref": (1043, 166), "bugert": (1046, 166)}
