"""Confidence intervals of scores, kept between runs: a thousand resamples take seconds each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from hashlib import sha256

import numpy as np
import pandas as pd

from cdec._version import __version__
from cdec.arrays import Floats
from cdec.evaluation.response import SystemRun
from cdec.io import cache
from cdec.metadocument import MetaDocuments
from cdec.metrics import measure, ordered, required
from cdec.metrics.contingency import Contingency
from cdec.settings import Setting
from cdec.statistics.bootstrap import bootstrap
from cdec.statistics.draws import Plan
from cdec.statistics.tallies import from_counts, values
from cdec.statistics.units import Units

_KIND = "intervals"
_FIELDS = ("precision", "recall", "f1")
Tick = Callable[[], object]
Pairs = Sequence[tuple[SystemRun, Setting]]


def intervals(
    pairs: Pairs, plan: Plan, metrics: Iterable[str] | None = None, tick: Tick = lambda: None
) -> pd.DataFrame:
    """Return low and high of each value (in [0, 1]) of answers under settings.

    Columns: system, setting, unit, metric, field, low, high. ``tick`` is called after each pair.
    Raises as ``bootstrap`` and ``Units.of_mentions`` do.
    """
    wanted = ordered(None if metrics is None else tuple(metrics))
    units = Units.of_mentions(plan.unit, [answer.mentions for answer, _ in pairs])
    rows = []
    for answer, setting in pairs:
        ends = _kept(answer.meta_documents(setting), units, plan, wanted)
        about = {"system": answer.system, "setting": setting.name, "unit": plan.unit}
        rows += [
            about | {"metric": name, "field": field, "low": low, "high": high}
            for name, lows, highs in zip(wanted, *ends, strict=True)
            for field, low, high in zip(_FIELDS, lows, highs, strict=True)
        ]
        tick()
    return pd.DataFrame(rows).dropna(ignore_index=True)


def _kept(metas: MetaDocuments, units: Units, plan: Plan, metrics: tuple[str, ...]) -> Floats:
    """Return the ends, shape (2, metrics, 3), from the cache if they are there.

    What is kept holds the scores, too: were the metrics changed, it would no longer fit.
    """
    key = cache.key(__version__, json.dumps(asdict(plan)), *metrics, _digest(metas, units))
    now = _scores(metas, metrics)
    shape = (3, len(metrics), 3)
    stored = cache.read(_KIND, key)
    if stored is not None and len(stored) == np.prod(shape) * 8:
        found = np.frombuffer(stored, dtype="<f8").reshape(shape)
        if np.array_equal(found[0], now, equal_nan=True):
            return found[1:]
    ends = bootstrap(metas, units, plan, metrics).interval(plan)
    cache.write(_KIND, key, np.stack([now, *ends]).astype("<f8").tobytes())
    return ends


def _scores(metas: MetaDocuments, metrics: tuple[str, ...]) -> Floats:
    counted = required(metrics)
    counts = measure(Contingency.from_meta_documents(metas), counted)
    return values(from_counts(counts, counted), counted, metrics)


def _digest(metas: MetaDocuments, units: Units) -> str:
    """Return a digest of what is resampled: meta-document, chains and unit of each mention."""
    columns = (*metas.codes(), units.codes(metas))
    return sha256(np.stack(columns).astype("<i8").tobytes()).hexdigest()
