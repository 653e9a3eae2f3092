"""Precision and recall of the detectors on planted errors.

An item is a hit if it proposes to merge the moved mentions with their old chain (``detach``,
``pair``, ``split``), to remove the mention from its new chain (``attach``, ``lookalike``), or to
divide the chain (``fuse``). Actual errors of the key count as false positives, so precision is a
lower bound. Recall is of all planted errors, whether or not a detector could find them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.auditing.benchmark.plant import CURES, Planted, Targets, in_scope, plant
from cdec.auditing.cases import ranking
from cdec.auditing.config import AuditConfig
from cdec.auditing.findings import Findings
from cdec.auditing.key import Key, prepare
from cdec.auditing.order.model import Calibration
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.io.progress import Progress, silent

DEPTHS = (50, 100, 300, 1000, 3000)
_MOST_RUNS = 1000


def check_count(count: int) -> int:
    """Return the number of errors to plant. Raises UsageError if it is below 1."""
    if count < 1:
        message = f"cannot plant {count:,} errors"
        raise UsageError("parameter-invalid", message, hint="choose 1 or more")
    return count


def seeds_of(runs: int) -> range:
    """Return the seeds of this many runs. Raises UsageError for no run or too many."""
    if not 1 <= runs <= _MOST_RUNS:
        message = f"--seeds must be from 1 to {_MOST_RUNS:,}, got {runs:,}"
        raise UsageError("parameter-invalid", message, hint="give a number in this range")
    return range(runs)


@dataclass(frozen=True, eq=False)
class Ranked:
    """A ranking: for each item in order, the numbers of the planted errors that it hits."""

    name: str
    hits: Sequence[tuple[int, ...]] = field(repr=False)


@dataclass(frozen=True)
class Plan:
    """What to plant: kinds of errors, number of each, seeds; ``scope`` as in ``--reviewed``."""

    kinds: tuple[str, ...] = tuple(CURES)
    count: int = 300
    seeds: Sequence[int] = (0, 1, 2)
    scope: str = "all"


def benchmark(
    corpus: Corpus,
    config: AuditConfig,
    calibration: Calibration,
    plan: Plan,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Return a table with ``kind``, ``ranking``, ``seed``, ``measure``, ``at`` and ``value``.

    Measures: ``precision`` and ``recall`` of the first ``at`` items (``DEPTHS``),
    ``average-precision`` of all items, and ``findable``, the number of planted errors that are in
    the results of the detectors at all. An undefined value (0/0) is NaN. Rankings: one for each
    learned detector, ``cases`` for all detectors, and two baselines, ``lemma`` (same head lemma
    first, then by document similarity) and ``random``. If the key does not allow as many errors of
    a kind, as many as possible are planted. Raises as ``prepare``, ``find`` and ``plant`` do.
    """
    prepared = prepare(corpus, config, progress)
    lemmas = pd.Series(prepared.pool.mentions.codes["lemma"], index=corpus.selected.index)
    runs = [(kind, seed) for kind in plan.kinds for seed in plan.seeds]
    rows: list[tuple[object, ...]] = []
    for kind, seed in progress(runs, len(runs), "planting errors"):
        planted = planted_in_scope(corpus, kind, plan, seed, lemmas.astype(str))
        task = _Task.of(planted, Key(planted.corpus, prepared, config), plan.scope)
        total = len(planted.errors)
        rows += [(kind, "", seed, "planted", 0, float(total))]
        rows += [(kind, "", seed, "findable", 0, float(task.findable))]
        for ranked in task.rankings(CURES[kind], calibration, seed):
            rows += [(kind, ranked.name, seed, *row) for row in _measured(ranked, total)]
    return pd.DataFrame(rows, columns=["kind", "ranking", "seed", "measure", "at", "value"])


def planted_in_scope(
    corpus: Corpus, kind: str, plan: Plan, seed: int, lemmas: pd.Series[str]
) -> Planted:
    """Return the corpus with errors in the mentions of the scope: at most as many as possible."""
    if plan.scope == "all":
        return plant(corpus, kind, plan.count, seed, lemmas, exact=False)
    reviewed = corpus.mentions["reviewed"].astype(bool)
    inside = reviewed if plan.scope == "only" else ~reviewed
    part = replace(corpus, mentions=corpus.mentions[inside])
    planted = plant(part, kind, plan.count, seed, lemmas[part.selected.index], exact=False)
    chains = corpus.mentions["chain"].copy()
    chains[part.mentions.index] = planted.corpus.mentions["chain"]
    return replace(planted, corpus=replace(corpus, mentions=corpus.mentions.assign(chain=chains)))


def _measured(ranked: Ranked, total: int) -> list[tuple[str, int, float]]:
    hit = np.array([bool(errors) for errors in ranked.hits])
    first = {error: at for at, errors in reversed(list(enumerate(ranked.hits))) for error in errors}
    ranks = np.sort(list(first.values()))
    rows = []
    for depth in DEPTHS:
        rows.append(("precision", depth, float(hit[:depth].mean()) if len(hit) else math.nan))
        rows.append(("recall", depth, _share(float((ranks < depth).sum()), total)))
    precisions = np.arange(1, len(ranks) + 1) / (ranks + 1)
    return [*rows, ("average-precision", 0, _share(float(precisions.sum()), total))]


def _share(part: float, total: int) -> float:
    return part / total if total else math.nan


@dataclass(frozen=True, eq=False)
class _Task:
    """The findings in one key with planted errors, by name of their table.

    ``items``: the errors that each row hits; ``kept``: whether it is in the scope.
    """

    findings: Findings
    items: dict[str, list[tuple[int, ...]]] = field(repr=False)
    kept: dict[str, Bools] = field(repr=False)

    @classmethod
    def of(cls, planted: Planted, key: Key, scope: str) -> _Task:
        findings, targets = Findings.of(key), Targets.of(planted, key)
        items = {table.name: targets.hits(table) for table in findings.tables}
        kept = {table.name: in_scope(table, scope) for table in findings.tables}
        return cls(findings, items, kept)

    @property
    def findable(self) -> int:
        """The number of planted errors that any row of the results hits."""
        return len({e for items in self.items.values() for errors in items for e in errors})

    def rankings(self, cure: str, calibration: Calibration, seed: int) -> list[Ranked]:
        """Return the ranking of all cases, and every ranking of the first table with this cure."""
        table = self.findings.proposing(cure)[0]
        order = {n: np.argsort(values, kind="stable") for n, values in table.rankings.items()}
        order["random"] = np.random.default_rng(seed).permutation(len(table.rows))
        kept, items = self.kept[table.name], self.items[table.name]
        single = [Ranked(n, [items[i] for i in at if kept[i]]) for n, at in order.items()]
        return [Ranked("cases", self._of_cases(calibration)), *single]

    def _of_cases(self, calibration: Calibration) -> list[tuple[int, ...]]:
        """Return the hits of all cases, in order; the calibration has not seen planted errors."""
        ranked = ranking(self.findings, calibration).table
        rows = list(zip(ranked["table"].tolist(), ranked["row"].tolist(), strict=True))
        return [self.items[name][row] for name, row in rows if self.kept[name][row]]


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each value and its 95 % t interval over seeds (NaN for one seed)."""
    from scipy.stats import t  # noqa: PLC0415

    groups = table.groupby(["kind", "ranking", "measure", "at"], sort=False)["value"]
    means = groups.agg(["mean", "std", "count"]).reset_index()
    half = t.ppf(0.975, means["count"] - 1) * means["std"] / np.sqrt(means["count"])
    means = means.assign(low=means["mean"] - half, high=means["mean"] + half)
    return means.drop(columns="std")
