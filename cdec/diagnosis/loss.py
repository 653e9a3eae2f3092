"""How much of the loss is due to the mentions of a response, and how much to its links.

* Perfect mentions, same links: response mentions that are not in the key are removed, and key
  mentions that the response lacks become singletons, because it has no links for them.
* Perfect links, same mentions: each response mention of the key gets its key chain; the others
  become singletons.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from cdec.clustering import Clustering
from cdec.evaluation.system_run import SystemRun
from cdec.matching.missing import treated
from cdec.metrics.scores import score
from cdec.settings import Setting

METRICS = ("muc", "b3", "ceafe", "lea", "conll")
AS_IS, MENTIONS, LINKS = "as it is", "perfect mentions, same links", "perfect links, same mentions"
COLUMNS = ("response", *METRICS)


def mentions_differ(run: SystemRun) -> bool:
    """Return whether key and response have different mentions."""
    return set(run.key.labels.index) != set(run.response.labels.index)


def loss_table(run: SystemRun, setting: Setting) -> pd.DataFrame:
    """Return F1 (in [0, 1]) of the response and of its two perfect versions. Columns: COLUMNS."""
    versions = {AS_IS: run, MENTIONS: with_perfect_mentions(run), LINKS: with_perfect_links(run)}
    rows = [{"response": name, **f1_of(version, setting)} for name, version in versions.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def f1_of(run: SystemRun, setting: Setting) -> dict[str, float]:
    """Return F1 of each metric of METRICS."""
    values = score(run.meta_documents(setting), METRICS).values
    return {name: values[name].f1 for name in METRICS}


def with_perfect_mentions(run: SystemRun) -> SystemRun:
    """Return the run with the mentions of the key, and the links of the response."""
    labels = run.response.labels
    inside = Clustering(labels[labels.index.isin(run.key.labels.index)])
    return replace(run, response=treated(run.key, inside, "singletons")[1])


def with_perfect_links(run: SystemRun) -> SystemRun:
    """Return the run with the mentions of the response, and the links of the key."""
    index = run.response.labels.index
    gold = run.key.labels.reindex(index)
    twinless = gold.isna()
    chains = ("key:" + gold.astype(str)).where(~twinless, "own:" + index.to_series().astype(str))
    return replace(run, response=Clustering(chains.astype(object)))
