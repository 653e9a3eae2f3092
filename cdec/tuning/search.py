"""Grid search for the best point, by the score on a part other than test.

δ goes from 0 to 1 in steps of 0.05. A finer grid would fit noise: on the development split of ECB+
a step near the best δ changes the CoNLL F by 0.7 points, and leaving out one chain by up to 0.6.

A system must not be tuned on data that it is reported on (``refuse_test``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import product

import pandas as pd

from cdec.corpus.blind import blind
from cdec.corpus.model import Corpus
from cdec.corpus.splits import default_split, split_of
from cdec.errors import UsageError, one_of
from cdec.evaluation.run import check_events, reveal
from cdec.files.progress import Progress, silent
from cdec.language.similarity import Tfidf
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY, Scores, required, score
from cdec.settings import Setting
from cdec.signature import Signature
from cdec.system import Tunable, Tuned, is_tunable

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
    """The scores of all points, and the system with the best point.

    ``table`` is tidy, one row for each point and metric: ``choice`` (number of the tf-idf choice in
    the grid), the fields of ``Tfidf``, ``delta``, ``metric``, ``precision``, ``recall``, ``f1`` in
    [0, 1] and ``chosen``. ``metrics`` are ``metric`` and, if it is a mean, its parts.
    """

    system: Tunable
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
        """Return precision, recall and F1 by δ, with the best tf-idf choice.

        For a mean over metrics, precision and recall are the means of its parts.
        """
        best = self.table.loc[self.table["chosen"], "choice"].iloc[0]
        rows = self.table[self.table["choice"] == best]
        parts = rows[rows["metric"].isin(self.metrics[:-1] or self.metrics)]
        curve: pd.DataFrame = parts.groupby("delta")[["precision", "recall"]].mean()
        values = rows[rows["metric"] == self.metric].set_index("delta")["f1"]
        return curve.assign(f1=values)


def tune(
    corpus: Corpus,
    system: Tunable,
    setting: Setting,
    metric: str = "conll",
    *,
    grid: str = "delta",
    on_test: bool = False,
    progress: Progress = silent,
) -> Tuning:
    """Return the scores of ``system`` on ``corpus`` for every δ and tf-idf choice of the grid.

    The best point has the highest F1 of ``metric``. In a tie the higher δ, which gives fewer links,
    wins, then the earlier tf-idf choice; the choice of ``system`` is the first. Raises UsageError
    for a system without δ, UnknownNameError for an unknown metric or grid, CorpusError for a corpus
    without event mentions.
    """
    if not is_tunable(system):
        message = f"{type(system).__name__} has no δ to tune"
        hint = "see cdec.system.Tunable"
        raise UsageError("system-unsuitable", message, hint=hint)
    check_events(corpus)
    metric = REGISTRY.require(metric)
    metrics = tuple(dict.fromkeys((*required([metric]), metric)))
    choices = grid_of(grid, system.tfidf)
    points = progress(
        _points(corpus, system, choices, setting, metrics),
        len(choices) * len(DELTAS),
        f"tuning {system.name}",
    )
    table = pd.DataFrame([row for rows in points for row in rows])
    values = table[table["metric"] == metric].sort_values(
        ["f1", "delta", "choice"], ascending=[False, False, True], kind="stable"
    )
    choice, delta = int(values["choice"].iloc[0]), float(values["delta"].iloc[0])
    table["chosen"] = (table["choice"] == choice) & (table["delta"] == delta)
    tuned = Tuned(corpus.name, corpus.part, _topics(corpus), on_test)
    best = replace(system, delta=delta, tfidf=choices[choice], tuned=tuned)
    signature = _signature(corpus, best, setting, metric, grid)
    return Tuning(best, tuned, setting, metric, metrics, table, signature)


def _points(
    corpus: Corpus,
    system: Tunable,
    choices: tuple[Tfidf, ...],
    setting: Setting,
    metrics: tuple[str, ...],
) -> Iterator[list[Mapping[str, object]]]:
    hidden = blind(corpus).corpus
    for number, choice in enumerate(choices):
        answers = replace(system, tfidf=choice).curve(hidden, DELTAS)
        for delta, answer in zip(DELTAS, answers, strict=True):
            chains = reveal(system.name, answer, corpus)
            aligned = Alignment.of(corpus.selected, corpus.gold, chains)
            scores = score(setting.build(aligned.mentions), metrics)
            yield _rows({"choice": number, **asdict(choice), "delta": delta}, scores)


def _rows(point: Mapping[str, object], scores: Scores) -> list[Mapping[str, object]]:
    values = scores.values.items()
    return [{**point, "metric": metric, **value._asdict()} for metric, value in values]


def _topics(corpus: Corpus) -> tuple[str, ...]:
    return tuple(dict.fromkeys(document.topic for document in corpus.documents.values()))


def _signature(
    corpus: Corpus, system: Tunable, setting: Setting, metric: str, grid: str
) -> Signature:
    about = {"system": system.name, **system.parameters, "metrics": metric, "grid": grid}
    return Signature.from_fields(**corpus.about, setting=setting.name, **about, scorer="cdec")


def grid_of(name: str, first: Tfidf) -> tuple[Tfidf, ...]:
    """Return the tf-idf choices of a grid: ``first`` only for ``delta``, all for ``full``.

    Raises UnknownNameError for another name.
    """
    one_of("grid", name, GRIDS)
    if name == "delta":
        return (first,)
    combinations = product(*_CHOICES.values())
    every = (Tfidf(**dict(zip(_CHOICES, values, strict=True))) for values in combinations)  # type: ignore[arg-type]
    return tuple(dict.fromkeys([first, *every]))


def overlap_with_test(corpus: Corpus, split: str) -> str:
    """Return the reason why ``corpus``, the part ``split``, must not be used for tuning, or ''.

    The reason is a topic (or other unit) of the test part of its split. For a user-defined split
    the test part of the default split of the corpus counts as well.
    """
    explicit = split.rpartition("/")[0]
    chosen, default = split_of(corpus, explicit or None), default_split(corpus)
    named = {explicit or chosen.name: chosen}
    for name, known in (named if chosen.own else named | {default.name: default}).items():
        units = {known.unit_of(document) for document in corpus.documents.values()}
        shared = known.parts.get("test", frozenset()) & units
        if shared:
            many = f"{len(shared)} of its {known.unit}s are"
            return f"{many} in the test part of the split '{name}'"
    return ""


def refuse_test(corpus: Corpus, split: str, known: bool) -> bool:
    """Return whether ``corpus`` has test data; raises UsageError if so, unless ``known``."""
    reason = overlap_with_test(corpus, split)
    if reason and not known:
        raise UsageError(
            "tuning-on-test",
            f"cannot tune on '{corpus.part}': {reason}",
            hint="tune on train or dev; i_know overrides this and marks every result",
        )
    return bool(reason)
