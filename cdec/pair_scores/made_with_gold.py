"""Was a list of pairs made with gold chains? The list beside heuristics without and with them.

Some listed pairs are explained by the text, or by the chains of train (see ``TopicPairs``). What
explains the others? Two measures of them are compared with a half:

* the share whose lemmas corefer in the evaluated key: if it is most of them, the lemma pairs of the
  key explain the list better than everything else;
* the share of gold links that the list has, minus that of other pairs at the same distance: if it
  is above a half, most links were chosen by something that separates them from other pairs.

Of the published lists of Ahmed et al. on dev of ECB+, those without gold chains have at most 36 %
and 16 points, that with gold lemma pairs 95 % and 85. Intervals resample topics, or
the sub-topics of a single topic, each with the pairs whose first mention it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints
from cdec.corpus.model import Corpus
from cdec.diagnosis.candidates import coverage
from cdec.errors import LanguageError
from cdec.evaluation.mention_pairs import MentionPairs
from cdec.io.progress import Progress, silent
from cdec.language import identity
from cdec.pair_scores.heuristic import TAGGER, TopicPairs, pairs_in_topics
from cdec.render.numbers import percent
from cdec.render.page import Block, Section, Text
from cdec.render.table import Table
from cdec.settings import Setting
from cdec.statistics.draws import DEFAULT, Plan, Units, drawn, largest_unit

FEWEST = 100  # pairs, or links, for a statement
MOST = 4_000_000  # pairs inside topics: about five seconds per million
LISTED = "this list"
_HALF = 0.5
_SHAPE = (3, 2, 2, 2, 2)
_CELLS = 48
MEASURES = {
    "key_lemmas": "Listed pairs: lemmas corefer in the evaluated key",
    "key_lemmas_all": "All pairs inside topics: lemmas corefer in the evaluated key",
    "links": "Gold links: in the list",
    "others": "Other pairs at the same distance: in the list",
    "preference": "Gold links minus other pairs",
    "odds_ratio": "Odds ratio of gold links and other pairs",
    "explained_links": "For comparison, gold links that text or train explains: in the list",
}
_REBUILT = Table(
    "The list and the lemma heuristic",
    {
        "pairs_of": "Pairs",
        "pairs": "Number",
        "share": ("Link recall", percent),
        "chain_share": ("Chain recall", percent),
        "complete_share": ("Complete chains", percent),
        "jaccard": ("Jaccard with the list", ".3f"),
        "in_list": ("In the list", percent),
    },
    "{setting}. Lemma heuristic (Ahmed et al. 2023), inside topics: a head lemma occurs in the "
    "other mention, or the two lemmas corefer in some chains, and the sentences share words. "
    "Complete chains: every link is there. In the list: the share of the pairs that the list has."
    "{undefined}",
)
_UNEXPLAINED = Table(
    "Pairs that neither text nor train explains",
    {
        "measure": ("Share, or odds ratio", MEASURES),
        **{"value": ("Value", ".3f"), "low": ("Low", ".3f"), "high": ("High", ".3f")},
    },
    "{listed:,} of the {size:,} listed pairs; inside topics {links:,} gold links and {others:,} "
    "other pairs. Distance: document, sub-topic or topic. Intervals: {intervals}.{undefined}",
)
_BY_LEMMAS = (
    "This points to gold chains: {key_lemmas} of the {listed:,} listed pairs that neither text nor "
    "train explains join lemmas that corefer in the evaluated key; of all such pairs, "
    "{key_lemmas_all}."
)
_BY_LINKS = (
    "This points to gold chains: the list has {links} of the gold links that neither text nor "
    "train explains, and {others} of other such pairs at the same distance. The links that a good "
    "system predicts, made into a list, would look the same."
)
_PREFERS = (
    "Among pairs that neither text nor train explains ({listed:,} listed), the list prefers gold "
    "links (odds ratio {odds_ratio}). That needs no gold chains: a trained model, or similar "
    "sentences, can do so too."
)
_NO_SIGN = (
    "No sign of gold chains: among pairs that neither text nor train explains ({listed:,} listed), "
    "the list does not prefer gold links (odds ratio {odds_ratio})."
)
_TOO_FEW = (
    "No statement: it needs {fewest} listed pairs, {fewest} gold links that neither text nor train "
    "explains, and two topics or sub-topics."
)


def gold_section(
    pairs: MentionPairs,
    train: Corpus | None,
    setting: Setting,
    plan: Plan | None = None,
    progress: Progress = silent,
) -> tuple[Section, dict[str, object]]:
    """Return the section, and the fields of the signature on what it was computed with.

    ``train``: the part whose chains are known. ``plan``: for intervals, by default 1,000 resamples.
    """
    reason = _not_examined(pairs.corpus, train)
    try:
        every = None if reason or train is None else TopicPairs.of(pairs.corpus, train, progress)
    except LanguageError as error:
        reason, every = error.message, None
    title = "Made with gold chains?"
    if every is None or train is None:
        return Section("gold", title, (Text(f"Not examined: {reason}."),)), {}
    rebuilt = rebuilt_table(pairs, every, setting)
    unit = largest_unit([pairs.corpus.selected])
    plan = plan or (replace(DEFAULT, unit=unit) if unit else None)
    table, counts = unexplained(pairs, every, plan)
    how = (
        f"{100 * plan.level:g} %, {plan.resamples:,} resamples of {plan.unit}s" if plan else "none"
    )
    said = list(evidence(len(pairs), table, counts))
    blocks: tuple[Block, ...] = (
        _REBUILT.grid(rebuilt, setting=setting.label),
        _UNEXPLAINED.grid(table, intervals=how, size=len(pairs), **counts),
        *map(Text, said),
    )
    data = pd.concat([rebuilt, table, pd.DataFrame({"evidence": said})], ignore_index=True)
    about: dict[str, object] = {"train": train.part, "heads": identity(TAGGER, pairs.corpus)}
    return Section("gold", title, blocks, data), about


def _not_examined(corpus: Corpus, train: Corpus | None) -> str:
    if train is None:
        return "the chains of no part train are known"
    if corpus.documents.keys() & train.documents.keys():
        return "the evaluated part has documents of train"
    if (number := pairs_in_topics(corpus)) > MOST:
        return f"{number:,} pairs inside topics, more than {MOST:,}"
    return "" if number else "no topic has two mentions"


def rebuilt_table(pairs: MentionPairs, every: TopicPairs, setting: Setting) -> pd.DataFrame:
    """Return the list, and the heuristic of text alone, with the lemma pairs of train, of the key.

    ``jaccard``: the pairs that both have, of those that either has; ``in_list``: of the heuristic.
    """
    size = len(pairs.corpus.selected)
    own = pairs.first * size + pairs.second
    chosen = {
        "lemma heuristic, text alone": every.text,
        "lemma heuristic, lemma pairs of train": every.text | every.train,
        "lemma heuristic, lemma pairs of the evaluated key": every.text | every.key,
    }
    lists = {LISTED: pairs}
    for name, alike in chosen.items():
        kept = alike & every.near
        lists[name] = replace(pairs, first=every.first[kept], second=every.second[kept], score=None)
    rows = []
    for name, each in lists.items():
        both = len(np.intersect1d(own, each.first * size + each.second))
        either = len(pairs) + len(each) - both
        row = {"pairs_of": name, "pairs": len(each)}
        row |= coverage(each, setting)
        shares = (both / n if n else None for n in (either, len(each)))
        rows.append(row | dict(zip(("jaccard", "in_list"), shares, strict=True)))
    return pd.DataFrame(rows)


def unexplained(
    pairs: MentionPairs, every: TopicPairs, plan: Plan | None
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return MEASURES in percent (measure, value, low, high), and the numbers of pairs."""
    size = len(pairs.corpus.selected)
    gold = replace(pairs, first=every.first, second=every.second, score=None).gold
    listed = np.isin(every.first * size + every.second, pairs.first * size + pairs.second)
    # Counts by distance, whether text or train explains the pair, gold, key_lemmas, listed.
    kinds = (every.place, ~(every.text | every.train), gold, every.key, listed)
    code = np.ravel_multi_index([kind.astype(np.int64) for kind in kinds], _SHAPE)
    units, unit = 1, np.zeros(size, np.int64)
    if plan:
        of = Units.of_mentions(plan.unit, [pairs.corpus.selected])
        units, unit = len(of), of.of.loc[pairs.corpus.selected.index].to_numpy()
    counts = np.bincount(unit[every.first] * _CELLS + code, minlength=units * _CELLS)
    weights = [np.ones((1, units), np.int64), *([drawn(units, plan)] if plan else [])]
    sums = (np.concatenate(weights) @ counts.reshape(units, _CELLS)).reshape(-1, *_SHAPE)
    values = np.stack(_measured(sums))
    ends = np.full((2, len(values)), np.nan)
    if plan:
        known = values[:, 1:][~np.isnan(values[:, 0])]
        level = (1 - plan.level) / 2
        ends[:, ~np.isnan(values[:, 0])] = np.nanquantile(known, [level, 1 - level], axis=1)
    table = pd.DataFrame({"measure": list(MEASURES), "value": values[:, 0]})
    whole = sums[0, :, 1].sum(axis=(0, 2)).astype(np.int64)  # gold, listed
    counts_of = zip(("others", "links"), whole.sum(axis=1).tolist(), strict=True)
    return table.assign(low=ends[0], high=ends[1]), {
        **dict(counts_of),
        "listed": int(whole[:, 1].sum()),
    }


def _measured(sums: Ints) -> tuple[Floats, ...]:
    """Return MEASURES of each resample, from counts of resample × _SHAPE."""
    other, link = sums[:, :, 1].sum(axis=3).transpose(2, 0, 1, 3)  # resample, distance, listed
    lemmas = sums[:, :, 1].sum(axis=(1, 2))  # resample, key_lemmas, listed
    links, at = _share(link.sum(axis=1)), link.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        others = (at * np.nan_to_num(_share(other))).sum(axis=1) / at.sum(axis=1)
        half = 0.5 / at.sum(axis=1)
        odds = [(share + half) / (1 - share + half) for share in (links, others)]
    explained = _share(sums[:, :, 0, 1].sum(axis=(1, 2)))
    of_lemmas = _share(lemmas[..., 1]), _share(lemmas.sum(axis=2))
    return (*of_lemmas, links, others, links - others, odds[0] / odds[1], explained)


def _share(counts: Ints) -> Floats:
    """Return the second of the last axis, of both; NaN for 0/0."""
    with np.errstate(invalid="ignore"):
        share: Floats = counts[..., 1] / counts.sum(axis=-1)
    return share


def evidence(size: int, table: pd.DataFrame, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield what the measures say about a list of ``size`` pairs, in sentences.

    No statement is made on fewer than FEWEST pairs or links, and without intervals.
    """
    low = dict(zip(table["measure"], table["low"], strict=True))
    words: dict[str, object] = {
        name: f"{value:.3f} ({least:.3f}–{most:.3f})"
        for name, value, least, most in table.itertuples(index=False)
    }
    words["listed"] = counts["listed"]
    by_lemmas = counts["listed"] >= FEWEST and low["key_lemmas"] > _HALF
    by_links = low["preference"] > _HALF
    if min(size, counts["links"]) < FEWEST or np.isnan(low["odds_ratio"]):
        yield _TOO_FEW.format(fewest=FEWEST)
    elif by_lemmas or by_links:
        yield from ([_BY_LEMMAS.format(**words)] if by_lemmas else [])
        yield from ([_BY_LINKS.format(**words)] if by_links else [])
    else:
        yield (_PREFERS if round(low["odds_ratio"], 6) > 1 else _NO_SIGN).format(**words)
