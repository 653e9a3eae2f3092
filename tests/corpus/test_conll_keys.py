"""Any cross-document key in CoNLL columns as a corpus."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from cdec import load_corpus
from tests.corpus.samples import put, read, sizes_of
from tests.refusals import refused

CATTAN = "".join(
    f"{topic}\t{topic}{sub}\t{topic}{sub}_{n}\t0\t{n}\tfire\tTrue\t(4)\n"
    for topic, sub, n in [("1", "a", 1), ("1", "b", 2), ("2", "a", 3)]
)
CONLL = """\
#begin document (a); part 000
a 0 0 Fire (1)
a 0 1 spread (2

a 0 0 It 2)
#end document
#begin document (a); part 001
a 1 0 rain (1)
#end document
"""


def test_the_levels_are_in_the_columns(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, {"key.conll": f"#begin document x\n{CATTAN}#end document\n"}))
    assert corpus.levels == {"topic": "topic", "subtopic": "sub-topic"}
    assert corpus.documents["1b_2"].subtopic == "1b"
    assert sizes_of(corpus) == [3]


def test_conll_2012_has_no_levels(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, {"key.conll.gz": gzip.compress(CONLL.encode())}))
    assert corpus.levels == {}
    assert list(corpus.documents) == ["a", "a; part 001"]
    assert corpus.documents["a"].sentences == (("Fire", "spread"), ("It",))
    assert corpus.mentions.index.tolist() == ["a/0_0_0", "a/0_1_2", "a; part 001/0_0_0"]


def test_without_a_column_of_tokens_there_is_no_text(tmp_path: Path) -> None:
    text = "#begin document (a)\na 0 0 (1)\na 0 1 -\n#end document\n"
    assert read(put(tmp_path, {"key.conll": text})).text == "none"


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("a 0 0 Fire (1)", "a 0 0 Fire 1", "brackets-invalid", 2),
        ("a 0 0 Fire (1)", "a 0 0 Fire ((1)", "brackets-invalid", 2),
        ("a 0 0 It 2)", "a 2)", "corpus-file-invalid", 5),
        ("a 0 0 It 2)", "a 0 0 2)", "corpus-file-invalid", 5),
        ("#end document\n#begin", "#begin", "conll-structure", 6),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, old: str, new: str, code: str, line: int) -> None:
    with refused(code, place=f"key.conll:{line}"):
        read(put(tmp_path, {"key.conll": CONLL.replace(old, new)}))


def test_a_masked_key_of_gvc(corpora: Path) -> None:
    corpus = load_corpus(str(corpora / "GVC" / "hypercoref.key.test.masked.conll.gz"))
    assert (corpus.format, corpus.text) == ("conll", "none")
    assert corpus.levels == {"topic": "topic"}
    sizes = sizes_of(corpus)
    assert (len(corpus.documents), sum(sizes), len(sizes)) == (74, 951, 193)
