"""Precision and recall of the detectors on planted errors.

An item is a hit if it proposes to merge the moved mentions with their old chain (``detach``,
``split``) or to remove the mention from its new chain (``attach``). Actual errors of the key count
as false positives, so precision is a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.audit.benchmark.plant import Planted, plant
from cdec.audit.config import AuditConfig
from cdec.audit.find import LEARNED, Finds, Prepared, find, prepare
from cdec.audit.ranking import ranking
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.io.progress import Progress, silent

DEPTHS = (50, 100, 300, 1000, 3000)
_MOST_RUNS = 1000
_KINDS = {"detach": "links", "split": "links", "attach": "members"}


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


def benchmark(
    corpus: Corpus,
    config: AuditConfig,
    *,
    kinds: Iterable[str] = tuple(_KINDS),
    count: int = 300,
    seeds: Sequence[int] = (0, 1, 2),
    progress: Progress = silent,
) -> pd.DataFrame:
    """Return a table with ``kind``, ``ranking``, ``seed``, ``measure``, ``at`` and ``value``.

    Measures: ``precision`` and ``recall`` of the first ``at`` items (``DEPTHS``),
    ``average-precision`` of all items, and ``findable``, the number of planted errors with a
    candidate pair; recall counts only these. An undefined value (0/0) is NaN. Rankings: one for
    each learned detector, ``cases`` for all detectors, and two baselines, ``lemma`` (same head
    lemma first, then by document similarity) and ``random``. Raises as ``prepare``, ``find`` and
    ``plant`` do.
    """
    prepared = prepare(corpus, config, progress)
    runs = [(kind, seed) for kind in kinds for seed in seeds]
    rows: list[tuple[object, ...]] = []
    for kind, seed in progress(runs, len(runs), "planting errors"):
        planted = plant(corpus, kind, count, seed)
        finds = find(planted.corpus, prepared, config)
        task = _Task.from_planted(planted, prepared, finds, _KINDS[kind])
        rows.append((kind, "", seed, "findable", 0, float(len(task.findable))))
        for ranked in task.rankings(config, seed):
            rows += [(kind, ranked.name, seed, *row) for row in _measured(ranked, task.findable)]
    return pd.DataFrame(rows, columns=["kind", "ranking", "seed", "measure", "at", "value"])


def _measured(ranked: Ranked, findable: set[int]) -> list[tuple[str, int, float]]:
    hit = np.array([bool(errors) for errors in ranked.hits])
    first = {error: at for at, errors in reversed(list(enumerate(ranked.hits))) for error in errors}
    ranks = np.sort([at for error, at in first.items() if error in findable])
    rows = []
    for depth in DEPTHS:
        rows.append(("precision", depth, float(hit[:depth].mean()) if len(hit) else math.nan))
        rows.append(("recall", depth, _share(float((ranks < depth).sum()), findable)))
    precisions = np.arange(1, len(ranks) + 1) / (ranks + 1)
    return [*rows, ("average-precision", 0, _share(float(precisions.sum()), findable))]


def _share(part: float, findable: set[int]) -> float:
    return part / len(findable) if findable else math.nan


@dataclass(frozen=True, eq=False)
class _Task:
    """One key with planted errors, and the errors that each row of ``table`` hits.

    ``targets`` maps chain codes or the row of a mention to errors; ``items`` has one entry for each
    row.
    """

    prepared: Prepared
    finds: Finds
    table: str
    targets: dict[tuple[int, ...], tuple[int, ...]] = field(repr=False)
    items: list[tuple[int, ...]] = field(repr=False)
    findable: set[int] = field(repr=False)

    @classmethod
    def from_planted(cls, planted: Planted, prepared: Prepared, finds: Finds, table: str) -> _Task:
        """Return the task for the rows of ``table``."""
        targets = _links_of(planted, finds) if table == "links" else _members_of(planted)
        columns = ["one", "two"] if table == "links" else ["mention"]
        keys = getattr(finds, table)[columns].itertuples(index=False, name=None)
        items = [targets.get(key, ()) for key in keys]
        return cls(prepared, finds, table, targets, items, {e for errors in items for e in errors})

    def rankings(self, config: AuditConfig, seed: int) -> list[Ranked]:
        """Return every ranking of the items."""
        table = getattr(self.finds, self.table)
        sign = 1 if self.table == "links" else -1
        order = {
            name: np.argsort(-sign * table[name].to_numpy(), kind="stable")
            for name in LEARNED
            if name in table
        }
        order |= {"lemma": self._lemma_order(table), "random": _shuffled(len(table), seed)}
        single = [Ranked(name, [self.items[i] for i in at]) for name, at in order.items()]
        return [Ranked("cases", self._of_cases(config)), *single]

    def _of_cases(self, config: AuditConfig) -> list[tuple[int, ...]]:
        ranked = ranking(self.finds, config)[["table", "row"]]
        return [self._of_case(str(table), int(row)) for table, row in ranked.to_numpy()]

    def _of_case(self, table: str, row: int) -> tuple[int, ...]:
        if table == self.table:
            return self.items[row]
        if table != "groups" or self.table != "links":
            return ()
        pairs = combinations(self.finds.groups["codes"].iloc[row], 2)
        return tuple(error for pair in pairs for error in self.targets.get(pair, ()))

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


def _shuffled(size: int, seed: int) -> Ints:
    return np.random.default_rng(seed).permutation(size)


def _links_of(planted: Planted, finds: Finds) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Return the pair of chain codes to merge → number of the planted error."""
    code = {str(name): number for number, name in enumerate(finds.names)}
    chain = dict(zip(planted.corpus.events.index, finds.chain, strict=True))
    targets: dict[tuple[int, ...], tuple[int, ...]] = {}
    for number, error in enumerate(planted.errors):
        own, rest = int(chain[error.mentions[0]]), code.get(error.rest)
        if rest is not None:
            targets[min(own, rest), max(own, rest)] = (number,)
    return targets


def _members_of(planted: Planted) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Return the row of the attached mention → number of the planted error."""
    ids = pd.Index([error.mentions[0] for error in planted.errors])
    rows = planted.corpus.events.index.get_indexer(ids)
    return {(int(row),): (number,) for number, row in enumerate(rows)}


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each value and its 95 % t interval over seeds (NaN for one seed)."""
    from scipy.stats import t  # noqa: PLC0415

    groups = table.groupby(["kind", "ranking", "measure", "at"], sort=False)["value"]
    means = groups.agg(["mean", "std", "count"]).reset_index()
    half = t.ppf(0.975, means["count"] - 1) * means["std"] / np.sqrt(means["count"])
    means = means.assign(low=means["mean"] - half, high=means["mean"] + half)
    return means.drop(columns="std")
