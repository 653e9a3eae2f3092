"""Variation of scores: confidence intervals over topics, and a simulation of lost mentions.

Intervals are cached: a thousand resamples take seconds. The simulation: the paper's files seem to
lack some mentions (see the notes), but not known which. So the same number of random mentions is
removed from key and response, independently of each other, for several seeds. It is not an
evaluation method and its numbers are not results: it shows how much the loss can change the scores.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from hashlib import sha256

import numpy as np
import pandas as pd

from cdec._version import __version__
from cdec.arrays import Floats
from cdec.clustering import Clustering
from cdec.evaluation.response import SystemRun
from cdec.io import cache
from cdec.metadocument import MetaDocuments
from cdec.metrics import Value, measure, ordered, required
from cdec.metrics.contingency import Contingency
from cdec.metrics.scores import score
from cdec.settings import Setting
from cdec.statistics.bootstrap import bootstrap
from cdec.statistics.draws import Plan, Units
from cdec.statistics.tallies import from_counts, values

_KIND = "intervals"
Tick = Callable[[], object]
Pairs = Sequence[tuple[SystemRun, Setting]]


def intervals(
    pairs: Pairs, plan: Plan, metrics: Iterable[str] | None = None, tick: Tick = lambda: None
) -> pd.DataFrame:
    """Return low and high of each value (in [0, 1]) of runs under settings.

    Columns: system, setting, unit, metric, field, low, high. ``tick`` is called after each pair.
    Raises as ``bootstrap`` and ``Units.of_mentions`` do.
    """
    wanted = ordered(None if metrics is None else tuple(metrics))
    units = Units.of_mentions(plan.unit, [run.mentions for run, _ in pairs])
    rows = []
    for run, setting in pairs:
        ends = _cached(run.meta_documents(setting), units, plan, wanted)
        about = {"system": run.system, "setting": setting.name, "unit": plan.unit}
        rows += [
            about | {"metric": name, "field": field, "low": low, "high": high}
            for name, lows, highs in zip(wanted, *ends, strict=True)
            for field, low, high in zip(Value._fields, lows, highs, strict=True)
        ]
        tick()
    return pd.DataFrame(rows).dropna(ignore_index=True)


def _cached(metas: MetaDocuments, units: Units, plan: Plan, metrics: tuple[str, ...]) -> Floats:
    """Return the ends, shape (2, metrics, 3), from the cache if possible.

    The cached data include the scores: if a metric has changed, they differ and are not used.
    """
    key = cache.key(__version__, json.dumps(asdict(plan)), *metrics, _digest(metas, units))
    now = _scores(metas, metrics)
    shape = (3, len(metrics), 3)
    stored = cache.read(_KIND, key)
    if stored is not None and len(stored) == np.prod(shape) * 8:
        data = np.frombuffer(stored, dtype="<f8").reshape(shape)
        if np.array_equal(data[0], now, equal_nan=True):
            return data[1:]
    ends = bootstrap(metas, units, plan, metrics).interval(plan)
    cache.write(_KIND, key, np.stack([now, *ends]).astype("<f8").tobytes())
    return ends


def _scores(metas: MetaDocuments, metrics: tuple[str, ...]) -> Floats:
    counted = required(metrics)
    counts = measure(Contingency.from_meta_documents(metas), counted)
    return values(from_counts(counts, counted), counted, metrics)


def _digest(metas: MetaDocuments, units: Units) -> str:
    """Return a digest of the resampled data: meta-document, chains and unit of each mention."""
    columns = (*metas.codes(), units.codes(metas))
    return sha256(np.stack(columns).astype("<i8").tobytes()).hexdigest()


def with_loss(run: SystemRun, lost: int, seed: int) -> SystemRun:
    """Return the run without ``lost`` random mentions of its key, and of its response."""
    rng = np.random.default_rng(seed)
    return replace(
        run,
        key=_without(run.key, lost, rng),
        response=_without(run.response, lost, rng),
    )


def sensitivity(run: SystemRun, setting: Setting, lost: int, seeds: int) -> pd.DataFrame:
    """Return mean and standard deviation over the seeds 0, 1, …: metric, field, mean, sd."""
    simulated = (
        score(with_loss(run, lost, seed).meta_documents(setting)).values for seed in range(seeds)
    )
    rows = [
        {"metric": metric, "field": field, "value": getattr(value, field)}
        for values in simulated
        for metric, value in values.items()
        for field in Value._fields
        if getattr(value, field) is not None
    ]
    groups = pd.DataFrame(rows).groupby(["metric", "field"], sort=False)["value"]
    return groups.agg(mean="mean", sd="std").reset_index()


def _without(side: Clustering, lost: int, rng: np.random.Generator) -> Clustering:
    """Return the side without ``lost`` random mentions; without any if it has fewer."""
    rows = rng.permutation(len(side))[min(lost, len(side)) :]
    return Clustering(side.labels.iloc[np.sort(rows)])
