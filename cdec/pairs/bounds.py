"""How much of the loss is due to mentions and how much to links, and two decisions on candidates.

* Perfect mentions, same links: response mentions that are not in the key are removed, and key
  mentions that the response lacks become singletons, because it has no links for them.
* Perfect links, same mentions: each response mention of the key gets its key chain; the others
  become singletons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.evaluation.experiment import Experiment
from cdec.matching.alignment import Alignment
from cdec.matching.notices import treated
from cdec.metrics import REGISTRY, score
from cdec.pairs.within import Candidates
from cdec.render.numbers import percent
from cdec.render.page import Section, anchor
from cdec.render.table import Columns, Table
from cdec.settings import Setting

METRICS = ("muc", "b3", "ceafe", "lea", "conll")
_MAIN = "conll"
_LABEL = REGISTRY[_MAIN].label
AS_IS, MENTIONS, LINKS = "as it is", "perfect mentions, same links", "perfect links, same mentions"
YES, ORACLE = "yes to every candidate", "best decision on every candidate"
COLUMNS = ("response", *METRICS)
_SHOWN: Columns = {
    "response": "Response",
    **{name: (REGISTRY[name].label, percent) for name in METRICS},
}
_LOSS = Table(
    "F1 with perfect mentions or perfect links",
    _SHOWN,
    "Perfect mentions: mentions that are not in the key are removed, missing ones added as "
    "singletons. Perfect links: each mention of the key gets its key chain, the others are "
    "singletons.\n"
    "{label} F is {as_is} points below 100; {mentions} with perfect mentions, {links} with "
    "perfect links.",
)
_WITHIN = Table(
    "F1 within the candidates",
    _SHOWN,
    "{pairs}, {gold:,} of them gold links. Linked candidates are completed to "
    "chains. The best decision links those that are gold links; a wrong link can still "
    "score more, where it joins mentions whose gold links are not among the candidates. Mentions "
    "are those of the key.",
)


_DECISIONS = Table(
    "F1 of decisions on the same candidates",
    _SHOWN,
    "Yes to every candidate, and the best decision (only the gold links among them), are no "
    "systems.",
)


def mentions_differ(run: Alignment) -> bool:
    """Return whether key and response have different mentions."""
    return not run.has_same_mentions


def loss_table(run: Alignment, setting: Setting) -> pd.DataFrame:
    """Return F1 (in [0, 1]) of the response and of its two perfect versions. Columns: COLUMNS."""
    perfect = {MENTIONS: with_perfect_mentions(run), LINKS: with_perfect_links(run)}
    return versions_table({AS_IS: run, **perfect}, setting)


def versions_table(versions: Mapping[str, Alignment], setting: Setting) -> pd.DataFrame:
    """Return F1 of the metrics of METRICS of each run, under its name. Columns: COLUMNS."""
    tables = {name: setting.build(run.mentions) for name, run in versions.items()}
    scores = {name: score(table, METRICS).values for name, table in tables.items()}
    rows = [[name, *(each[metric].f1 for metric in METRICS)] for name, each in scores.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def decided(bare: Alignment, chains: Mapping[str, Clustering]) -> dict[str, Alignment]:
    """Return a run for each of several clusterings, under its name."""
    return {name: bare.having("response", response) for name, response in chains.items()}


def with_perfect_mentions(run: Alignment) -> Alignment:
    """Return the run with the mentions of the key, and the links of the response."""
    inside = run.mentions["response"].where(run.mentions["key"].notna())
    return replace(run, mentions=treated(run.mentions.assign(response=inside), "singletons"))


def with_perfect_links(run: Alignment) -> Alignment:
    """Return the run with the mentions of the response, and the links of the key."""
    index = run.response.labels.index
    gold = run.key.labels.reindex(index)
    twinless = gold.isna()
    chains = ("key:" + gold.astype(str)).where(~twinless, "own:" + index.to_series().astype(str))
    return run.having("response", Clustering(chains.astype(object)))


def bounds_table(
    candidates: Candidates, runs: Iterable[Alignment], setting: Setting, corpus: Corpus
) -> pd.DataFrame:
    """Return F1 of both decisions and each run: columns ``response`` and the metrics of METRICS.

    The decisions have the mentions of the key.
    """
    bare = Alignment.of(corpus.selected, corpus.gold, corpus.gold)
    decisions = decided(bare, {YES: candidates.yes, ORACLE: candidates.oracle})
    return versions_table(decisions | {run.name: run for run in runs}, setting)


def loss_section(run: Alignment, setting: Setting) -> Iterator[Section]:
    """Yield the section on the loss by mentions and by links, if the mention sets differ."""
    if not mentions_differ(run):
        return
    table = loss_table(run, setting)
    losses = zip(("as_is", "mentions", "links"), 1 - table[_MAIN], strict=True)
    grid = _LOSS.grid(table, label=_LABEL, **{name: percent(loss) for name, loss in losses})
    yield Section(
        id=anchor("loss", setting.name, run.name),
        title=f"{run.name}: loss by mentions and by links ({setting.label})",
        blocks=(grid,),
        data=table.assign(system=run.name, setting=setting.name, table="loss"),
    )


def standing_section(run: Alignment, setting: Setting) -> Iterator[Section]:
    """Yield the section on the candidates of a run, if other decisions on them are known."""
    if not run.standing:
        return
    table = versions_table({run.name: run, **decided(run, run.standing)}, setting)
    grid = _DECISIONS.grid(table)
    yield Section(
        id=anchor("standing", setting.name, run.name),
        title=f"{run.name}: other decisions on its candidates ({setting.label})",
        blocks=(replace(grid, below=(*grid.below, *_verdicts(table))),),
        data=table.assign(system=run.name, setting=setting.name, table="standing"),
    )


def bounds_sections(
    experiment: Experiment, candidates: Candidates, corpus: Corpus
) -> Iterator[Section]:
    """Yield a section for each setting: both decisions on the candidates, and each system."""
    for setting in experiment.settings:
        table = bounds_table(candidates, experiment.runs, setting, corpus)
        pairs = counted(candidates.pairs, "candidate pair")
        grid = _WITHIN.grid(table, pairs=pairs, gold=candidates.gold)
        yield Section(
            id=anchor("within", setting.name, candidates.name),
            title=f"Bounds within {candidates.name} ({setting.label})",
            blocks=(replace(grid, below=(*grid.below, *_verdicts(table))),),
            data=table.assign(setting=setting.name, table="within", candidates=candidates.name),
        )


def _verdicts(table: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each system that scores no better than ``yes``."""
    f1 = table.set_index("response")[_MAIN]
    yes = float(f1[YES])
    for name, value in f1.drop([YES, ORACLE]).items():
        if value <= yes:
            yield (
                f"{name} ({_LABEL} F {percent(value)}) does no better than linking every "
                f"candidate ({percent(yes)})"
            )
