"""Match a key file with a response file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import cast

import pandas as pd

from cdec.errors import counted
from cdec.errors.notices import Notice, notice
from cdec.formats.annotation import Annotation
from cdec.matching.align import aligned_mentions, duplicate_in_key
from cdec.matching.alignment import Alignment
from cdec.matching.coverage import (
    exchanged,
    in_text_order,
    recurring_labels,
    with_coverage,
)
from cdec.matching.documents import missing_and_renamed, pair_documents
from cdec.matching.mention_names import lost_ids, with_documents, with_places, with_tokens
from cdec.matching.pairing import SPAN, word_counts
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.matching.token_numbers import in_files
from cdec.matching.view import (
    View,
    by_block,
    by_document,
    flattened_ids,
    labelled,
    mention_ids,
)
from cdec.matching.words import file_words


def match_files(
    key: Annotation,
    response: Annotation,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    across: bool = False,
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
    >>> matched = match_files(key, response)
    >>> matched.key, [notice.code for notice in matched.notices]
    (Clustering(2 mentions in 1 chain), ['missing-mention', 'twinless'])
    """
    key = labelled(key.as_key(), "key", policy.noise)
    if key.trees is not None:
        response = key.trees.placed(response)
    response = labelled(response, "response", policy.noise)
    if key.trees is not None and response.trees is not None:
        return cast("Alignment", key.trees.match(key, response, policy, across=across))
    ours, theirs = _named(key, response)
    pairs = _paired(ours, theirs)
    ours, placed = in_files(ours, theirs.renamed(pairs))
    irregular = [*file_words(ours, placed), *lost_ids(ours.mentions, placed.mentions)]
    if policy.singletons == "drop":
        ours, placed = ours.without_singletons(across), placed.without_singletons(across)
    ours, placed = _indexed(ours, placed)
    gold = ours.mentions
    mentions, repeated = aligned_mentions(gold, placed, policy)
    documents = {**ours.texts, **placed.texts}
    aligned = Alignment(
        in_text_order(gold[SPAN], gold["chain"], mentions, documents),
        notices=(
            *key.notices,
            *response.notices,
            *_document_notices(ours, theirs, pairs),
            *exchanged(key, response),
            *irregular,
            *repeated,
            *recurring_labels(gold, mentions),
        ),
        about={"response_digest": response.digest},
        system=response.name,
        words=partial(word_counts, gold[SPAN], mentions[SPAN]),
    )
    return with_coverage(aligned, key.name, response.name, policy=policy, across=across)


def _named(key: Annotation, response: Annotation) -> tuple[View, View]:
    """Return both files by block or by document, so that their names match."""
    blocks = [{at.block for at in side.layout.values()} for side in (key, response)]
    if all(blocks) and pair_documents(sorted(blocks[1]), sorted(blocks[0]), response.name):
        return by_block(key), by_block(response)
    views = by_document(key), by_document(response)
    tables = [view.mentions for view in views]
    ids = [set(table["mention"][table["start"] >= 0]) for table in tables]
    ours, theirs = with_tokens(views[0], ids[1]), with_tokens(views[1], ids[0])
    if ("" in ours.texts) == ("" in theirs.texts):
        return ours, theirs
    return with_documents(ours), with_documents(theirs)


def _paired(ours: View, theirs: View) -> dict[str, str]:
    """Return each document of the response, as name → name in the key; others keep their names.

    The only documents of two files are the same if one of them has the name of its file only.
    """
    pairs = pair_documents(theirs.texts, ours.texts, theirs.source.name)
    codes = {notice.code for view in (ours, theirs) for notice in view.source.notices}
    if not pairs and "document-unnamed" in codes and len(ours.texts) == len(theirs.texts) == 1:
        return dict(zip(theirs.texts, ours.texts, strict=True))
    return {doc: pairs.get(doc, doc) for doc in theirs.texts}


def _indexed(key: View, response: View) -> tuple[View, View]:
    """Return both files with mentions indexed by document and tokens.

    Brackets cannot express a gap, so gaps are filled if one file is CoNLL. If one side has only the
    id of a mention, the tokens are those of the other side. Raises ScoringError for a duplicate
    mention in the key.
    """
    named = flattened_ids if "conll" in {key.source.format, response.source.format} else mention_ids
    ours, theirs = named(key.mentions), named(response.mentions)
    of_key, of_response = ours, theirs
    if (key.mentions["start"] < 0).any():
        of_key = with_places(key.mentions, ours, response.mentions, theirs)
    if (response.mentions["start"] < 0).any():
        of_response = with_places(response.mentions, theirs, key.mentions, ours)
    if len(set(of_key)) < len(of_key):
        raise duplicate_in_key(key, of_key, len(set(of_response)) == len(of_response))
    sides = (key, of_key), (response, of_response)
    key, response = (
        replace(side, mentions=side.mentions.set_index(pd.Index(ids, dtype=object)))
        for side, ids in sides
    )
    return key, response


def _document_notices(key: View, response: View, pairs: Mapping[str, str]) -> Iterator[Notice]:
    unknown = [doc for doc, name in pairs.items() if name not in key.texts]
    if mentions := int(response.mentions["doc"].isin(unknown).sum()):
        what = counted(len(unknown), "response document is", "response documents are")
        twinless = "mention is twinless", "mentions are twinless"
        message = f"{what} not in the key: {counted(mentions, *twinless)}"
        yield notice("unknown-document", message, unknown)
    yield from missing_and_renamed(key.texts, pairs)
