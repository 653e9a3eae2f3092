"""The size of a corpus and of its parts: Table 1 of the paper, chains by size, and by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from cdec.corpus.model import ALL_KINDS, ENTITY, EVENT, Corpus, Document
from cdec.corpus.splits import TOTAL
from cdec.errors import plural
from cdec.render.page import Page
from cdec.signature import Signature, in_json

_MENTION = {
    EVENT: "an event mention",
    ENTITY: "an entity mention",
    ALL_KINDS: "a mention",
}
_VIEWS = {
    "annotation": "by annotation",
    "content": "content",
    "size": "by cluster size",
    "kind": "by kind",
}


def statistics(parts: Mapping[str, Corpus]) -> pd.DataFrame:
    """Return the counts of each part and their totals, tidy: view, row, part, count.

    The view ``annotation`` counts as Table 1 of the paper does, by the relation of a mention; a
    corpus whose mentions have no relations has the view ``content`` instead. The view ``size``
    counts by size and spread of the cluster, as scoring does: an instance that is annotated across
    documents may have only one event mention. The view ``kind`` has the mentions and chains of
    each kind, whichever is selected; a chain may have mentions of both kinds.
    """
    # The parts may share topics and chains: their total is counted anew.
    every = pd.concat([part.mentions for part in parts.values()])
    documents: dict[str, Document] = {}
    for part in parts.values():
        documents |= part.documents
    mentions = every[~every.index.duplicated()]
    total = replace(next(iter(parts.values())), documents=documents, mentions=mentions)
    is_related = bool((mentions["relation"] != "").any())
    views = {"annotation": _annotation} if is_related else {"content": _content}
    views |= {"size": _sizes, "kind": _kinds}
    rows = [
        (view, row, part, count)
        for part, corpus in {**parts, TOTAL: total}.items()
        for view, count_rows in views.items()
        for row, count in count_rows(corpus).items()
    ]
    return pd.DataFrame(rows, columns=["view", "row", "part", "count"])


def counts(corpus: Corpus) -> dict[str, int]:
    """Return the counts of documents, their levels, tokens, the key, and each kind of mention."""
    return _content(corpus) | _kinds(corpus)


def _content(corpus: Corpus) -> dict[str, int]:
    documents = corpus.documents.values()
    content = {"documents": len(documents)}
    for level, name in corpus.levels.items():
        homes = {(document.topic, getattr(document, level)) for document in documents}
        content[plural(name)] = len(homes)
    if corpus.text == "full":
        content["tokens"] = sum(len(document.tokens) for document in documents)
    chains = corpus.selected["chain"]
    content["mentions"] = len(chains)
    content["chains"] = chains.nunique()
    return content


def _annotation(corpus: Corpus) -> dict[str, int]:
    """Return row of Table 1 → count.

    ``WD chains`` are CROSS_DOC_COREF relations of one document that have a selected
    mention, ``CD chains`` their distinct instances: so the published rows count.
    """
    mentions = corpus.selected
    documents = corpus.documents.values()
    sizes = mentions.groupby("relation").size()
    across = mentions[mentions["relation"] == "cross_doc"]
    return {
        "docs": len(documents),
        "topics": len({document.topic for document in documents}),
        "sub-topics": len({document.subtopic for document in documents}),
        "ev. mentions" if corpus.kind == EVENT else "mentions": len(mentions),
        "singleton": int(sizes.get("none", 0)),
        "WD": int(sizes.get("intra_doc", 0)),
        "CD": len(across),
        "WD chains": len(across.groupby(["doc", "chain"])),
        "CD chains": across["chain"].nunique(),
    }


def _sizes(corpus: Corpus) -> dict[str, int]:
    """Return the counts of singletons, within-document and cross-document clusters."""
    by = corpus.selected.groupby("chain")
    size = by.size()
    spread = by[["doc", "subtopic"]].nunique()
    within = size[(size > 1) & (spread["doc"] == 1)]
    across = size[spread["doc"] > 1]
    counts = {
        "singletons": int((size == 1).sum()),
        "mentions in within-document clusters": int(within.sum()),
        "within-document clusters": len(within),
        "mentions in cross-document clusters": int(across.sum()),
        "cross-document clusters": len(across),
    }
    if "subtopic" in corpus.levels:
        counts["clusters across sub-topics"] = int((spread["subtopic"] > 1).sum())
    return counts


def _kinds(corpus: Corpus) -> dict[str, int]:
    """Return the mentions, chains (with singletons) and singletons of each kind of mention."""
    counts = {}
    for kind in corpus.kinds:
        size = corpus.select(kind).selected.groupby("chain").size()
        counts[f"{kind} mentions"] = int(size.sum())
        counts[f"{kind} chains"] = len(size)
        counts[f"{kind} singletons"] = int((size == 1).sum())
    return counts


def statistics_page(table: pd.DataFrame, corpus: Corpus, split: str) -> Page:
    """Return ``statistics`` as a page."""
    about = Signature.from_fields(**(corpus.about | {"split": split}))
    notes = [str(about)]
    title = "count"
    if "annotation" in set(table["view"]):
        title = "Table 1"
        notes.insert(
            0,
            "singleton: mentions without a relation; WD, CD: mentions in an INTRA_DOC_COREF, a "
            "CROSS_DOC_COREF relation; CD chains: instances of CROSS_DOC_COREF relations with "
            f"{_MENTION[corpus.kind]}; WD chains: the same, counted once for each document.",
        )
    view = table.pivot_table("count", ["view", "row"], "part", "first", sort=False)
    view = view.astype("Int64").astype("string").fillna("").astype(object).reset_index()
    view = view.replace({"view": _VIEWS}).set_axis(
        ["", title, *view.columns[2:]], axis="columns"
    )
    return Page.from_table(
        view,
        table,
        title=f"Counts of {corpus.name}, {split}",
        notes=notes,
        about=in_json(about),
    )
