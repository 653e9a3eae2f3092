"""Resamples of all systems of a task: intervals, paired tests and the stability of rankings.

All systems have the same resamples of topics (or sub-topics), so that differences are paired. The
scores of a system are the means of its runs. The test is that of ``statistics.several``: the
difference of two means by Student's t, with the variance over topics and the variance of the runs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

import numpy as np
from scipy.stats import t

from cdec._version import __version__
from cdec.arrays import Floats
from cdec.io import cache
from cdec.io.jobs import mapped
from cdec.io.progress import Progress, silent
from cdec.leaderboard.score import Run, Scored
from cdec.metadocument import MetaDocuments
from cdec.metrics import ordered, required
from cdec.settings import Setting
from cdec.statistics.bootstrap import Bootstrap
from cdec.statistics.components import component_tallies
from cdec.statistics.copies import copies_of
from cdec.statistics.draws import Plan, drawn, left_out
from cdec.statistics.exchange import ROUNDING
from cdec.statistics.several import RunVariance, over_runs
from cdec.statistics.tallies import values
from cdec.statistics.units import Units, largest_unit

_KIND = "resamples"
METRICS = ("lea", "conll")  # in result order
MAIN = METRICS.index("conll")


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
    number: Floats
    units: int

    def p(self, metric: int = MAIN) -> Floats:
        """Return the p-values of all pairs of systems (systems, systems).

        As ``statistics.several.means_test``: df by Satterthwaite.
        """
        factor = self.units / (self.units - 1)
        covariance = np.cov(self.topics[..., metric], ddof=0) * factor
        own = np.diag(covariance)
        topics = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0)
        runs, few = self.runs[:, metric], np.maximum(self.number - 1, 1)
        total = topics + runs[:, None] + runs[None, :]
        weights = topics**2 / (self.units - 1)
        weights = weights + (runs**2 / few)[:, None] + (runs**2 / few)[None, :]
        gap = np.abs(self.estimate[:, None, metric] - self.estimate[None, :, metric])
        freedom = np.divide(total**2, weights, out=np.ones_like(total), where=weights > 0)
        safe = np.sqrt(np.maximum(total, np.finfo(np.float64).tiny))
        return np.asarray(np.where(gap <= ROUNDING, 1.0, 2 * t.sf(gap / safe, freedom)))


def unit_of(scored: Sequence[Scored]) -> str | None:
    """Return topic or subtopic, whichever the task has two of; None without either."""
    return largest_unit([scored[0].runs[0].mentions])


def resampled(
    scored: Sequence[Scored],
    setting: Setting,
    plan: Plan,
    jobs: int | None,
    progress: Progress = silent,
) -> Resampled:
    """Resample all systems of a task under a setting."""
    runs = [run for one in scored for run in one.runs]
    names = [sorted({*run.mentions[plan.unit]}) for run in runs]
    shared = names[0]
    work = mapped(_bootstrap, runs, (setting, plan, shared), jobs=jobs)
    made = iter(list(progress(work, len(runs), f"resampling: {setting.label}")))
    each = [[next(made) for _ in one.runs] for one in scored]
    pooled = [over_runs(one, plan, number) for number, one in enumerate(each)]
    ends = np.stack([one.interval(plan)[..., 2] for one in pooled])
    return Resampled(
        estimate=np.stack([one.estimate[:, 2] for one in pooled]),
        replicates=np.stack([one.centred[..., 2] for one in pooled]),
        topics=np.stack([np.mean([run.centred[..., 2] for run in one], axis=0) for one in each]),
        low=ends[:, 0],
        high=ends[:, 1],
        runs=np.stack([RunVariance.of(one).value[:, 2] for one in each]),
        number=np.array([len(one) for one in each], dtype=np.float64),
        units=len(shared),
    )


def _bootstrap(run: Run, setting: Setting, plan: Plan, names: Sequence[str]) -> Bootstrap:
    """Return the bootstrap of one run; units have the same numbers in all runs."""
    counted, shown = required(METRICS), ordered(METRICS)
    place = {name: number for number, name in enumerate(names)}
    units = Units(plan.unit, tuple(names), run.mentions[plan.unit].map(place))
    metas, size = run.system.meta_documents(setting), len(names)
    whole = np.ones((1, size), dtype=np.int64)
    weights = np.concatenate([whole, left_out(size), drawn(size, plan)])
    copies = copies_of(metas, units)
    key = cache.key(__version__, json.dumps(asdict(plan)), *counted, _digest(metas, units))
    stored, shape = cache.read(_KIND, key), (len(weights), len(counted), 4)
    if stored is not None and len(stored) == np.prod(shape) * 8:
        tallied = np.frombuffer(stored, dtype="<f8").reshape(shape)
    else:
        tallied = component_tallies(metas, units, weights, counted)
        cache.write(_KIND, key, tallied.astype("<f8").tobytes())
    scores = values(tallied, counted, shown)
    return Bootstrap(shown, scores[0], scores[1 + size :], scores[1 : 1 + size], copies.joint)


def _digest(metas: MetaDocuments, units: Units) -> str:
    """Return a digest of what is resampled: meta-document, chains and unit of each mention."""
    columns = (*metas.codes(), units.codes(metas))
    return sha256(np.stack(columns).astype("<i8").tobytes()).hexdigest()
