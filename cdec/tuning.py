"""Choose δ of a system by the score on a part other than test.

δ goes from 0 to 1 in steps of 0.05. A finer grid would fit noise: on the development split of ECB+
a step near the best δ changes the CoNLL F by 0.7 points, and leaving out one chain by up to 0.6.

A system must not be tuned on data that it is reported on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pandas as pd

from cdec.baselines import names_of
from cdec.baselines import system as made
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
from cdec.render.charts import image
from cdec.render.page import percent
from cdec.settings import find_setting
from cdec.signature import Signature, in_json
from cdec.system import Tunable, Tuned, is_tunable

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
        usage = "Written by `cdec tune`; read by `cdec eval --config` and `cdec predict --config`."
        return usage, self.summary, str(self.signature)

    def figure(self, format: str) -> bytes:
        """Return precision, recall and F1 over δ as an image.

        Of a mean over metrics, precision and recall are means of its parts. ``format`` is png or
        svg: raises UnknownNameError for another. Equal input gives equal bytes.
        """
        one_of("image format", format, ("png", "svg"))
        of_metric = self.table["metric"] == self.metric
        parts = self.table if of_metric.all() else self.table[~of_metric]
        curve = parts.groupby("delta")[["precision", "recall"]].mean()
        curve["f1"] = self.table[of_metric].set_index("delta")["f1"]
        names = ", ".join(parts["metric"].unique())
        title = self.title + (f"\nP and R: means over {names}" if names != self.metric else "")

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
    system: str | Any = "lemma-delta",
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
    system, chosen = made(system) if isinstance(system, str) else system, find_setting(setting)
    if not is_tunable(system):
        name = getattr(system, "name", type(system).__name__)
        raise UnknownNameError("tunable system", name, names_of(is_tunable))
    reason = overlap_with_test(corpus, corpus.part)
    if reason and not i_know:
        message = f"cannot tune on '{corpus.part}': {reason}"
        hint = f"tune on train or dev; {spelled('i_know')} overrides this and marks every result"
        raise UsageError("tuning-on-test", message, hint=hint)
    metric = REGISTRY.require(metric)
    metrics = tuple(dict.fromkeys((*required([metric]), metric)))
    hidden = blind(corpus).corpus

    def points() -> Iterator[list[dict[str, Any]]]:
        for delta, answer in zip(DELTAS, system.curve(hidden, DELTAS), strict=True):
            chains = reveal(system.name, answer, corpus)
            aligned = Alignment.of(corpus.selected, corpus.gold, chains)
            values = score(chosen.build(aligned.mentions), metrics).values.items()
            point = {"choice": 0, **asdict(system.tfidf), "delta": delta}
            yield [{**point, "metric": name, **value._asdict()} for name, value in values]

    bar = notebook()(points(), len(DELTAS), f"tuning {system.name}")
    table = pd.DataFrame([row for rows in bar for row in rows])
    ranked = table[table["metric"] == metric].sort_values(["f1", "delta"], ascending=False)
    delta, f1 = float(ranked["delta"].iloc[0]), percent(ranked["f1"].iloc[0])
    topics = tuple(dict.fromkeys(document.topic for document in corpus.documents.values()))
    tuned = Tuned(corpus.name, corpus.part, topics, bool(reason))
    best = replace(system, delta=delta, tuned=tuned)
    about = {"system": best.name, **best.parameters, "metrics": metric, "grid": "delta"}
    found = Tuning(
        best,
        tuned,
        metric,
        table.assign(chosen=table["delta"] == delta),
        Signature.from_fields(**corpus.about, setting=chosen.name, **about, scorer="cdec"),
        title=f"{best.name} on {tuned.part}, {chosen.label}: {metric} over δ",
        summary=f"the best of {len(ranked)} points on {tuned.part}: δ = {delta}, {metric} F1 {f1} "
        f"under {chosen.name}",
    )
    marks = found.table["chosen"].map({True: " *", False: ""})
    page = scores_page(
        found.table.assign(delta=found.table["delta"].map("{:.2f}".format) + marks),
        {"delta": "δ"},
        found.table,
        title=found.title,
        notes=(f"*: {found.summary}", str(found.signature)),
        about={**in_json(found.signature), "metric": metric},
    )
    return Analysis(found, page)
