"""The systems of a leaderboard against the released and a corrected key: what the patch changes.

Each product of the patch is scored without the other. All keys have the same resamples of topics,
so an interval is paired: it is of the differences in the resamples. A difference, or a change of
rank, is certain if its interval excludes 0. Responses are read; no system is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain as flat
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from cdec.arrays import Floats
from cdec.auditing.patches.apply import products
from cdec.auditing.patches.model import Patch
from cdec.auditing.patches.rescore import against, patched_corpus
from cdec.corpus.model import Corpus
from cdec.corpus.splits import part_of
from cdec.errors import FormatError, counted, one_of
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.experiment import Task as Scoring
from cdec.evaluation.response import SystemRun, runs_on
from cdec.evaluation.response_forms import Named
from cdec.io.progress import Progress, silent
from cdec.leaderboards.by_name import PublishedResponse
from cdec.leaderboards.folder import Leaderboard
from cdec.leaderboards.score import corpus_of
from cdec.leaderboards.study.resample import METRICS, Resampled, resampled
from cdec.metrics import REGISTRY
from cdec.render.numbers import bracket, percent, points
from cdec.render.page import Page
from cdec.settings import label_of
from cdec.settings.catalog import Settings, as_settings
from cdec.signature import Signature, in_json
from cdec.statistics.bootstrap import percentile
from cdec.statistics.draws import Plan, largest_unit

FINDERS = {"systems": "found with the answers of systems", "others": "found otherwise"}
_EVIDENCE = "systems"  # the detector of what other systems link
_WHAT = (
    "A: corrections in reviewed sentences; B: all others. Each product is scored without the other",
    "a mention that the patch removes from the key is left out of the responses, too",
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
    systems = _systems(board, task, choice)
    answers = (PublishedResponse(name, name, task, board=board) for name in systems)
    read = progress((_runs(part, one) for one in answers), len(systems), "reading responses")
    settings = as_settings(choice.settings, part)
    experiment = Experiment(Scoring("", "", {}), tuple(flat.from_iterable(read)), settings)
    plan = replace(plan, unit=largest_unit([part.selected]) or plan.unit)

    def resample(key: Corpus) -> dict[str, Resampled]:
        return resampled(against(key, experiment).systems, settings, plan, None, progress)

    old = resample(part)
    changes = [
        Change(product, finder, operations, name, old[name], new, plan.level)
        for product, finder, operations, key in keys
        for name, new in resample(part_of(key, of.split)).items()
    ]
    about = {**part.about, "key_patch": patch.name, "key_patch_digest": patch.digest}
    setting = ",".join(setting.name for setting in settings)
    drawn = {name: getattr(plan, name) for name in ("unit", "resamples", "seed", "level")}
    signature = Signature.from_fields(**about, setting=setting, **drawn)
    return _page(systems, changes, choice, signature)


def _keys(whole: Corpus, patch: Patch, scope: str) -> Iterator[tuple[str, str, int, Corpus]]:
    """Yield product, finder ('': all), number of operations and corrected corpus.

    The operations are divided by finder if both found some.
    """
    for product, own in products(patch, whole, scope).items():
        found = ["systems" if _EVIDENCE in op.evidence else "others" for op in own.operations]
        for finder in ("", *FINDERS) if len({*found}) > 1 else ("",):
            pairs = zip(own.operations, found, strict=True)
            operations = tuple(op for op, of in pairs if finder in ("", of))
            corrected = patched_corpus(whole, replace(own, operations=operations))
            yield product, finder, len(operations), corrected


def _systems(board: Leaderboard, task: str, choice: Choice) -> list[str]:
    """Return the chosen systems with responses to a task, without people."""
    known = [e.name for e, of in board.jobs() if of.name == task and not e.people]
    if not known:
        message, hint = f"no system has responses to '{task}'", "use `cdec leaderboard add`"
        raise FormatError("results-missing", message, place=board.folder, hint=hint)
    chosen = [one_of("system", name, known) for name in choice.systems] or known
    for name in choice.contributors:
        one_of("system", name, chosen)
    return chosen


def _runs(part: Corpus, answers: PublishedResponse) -> tuple[SystemRun, ...]:
    return runs_on(part, Named(answers.system, answers.responses(answers.task)))


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

    def interval(self, drawn: Any) -> Floats:
        """Return the ends of the intervals of resamples, the first axis."""
        return percentile(drawn, self.new.units, self.level)

    def frame(self, systems: Sequence[str]) -> pd.DataFrame:
        """Return a row for each system and metric: F1 and rank before and after, intervals."""
        both = (self.old, self.new)
        scores = [each.estimate for each in both]  # systems, metrics
        drawn = [each.replicates.swapaxes(0, 1) for each in both]
        ranks = [rankdata(-each, "min", axis=-2).astype(int) for each in (*scores, *drawn)]
        low, high = self.interval(drawn[1] - drawn[0])
        least, most = self.interval(ranks[3] - ranks[2])
        columns = {"f1_before": scores[0], "f1_after": scores[1]}
        columns |= {"difference": scores[1] - scores[0], "low": low, "high": high}
        columns |= {"rank_before": ranks[0], "rank_after": ranks[1]}
        columns |= {"certain": _certain(low, high), "rank_low": least, "rank_high": most}
        rows = pd.MultiIndex.from_product([METRICS, systems], names=["metric", "system"])
        table = pd.DataFrame({name: values.T.ravel() for name, values in columns.items()}, rows)
        table = table.reset_index()[["system", "metric", *columns]].assign(setting=self.setting)
        return table.assign(product=self.product, found=self.finder, operations=self.operations)

    def gain(self, metric: str, weights: Floats) -> str:
        """Return the sum of the weighted gains of the systems in a metric, with its interval."""
        at = METRICS.index(metric)
        value = float(weights @ (self.new.estimate - self.old.estimate)[:, at])
        low, high = self.interval(weights @ (self.new.replicates - self.old.replicates)[..., at])
        return f"{points(value)} {bracket(low, high, points)}"


def _certain(low: Any, high: Any) -> Any:
    """Return whether intervals exclude 0."""
    return (low > 0) | (high < 0)


def _page(
    systems: Sequence[str], changes: Sequence[Change], choice: Choice, signature: Signature
) -> Page:
    frames = [change.frame(systems) for change in changes]
    shown = [frame[frame["metric"] == choice.metric] for frame in frames]
    pairs = [*zip(changes, shown, strict=True)]
    rows = [row for one, part in pairs if not one.finder for row in part.to_dict("records")]
    sums = (_sum(change, part, systems, choice) for change, part in pairs)
    title = f"{REGISTRY[choice.metric].label} F1 before and after the correction of the key"
    return Page.from_table(
        pd.DataFrame(map(_row, rows)),
        pd.concat(frames, ignore_index=True),
        title=title,
        notes=(*_WHAT, *sums, str(signature)),
        about=in_json(signature),
    )


def _row(row: Mapping[Any, Any]) -> dict[str, str]:
    sure = "*" if row["certain"] else ""
    moved = "*" if _certain(row["rank_low"], row["rank_high"]) else ""
    interval = bracket(row["low"], row["high"], points)
    return {
        **{"Product": row["product"], "Setting": label_of(row["setting"])},
        **{"System": row["system"]},
        **{name: percent(row[f"f1_{name}"]) for name in ("before", "after")},
        "±": f"{points(row['difference'])}{sure} {interval}",
        "Rank": f"{row['rank_before']} → {row['rank_after']}{moved}",
    }


def _sum(change: Change, rows: pd.DataFrame, systems: Sequence[str], choice: Choice) -> str:
    """Return a sentence on what is certain, and on whom the corrections favour."""
    size, inside = len(systems), np.isin(systems, choice.contributors)
    name = f"product {change.product}, " if change.product else ""
    name += f"{label_of(change.setting)}: {counted(change.operations, 'operation')}"
    name += f" {FINDERS[change.finder]}" if change.finder else ""
    text = f"{name}: mean gain {change.gain(choice.metric, np.full(size, 1 / size))}"
    if inside.any() and not inside.all():
        weights = inside / inside.sum() - ~inside / (~inside).sum()
        text += f"; of contributors minus others {change.gain(choice.metric, weights)}"
    if not change.finder:
        moved = rows["rank_before"] != rows["rank_after"]
        sure = moved & _certain(rows["rank_low"], rows["rank_high"])
        text += f"; {rows['certain'].sum()} of {size} differences are certain, "
        text += (
            f"{counted(int(moved.sum()), 'rank')} of {size} changed, {sure.sum()} of them certainly"
        )
    return text
