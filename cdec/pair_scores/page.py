"""The page of `cdec pairs` and `cdec.score_pairs`: list, scores, chains over the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cdec.api import placed
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, warn_of
from cdec.evaluation.experiment import check_corpus
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY
from cdec.pair_scores.link import CLOSURE, Cut, Linking, cut, linking, linking_notices
from cdec.pair_scores.quality import BINS, quality, reliability
from cdec.pair_scores.source import Pairs, mentions_in, table_of
from cdec.pair_scores.tune import chosen_on, curve
from cdec.pairs.bounds import METRICS, f1_table
from cdec.pairs.mention_pairs import MentionPairs
from cdec.pairs.within import ORACLE, YES, Decisions, coverage
from cdec.render.analysis import Analysis
from cdec.render.charts import COLOURS, PAGE, drawn
from cdec.render.numbers import percent
from cdec.render.page import Block, Chart, Page, Section, anchor
from cdec.render.table import Table
from cdec.settings import Setting, Settings, as_settings, signed
from cdec.signature import Signature, in_json
from cdec.statistics.draws import Plan, Units
from cdec.statistics.intervals import described

BEST = "best threshold here, {threshold:.4g} (oracle)"
_LINKED = {
    CLOSURE: "Linked: pairs with a score of at least the threshold.",
    "average": "Linked: chains whose pairs have a mean probability of at least the threshold.",
    "complete": "Linked: chains all of whose pairs have at least the threshold.",
}
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
    {
        "measure": "Measure",
        "value": ("Value", percent),
        "low": ("Low", percent),
        "high": ("High", percent),
    },
    "In percent, of the scored pairs, as scikit-learn computes them; a gold link is positive. "
    "precision, recall, f1: of the pairs with a score of at least {threshold:g}, not closed to "
    f"chains. Calibration error: over {BINS} intervals of the score{{scale}}.",
)
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
    {"response": "Response", **{name: (REGISTRY[name].label, percent) for name in METRICS}},
    "Candidates are closed to chains. The best decision links those that are gold links.{scored}",
)
_SCORED = (
    " {linked}{note} The best of {tried} thresholds is "
    "chosen on these very documents, so that it is no result of a system."
)


def score_pairs(
    corpus: Corpus,
    pairs: Pairs,
    *,
    setting: Settings = "simple",
    threshold: float | None = None,
    cluster: str | None = None,
    tune: tuple[Corpus, Pairs] | None = None,
    plan: Plan | None = None,
) -> Analysis[MentionPairs]:
    """Show what mention pairs cover, and how well their scores link, as ``cdec pairs`` does.

    * ``pairs``: a file, a table with ``a``, ``b`` and, optionally, ``score``, or a dict
      (mention, mention) → score.
    * ``threshold``: default 0.5, or 0 for log-odds; ``cluster``: closure (the default), average or
      complete; ``tune``: another part and its pairs, on which both are chosen.
    * ``plan`` adds intervals. The score of a pair in both directions is the mean of both.

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
    table = table_of(pairs)
    corpus, _ = placed(corpus, mentions_in(table))
    read = MentionPairs.of_table(table, corpus)
    settings = as_settings(setting, corpus)
    warn_of((*corpus.notices, *read.notices))
    for name, value in {"threshold": threshold, "cluster": cluster, "plan": plan}.items():
        if value is not None and not read.has_scores:
            message = f"{name} has no effect without scores"
            raise UsageError("option-conflict", message, hint="add the column score")
    at = linking(read, threshold, cluster)
    if tune is not None:
        dev = MentionPairs.of_table(table_of(tune[1]), tune[0])
        warn_of(dev.notices)
        at = chosen_on(dev, read, settings[0], cluster)
    warn_of(linking_notices(read, at, settings))
    return Analysis(read, _page(read, settings, at, plan), read.notices)


def _page(pairs: MentionPairs, settings: Sequence[Setting], at: Linking, plan: Plan | None) -> Page:
    """Return the page; without scores, the one on a list of candidates."""
    corpus, sections, chains = pairs.corpus, [_list_section(pairs, settings)], None
    about: dict[str, Any] = {**corpus.about, "setting": tuple(map(signed, settings))} | pairs.about
    if len(pairs.scored()):
        sections.append(_quality_section(pairs, at.threshold, plan))
        chains = cut(pairs, at.clustering)
        about |= at.about
        if plan:
            about |= described(plan, len(Units.of_mentions(plan.unit, [corpus.selected])))
    answers = []
    for setting in settings:
        f1, section = _chains_section(pairs, setting, at, chains)
        sections.append(section)
        answers.append(_answer(f1, setting))
    if chains:
        answers.append(_calibration(pairs))
    signature = Signature.from_fields(**about)
    foot = (str(signature),)
    return Page("Mention pairs", tuple(sections), tuple(answers), foot, in_json(signature))


def _answer(f1: pd.Series[float], setting: Setting) -> str:
    """Return the sentence on CoNLL F1 at the threshold, at the best one, and of both decisions."""
    *scored, yes, ceiling = f1.items()
    text = f"CoNLL F1 under {setting.label}: "
    if scored:
        (own, value), (best, most) = scored
        text += f"{percent(value)} {own}; + {percent(most - value)} at the {best}; "
    text += f"{percent(yes[1])} by {YES}; {percent(ceiling[1])} by the {ORACLE}"
    return f"{text}, the ceiling of the list."


def _list_section(pairs: MentionPairs, settings: Sequence[Setting]) -> Section:
    mentions = len(pairs.corpus.selected)
    words = {
        "pairs": len(pairs),
        "mentions": mentions,
        "each": 2 * len(pairs) / max(mentions, 1),
        "alone": mentions - len(np.union1d(pairs.first, pairs.second)),
        "unscored": len(pairs) - len(pairs.scored()),
    }
    table = pd.DataFrame([coverage(pairs, setting) for setting in settings]).assign(**words)
    return Section("list", "The list", (_LIST.grid(table, **words),), table)


def _quality_section(pairs: MentionPairs, threshold: float, plan: Plan | None) -> Section:
    table, bins = quality(pairs, threshold, plan), reliability(pairs)
    scale = "; scores outside [0, 1] are log-odds" if pairs.log_odds else ""
    data = pd.concat([table, bins.assign(measure="reliability")], ignore_index=True)
    grids = [_QUALITY.grid(table, threshold=threshold, scale=scale)] if len(table) else []
    return Section("quality", "The scores", (*grids, _RELIABILITY.grid(bins)), data)


def _calibration(pairs: MentionPairs) -> str:
    """Return a sentence on the mean score and the share of links."""
    scored = pairs.scored()
    mean = scored.probabilities(scored.scores).mean()
    score, gold = percent(mean), percent(scored.gold.mean())
    kind = "over-confident" if float(score) > float(gold) else "under-confident"
    verdict = "calibrated on average" if score == gold else kind
    return f"Mean score {score} %, gold links {gold} % of the scored pairs: {verdict}."


def _chains_section(
    pairs: MentionPairs, setting: Setting, at: Linking, chains: Cut | None
) -> tuple[pd.Series[float], Section]:
    """Return CoNLL F1 of each row, and the section of a setting."""
    corpus, decided = pairs.corpus, Decisions.of_pairs(pairs).chains
    bare = Alignment.of(corpus.selected, corpus.gold, corpus.gold, pairs.name)
    linked, words, charts, over = {}, "", list[Chart](), pd.DataFrame()
    if chains:
        over = curve(bare, setting, chains, METRICS)
        conll = over[over["metric"] == "conll"]
        best = float(conll["threshold"].iloc[int(conll["f1"].argmax())])
        for name, threshold in ((at.label, at.threshold), (BEST.format(threshold=best), best)):
            linked[name] = chains.chains(threshold)
        note = f" {at.note}".rstrip()
        words = _SCORED.format(linked=_LINKED[at.clustering], note=note, tried=len(conll))
        caption = f"F1 over the threshold ({setting.label}), at {len(conll):,} thresholds."
        charts.append(Chart(partial(_curve_chart, over, at.threshold), caption))
        # Nothing is linked at the infinite threshold, which JSON cannot have: it is missing there.
        over = over.assign(response="threshold").replace({"threshold": {np.inf: np.nan}})
    versions = {YES: decided[YES], **linked, ORACLE: decided[ORACLE]}
    runs = {name: bare.having("response", chosen) for name, chosen in versions.items()}
    table = f1_table(runs, setting)
    data = pd.concat([table, over], ignore_index=True).assign(setting=setting.name)
    title = f"Chains ({setting.label})"
    blocks: tuple[Block, ...] = (_CHAINS.grid(table, scored=words), *charts)
    section = Section(anchor("chains", setting.name), title, blocks, data)
    return table.set_index("response")["conll"][[*linked, YES, ORACLE]], section


def _curve_chart(over: pd.DataFrame, threshold: float, format: str = PAGE) -> Any:
    """Return F1 of each metric over the threshold, with a line at the threshold."""

    def draw(axes: Any) -> None:
        finite = over[np.isfinite(over["threshold"])].sort_values("threshold")
        for number, (metric, rows) in enumerate(finite.groupby("metric", sort=False)):
            axes.step(
                rows["threshold"],
                100 * rows["f1"],
                where="pre",  # linked at a score ≥ threshold: the value holds up to the next score
                linestyle=("--", "-.", ":", (0, (5, 1)), "-")[number % 5],
                linewidth=2 if metric == "conll" else 1,
                color="black" if metric == "conll" else COLOURS[number],
                label=REGISTRY[str(metric)].label,
            )
        axes.axvline(threshold, color="grey", linewidth=0.8)
        axes.set(ylim=(0, 100))
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")

    best = over[over["metric"] == "conll"].nlargest(1, "f1").iloc[0]
    said = f"The highest CoNLL F1, {percent(best['f1'])}, is at {best['threshold']:.3g}"
    return drawn(draw, "F1 over the threshold", said, format, xlabel="threshold", ylabel="F1 (%)")
