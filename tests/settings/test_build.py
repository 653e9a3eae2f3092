"""Key and response as meta-documents under each setting."""

from __future__ import annotations

from itertools import product

import pandas as pd
import pytest
from hypothesis import given, settings

from cdec.clustering import Clustering
from cdec.corpus import Document
from cdec.metadocument import MetaDocuments
from cdec.metrics.scores import score
from cdec.settings import (
    PURE_CDEC,
    SCOPES,
    SETTINGS,
    SINGLETONS,
    Scope,
    Setting,
    Singletons,
    build,
    find_setting,
    homes,
)
from tests.refusals import refused
from tests.settings.reference import TABLE, Chains, meta_documents
from tests.tiny_corpora import Tiny, tiny, tiny_corpora

CHOICES = list(product(SCOPES, SINGLETONS, (False, True)))


def as_sets(metas: MetaDocuments) -> dict[str, tuple[Chains, Chains]]:
    return {
        meta.name: (
            {frozenset(chain) for chain in meta.key.chains().values()},
            {frozenset(chain) for chain in meta.response.chains().values()},
        )
        for meta in metas
    }


def test_the_six_settings_are_those_of_the_paper() -> None:
    choices = {
        name: (s.scope, s.ignore_singletons, s.reduce_within_document)
        for name, s in SETTINGS.items()
    }
    assert choices == TABLE


@pytest.mark.parametrize(("scope", "ignore", "reduce"), CHOICES)
@given(corpus=tiny_corpora())
@settings(max_examples=30)
def test_equals_the_slow_reference(
    scope: Scope, ignore: Singletons, reduce: bool, corpus: Tiny
) -> None:
    setting = Setting("mine", "Mine", scope, ignore, reduce)
    metas = as_sets(build(setting, corpus.table, *corpus.sides))
    assert metas == meta_documents(corpus, scope, ignore, reduce)


@given(corpus=tiny_corpora())
@settings(max_examples=30)
def test_meta_documents_keep_the_order_of_the_corpus(corpus: Tiny) -> None:
    metas = build(find_setting("st"), corpus.table, *corpus.sides)
    assert metas.names == sorted(metas.names)
    assert len(metas) == len(metas.names)


def test_a_chain_across_sub_topics_is_cut_but_its_parts_are_not_singletons() -> None:
    corpus = tiny([0, 2, 2], key=[0, 0, 1], response=[0, 0, 0])
    metas = as_sets(build(find_setting("ycf"), corpus.table, *corpus.sides))
    first, second = {frozenset({"d0/0"})}, {frozenset({"d2/1"})}
    assert metas == {"s0": (first, first), "s1": (second, second)}


def test_pure_reduces_each_side_separately_so_mentions_can_become_twinless() -> None:
    # Key: a singleton d0/0 and the chain d0/1 d0/2 d1/3; response: one chain of all four.
    corpus = tiny([0, 0, 0, 1], key=[0, 1, 1, 1], response=[0, 0, 0, 0])
    metas = build(PURE_CDEC, corpus.table, *corpus.sides)
    key = {frozenset({"d0/0"}), frozenset({"d0/1", "d1/3"})}
    assert as_sets(metas) == {"corpus": (key, {frozenset({"d0/0", "d1/3"})})}
    values = score(metas).values
    assert list(values["muc"]) == [0, 0, 0]
    assert values["b3"][:2] == pytest.approx((1 / 2, 1.5 / 3))
    assert values["ceafe"][:2] == pytest.approx((2 / 3, 2 / 3 / 2))
    assert values["ceafm"][:2] == pytest.approx((1 / 2, 1 / 3))


def test_pure_keeps_a_twinless_first_mention_of_a_response_chain() -> None:
    corpus = tiny([0, 0, 1], key=[-1, 0, 0], response=[0, 0, 0])
    metas = as_sets(build(PURE_CDEC, corpus.table, *corpus.sides))
    sides = {frozenset({"d0/1", "d1/2"})}, {frozenset({"d0/0", "d1/2"})}
    assert metas == {"corpus": sides}


def test_twinless_response_mentions_are_not_gold_singletons() -> None:
    corpus = tiny([0, 0, 0], key=[-1, 0, 0], response=[3, 1, 2])
    metas = as_sets(build(find_setting("is"), corpus.table, *corpus.sides))
    assert {m for chain in metas["corpus"][1] for m in chain} == {"d0/0", "d0/1", "d0/2"}


def test_a_scope_without_a_column_of_the_mentions_is_an_error() -> None:
    bare = pd.DataFrame(index=["m"])
    side = Clustering.from_labels({"m": 1})
    assert len(build(find_setting("simple"), bare, side, side)) == 1
    with refused("level-missing", "topic"):
        build(find_setting("bh"), bare, side, side)


def test_a_mention_outside_the_table_is_refused() -> None:
    bare = pd.DataFrame(index=["m"])
    key, response = Clustering.from_labels({"m": 1}), Clustering.from_labels({"m": 1, "n": 1})
    with pytest.raises(ValueError, match="mention 'n' is not in the table"):
        build(find_setting("simple"), bare, key, response)


@pytest.mark.parametrize("scope", SCOPES)
@given(corpus=tiny_corpora())
@settings(max_examples=30)
def test_a_document_and_its_mentions_share_a_meta_document(scope: Scope, corpus: Tiny) -> None:
    setting = Setting("mine", "Mine", scope)
    places = {(m["doc"], m["topic"], m["subtopic"]) for m in corpus.mentions}
    metas = homes(setting, [Document(*place, sentences=()) for place in places])
    assert metas.keys() == {document for document, *_ in places}
    table = build(setting, corpus.table, *corpus.sides).table
    assert [metas[doc] for doc in corpus.table["doc"][table.index]] == table["meta"].tolist()
