"""Match two files: a key and a response, without a corpus.

Documents, tokens and ids are made those of the key; then ``match`` lays both side by side.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import cast

import numpy as np
import pandas as pd

from cdec.arrays import NAME, Ints, StrSeries
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
    policy = replace(
        policy, unknown=None if unknown == "twinless" else unknown
    )  # it is signed
    key = labelled(key.as_key(), "key", policy.noise)
    if key.trees is not None:
        response = of_trees("placed")(response, key.trees)
    response = labelled(response, "response", policy.noise)
    of_labels: list[Notice] = []
    if across:
        key, response, of_labels = _across_documents(key, response, policy, same_labels)
    if key.trees is not None and response.trees is not None:
        aligned = cast(
            "Alignment", of_trees("matched")(key, response, policy, across=across)
        )
        return replace(aligned, notices=(*of_labels, *aligned.notices))
    _check_files(key, response, policy)
    swapped = exchanged(key, response)
    key, response = _named(key, response)
    key, response, pairs = _paired(key, response)
    notices = [*of_labels, *response.notices, *key.notices]
    if key.documents.keys() != response.documents.keys():
        notices += on_documents(key.documents, response, pairs, unknown=unknown)
        new_names = {doc: pairs.get(doc, doc) for doc in response.documents}
        response = tokens.renamed(response, new_names)
    notices += swapped
    key, response, of_tokens = _counted_alike(key, response)
    notices += of_tokens
    if policy.singletons == "drop":
        key = _without_singletons(key, across)
        response = _without_singletons(response, across)
    key, response, of_ids = _indexed(key, response)
    notices += of_ids
    if not key.mentions.index.is_unique:
        table, repeated = key_without_repeats(key.mentions, key, policy.repeats)
        key = replace(key, mentions=table)
        notices += repeated
    if unknown != "twinless":
        response, of_unknown = _without_unknown(key, response, unknown)
        notices += of_unknown
    notices += recurring_labels(key.mentions, response.mentions)
    gold = key.mentions.filter([*SPAN, "chain", NAME])
    return side_by_side(gold, response, key, policy, notices, across=across)


def _across_documents(
    key: Annotation, response: Annotation, policy: FilePolicy, same_labels: bool
) -> tuple[Annotation, Annotation, list[Notice]]:
    """Return both files with labels of chains that can cross documents, and notices."""
    if key.trees is not None:
        key = across_documents(key)
    if response.trees is not None:
        response = across_documents(response)
    stated = None
    if policy.labels is not None:
        stated = policy.labels_of(response.name)
    key, of_key = _with_label_scope(
        key, "key", policy.key_labels, same_labels=same_labels
    )
    response, of_response = _with_label_scope(
        response, "response", stated, same_labels=same_labels
    )
    return key, response, [*of_key, *of_response]


def _counted_alike(
    key: Annotation, response: Annotation
) -> tuple[Annotation, Annotation, list[Notice]]:
    """Return both files with token numbers that count in the same unit, and notices.

    Raises ScoringError for texts that differ.
    """
    notices = []
    if tokens.lines_have_ids(key) and tokens.lines_have_ids(response):
        response, of_ids = tokens.by_ids(key, response)
        notices += of_ids
    names_and_words = [
        file.mentions.filter(["mention", "words"]) for file in (key, response)
    ]
    if any((texts != "").any(axis=None) for texts in names_and_words):
        key, response, by_words = _by_words(key, response)
        notices += by_words
    key, response = tokens.in_files(key, response)
    notices += tokens.file_words(key, response)
    return key, response, notices


def _check_files(key: Annotation, response: Annotation, policy: FilePolicy) -> None:
    """Raise UsageError for a choice about CoNLL-U, FormatError for mentions without identity."""
    if policy.zeros != DEFAULT_POLICY.zeros:
        raise UsageError(
            "option-conflict",
            f"{spelled('zeros', policy.zeros)} has no effect: the files have no empty nodes",
            hint=f"use {spelled('zeros', DEFAULT_POLICY.zeros)}, or two CoNLL-U files",
        )
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


def _paired(
    key: Annotation, response: Annotation
) -> tuple[Annotation, Annotation, dict[str, str]]:
    """Return both files, and document of the response → document of the key.

    If no name fits, or documents have none, the response has the names of the documents with the
    same words.
    """
    are_unnamed = names.are_unnamed(key) or names.are_unnamed(response)
    pairs = {}
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


def _by_words(
    key: Annotation, response: Annotation
) -> tuple[Annotation, Annotation, list[Notice]]:
    key, of_key = _by_own_words(key, response)
    response, of_response = _by_own_words(response, key)
    return key, response, [*of_key, *of_response]


def _by_own_words(
    file: Annotation, other: Annotation
) -> tuple[Annotation, list[Notice]]:
    """Return a file with the places that the words of its mentions show, and notices.

    The text is that of the file, or of the other if it has none.
    """
    texts = {
        doc: text or other.documents.get(doc) for doc, text in file.documents.items()
    }
    layouts = {**other.layout, **file.layout}
    sentences = {doc: layout.sentences for doc, layout in layouts.items()}
    return offsets.place_by_words(file, texts, sentences)


def _named(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation]:
    """Return both files by block or by document, so that their names match."""
    layouts = [*key.layout.items(), *response.layout.items()]
    if any(layout.block != doc for doc, layout in layouts):
        blocks_of_key = sorted({layout.block for layout in key.layout.values()})
        blocks = sorted({layout.block for layout in response.layout.values()})
        has_blocks = blocks_of_key and blocks
        if has_blocks and names.pair_documents(blocks, blocks_of_key, response.name):
            return _by_block(key), _by_block(response)
    has_tokens_in_key = key.mentions["start"] >= 0
    has_tokens = response.mentions["start"] >= 0
    if has_tokens_in_key.all() and has_tokens.all():
        return key, response
    ids_of_key = {*key.mentions["mention"][has_tokens_in_key]}
    ids = {*response.mentions["mention"][has_tokens]}
    key = names.with_tokens(key, ids)
    response = names.with_tokens(response, ids_of_key)
    if ("" in key.documents) == ("" in response.documents):
        return key, response
    return names.with_documents(key), names.with_documents(response)


def _by_block(file: Annotation) -> Annotation:
    """Return the file with token numbers that count within each ``#begin document``."""
    layout = file.layout
    docs = file.mentions["doc"]
    shift = docs.map({doc: part.offset for doc, part in layout.items()}).astype(
        np.int64
    )
    moved = file.mentions.assign(
        doc=docs.map({doc: part.block for doc, part in layout.items()}).astype(object),
        start=file.mentions["start"] + shift,
        end=file.mentions["end"] + shift,
    )
    texts: dict[str, tuple[str, ...] | None] = {}
    lines: dict[str, Ints] = {}
    for doc, part in layout.items():
        text = file.documents[doc]
        text_before = texts.get(part.block, ())
        if text is None or text_before is None:
            texts[part.block] = None
        else:
            texts[part.block] = text_before + text
        lines_before = lines.get(part.block, part.lines[:0])
        lines[part.block] = np.append(lines_before, part.lines)
    blocks = {name: Layout(name, 0, of_block) for name, of_block in lines.items()}
    return replace(file, mentions=moved, documents=texts, layout=blocks)


def _without_singletons(file: Annotation, across: bool) -> Annotation:
    """Return the file without chains of one mention; repeats in a chain count once.

    ``across``: whether a label in two documents is one chain.
    """
    chain = ["chain"] if across else ["doc", "chain"]
    table = file.mentions
    mention = table["doc"] + "\0" + names.mention_ids(table)
    sizes = table.assign(id=mention).groupby(chain)["id"].transform("nunique")
    return replace(file, mentions=table[sizes > 1])


def _indexed(
    key: Annotation, response: Annotation
) -> tuple[Annotation, Annotation, list[Notice]]:
    """Return both files with mentions indexed by document and tokens, and notices.

    Brackets cannot express a gap, so gaps are filled if one file is CoNLL, unless another mention
    has the same first and last token. If one side has only the id of a mention, the tokens are
    those of the other side.
    """
    fills_gaps = "conll" in (key.format, response.format)
    places_of_key = _places(key.mentions, fills_gaps=fills_gaps)
    places = _places(response.mentions, fills_gaps=fills_gaps)
    notices = []
    has_ids_in_key = (key.mentions["mention"] != "").any()
    has_ids = (response.mentions["mention"] != "").any()
    if has_ids_in_key or has_ids:
        ids_of_key = names.whole_ids(key.mentions)
        ids = names.whole_ids(response.mentions)
        place_in_key = _place_of_id(key.mentions, ids_of_key, places_of_key)
        place_in_response = _place_of_id(response.mentions, ids, places)
        notices = contrary(response, ids, ids.map(place_in_key.get), places)
        places_of_key, bare_in_key = _with_places_of_ids(
            key.mentions, ids_of_key, places_of_key, place_in_response
        )
        places, bare = _with_places_of_ids(response.mentions, ids, places, place_in_key)
        rest = "with an id but no tokens, and the other file has no ids"
        if not has_ids:
            notices += said("mention-unknown", bare_in_key, "mention of the key", rest)
        if not has_ids_in_key:
            notices += said("mention-unknown", bare, "mention of the response", rest)
    key = replace(
        key, mentions=key.mentions.set_index(pd.Index(places_of_key, dtype=object))
    )
    response = replace(
        response, mentions=response.mentions.set_index(pd.Index(places, dtype=object))
    )
    return key, response, notices


def _places(table: pd.DataFrame, *, fills_gaps: bool) -> StrSeries:
    """Return the identity of each mention by its tokens; a gap is filled if that is no other."""
    places = pd.Series(names.mention_ids(table), table.index, dtype=object)
    if not fills_gaps or not table["tokens"].map(len).any():
        return places
    without_gaps = table.assign(tokens=object_array([()] * len(table)))
    filled = pd.Series(names.mention_ids(without_gaps), table.index, dtype=object)
    return places.where(filled.duplicated(keep=False), filled)


def _place_of_id(
    table: pd.DataFrame, ids: StrSeries, places: StrSeries
) -> dict[str, str]:
    has_tokens = table["start"] >= 0
    return dict(zip(ids[has_tokens], places[has_tokens], strict=True))


def _with_places_of_ids(
    table: pd.DataFrame,
    ids: StrSeries,
    places: StrSeries,
    place_of_id: Mapping[str, str],
) -> tuple[StrSeries, StrSeries]:
    """Return the places of a side, where a mention with an id alone has that of the other side.

    The second value has the ids of these mentions, as they are in the file.
    """
    bare = table["start"] < 0
    of_other = ids.map(place_of_id.get).fillna(places)
    return places.where(~bare, of_other), table["mention"][bare]


def _without_unknown(
    key: Annotation, response: Annotation, unknown: str
) -> tuple[Annotation, list[Notice]]:
    """Return the response without mentions that a key file cannot have, and notices on them.

    Raises ScoringError if they are refused.
    """
    table = response.mentions
    sizes = {doc: len(text) for doc, text in key.documents.items() if text is not None}
    sizes |= {doc: len(layout.lines) for doc, layout in key.layout.items()}
    by_row = replace(response, mentions=table.reset_index(drop=True))
    docs = by_row.mentions["doc"]
    is_outside = by_row.mentions["end"] >= docs.map(sizes)
    is_unknown_id = (by_row.mentions["start"] < 0) & ~table.index.isin(
        key.mentions.index
    )
    reasons = pd.Series("", docs.index, dtype=object)
    reasons[is_outside] = NO_TOKENS
    reasons[is_unknown_id] = NO_ID
    reasons[~docs.isin(list(key.documents))] = NO_DOCUMENT
    reasons = reasons[reasons != ""]
    notices = check_unknown(by_row, reasons, unknown, "the key")
    is_known = ~by_row.mentions.index.isin(reasons.index)
    return replace(response, mentions=table[is_known]), notices


def exchanged(key: Annotation, response: Annotation) -> list[Notice]:
    """Return a notice if content or names suggest that a file is on the wrong side.

    It is a warning if the names of both files are those of the other side. A file that has both
    sides is the key and the response.
    """
    has_same_digest = key.digest == response.digest
    if has_same_digest and response.gold is not None:
        return []
    if has_same_digest and key.digest:
        message = f"the response '{response.name}' has the same content as the key"
        return [Notice("swapped", 1, message, (response.name,), warning=False)]
    name_of_key = PurePath(key.name).name.casefold()
    name = PurePath(response.name).name.casefold()
    if _AS_KEY.search(name_of_key) or not _AS_KEY.search(name):
        return []
    message = f"key and response may be swapped: the response is '{response.name}'"
    both = _AS_RESPONSE.search(name_of_key) is not None
    return [Notice("swapped", 1, message, (key.name, response.name), warning=both)]


def recurring_labels(key: pd.DataFrame, response: pd.DataFrame) -> list[Notice]:
    """Return a notice on labels in several documents, of the key or else the response."""
    for side, table in zip(SIDES, (key, response), strict=True):
        documents = table.drop_duplicates(["doc", "chain"])["chain"].value_counts()
        labels = documents.index[documents.to_numpy() > 1]
        if len(labels):
            return said(
                "scope-ambiguous",
                labels,
                "chain label",
                f"of the {side} in several documents; if chains cross documents, use "
                f"{spelled('scope', 'corpus')}",
                warning=False,
            )
    return []
