"""How much of the loss is due to mentions and how much to links, and two decisions on candidates.

* Perfect mentions, same links: response mentions that are not in the key are removed, and key
  mentions that the response lacks become singletons, because it has no links for them.
* Perfect links, same mentions: each response mention of the key gets its key chain; the others
  become singletons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.evaluation.experiment import Experiment
from cdec.matching.alignment import Alignment
from cdec.matching.notices import treated
from cdec.metrics import REGISTRY, score
from cdec.pairs.within import ORACLE, YES, Decisions
from cdec.render.numbers import percent
from cdec.render.page import Grid, Section, anchor
from cdec.render.table import Columns, Table
from cdec.settings import Setting

METRICS = ("muc", "b3", "ceafe", "lea", "conll")
_AS_IS = "as it is"
_MENTIONS, _LINKS = "perfect mentions, same links", "perfect links, same mentions"
_LABEL = REGISTRY["conll"].label
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
    f"{_LABEL} F is {{as_is}} points below 100; {{mentions}} with perfect mentions, {{links}} with "
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


def f1_table(versions: Mapping[str, Alignment], setting: Setting) -> pd.DataFrame:
    """Return F1 (in [0, 1]) of METRICS of each run: columns ``response`` (its name), then these."""
    scores = {n: score(setting.build(run.mentions), METRICS).values for n, run in versions.items()}
    rows = [[name, *(each[metric].f1 for metric in METRICS)] for name, each in scores.items()]
    return pd.DataFrame(rows, columns=["response", *METRICS])


def loss_section(run: Alignment, setting: Setting) -> Iterator[Section]:
    """Yield the section on the loss by mentions and by links, if the mention sets differ."""
    if run.has_same_mentions:
        return
    mentions = run.mentions
    of_key = mentions["response"].where(mentions["key"].notna())
    perfect = replace(run, mentions=treated(mentions.assign(response=of_key), "singletons"))
    given = mentions["response"].notna()
    own = "own:" + mentions.index.to_series().astype(str)
    chains = ("key:" + mentions["key"].astype(str)).where(mentions["key"].notna(), own)
    linked = run.having("response", Clustering(chains[given].astype(object)))
    table = f1_table({_AS_IS: run, _MENTIONS: perfect, _LINKS: linked}, setting)
    names, losses = ("as_is", "mentions", "links"), map(percent, 1 - table["conll"])
    yield Section(
        id=anchor("loss", setting.name, run.name),
        title=f"{run.name}: loss by mentions and by links ({setting.label})",
        blocks=(_LOSS.grid(table, **dict(zip(names, losses, strict=True))),),
        data=table.assign(system=run.name, setting=setting.name, table="loss"),
    )


def standing_section(run: Alignment, setting: Setting) -> Iterator[Section]:
    """Yield the section on the candidates of a run, if other decisions on them are known."""
    if not run.standing:
        return
    others = {name: run.having("response", chains) for name, chains in run.standing.items()}
    table = f1_table({run.name: run, **others}, setting)
    title = f"{run.name}: other decisions on its candidates ({setting.label})"
    id_, grid = anchor("standing", setting.name, run.name), _DECISIONS.grid(table)
    data = table.assign(system=run.name, setting=setting.name, table="standing")
    yield Section(id_, title, (_judged(grid, table),), data)


def bounds_sections(
    experiment: Experiment, decided: Decisions, corpus: Corpus
) -> Iterator[Section]:
    """Yield a section for each setting: both decisions on the candidates, and each system.

    The decisions have the mentions of the key.
    """
    bare = Alignment.of(corpus.selected, corpus.gold, corpus.gold)
    versions = {name: bare.having("response", each) for name, each in decided.chains.items()}
    versions |= {run.name: run for run in experiment.runs}
    pairs = counted(decided.pairs, "candidate pair")
    for setting in experiment.settings:
        table = f1_table(versions, setting)
        title = f"Bounds within {decided.name} ({setting.label})"
        id_ = anchor("within", setting.name, decided.name)
        grid = _WITHIN.grid(table, pairs=pairs, gold=decided.gold)
        data = table.assign(setting=setting.name, table="within", candidates=decided.name)
        yield Section(id_, title, (_judged(grid, table),), data)


def _judged(grid: Grid, table: pd.DataFrame) -> Grid:
    """Return the grid with a sentence on each system that scores no better than ``YES``."""
    f1 = table.set_index("response")["conll"]
    yes = float(f1[YES])
    low = f1.drop([YES, ORACLE])
    verdicts = [
        f"{name} ({_LABEL} F {percent(value)}) does no better than linking every candidate "
        f"({percent(yes)})"
        for name, value in low[low <= yes].items()
    ]
    return replace(grid, below=(*grid.below, *verdicts))
