"""Match two files: a key and a response, without a corpus.

Documents, tokens and ids are made those of the key; then ``match`` lays both side by side.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath
from typing import cast

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import SIDES
from cdec.errors import Notice, ScoringError
from cdec.formats.annotation import Annotation, Layout, object_array
from cdec.matching import names, offsets, tokens
from cdec.matching.alignment import Alignment
from cdec.matching.match import SPAN, labelled, of_trees, side_by_side
from cdec.matching.notices import contrary, on_documents, said
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy

_AS_KEY = re.compile("(?<![a-z])(?:key|gold)(?![a-z])")
_AS_RESPONSE = re.compile("response|predict|pred_|_pred|system")


def match_files(
    key: Annotation,
    response: Annotation,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    across: bool,
) -> Alignment:
    """Match two files. Mentions are the same if document and tokens are the same, or by the rule.

    ``across``: whether chains can cross documents, for singletons that each side drops.
    CoNLL files with a common ``#begin document`` name are compared as by the reference scorer: by
    position in the block. The mentions of a document that the key does not have are twinless;
    missing documents count as empty. Raises ScoringError for a duplicate mention in the key, texts
    that differ in length or (unless ``policy`` allows it) in words, and for a response without any
    mention of the key (unless ``policy.allow_empty``).

    >>> from cdec.formats import mention_table
    >>> key, response = (
    ...     Annotation(name, "jsonl", mention_table(["d"] * 2, at, at, ["x", "x"]), {"d": None})
    ...     for name, at in (("k", [0, 1]), ("r", [1, 2]))
    ... )
    >>> matched = match_files(key, response, across=False)
    >>> matched.key, [notice.code for notice in matched.notices]
    (Clustering(2 mentions in 1 chain), ['missing-mention', 'twinless'])
    """
    key = labelled(key.as_key(), "key", policy.noise)
    if key.trees is not None:
        response = of_trees("placed")(response, key.trees)
    response = labelled(response, "response", policy.noise)
    if key.trees is not None and response.trees is not None:
        return cast("Alignment", of_trees("matched")(key, response, policy, across=across))
    ours, theirs = _named(key, response)
    ours, theirs, pairs = _paired(ours, theirs)
    notices = [*theirs.notices, *ours.notices]
    placed = theirs
    if ours.documents.keys() != theirs.documents.keys():
        notices += on_documents(ours.documents, theirs, pairs)
        placed = tokens.renamed(theirs, {doc: pairs.get(doc, doc) for doc in theirs.documents})
    notices += exchanged(key, response)
    ours, placed, by_words = _by_words(ours, placed)
    notices += by_words
    ours, placed = tokens.in_files(ours, placed)
    notices += tokens.file_words(ours, placed)
    if policy.singletons == "drop":
        ours, placed = _without_singletons(ours, across), _without_singletons(placed, across)
    ours, placed, more = _indexed(ours, placed)
    notices += [*more, *recurring_labels(ours.mentions, placed.mentions)]
    gold = ours.mentions[[*SPAN, "chain"]]
    return side_by_side(gold, placed, ours, policy, notices, across=across)


def _paired(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation, dict[str, str]]:
    """Return both files, and document of the response → document of the key.

    If no name fits, or documents have none, the response has the names of the documents with the
    same words.
    """
    are_unnamed = names.are_unnamed(key) or names.are_unnamed(response)
    pairs: dict[str, str] = {}
    if not are_unnamed:
        pairs = names.pair_documents(response.documents, key.documents, response.name)
    if not pairs:
        by_words = names.with_names_by_words(response, key.documents)
        if by_words is not None:
            key = replace(key, notices=names.notices_by_words(key))
            return key, by_words, {doc: doc for doc in by_words.documents}
    if are_unnamed:
        pairs = names.pair_documents(response.documents, key.documents, response.name)
        if not pairs and len(key.documents) == len(response.documents) == 1:
            # The only documents of two files are the same if one has the name of its file only.
            pairs = dict(zip(response.documents, key.documents, strict=True))
    return key, response, pairs


def _by_words(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation, list[Notice]]:
    """Return both files with the places that the words of their mentions show, and notices.

    The text is that of the file of the mention, or of the other if it has none.
    """
    sides = [key, response]
    notices: list[Notice] = []
    for number, other_side in enumerate((response, key)):
        side = sides[number]
        texts = {doc: text or other_side.documents.get(doc) for doc, text in side.documents.items()}
        layouts = {**other_side.layout, **side.layout}
        sentences = {doc: layout.sentences for doc, layout in layouts.items()}
        sides[number], by_words = offsets.place_by_words(side, texts, sentences)
        notices += by_words
    return sides[0], sides[1], notices


def _named(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation]:
    """Return both files by block or by document, so that their names match."""
    sides = key, response
    if any(at.block != doc for side in sides for doc, at in side.layout.items()):
        ours, theirs = (sorted({at.block for at in side.layout.values()}) for side in sides)
        if ours and theirs and names.pair_documents(theirs, ours, response.name):
            return _by_block(key), _by_block(response)
    if not any((side.mentions["start"] < 0).any() for side in sides):
        return sides
    ids = [{*side.mentions["mention"][side.mentions["start"] >= 0]} for side in sides]
    sides = names.with_tokens(key, ids[1]), names.with_tokens(response, ids[0])
    if ("" in sides[0].documents) == ("" in sides[1].documents):
        return sides
    return names.with_documents(sides[0]), names.with_documents(sides[1])


def _by_block(given: Annotation) -> Annotation:
    """Return the file with token numbers that count within each ``#begin document``."""
    layout, docs = given.layout, given.mentions["doc"]
    shift = docs.map({doc: at.offset for doc, at in layout.items()}).astype(np.int64)
    moved = given.mentions.assign(
        doc=docs.map({doc: at.block for doc, at in layout.items()}).astype(object),
        start=given.mentions["start"] + shift,
        end=given.mentions["end"] + shift,
    )
    texts, lines = dict[str, tuple[str, ...] | None](), dict[str, Ints]()
    for doc, at in layout.items():
        text, before = given.documents[doc], texts.get(at.block, ())
        texts[at.block] = None if text is None or before is None else before + text
        lines[at.block] = np.append(lines.get(at.block, at.lines[:0]), at.lines)
    blocks = {name: Layout(name, 0, of_block) for name, of_block in lines.items()}
    return replace(given, mentions=moved, documents=texts, layout=blocks)


def _without_singletons(given: Annotation, across: bool) -> Annotation:
    """Return the file without chains of one mention; repeats in a chain count once.

    ``across``: whether a label in two documents is one chain.
    """
    chain = ["chain"] if across else ["doc", "chain"]
    table = given.mentions
    own = table["doc"] + "\0" + names.mention_ids(table)
    sizes = table.assign(id=own).groupby(chain)["id"].transform("nunique")
    return replace(given, mentions=table[sizes > 1])


def _indexed(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation, list[Notice]]:
    """Return both files with mentions indexed by document and tokens, and notices.

    Brackets cannot express a gap, so gaps are filled if one file is CoNLL, unless another mention
    has the same first and last token. If one side has only the id of a mention, the tokens are
    those of the other side. Raises ScoringError for a duplicate mention in the key.
    """
    tables, places, notices = (key.mentions, response.mentions), [], list[Notice]()
    for table in tables:
        own = pd.Series(names.mention_ids(table), table.index, dtype=object)
        if "conll" in {key.format, response.format} and table["tokens"].map(len).any():
            flat = names.mention_ids(table.assign(tokens=object_array([()] * len(table))))
            filled = pd.Series(flat, table.index, dtype=object)
            own = own.where(filled.duplicated(keep=False), filled)
        places.append(own)
    if any((table["mention"] != "").any() for table in tables):
        ids, named = [*map(names.whole_ids, tables)], []
        for table, own, at in zip(tables, ids, places, strict=True):
            has_tokens = table["start"] >= 0
            named.append(dict(zip(own[has_tokens], at[has_tokens], strict=True)))
        notices = contrary(response, ids[1], ids[1].map(named[0].get), places[1])
        for side, name in enumerate(SIDES):
            bare, other = tables[side]["start"] < 0, tables[1 - side]
            there = ids[side].map(named[1 - side].get).fillna(places[side])
            places[side] = places[side].where(~bare, there)
            if not (other["mention"] != "").any():
                rest = "with an id but no tokens, and the other file has no ids"
                lost = tables[side]["mention"][bare]
                notices += said("mention-unknown", lost, f"mention of the {name}", rest)
    if not places[0].is_unique:
        again = places[0][places[0].duplicated()].iloc[0]
        first, line = key.mentions["line"][places[0] == again].iloc[:2]
        message = f"duplicate mention '{again}' in the key, first at {key.place(first)}"
        hint = "keep one; or are key and response swapped?"
        raise ScoringError("mention-duplicate", message, place=key.place(line), hint=hint)
    ours, theirs = (
        replace(file, mentions=file.mentions.set_index(pd.Index(index, dtype=object)))
        for file, index in zip((key, response), places, strict=True)
    )
    return ours, theirs, notices


def exchanged(key: Annotation, response: Annotation) -> list[Notice]:
    """Return a notice if content or names suggest that a file is on the wrong side.

    It is a warning if the names of both files are those of the other side.
    """
    if key.digest and key.digest == response.digest:
        message = f"the response '{response.name}' has the same content as the key"
        return [Notice("swapped", 1, message, (response.name,), warning=False)]
    ours, theirs = (PurePath(file.name).name.casefold() for file in (key, response))
    if _AS_KEY.search(ours) or not _AS_KEY.search(theirs):
        return []
    message = f"key and response may be swapped: the response is '{response.name}'"
    both = _AS_RESPONSE.search(ours) is not None
    return [Notice("swapped", 1, message, (key.name, response.name), warning=both)]


def recurring_labels(key: pd.DataFrame, response: pd.DataFrame) -> list[Notice]:
    """Return a notice on labels in several documents, of the key or else the response."""
    for side, table in zip(SIDES, (key, response), strict=True):
        documents = table.drop_duplicates(["doc", "chain"])["chain"].value_counts()
        labels = documents.index[documents.to_numpy() > 1]
        rest = f"of the {side} in several documents; if chains cross documents, use scope=corpus"
        if len(labels):
            return said("scope-ambiguous", labels, "chain label", rest)
    return []
