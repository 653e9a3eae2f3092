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

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec, module_from_spec
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import AnySeries
from cdec.errors import ScoringError, spelled
from cdec.metrics.metric import Counts


def score(mentions: pd.DataFrame, functions: Mapping[str, str]) -> dict[str, Counts]:
    """Return neleval's counts, summed: metric id → counts by the function of this name.

    Raises ScoringError if neleval timed out.
    """
    total = {name: np.zeros(4) for name in functions}
    for meta, rows in mentions.groupby("meta", sort=False):
        key = _chains(rows["key"].dropna())
        response = _chains(rows["response"].dropna())
        for name, function in functions.items():
            count = getattr(coref_metrics(), function)
            counts = np.array(count(key, response), np.float64)
            has_chains = bool(key or response)
            if function.endswith("_ceaf") and has_chains and not counts.any():
                raise ScoringError(
                    "argument-invalid",
                    f"neleval's {name} timed out",
                    place=str(meta),
                    hint=f"use {spelled('scorer', 'cdec')}",
                )
            total[name] += counts
    return {name: Counts(*counts.tolist()) for name, counts in total.items()}


def _chains(labels: AnySeries) -> dict[int, set[Any]]:
    groups = labels.groupby(labels, sort=False).groups
    return {number: set(mentions) for number, mentions in enumerate(groups.values())}


@cache
def coref_metrics() -> ModuleType:
    """Return a copy of neleval's module of metrics that works with current numpy."""
    module = _copy("neleval.coref_metrics")
    munkres = _copy("neleval.munkres")
    names_of_numpy = {**vars(np), "int": int, "bool": bool}
    vars(munkres)["np"] = SimpleNamespace(**names_of_numpy)
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
