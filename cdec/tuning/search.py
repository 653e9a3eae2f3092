"""The search for the best point of a grid, by the score on a part that is not test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import pandas as pd

from cdec.baselines import system_class
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.corpus.blind import blind
from cdec.corpus.model import Corpus
from cdec.errors import UnknownNameError
from cdec.evaluation.run import reveal
from cdec.io.progress import Progress, silent
from cdec.language.vectors import Tfidf
from cdec.metrics import REGISTRY
from cdec.metrics.scores import Scores, score
from cdec.settings import Setting, build
from cdec.signature import Signature
from cdec.system import Tuned
from cdec.tuning.grid import DELTAS, grid_of
from cdec.tuning.result import Tuning

TUNABLE = ("lemma-delta", "lemma-docs")


def tune(
    corpus: Corpus,
    system: str,
    setting: Setting,
    metric: str = "conll",
    *,
    grid: str = "delta",
    on_test: bool = False,
    progress: Progress = silent,
    **parameters: Any,
) -> Tuning:
    """Score ``system`` on ``corpus`` with every δ and tf-idf choice of the grid.

    The best point has the highest F1 of ``metric``; of equal ones the higher δ, which makes fewer
    links, and then the earlier choice, the default one first. ``parameters`` are the system's
    own. Raises UnknownNameError for a system without δ, a metric or a grid.
    """
    if system not in TUNABLE:
        raise UnknownNameError("system to tune", system, TUNABLE)
    made: LemmaDelta = system_class(system)(**parameters)
    metrics = tuple(dict.fromkeys((*REGISTRY[metric].needs, metric)))
    choices = grid_of(grid, made.tfidf)
    points = progress(
        _points(corpus, made, choices, setting, metrics),
        len(choices) * len(DELTAS),
        f"tuning {system}",
    )
    table = pd.DataFrame([row for scored in points for row in scored])
    values = table[table["metric"] == metric].sort_values(
        ["f1", "delta", "choice"], ascending=[False, False, True], kind="stable"
    )
    choice, delta = int(values["choice"].iloc[0]), float(values["delta"].iloc[0])
    table["chosen"] = (table["choice"] == choice) & (table["delta"] == delta)
    tuned = Tuned(corpus.name, corpus.part, _topics(corpus), on_test)
    best = replace(made, delta=delta, tfidf=choices[choice], tuned=tuned)
    signature = _signature(corpus, best, setting, metric, grid)
    return Tuning(best, tuned, setting, metric, metrics, table, signature)


def _points(
    corpus: Corpus,
    system: LemmaDelta,
    choices: tuple[Tfidf, ...],
    setting: Setting,
    metrics: tuple[str, ...],
) -> Iterator[list[Mapping[str, object]]]:
    hidden = blind(corpus).corpus
    for number, choice in enumerate(choices):
        answers = replace(system, tfidf=choice).curve(hidden, DELTAS)
        for delta, answer in zip(DELTAS, answers, strict=True):
            chains = reveal(system.name, answer, corpus)
            scores = score(build(setting, corpus.events, corpus.gold, chains), metrics)
            yield _rows({"choice": number, **asdict(choice), "delta": delta}, scores)


def _rows(point: Mapping[str, object], scores: Scores) -> list[Mapping[str, object]]:
    named = scores.values.items()
    return [{**point, "metric": metric, **value._asdict()} for metric, value in named]


def _topics(corpus: Corpus) -> tuple[str, ...]:
    return tuple(dict.fromkeys(document.topic for document in corpus.documents.values()))


def _signature(
    corpus: Corpus, system: LemmaDelta, setting: Setting, metric: str, grid: str
) -> Signature:
    shown = {"system": system.name, **system.parameters, "metrics": metric, "grid": grid}
    return Signature.from_fields(**corpus.about, setting=setting.name, **shown, scorer="cdec")
