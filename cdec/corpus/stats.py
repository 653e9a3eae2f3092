"""The size of a corpus (Table 1 of the paper), and the lexical diversity of its chains.

Diversity is measured for each part of a corpus and each topic, over event mentions; ``chains``
excludes singletons:

``lemmas``
    mean number of head lemmas of a chain: lexical diversity as in Eirew, Cattan and Dagan (2021),
    *WEC: Deriving a large-scale cross-document event coreference dataset from Wikipedia*, NAACL.
``phrasing``
    phrasing diversity of Zhukova, Hamborg and Gipp (2022), *Towards evaluation of cross-document
    coreference resolution models using datasets with diverse annotation schemes*, LREC. With the
    phrases of a chain grouped by head h, of which |U_h| are distinct out of |P_h|::

        PD = Σ_h |U_h| / |P_h| · Σ_h |U_h| / mentions

    averaged over chains, weighted by their mentions. A phrase is the set of its words in lower
    case without stop words and punctuation; a mention without such a word is left out. The stop
    words are those of scikit-learn, so the values differ slightly from the authors'.
``one_lemma``
    share of the chains whose heads all have one lemma: the chains that Lemma can link.
``found``
    share of the chains that the head lemma identifies: they have one lemma, and no other chain of
    their topic has it. The difference to ``one_lemma`` is due to ambiguity.
``chains_of_lemma``
    mean number of chains (including singletons) in which a head lemma occurs: ambiguity as in
    Cybulska and Vossen (2014), *Using a sledgehammer to crack a nut?*, LREC.
``mtld``
    MTLD of the head lemmas in text order (see ``mtld``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.corpus.model import ALL_KINDS, ENTITY, EVENT, Corpus
from cdec.corpus.splits import TOTAL
from cdec.errors import plural
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.render.table import Table
from cdec.rooms import added, imported
from cdec.signature import Signature, in_json

FACTOR = 0.72
"""The type-token ratio at which a factor of MTLD ends."""
_WHOLE = "all"  # the topic of the row of a part
_MENTION = {EVENT: "event mention", ENTITY: "entity mention", ALL_KINDS: "mention"}
_VIEWS = {
    "annotation": "by annotation",
    "content": "content",
    "size": "by cluster size",
    "kind": "by kind",
}
_SHOWN = Table(
    "",
    {
        "part": "Part",
        "topic": "Topic",
        "chains": ("Chains", str),
        "mentions": ("Mentions", str),
        "lemmas": ("Lemmas a chain", ".2f"),
        "phrasing": ("Phrasing", ".2f"),
        "one_lemma": ("One lemma %", percent),
        "found": ("Found %", percent),
        "chains_of_lemma": ("Chains a lemma", ".2f"),
        "mtld": ("MTLD", ".2f"),
    },
    "Chains, Mentions: without singletons; Lemmas a chain: mean number of head lemmas; "
    "Phrasing: phrasing diversity (Zhukova et al., 2022); One lemma %: chains with one head lemma; "
    "Found %: chains with one head lemma that no other chain of the topic has; Chains a lemma: "
    "mean number of chains with a head lemma, singletons included; "
    "MTLD: of the head lemmas in text order (McCarthy and Jarvis, 2010).{undefined}",
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
    # The parts may share topics and chains: their total is counted anew.
    every = pd.concat([part.mentions for part in parts.values()])
    documents = {id_: one for part in parts.values() for id_, one in part.documents.items()}
    mentions = every[~every.index.duplicated()]
    total = replace(next(iter(parts.values())), documents=documents, mentions=mentions)
    counted = [
        (view, row, part, count)
        for part, corpus in {**parts, TOTAL: total}.items()
        for view, counts in (
            ("annotation", _annotation(corpus)) if related else ("content", _content(corpus)),
            ("size", _sizes(corpus)),
            ("kind", _kinds(corpus)),
        )
        for row, count in counts.items()
    ]
    return pd.DataFrame(counted, columns=["view", "row", "part", "count"])


def _content(corpus: Corpus) -> dict[str, int]:
    documents = corpus.documents.values()
    topics = {document.topic for document in documents}
    subtopics = {(document.topic, document.subtopic) for document in documents}
    levels = {"topic": len(topics), "subtopic": len(subtopics)}
    tokens = sum(len(sentence) for document in documents for sentence in document.sentences)
    return {
        "documents": len(documents),
        **{plural(name): levels[level] for level, name in corpus.levels.items()},
        **({"tokens": tokens} if corpus.text == "full" else {}),
        "mentions": len(corpus.selected),
        "chains": corpus.selected["chain"].nunique(),
    }


def _annotation(corpus: Corpus) -> dict[str, int]:
    """Return row of Table 1 → count.

    ``WD chains`` are CROSS_DOC_COREF relations of one document that have a selected
    mention, ``CD chains`` their distinct instances: so the published rows count.
    """
    mentions, documents = corpus.selected, corpus.documents.values()
    relations = mentions["relation"].value_counts()
    across = mentions[mentions["relation"] == "cross_doc"]
    return {
        "docs": len(documents),
        "topics": len({document.topic for document in documents}),
        "sub-topics": len({document.subtopic for document in documents}),
        "ev. mentions" if corpus.kind == EVENT else "mentions": len(mentions),
        "singleton": int(relations.get("none", 0)),
        "WD": int(relations.get("intra_doc", 0)),
        "CD": len(across),
        "WD chains": len(across[["doc", "chain"]].drop_duplicates()),
        "CD chains": across["chain"].nunique(),
    }


def _sizes(corpus: Corpus) -> dict[str, int]:
    """Return the counts of singletons, within-document and cross-document clusters."""
    clusters = corpus.selected.groupby("chain").agg(
        mentions=("doc", "size"), docs=("doc", "nunique"), subtopics=("subtopic", "nunique")
    )
    within = clusters[(clusters["mentions"] > 1) & (clusters["docs"] == 1)]
    across = clusters[clusters["docs"] > 1]
    counts = {
        "singletons": int((clusters["mentions"] == 1).sum()),
        "mentions in within-document clusters": int(within["mentions"].sum()),
        "within-document clusters": len(within),
        "mentions in cross-document clusters": int(across["mentions"].sum()),
        "cross-document clusters": len(across),
    }
    if "subtopic" in corpus.levels:
        counts["clusters across sub-topics"] = int((clusters["subtopics"] > 1).sum())
    return counts


def _kinds(corpus: Corpus) -> dict[str, int]:
    """Return the mentions, chains (with singletons) and singletons of each kind of mention."""
    counts: dict[str, int] = {}
    for kind in corpus.kinds:
        sizes = corpus.select(kind).selected["chain"].value_counts()
        counts[f"{kind} mentions"] = int(sizes.sum())
        counts[f"{kind} chains"] = len(sizes)
        counts[f"{kind} singletons"] = int((sizes == 1).sum())
    return counts


def statistics_page(table: pd.DataFrame, corpus: Corpus, split: str) -> Page:
    """Return ``statistics`` as a page, with published counts if available."""
    about = Signature.from_fields(**(corpus.about | {"split": split}))
    known = (
        imported(t)(corpus.name, split, corpus.kind) for t in added("published counts").values()
    )
    printed = next((one for one in known if one is not None), None)
    related, shown = "annotation" in set(table["view"]), ["count"]
    one, notes = _MENTION[corpus.kind], []
    if related:
        notes.append(
            f"singleton: {one}s without a relation; WD, CD: {one}s in an INTRA_DOC_COREF, a "
            f"CROSS_DOC_COREF relation; CD chains: instances of CROSS_DOC_COREF relations with "
            f"{'a' if corpus.kind == ALL_KINDS else 'an'} {one}; WD chains: the same, counted once "
            "for each document."
        )
    if printed is not None:
        table = table.merge(printed[["view", "row", "part", "printed"]], how="left")
        shown.append("printed")
        rows = table[(table["row"] == "ev. mentions") & table["printed"].notna()]
        of_total = rows["part"] == TOTAL
        total, parts = (int(rows.loc[at, "printed"].sum()) for at in (of_total, ~of_total))
        notes.append(
            f"the published total of event mentions, {total}, is not the sum of its row, {parts}"
        )
    wide = table.pivot(index=["view", "row"], columns="part", values=shown)
    order = list(dict.fromkeys(zip(table["view"], table["row"], strict=True)))
    view = pd.DataFrame(index=wide.loc[order].index)
    for value in shown:
        for part in dict.fromkeys(table["part"]):
            name = part if value == "count" else f"{part} printed"
            cells = wide.loc[order, (value, part)].astype("Int64")
            view[name] = cells.astype("string").fillna("").astype(object)
    view = view.reset_index().replace({"view": _VIEWS})
    view = view.rename(columns={"view": "", "row": "Table 1" if related else "count"})
    return Page.from_table(view, table, notes=(*notes, str(about)), about=in_json(about))


# Diversity.


def diversity(parts: Mapping[str, Corpus], lemmas: Mapping[str, pd.Series[str]]) -> pd.DataFrame:
    """Return the measures of each part (topic ``all``) and of each of its topics.

    ``lemmas`` maps part → (mention id → lemma of the head). An undefined measure is NaN.
    """
    rows = []
    for part, corpus in parts.items():
        events = corpus.selected[["topic", "chain", "text"]]
        events = events.assign(lemma=lemmas[part].loc[events.index])
        for topic, own in [(_WHOLE, events), *events.groupby("topic", sort=False)]:
            rows.append({"part": part, "topic": topic, **_measures(own)})
    return pd.DataFrame(rows, columns=list(_SHOWN.columns))


def _measures(events: pd.DataFrame) -> dict[str, float | int]:
    linked = events[events.groupby("chain")["chain"].transform("size") > 1]
    lemmas = linked.groupby("chain", sort=False)["lemma"].nunique()
    shared = events.groupby(["topic", "lemma"])["chain"].transform("nunique") > 1
    one = events["chain"].isin(lemmas.index[lemmas == 1])
    found = (~shared[one]).groupby(events["chain"]).all().sum()
    return {
        "chains": len(lemmas),
        "mentions": len(linked),
        "lemmas": lemmas.mean(),
        "phrasing": _phrasing(linked),
        "one_lemma": (lemmas == 1).mean(),
        "found": int(found) / len(lemmas) if len(lemmas) else np.nan,
        "chains_of_lemma": events.groupby("lemma")["chain"].nunique().mean(),
        "mtld": mtld(events["lemma"].tolist()),
    }


def _phrasing(linked: pd.DataFrame) -> float:
    """Return the mean phrasing diversity of the chains, weighted by their mentions."""
    # Imported here: it takes half a second, and other commands do not need it.
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415

    words = [{word.lower() for word in text.split()} for text in linked["text"]]
    content = [{w for w in each if any(map(str.isalnum, w))} for each in words]
    phrases = [" ".join(sorted(each - ENGLISH_STOP_WORDS)) for each in content]
    table = linked.assign(phrase=phrases)[[bool(phrase) for phrase in phrases]]
    heads = table.groupby(["chain", "lemma"])["phrase"].agg(["size", "nunique"])
    share = (heads["nunique"] / heads["size"]).groupby("chain").sum()
    chains = heads.groupby("chain").sum()
    # The numerator of the weighted mean is PD · mentions, summed over chains.
    weighted = float((share * chains["nunique"]).sum())
    return weighted / chains["size"].sum() if len(chains) else np.nan


def mtld(words: Sequence[str]) -> float:
    """Return the measure of textual lexical diversity (MTLD) of a sequence of words.

    The mean length of the stretches in which the type-token ratio is above FACTOR, averaged over
    both directions; the last stretch counts as a partial factor. NaN if no word is repeated.
    McCarthy and Jarvis (2010), *MTLD, vocd-D, and HD-D*, Behavior Research Methods 42.
    """
    lengths = []
    for direction in (words, words[::-1]):
        factors, seen, length = 0.0, set[str](), 0
        for word in direction:
            seen.add(word)
            length += 1
            if len(seen) / length <= FACTOR:
                factors, seen, length = factors + 1, set(), 0
        if length:
            factors += (1 - len(seen) / length) / (1 - FACTOR)
        lengths.append(len(words) / factors if factors else np.nan)
    return sum(lengths) / 2


def diversity_page(table: pd.DataFrame, corpus: Corpus, split: str, nlp: str) -> Page:
    """Return the page for a table of ``diversity``."""
    about = Signature.from_fields(corpus=corpus.name, digest=corpus.digest, split=split, nlp=nlp)
    return _SHOWN.page(table, str(about), about=in_json(about))
