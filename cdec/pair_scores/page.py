"""The page of `cdec pairs` and `cdec.score_pairs`: list, scores, chains over the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.errors import UsageError, warn_of
from cdec.evaluation.parts import check_corpus, covered_part
from cdec.evaluation.response import read_response
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY
from cdec.pair_scores.link import CLOSURE, Cut, Linking, cut, linking, linking_notices
from cdec.pair_scores.quality import BINS, quality, reliability
from cdec.pair_scores.tune import AIM, curve, tuned_linking
from cdec.pairs.listed import MentionPairs, PairList, pair_table
from cdec.pairs.within import F1, ORACLE, YES, Decisions, coverage, f1_table
from cdec.records import Row
from cdec.render.analysis import Analysis
from cdec.render.charts import COLOURS, PAGE, draw_chart
from cdec.render.page import Block, Chart, Page, Section, Table, anchor, percent
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
    "Linked: pairs with a score of at least the threshold, closed to chains; average, complete: "
    "chains whose pairs have a mean, or lowest, probability of at least the threshold. The best "
    "threshold here is chosen on these very documents, so that it is no result of a system. The "
    "best decision links the candidates that are gold links.{note}",
)


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
) -> Analysis[MentionPairs]:
    """Show what mention pairs cover, and how well their scores link, as ``cdec pairs`` does.

    * ``pairs``: a file, a table with ``a``, ``b`` and, optionally, ``score``, or a dict
      (mention, mention) → score.
    * ``threshold``: default 0.5, or 0 for log-odds; ``cluster``: closure (the default), average or
      complete; ``tune``: another part and its pairs, on which both are chosen. Of a whole corpus it
      is the part that the pairs cover.
    * ``plan`` adds intervals. The score of a pair in both directions is the mean of both.
    * ``unknown``: with ``drop``, pairs of mentions that the corpus does not have are left out.

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
    pairs_on_part = _on(corpus, pairs, unknown)
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
        link = tuned_linking(_on(*tune, unknown), pairs_on_part, settings[0], cluster)
    warn_of(linking_notices(pairs_on_part, link))
    page = _page(pairs_on_part, settings, link, plan)
    return Analysis(pairs_on_part, page, pairs_on_part.notices)


def _on(corpus: Corpus, list_: PairList, unknown: str) -> MentionPairs:
    """Return the pairs on a part, of a whole corpus the part that they cover, with warnings."""
    table = pair_table(list_)
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
    chains = None
    if len(pairs.scored()):
        chains = cut(pairs, link.clustering)
        sections.append(_quality_section(pairs, link, plan))
        about |= link.about
        if plan:
            about |= signature_fields(
                plan, units_of(plan.unit, [corpus.selected]).nunique()
            )
    for setting in settings:
        answer, section = _chains(pairs, setting, link, chains)
        sections.append(section)
        answers.append(answer)
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
    blocks: list[Block] = [_RELIABILITY.grid(bins)]
    if len(measures):
        table = _QUALITY
        if plan:
            table = replace(table, columns={**table.columns, **_ENDS})
        blocks.insert(0, table.grid(measures, threshold=link.threshold))
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
    chains: Cut | None,
) -> tuple[str, Section]:
    """Return the answer of a setting, and its section."""
    decided = Decisions.of_pairs(pairs).chains
    versions = {YES: decided[YES]}
    scores = pd.DataFrame()
    charts = []
    if chains:
        scores = curve(pairs, setting, chains)
        aim = scores[scores["metric"] == AIM].set_index("threshold")["f1"]
        best = float(aim.index.to_numpy()[aim.argmax()])
        linked = _name_of(link)
        oracle = "no link at all (oracle)"
        if np.isfinite(best):
            oracle = f"best threshold here, {best:.4g} (oracle)"
        versions[linked] = chains.chains(link.threshold)
        versions[oracle] = chains.chains(best)
        # Nothing is linked at the infinite threshold, which JSON cannot have: it is missing there.
        is_finite = np.isfinite(scores["threshold"])
        if is_finite.any():
            charts.append(
                Chart(
                    partial(_curve_chart, scores[is_finite], link.threshold),
                    f"F1 over the threshold ({setting.label}), at {len(aim):,} thresholds.",
                )
            )
        scores["response"] = "threshold"
        scores["threshold"] = scores["threshold"].where(is_finite)
    versions[ORACLE] = decided[ORACLE]
    mentions = pairs.corpus.selected
    key = pairs.corpus.gold
    runs = {
        name: Alignment.of(mentions, key, version) for name, version in versions.items()
    }
    table = f1_table(runs, setting)
    f1 = table.set_index("response")[AIM]
    answer = f"{REGISTRY[AIM].label} F1 under {setting.label}: "
    if chains:
        gain = percent(f1[oracle] - f1[linked])
        answer += f"{percent(f1[linked])} {linked}; + {gain} at the {oracle}; "
    answer += (
        f"{percent(f1[YES])} by {YES}; {percent(f1[ORACLE])} by the {ORACLE}, "
        "the ceiling of the list."
    )
    section = Section(
        anchor("chains", setting.name),
        f"Chains ({setting.label})",
        (_CHAINS.grid(table, note=f" {link.note}".rstrip()), *charts),
        pd.concat([table, scores], ignore_index=True).assign(setting=setting.name),
    )
    return answer, section


def _name_of(link: Linking) -> str:
    """Return the name of the chains that the pairs link, for a table."""
    verb = link.clustering
    if verb == CLOSURE:
        verb = "linked"
    name = f"{verb} at {link.threshold:.4g}"
    if link.part:
        name += f", chosen on {link.part}"
    return name


def _curve_chart(scores: pd.DataFrame, threshold: float, format: str = PAGE) -> Any:
    """Return F1 of each metric over the threshold, with a line at the threshold."""

    def draw(axes: Any) -> None:
        for n, (metric, rows) in enumerate(scores.groupby("metric", sort=False)):
            line = rows.sort_values("threshold")
            # Linked at a score ≥ threshold: the value holds up to the next score.
            axes.step(
                line["threshold"],
                100 * line["f1"],
                where="pre",
                label=REGISTRY[str(metric)].label,
                color="black" if metric == AIM else COLOURS[n],
                linewidth=2 if metric == AIM else None,
                linestyle=("--", "-.", ":", (0, (5, 1)), "-")[n % 5],
            )
        axes.axvline(threshold, color="grey", linewidth=0.8)
        axes.set(ylim=(0, 100))
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")

    best = scores[scores["metric"] == AIM].nlargest(1, "f1").iloc[0]
    label = REGISTRY[AIM].label
    return draw_chart(
        draw,
        "F1 over the threshold",
        f"The highest {label} F1, {percent(best['f1'])}, is at {best['threshold']:.3g}",
        format,
        xlabel="threshold",
        ylabel="F1 (%)",
    )
