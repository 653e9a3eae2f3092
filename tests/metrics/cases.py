"""Short notation for worked examples: ``"ab cde"`` is {a, b} {c, d, e}."""

from cdec.clustering import Clustering
from cdec.metrics import Counts, Value, derive, measure
from cdec.metrics.contingency import Contingency


def contingency(key: str, response: str) -> Contingency:
    """The contingency of two clusterings whose mentions are letters."""
    return Contingency.from_clusterings(
        *(Clustering.from_chains(side.split()) for side in (key, response))
    )


def counts_of(metric: str, key: str, response: str) -> Counts:
    return measure(contingency(key, response), [metric])[metric]


def value_of(metric: str, key: str, response: str) -> Value:
    return derive(measure(contingency(key, response), [metric]))[metric]
