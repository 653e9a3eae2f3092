"""Scores of each unit (document, sub-topic, topic) by itself, and their macro-average.

Inside a unit a value can be undefined (0/0): MUC where neither side has a link. It is None here,
not 0, and the macro-average leaves it out.

==================  ==========================================================================
precision, recall   undefined where the denominator is 0
F1                  undefined where both are; 0 where one is
BLANC               of the halves with key links; undefined where both halves are
a mean (CoNLL)      undefined where one of its metrics is
macro-average       per column, the unweighted mean over the units in which it is defined; that
                    of BLANC and of a mean is made of the macro-averages of its parts
==================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import pandas as pd

from cdec.metadocument import MetaDocuments
from cdec.metrics.counts import Counts, UnitValue
from cdec.metrics.metric import DerivedMetric, Metric
from cdec.metrics.registry import REGISTRY
from cdec.metrics.scores import Scores, score


def by_unit(
    meta_documents: MetaDocuments,
    units: pd.Series[str],
    metrics: Iterable[str] | None = None,
    scorer: str = "cdec",
) -> dict[str, Scores]:
    """Score the mentions of each unit by themselves; links across units do not count.

    ``units`` maps mention id → name of its document, sub-topic or topic.

    >>> table = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> units = pd.Series({"a": "d1", "b": "d1", "c": "d2"})
    >>> {name: scores["muc"].f1 for name, scores in by_unit(MetaDocuments(table), units).items()}
    {'d1': 1.0, 'd2': 0.0}
    """
    table = meta_documents.table
    groups = table.groupby(units, sort=False)
    return {
        str(name): score(replace(meta_documents, table=part), metrics, scorer)
        for name, part in groups
    }


def unit_values(scores: Scores) -> dict[str, UnitValue]:
    """Return the values of one unit: those of ``scores.values``, with None for 0/0.

    >>> unit_values(Scores(("muc",), {"muc": Counts(0, 0, 0, 1)}))["muc"]
    UnitValue(precision=None, recall=0.0, f1=0.0)
    """
    return {name: REGISTRY[name].unit_value_of(scores.counts) for name in scores.values}


def macro(units: Iterable[Scores]) -> dict[str, UnitValue]:
    """Return the macro-average of each metric: every unit has the same weight.

    ``score`` over all units, which sums their counts, is the micro-average.

    >>> right, wrong = Counts(1, 1, 1, 1), Counts(0, 1, 0, 1)
    >>> macro(Scores(("muc",), {"muc": counts}) for counts in (right, wrong))["muc"].f1
    0.5
    >>> no_link = Counts(0, 0, 0, 0)
    >>> macro(Scores(("muc",), {"muc": counts}) for counts in (right, no_link))["muc"].f1
    1.0
    """
    scores = list(units)
    counts = [unit.counts for unit in scores]
    return {name: _macro(REGISTRY[name], counts) for name in scores[0].values} if scores else {}


def _macro(metric: Metric | DerivedMetric, units: Sequence[Mapping[str, Counts]]) -> UnitValue:
    if isinstance(metric, DerivedMetric) and metric.combine:
        return metric.combine(*(_macro(part, units) for part in metric.parts))
    columns = zip(*(metric.unit_value_of(counts) for counts in units), strict=True)
    return UnitValue(*map(_mean, columns))


def _mean(numbers: Iterable[float | None]) -> float | None:
    defined = [number for number in numbers if number is not None]
    return fmean(defined) if defined else None
