"""What gold information gives away: chains that respect it, and the bound "yes to all pairs"."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.clustering import Clustering
from cdec.evaluation.response import SystemRun
from cdec.leaderboard.score import Run
from cdec.metrics.scores import score
from cdec.settings import Setting

_LEVELS = ("topic", "subtopic")


def document_closure(mentions: pd.DataFrame) -> Ints:
    """Return the component of each mention's document; gold chains join documents.

    >>> table = pd.DataFrame({"doc": ["a", "b", "c"], "key": [1, 1, 2]})
    >>> document_closure(table).tolist()
    [0, 0, 1]
    """
    docs, chains = pd.factorize(mentions["doc"])[0], pd.factorize(mentions["key"])[0]
    known = chains >= 0
    size = int(docs.max()) + 1
    ends = (docs[known], size + chains[known])
    whole = size + int(chains.max()) + 1
    graph = coo_array((np.ones(int(known.sum())), ends), shape=(whole, whole))
    return np.asarray(connected_components(graph, directed=False)[1][docs], dtype=np.int64)


def units_of_gold(run: Run) -> dict[str, Ints]:
    """Return the groups of mentions that gold information gives: name → group per mention."""
    table = run.mentions
    found = {name: pd.factorize(table[name])[0] for name in _LEVELS if name in table}
    groups = {name: np.asarray(codes) for name, codes in found.items() if codes.max() > 0}
    return {**groups, "closure": document_closure(table)}


def crossings(run: Run) -> dict[str, int]:
    """Return, for each kind of gold groups, the number of response chains in two of them.

    ``singletons`` is the number of gold singletons in a longer chain. 0 agrees with the use of the
    gold information, and does not prove it.
    """
    response = run.mentions["response"]
    counts = {
        name: int(pd.Series(groups).groupby(response).nunique().gt(1).sum())
        for name, groups in units_of_gold(run).items()
    }
    single = run.mentions["key"].map(run.mentions["key"].value_counts()) == 1
    joined = response.map(response.value_counts()) > 1
    return {**counts, "singletons": int((single & joined).sum())}


def bounds(run: Run, settings: tuple[Setting, ...]) -> Iterator[dict[str, object]]:
    """Yield the CoNLL F1 of "yes to all pairs" inside gold groups, per setting.

    The response puts all mentions of a group in one chain; ``singletons`` says whether the gold
    singletons are known, too, and stay alone.
    """
    table, key = run.mentions, run.mentions["key"]
    single = (key.map(key.value_counts()) == 1).to_numpy()
    groups = {"nothing": np.zeros(len(table), dtype=np.int64), **units_of_gold(run)}
    for name, codes in groups.items():
        for known in (False, True):
            alone = np.arange(len(table)) + int(codes.max()) + 1
            labels = pd.Series(np.where(single & known, alone, codes), table.index)
            yes = SystemRun("", table[[*run.columns]], Clustering(key.dropna()), Clustering(labels))
            for setting in settings:
                f1 = score(yes.meta_documents(setting), ["conll"])["conll"].f1
                row = {"knows": name, "singletons": known, "setting": setting.name}
                yield {**row, "conll": f1}
