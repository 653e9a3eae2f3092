"""Table 1 of the paper: the size of a corpus, by annotation and by cluster size."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from cdec.corpus.model import Corpus

COLUMNS = ("view", "row", "part", "count")
TOTAL = "total"
LEGEND = (
    "singleton: event mentions without a relation; WD, CD: event mentions in an INTRA_DOC_COREF, "
    "a CROSS_DOC_COREF relation; CD chains: instances of CROSS_DOC_COREF relations with an event "
    "mention; WD chains: the same, counted once for each document."
)


def statistics(parts: Mapping[str, Corpus]) -> pd.DataFrame:
    """Return the counts of each part and their totals, tidy: view, row, part, count.

    The view ``annotation`` counts as Table 1 of the paper does, by the relation of a mention. The
    view ``size`` counts by size and spread of the cluster, as scoring does: an instance that is
    annotated across documents may have only one event mention. The view ``kind`` has the mentions
    and chains of each kind, whichever is selected; a chain may have mentions of both kinds.
    """
    counted = [
        (view, row, part, count)
        for part, corpus in parts.items()
        for view, counts in (
            ("annotation", annotation(corpus)),
            ("size", size(corpus)),
            ("kind", kinds(corpus)),
        )
        for row, count in counts.items()
    ]
    table = pd.DataFrame(counted, columns=list(COLUMNS))
    # No topic or chain is in two parts, so that every row is additive.
    totals = table.groupby(["view", "row"], sort=False, as_index=False)["count"].sum()
    together = pd.concat([table, totals.assign(part=TOTAL)], ignore_index=True)
    ordered: pd.DataFrame = together.loc[:, list(COLUMNS)]
    return ordered


def annotation(corpus: Corpus) -> dict[str, int]:
    """Return row of Table 1 → count.

    ``WD chains`` are CROSS_DOC_COREF relations of one document that have an event mention,
    ``CD chains`` their distinct instances: so the published rows count.
    """
    events = corpus.selected
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
    """Return the counts of singletons, within-document and cross-document clusters."""
    clusters = corpus.selected.groupby("chain").agg(
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


def kinds(corpus: Corpus) -> dict[str, int]:
    """Return the mentions, chains (with singletons) and singletons of each kind of mention."""
    counts: dict[str, int] = {}
    for kind in corpus.kinds:
        sizes = corpus.select(kind).selected["chain"].value_counts()
        counts[f"{kind} mentions"] = int(sizes.sum())
        counts[f"{kind} chains"] = len(sizes)
        counts[f"{kind} singletons"] = int((sizes == 1).sum())
    return counts
