"""The page of `cdec pairs` and `cdec.score_pairs`: list, scores, metrics over the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from cdec.api import placed
from cdec.arrays import Ints
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, counted, warn_of
from cdec.evaluation.experiment import check_corpus
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY
from cdec.pair_scores.chart import CAPTION, curves_chart, quality_chart
from cdec.pair_scores.clusterings import CLOSURE, CLUSTERINGS, Cut, Linking, linking_notices
from cdec.pair_scores.curves import curves, exact_curves
from cdec.pair_scores.merges import Merges
from cdec.pair_scores.quality import BINS, cost_section, quality, reliability
from cdec.pair_scores.source import Pairs, check_options, mentions_in, pairs_of, table_of
from cdec.pair_scores.tuning import chosen as chosen_on
from cdec.pair_scores.tuning import linking
from cdec.pairs.bounds import METRICS, ORACLE, YES, decided, versions_table
from cdec.pairs.mention_pairs import MentionPairs
from cdec.pairs.within import Candidates, coverage
from cdec.render.analysis import Analysis
from cdec.render.numbers import percent
from cdec.render.page import Block, Chart, Page, Section, Text, anchor
from cdec.render.table import Columns, Table
from cdec.settings import Setting, Settings, as_settings, signed
from cdec.signature import Signature, in_json
from cdec.statistics.draws import Plan, Units
from cdec.statistics.intervals import described

BEST = "best threshold here, {threshold:.4g} (oracle)"
_OF_METRICS: Columns = {name: (REGISTRY[name].label, percent) for name in METRICS}
_SCORED = (
    " {linked}{note} The best of {tried} thresholds is "
    "chosen on these very documents, so that it is no result of a system."
)
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
    "in no pair; {unscored} without a score.\n"
    "Link recall: the share of the links of the key that the list has, inside the meta-documents "
    "of the setting. Chain recall: the share of chains that listed gold links join completely. "
    "Complete chains: with every link in the list.",
)
_HOLES = Table(
    "Pairs without a score",
    {"a": "Mention", "b": "Other mention"},
    "The first {shown:,} of {unscored:,}; CSV and JSON have all. They are never linked.",
)
_SHOWN = 10
_QUALITY = Table(
    "Quality of the scores",
    {
        "measure": "Measure",
        "value": ("Value", ".3f"),
        "low": ("Low", ".3f"),
        "high": ("High", ".3f"),
    },
    "Of the scored pairs, as scikit-learn computes them; a gold link is positive. precision, "
    "recall, f1: of the pairs with a score of at least {threshold:g}, not closed to chains. "
    "Calibration error: over {bins} intervals of the score{scale}.",
)
_ONE_CLASS = "All scored pairs are links of the key, or none is: there is nothing to separate."
_RELIABILITY = Table(
    "Reliability",
    {
        "bin": ("Score", lambda n: f"{n / BINS:.1f}–{(n + 1) / BINS:.1f}"),
        "pairs": "Pairs",
        "score": ("Mean score", percent),
        "gold": ("Gold links %", percent),
    },
    "A calibrated score equals the share of gold links.",
)
_CHAINS = Table(
    "F1 of chains",
    {"response": "Response", **_OF_METRICS},
    "Candidates are closed to chains. The best decision links those that are gold links.{scored}",
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
    warn_of((*(corpus.chosen or ()), *read.notices))
    if read.score is None:
        check_options(threshold=threshold, cluster=cluster, plan=plan)
    at = linking(read, threshold, cluster)
    if tune is not None:
        dev = pairs_of(tune[1], tune[0])
        warn_of(dev.notices)
        at = chosen_on(dev, read, tune[0].part, settings[0], cluster)
    warn_of(linking_notices(read, at, settings))
    return Analysis(read, pairs_page(read, settings, at, plan), read.notices)


def pairs_page(
    pairs: MentionPairs,
    settings: Sequence[Setting],
    at: Linking,
    plan: Plan | None = None,
) -> Page:
    """Return the page; without scores, that of a list of candidates.

    ``at``: where the pairs link. ``plan``: that of the intervals, if any. Raises UsageError as
    ``quality`` does.
    """
    holes = _holes(pairs)
    if not len(pairs.scored()):
        pairs = replace(pairs, score=None)
    about = Signature.from_fields(
        **pairs.corpus.about,
        setting=tuple(signed(setting) for setting in settings),
        **pairs.about,
        **(at.about if pairs.score is not None else {}),
        **(described(plan, _units(pairs, plan)) if plan and pairs.score is not None else {}),
    )
    candidates = Candidates.from_pairs(pairs)
    sections, cut = [_list_section(pairs, settings, holes)], None
    if pairs.score is not None:
        sections.append(_quality_section(pairs, at.threshold, plan))
        cut = CLUSTERINGS[at.clustering](pairs)
    sections += [cost_section(pairs)] if len(pairs.cost) else []
    sections += [_chains_section(pairs, candidates, setting, at, cut) for setting in settings]
    return Page("Mention pairs", tuple(sections), intro=(str(about),), about=in_json(about))


def chains_table(
    bare: Alignment, candidates: Candidates, setting: Setting, linked: Mapping[str, Ints]
) -> pd.DataFrame:
    """Return F1 of METRICS for the standing rows, and for chains by the name of their row."""
    index = bare.mentions.index
    own = {name: Clustering(pd.Series(chains, index)) for name, chains in linked.items()}
    chains = {YES: candidates.yes, **own, ORACLE: candidates.oracle}
    return versions_table(decided(bare, chains), setting)


def _holes(pairs: MentionPairs) -> pd.DataFrame:
    """Return the pairs that have no score, of a list with scores."""
    unscored = np.isnan(pairs.scores) if pairs.score is not None else np.zeros(len(pairs), bool)
    ids = pairs.corpus.selected.index.to_numpy()
    sides = {"a": ids[pairs.first[unscored]], "b": ids[pairs.second[unscored]]}
    return pd.DataFrame(sides).assign(status="no score")


def _list_section(pairs: MentionPairs, settings: Sequence[Setting], holes: pd.DataFrame) -> Section:
    table = pd.DataFrame([coverage(pairs, setting) for setting in settings])
    mentions = len(pairs.corpus.selected)
    words = {
        "pairs": len(pairs),
        "mentions": mentions,
        "each": 2 * len(pairs) / max(mentions, 1),
        "alone": mentions - len(np.union1d(pairs.first, pairs.second)),
        "unscored": len(pairs) - len(pairs.scored()),
    }
    text = words | {"unscored": counted(len(pairs) - len(pairs.scored()), "pair")}
    table = table.assign(**words)
    if holes.empty:
        return Section("list", "The list", (_LIST.grid(table, **text),), table)
    shown = _HOLES.grid(holes[:_SHOWN], shown=len(holes[:_SHOWN]), unscored=len(holes))
    data = pd.concat([table, holes], ignore_index=True)
    return Section("list", "The list", (_LIST.grid(table, **text), shown), data)


def _quality_section(pairs: MentionPairs, threshold: float, plan: Plan | None) -> Section:
    table, bins = quality(pairs, threshold, plan), reliability(pairs)
    scale = "; scores outside [0, 1] are log-odds" if pairs.log_odds else ""
    grid = _QUALITY.grid(table, threshold=threshold, bins=BINS, scale=scale)
    blocks: tuple[Block, ...] = (Text(_ONE_CLASS), _RELIABILITY.grid(bins))
    if len(table):
        chart = Chart(partial(quality_chart, pairs.scored(), threshold), CAPTION)
        blocks = (grid, _RELIABILITY.grid(bins), chart)
    data = pd.concat([table, bins.assign(measure="reliability")], ignore_index=True)
    return Section("quality", "The scores", blocks, data)


def _chains_section(
    pairs: MentionPairs, candidates: Candidates, setting: Setting, at: Linking, cut: Cut | None
) -> Section:
    id_, title = anchor("chains", setting.name), f"Chains ({setting.label})"
    bare = _bare(pairs)
    if cut is None:
        table = chains_table(bare, candidates, setting, {})
        grid = _CHAINS.grid(table, scored="")
        return Section(id_, title, (grid,), table.assign(setting=setting.name))
    over, tried, caption = _over_thresholds(bare, setting, cut)
    conll = over[over["metric"] == "conll"]
    best = float(conll["threshold"].iloc[int(conll["f1"].argmax())])
    linked = {at.label: cut.chains(at.threshold), BEST.format(threshold=best): cut.chains(best)}
    table = chains_table(bare, candidates, setting, linked)
    words = {"linked": _LINKED[at.clustering], "note": f" {at.note}".rstrip(), "tried": tried}
    grid = _CHAINS.grid(table, scored=_SCORED.format(**words))
    chart = Chart(partial(curves_chart, over, at.threshold), f"F1 over the threshold, {caption}")
    # Nothing is linked at the infinite threshold, which JSON cannot have: it is missing there.
    over = over.assign(response="threshold", threshold=over["threshold"].replace(np.inf, np.nan))
    data = pd.concat([table, over], ignore_index=True)
    return Section(id_, title, (grid, chart), data.assign(setting=setting.name))


def _over_thresholds(bare: Alignment, setting: Setting, cut: Cut) -> tuple[pd.DataFrame, int, str]:
    """Return the metrics over the threshold, the number of thresholds tried, and a caption."""
    chosen = curves(bare, setting, cut, METRICS, "conll")
    tried = chosen["threshold"].nunique()
    if not isinstance(cut, Merges):
        return chosen, tried, f"{setting.label}, at {tried:,} thresholds."
    exact = exact_curves(bare, setting, cut)
    caption = (
        f"{setting.label}: MUC, B³, LEA and links at each of {len(cut.levels):,} merges, CEAF_e "
        f"and CoNLL at {tried:,} thresholds."
    )
    others = chosen[~chosen["metric"].isin(exact["metric"])]
    return pd.concat([exact, others], ignore_index=True), tried, caption


def _units(pairs: MentionPairs, plan: Plan) -> int:
    return len(Units.of_mentions(plan.unit, [pairs.corpus.selected]))


def _bare(pairs: MentionPairs) -> Alignment:
    corpus = pairs.corpus
    return Alignment.of(corpus.selected, corpus.gold, corpus.gold, pairs.name)
