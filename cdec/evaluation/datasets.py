"""Several data sets at once, each with its key: systems ranked by the mean over the data sets.

The mean is that of a shared task: of precision, recall and F1 separately, over all data sets; a
data set for which a system has no response counts 0 (Žabokrtský et al. 2022, CRAC, table 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from cdec.errors import ScoringError, UsageError
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.pair import prepare_pair
from cdec.evaluation.response import FilePolicy, ResponseFile
from cdec.evaluation.results import Results

MACRO = "macro"
_ALIGNMENTS = ("head", "partial", "exact")
_VALUES = ["precision", "recall", "f1"]


@dataclass(frozen=True)
class Pair:
    """A key and a response of one data set.

    >>> pair = Pair.parse("cs_pdt=key.conllu:mine=out.conllu")
    >>> pair.dataset, str(pair.key), pair.response.name
    ('cs_pdt', 'key.conllu', 'mine')
    """

    dataset: str
    key: Path
    response: ResponseFile

    @classmethod
    def parse(cls, text: str) -> Pair:
        """Return the pair for ``DATASET=KEY:[SYSTEM=]RESPONSE``; raises UsageError."""
        dataset, equals, rest = text.partition("=")
        key, colon, response = rest.partition(":")
        if not (dataset and equals and key and colon and response) or "/" in dataset:
            message = f"'{text}' is not a pair of files"
            hint = "DATASET=KEY:[SYSTEM=]RESPONSE, as in cs_pdt=key.conllu:mine=out.conllu"
            raise UsageError("option-invalid", message, hint=hint)
        return cls(dataset, Path(key), ResponseFile.parse(response))


def score_pairs(
    pairs: Sequence[Pair], *, scope: str, metrics: Iterable[str] | None, policy: FilePolicy
) -> Results:
    """Score every pair; the data sets are the corpora of the results.

    Raises UsageError for two responses of a system to one data set.
    """
    seen = set()
    for pair in pairs:
        if (pair.dataset, pair.response.name) in seen:
            message = f"two responses of '{pair.response.name}' to '{pair.dataset}'"
            hint = "give one another name, as in DATASET=KEY:NAME=FILE"
            raise UsageError("name-duplicate", message, hint=hint)
        seen.add((pair.dataset, pair.response.name))
    names = None if metrics is None else list(metrics)
    experiments = [_experiment(pair, scope, names, policy) for pair in pairs]
    notices = [
        replace(notice, message=f"{pair.dataset}: {notice.message}")
        for pair, experiment in zip(pairs, experiments, strict=True)
        for notice in experiment.notices
    ]
    return Results.joined((each.results() for each in experiments), tuple(notices))


def variants_of(pairs: Sequence[Pair], scope: str, policy: FilePolicy) -> dict[str, Results]:
    """Score the pairs with each other alignment, and with the other choice of singletons.

    An alignment that needs heads is left out for keys without heads.
    """
    others = {f"{name} match": replace(policy, alignment=name) for name in _ALIGNMENTS}
    others.pop(f"{policy.alignment} match", None)
    other = "drop" if policy.singletons == "keep" else "keep"
    others[f"singletons {other}"] = replace(policy, singletons=other)
    made = {name: _variant(pairs, scope, changed) for name, changed in others.items()}
    return {name: scored for name, scored in made.items() if scored is not None}


def _variant(pairs: Sequence[Pair], scope: str, policy: FilePolicy) -> Results | None:
    """Score the pairs; None if the keys have no heads and the alignment needs them."""
    try:
        return score_pairs(pairs, scope=scope, metrics=["conll"], policy=policy)
    except ScoringError as error:
        if error.code == "heads-missing":
            return None
        raise


def _experiment(
    pair: Pair, scope: str, metrics: list[str] | None, policy: FilePolicy
) -> Experiment:
    response = f"{pair.response.name}={pair.response.path}"
    experiment = prepare_pair(
        pair.key, response, scope=scope, metrics=metrics, scorer="cdec", policy=policy
    )
    return replace(experiment, task=replace(experiment.task, corpus=pair.dataset))


def macro(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the data sets of each system and metric, best CoNLL first.

    Columns: system, metric, precision, recall, f1, datasets (for which there is a response).
    """
    total = frame["corpus"].nunique()
    groups = frame.groupby(["system", "metric"], sort=False)
    table = groups[_VALUES].sum(min_count=1) / total
    table = table.assign(datasets=groups["corpus"].nunique()).reset_index()
    return table.iloc[_ranked(table)].reset_index(drop=True)


def _ranked(table: pd.DataFrame) -> list[int]:
    """Return the rows by system, ordered by CoNLL F1, or by the first metric without it."""
    metrics = table["metric"].unique().tolist()
    main = "conll" if "conll" in metrics else metrics[0]
    best = table[table["metric"] == main].set_index("system")["f1"]
    order = best.sort_values(ascending=False, kind="stable").index.tolist()
    rank = table["system"].map({name: number for number, name in enumerate(order)})
    return [int(row) for row in rank.to_numpy().argsort(kind="stable")]
