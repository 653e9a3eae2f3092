"""The contingency of key and response: cells, sizes, twinless mentions, meta-documents."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from cdec.clustering import Clustering
from cdec.metadocument import MetaDocuments
from cdec.metrics.arguments import Labels
from cdec.metrics.contingency import Contingency
from tests.refusals import refused
from tests.strategies import (
    LabelPair,
    LabelTriple,
    clustering_pairs,
    label_pairs,
    label_triples,
    meta_documents_of,
)

ARRAYS = [field.name for field in dataclasses.fields(Contingency) if field.type == "Ints"]


def fields(contingency: Contingency) -> dict[str, list[int]]:
    return {name: getattr(contingency, name).tolist() for name in ARRAYS}


def summary(contingency: Contingency) -> object:
    """The properties that do not depend on the numbering of chains."""
    sizes = zip(
        contingency.key_sizes[contingency.rows].tolist(),
        contingency.response_sizes[contingency.cols].tolist(),
        contingency.overlap.tolist(),
        strict=True,
    )
    named = {name: sorted(getattr(contingency, name).tolist()) for name in ARRAYS}
    return sorted(sizes), {k: v for k, v in named.items() if k not in ("rows", "cols")}


def test_the_example_of_pradhan_2014() -> None:
    contingency = Contingency.from_labels(
        [1, 1, 1, 2, 2, 2, 2, -1, -1], [1, 1, 2, 2, -1, 3, 3, 3, 3]
    )
    assert fields(contingency) == {
        "key_sizes": [3, 4],
        "response_sizes": [2, 2, 4],
        "rows": [0, 0, 1, 1],
        "cols": [0, 1, 1, 2],
        "overlap": [2, 1, 1, 2],
        "key_mentions": [7],
        "response_mentions": [8],
        "common_mentions": [6],
    }


def test_a_label_in_two_meta_documents_is_two_chains() -> None:
    contingency = Contingency.from_labels(["x", "x", "x"], [5, 5, 5], ["A", "A", "B"])
    assert contingency.key_sizes.tolist() == [2, 1]
    assert contingency.response_sizes.tolist() == [2, 1]
    assert contingency.common_mentions.tolist() == [2, 1]


def test_a_meta_document_that_one_side_lacks_counts_0() -> None:
    for key, response in ([0, 0, -1], [-1, 1, 1]), ([-1, 1, 1], [0, 0, -1]):
        contingency = Contingency.from_labels(key, response, ["A", "A", "B"])
        mentions = contingency.key_mentions.tolist(), contingency.response_mentions.tolist()
        assert sorted(mentions) == [[1, 1], [2, 0]]
        assert contingency.common_mentions.tolist() == [1, 0]
    assert repr(contingency) == "Contingency(2 × 1 chain, 1 cell, 2 meta)"


@pytest.mark.parametrize("size", [0, 3])
def test_counts_have_64_bits_and_can_be_empty(size: int) -> None:
    labels = list(range(size))
    contingency = Contingency.from_labels(labels, labels)
    assert {name: len(values) for name, values in fields(contingency).items()} == {
        **dict.fromkeys(["key_sizes", "response_sizes", "rows", "cols", "overlap"], size),
        **dict.fromkeys(["key_mentions", "response_mentions", "common_mentions"], min(size, 1)),
    }
    assert {getattr(contingency, name).dtype for name in ARRAYS} == {np.dtype(np.int64)}


@pytest.mark.parametrize(
    ("key", "response"),
    [
        ([7, 7, -1, 9], [-1, 0, 0, 0]),
        (np.array([7, 7, -1, 9], dtype=np.int32), np.array([-1, 0, 0, 0], dtype=np.int8)),
        (["c7", "c7", None, "c9"], [None, "x", "x", "x"]),
        ([(7, "a"), (7, "a"), None, (9, "b")], [None, "x", "x", "x"]),
        (np.array([7, 7, np.nan, 9]), np.array([np.nan, 0, 0, 0])),
        (pd.Series([7, 7, None, 9], dtype="Int64"), pd.Series([None, "x", "x", "x"])),
        (pd.Series([7, 7, -1, 9]), pd.Categorical([None, "x", "x", "x"])),
    ],
    ids=["lists", "arrays", "strings", "tuples", "floats", "series", "categorical"],
)
def test_labels_of_any_type(key: Labels, response: Labels) -> None:
    contingency = Contingency.from_labels(key, response)
    assert contingency.key_sizes.tolist() == [2, 1]
    assert contingency.response_sizes.tolist() == [3]
    assert contingency.overlap.tolist() == [1, 1]


def test_minus_one_is_a_label_unless_the_array_has_integers() -> None:
    clustering = Clustering(pd.Series([-1, -1, 3], index=["a", "b", "c"]))
    assert Contingency.from_clusterings(clustering, clustering).key_sizes.tolist() == [2, 1]
    floats = np.array([-1.0, -1.0, 3.0])
    assert Contingency.from_labels(floats, floats).key_sizes.tolist() == [2, 1]
    table = pd.DataFrame({"meta": "d", "key": [-1, -1, 3], "response": [-1, 2, 2]}, index=[*"abc"])
    assert Contingency.from_meta_documents(MetaDocuments(table)).overlap.tolist() == [1, 1, 1]


def test_misaligned_arrays_are_an_error() -> None:
    with refused("argument-type", "2, 3"):
        Contingency.from_labels([1, 2], [1, 2, 3])
    with refused("argument-type", "2, 2, 1"):
        Contingency.from_labels([1, 2], [1, 2], ["d"])
    with refused("argument-type", "from_clusterings"):
        Contingency.from_labels(pd.Series([1], index=["a"]), pd.Series([1], index=["b"]))


def test_a_mention_without_meta_document_is_an_error() -> None:
    with refused("argument-type", 1):
        Contingency.from_labels([1, 2], [1, 2], ["d", None])


@given(label_pairs())
def test_sums(pair: LabelPair) -> None:
    key, response = (np.array(side, dtype=np.int64) for side in pair)
    contingency = Contingency.from_labels(key, response)
    assert contingency.key_sizes.sum() == contingency.key_mentions.sum() == (key >= 0).sum()
    assert contingency.response_sizes.sum() == (response >= 0).sum()
    assert contingency.overlap.sum() == ((key >= 0) & (response >= 0)).sum()
    assert (contingency.overlap > 0).all()
    assert (contingency.key_sizes > 0).all() and (contingency.response_sizes > 0).all()


@given(clustering_pairs())
def test_clusterings_are_aligned_by_mention_in_any_order(
    pair: tuple[Clustering, Clustering],
) -> None:
    key, response = pair
    turned = Clustering(response.labels[::-1])
    sides = pd.DataFrame({"key": key.labels, "response": response.labels})
    aligned = Contingency.from_labels(sides["key"], sides["response"])
    assert summary(Contingency.from_clusterings(key, turned)) == summary(aligned)


@given(label_triples())
def test_meta_documents_and_labels_agree(triple: LabelTriple) -> None:
    documents = Contingency.from_meta_documents(meta_documents_of(*triple))
    assert summary(documents) == summary(Contingency.from_labels(*triple))
