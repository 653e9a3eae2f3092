"""Resamples of all systems of a task: intervals, paired tests and the stability of rankings.

All systems have the same resamples of topics (or sub-topics), so that differences are paired. The
scores of a system are the means of its runs. The test is that of ``statistics.several``: the
difference of two means by Student's t, with the variance over topics and the variance of the runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints
from cdec.files.jobs import mapped
from cdec.files.progress import Progress, silent
from cdec.leaderboards.components import component_tallies
from cdec.matching.alignment import Alignment
from cdec.metrics import ordered, required
from cdec.settings import Setting
from cdec.statistics.bootstrap import Bootstrap, centred
from cdec.statistics.copies import copies_of
from cdec.statistics.draws import Plan, Units, all_weights
from cdec.statistics.several import over_runs, run_variance
from cdec.statistics.tallies import values

METRICS = ordered(["lea", "conll", "avg4"])


@dataclass(frozen=True, eq=False)
class Resampled:
    """The F1 of all systems under one setting, for the metrics METRICS.

    ``estimate`` (systems, metrics), ``replicates`` (systems, resamples, metrics), ``topics``: the
    same without the deviates of the runs, ``low`` and ``high`` (systems, metrics), ``runs``: the
    variance that runs add (systems, metrics), ``number`` of runs (systems). ``units`` is the
    number of topics.
    """

    estimate: Floats
    replicates: Floats
    topics: Floats
    low: Floats
    high: Floats
    runs: Floats
    number: Ints
    units: int


def resampled(
    systems: Mapping[str, Sequence[Alignment]],
    settings: Sequence[Setting],
    plan: Plan,
    jobs: int | None,
    progress: Progress = silent,
) -> dict[str, Resampled]:
    """Resample all systems (name → runs) under each setting: name of the setting → result."""
    runs = [run for each in systems.values() for run in each]
    names = sorted({str(name) for name in runs[0].mentions[plan.unit]})
    work = mapped(_bootstraps, runs, (settings, plan, names), jobs=jobs)
    made = iter(list(progress(work, len(runs), "resampling")))
    of_systems = {name: [*islice(made, len(each))] for name, each in systems.items()}
    return {
        setting.name: _of_systems(
            {name: [run[number] for run in runs] for name, runs in of_systems.items()},
            plan,
            len(names),
        )
        for number, setting in enumerate(settings)
    }


def _of_systems(systems: Mapping[str, Sequence[Bootstrap]], plan: Plan, units: int) -> Resampled:
    """Return the resamples of the systems: name → runs."""
    each = systems.values()
    pooled = [over_runs(runs, plan, _stream(name)) for name, runs in systems.items()]
    ends = np.stack([one.interval(plan)[..., 0] for one in pooled])
    return Resampled(
        estimate=np.stack([one.estimate[:, 0] for one in pooled]),
        replicates=np.stack([one.centred[..., 0] for one in pooled]),
        topics=np.stack([np.mean([run.centred[..., 0] for run in one], axis=0) for one in each]),
        low=ends[:, 0],
        high=ends[:, 1],
        runs=np.stack([run_variance(one)[:, 0] for one in each]),
        number=np.array([len(one) for one in each], dtype=np.int64),
        units=units,
    )


def _stream(name: str) -> int:
    """Return the number of a system, for deviates that do not depend on the other systems."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big")


def _bootstraps(
    run: Alignment, settings: Sequence[Setting], plan: Plan, names: Sequence[str]
) -> list[Bootstrap]:
    """Return the bootstrap of one run under each setting, of F1 only (metrics, 1), centred.

    Units have the same numbers in all runs.
    """
    place = {name: number for number, name in enumerate(names)}
    units = Units(plan.unit, tuple(names), run.mentions[plan.unit].map(place))
    tables = (setting.build(run.mentions) for setting in settings)
    rows = (_resample(table, units, plan) for table in tables)
    return [Bootstrap.from_rows(METRICS, each, len(units), joint=False) for each in rows]


def _resample(metas: pd.DataFrame, units: Units, plan: Plan) -> Floats:
    """Return the F1 of the corpus, of each unit left out, and of the resamples (…, metrics, 1)."""
    counted, size = required(METRICS), len(units)
    tallied = component_tallies(metas, units, all_weights(size, plan), counted)
    scores = values(tallied, counted, METRICS)[..., 2:]
    if copies_of(metas, units).joint:
        scores[1 + size :] = centred(scores[1 + size :], scores[0])
    return scores
