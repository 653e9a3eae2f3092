"""Scores of meta-documents, micro-averaged, with the counts of cdec or of neleval."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from cdec.errors import UsageError, one_of
from cdec.metadocument import MetaDocuments
from cdec.metrics import neleval
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, Value
from cdec.metrics.registry import REGISTRY, attributes, derive, measure, ordered, required

COUNT_COLUMNS = ("p_num", "p_den", "r_num", "r_den")


@dataclass(frozen=True)
class Scores:
    """The counts and values of metrics.

    ``metrics`` are the ids to show, in result order; ``counts`` also has the metrics that derived
    metrics need.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> scores = score(MetaDocuments(table), ["muc", "conll"])
    >>> list(scores.values), scores.rows()[0]["p_den"]
    (['muc', 'conll'], 2)
    """

    metrics: tuple[str, ...]
    counts: Mapping[str, Counts]

    @cached_property
    def values(self) -> dict[str, Value]:
        """Metric id → precision, recall and F1 in [0, 1]."""
        return derive(self.counts, self.metrics)

    def __getitem__(self, metric: str) -> Value:
        one_of("metric", metric, self.values)
        return self.values[metric]

    def rows(self) -> list[dict[str, object]]:
        """Return one record per metric: precision, recall, f1 and the four counts."""
        return [
            {"metric": name, **value._asdict()}
            | {column: getattr(self.counts.get(name), column, None) for column in COUNT_COLUMNS}
            for name, value in self.values.items()
        ]


def _cdec(meta_documents: MetaDocuments, metrics: Iterable[str]) -> dict[str, Counts]:
    needed = required(metrics)
    table = Contingency.from_meta_documents(meta_documents, attributes(needed))
    return measure(table, needed)


@dataclass(frozen=True)
class Scorer:
    """A scorer: its counting function, and the ids of its metrics.

    >>> sorted(SCORERS["neleval"].metrics)
    ['b3', 'blanc_coref', 'blanc_noncoref', 'ceafe', 'ceafm', 'muc']
    """

    count: Callable[[MetaDocuments, Iterable[str]], dict[str, Counts]]
    metrics: Collection[str]


SCORERS = {
    "cdec": Scorer(_cdec, REGISTRY),
    "neleval": Scorer(neleval.score, neleval.COUNTERS),
}


def check_names(metrics: Iterable[str] | None, scorer: str) -> None:
    """Raise UnknownNameError for an unknown metric or scorer, UsageError for an unsupported metric.

    ``None`` means all metrics of the scorer.

    >>> check_names(["muck"], "cdec")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cdec.errors.UnknownNameError: unknown metric 'muck' (did you mean 'muc'? ...
    """
    one_of("scorer", scorer, SCORERS)
    has = SCORERS[scorer].metrics
    missing = [name for name in metrics or () if not all(need in has for need in required([name]))]
    if missing:
        message = f"the scorer '{scorer}' does not compute {', '.join(missing)}"
        hint = f"it computes {', '.join(has)} and their means"
        raise UsageError("metric-unsupported", message, hint=hint)


def score(
    meta_documents: MetaDocuments,
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
) -> Scores:
    """Score all meta-documents together: counts are summed, then divided (micro-average).

    ``metrics`` are ids of ``cdec.metrics.REGISTRY``; the default is all metrics of cdec that the
    scorer computes. Raises as ``check_names`` does.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> score(MetaDocuments(table))["muc"]
    Value(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    requested = None if metrics is None else ordered(metrics)
    check_names(requested, scorer)
    shown = ordered(requested)
    return Scores(shown, SCORERS[scorer].count(meta_documents, shown))
