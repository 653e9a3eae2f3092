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

import numpy as np
import pandas as pd

from cdec.errors import ScoringError, spelled
from cdec.metrics.metric import Counts


def score(mentions: pd.DataFrame, functions: Mapping[str, str]) -> dict[str, Counts]:
    """Return neleval's counts, summed: metric id → counts by the function of this name.

    Raises ScoringError if neleval timed out.
    """
    total = {name: np.zeros(4) for name in functions}
    for meta, rows in mentions.groupby("meta", sort=False):
        chains = [
            dict(enumerate(map(set, labels.groupby(labels, sort=False).groups.values())))
            for labels in (rows["key"].dropna(), rows["response"].dropna())
        ]
        for name, function in functions.items():
            counts = np.array(getattr(coref_metrics(), function)(*chains), np.float64)
            if function.endswith("_ceaf") and any(chains) and not counts.any():
                message = f"neleval's {name} timed out"
                hint = f"use {spelled('scorer', 'cdec')}"
                raise ScoringError("argument-invalid", message, place=str(meta), hint=hint)
            total[name] += counts
    return {name: Counts(*counts.tolist()) for name, counts in total.items()}


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
