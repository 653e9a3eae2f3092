"""neleval as a second engine: the paper's own scorer, to be compared with ``cdec.metrics``.

neleval 3.1.1 counts MUC, B³, CEAF_m, CEAF_e and both kinds of BLANC links; it has no LEA. It scores
one document, so that each meta-document is scored by itself and the counts are summed.

It is imported when it is asked for. Two things stand in the way. Its Hungarian algorithm says
``np.int`` and ``np.bool``, names that numpy removed in 1.24: cdec runs copies of its two modules,
of which one gets a numpy that has the names; numpy itself, neleval's files and neleval as others
import it stay as they are. And its CEAF gives up after 15 minutes (by SIGALRM, in the main thread)
and then returns four zeros: these cannot be right where there is a chain, so that they raise
ScoringError here.

With both mended, its counts are those of ``cdec.metrics`` up to rounding, for twinless mentions and
empty sides, too. Its CEAF is dense, its link counts go by pairs of chains: a corpus takes seconds,
and memory for key chains × response chains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec, module_from_spec
from types import ModuleType, SimpleNamespace
from typing import TypeAlias

import numpy as np

from cdec.clustering import Clustering
from cdec.errors import ScoringError
from cdec.metadocument import MetaDocument, MetaDocuments
from cdec.metrics.counts import Counts
from cdec.metrics.registry import required

Chains: TypeAlias = dict[int, set[str]]
Counter: TypeAlias = Callable[[Chains, Chains], tuple[float, float, float, float]]

COUNTERS = {
    "muc": "muc",
    "b3": "b_cubed",
    "ceafm": "mention_ceaf",
    "ceafe": "entity_ceaf",
    "blanc_coref": "pairwise",
    "blanc_noncoref": "pairwise_negative",
}
"""Metric id → name of neleval's function (key, response) → p_num, p_den, r_num, r_den."""

MAY_TIME_OUT = ("ceafm", "ceafe")


def score(meta_documents: MetaDocuments, metrics: Iterable[str] | None = None) -> dict[str, Counts]:
    """Return neleval's counts behind ``metrics`` (ids as in ``cdec.metrics.measure``), summed.

    A metric that neleval lacks is not in the result. Raises UnknownNameError for an unknown id,
    ScoringError where neleval timed out.
    """
    names = [name for name in required(metrics) if name in COUNTERS]
    parts = [_score_one(document, names) for document in meta_documents]
    return {name: Counts.sum(part[name] for part in parts) for name in names}


@cache
def coref_metrics() -> ModuleType:
    """Return neleval's module of metrics, a copy that works with the numpy of today."""
    module, munkres = (_copy(f"neleval.{name}") for name in ("coref_metrics", "munkres"))
    vars(munkres)["np"] = SimpleNamespace(**vars(np) | {"int": int, "bool": bool})
    vars(module)["linear_assignment"] = munkres.linear_assignment
    return module


def counter(name: str) -> Counter:
    """Return neleval's function of a metric in ``COUNTERS``."""
    function: Counter = getattr(coref_metrics(), COUNTERS[name])
    return function


def _copy(name: str) -> ModuleType:
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ScoringError(f"{name} is missing", hint="install neleval 3.1.1")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _score_one(document: MetaDocument, names: list[str]) -> dict[str, Counts]:
    """Return the counts of one meta-document."""
    key, response = _chains(document.key), _chains(document.response)
    counts = {name: Counts(*map(float, counter(name)(key, response))) for name in names}
    for name in MAY_TIME_OUT:
        if (key or response) and counts.get(name) == Counts(0, 0, 0, 0):
            raise ScoringError(
                f"neleval's {name} timed out", place=document.name, hint="use the cdec scorer"
            )
    return counts


def _chains(clustering: Clustering) -> Chains:
    """Return the chains as neleval wants them: number → set of mentions."""
    return {number: set(chain) for number, chain in enumerate(clustering.chains().values())}
