"""The table of meta-documents: its order and what it refuses."""

import pandas as pd
import pytest

from cdec.errors import ScoringError
from cdec.metadocument import MetaDocuments
from tests.strategies import meta_documents_of


def test_meta_documents_come_in_order_of_first_occurrence() -> None:
    metas = meta_documents_of([0, 1, 0], [0, -1, 2], [1, 0, 1])
    assert [meta.name for meta in metas] == metas.names == ["d1", "d0"]
    second = list(metas)[1]
    assert (list(second.key.labels.index), len(second.response)) == (["m1"], 0)


def test_a_mention_that_stands_twice_is_named() -> None:
    table = pd.DataFrame({"meta": "d", "key": 0, "response": 0}, index=["a", "b", "c", "b"])
    with pytest.raises(ScoringError, match="mention 'b' stands twice in the meta-documents"):
        MetaDocuments(table)
