"""The systems of a leaderboard against the released and a corrected key: what the patch changes.

Each product of the patch is scored without the other. All keys have the same resamples of topics,
so an interval is paired: it is of the differences in the resamples. A difference, or a change of
rank, is certain if its interval excludes 0. Responses are read; no system is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from cdec.arrays import Floats, Ints
from cdec.auditing.patches.apply import products
from cdec.auditing.patches.model import Correction, Patch
from cdec.auditing.patches.rescore import against, patched_corpus
from cdec.corpus.model import Corpus
from cdec.corpus.splits import part_of
from cdec.errors import FormatError, counted, one_of
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.experiment import Task as Scoring
from cdec.evaluation.response import SystemRun, run_on
from cdec.io.progress import Progress, silent
from cdec.leaderboards.entries import SystemEntry, Task
from cdec.leaderboards.folder import Leaderboard
from cdec.leaderboards.score import Run, Scored, corpus_of, table_of
from cdec.leaderboards.study.resample import METRICS, Resampled, resampled, unit_of
from cdec.metrics import REGISTRY
from cdec.render.numbers import bracket, percent, points
from cdec.render.page import Page
from cdec.settings import label_of
from cdec.settings.catalog import Settings, as_settings
from cdec.signature import Signature, in_json
from cdec.statistics.draws import Plan

FINDERS = {"systems": "found with the answers of systems", "others": "found otherwise"}
_Runs = Mapping[str, tuple[SystemEntry, tuple[SystemRun, ...]]]
_NO_TASK = Scoring("", "", {})  # no signature is made of it
_EVIDENCE = "systems"  # the detector of what other systems link
_WHAT = (
    "A: corrections in reviewed sentences; B: all others. Each product is scored without the other",
    "*: the interval of the difference, or of the change of rank, excludes 0 (paired, by topics)",
)


@dataclass(frozen=True)
class Choice:
    """What to rescore: systems (empty: all of the task), settings and products.

    ``metric`` is one of those of a study, METRICS;
    ``contributors``: systems whose answers helped to find the corrections. ``scope`` as in
    ``products``.
    """

    systems: Sequence[str] = ()
    settings: Settings = "pure"
    metric: str = "conll"
    scope: str = "all"
    contributors: Sequence[str] = ()
    corpora: Mapping[str, str] = field(default_factory=dict)


def rescored(
    board: Leaderboard,
    task: str,
    patch: Patch,
    plan: Plan,
    choice: Choice | None = None,
    *,
    progress: Progress = silent,
) -> Page:
    """Return the page of the scores of a task before and after each product of a patch.

    Raises FormatError if the patch is for another corpus, or the task has no systems;
    UnknownNameError for a system or task; ScoringError for a response that is missing or has
    another digest.
    """
    choice, of = choice or Choice(), board.task(task)
    one_of("metric", choice.metric, METRICS)
    where = choice.corpora.get(of.corpus, of.corpus)
    whole, part = (corpus_of(where, split, of.variant) for split in ("all", of.split))
    keys = list(_keys(whole, patch, choice.scope))
    runs = _runs(board, of, choice, part, progress)
    settings = as_settings(choice.settings, part)
    plan = replace(plan, unit=unit_of(_scored(of, runs)) or plan.unit)

    def resample(key: Corpus) -> dict[str, Resampled]:
        pairs = ((e, Experiment(_NO_TASK, each, settings)) for e, each in runs.values())
        keyed = {e.name: (e, against(key, experiment).runs) for e, experiment in pairs}
        return resampled(_scored(of, keyed), settings, plan, None, progress)

    old = resample(part)
    changes = []
    for product, finder, operations, key in keys:
        new = resample(part_of(key, of.split))
        changes += [
            Change(product, finder, operations, name, old[name], new[name], plan.level)
            for name in new
        ]
    about = {**part.about, "key_patch": patch.name, "key_patch_digest": patch.digest}
    setting = ",".join(setting.name for setting in settings)
    drawn = {name: getattr(plan, name) for name in ("unit", "resamples", "seed", "level")}
    signature = Signature.from_fields(**about, setting=setting, **drawn)
    return _page([*runs], changes, choice, signature)


def _keys(whole: Corpus, patch: Patch, scope: str) -> Iterator[tuple[str, str, int, Corpus]]:
    """Yield product, finder ('': all), number of operations and corrected corpus.

    The operations are divided by finder if both found some.
    """
    for product, own in products(patch, whole, scope).items():
        yield product, "", len(own.operations), patched_corpus(whole, own)
        by: dict[str, list[Correction]] = {finder: [] for finder in FINDERS}
        for operation in own.operations:
            by["systems" if _EVIDENCE in operation.evidence else "others"].append(operation)
        for finder, found in by.items() if all(by.values()) else ():
            corrected = patched_corpus(whole, replace(own, operations=tuple(found)))
            yield product, finder, len(found), corrected


def _runs(
    board: Leaderboard, task: Task, choice: Choice, part: Corpus, progress: Progress
) -> _Runs:
    """Return the responses of the chosen systems to a task, matched with its key."""
    known = {e.name: e for e, t in board.jobs() if t.name == task.name and not e.people}
    if not known:
        message, hint = f"no system has responses to '{task.name}'", "use `cdec leaderboard add`"
        raise FormatError("results-missing", message, place=board.folder, hint=hint)
    chosen = [one_of("system", name, known) for name in choice.systems] or list(known)
    for name in choice.contributors:
        one_of("system", name, chosen)
    work = [(known[name], answer) for name in chosen for answer in known[name].answers(task.name)]
    of_system: dict[str, list[SystemRun]] = {}
    for entry, answer in progress(work, len(work), "reading responses"):
        path = board.checked(answer.path, answer.digest, board.how_to_get(entry))
        of_system.setdefault(entry.name, []).append(run_on(part, answer.response(path, path.stem)))
    return {name: (known[name], tuple(each)) for name, each in of_system.items()}


def _scored(task: Task, runs: _Runs) -> list[Scored]:
    return [
        Scored(e, task, tuple(Run(e.answers(task.name)[0], table_of(run), {}) for run in each))
        for e, each in runs.values()
    ]


@dataclass(frozen=True, eq=False)
class Change:
    """What one product, or the part of it that one finder found, changes under one setting."""

    product: str
    finder: str
    operations: int
    setting: str
    old: Resampled = field(repr=False)
    new: Resampled = field(repr=False)
    level: float = 0.95

    def interval(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the ends of the interval over resamples, the axis 1."""
        low, high = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2], axis=1)
        return low, high

    def frame(self, systems: Sequence[str]) -> pd.DataFrame:
        """Return a row for each system and metric: F1 and rank before and after, intervals."""
        tables = []
        for at, metric in enumerate(METRICS):
            scores = [x.estimate[:, at] for x in (self.old, self.new)]
            drawn = [x.replicates[..., at] for x in (self.old, self.new)]
            low, high = self.interval(drawn[1] - drawn[0])
            ranks = [rankdata(-each, "min", axis=0).astype(int) for each in (*scores, *drawn)]
            least, most = self.interval(ranks[3] - ranks[2])
            columns: dict[str, Any] = {"f1_before": scores[0], "f1_after": scores[1]}
            columns |= {"difference": scores[1] - scores[0], "low": low, "high": high}
            columns |= {"rank_before": ranks[0], "rank_after": ranks[1]}
            columns |= {"certain": (low > 0) | (high < 0), "rank_low": least, "rank_high": most}
            tables.append(pd.DataFrame({"system": systems, "metric": metric, **columns}))
        table = pd.concat(tables, ignore_index=True).assign(setting=self.setting)
        return table.assign(product=self.product, found=self.finder, operations=self.operations)

    def mean(self, at: int, chosen: Ints | slice = slice(None)) -> tuple[float, Floats]:
        """Return the mean gain of these systems in a metric, and its resamples (1, resamples)."""
        gain = self.new.estimate[chosen, at] - self.old.estimate[chosen, at]
        drawn = self.new.replicates[chosen, :, at] - self.old.replicates[chosen, :, at]
        return float(gain.mean()), drawn.mean(axis=0, keepdims=True)


def _page(
    systems: Sequence[str], changes: Sequence[Change], choice: Choice, signature: Signature
) -> Page:
    data = pd.concat([change.frame(systems) for change in changes], ignore_index=True)
    shown = data[(data["found"] == "") & (data["metric"] == choice.metric)]
    rows = []
    for row in shown.to_dict("records"):
        moved = row["rank_low"] > 0 or row["rank_high"] < 0
        ranks = f"{row['rank_before']} → {row['rank_after']}{'*' if moved else ''}"
        interval = bracket(row["low"], row["high"], points)
        difference = f"{points(row['difference'])}{'*' if row['certain'] else ''} {interval}"
        head = {"Product": row["product"], "Setting": label_of(row["setting"])}
        scores = {name: percent(row[f"f1_{name}"]) for name in ("before", "after")}
        rows.append({**head, "System": row["system"], **scores, "±": difference, "Rank": ranks})
    view = pd.DataFrame(rows).sort_values(["Product"], kind="stable")
    notes = (*_WHAT, *_sums(systems, changes, choice), str(signature))
    title = f"{REGISTRY[choice.metric].label} F1 before and after the correction of the key"
    return Page.from_table(view, data, title=title, notes=notes, about=in_json(signature))


def _sums(systems: Sequence[str], changes: Sequence[Change], choice: Choice) -> Iterator[str]:
    """Yield sentences on what is certain, and on whom the corrections favour."""
    at = METRICS.index(choice.metric)
    inside = np.isin(systems, choice.contributors)
    for change in changes:
        gain, drawn = change.mean(at)
        name = f"product {change.product}, " if change.product else ""
        name += f"{label_of(change.setting)}: {counted(change.operations, 'operation')}"
        name += f" {FINDERS[change.finder]}" if change.finder else ""
        text = f"{name}: mean gain {_points(change, gain, drawn)}"
        if inside.any() and not inside.all():
            own, others = (change.mean(at, np.flatnonzero(x)) for x in (inside, ~inside))
            favour = _points(change, own[0] - others[0], own[1] - others[1])
            text += f"; of contributors minus others {favour}"
        if not change.finder:
            frame = change.frame(systems).query("metric == @choice.metric")
            moved = frame["rank_before"] != frame["rank_after"]
            sure = (frame["rank_low"] > 0) | (frame["rank_high"] < 0)
            text += f"; {int(frame['certain'].sum())} of {len(frame)} differences are certain, "
            text += f"{counted(int(moved.sum()), 'rank')} of {len(frame)} changed, "
            text += f"{int((moved & sure).sum())} of them certainly"
        yield text


def _points(change: Change, value: float, drawn: Floats) -> str:
    (low,), (high,) = change.interval(drawn)
    return f"{points(value)} {bracket(low, high, points)}"
