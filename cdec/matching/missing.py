"""Key mentions that are missing from the response: count, make singletons, or remove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from cdec.arrays import found
from cdec.clustering import Clustering
from cdec.errors import counted
from cdec.notices import Notice, notice

MOST = 0.5
"""A response leaves its singletons out if this share of the missing mentions are key singletons."""


def treated(key: Clustering, response: Clustering, policy: str) -> tuple[Clustering, Clustering]:
    """Return key and response after the policy, a key of ``cdec.matching.policy.MISSING``.

    >>> key = Clustering.from_labels({"a": "x", "b": "x", "c": "y"})
    >>> response = Clustering.from_labels({"a": "1", "b": "1"})
    >>> treated(key, response, "singletons")[1], treated(key, response, "drop")[0]
    (Clustering(3 mentions in 2 chains), Clustering(2 mentions in 1 chain))
    """
    absent = ~found(key.labels.index, response.labels.index)
    if policy == "count" or not absent.any():
        return key, response
    if policy == "drop":
        return Clustering(key.labels[~absent]), response
    ids = key.labels.index[absent]
    taken = set(response.labels)
    labels = [_unused(f"missing:{id_}", taken) for id_ in ids]
    added = pd.Series(labels, index=ids, dtype=object)
    return key, Clustering(pd.concat([response.labels.astype(object), added]))


def _unused(label: str, taken: set[object]) -> str:
    return _unused(f"{label}'", taken) if label in taken else label


def missing_notices(
    key: Clustering, response: Clustering, missing: Sequence[str], policy: str
) -> Iterator[Notice]:
    """Yield notices on the key mentions ``missing`` from the response, and on left-out singletons.

    A response without any singleton, whose missing mentions are mostly singletons of the key, was
    probably written without its singletons.
    """
    what = counted(len(missing), "key mention is", "key mentions are")
    effect = {"count": "", "singletons": ": singletons of the response", "drop": ": removed"}
    message = f"{what} missing from the response{effect[policy]}"
    yield notice("missing-mention", message, missing, warning=False)
    alone = key.labels.map(key.labels.value_counts()) == 1
    share = float(alone.loc[list(missing)].mean())
    sizes = response.labels.value_counts()
    if policy == "count" and len(sizes) and sizes.min() > 1 and share >= MOST:
        message = (
            f"the response has no singletons, and {100 * share:.0f} % of the missing mentions are "
            "singletons of the key: if it leaves its singletons out, use --missing singletons"
        )
        yield Notice("singletons-left-out", len(missing), message)
