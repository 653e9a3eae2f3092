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
from cdec.pair_scores.tune import AIM, chosen_on, curve
from cdec.pairs.listed import Given, MentionPairs, pair_table
from cdec.pairs.within import F1, ORACLE, YES, Decisions, coverage, f1_table
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
    pairs: Given,
    *,
    setting: Settings = "simple",
    threshold: float | None = None,
    cluster: str | None = None,
    tune: tuple[Corpus, Given] | None = None,
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
        message = "threshold and tune exclude each other"
        raise UsageError("option-conflict", message, hint="drop one of them")
    read = _on(corpus, pairs, unknown)
    settings = as_settings(setting, read.corpus)
    for name, value in {"threshold": threshold, "cluster": cluster, "plan": plan}.items():
        if value is not None and not read.has_scores:
            message = f"{name} has no effect without scores"
            raise UsageError("option-conflict", message, hint="add the column score")
    at = linking(read, threshold, cluster)
    if tune is not None:
        at = chosen_on(_on(*tune, unknown), read, settings[0], cluster)
    warn_of(linking_notices(read, at))
    return Analysis(read, _page(read, settings, at, plan), read.notices)


def _on(corpus: Corpus, pairs: Given, unknown: str) -> MentionPairs:
    """Return the pairs on a part, of a whole corpus the part that they cover, with warnings."""
    table = pair_table(pairs)
    if corpus.undecided:
        corpus = covered_part(corpus, [read_response(table.mentions)])
    read = MentionPairs.of(table, corpus, unknown)
    warn_of((*corpus.notices, *read.notices))
    return read


def _page(pairs: MentionPairs, settings: Sequence[Setting], at: Linking, plan: Plan | None) -> Page:
    """Return the page; without scores, the one on a list of candidates."""
    corpus, scored, chains = pairs.corpus, pairs.scored(), None
    about: dict[str, Any] = {**corpus.about, "setting": tuple(map(signed, settings))} | pairs.about
    number = len(corpus.selected)
    words = {
        "pairs": len(pairs),
        "mentions": number,
        "each": 2 * len(pairs) / max(number, 1),
        "alone": number - len(np.union1d(pairs.first, pairs.second)),
        "unscored": len(pairs) - len(scored),
    }
    listed = pd.DataFrame([coverage(pairs, setting) for setting in settings]).assign(**words)
    sections = [Section("list", "The list", (_LIST.grid(listed, **words),), listed)]
    if len(scored):
        table, bins = quality(pairs, at.threshold, plan), reliability(pairs)
        data = pd.concat([table, bins.assign(measure="reliability")], ignore_index=True)
        shown = replace(_QUALITY, columns={**_QUALITY.columns, **(_ENDS if plan else {})})
        grids = [shown.grid(table, threshold=at.threshold)] if len(table) else []
        blocks = (*grids, _RELIABILITY.grid(bins))
        sections.append(Section("quality", "The scores", blocks, data))
        chains = cut(pairs, at.clustering)
        about |= at.about
        if plan:
            about |= signature_fields(plan, units_of(plan.unit, [corpus.selected]).nunique())
    answers = []
    for setting in settings:
        answer, section = _chains(pairs, setting, at, chains)
        sections.append(section)
        answers.append(answer)
    p = scored.probabilities(scored.scores)
    if chains and not np.isin(scored.scores, (0, 1)).all():  # answers claim no confidence
        score, gold = percent(p.mean()), percent(scored.gold.mean())
        kind = "over-confident" if float(score) > float(gold) else "under-confident"
        kind = "calibrated on average" if score == gold else kind
        answers.append(f"Mean score {score} %, gold links {gold} % of the scored pairs: {kind}.")
    signature = Signature.from_fields(**about)
    foot = (str(signature),)
    return Page("Mention pairs", tuple(sections), tuple(answers), foot, in_json(signature))


def _chains(
    pairs: MentionPairs, setting: Setting, at: Linking, chains: Cut | None
) -> tuple[str, Section]:
    """Return the answer of a setting, and its section."""
    corpus, decided = pairs.corpus, Decisions.of_pairs(pairs).chains
    linked, over, charts = {}, pd.DataFrame(), list[Chart]()
    if chains:
        over = curve(pairs, setting, chains)
        aim = over[over["metric"] == AIM].set_index("threshold")["f1"]
        best = float(aim.index.to_numpy()[aim.argmax()])
        own = f"{'linked' if at.clustering == CLOSURE else at.clustering} at {at.threshold:.4g}"
        own += f", chosen on {at.part}" if at.part else ""
        # Nothing is linked at the infinite threshold, which JSON cannot have: it is missing there.
        no_link, finite = "no link at all (oracle)", over[np.isfinite(over["threshold"])]
        top = f"best threshold here, {best:.4g} (oracle)" if np.isfinite(best) else no_link
        linked = {own: chains.chains(at.threshold), top: chains.chains(best)}
        caption = f"F1 over the threshold ({setting.label}), at {len(aim):,} thresholds."
        if len(finite):
            charts.append(Chart(partial(_curve_chart, finite, at.threshold), caption))
        over = over.assign(response="threshold").replace({"threshold": {np.inf: np.nan}})
    versions = {YES: decided[YES], **linked, ORACLE: decided[ORACLE]}
    runs = {n: Alignment.of(corpus.selected, corpus.gold, one) for n, one in versions.items()}
    table = f1_table(runs, setting)
    f1 = table.set_index("response")[AIM]
    answer = f"{REGISTRY[AIM].label} F1 under {setting.label}: "
    if linked:
        answer += f"{percent(f1[own])} {own}; + {percent(f1[top] - f1[own])} at the {top}; "
    answer += f"{percent(f1[YES])} by {YES}; {percent(f1[ORACLE])} by the {ORACLE}, "
    data = pd.concat([table, over], ignore_index=True).assign(setting=setting.name)
    note = f" {at.note}".rstrip()
    blocks: tuple[Block, ...] = (_CHAINS.grid(table, note=note), *charts)
    title = f"Chains ({setting.label})"
    section = Section(anchor("chains", setting.name), title, blocks, data)
    return f"{answer}the ceiling of the list.", section


def _curve_chart(over: pd.DataFrame, threshold: float, format: str = PAGE) -> Any:
    """Return F1 of each metric over the threshold, with a line at the threshold."""

    def draw(axes: Any) -> None:
        for n, (metric, rows) in enumerate(over.groupby("metric", sort=False)):
            look: Any = (
                {"color": "black", "linewidth": 2} if metric == AIM else {"color": COLOURS[n]}
            )
            look["linestyle"] = ("--", "-.", ":", (0, (5, 1)), "-")[n % 5]
            line = rows.sort_values("threshold")
            # Linked at a score ≥ threshold: the value holds up to the next score.
            label = REGISTRY[str(metric)].label
            axes.step(line["threshold"], 100 * line["f1"], where="pre", label=label, **look)
        axes.axvline(threshold, color="grey", linewidth=0.8)
        axes.set(ylim=(0, 100))
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")

    best = over[over["metric"] == AIM].nlargest(1, "f1").iloc[0]
    label = REGISTRY[AIM].label
    said = f"The highest {label} F1, {percent(best['f1'])}, is at {best['threshold']:.3g}"
    return draw_chart(
        draw, "F1 over the threshold", said, format, xlabel="threshold", ylabel="F1 (%)"
    )
