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

from cdec.arrays import NAME, Ints
from cdec.clustering import SIDES, Side
from cdec.errors import Notice, UsageError, notice, spelled
from cdec.formats import reading
from cdec.formats.annotation import Annotation, Layout, object_array
from cdec.matching import names, offsets, tokens
from cdec.matching.alignment import Alignment
from cdec.matching.match import (
    SPAN,
    across_documents,
    labelled,
    of_trees,
    side_by_side,
    with_label_scope,
)
from cdec.matching.notices import contrary, on_documents, said
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.matching.repeats import key_without_repeats
from cdec.matching.unknown import NO_DOCUMENT, NO_ID, NO_TOKENS, check_unknown

_AS_KEY = re.compile("(?<![a-z])(?:key|gold)(?![a-z])")
_AS_RESPONSE = re.compile("response|predict|pred_|_pred|system")


def match_files(
    key: Annotation,
    response: Annotation,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    across: bool,
    same_labels: bool = False,
) -> Alignment:
    """Match two files. Mentions are the same if document and tokens are the same, or by the rule.

    ``across``: whether chains can cross documents, for singletons that each side drops; if so,
    ``same_labels``: the caller says that the same label is the same chain.
    CoNLL files with a common ``#begin document`` name are compared as by the reference scorer: by
    position in the block. The mentions of a document that the key does not have are twinless, or
    left out as ``policy.unknown`` says; missing documents count as empty. A mention that the key
    has in several chains is in the one that opens first. Raises ScoringError for texts that differ
    in length or in half of their words, and for a response without any mention of the key (unless
    ``policy.allow_empty``).

    >>> from cdec.formats import mention_table
    >>> key, response = (
    ...     Annotation(name, "jsonl", mention_table(["d"] * 2, at, at, ["x", "x"]), {"d": None})
    ...     for name, at in (("k", [0, 1]), ("r", [1, 2]))
    ... )
    >>> matched = match_files(key, response, across=False)
    >>> matched.key, [notice.code for notice in matched.notices]
    (Clustering(2 mentions in 1 chain), ['missing-mention', 'twinless'])
    """
    unknown = policy.unknown or "twinless"
    policy = replace(policy, unknown=None if unknown == "twinless" else unknown)  # it is signed
    key = labelled(key.as_key(), "key", policy.noise)
    if key.trees is not None:
        response = of_trees("placed")(response, key.trees)
    response = labelled(response, "response", policy.noise)
    of_labels: list[Notice] = []
    if across:
        if key.trees is not None:
            key = across_documents(key)
        if response.trees is not None:
            response = across_documents(response)
        stated = None
        if policy.labels is not None:
            stated = policy.labels_of(response.name)
        key, of_key = _with_label_scope(key, "key", policy.key_labels, same_labels=same_labels)
        response, of_response = _with_label_scope(
            response, "response", stated, same_labels=same_labels
        )
        of_labels = [*of_key, *of_response]
    if key.trees is not None and response.trees is not None:
        aligned = cast("Alignment", of_trees("matched")(key, response, policy, across=across))
        return replace(aligned, notices=(*of_labels, *aligned.notices))
    _check_files(key, response, policy)
    ours, theirs = _named(key, response)
    ours, theirs, pairs = _paired(ours, theirs)
    notices = [*of_labels, *theirs.notices, *ours.notices]
    placed = theirs
    if ours.documents.keys() != theirs.documents.keys():
        notices += on_documents(ours.documents, theirs, pairs, unknown=unknown)
        placed = tokens.renamed(theirs, {doc: pairs.get(doc, doc) for doc in theirs.documents})
    notices += exchanged(key, response)
    if all(tokens.lines_have_ids(file) for file in (ours, placed)):
        placed, of_ids = tokens.by_ids(ours, placed)
        notices += of_ids
    if ours.can_have_words or placed.can_have_words:
        ours, placed, by_words = _by_words(ours, placed)
        notices += by_words
    ours, placed = tokens.in_files(ours, placed)
    notices += tokens.file_words(ours, placed)
    if policy.singletons == "drop":
        ours = _without_singletons(ours, across)
        placed = _without_singletons(placed, across)
    ours, placed, more = _indexed(ours, placed)
    if not ours.mentions.index.is_unique:
        table, repeated = key_without_repeats(ours.mentions, ours, policy.repeats)
        ours = replace(ours, mentions=table)
        more += repeated
    if unknown != "twinless":
        rows = replace(placed, mentions=placed.mentions.reset_index(drop=True))
        reasons = _unknown_to(ours, placed)
        more += check_unknown(rows, reasons, unknown, "the key")
        is_kept = ~rows.mentions.index.isin(reasons.index)
        placed = replace(placed, mentions=placed.mentions[is_kept])
    notices += [*more, *recurring_labels(ours.mentions, placed.mentions)]
    gold = ours.mentions.filter([*SPAN, "chain", NAME])
    return side_by_side(gold, placed, ours, policy, notices, across=across)


def _check_files(key: Annotation, response: Annotation, policy: FilePolicy) -> None:
    """Raise UsageError for a choice about CoNLL-U, FormatError for mentions without identity."""
    if policy.zeros != DEFAULT_POLICY.zeros:
        message = f"{spelled('zeros', policy.zeros)} has no effect: the files have no empty nodes"
        hint = f"use {spelled('zeros', DEFAULT_POLICY.zeros)}, or two CoNLL-U files"
        raise UsageError("option-conflict", message, hint=hint)
    for file in (key, response):
        reading.check_identity(file.reading, file.name)


def _with_label_scope(
    file: Annotation, side: Side, stated: str | None, *, same_labels: bool
) -> tuple[Annotation, list[Notice]]:
    """Return the file as ``with_label_scope``, and notices.

    ``stated`` is what the caller says of this side. With ``same_labels`` the caller says of both
    that the same label is the same chain; there is a warning if labels look otherwise.
    """
    documents = names.with_documents(file).mentions["doc"]
    labels = file.mentions["chain"]
    if stated is None and same_labels:
        if "labels" in file.reading or not reading.look_local(documents, labels):
            return file, []
        option = "key_labels" if side == "key" else "labels"
        message = (
            f"the {side} numbers its chains anew in each document, and a label is read as one "
            f"chain of all documents; if it is not, say {spelled(option, 'document')}"
        )
        recurring = reading.recurring_labels(documents, labels)
        return file, [notice("scope-ambiguous", message, recurring)]
    located = replace(file, mentions=file.mentions.assign(doc=documents))
    settled = with_label_scope(located, side, stated)
    mentions = file.mentions.assign(chain=settled.mentions["chain"])
    return replace(file, mentions=mentions, reading=settled.reading), []


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
    layout = given.layout
    docs = given.mentions["doc"]
    shift = docs.map({doc: at.offset for doc, at in layout.items()}).astype(np.int64)
    moved = given.mentions.assign(
        doc=docs.map({doc: at.block for doc, at in layout.items()}).astype(object),
        start=given.mentions["start"] + shift,
        end=given.mentions["end"] + shift,
    )
    texts = dict[str, tuple[str, ...] | None]()
    lines = dict[str, Ints]()
    for doc, at in layout.items():
        text = given.documents[doc]
        before = texts.get(at.block, ())
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
    those of the other side.
    """
    tables = (key.mentions, response.mentions)
    places = []
    notices = list[Notice]()
    for table in tables:
        own = pd.Series(names.mention_ids(table), table.index, dtype=object)
        if "conll" in {key.format, response.format} and table["tokens"].map(len).any():
            flat = names.mention_ids(table.assign(tokens=object_array([()] * len(table))))
            filled = pd.Series(flat, table.index, dtype=object)
            own = own.where(filled.duplicated(keep=False), filled)
        places.append(own)
    if any((table["mention"] != "").any() for table in tables):
        ids = [*map(names.whole_ids, tables)]
        named = []
        for table, own, at in zip(tables, ids, places, strict=True):
            has_tokens = table["start"] >= 0
            named.append(dict(zip(own[has_tokens], at[has_tokens], strict=True)))
        notices = contrary(response, ids[1], ids[1].map(named[0].get), places[1])
        for side, name in enumerate(SIDES):
            bare = tables[side]["start"] < 0
            other = tables[1 - side]
            there = ids[side].map(named[1 - side].get).fillna(places[side])
            places[side] = places[side].where(~bare, there)
            if not (other["mention"] != "").any():
                rest = "with an id but no tokens, and the other file has no ids"
                lost = tables[side]["mention"][bare]
                notices += said("mention-unknown", lost, f"mention of the {name}", rest)
    ours, theirs = (
        replace(file, mentions=file.mentions.set_index(pd.Index(index, dtype=object)))
        for file, index in zip((key, response), places, strict=True)
    )
    return ours, theirs, notices


def _unknown_to(key: Annotation, response: Annotation) -> pd.Series[str]:
    """Return row → reason for the mentions of a response that a key file cannot have."""
    table = response.mentions
    sizes = {doc: len(text) for doc, text in key.documents.items() if text is not None}
    sizes |= {doc: len(layout.lines) for doc, layout in key.layout.items()}
    tests = {
        NO_TOKENS: table["end"] >= table["doc"].map(sizes),
        NO_ID: (table["start"] < 0) & ~table.index.isin(key.mentions.index),
        NO_DOCUMENT: ~table["doc"].isin(list(key.documents)),
    }
    reasons = pd.Series("", range(len(table)), dtype=object)
    for reason, is_unknown in tests.items():
        reasons[is_unknown.to_numpy()] = reason
    return reasons[reasons != ""]


def exchanged(key: Annotation, response: Annotation) -> list[Notice]:
    """Return a notice if content or names suggest that a file is on the wrong side.

    It is a warning if the names of both files are those of the other side. A file that has both
    sides is the key and the response.
    """
    if response.gold is not None and key.digest == response.digest:
        return []
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
        rest = f"of the {side} in several documents; if chains cross documents, use "
        rest += spelled("scope", "corpus")
        if len(labels):
            return said("scope-ambiguous", labels, "chain label", rest, warning=False)
    return []
