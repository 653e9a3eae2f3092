"""Choose δ of a system by the score on a part other than test.

δ goes from 0 to 1 in steps of 0.05. A finer grid would fit noise: on the development split of ECB+
a step near the best δ changes the CoNLL F by 0.7 points, and leaving out one chain by up to 0.6.

A system must not be tuned on data that it is reported on.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pandas as pd

from cdec.baselines import names_of
from cdec.baselines import system as system_named
from cdec.corpus.blind import blind
from cdec.corpus.model import Corpus
from cdec.corpus.splits import overlap_with_test
from cdec.errors import UnknownNameError, UsageError, one_of, spelled
from cdec.evaluation.parts import check_corpus
from cdec.evaluation.systems import reveal
from cdec.evaluation.view import scores_page
from cdec.files.progress import notebook
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY, score
from cdec.metrics.scores import required
from cdec.render.analysis import Analysis
from cdec.render.charts import draw_legend, image
from cdec.render.page import percent
from cdec.settings import Setting, find_setting
from cdec.signature import Signature, in_json
from cdec.system import System, Tunable, Tuned, is_tunable

DELTAS = tuple(step / 20 for step in range(21))


@dataclass(frozen=True, eq=False)
class Tuning:
    """The scores of all δ, and the system with the best one.

    ``table`` is tidy, one row for each δ and metric: the fields of ``Tfidf``, ``delta``,
    ``metric``, ``precision``, ``recall``, ``f1`` in [0, 1] and ``chosen``. If ``metric`` is a mean,
    its parts have rows, too. ``title`` and ``summary`` say what was tuned, and the best δ.
    """

    system: Tunable
    tuned: Tuned
    metric: str
    table: pd.DataFrame = field(repr=False)
    signature: Signature
    title: str
    summary: str

    @property
    def comments(self) -> tuple[str, ...]:
        """The comment lines for the head of the configuration file of the best δ."""
        return (
            "Written by `cdec tune`; read by `cdec eval --config` and `cdec predict --config`.",
            self.summary,
            str(self.signature),
        )

    def figure(self, format: str) -> bytes:
        """Return precision, recall and F1 over δ as an image.

        Of a mean over metrics, precision and recall are means of its parts. ``format`` is png or
        svg: raises UnknownNameError for another. Equal input gives equal bytes.
        """
        one_of("image format", format, ("png", "svg"))
        is_metric = self.table["metric"] == self.metric
        parts = self.table
        title = self.title
        if not is_metric.all():
            parts = self.table[~is_metric]
            title += f"\nP and R: means over {', '.join(parts['metric'].unique())}"
        curve = parts.groupby("delta")[["precision", "recall"]].mean()
        curve["f1"] = self.table[is_metric].set_index("delta")["f1"]

        def draw(axes: Any) -> None:
            axes.set_prop_cycle(
                linestyle=["--", ":", "-"], color=["tab:blue", "tab:orange", "k"]
            )
            axes.plot(curve.index, 100 * curve)
            delta = self.system.delta
            axes.axvline(delta, color="grey", linewidth=0.8)
            axes.set(xlim=(0, 1), ylim=(0, 100))
            axes.grid(alpha=0.3)
            draw_legend(axes, axes.lines, ["P", "R", "F", f"δ = {delta:g}"])

        return image(
            draw,
            format,
            title=title,
            xlabel="δ",
            ylabel="score (%)",
        )


def tune(
    corpus: Corpus,
    system: str | System = "lemma-delta",
    *,
    setting: str = "simple",
    metric: str = "conll",
    i_know: bool = False,
) -> Analysis[Tuning]:
    """Choose δ of a system by its score on ``corpus``, as ``cdec tune`` does.

    The best δ has the highest F1 of ``metric``; in a tie the higher one, which gives fewer links,
    wins. ``value.system`` is the system with this δ. Raises UsageError for a system without δ, and
    for a corpus with test data unless ``i_know``; UnknownNameError for an unknown name, CorpusError
    for a corpus without event mentions.

    >>> from cdec import load_corpus
    >>> tune(load_corpus("sample", "dev"), "lemma-delta").value.metric
    'conll'
    """
    check_corpus(corpus)
    if isinstance(system, str):
        system = system_named(system)
    division = find_setting(setting)
    if not is_tunable(system):
        name = getattr(system, "name", type(system).__name__)
        raise UnknownNameError("tunable system", name, names_of(is_tunable))
    overlap = overlap_with_test(corpus, corpus.part)
    if overlap and not i_know:
        raise UsageError(
            "tuning-on-test",
            f"cannot tune on '{corpus.part}': {overlap}",
            hint=f"tune on train or dev; {spelled('i_know')} overrides this and marks every result",
        )
    metric = REGISTRY.require(metric)
    table = _scores_by_delta(corpus, system, division, metric)
    of_metric = table[table["metric"] == metric]
    ranking = of_metric.sort_values(["f1", "delta"], ascending=False)
    delta = float(ranking["delta"].iloc[0])
    f1 = percent(ranking["f1"].iloc[0])
    topics = dict.fromkeys(document.topic for document in corpus.documents.values())
    tuned = Tuned(corpus.name, corpus.part, tuple(topics), bool(overlap))
    best = replace(system, delta=delta, tuned=tuned)
    signature = Signature.from_fields(
        **corpus.about,
        setting=division.name,
        system=best.name,
        **best.parameters,
        metrics=metric,
        grid="delta",
        scorer="cdec",
    )
    tuning = Tuning(
        system=best,
        tuned=tuned,
        metric=metric,
        table=table.assign(chosen=table["delta"] == delta),
        signature=signature,
        title=f"{best.name} on {tuned.part}, {division.label}: {metric} over δ",
        summary=f"the best of {len(ranking)} points on {tuned.part}: δ = {delta}, {metric} F1 {f1} "
        f"under {division.name}",
    )
    marks = tuning.table["chosen"].map({True: " *", False: ""})
    deltas = table["delta"].map("{:.2f}".format) + marks
    page = scores_page(
        tuning.table.assign(delta=deltas),
        {"delta": "δ"},
        tuning.table,
        title=tuning.title,
        notes=(f"*: {tuning.summary}", str(signature)),
        about={**in_json(signature), "metric": metric},
    )
    return Analysis(tuning, page)


def _scores_by_delta(
    corpus: Corpus,
    system: Tunable,
    setting: Setting,
    metric: str,
) -> pd.DataFrame:
    """Return the scores of each δ by a metric, and by its parts, a row for each metric."""
    metrics = tuple(dict.fromkeys((*required([metric]), metric)))
    answers = system.curve(blind(corpus).corpus, DELTAS)
    points = zip(DELTAS, answers, strict=True)
    rows = []
    for delta, answer in notebook()(points, len(DELTAS), f"tuning {system.name}"):
        chains = reveal(system.name, answer, corpus)
        aligned = Alignment.of(corpus.selected, corpus.gold, chains)
        scores = score(setting.build(aligned.mentions), metrics)
        for name, value in scores.values.items():
            row = {"choice": 0, **asdict(system.tfidf), "delta": delta}
            rows.append({**row, "metric": name, **value._asdict()})
    return pd.DataFrame(rows)
