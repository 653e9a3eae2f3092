"""Meta-documents × metrics → Scores, micro-averaged, by cdec's own counts or another engine's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from cdec.errors import UsageError, one_of
from cdec.metadocument import MetaDocuments
from cdec.metrics import neleval
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, Value
from cdec.metrics.registry import REGISTRY, derive, measure, ordered, required

COUNT_COLUMNS = ("p_num", "p_den", "r_num", "r_den")


@dataclass(frozen=True)
class Scores:
    """The counts behind each metric, and the values that come of them.

    ``metrics`` are the ids to show, in result order; ``counts`` may hold more, since a mean is
    made of the counts of others.

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
        """Return one record a metric: precision, recall, f1 and the four counts."""
        return [
            {"metric": name, **value._asdict()}
            | {column: getattr(self.counts.get(name), column, None) for column in COUNT_COLUMNS}
            for name, value in self.values.items()
        ]


def _cdec(meta_documents: MetaDocuments, metrics: Iterable[str]) -> dict[str, Counts]:
    return measure(Contingency.from_meta_documents(meta_documents), metrics)


@dataclass(frozen=True)
class Scorer:
    """An engine: what it counts with, and the ids of the metrics that it has.

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
    """Raise UnknownNameError for what is no metric or scorer, UsageError where one lacks the other.

    For a scorer that lacks metrics, ``None`` means all that it has.

    >>> check_names(["muck"], "cdec")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cdec.errors.UnknownNameError: unknown metric 'muck' (did you mean 'muc'? ...
    """
    one_of("scorer", scorer, SCORERS)
    has = SCORERS[scorer].metrics
    lacking = [name for name in metrics or () if not all(need in has for need in required([name]))]
    if lacking:
        hint = f"it has {', '.join(has)} and their means"
        raise UsageError(f"the scorer '{scorer}' has no {', '.join(lacking)}", hint=hint)


def score(
    meta_documents: MetaDocuments, metrics: Iterable[str] | None = None, scorer: str = "cdec"
) -> Scores:
    """Score all meta-documents together: counts are summed, then divided (micro-average).

    ``metrics`` are ids of ``cdec.metrics.REGISTRY``; by default those of cdec that the scorer has.
    Raises as ``check_names`` does.

    >>> table = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> score(MetaDocuments(table))["muc"]
    Value(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    asked = None if metrics is None else tuple(metrics)
    check_names(asked, scorer)
    wanted = ordered(asked)
    return Scores(wanted, SCORERS[scorer].count(meta_documents, wanted))
