"""Metrics of label arrays, called as the clustering metrics of scikit-learn are.

``muc(key_labels, response_labels)`` takes one label per mention and side and returns a float, F1
by default. ``score_labels`` returns precision, recall and F1 of several metrics at once.

===================  =========================================================================
arrays               one dimension, equal length, the same order of mentions: lists, NumPy arrays,
                     Series with equal indexes, tensors
labels               any hashable values; only equality counts, and an integer equals its digits:
                     ``1``, ``"1"`` and ``np.int64(1)`` are one label (``cdec.labels``)
``meta``             the meta-document of each mention (topic, document): a label in two of them is
                     two chains. None: all mentions are in one meta-document
missing label        None, NaN or masked: "absent on this side", the mention is twinless. A call
                     with such labels gives one CdecWarning
label −1             noise in the clusterers of scikit-learn, an absent mention in
                     ``Contingency``: an error unless ``noise`` says which of the two,
                     ``"singletons"`` or ``"absent"``. So is any number that equals −1, such as
                     −1.0, and the texts ``"-1"``, ``""``, ``"nan"``, ``"None"``, ``"null"``
===================  =========================================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol, TypeAlias

import numpy as np

from cdec.arrays import Ints
from cdec.clustering import SIDES
from cdec.errors import UsageError, counted, one_of
from cdec.errors.notices import Notice, warn_user
from cdec.labels import Noise, chains_of, factorized
from cdec.metrics.arguments import Labels, check_aligned, label_series
from cdec.metrics.b_cubed import B_CUBED
from cdec.metrics.blanc import BLANC
from cdec.metrics.ceaf import CEAF_E, CEAF_M
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Value
from cdec.metrics.lea import LEA
from cdec.metrics.means import CONLL
from cdec.metrics.metric import DerivedMetric, Metric
from cdec.metrics.muc import MUC
from cdec.metrics.registry import measure, ordered
from cdec.metrics.scores import Scores

Field: TypeAlias = Literal["precision", "recall", "f1"]


class LabelMetric(Protocol):
    """A function of two label arrays that returns precision, recall or F1 of its metric."""

    __name__: str

    def __call__(
        self,
        key_labels: Labels,
        response_labels: Labels,
        *,
        value: Field = "f1",
        meta: Labels | None = None,
        noise: Noise | None = None,
    ) -> float:
        """Return ``value`` of the metric."""


def of_labels(metric: Metric | DerivedMetric) -> LabelMetric:  # pragma: no mutate block
    """Return the function of label arrays for ``metric``, with its id as name.

    >>> of_labels(CONLL)([1, 1, 1, 2], [1, 1, 1, 2])
    1.0
    """

    def score(
        key_labels: Labels,
        response_labels: Labels,
        *,
        value: Field = "f1",
        meta: Labels | None = None,
        noise: Noise | None = None,
    ) -> float:
        scores = score_labels(key_labels, response_labels, metric.id, meta=meta, noise=noise)
        return number(scores, metric.id, value)

    score.__name__ = score.__qualname__ = metric.id
    score.__doc__ = _ABOUT.format(metric)
    return score


_ABOUT = """Return {0.label} F1 (or ``value``) of two label arrays, see ``score_labels``.

    The label None or NaN means that the mention is absent on this side.

    >>> {0.id}([1, 1, 2, 2], ["a", "a", "b", "b"])
    1.0
    """

muc = of_labels(MUC)
b3 = of_labels(B_CUBED)
ceafm = of_labels(CEAF_M)
ceafe = of_labels(CEAF_E)
blanc = of_labels(BLANC)
lea = of_labels(LEA)
conll = of_labels(CONLL)


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
    names = ordered(metrics)
    contingency = Contingency.from_labels(*label_codes(key_labels, response_labels, meta, noise))
    return Scores(names, measure(contingency, names))


def label_codes(
    key: Labels, response: Labels, meta: Labels | None, noise: Noise | None
) -> tuple[Ints, Ints, Ints]:
    """Return integer codes of key, response and meta-document; −1 where a side lacks the mention.

    Raises as ``score_labels``.
    """
    check_aligned(key, response, meta)
    series = [label_series(labels) for labels in (key, response)]
    sides = [
        chains_of(labels, side, noise, array=True, place=f"{side}, label {{}}".format)
        for side, labels in zip(SIDES, series, strict=True)
    ]
    warn_user([n for chains in sides for n in chains.notices if n.warning])
    _warn_absent(
        {side: int(labels.isna().sum()) for side, labels in zip(SIDES, series, strict=True)}
    )
    left, right = (chains.codes for chains in sides)
    if meta is None:
        return left, right, np.zeros(len(key), dtype=np.int64)
    return left, right, factorized(label_series(meta))[0]


def _warn_absent(missing: dict[str, int]) -> None:
    """Warn of mentions with a missing label."""
    counts = [f"{counted(n, 'mention')} of the {side}" for side, n in missing.items() if n]
    if counts:
        message = f"no label (None, NaN) for {', '.join(counts)}: absent on this side"
        warn_user([Notice("label-absent", sum(missing.values()), message)])


def number(scores: Scores, metric: str, value: str) -> float:
    """Return precision, recall or F1 of ``metric``; raises UsageError if it has no such value."""
    found: float | None = getattr(scores[metric], one_of("value", value, Value._fields))
    if found is None:
        raise UsageError("metric-unsupported", f"{metric} has no {value}", hint="use its f1")
    return found
