"""The page of `cdec pairs` and `cdec.score_pairs`: list, scores, chains over the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, warn_of
from cdec.evaluation.parts import check_corpus, covered_part
from cdec.evaluation.response import read_response
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY
from cdec.pair_scores.link import (
    CLUSTERINGS,
    Linking,
    cut,
    linking,
    linking_notices,
)
from cdec.pair_scores.quality import BINS, precision_recall, quality, reliability
from cdec.pair_scores.tune import AIM, curve, tuned_linking
from cdec.pairs.listed import MentionPairs, PairList, PairTable, pair_table
from cdec.pairs.sentences import marked_sentence
from cdec.pairs.within import F1, ORACLE, YES, coverage, decisions, f1_table
from cdec.records import Row
from cdec.render.analysis import Analysis
from cdec.render.charts import COLOURS, INK, RULE, draw_chart, draw_legend
from cdec.render.page import (
    Block,
    Chart,
    Listing,
    Page,
    Section,
    Table,
    anchor,
    percent,
)
from cdec.settings import Setting, Settings, as_settings, signed
from cdec.signature import Signature, in_json
from cdec.statistics.draws import Plan, units_of
from cdec.statistics.intervals import signature_fields

_LIST = Table(
    "Coverage of the key",
    {
        "setting": "Setting",
        "gold": "Gold links",
        "listed": "In the list",
        "share": ("Link recall", percent),
        "chains": "Chains of two or more",
        "whole": "Joined by listed links",
        "chain_share": ("Chain recall", percent),
        "complete_share": ("Complete chains", percent),
    },
    "{pairs:,} distinct pairs of {mentions:,} mentions, {each:.1f} per mention; {alone:,} mentions "
    "in no pair; {unscored:,} pairs without a score, which are never linked.\n"
    "Link recall: the share of the links of the key that the list has, inside the meta-documents "
    "of the setting. Chain recall: the share of chains that listed gold links join completely. "
    "Complete chains: with every link in the list.",
)
_QUALITY = Table(
    "Quality of the scores",
    {"measure": "Measure", "value": ("Value", percent)},
    "In percent, of the scored pairs, as scikit-learn computes them; a gold link is positive. "
    "precision, recall, f1: of the pairs with a score of at least {threshold:g}, not closed to "
    f"chains. Calibration error: over {BINS} intervals of the score, of log-odds their sigmoid.",
)
_ENDS = {"low": ("Low", percent), "high": ("High", percent)}
_RELIABILITY = Table(
    "Reliability",
    {
        "bin": ("Score %", lambda n: f"{100 * n // BINS}–{100 * (n + 1) // BINS}"),
        "pairs": "Pairs",
        "score": ("Mean score %", percent),
        "gold": ("Gold links %", percent),
    },
    "A calibrated score equals the share of gold links.",
)
_CHAINS = Table(
    "F1 of chains",
    F1,
    "closure: pairs with a score of at least the threshold, closed to chains; average, complete: "
    "chains whose pairs have a mean, or lowest, probability of at least the threshold. A threshold "
    "that is chosen on this part is no result of a system; `cdec pairs TEST.csv --tune DEV.csv` "
    "chooses on one part and scores another. The gold links of the list, and no other pair, are no "
    "upper bound: a wrong link can join mentions whose links are missing."
    "{note}",
)
_WORST = 5  # pairs of a kind


def score_pairs(
    corpus: Corpus,
    pairs: PairList,
    *,
    setting: Settings = "pure",
    threshold: float | None = None,
    cluster: str | None = None,
    tune: tuple[Corpus, PairList] | None = None,
    plan: Plan | None = None,
    unknown: str = "error",
    lenient: bool = False,
) -> Analysis[MentionPairs]:
    """Show what mention pairs cover, and how well their scores link, as ``cdec pairs`` does.

    * ``pairs``: a file, a table with ``a``, ``b`` and, optionally, ``score``, or a dict
      (mention, mention) → score.
    * ``threshold``: default 0.5, or 0 for log-odds; ``cluster``: closure (the default), average or
      complete; ``tune``: another part and its pairs, on which both are chosen. Of a whole corpus it
      is the part that the pairs cover.
    * ``plan`` adds intervals. The score of a pair in both directions is the mean of both.
    * ``unknown``: with ``drop``, pairs of mentions that the corpus does not have are left out.
    * ``lenient``: answers in prose, and what is complete of a truncated file, are read.

    Warns with CdecWarning of pairs without a score. Raises FormatError, ScoringError for a mention
    outside the corpus, and UsageError for tuning on test and ``threshold`` beside ``tune``.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> a, b, c = corpus.selected.index[:3]
    >>> table = score_pairs(corpus, {(a, b): 0.9, (a, c): 0.2}).to_frame()
    >>> table.loc[table["measure"] == "precision", "value"].tolist()
    [1.0]
    """
    check_corpus(corpus)
    if tune is not None and threshold is not None:
        raise UsageError(
            "option-conflict",
            "threshold and tune exclude each other",
            hint="drop one of them",
        )
    pairs_on_part = _on(corpus, pair_table(pairs, lenient=lenient), unknown)
    settings = as_settings(setting, pairs_on_part.corpus)
    for name, value in {
        "threshold": threshold,
        "cluster": cluster,
        "plan": plan,
    }.items():
        if value is not None and not pairs_on_part.has_scores:
            raise UsageError(
                "option-conflict",
                f"{name} has no effect without scores",
                hint="add the column score",
            )
    link = linking(pairs_on_part, threshold, cluster)
    if tune is not None:
        dev_corpus, dev_pairs = tune
        dev = _on(dev_corpus, pair_table(dev_pairs, lenient=lenient), unknown)
        link = tuned_linking(dev, pairs_on_part, settings[0], cluster)
    warn_of(linking_notices(pairs_on_part, link))
    page = _page(pairs_on_part, settings, link, plan)
    return Analysis(pairs_on_part, page, pairs_on_part.notices)


def _on(corpus: Corpus, table: PairTable, unknown: str) -> MentionPairs:
    """Return the pairs on a part, of a whole corpus the part that they cover, with warnings."""
    if corpus.undecided:
        corpus = covered_part(corpus, [read_response(table.mentions)])
    pairs = MentionPairs.of(table, corpus, unknown)
    warn_of((*corpus.notices, *pairs.notices))
    return pairs


def _page(
    pairs: MentionPairs,
    settings: Sequence[Setting],
    link: Linking,
    plan: Plan | None,
) -> Page:
    """Return the page; without scores, the one on a list of candidates."""
    corpus = pairs.corpus
    about: Row = {**corpus.about, "setting": tuple(map(signed, settings))}
    about |= pairs.about
    sections = [_list_section(pairs, settings)]
    answers = []
    if len(pairs.scored()):
        sections.append(_quality_section(pairs, link, plan))
        about |= link.about
        if plan:
            about |= signature_fields(
                plan, units_of(plan.unit, [corpus.selected]).nunique()
            )
    for setting in settings:
        answer, section = _chains(pairs, setting, link)
        sections.append(section)
        answers.append(answer)
    sections += _worst_section(pairs.scored())
    answers += _confidence(pairs.scored())
    signature = Signature.from_fields(**about)
    return Page(
        "Mention pairs",
        tuple(sections),
        tuple(answers),
        (str(signature),),
        in_json(signature),
    )


def _list_section(pairs: MentionPairs, settings: Sequence[Setting]) -> Section:
    mentions = len(pairs.corpus.selected)
    numbers = {
        "pairs": len(pairs),
        "mentions": mentions,
        "each": 2 * len(pairs) / max(mentions, 1),
        "alone": mentions - len(np.union1d(pairs.first, pairs.second)),
        "unscored": len(pairs) - len(pairs.scored()),
    }
    table = pd.DataFrame([coverage(pairs, setting) for setting in settings]).assign(
        **numbers
    )
    return Section("list", "The list", (_LIST.grid(table, **numbers),), table)


def _quality_section(pairs: MentionPairs, link: Linking, plan: Plan | None) -> Section:
    measures = quality(pairs, link.threshold, plan)
    bins = reliability(pairs)
    blocks: list[Block] = [_RELIABILITY.grid(bins), _reliability_chart(bins)]
    if len(measures):
        table = _QUALITY
        if plan:
            table = replace(table, columns={**table.columns, **_ENDS})
        grid = table.grid(measures, threshold=link.threshold)
        blocks = [grid, _precision_chart(pairs, measures), *blocks]
    data = pd.concat([measures, bins.assign(measure="reliability")], ignore_index=True)
    return Section("quality", "The scores", tuple(blocks), data)


def _confidence(scored_pairs: MentionPairs) -> list[str]:
    """Return the answer whether scores are too high or too low; answers yes and no are neither."""
    scores = scored_pairs.scores
    if np.isin(scores, (0, 1)).all():
        return []
    mean_score = percent(scored_pairs.probabilities(scores).mean())
    gold = percent(scored_pairs.gold.mean())
    kind = "calibrated on average"
    if float(mean_score) > float(gold):
        kind = "over-confident"
    elif float(mean_score) < float(gold):
        kind = "under-confident"
    return [
        f"Mean score {mean_score} %, gold links {gold} % of the scored pairs: {kind}."
    ]


def _chains(
    pairs: MentionPairs,
    setting: Setting,
    link: Linking,
) -> tuple[str, Section]:
    """Return the answer of a setting, and its section."""
    versions: dict[str, Clustering] = {}
    scores = pd.DataFrame()
    charts = []
    if len(pairs.scored()):
        cuts = {clustering: cut(pairs, clustering) for clustering in CLUSTERINGS}
        versions[_name_of(link)] = cuts[link.clustering].chains(link.threshold)
        curves = [
            curve(pairs, setting, chains).assign(clustering=clustering)
            for clustering, chains in cuts.items()
        ]
        scores = pd.concat(curves, ignore_index=True)
        aim = scores[scores["metric"] == AIM]
        falling = aim.sort_values("f1", ascending=False, kind="stable")
        best = falling.drop_duplicates("clustering").set_index("clustering")[
            "threshold"
        ]
        for clustering, threshold in best.to_dict().items():
            name = "no link at all"
            if np.isfinite(threshold):
                name = f"{clustering} at {threshold:.4g}, chosen on this part"
            versions[name] = cuts[str(clustering)].chains(threshold)
        # Nothing is linked at the infinite threshold, which JSON cannot have: it is missing there.
        is_finite = np.isfinite(scores["threshold"])
        of_link = scores[is_finite & (scores["clustering"] == link.clustering)]
        if len(of_link):
            charts.append(_threshold_chart(of_link, link.threshold, setting.label))
        scores["response"] = "threshold"
        scores["threshold"] = scores["threshold"].where(is_finite)
    shown = [*versions][:2]  # the rest is in the table
    versions |= decisions(pairs)
    mentions = pairs.corpus.selected
    key = pairs.corpus.gold
    runs = {
        name: Alignment.of(mentions, key, version) for name, version in versions.items()
    }
    table = f1_table(runs, setting)
    f1 = table.set_index("response")[AIM].map(percent)
    answers = "; ".join(f"{f1[name]} by {name}" for name in (*shown, YES))
    answer = f"{REGISTRY[AIM].label} F1 under {setting.label}: {answers}. "
    answer += f"Score of the {ORACLE}: {f1[ORACLE]}."
    section = Section(
        anchor("chains", setting.name),
        f"Chains ({setting.label})",
        (
            _CHAINS.grid(table, note=f" {link.note}".rstrip()),
            *charts,
        ),
        pd.concat([table, scores], ignore_index=True).assign(setting=setting.name),
    )
    return answer, section


def _worst_section(scored_pairs: MentionPairs) -> list[Section]:
    """Return the section of the wrongly scored pairs with the highest confidence, if any.

    Each has both sentences, with the mention in brackets, if the corpus has texts.
    """
    corpus = scored_pairs.corpus
    p = scored_pairs.probabilities(scored_pairs.scores)
    table = scored_pairs.inside.assign(gold=scored_pairs.gold)
    table["error"] = np.abs(p - scored_pairs.gold)
    wrong = table[table["error"] > 0.5]
    worst = wrong.sort_values("error", ascending=False, kind="stable")
    worst = worst.groupby("gold").head(_WORST)
    blocks = []
    for first, second, score, gold, _ in worst.itertuples(index=False):
        lines = []
        for id_, mention in corpus.selected.iloc[[first, second]].iterrows():
            sentence = str(mention["text"])
            if corpus.text != "none":
                marks = dict.fromkeys(mention["tokens"], "")
                sentence = marked_sentence(
                    corpus, mention["doc"], mention["sentence"], marks
                )
            lines.append(f"{id_}: {sentence}")
        kind = "gold link" if gold else "no gold link"
        blocks.append(Listing(f"{score:.4g}, but {kind}", tuple(lines)))
    if not blocks:
        return []
    ids = corpus.selected.index
    data = worst.assign(
        first=ids[worst["first"]], second=ids[worst["second"]], measure="worst"
    )
    title = "Wrongly scored pairs with the highest confidence"
    return [Section("worst", title, tuple(blocks), data)]


def _name_of(link: Linking) -> str:
    """Return the name of the chains that the pairs link, for a table."""
    name = f"{link.clustering} at {link.threshold:.4g}"
    if link.part:
        name += f", chosen on {link.part}"
    return name


def _threshold_chart(scores: pd.DataFrame, threshold: float, label: str) -> Chart:
    """Return the chart of the F1 of each metric over the threshold, with a line at the chosen."""

    def draw(axes: Any) -> None:
        lines = []
        metrics = scores.groupby("metric", sort=False)
        for n, (metric, rows) in enumerate(metrics):
            line = rows.sort_values("threshold")
            # Linked at a score ≥ threshold: the value holds up to the next score.
            lines += axes.step(
                line["threshold"],
                100 * line["f1"],
                where="pre",
                color=INK if metric == AIM else COLOURS[n],
                linewidth=1.8 if metric == AIM else None,
                linestyle=("--", "-.", ":", (0, (5, 1)), "-")[n % 5],
            )
        lines.append(axes.axvline(threshold, color=INK, alpha=0.4, linewidth=0.8))
        _frame(axes, "Threshold", "F1")
        names = [REGISTRY[str(metric)].label for metric in metrics.groups]
        draw_legend(axes, lines, [*names, f"threshold {threshold:.4g}"])

    aim = scores[scores["metric"] == AIM]
    best = aim.nlargest(1, "f1").iloc[0]
    title = f"F1 over the threshold ({label})"
    description = (
        f"The highest {REGISTRY[AIM].label} F1, {percent(best['f1'])}, is at "
        f"{best['threshold']:.3g}"
    )
    return Chart(
        partial(draw_chart, draw, title, description),
        f"{title}, at {len(aim):,} thresholds.",
        "thresholds",
    )


def _precision_chart(pairs: MentionPairs, measures: pd.DataFrame) -> Chart:
    """Return the chart of precision and recall, with a point at the threshold."""
    values = measures.set_index("measure")["value"]
    precision, recall = precision_recall(pairs)

    def draw(axes: Any) -> None:
        axes.step(100 * recall, 100 * precision, where="post", color=COLOURS[0])
        axes.plot(
            100 * values["recall"], 100 * values["precision"], "o", color=COLOURS[1]
        )
        _frame(axes, "Recall (%)", "Precision")

    title = "Precision and recall of the scored pairs"
    average = f"Average precision {percent(values['average precision'])} %"
    return Chart(
        partial(draw_chart, draw, title, average),
        f"{title}. {average}; the point is at the threshold.",
        "precision-recall",
    )


def _reliability_chart(bins: pd.DataFrame) -> Chart:
    """Return the chart of the share of gold links over the score."""

    def draw(axes: Any) -> None:
        axes.plot([0, 100], [0, 100], "--", color=INK, alpha=0.4, linewidth=0.8)
        axes.plot(100 * bins["score"], 100 * bins["gold"], "o-", color=COLOURS[0])
        _frame(axes, "Mean score (%)", "Gold links")

    title = "Gold links by score"
    return Chart(
        partial(draw_chart, draw, title, "The table has the numbers"),
        f"{title}, in {len(bins)} intervals of the score. Dashed: a calibrated score.",
        "reliability",
    )


def _frame(axes: Any, x: str, y: str) -> None:
    """Complete axes whose vertical one is in percent; ``x`` and ``y`` are their titles."""
    axes.set(ylim=(-2, 102), xlabel=x, ylabel=f"{y} (%)")
    axes.grid(**RULE)
