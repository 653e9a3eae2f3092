from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec import load_corpus
from cdec.language.similarity import DocumentPairs
from cdec.pairs import candidates as module
from cdec.pairs.candidates import candidates
from cdec.pairs.tokens import tokenise

NEAR = DocumentPairs(np.array([0, 1]), np.array([2, 2]), np.array([0.5, 0.25]))


def near(links: set[tuple[int, int]]) -> DocumentPairs:
    ordered = sorted(links)
    ends = np.array(ordered, dtype=np.int64).reshape(-1, 2)
    return DocumentPairs(ends[:, 0], ends[:, 1], np.linspace(0.2, 1, len(ordered)))


def brute_force(document: list[int], links: set[tuple[int, int]]) -> list[tuple[int, int]]:
    both = combinations(range(len(document)), 2)
    return [
        (a, b) for a, b in both if document[a] == document[b] or (document[a], document[b]) in links
    ]


@given(
    st.lists(st.integers(0, 5), max_size=25).map(sorted),
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] < pair[1])),
)
def test_pairs_are_those_of_brute_force(document: list[int], links: set[tuple[int, int]]) -> None:
    pairs = candidates(np.array(document, dtype=np.int64), near(links))
    assert list(zip(pairs.left, pairs.right, strict=True)) == brute_force(document, links)


def test_small_blocks_give_the_same_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    document = np.sort(np.arange(60) % 7).astype(np.int64)
    links = near({(0, 3), (2, 5), (1, 6), (0, 6)})
    whole = candidates(document, links)
    monkeypatch.setattr(module, "BLOCK", 10)
    cut = candidates(document, links)
    assert (whole.left == cut.left).all()
    assert (whole.right == cut.right).all()
    assert (whole.cosine == cut.cosine).all()
    assert sum(map(len, cut.blocks())) == len(cut)
    assert max(map(len, cut.blocks())) <= 10


def test_a_pair_has_the_cosine_of_its_documents() -> None:
    pairs = candidates(np.array([0, 0, 1, 2]), NEAR)
    cosines = {
        (int(a), int(b)): float(x)
        for a, b, x in zip(pairs.left, pairs.right, pairs.cosine, strict=True)
    }
    assert cosines == {(0, 1): 1.0, (0, 3): 0.5, (1, 3): 0.5, (2, 3): 0.25}


def test_documents_without_mentions_make_no_pairs() -> None:
    assert len(candidates(np.zeros(0, dtype=np.int64), NEAR)) == 0
    assert len(candidates(np.array([0, 2]), NEAR)) == 1


def test_the_lemmas_of_several_languages_are_of_one_table() -> None:
    corpus = load_corpus("sample", "test")
    first = next(iter(corpus.documents.values()))
    spanish = replace(first, attributes={"language": "es"}, sentences=(("Anunciaron", "despidos"),))
    documents = {one.id: one for one in corpus.documents.values()} | {first.id: spanish}
    table = tokenise(replace(corpus, documents=documents), "hanta")
    assert table.size > len({*table.lemma[table.doc == 0]}) == 2
