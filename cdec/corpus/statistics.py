"""Table 1 of the paper: how large a corpus is, by annotation and by cluster size."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from cdec.corpus.model import Corpus

COLUMNS = ("view", "row", "part", "count")
TOTAL = "total"


def statistics(parts: Mapping[str, Corpus]) -> pd.DataFrame:
    """Return the counts of each part and their totals, tidy: view, row, part, count.

    The view ``annotation`` counts as the paper's Table 1 does, by the relation that annotates a
    mention; ``size`` counts by the size and spread of the cluster, which is what scoring sees:
    an instance annotated across documents may have one event mention only.
    """
    counted = [
        (view, row, part, count)
        for part, corpus in parts.items()
        for view, counts in (("annotation", annotation(corpus)), ("size", size(corpus)))
        for row, count in counts.items()
    ]
    table = pd.DataFrame(counted, columns=list(COLUMNS))
    # Topics never belong to two parts, nor do chains: each column sums.
    totals = table.groupby(["view", "row"], sort=False, as_index=False)["count"].sum()
    together = pd.concat([table, totals.assign(part=TOTAL)], ignore_index=True)
    ordered: pd.DataFrame = together.loc[:, list(COLUMNS)]
    return ordered


def annotation(corpus: Corpus) -> dict[str, int]:
    """Return row of Table 1 → count.

    ``WD chains`` are CROSS_DOC_COREF relations of one document that hold an event mention,
    ``CD chains`` the distinct instances they name: this is what the printed rows count.
    """
    events = corpus.events
    relation = events["relation"]
    across = events[relation == "cross_doc"]
    return {
        "docs": len(corpus.documents),
        "topics": len({d.topic for d in corpus.documents.values()}),
        "sub-topics": len({d.subtopic for d in corpus.documents.values()}),
        "ev. mentions": len(events),
        "singleton": int((relation == "none").sum()),
        "WD": int((relation == "intra_doc").sum()),
        "CD": len(across),
        "WD chains": len(across[["doc", "chain"]].drop_duplicates()),
        "CD chains": across["chain"].nunique(),
    }


def size(corpus: Corpus) -> dict[str, int]:
    """Return the mentions and clusters by what the cluster is: alone, in one document, in more."""
    clusters = corpus.events.groupby("chain").agg(
        mentions=("doc", "size"), docs=("doc", "nunique"), subtopics=("subtopic", "nunique")
    )
    within = clusters[(clusters["mentions"] > 1) & (clusters["docs"] == 1)]
    across = clusters[clusters["docs"] > 1]
    return {
        "singletons": int((clusters["mentions"] == 1).sum()),
        "mentions in within-document clusters": int(within["mentions"].sum()),
        "within-document clusters": len(within),
        "mentions in cross-document clusters": int(across["mentions"].sum()),
        "cross-document clusters": len(across),
        "clusters across sub-topics": int((clusters["subtopics"] > 1).sum()),
    }
