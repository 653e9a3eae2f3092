"""How many planted errors the detectors find, and how early.

A planted error counts as found by an item that puts its mentions against the chain they came from
(``detach``, ``split``) or doubts their place in the chain they went to (``attach``). Real errors of
the key count as false alarms here, so precision is a lower bound.
"""

from __future__ import annotations

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
from cdec.io.progress import Progress, silent

DEPTHS = (50, 100, 300, 1000, 3000)
_KINDS = {"detach": "links", "split": "links", "attach": "members"}


@dataclass(frozen=True, eq=False)
class Ranked:
    """Items in the order of one ranking, each as the planted errors that it names."""

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
    """Return a row a result: ``kind``, ``ranking``, ``seed``, ``measure``, ``at``, ``value``.

    ``precision`` and ``recall`` at the first ``at`` items (``DEPTHS``), ``average-precision`` over
    all; ``findable``: the number of planted errors with a candidate pair, over which recall is
    counted. The rankings: each learned detector's own, all ``cases`` merged, and two plain ones,
    ``lemma`` (the same head lemma, the most similar documents first) and ``random``. Raises as
    ``prepare``, ``find`` and ``plant`` do.
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
    hit = np.array([bool(found) for found in ranked.hits])
    first = {error: at for at, found in reversed(list(enumerate(ranked.hits))) for error in found}
    ranks = np.sort([at for error, at in first.items() if error in findable])
    rows = []
    for depth in DEPTHS:
        rows.append(("precision", depth, float(hit[:depth].mean()) if len(hit) else 0.0))
        rows.append(("recall", depth, float((ranks < depth).sum()) / max(len(findable), 1)))
    places = np.arange(1, len(ranks) + 1) / (ranks + 1)
    return [*rows, ("average-precision", 0, float(places.sum()) / max(len(findable), 1))]


@dataclass(frozen=True, eq=False)
class _Task:
    """One planted key and the errors that each row of ``table`` names.

    ``named`` maps chain codes or a mention's row to errors, ``items`` has an entry a row.
    """

    prepared: Prepared
    finds: Finds
    table: str
    named: dict[tuple[int, ...], tuple[int, ...]] = field(repr=False)
    items: list[tuple[int, ...]] = field(repr=False)
    findable: set[int] = field(repr=False)

    @classmethod
    def from_planted(cls, planted: Planted, prepared: Prepared, finds: Finds, table: str) -> _Task:
        """Return the task, with the items that name a planted error."""
        named = _links_of(planted, finds) if table == "links" else _members_of(planted)
        columns = ["one", "two"] if table == "links" else ["mention"]
        keys = getattr(finds, table)[columns].itertuples(index=False, name=None)
        items = [named.get(key, ()) for key in keys]
        return cls(prepared, finds, table, named, items, {e for found in items for e in found})

    def rankings(self, config: AuditConfig, seed: int) -> list[Ranked]:
        """Return every ranking of the items."""
        table = getattr(self.finds, self.table)
        sign = 1 if self.table == "links" else -1
        order = {
            name: np.argsort(-sign * table[name].to_numpy(), kind="stable")
            for name in LEARNED
            if name in table
        }
        order |= {"lemma": self._plain(table), "random": _shuffled(len(table), seed)}
        made = [Ranked(name, [self.items[i] for i in at]) for name, at in order.items()]
        return [Ranked("cases", self._of_cases(config)), *made]

    def _of_cases(self, config: AuditConfig) -> list[tuple[int, ...]]:
        ranked = ranking(self.finds, config)[["table", "row"]]
        return [self._of_case(str(table), int(row)) for table, row in ranked.to_numpy()]

    def _of_case(self, table: str, row: int) -> tuple[int, ...]:
        if table == self.table:
            return self.items[row]
        if table != "groups" or self.table != "links":
            return ()
        pairs = combinations(self.finds.groups["codes"].iloc[row], 2)
        return tuple(error for pair in pairs for error in self.named.get(pair, ()))

    def _plain(self, table: pd.DataFrame) -> Ints:
        """Order links by same lemma and similar documents, members the other way round."""
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
    """Return the pair of chain codes that undoes each planted error."""
    code = {str(name): number for number, name in enumerate(finds.names)}
    chain = dict(zip(planted.corpus.events.index, finds.chain, strict=True))
    named: dict[tuple[int, ...], tuple[int, ...]] = {}
    for number, error in enumerate(planted.errors):
        own, rest = int(chain[error.mentions[0]]), code.get(error.rest)
        if rest is not None:
            named[min(own, rest), max(own, rest)] = (number,)
    return named


def _members_of(planted: Planted) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Return the rows of the mentions that were attached."""
    ids = pd.Index([error.mentions[0] for error in planted.errors])
    rows = planted.corpus.events.index.get_indexer(ids)
    return {(int(row),): (number,) for number, row in enumerate(rows)}


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean, and a 95 % t interval over seeds (missing for one seed), of each value."""
    from scipy.stats import t  # noqa: PLC0415

    groups = table.groupby(["kind", "ranking", "measure", "at"], sort=False)["value"]
    found = groups.agg(["mean", "std", "count"]).reset_index()
    half = t.ppf(0.975, found["count"] - 1) * found["std"] / np.sqrt(found["count"])
    found = found.assign(low=found["mean"] - half, high=found["mean"] + half)
    return found.drop(columns="std")
