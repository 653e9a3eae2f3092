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

from cdec.arrays import Bools, Ints
from cdec.audit.benchmark.plant import Planted, plant
from cdec.audit.benchmark.targets import TABLES, Targets, in_scope
from cdec.audit.config import AuditConfig
from cdec.audit.find import LEARNED, Finds, Prepared, find, prepare
from cdec.audit.order.model import Calibration
from cdec.audit.order.ranking import ranking
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.io.progress import Progress, silent

DEPTHS = (50, 100, 300, 1000, 3000)
_MOST_RUNS = 1000


def check_count(count: int) -> int:
    """Return the number of errors to plant. Raises UsageError if it is below 1."""
    if count < 1:
        message = f"cannot plant {count:,} errors"
        raise UsageError("planted-error-count", message, hint="choose 1 or more")
    return count


def seeds_of(runs: int) -> range:
    """Return the seeds of this many runs. Raises UsageError for no run or too many."""
    if not 1 <= runs <= _MOST_RUNS:
        message = f"--seeds must be from 1 to {_MOST_RUNS:,}, got {runs:,}"
        raise UsageError("audit-parameter-range", message, hint="give a number in this range")
    return range(runs)


@dataclass(frozen=True, eq=False)
class Ranked:
    """A ranking: for each item in order, the numbers of the planted errors that it hits."""

    name: str
    hits: Sequence[tuple[int, ...]] = field(repr=False)


@dataclass(frozen=True)
class Plan:
    """What to plant: kinds of errors, number of each, seeds; ``scope`` as in ``--reviewed``."""

    kinds: tuple[str, ...] = tuple(TABLES)
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
        planted = _planted(corpus, kind, plan, seed, lemmas.astype(str))
        finds = find(planted.corpus, prepared, config)
        task = _Task(planted, prepared, finds, TABLES[kind], plan.scope)
        total = len(planted.errors)
        rows += [(kind, "", seed, "planted", 0, float(total))]
        rows += [(kind, "", seed, "findable", 0, float(task.findable))]
        for ranked in task.rankings(config, calibration, seed):
            rows += [(kind, ranked.name, seed, *row) for row in _measured(ranked, total)]
    return pd.DataFrame(rows, columns=["kind", "ranking", "seed", "measure", "at", "value"])


def _planted(corpus: Corpus, kind: str, plan: Plan, seed: int, lemmas: pd.Series[str]) -> Planted:
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


class _Task:
    """One key with planted errors, and the errors that each row of the results hits."""

    def __init__(
        self, planted: Planted, prepared: Prepared, finds: Finds, table: str, scope: str
    ) -> None:
        self.corpus, self.prepared, self.finds, self.table = planted.corpus, prepared, finds, table
        self.targets = Targets.of(planted, finds)
        self.kept: dict[str, Bools] = {}
        self.items: dict[str, list[tuple[int, ...]]] = {}
        for name in ("groups", "links", "members", "chains", "tags", "copies", "words"):
            self.kept[name] = in_scope(finds, name, planted.corpus, scope)
            self.items[name] = self.targets.hits(name)

    @property
    def findable(self) -> int:
        """The number of planted errors that any row of the results hits."""
        tables = (self.items[name] for name in ("groups", "links", "members", "chains"))
        return len({error for items in tables for errors in items for error in errors})

    def rankings(self, config: AuditConfig, calibration: Calibration, seed: int) -> list[Ranked]:
        """Return every ranking of the items."""
        table = getattr(self.finds, self.table)
        order: dict[str, Ints] = {}
        if self.table == "chains":
            order["between"] = np.argsort(table["between"].to_numpy(), kind="stable")
        else:
            sign = 1 if self.table == "links" else -1
            for name in (name for name in LEARNED if name in table):
                order[name] = np.argsort(-sign * table[name].to_numpy(), kind="stable")
            order["lemma"] = self._lemma_order(table)
        order["random"] = np.random.default_rng(seed).permutation(len(table))
        kept, items = self.kept[self.table], self.items[self.table]
        single = [Ranked(n, [items[i] for i in at if kept[i]]) for n, at in order.items()]
        return [Ranked("cases", self._of_cases(config, calibration)), *single]

    def _of_cases(self, config: AuditConfig, calibration: Calibration) -> list[tuple[int, ...]]:
        """Return the hits of all cases, in order; the calibration has not seen planted errors."""
        ranked = ranking(self.corpus, self.prepared, self.finds, config, calibration).table
        pairs = zip(ranked["table"].tolist(), ranked["row"].tolist(), strict=True)
        places = {name: _positions(getattr(self.finds, name)) for name in self.items}
        rows = ((name, places[name][row]) for name, row in pairs)
        return [self.items[name][at] for name, at in rows if self.kept[name][at]]

    def _lemma_order(self, table: pd.DataFrame) -> Ints:
        """Order links by same lemma, then document similarity; members in reverse order."""
        mentions = self.prepared.pool.mentions
        left, right = table["left"].to_numpy(), table["right"].to_numpy()
        same = mentions.codes["lemma"][left] == mentions.codes["lemma"][right]
        rows = self.prepared.pool.documents
        one, two = mentions.codes["doc"][left], mentions.codes["doc"][right]
        cosine = np.asarray(rows[one].multiply(rows[two]).sum(axis=1))
        key = np.where(one == two, 0.0, cosine) + 2 * same
        return np.argsort(-key if self.table == "links" else key, kind="stable").astype(np.int64)


def _positions(table: pd.DataFrame) -> dict[int, int]:
    return {int(row): at for at, row in enumerate(table.index.tolist())}


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each value and its 95 % t interval over seeds (NaN for one seed)."""
    from scipy.stats import t  # noqa: PLC0415

    groups = table.groupby(["kind", "ranking", "measure", "at"], sort=False)["value"]
    means = groups.agg(["mean", "std", "count"]).reset_index()
    half = t.ppf(0.975, means["count"] - 1) * means["std"] / np.sqrt(means["count"])
    means = means.assign(low=means["mean"] - half, high=means["mean"] + half)
    return means.drop(columns="std")
