"""The size of a corpus, by annotation (Table 1 of the paper) or content, and by cluster size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from cdec.corpus.model import ALL_KINDS, ENTITY, EVENT, Corpus
from cdec.corpus.splits import TOTAL
from cdec.errors import plural
from cdec.render.page import Page
from cdec.rooms import added, imported
from cdec.signature import Signature, in_json

COLUMNS = ("view", "row", "part", "count")
_MENTION = {EVENT: "event mention", ENTITY: "entity mention", ALL_KINDS: "mention"}
_VIEWS = {
    "annotation": "by annotation",
    "content": "content",
    "size": "by cluster size",
    "kind": "by kind",
}
_PRINTED = ["view", "row", "part", "printed"]


def legend(kind: str) -> str:
    """Return what the rows of Table 1 count for mentions of this kind."""
    one = _MENTION[kind]
    return (
        f"singleton: {one}s without a relation; WD, CD: {one}s in an INTRA_DOC_COREF, a "
        f"CROSS_DOC_COREF relation; CD chains: instances of CROSS_DOC_COREF relations with "
        f"{'a' if kind == ALL_KINDS else 'an'} {one}; WD chains: the same, counted once for each "
        "document."
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
    views = {
        "annotation" if related else "content": annotation if related else counts,
        "size": size,
        "kind": kinds,
    }
    # The parts may share topics and chains: their total is counted anew.
    counted = [
        (view, row, part, count)
        for part, corpus in {**parts, TOTAL: _union(parts.values())}.items()
        for view, function in views.items()
        for row, count in function(corpus).items()
    ]
    return pd.DataFrame(counted, columns=list(COLUMNS))


def _union(parts: Iterable[Corpus]) -> Corpus:
    """Return the documents and mentions of all parts as one corpus."""
    first, *others = parts
    documents = dict(first.documents)
    for part in others:
        documents |= part.documents
    mentions = pd.concat([part.mentions for part in (first, *others)])
    return replace(first, documents=documents, mentions=mentions[~mentions.index.duplicated()])


def counts(corpus: Corpus) -> dict[str, int]:
    """Return the documents, units of each level, tokens, mentions and chains of a corpus."""
    documents = corpus.documents.values()
    units: dict[str, set[Any]] = {
        "topic": {document.topic for document in documents},
        "subtopic": {(document.topic, document.subtopic) for document in documents},
    }
    tokens = {"tokens": sum(len(document.tokens) for document in documents)}
    return {
        "documents": len(documents),
        **{plural(name): len(units[level]) for level, name in corpus.levels.items()},
        **(tokens if corpus.text == "full" else {}),
        "mentions": len(corpus.selected),
        "chains": corpus.selected["chain"].nunique(),
    }


def annotation(corpus: Corpus) -> dict[str, int]:
    """Return row of Table 1 → count.

    ``WD chains`` are CROSS_DOC_COREF relations of one document that have a selected
    mention, ``CD chains`` their distinct instances: so the published rows count.
    """
    mentions = corpus.selected
    relation = mentions["relation"]
    across = mentions[relation == "cross_doc"]
    return {
        "docs": len(corpus.documents),
        "topics": len({d.topic for d in corpus.documents.values()}),
        "sub-topics": len({d.subtopic for d in corpus.documents.values()}),
        "ev. mentions" if corpus.kind == EVENT else "mentions": len(mentions),
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


def statistics_page(table: pd.DataFrame, corpus: Corpus, split: str) -> Page:
    """Return ``statistics`` (cdec.corpus) as a page, with published counts if available."""
    printed_table = _printed(corpus.name, split, corpus.kind)
    has_print = printed_table is not None
    about = Signature.from_fields(**(corpus.about | {"split": split}))
    data = table if printed_table is None else table.merge(printed_table[_PRINTED], how="left")
    parts = list(dict.fromkeys(data["part"]))
    counts = data.pivot(index=["view", "row"], columns="part", values="count")
    order = list(dict.fromkeys(zip(data["view"], data["row"], strict=True)))
    view = counts.loc[order, parts].astype(str)
    if has_print:
        printed = data.pivot(index=["view", "row"], columns="part", values="printed")
        for part in parts:
            view[f"{part} printed"] = printed.loc[order, part].map(_cell)
    related = "annotation" in set(data["view"])
    view = view.reset_index().replace({"view": _VIEWS})
    return Page.from_table(
        view.rename(columns={"view": "", "row": "Table 1" if related else "count"}),
        data,
        notes=(*_notes(data, has_print, corpus.kind), str(about)) if related else (str(about),),
        about=in_json(about),
    )


def _printed(*about: str) -> pd.DataFrame | None:
    """Return the published counts for this corpus, split and kind of mention, if there are any."""
    known = (imported(text)(*about) for text in added("published counts").values())
    return next((table for table in known if table is not None), None)


def _notes(data: pd.DataFrame, has_print: bool, kind: str) -> tuple[str, ...]:
    if not has_print:
        return (legend(kind),)
    mentions = data[(data["row"] == "ev. mentions") & data["printed"].notna()]
    columns = int(mentions.loc[mentions["part"] != TOTAL, "printed"].sum())
    total = int(mentions.loc[mentions["part"] == TOTAL, "printed"].iloc[0])
    note = f"the published total of event mentions, {total}, is not the sum of its row, {columns}"
    return (legend(kind), note)


def _cell(value: float) -> str:
    return "" if pd.isna(value) else str(int(value))
