"""The systems of a task before and after a correction of the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

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
from cdec.files.progress import Progress, silent
from cdec.leaderboards.board import Leaderboard, Task
from cdec.leaderboards.published import PublishedResponse
from cdec.leaderboards.score import corpus_of
from cdec.metrics import REGISTRY, ordered
from cdec.render.numbers import bracket, percent, points
from cdec.render.page import Page
from cdec.settings import as_settings, label_of
from cdec.signature import Signature, in_json
from cdec.statistics.draws import DEFAULT, Plan, Units, largest_unit
from cdec.statistics.intervals import Bootstrap, of_runs, over_runs, percentile

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
    before = Experiment(runs, settings, asked=METRICS, is_named=True)
    after = against(part_of(corrected(whole, patch), of.split), before)
    plan = replace(plan, unit=largest_unit([part.selected]) or plan.unit)
    column = pd.concat([run.mentions[plan.unit] for run in (*before.runs, *after.runs)]).astype(str)
    codes, names = pd.factorize(column[~column.index.duplicated()], sort=True)
    units = Units(plan.unit, tuple(names), pd.Series(codes, column.index.drop_duplicates()))
    frames = []
    for setting in progress(settings, len(settings), "resampling"):
        old, new = (
            [over_runs(runs, plan, _stream(name)) for name, runs in each.items()]
            for each in (of_runs(one, setting, units, plan) for one in (before, after))
        )
        frames.append(_frame(systems, old, new, plan).assign(setting=setting.name))
    data = pd.concat(frames, ignore_index=True)
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
    return pd.DataFrame(
        [
            {
                "Setting": label_of(setting),
                "System": system,
                "before": percent(old),
                "after": percent(new),
                "±": f"{points(change)}{'*' if low > 0 or high < 0 else ''} "
                + bracket(low, high, points),
                "Rank": f"{rank} → {then}",
            }
            for _, system, old, new, change, low, high, rank, then, setting in shown.to_numpy()
        ]
    )
