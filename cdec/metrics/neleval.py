"""The scorer neleval, which the paper used, as an alternative to ``cdec.metrics``.

neleval 3.1.1 counts MUC, B³, CEAF_m, CEAF_e and both kinds of BLANC links; it has no LEA. It scores
single documents: meta-documents are scored separately and their counts are summed.

It is imported on first use. Two problems need a workaround. First, its Hungarian algorithm uses
``np.int`` and ``np.bool``, which numpy removed in 1.24: cdec runs copies of its two modules, one of
them with a numpy namespace that has these names; numpy, the files of neleval and its regular
import do not change. Second, its CEAF stops after 15 minutes (by SIGALRM, in the main thread) and
returns four zeros: these are wrong if there is any chain, and raise ScoringError here.

With these workarounds its counts equal those of ``cdec.metrics`` up to rounding, also for twinless
mentions and empty sides. Its CEAF is dense and its link counts loop over pairs of chains: a corpus
takes seconds, and memory for key chains × response chains.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec, module_from_spec
from types import ModuleType, SimpleNamespace
from typing import TypeAlias

import numpy as np
import pandas as pd

from cdec.errors import ScoringError
from cdec.metrics.counts import Counts
from cdec.metrics.registry import required

Chains: TypeAlias = dict[int, set[str]]

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


def score(mentions: pd.DataFrame, metrics: Iterable[str] | None = None) -> dict[str, Counts]:
    """Return neleval's counts behind ``metrics`` (ids as in ``cdec.metrics.measure``), summed.

    Metrics that neleval lacks are omitted. Raises UnknownNameError for an unknown id,
    ScoringError if neleval timed out.
    """
    names = [name for name in required(metrics) if name in COUNTERS]
    counters = {name: getattr(coref_metrics(), COUNTERS[name]) for name in names}
    parts = []
    for meta, rows in mentions.groupby("meta", sort=False):
        key, response = (_chains(rows[side].dropna()) for side in ("key", "response"))
        counts = {name: Counts(*map(float, of(key, response))) for name, of in counters.items()}
        for name in MAY_TIME_OUT:
            if (key or response) and counts.get(name) == (0, 0, 0, 0):
                message, hint = f"neleval's {name} timed out", "use the scorer cdec"
                raise ScoringError("argument-invalid", message, place=str(meta), hint=hint)
        parts.append(counts)
    return {name: Counts.sum(part[name] for part in parts) for name in names}


def _chains(labels: pd.Series[str]) -> Chains:
    """Return the chains in neleval's format: number → set of mentions."""
    groups = labels.groupby(labels, sort=False).groups.values()
    return {number: set(chain) for number, chain in enumerate(groups)}


@cache
def coref_metrics() -> ModuleType:
    """Return a copy of neleval's module of metrics that works with current numpy."""
    module, munkres = (_copy(f"neleval.{name}") for name in ("coref_metrics", "munkres"))
    vars(munkres)["np"] = SimpleNamespace(**vars(np) | {"int": int, "bool": bool})
    vars(module)["linear_assignment"] = munkres.linear_assignment
    return module


def _copy(name: str) -> ModuleType:
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ScoringError(
            "package-missing", f"{name} is not installed", hint="install neleval 3.1.1"
        )
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
