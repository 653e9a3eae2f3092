"""The size of a corpus, by annotation (Table 1 of the paper) or content, and by cluster size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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

    The view ``annotation`` counts as Table 1 of the paper does, by the relation of a mention; a
    corpus whose mentions have no relations has the view ``content`` instead. The view ``size``
    counts by size and spread of the cluster, as scoring does: an instance that is annotated across
    documents may have only one event mention. The view ``kind`` has the mentions and chains of
    each kind, whichever is selected; a chain may have mentions of both kinds.
    """
    related = any((corpus.mentions["relation"] != "").any() for corpus in parts.values())
    content = {part: annotation(c) if related else counts([c]) for part, c in parts.items()}
    views = {
        "annotation" if related else "content": content,
        "size": {part: size(corpus) for part, corpus in parts.items()},
        "kind": {part: kinds(corpus) for part, corpus in parts.items()},
    }
    counted = [
        (view, row, part, count)
        for part in parts
        for view, each in views.items()
        for row, count in each[part].items()
    ]
    table = pd.DataFrame(counted, columns=list(COLUMNS))
    totals = table.groupby(["view", "row"], sort=False, as_index=False)["count"].sum()
    if not related:  # the parts may share a topic; everything else is additive
        whole = pd.Series(counts(parts.values()))
        shared = totals["view"] == "content"
        totals.loc[shared, "count"] = totals.loc[shared, "row"].map(whole)
    together = pd.concat([table, totals.assign(part=TOTAL)], ignore_index=True)
    ordered: pd.DataFrame = together.loc[:, list(COLUMNS)]
    return ordered


def counts(corpora: Iterable[Corpus]) -> dict[str, int]:
    """Return the documents, units of each level, tokens, mentions and chains of several corpora."""
    parts = list(corpora)
    documents = [document for part in parts for document in part.documents.values()]
    names: dict[str, set[Any]] = {
        "topic": {document.topic for document in documents},
        "subtopic": {(document.topic, document.subtopic) for document in documents},
    }
    levels = dict(item for part in parts for item in part.levels.items())
    text = "full" in {part.text for part in parts}
    return {
        "documents": len(documents),
        **{f"{name}s": len(names[level]) for level, name in levels.items()},
        **({"tokens": sum(len(document.tokens) for document in documents)} if text else {}),
        "mentions": sum(len(part.selected) for part in parts),
        "chains": len({chain for part in parts for chain in part.selected["chain"]}),
    }


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
    } | (
        {"clusters across sub-topics": int((clusters["subtopics"] > 1).sum())}
        if "subtopic" in corpus.levels
        else {}
    )


def kinds(corpus: Corpus) -> dict[str, int]:
    """Return the mentions, chains (with singletons) and singletons of each kind of mention."""
    counts: dict[str, int] = {}
    for kind in corpus.kinds:
        sizes = corpus.select(kind).selected["chain"].value_counts()
        counts[f"{kind} mentions"] = int(sizes.sum())
        counts[f"{kind} chains"] = len(sizes)
        counts[f"{kind} singletons"] = int((sizes == 1).sum())
    return counts
