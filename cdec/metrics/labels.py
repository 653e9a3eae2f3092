"""Metrics of label arrays, called as the clustering metrics of scikit-learn are.

``muc(key_labels, response_labels)`` takes one label per mention and side and returns a float, F1
by default. ``score_labels`` returns precision, recall and F1 of several metrics at once.

===================  =========================================================================
arrays               one dimension, equal length, the same order of mentions: lists, NumPy arrays,
                     Series with equal indexes, tensors
labels               any hashable values; only equality counts
``meta``             the meta-document of each mention (topic, document): a label in two of them is
                     two chains. None: all mentions are in one meta-document
missing label        None or NaN: this side lacks the mention (twinless)
label −1             noise in the clusterers of scikit-learn, an absent mention in
                     ``Contingency``: an error unless ``noise`` says which of the two. So is any
                     number that equals −1, such as −1.0, in an array of any type; the string
                     ``"-1"`` is a label like any other, because clusterers give numbers
===================  =========================================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import ScoringError, UsageError, counted, one_of
from cdec.metrics.arguments import Labels, check_aligned, factorized, label_series
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Value
from cdec.metrics.registry import measure, ordered
from cdec.metrics.scores import Scores

Noise: TypeAlias = Literal["singleton", "absent"]
Field: TypeAlias = Literal["precision", "recall", "f1"]
_NOISE = ("singleton", "absent")


def muc(
    key_labels: Labels,
    response_labels: Labels,
    *,
    value: Field = "f1",
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> float:
    """Return MUC F1 (or ``value``) of two label arrays, see ``score_labels``.

    >>> round(muc([1, 1, 1, 2], ["a", "a", "b", "b"]), 4)
    0.5
    """
    scores = score_labels(key_labels, response_labels, ["muc"], meta=meta, noise=noise)
    return number(scores, "muc", value)


def b3(
    key_labels: Labels,
    response_labels: Labels,
    *,
    value: Field = "f1",
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> float:
    """Return B³ F1 (or ``value``) of two label arrays, see ``score_labels``.

    >>> b3([1, 1, 2, 2], [1, 1, 1, 1], value="precision")
    0.5
    """
    scores = score_labels(key_labels, response_labels, ["b3"], meta=meta, noise=noise)
    return number(scores, "b3", value)


def ceafm(
    key_labels: Labels,
    response_labels: Labels,
    *,
    value: Field = "f1",
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> float:
    """Return CEAF_m F1 (or ``value``) of two label arrays, see ``score_labels``.

    >>> ceafm([1, 1, 1, 2], [1, 1, 2, 2])
    0.75
    """
    scores = score_labels(key_labels, response_labels, ["ceafm"], meta=meta, noise=noise)
    return number(scores, "ceafm", value)


def ceafe(
    key_labels: Labels,
    response_labels: Labels,
    *,
    value: Field = "f1",
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> float:
    """Return CEAF_e F1 (or ``value``) of two label arrays, see ``score_labels``.

    >>> round(ceafe([1, 1, 1, 2], [1, 1, 2, 2]), 4)
    0.7333
    """
    scores = score_labels(key_labels, response_labels, ["ceafe"], meta=meta, noise=noise)
    return number(scores, "ceafe", value)


def blanc(
    key_labels: Labels,
    response_labels: Labels,
    *,
    value: Field = "f1",
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> float:
    """Return BLANC F1 (or ``value``) of two label arrays, see ``score_labels``.

    >>> round(blanc([1, 1, 1, 2], [1, 1, 2, 2]), 4)
    0.4857
    """
    scores = score_labels(key_labels, response_labels, ["blanc"], meta=meta, noise=noise)
    return number(scores, "blanc", value)


def lea(
    key_labels: Labels,
    response_labels: Labels,
    *,
    value: Field = "f1",
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> float:
    """Return LEA F1 (or ``value``) of two label arrays, see ``score_labels``.

    >>> round(lea([1, 1, 1, 2], [1, 1, 2, 2]), 4)
    0.3333
    """
    scores = score_labels(key_labels, response_labels, ["lea"], meta=meta, noise=noise)
    return number(scores, "lea", value)


def conll(
    key_labels: Labels,
    response_labels: Labels,
    *,
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> float:
    """Return the CoNLL score: the mean F1 of MUC, B³ and CEAF_e, see ``score_labels``.

    >>> round(conll([1, 1, 1, 2], [1, 1, 2, 2]), 4)
    0.6464
    """
    scores = score_labels(key_labels, response_labels, ["conll"], meta=meta, noise=noise)
    return number(scores, "conll", "f1")


def score_labels(
    key_labels: Labels,
    response_labels: Labels,
    metrics: str | Iterable[str] | None = None,
    *,
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> Scores:
    """Score two label arrays with ``metrics`` (an id or several; default: all metrics of cdec).

    ``meta`` and ``noise`` are described at the top of this module. Raises ScoringError for arrays
    that are not aligned or a label −1 without ``noise``, UsageError for what is not an array of one
    dimension (a dict, set or string is none) and a label that is not hashable, UnknownNameError
    for a metric or ``noise``.

    >>> scores = score_labels([1, 1, 2, 2], [1, 1, 1, -1], ["muc", "b3"], noise="absent")
    >>> scores["b3"].precision, scores["muc"].recall
    (0.5555555555555556, 0.5)
    """
    names = ordered(metrics)
    contingency = Contingency.from_labels(*label_codes(key_labels, response_labels, meta, noise))
    return Scores(names, measure(contingency, names))


def label_codes(
    key: Labels, response: Labels, meta: Labels | None, noise: Noise | None
) -> tuple[Ints, Ints, Ints]:
    """Return integer codes of key, response and meta-document; −1 where a side lacks the mention.

    Raises as ``score_labels``.
    """
    check_noise(noise)
    check_aligned(key, response, meta)
    sides = [_codes(label_series(labels), noise) for labels in (key, response)]
    if meta is None:
        return sides[0], sides[1], np.zeros(len(key), dtype=np.int64)
    return sides[0], sides[1], factorized(label_series(meta))[0]


def check_noise(noise: object) -> None:
    """Raise UnknownNameError or UsageError unless ``noise`` is a treatment of −1, or None."""
    if noise is not None:
        one_of("noise treatment", noise, _NOISE)


def number(scores: Scores, metric: str, value: str) -> float:
    """Return precision, recall or F1 of ``metric``; raises UsageError if it has no such value."""
    found: float | None = getattr(scores[metric], one_of("value", value, Value._fields))
    if found is None:
        raise UsageError("value-missing", f"{metric} has no {value}", hint="use its f1")
    return found


def _codes(labels: pd.Series[Any], noise: Noise | None) -> Ints:
    codes, distinct = factorized(labels)
    marked = np.isin(codes, _minus_one(distinct))
    if noise is None and marked.any():
        message = f"{counted(int(marked.sum()), 'mention')} with the label −1"
        hint = 'noise="singleton": each is a chain of its own; noise="absent": not on this side'
        raise ScoringError("label-ambiguous", message, hint=hint)
    alone = codes.max(initial=-1) + 1 + np.arange(int(marked.sum()))
    codes[marked] = alone if noise == "singleton" else -1
    return codes


def _minus_one(distinct: Any) -> list[int]:
    """Return the positions of the number −1 among distinct labels of any type."""
    if pd.api.types.is_numeric_dtype(distinct.dtype):
        return [int(place) for place in np.flatnonzero(distinct == -1)]
    return [n for n, label in enumerate(distinct) if pd.api.types.is_number(label) and label == -1]
