"""The arguments of the functions on label arrays: checked, and converted to Series and codes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.clustering import Clustering
from cdec.errors import ScoringError, UsageError
from cdec.labels import unmasked

Labels: TypeAlias = "npt.NDArray[Any] | pd.Series[Any] | Sequence[Hashable]"
_NO_ARRAYS = (str, bytes, bytearray, Mapping, Set, Clustering)


def is_array(value: object) -> bool:
    """Return whether the value has an order and a length: no text, dict, set, number or iterator.

    >>> is_array(["a", "b"]), is_array("ab"), is_array({"a": 1}), is_array(1)
    (True, False, False, False)
    """
    if isinstance(value, _NO_ARRAYS):
        return False
    if hasattr(value, "__array__"):
        return np.ndim(value) > 0
    return hasattr(value, "__len__") and hasattr(value, "__iter__")


def check_labels(labels: object) -> None:
    """Raise UsageError unless ``labels`` is an array of one dimension: a list, Series, tensor.

    >>> check_labels(["fire", "fire", "storm"])
    """
    if not is_array(labels):
        message = f"expected an array of labels, got {type(labels).__name__}"
        hint = "give one label for each mention: a list, an array or a Series"
        if isinstance(labels, Mapping | Clustering):
            hint = "use cdec.score or cdec.evaluate, which align chains by mention"
        raise UsageError("argument-type", message, hint=hint)
    shape = np.shape(labels) if hasattr(labels, "__array__") else (1,)
    if len(shape) != 1:
        message = f"labels have {len(shape)} dimensions, of shape {shape}"
        raise UsageError("argument-type", message, hint="give one label for each mention")


def check_aligned(key: Labels, response: Labels, meta: Labels | None) -> None:
    """Raise ScoringError unless the label arrays have the same length and index.

    Raises UsageError as ``check_labels`` does.

    >>> check_aligned([1, 1], ["a", "b"], None)
    """
    arrays = [key, response] if meta is None else [key, response, meta]
    for labels in arrays:
        check_labels(labels)
    if len({len(labels) for labels in arrays}) > 1:
        sizes = ", ".join(str(len(labels)) for labels in arrays)
        message = f"label arrays differ in length: {sizes}"
        raise ScoringError("argument-type", message, hint="give one label for each mention")
    indexes = [labels.index for labels in arrays if isinstance(labels, pd.Series)]
    if any(not indexes[0].equals(index) for index in indexes[1:]):
        raise ScoringError(
            "argument-type",
            "label Series have different indexes",
            hint="use Contingency.from_clusterings",
        )


def label_series(labels: Labels) -> pd.Series[Any]:
    """Return the labels as a Series; a masked one is None. The index of a given Series is kept.

    Raises UsageError as ``check_labels`` does.

    >>> label_series([0, -1, None]).tolist()
    [0, -1, None]
    >>> [str(label) for label in label_series(np.ma.array([0, 1], mask=[0, 1]))]
    ['0', 'None']
    """
    check_labels(labels)
    if isinstance(labels, pd.Series):
        return labels
    # A tensor is an array, not a list of tensors, of which no two are equal.
    if hasattr(labels, "__array__") and not isinstance(labels, np.ma.MaskedArray):
        return pd.Series(np.asarray(labels))
    # As objects: a list of tuples is a list of labels, and None makes no floats of large integers.
    return pd.Series(unmasked(labels), dtype=object)
