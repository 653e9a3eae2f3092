"""What a Clustering refuses."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdec import Clustering
from tests.refusals import refused


@pytest.mark.parametrize(
    "labels", [{"a": 1}, [1, 1], None, "ab", pd.DataFrame({"chain": [1]}), pd.Index([1])]
)
def test_labels_are_a_series(labels: Any) -> None:
    with refused("argument-type", type(labels).__name__) as caught:
        Clustering(labels)
    assert "from_labels" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ([1, 2], "argument-type"),
        (np.array([1, 2]), "argument-type"),
        ({1}, "argument-type"),
        ((1, [2]), "argument-type"),
    ],
)
def test_a_label_is_hashable(label: Any, code: str) -> None:
    with refused(code, "'b'", type(label).__name__) as caught:
        Clustering.from_labels({"a": 1, "b": label})
    assert caught.value.hint


def test_a_label_may_be_a_tuple() -> None:
    clustering = Clustering.from_labels({"a": (1, 2), "b": (1, 2), "c": "fire"})
    assert clustering.chains() == {(1, 2): ["a", "b"], "fire": ["c"]}
