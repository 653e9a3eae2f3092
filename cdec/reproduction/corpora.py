"""What the settings do on other corpora: statistics, baselines and intervals for each corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from cdec.baselines import system
from cdec.corpus.model import Corpus
from cdec.corpus.splits import divided, part_of
from cdec.errors import UsageError
from cdec.evaluation.experiment import Experiment, prepare
from cdec.evaluation.response import DEFAULT_POLICY
from cdec.evaluation.response_forms import Named
from cdec.evaluation.results import Results
from cdec.io.progress import Progress, silent
from cdec.settings import find_setting
from cdec.signature import Signature
from cdec.statistics.confidence import confidence
from cdec.statistics.draws import Plan, largest_unit
from cdec.system import System, Tunable, is_learner, is_tunable
from cdec.tuning import tune

METRIC = "conll"
UNTRAINED = ("lemma-wd", "lemma", "lemma-delta")
_TUNED = "lemma-delta"
_DEV, _TUNING_SETTING = "dev", "simple"


@dataclass(frozen=True, eq=False)
class Findings:
    """The findings on one kind of mention of one corpus.

    ``counts`` has a row per part: documents, mentions, chains (with singletons), singletons,
    ``across`` (chains in several documents), ``largest`` (mentions of the largest chain).
    ``scores`` has a row per setting and system: f1, low, high in [0, 1], NaN without intervals;
    it is empty for a corpus without text. ``delta`` is the δ tuned on dev, None without dev.
    ``models`` says what each model was trained on.
    """

    corpus: Corpus
    part: str
    counts: pd.DataFrame = field(repr=False)
    scores: pd.DataFrame = field(repr=False)
    unit: str = ""
    delta: float | None = None
    signature: Signature | None = None
    models: tuple[str, ...] = ()


def trained(text: str, pipeline: str) -> System:
    """Return the system with the model that ``text`` names, as ``sac=FILE``.

    Raises UsageError for a system without a model, and the errors of its ``load``.
    """
    name, _, path = text.partition("=")
    learner = system(name, pipeline=pipeline) if path else None
    if not is_learner(learner):
        message, hint = f"'{text}' does not name a system and its model", "write sac=FILE"
        raise UsageError("system-unsuitable", message, hint=hint)
    return learner.load(Path(path))


def findings(
    whole: Corpus,
    kind: str,
    models: Sequence[System] = (),
    plan: Plan | None = None,
    progress: Progress = silent,
) -> Findings:
    """Return the findings on the mentions of ``kind`` in the test part, or in the whole corpus.

    Settings are those that the levels of the corpus allow; the systems are the baselines without
    training, Lemma-δ with the δ tuned on dev too, and trained ``models``.
    """
    chosen = whole.select(kind)
    part = part_of(chosen, None)
    counts = pd.DataFrame([_counts(name, p) for name, p in divided(chosen).items()])
    if part.text == "none" or part.selected.empty:
        return Findings(part, part.part, counts, pd.DataFrame())
    systems: list[System] = [system(name) for name in UNTRAINED]
    tuned = _tuned(chosen, progress)
    named = [Named(f"{model.name} ({number})", model) for number, model in enumerate(models, 1)]
    experiment = prepare(
        part,
        [*systems, *([Named(f"{_TUNED} (dev)", tuned)] if tuned else []), *named],
        setting="all",
        metrics=METRIC,
        scorer="cdec",
        policy=DEFAULT_POLICY,
    )
    unit = largest_unit([part.selected]) or ""
    results = experiment.results()
    scores = _scores(results, experiment, replace(plan or Plan(), unit=unit) if unit else None)
    delta = tuned.delta if tuned else None
    trained_on = tuple(
        f"{one.name}: trained on {one.response.parameters['trained_on']}" for one in named
    )
    return Findings(part, part.part, counts, scores, unit, delta, results.signature, trained_on)


def _counts(name: str, part: Corpus) -> dict[str, object]:
    mentions = part.selected
    chains = mentions.groupby("chain", sort=False)["doc"].agg(["size", "nunique"])
    return {
        "part": name,
        "documents": len(part.documents),
        "mentions": len(mentions),
        "chains": len(chains),
        "singletons": int((chains["size"] == 1).sum()),
        "across": int((chains["nunique"] > 1).sum()),
        "largest": int(chains["size"].max()) if len(chains) else 0,
    }


def _tuned(whole: Corpus, progress: Progress) -> Tunable | None:
    """Return Lemma-δ with the δ that is best on dev under SIMPLE; None without a dev part."""
    parts = divided(whole)
    baseline = system(_TUNED)
    if _DEV not in parts or not is_tunable(baseline) or parts[_DEV].selected.empty:
        return None
    setting = find_setting(_TUNING_SETTING)
    return tune(parts[_DEV], baseline, setting, METRIC, progress=progress).system


def _scores(results: Results, experiment: Experiment, plan: Plan | None) -> pd.DataFrame:
    table = results.frame.loc[results.frame["metric"] == METRIC, ["setting", "system", "f1"]]
    if plan is None:
        return table.assign(low=np.nan, high=np.nan)
    ends = confidence(experiment, plan)
    ends = ends[ends["metric"] == METRIC].rename(columns={"f1_low": "low", "f1_high": "high"})
    return table.merge(ends[["setting", "system", "low", "high"]], how="left")


def all_findings(
    corpora: Sequence[Corpus],
    models: Sequence[System] = (),
    plan: Plan | None = None,
    progress: Progress = silent,
) -> Iterator[Findings]:
    """Yield the findings on each kind of mention of each corpus."""
    for corpus in corpora:
        for kind in corpus.kinds:
            yield findings(corpus, kind, models, plan, progress)
