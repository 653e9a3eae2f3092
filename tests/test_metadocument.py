"""The table of meta-documents: order and errors."""

import pandas as pd

from cdec.metadocument import MetaDocuments, chain_numbers
from tests.refusals import refused
from tests.strategies import meta_documents_of


def test_meta_documents_come_in_order_of_first_occurrence() -> None:
    metas = meta_documents_of([0, 1, 0], [0, -1, 2], [1, 0, 1])
    assert [meta.name for meta in metas] == metas.names == ["d1", "d0"]
    second = list(metas)[1]
    assert (list(second.key.labels.index), len(second.response)) == (["m1"], 0)


def test_a_duplicate_mention_is_refused() -> None:
    table = pd.DataFrame({"meta": "d", "key": 0, "response": 0}, index=["a", "b", "c", "b"])
    with refused("mention-duplicate", "'b'"):
        MetaDocuments(table)


def test_chains_end_with_the_meta_document_and_are_numbered_by_first_occurrence() -> None:
    meta = pd.Series(["n", "m", "n", "m", "n", "m"])
    assert chain_numbers(meta, pd.Series([7, 7, 3, 5, 7, 5])).tolist() == [0, 1, 2, 3, 0, 3]
    some = chain_numbers(meta, pd.Series(["b", None, None, "b", "a", "b"]))
    assert some.tolist() == [0, -1, -1, 1, 2, 1]
    assert some.dtype == "int64"
