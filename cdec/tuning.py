"""Tuning of the systems with a threshold δ: every point of a grid, scored; the best one, kept.

δ goes from 0 to 1 by steps of 0.05. A finer grid would choose by noise: on the development split
of ECB+ a step near the best moves the CoNLL F by 0.7 points, and one chain left out by up to 0.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

import pandas as pd

from cdec.baselines import blind, system_class
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.baselines.system import reveal
from cdec.baselines.tuned import Tuned
from cdec.corpus.model import Corpus
from cdec.corpus.parts import default_split
from cdec.corpus.splits import load_split, split_names
from cdec.errors import UnknownNameError, UsageError
from cdec.language.progress import Progress, silent
from cdec.language.similarity import Tfidf
from cdec.metrics import DERIVED
from cdec.scoring import Scores, score
from cdec.settings import Setting, build
from cdec.signature import Signature

TUNABLE = ("lemma-delta", "lemma-docs")
DELTAS = tuple(step / 20 for step in range(21))
GRIDS = ("delta", "full")
_CHOICES: dict[str, tuple[object, ...]] = {
    "lowercase": (True, False),
    "stop_words": (True, False),
    "words_only": (True, False),
    "sublinear_tf": (False, True),
    "min_df": (1, 2, 3),
}


@dataclass(frozen=True, eq=False)
class Tuning:
    """Every point that was scored, and the system that the best one makes.

    ``table`` is tidy, one row a point and metric: ``choice`` (the number of the tf-idf choice in
    the grid), the fields of ``Tfidf``, ``delta``, ``metric``, ``precision``, ``recall``, ``f1`` in
    [0, 1] and ``chosen``. ``metrics`` are ``metric`` and those it is the mean of.
    """

    system: LemmaDelta
    tuned: Tuned
    setting: Setting
    metric: str
    metrics: tuple[str, ...]
    table: pd.DataFrame = field(repr=False)
    signature: Signature

    @property
    def value(self) -> float:
        """F1 of ``metric`` at the chosen point, in [0, 1]."""
        chosen = self.table[self.table["chosen"] & (self.table["metric"] == self.metric)]
        return float(chosen["f1"].iloc[0])

    def curve(self) -> pd.DataFrame:
        """Return precision, recall and F1 over δ with the tf-idf choice that was chosen.

        A mean of F1 over metrics has no precision and recall of its own: those of its parts are
        averaged in its place.
        """
        best = self.table.loc[self.table["chosen"], "choice"].iloc[0]
        rows = self.table[self.table["choice"] == best]
        parts = rows[rows["metric"].isin(self.metrics[:-1] or self.metrics)]
        curve: pd.DataFrame = parts.groupby("delta")[["precision", "recall"]].mean()
        values = rows[rows["metric"] == self.metric].set_index("delta")["f1"]
        return curve.assign(f1=values)


def grid_of(name: str, first: Tfidf) -> tuple[Tfidf, ...]:
    """Return the tf-idf choices of a grid: ``delta`` keeps ``first``, ``full`` tries all.

    Raises UnknownNameError for another name.
    """
    if name not in GRIDS:
        raise UnknownNameError("grid", name, GRIDS)
    if name == "delta":
        return (first,)
    combinations = product(*_CHOICES.values())
    every = (Tfidf(**dict(zip(_CHOICES, values, strict=True))) for values in combinations)  # type: ignore[arg-type]
    return tuple(dict.fromkeys([first, *every]))


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
    metrics = (*(DERIVED[metric].needs if metric in DERIVED else ()), metric)
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


def overlap_with_test(corpus: Corpus, split: str) -> str:
    """Return why ``corpus``, read as the part ``split``, must not be tuned on; '' if it may.

    It must not if it holds a topic of the test part of its split, by whatever name it goes. For a
    split of the user's own the test part of the corpus's own split counts too.
    """
    named = split.rpartition("/")[0]
    own = default_split(corpus)
    looked_up = dict.fromkeys([named or own] if named in split_names() else [named or own, own])
    for name in looked_up:
        shared = load_split(name).topics.get("test", frozenset()) & set(_topics(corpus))
        if shared:
            return f"{len(shared)} of its topics are in the test part of the split '{name}'"
    return ""


def refuse_test(corpus: Corpus, split: str, known: bool) -> bool:
    """Return whether ``corpus`` holds test data; raise UsageError for it unless ``known``."""
    reason = overlap_with_test(corpus, split)
    if reason and not known:
        raise UsageError(
            f"tuning on '{corpus.part}': {reason}",
            cure="tune on train or dev; with --i-know every result will say tuned-on-test",
        )
    return bool(reason)


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
    about = {"corpus": corpus.name, "digest": corpus.digest, "split": corpus.part}
    shown = {"system": system.name, **system.parameters, "metrics": metric, "grid": grid}
    return Signature.of(**about, setting=setting.name, **shown, scorer="cdec")
