"""neleval as a second engine: the paper's own scorer, to be compared with ``cdec.metrics``.

neleval 3.1.1 counts MUC, B³, CEAF_m, CEAF_e and both kinds of BLANC links; it has no LEA. It scores
one document, so that each meta-document is scored by itself and the counts are summed.

Two things stand in the way. Its Hungarian algorithm says ``np.int`` and ``np.bool``, names that
numpy removed in 1.24: its module ``neleval.munkres`` gets a numpy that has them, once, while this
module is imported; numpy itself and neleval's files stay as they are. And its CEAF gives up after
15 minutes (by SIGALRM, in the main thread) and then returns four zeros: these cannot be right
where there is a chain, so that they raise ScoringError here.

With both mended, its counts are those of ``cdec.metrics`` up to rounding, for twinless mentions and
empty sides, too. Its CEAF is dense, its link counts go by pairs of chains: a corpus takes seconds,
and memory for key chains × response chains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import TypeAlias

import numpy as np
from neleval import coref_metrics, munkres

from cdec.clustering import Clustering
from cdec.errors import ScoringError
from cdec.metadocument import MetaDocument, MetaDocuments
from cdec.metrics import Counts, required

Chains: TypeAlias = dict[int, set[str]]

munkres.np = SimpleNamespace(**vars(np) | {"int": int, "bool": bool})

COUNTERS: dict[str, Callable[[Chains, Chains], tuple[float, float, float, float]]] = {
    "muc": coref_metrics.muc,
    "b3": coref_metrics.b_cubed,
    "ceafm": coref_metrics.mention_ceaf,
    "ceafe": coref_metrics.entity_ceaf,
    "blanc_coref": coref_metrics.pairwise,
    "blanc_noncoref": coref_metrics.pairwise_negative,
}
"""Metric id → neleval's function (key, response) → p_num, p_den, r_num, r_den."""

MAY_TIME_OUT = ("ceafm", "ceafe")


def score(meta_documents: MetaDocuments, metrics: Iterable[str] | None = None) -> dict[str, Counts]:
    """Return neleval's counts behind ``metrics`` (ids as in ``cdec.metrics.measure``), summed.

    A metric that neleval lacks is not in the result. Raises UnknownNameError for an unknown id,
    ScoringError where neleval timed out.
    """
    names = [name for name in required(metrics) if name in COUNTERS]
    parts = [_score_one(document, names) for document in meta_documents]
    return {name: Counts.sum(part[name] for part in parts) for name in names}


def _score_one(document: MetaDocument, names: list[str]) -> dict[str, Counts]:
    """Return the counts of one meta-document."""
    key, response = _chains(document.key), _chains(document.response)
    counts = {name: Counts(*map(float, COUNTERS[name](key, response))) for name in names}
    for name in MAY_TIME_OUT:
        if (key or response) and counts.get(name) == Counts(0, 0, 0, 0):
            raise ScoringError(
                f"neleval's {name} timed out", place=document.name, cure="use the cdec scorer"
            )
    return counts


def _chains(clustering: Clustering) -> Chains:
    """Return the chains as neleval wants them: number → set of mentions."""
    return {number: set(chain) for number, chain in enumerate(clustering.chains().values())}
