"""Precision and recall of the detectors on planted errors.

An item is a hit if it proposes to merge the moved mentions with their old chain (``detach``,
``pair``, ``split``), to remove the mention from its new chain (``attach``, ``lookalike``), to
divide the chain (``fuse``), or to add the mention (``unmark``). Actual errors of the key count
as false positives, so precision is a lower bound. Recall is of all planted errors, whether or not a
detector could find them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.auditing.benchmark.plant import CURES, Planted, Targets, in_scope, plant
from cdec.auditing.cases import ranking
from cdec.auditing.config import AuditConfig
from cdec.auditing.detector import ADD
from cdec.auditing.findings import Findings
from cdec.auditing.key import Key, prepare
from cdec.auditing.order.model import Calibration
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.io.progress import Progress, silent
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.signature import Signature, in_json

DEPTHS = (50, 100, 300, 1000, 3000)
OF_TOPIC = 200  # the first cases of each topic, for the recall by topic
_MOST_RUNS = 1000
_LEGEND = (
    "detach: a mention removed from its chain; pair: a chain of two made two singletons; split: a "
    "chain cut in two; attach: a mention moved to another chain; lookalike: to one with its head "
    "lemma; fuse: two chains with a common head lemma merged; unmark: a mention of a reviewed "
    "sentence removed from the key",
    "cases: the list of the audit; svm, held-out: one detector; between: chains with improbable "
    "links first; lemma: pairs with the same head lemma first; random: random order",
    "precision and recall at N: among the first N of the ranking; topic-recall: among the first N "
    "of each topic, mean of the topics",
)


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
    """A ranking: for each item in order, the numbers of the planted errors that it hits.

    ``topics``: the topic of each item.
    """

    name: str
    hits: Sequence[tuple[int, ...]] = field(repr=False)
    topics: Sequence[str] = field(repr=False)


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
    ``topic-recall`` of the first ``at`` items of each topic (``OF_TOPIC``), as the mean over the
    topics with planted errors, ``average-precision`` of all items, and ``findable``, the number of
    planted errors that are in the results of the detectors at all. An undefined value (0/0) is NaN.
    Rankings: one for each learned detector, ``cases`` for all detectors, and two baselines,
    ``lemma`` (same head lemma first, then by document similarity) and ``random``. If the key does
    not allow as many errors of a kind, as many as possible are planted. The order is fitted without
    planted errors, which may be the same. Raises as ``prepare``, ``find``, ``plant`` and
    ``Calibration.unplanted`` do.
    """
    order = calibration.unplanted
    prepared = prepare(corpus, config, progress)
    lemmas = pd.Series(prepared.pool.mentions.codes["lemma"], index=corpus.selected.index)
    runs = [(kind, seed) for kind in plan.kinds for seed in plan.seeds]
    topic = dict(zip(map(str, corpus.mentions.index), corpus.mentions["topic"], strict=True))
    rows: list[tuple[object, ...]] = []
    for kind, seed in progress(runs, len(runs), "planting errors"):
        planted = planted_in_scope(corpus, kind, plan, seed, lemmas.astype(str))
        # Without some of its mentions, a corpus has other pairs.
        own = prepare(planted.corpus, config) if CURES[kind] == ADD else prepared
        task = _Task.of(planted, Key(planted.corpus, own, config), plan.scope)
        total, topics = len(planted.errors), [topic[error.mentions[0]] for error in planted.errors]
        rows += [(kind, "", seed, "planted", 0, float(total))]
        rows += [(kind, "", seed, "findable", 0, float(task.findable))]
        for ranked in task.rankings(CURES[kind], order, seed):
            rows += [(kind, ranked.name, seed, *row) for row in _measured(ranked, topics)]
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
    left = planted.corpus.mentions
    chains = left["chain"].reindex(corpus.mentions.index).fillna(corpus.mentions["chain"])
    mentions = corpus.mentions.assign(chain=chains)
    mentions = mentions.drop(index=part.mentions.index.difference(left.index))
    return replace(planted, corpus=replace(corpus, mentions=mentions))


def _measured(ranked: Ranked, topics: Sequence[str]) -> list[tuple[str, int, float]]:
    """Return the measures of a ranking; ``topics``: the topic of each planted error."""
    total = len(topics)
    hit = np.array([bool(errors) for errors in ranked.hits])
    first = {error: at for at, errors in reversed(list(enumerate(ranked.hits))) for error in errors}
    ranks = np.sort(list(first.values()))
    rows = []
    for depth in DEPTHS:
        rows.append(("precision", depth, float(hit[:depth].mean()) if len(hit) else math.nan))
        rows.append(("recall", depth, _share(float((ranks < depth).sum()), total)))
    precisions = np.arange(1, len(ranks) + 1) / (ranks + 1)
    rows.append(("topic-recall", OF_TOPIC, _by_topic(ranked, topics)))
    return [*rows, ("average-precision", 0, _share(float(precisions.sum()), total))]


def _by_topic(ranked: Ranked, topics: Sequence[str]) -> float:
    """Return the recall of the first items of each topic, as the mean over topics with errors."""
    places = pd.Series(ranked.topics, dtype=object)
    near = (places.groupby(places).cumcount() < OF_TOPIC).tolist()
    hits = (errors for errors, kept in zip(ranked.hits, near, strict=True) if kept)
    hit = {error for errors in hits for error in errors}
    shares = pd.Series([error in hit for error in range(len(topics))]).groupby(list(topics)).mean()
    return float(shares.mean()) if len(shares) else math.nan


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
        single = {n: [[(table.name, int(row))] for row in at] for n, at in order.items()}
        cases = ranking(self.findings, calibration).rows
        return [self._ranked(name, rows) for name, rows in {"cases": cases, **single}.items()]

    def _ranked(self, name: str, cases: Sequence[Sequence[tuple[str, int]]]) -> Ranked:
        """Return the ranking of cases, as rows of tables, without those outside the scope."""
        kept = [rows for rows in cases if self.kept[rows[0][0]][rows[0][1]]]
        hits = [tuple(e for table, row in rows for e in self.items[table][row]) for rows in kept]
        return Ranked(name, hits, [self._topics[rows[0][0]][rows[0][1]] for rows in kept])

    @cached_property
    def _topics(self) -> dict[str, list[str]]:
        return {table.name: table.topics for table in self.findings.tables}


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each value and its 95 % t interval over seeds (NaN for one seed)."""
    from scipy.stats import t  # noqa: PLC0415

    groups = table.groupby(["kind", "ranking", "measure", "at"], sort=False)["value"]
    means = groups.agg(["mean", "std", "count"]).reset_index()
    half = t.ppf(0.975, means["count"] - 1) * means["std"] / np.sqrt(means["count"])
    means = means.assign(low=means["mean"] - half, high=means["mean"] + half)
    return means.drop(columns="std")


def benchmark_page(table: pd.DataFrame, signature: Signature) -> Page:
    """Return the means with intervals over seeds; a row for each kind of error and ranking."""
    means = summary(table)
    columns = [
        *(("precision", at) for at in (100, 300)),
        *(("recall", at) for at in (100, 300, 1000, 3000)),
        ("topic-recall", OF_TOPIC),
        ("average-precision", 0),
    ]
    cells = means.set_index(["kind", "ranking", "measure", "at"]).apply(_interval, axis=1)
    view = cells.unstack(["measure", "at"], sort=False).drop(index="", level="ranking")
    view = view[columns].rename_axis(["planted", "ranking"]).reset_index()
    view.columns = view.columns.map(lambda name: (name[0], str(name[1] or "")))
    sizes = means[means["ranking"] == ""].pivot(index="kind", columns="measure", values="mean")
    counts = ", ".join(
        f"{kind} {row['findable']:.0f} of {row['planted']:.0f}" for kind, row in sizes.iterrows()
    )
    notes = (
        *_LEGEND,
        "mean ± half of a 95 % interval over seeds; recall is of all planted errors; in the "
        f"results of any detector are {counts}",
        "precision is a lower bound: actual errors of the key count as false positives",
        "the order of the cases is fitted to judged cases only; that of `cdec audit run` also to "
        "planted errors of ECB+, with a weight of 0.1",
        str(signature),
    )
    return Page.from_table(view, table, notes=notes, about=in_json(signature))


def _interval(row: Any) -> str:
    half = (row["high"] - row["low"]) / 2
    return percent(row["mean"]) if pd.isna(half) else f"{percent(row['mean'])}±{percent(half)}"
