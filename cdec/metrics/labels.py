"""Metrics of label arrays, called as the clustering metrics of scikit-learn are.

``muc(key_labels, response_labels)`` takes one label per mention and side and returns a float, F1
by default. ``score_labels`` returns precision, recall and F1 of several metrics at once.

===================  =========================================================================
arrays               one dimension, equal length, the same order of mentions: lists, NumPy arrays,
                     Series with equal indexes, tensors
labels               any hashable values; only equality counts, and an integer equals its digits:
                     ``1``, ``"1"`` and ``np.int64(1)`` are one label (``cdec.clustering``)
``meta``             the meta-document of each mention (topic, document): a label in two of them is
                     two chains. None: all mentions are in one meta-document
missing label        None, NaN or masked: "absent on this side", the mention is twinless. A call
                     with such labels gives one CdecWarning
label −1             noise in the clusterers of scikit-learn, an absent mention elsewhere: an error
                     unless ``noise`` says which of the two, ``"singletons"`` or ``"absent"``. So
                     is any number that equals −1, such as −1.0, and the texts ``"-1"``, ``""``,
                     ``"nan"``, ``"None"``, ``"null"``
===================  =========================================================================
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import AnySeries, Ints
from cdec.clustering import Clustering, Noise, chains_of, factorized
from cdec.errors import Notice, ScoringError, UsageError, counted, one_of, warn_of
from cdec.metrics.metric import Value
from cdec.metrics.scores import ALL_METRICS, Scores, requested, score
from cdec.metrics.table import Table

Labels: TypeAlias = "npt.NDArray[Any] | pd.Series[Any] | Sequence[Hashable]"
Field: TypeAlias = Literal["precision", "recall", "f1"]
_NO_ARRAYS = (str, bytes, bytearray, Mapping, Set, Clustering)


@dataclass(frozen=True)
class LabelMetric:
    """The F1 of a metric, or another ``value``, of two label arrays.

    The label None or NaN means that the mention is absent on this side; see ``score_labels``.

    >>> from cdec.metrics import muc
    >>> muc([1, 1, 2, 2], ["a", "a", "b", "b"])
    1.0
    """

    metric: str

    def __call__(
        self,
        key_labels: Labels,
        response_labels: Labels,
        *,
        value: Field = "f1",
        meta: Labels | None = None,
        noise: Noise | None = None,
    ) -> float:
        """Return the ``value``. Raises as ``score_labels``, and UsageError if there is none."""
        field = one_of("value", value, Value._fields)
        scores = score_labels(
            key_labels, response_labels, self.metric, meta=meta, noise=noise
        )
        number: float | None = getattr(scores[self.metric], field)
        if number is None:
            raise UsageError(
                "argument-invalid", f"{self.metric} has no {field}", hint="use f1"
            )
        return number


def score_labels(
    key_labels: Labels,
    response_labels: Labels,
    metrics: str | Iterable[str] | None = None,
    *,
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> Scores:
    """Score two label arrays with ``metrics`` (an id or several; default: all metrics of cdec).

    The label None or NaN means that the mention is absent on this side; there is one warning if
    there are such labels. Labels, ``meta`` and ``noise`` are described at the top of this module.
    Raises ScoringError for arrays that are not aligned or a label −1 without ``noise``, UsageError
    for what is not an array of one dimension (a dict, set or string is none) and a label that is
    not hashable, UnknownNameError for a metric or ``noise``.

    >>> scores = score_labels([1, 1, 2, 2], [1, 1, 1, -1], ["muc", "b3"], noise="absent")
    >>> scores["b3"].precision, scores["muc"].recall
    (0.5555555555555556, 0.5)
    """
    names, _ = requested(ALL_METRICS if metrics is None else metrics, "cdec")
    arrays = {"key": key_labels, "response": response_labels}
    if meta is not None:
        arrays["meta"] = meta
    series = {name: _series(labels) for name, labels in arrays.items()}
    _check_alignment(arrays.values(), series.values())
    key = _chain_codes(series["key"], "key", noise)
    response = _chain_codes(series["response"], "response", noise)
    _warn_of_missing_labels(series["key"], series["response"])
    meta_codes = None
    if meta is not None:
        meta_codes = factorized(series["meta"])[0]
        missing = int((meta_codes < 0).sum())
        if missing:
            raise ScoringError(
                "argument-invalid",
                f"{counted(missing, 'mention')} without a meta-document",
                hint="name one for each mention",
            )
    return score(Table.of_codes(key, response, meta_codes), names)


def _check_alignment(arrays: Iterable[Labels], series: Iterable[AnySeries]) -> None:
    sizes = {len(labels) for labels in series}
    if len(sizes) > 1:
        raise ScoringError(
            "argument-invalid",
            f"label arrays differ in length: {', '.join(map(str, sorted(sizes)))}",
            hint="give one label for each mention",
        )
    indexes = [labels.index for labels in arrays if isinstance(labels, pd.Series)]
    if any(not indexes[0].equals(index) for index in indexes[1:]):
        raise ScoringError(
            "argument-invalid",
            "label Series have different indexes",
            hint="use cdec.score, which aligns them",
        )


def _chain_codes(labels: AnySeries, side: str, noise: Noise | None) -> Ints:
    chains = chains_of(
        labels, side, noise, array=True, place=f"{side}, label {{}}".format
    )
    warn_of([notice for notice in chains.notices if notice.warning])
    return chains.codes


def _warn_of_missing_labels(key: AnySeries, response: AnySeries) -> None:
    total = 0
    sides = []
    for side, labels in (("key", key), ("response", response)):
        missing = int(labels.isna().sum())
        if missing:
            total += missing
            sides.append(f"{counted(missing, 'mention')} of the {side}")
    if sides:
        warn_of(
            [
                Notice(
                    "label-ambiguous",
                    total,
                    f"no label (None, NaN) for {', '.join(sides)}: absent on this side",
                )
            ]
        )


def _series(labels: Labels) -> AnySeries:
    """Return the labels as a Series; a masked one is None. The index of a Series is unchanged.

    An array has an order and a length: it is no text, dict, set, number or iterator. Raises
    UsageError for anything else, and for more than one dimension.
    """
    is_array = hasattr(labels, "__array__")
    is_sized = hasattr(labels, "__len__") and hasattr(labels, "__iter__")
    has_one_dimension = is_sized
    if is_array:
        has_one_dimension = np.ndim(cast("Any", labels)) == 1
    if isinstance(labels, _NO_ARRAYS) or not has_one_dimension:
        kind = type(labels).__name__
        if is_array:
            kind = f"{kind} of shape {np.shape(cast('Any', labels))}"
        raise UsageError(
            "argument-invalid",
            f"expected an array of labels of one dimension, got {kind}",
            hint="give a list, an array or a Series; cdec.score aligns chains by mention",
        )
    if isinstance(labels, pd.Series):
        return labels
    if isinstance(labels, pd.Categorical):
        return pd.Series(labels)
    # A tensor is an array, not a list of tensors, of which no two are equal.
    if is_array and not isinstance(labels, np.ma.MaskedArray):
        array = np.asarray(labels)
        return pd.Series(array, dtype=object if array.dtype == object else None)
    # As objects: a list of tuples is a list of labels, and None makes no floats of large integers.
    plain = [None if label is np.ma.masked else label for label in labels]
    is_integer = set(map(type, plain)) == {int}
    return pd.Series(plain, dtype=None if is_integer else object)
