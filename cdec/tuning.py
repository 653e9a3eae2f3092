"""Choose δ of a system, and its tf-idf, by the score on a part other than test.

δ goes from 0 to 1 in steps of 0.05. A finer grid would fit noise: on the development split of ECB+
a step near the best δ changes the CoNLL F by 0.7 points, and leaving out one chain by up to 0.6.

A system must not be tuned on data that it is reported on (``refuse_test``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

import pandas as pd

from cdec.corpus.blind import blind
from cdec.corpus.model import Corpus
from cdec.corpus.splits import overlap_with_test
from cdec.errors import UsageError, one_of
from cdec.evaluation.systems import check_events, reveal
from cdec.evaluation.view import scores_page
from cdec.files.progress import Progress, silent
from cdec.language.similarity import Tfidf
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY, required, score
from cdec.render.charts import image
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.settings import Setting
from cdec.signature import Signature, in_json
from cdec.system import Tunable, Tuned, is_tunable

DELTAS = tuple(step / 20 for step in range(21))
GRIDS = ("delta", "full")
_CHOICES: dict[str, tuple[Any, ...]] = {
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
    [0, 1] and ``chosen``. If ``metric`` is a mean, its parts have rows, too.
    """

    system: Tunable
    tuned: Tuned
    setting: Setting
    metric: str
    table: pd.DataFrame = field(repr=False)
    signature: Signature

    @property
    def title(self) -> str:
        """What was tuned on what."""
        on = f"{self.system.name} on {self.tuned.part}, {self.setting.label}"
        return f"{on}: {self.metric} over δ"

    @property
    def summary(self) -> str:
        """The best point in a sentence."""
        rows = self.table[self.table["metric"] == self.metric]
        best = f"the best of {len(rows)} points on {self.tuned.part}: δ = {self.system.delta}"
        f1 = percent(rows.loc[rows["chosen"], "f1"].iloc[0])
        return f"{best}, {self.metric} F1 {f1} under {self.setting.name}"

    @property
    def comments(self) -> tuple[str, ...]:
        """The comment lines for the head of the configuration file of the best point."""
        usage = "Written by `cdec tune`; read by `cdec eval --config` and `cdec predict --config`."
        return usage, self.summary, str(self.signature)

    def figure(self, format: str) -> bytes:
        """Return precision, recall and F1 over δ, with the best tf-idf choice, as an image.

        Of a mean over metrics, precision and recall are means of its parts. ``format`` is png or
        svg: raises UnknownNameError for another. Equal input gives equal bytes.
        """
        one_of("image format", format, ("png", "svg"))
        best = self.table.loc[self.table["chosen"], "choice"].iloc[0]
        rows = self.table[self.table["choice"] == best]
        is_metric = rows["metric"] == self.metric
        parts = rows if is_metric.all() else rows[~is_metric]
        curve = parts.groupby("delta")[["precision", "recall"]].mean()
        curve["f1"] = rows[is_metric].set_index("delta")["f1"]
        title, names = self.title, ", ".join(parts["metric"].unique())
        if names != self.metric:
            title += f"\nP and R: means over {names}"

        def draw(axes: Any) -> None:
            axes.set_prop_cycle(linestyle=["--", ":", "-"], color=["tab:blue", "tab:orange", "k"])
            axes.plot(curve.index, 100 * curve, label=["P", "R", "F"])
            delta = self.system.delta
            axes.axvline(delta, color="grey", linewidth=0.8, label=f"δ = {delta:g}")
            axes.set(xlim=(0, 1), ylim=(0, 100))
            axes.grid(alpha=0.3)
            axes.legend()

        return image(draw, format, title=title, xlabel="δ", ylabel="score (%)")


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

    ``grid``: the choice of ``system`` only for "delta", all for "full". The best point has the
    highest F1 of ``metric``. In a tie the higher δ, which gives fewer links, wins, then the earlier
    tf-idf choice; the choice of ``system`` is the first. Raises UsageError for a system without δ,
    UnknownNameError for an unknown metric or grid, CorpusError for a corpus without event mentions.
    """
    if not is_tunable(system):
        message, hint = f"{type(system).__name__} has no δ to tune", "see cdec.system.Tunable"
        raise UsageError("system-invalid", message, hint=hint)
    check_events(corpus)
    metric = REGISTRY.require(metric)
    metrics = tuple(dict.fromkeys((*required([metric]), metric)))
    choices = [system.tfidf]
    if one_of("grid", grid, GRIDS) == "full":
        every = product(*_CHOICES.values())
        choices += [Tfidf(**dict(zip(_CHOICES, values, strict=True))) for values in every]
        choices = list(dict.fromkeys(choices))
    hidden = blind(corpus).corpus

    def points() -> Iterator[list[dict[str, Any]]]:
        for number, choice in enumerate(choices):
            answers = replace(system, tfidf=choice).curve(hidden, DELTAS)
            for delta, answer in zip(DELTAS, answers, strict=True):
                chains = reveal(system.name, answer, corpus)
                aligned = Alignment.of(corpus.selected, corpus.gold, chains)
                scores = score(setting.build(aligned.mentions), metrics)
                point = {"choice": number, **asdict(choice), "delta": delta}
                values = scores.values.items()
                yield [{**point, "metric": name, **value._asdict()} for name, value in values]

    bar = progress(points(), len(choices) * len(DELTAS), f"tuning {system.name}")
    table = pd.DataFrame([row for rows in bar for row in rows])
    best = _ranked(table, metric).iloc[0]
    number, delta = int(best["choice"]), float(best["delta"])
    table["chosen"] = (table["choice"] == number) & (table["delta"] == delta)
    topics = tuple(dict.fromkeys(document.topic for document in corpus.documents.values()))
    tuned = Tuned(corpus.name, corpus.part, topics, on_test)
    chosen = replace(system, delta=delta, tfidf=choices[number], tuned=tuned)
    about = {"system": chosen.name, **chosen.parameters, "metrics": metric, "grid": grid}
    signature = Signature.from_fields(**corpus.about, setting=setting.name, **about, scorer="cdec")
    return Tuning(chosen, tuned, setting, metric, table, signature)


def _ranked(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the points, the best first; in a tie the higher δ, then the earlier tf-idf choice."""
    points, order = table[table["metric"] == metric], ["f1", "delta"]
    return points.sort_values(order, ascending=False, kind="stable")


def refuse_test(corpus: Corpus, split: str, known: bool) -> bool:
    """Return whether ``corpus`` has test data; raises UsageError if so, unless ``known``."""
    reason = overlap_with_test(corpus, split)
    if reason and not known:
        message = f"cannot tune on '{corpus.part}': {reason}"
        hint = "tune on train or dev; i_know overrides this and marks every result"
        raise UsageError("tuning-on-test", message, hint=hint)
    return bool(reason)


def tuning_page(tuning: Tuning) -> Page:
    """Return the scores over δ; if tf-idf was tuned as well, the best δ of each choice."""
    table, fields = tuning.table, list(_CHOICES)
    shown, heads = table, {"delta": "δ"}
    if table["choice"].max() > 0:
        best = _ranked(table, tuning.metric).drop_duplicates("choice")
        shown = best[["choice", "delta"]].merge(table)
        heads = {**{name: name for name in fields}, **heads}
    marks = shown["chosen"].map({True: " *", False: ""})
    text = shown.assign(delta=shown["delta"].map("{:.2f}".format) + marks)
    return scores_page(
        text.astype(dict.fromkeys(fields, "str")),
        heads,
        table,
        title=tuning.title,
        notes=(f"*: {tuning.summary}", str(tuning.signature)),
        about={**in_json(tuning.signature), "metric": tuning.metric},
    )
