from collections.abc import Sequence
from dataclasses import replace
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from cdec.corpus import Document, read, sample_path
from cdec.language import similarity
from cdec.language.similarity import ROUNDING, Prefixes, similar_pairs
from cdec.language.vectors import Matrix, Tfidf, vectors
from tests.language.tiny import document
from tests.refusals import refused

PLAIN = Tfidf(lowercase=True, stop_words=True, words_only=True, sublinear_tf=False, min_df=1)
BARE = Tfidf(lowercase=False, stop_words=False, words_only=False, sublinear_tf=False, min_df=1)


def of(texts: Sequence[str], choice: Tfidf) -> list[list[float]]:
    """Return the rows of these documents, with the weights of each row in descending order."""
    rows = vectors([document(f"1_{n}ecb", [text]) for n, text in enumerate(texts)], choice)
    return [sorted((float(x) for x in row if x), reverse=True) for row in rows.toarray()]


def found(rows: Matrix, delta: float) -> set[tuple[int, int]]:
    pairs = [
        pair
        for left, right, _ in similar_pairs(rows, delta)
        for pair in zip(left.tolist(), right.tolist(), strict=True)
    ]
    assert len(pairs) == len(set(pairs))
    return set(pairs)


def brute(rows: Matrix, delta: float) -> set[tuple[int, int]]:
    product = (rows @ rows.T).toarray()
    left, right = np.nonzero(np.triu(product >= delta - ROUNDING, 1))
    return set(zip(left.tolist(), right.tolist(), strict=True))


def test_the_weights_by_hand() -> None:
    rare, common = log(3 / 2) + 1, 1.0  # 2 documents: ln((1 + n) / (1 + df)) + 1
    length = sqrt((2 * rare) ** 2 + common**2)
    assert of(["quake quake tsunami", "tsunami"], PLAIN) == [
        pytest.approx([2 * rare / length, common / length]),
        [1.0],
    ]
    sublinear = replace(PLAIN, sublinear_tf=True)
    tf = 1 + log(2)
    length = sqrt((tf * rare) ** 2 + common**2)
    assert of(["quake quake tsunami", "tsunami"], sublinear)[0] == pytest.approx(
        [tf * rare / length, common / length]
    )


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (BARE, 6),  # The the quake Quake , 1
        (replace(BARE, lowercase=True), 4),
        (replace(BARE, stop_words=True), 4),
        (replace(BARE, words_only=True), 5),
        (PLAIN, 2),
    ],
)
def test_the_words_of_a_document(choice: Tfidf, words: int) -> None:
    assert [len(row) for row in of(["The the quake Quake , 1"], choice)] == [words]


def test_words_of_few_documents_are_left_out() -> None:
    texts = ["quake aceh", "quake sumatra", "quake aceh"]
    assert [len(row) for row in of(texts, replace(PLAIN, min_df=2))] == [2, 1, 2]
    assert [len(row) for row in of(texts, replace(PLAIN, min_df=3))] == [1, 1, 1]
    assert [len(row) for row in of(texts, replace(PLAIN, min_df=4))] == [0, 0, 0]


@pytest.mark.parametrize(
    "choice",
    [
        PLAIN,
        replace(PLAIN, sublinear_tf=True, min_df=3),
        replace(PLAIN, stop_words=False, lowercase=False),
    ],
)
def test_the_vectors_equal_those_of_scikit_learn(choice: Tfidf) -> None:
    documents = list(read(sample_path()).documents.values())

    def words(document: Document) -> list[str]:
        texts = [t for s in document.sentences[document.text_start :] for t in s]
        kept = [t for t in texts if any(c.isalnum() for c in t)]
        kept = [t for t in kept if not choice.stop_words or t.lower() not in ENGLISH_STOP_WORDS]
        return [t.lower() for t in kept] if choice.lowercase else kept

    theirs = TfidfVectorizer(
        analyzer=words, sublinear_tf=choice.sublinear_tf, min_df=choice.min_df
    ).fit_transform(documents)
    ours = vectors(documents, choice)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(
        (ours @ ours.T).toarray(), (theirs @ theirs.T).toarray(), rtol=0, atol=1e-12
    )


def test_the_url_is_not_text() -> None:
    page = replace(document("1_1ecbplus", ["http quake", "Storm hits coast"]), text_start=1)
    other = document("1_2ecb", ["quake"])
    assert similar(page, other) == 0
    assert similar(replace(page, text_start=0), other) > 0


def similar(a: Document, b: Document) -> float:
    rows = vectors([a, b], PLAIN)
    return float((rows @ rows.T).toarray()[0, 1])


@pytest.mark.parametrize("texts", [["", ""], ["the", ","], [""]])
def test_documents_without_text_have_no_pairs(texts: list[str]) -> None:
    rows = vectors([document(f"1_{n}ecb", [text]) for n, text in enumerate(texts)], PLAIN)
    assert rows.shape == (len(texts), 0)
    assert found(rows, 0.01) == set()


def test_one_document_without_text_among_others() -> None:
    texts = ["quake hits", "", "quake hits", "the"]
    rows = vectors([document(f"1_{n}ecb", [text]) for n, text in enumerate(texts)], PLAIN)
    assert found(rows, 0.01) == {(0, 2)}


def test_equal_texts_reach_one() -> None:
    text = " ".join(f"word{n % 17}" for n in range(60))
    texts = [text, f"{text} word99", text, text]
    rows = vectors([document(f"1_{n}ecb", [t]) for n, t in enumerate(texts)], PLAIN)
    assert found(rows, 1) == {(0, 2), (0, 3), (2, 3)}


@st.composite
def unit_rows(draw: st.DrawFn) -> Matrix:
    """Return a few rows of length 1 or 0 with few words, so that ties are likely."""
    size, width = draw(st.integers(1, 12)), draw(st.integers(1, 8))
    weights = st.sampled_from([0, 0, 0, 1, 1, 2, 5])
    cells = draw(st.lists(weights, min_size=size * width, max_size=size * width))
    dense = np.array(cells, dtype=float).reshape(size, width)
    length = np.sqrt((dense**2).sum(axis=1, keepdims=True))
    return csr_array(np.divide(dense, length, out=np.zeros_like(dense), where=length > 0))


DELTAS = st.one_of(st.sampled_from([0.05, 0.3, 0.5, sqrt(0.5), 1.0]), st.floats(0.001, 1))


@given(unit_rows(), DELTAS)
def test_pairs_are_those_of_the_full_product(rows: Matrix, delta: float) -> None:
    assert found(rows, delta) == brute(rows, delta)


@given(rows=unit_rows(), delta=DELTAS)
def test_pairs_do_not_depend_on_the_chunks(rows: Matrix, delta: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "_CELLS", 5)
        patch.setattr(similarity, "_VERIFIED", 2)
        patch.setattr(similarity, "_CUTS", 3)
        assert found(rows, delta) == brute(rows, delta)


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2, 0.3, 0.5, 0.9])
def test_pairs_of_a_real_part(delta: float, ecbplus_rows: Matrix) -> None:
    assert found(ecbplus_rows, delta) == brute(ecbplus_rows, delta)


@pytest.fixture(scope="module")
def ecbplus_rows(request: pytest.FixtureRequest) -> Matrix:
    return vectors(list(request.getfixturevalue("whole_ecbplus").documents.values()), PLAIN)


def test_the_bounds_spare_most_of_the_product(ecbplus_rows: Matrix) -> None:
    prefixes = Prefixes.from_rows(ecbplus_rows, 0.3)
    candidates = sum(
        len(prefixes.candidates(int(a), int(b))[0])
        for a, b in zip(prefixes.borders()[:-1], prefixes.borders()[1:], strict=True)
    )
    size = ecbplus_rows.shape[0]
    assert len(brute(ecbplus_rows, 0.3)) <= candidates < size * (size - 1) / 2 / 10


@pytest.mark.parametrize("delta", [0, -0.1, float("nan")])
def test_delta_must_be_positive(delta: float) -> None:
    with pytest.raises(ValueError, match="must be greater than 0"):
        list(similar_pairs(csr_array(np.eye(2)), delta))


@pytest.mark.parametrize(
    ("name", "value"),
    [("min_df", 0), ("min_df", 1.5), ("min_df", True), ("lowercase", 1), ("stop_words", "no")],
)
def test_invalid_parameters_are_refused(name: str, value: Any) -> None:
    with refused("parameter-invalid", name, value):
        replace(PLAIN, **{name: value})
