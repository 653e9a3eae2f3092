"""The systems of a task before and after a correction of the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from cdec.corpus.claims import Patch, corrected
from cdec.corpus.splits import part_of
from cdec.errors import FormatError, one_of
from cdec.evaluation.aligned import runs_on
from cdec.evaluation.corrected import against
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.response import Named
from cdec.files.jobs import mapped
from cdec.files.progress import Progress, silent
from cdec.leaderboards.board import Leaderboard, Task
from cdec.leaderboards.published import PublishedResponse
from cdec.leaderboards.score import corpus_of
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY, ordered
from cdec.render.numbers import bracket, percent, points
from cdec.render.page import Page
from cdec.settings import Setting, as_settings, label_of
from cdec.signature import Signature, in_json
from cdec.statistics.draws import DEFAULT, Plan, Units, largest_unit
from cdec.statistics.intervals import Bootstrap, bootstrap, over_runs, percentile

MAIN, SETTINGS = "conll", ("pure", "simple")
METRICS = ordered(["lea", "conll", "avg4"])
_NOTE = "*: the interval of the difference excludes 0 (paired, by {unit}s)"


def rescored(
    board: Leaderboard,
    patch: Patch,
    only: Sequence[str] = (),
    *,
    corpora: Mapping[str, str] | None = None,
    plan: Plan = DEFAULT,
    progress: Progress = silent,
) -> Page:
    """Return the scores before and after, with paired intervals over topics, and ranks.

    They are those of the first task of the corpus that the patch corrects; ``only``: the systems.
    Raises FormatError if the board has no such task, UnknownNameError for a system, ScoringError
    for a response that is missing or has another digest.
    """
    of = _task(board, patch)
    where = (corpora or {}).get(of.corpus, of.corpus)
    whole, part = (corpus_of(where, split, of.variant) for split in ("all", of.split))
    known = [e.name for e, task in board.jobs() if task.name == of.name and e.ranked]
    systems = [one_of("system", name, known) for name in only] or known
    answers = (PublishedResponse(name, name, of.name, board=board) for name in systems)
    each = (runs_on(part, Named(a.system, a.responses(of.name))) for a in answers)
    runs = tuple(run for some in progress(each, len(systems), "reading responses") for run in some)
    settings = as_settings(SETTINGS, part)
    experiment = Experiment(runs, settings)
    plan = replace(plan, unit=largest_unit([part.selected]) or plan.unit)
    key = part_of(corrected(whole, patch), of.split)
    old, new = (
        resampled(one.systems, settings, plan, progress)
        for one in (experiment, against(key, experiment))
    )
    data = pd.concat(
        [_frame(systems, old[s.name], new[s.name], plan).assign(setting=s.name) for s in settings],
        ignore_index=True,
    )
    signature = Signature.from_fields(
        **part.about,
        key_patch=patch.name,
        key_patch_digest=patch.digest,
        setting=",".join(setting.name for setting in settings),
        **{name: getattr(plan, name) for name in ("unit", "resamples", "seed")},
    )
    return Page.from_table(
        _view(data),
        data,
        title=f"{REGISTRY[MAIN].label} F1 on {of.name} before and after {patch.name}",
        notes=(_NOTE.format(unit=plan.unit), str(signature)),
        about=in_json(signature),
    )


def _task(board: Leaderboard, patch: Patch) -> Task:
    for task in board.tasks.values():
        if task.corpus == patch.about.get("corpus"):
            return task
    message = f"no task of the corpus '{patch.about.get('corpus')}', which the patch corrects"
    hint = "use a board with such a task"
    raise FormatError("input-mismatch", message, place=patch.name, hint=hint)


def resampled(
    systems: Mapping[str, Sequence[Alignment]],
    settings: Sequence[Setting],
    plan: Plan,
    progress: Progress,
) -> dict[str, list[Bootstrap]]:
    """Resample all systems (name → runs) under each setting: name of the setting → bootstraps.

    All have the same resamples of topics, so that differences are paired.
    """
    runs = [run for each in systems.values() for run in each]
    names = sorted({str(name) for name in runs[0].mentions[plan.unit]})
    work = mapped(_bootstraps, runs, (settings, plan, names))
    made = iter(list(progress(work, len(runs), "resampling")))
    of_systems = {name: [*islice(made, len(each))] for name, each in systems.items()}
    return {
        setting.name: [
            over_runs([run[number] for run in runs], plan, _stream(name))
            for name, runs in of_systems.items()
        ]
        for number, setting in enumerate(settings)
    }


def _bootstraps(
    run: Alignment, settings: Sequence[Setting], plan: Plan, names: Sequence[str]
) -> list[Bootstrap]:
    """Return the bootstrap of a run under each setting; units have the same numbers in all runs."""
    place = {name: number for number, name in enumerate(names)}
    units = Units(plan.unit, tuple(names), run.mentions[plan.unit].map(place))
    return [bootstrap(s.build(run.mentions), units, plan, METRICS, jobs=1) for s in settings]


def _stream(name: str) -> int:
    """Return the number of a system, for deviates that do not depend on the other systems."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big")


def _frame(
    systems: Sequence[str], old: Sequence[Bootstrap], new: Sequence[Bootstrap], plan: Plan
) -> pd.DataFrame:
    """Return a row for each metric and system: F1 before and after, the interval, and ranks."""
    scores = [np.stack([one.estimate[:, 2] for one in each]) for each in (old, new)]
    ranks = [rankdata(-each.round(9), "min", axis=0).astype(int) for each in scores]
    change = [b.minus(a).replicates[..., 2] for a, b in zip(old, new, strict=True)]
    low, high = percentile(np.stack(change, axis=1), new[0].units, plan.level)
    columns = {"f1_before": scores[0], "f1_after": scores[1], "difference": scores[1] - scores[0]}
    columns |= {"low": low, "high": high, "rank_before": ranks[0], "rank_after": ranks[1]}
    index = pd.MultiIndex.from_product([METRICS, systems], names=["metric", "system"])
    table = pd.DataFrame({name: np.ravel(values.T) for name, values in columns.items()}, index)
    return table.reset_index()


def _view(data: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the main metric as text, in the order of the ranks after."""
    shown = data[data["metric"] == MAIN].sort_values(["setting", "rank_after"], kind="stable")
    rows = [
        {
            "Setting": label_of(row["setting"]),
            "System": row["system"],
            "before": percent(row["f1_before"]),
            "after": percent(row["f1_after"]),
            "±": f"{points(row['difference'])}{'*' if row['low'] > 0 or row['high'] < 0 else ''} "
            f"{bracket(row['low'], row['high'], points)}",
            "Rank": f"{row['rank_before']} → {row['rank_after']}",
        }
        for row in shown.to_dict("records")
    ]
    return pd.DataFrame(rows)
