"""Similar sentences, and the groups of chains that they connect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from cdec.auditing import duplicates, recurring
from cdec.corpus import Corpus, Document


def groups(chain: list[int], edges: list[tuple[int, int]]) -> set[tuple[int, ...]]:
    alike = pd.DataFrame(edges, columns=["left", "right"]).assign(identity=1.0)
    return {tuple(rows) for rows in recurring(alike, np.array(chain))["rows"]}


def test_singletons_and_one_chain_form_one_group() -> None:
    assert groups([0, 1, 2], [(0, 1), (1, 2)]) == {(0, 1, 2)}
    assert groups([0, 1, 2, 2], [(0, 1), (1, 2)]) == {(0, 1, 2)}
    assert groups([0, 0, 1], [(0, 1)]) == set()


def test_two_chains_are_never_joined_through_a_third() -> None:
    # Mentions 0–1, 2–3 and 4–5 are chains of two, 6 is alone.
    chain = [0, 0, 1, 1, 2, 2, 3]
    assert groups(chain, [(0, 2), (2, 4)]) == {(0, 2), (2, 4)}
    assert groups(chain, [(0, 6), (2, 6)]) == {(0, 6), (2, 6)}
    assert groups([0, 1, 1, 0], [(0, 1), (2, 3)]) == {(0, 1)}


def corpus_of(sentences: list[str]) -> Corpus:
    """One document for each sentence; its third and fourth words are singleton events."""
    documents = {
        f"d{i}": Document(f"d{i}", "1", "1a", (tuple(text.split()),))
        for i, text in enumerate(sentences)
    }
    rows = [
        {"id": f"{doc}/{at}", "doc": doc, "sentence": 0, "tokens": (at,), "kind": "event"}
        for doc in documents
        for at in (2, 3)
    ]
    table = pd.DataFrame(rows).set_index("id")
    return Corpus("made", "0", documents, table.assign(chain=table.index))


BASE = "the man hit ran over a dog and a cat in town"


def pairs(corpus: Corpus, identity: float = 0.8) -> dict[tuple[str, str], float]:
    table, ids = duplicates(corpus, identity), corpus.selected.index
    return {(ids[a], ids[b]): share for a, b, share in table.itertuples(index=False, name=None)}


def test_case_is_ignored_and_position_matters() -> None:
    duplicate_pairs = pairs(corpus_of([BASE, BASE.upper()]))
    assert duplicate_pairs == {("d0/2", "d1/2"): 1.0, ("d0/3", "d1/3"): 1.0}


def test_an_additional_word_shifts_the_position_and_lowers_the_identity() -> None:
    longer = BASE.replace("in town", "late in town")
    duplicate_pairs = pairs(corpus_of([BASE, longer]))
    assert duplicate_pairs == {
        ("d0/2", "d1/2"): pytest.approx(2 * 12 / 25),
        ("d0/3", "d1/3"): pytest.approx(2 * 12 / 25),
    }
    assert pairs(corpus_of([BASE, longer]), 0.99) == {}


def test_another_word_at_the_position_of_the_mention_is_not_a_duplicate() -> None:
    duplicate_pairs = pairs(corpus_of([BASE, BASE.replace("hit", "saw")]))
    assert list(duplicate_pairs) == [("d0/3", "d1/3")]


DOW = "the dow closes trading at {} points in new york on friday"


@pytest.mark.parametrize("one, other", [("10,769", "11,350"), ("10.769,00", "11.350,58"),
                                        ("two", "three"), ("2", "three")])  # fmt: skip
def test_sentences_that_differ_in_a_number_are_not_duplicates(one: str, other: str) -> None:
    corpus = corpus_of([DOW.format(one), DOW.format(other)])
    assert pairs(corpus) == {}
    assert len(pairs(corpus_of([DOW.format(one), DOW.format(one) + " again"]))) == 2


@pytest.mark.parametrize("one, other", [("2", "two"), ("10 000", "10,000"), ("its", "412")])
def test_one_number_in_two_ways_or_an_additional_number_is_no_difference(
    one: str, other: str
) -> None:
    assert len(pairs(corpus_of([DOW.format(one), DOW.format(other)]))) == 2


def test_one_document_has_no_duplicates_and_short_sentences_must_be_identical() -> None:
    corpus = corpus_of([BASE, BASE])
    same = replace(corpus, mentions=corpus.mentions.assign(doc="d0"))
    assert pairs(same) == {}
    assert pairs(corpus_of(["he was hit hard", "she was hit hard"])) == {}
    assert len(pairs(corpus_of(["he was hit hard", "he was hit hard"]))) == 2
