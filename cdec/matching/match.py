"""Match the mentions of a response with those of its home, a corpus or a key file.

The steps of a response, in the order of ``match``:

1. ``settle_labels`` (here): labels of no chain, and mentions without a chain;
2. ``name_documents`` (``documents``): its documents have the names of the home;
3. ``place_tokens`` (here; ``tokens`` if the numbers are not those of the home): so do its tokens;
4. ``identify_mentions`` (``identify``): its mentions have the ids of the home;
5. ``with_label_scope`` (here): whether a label holds in a document or in the corpus; of two files,
   whose chains may not cross documents, it belongs to the first step;
6. ``side_by_side`` (``sides``): key and response in one frame;
7. ``with_coverage`` (``sides``): missing and twinless mentions.

What is irregular is in the ``Log``, in this order. Two files with trees (CoNLL-U) are matched by
the room that reads them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pandas as pd

from cdec.clustering import Side, chains_of
from cdec.corpus.model import Corpus
from cdec.errors import Log, notice, spelled
from cdec.formats import reading
from cdec.formats.annotation import Annotation, object_array
from cdec.matching import tokens
from cdec.matching.alignment import Alignment
from cdec.matching.documents import name_documents
from cdec.matching.home import NO_TOKENS, Home, sentences_of, text_starts_of
from cdec.matching.identify import identify_mentions
from cdec.matching.names import with_documents
from cdec.matching.offsets import place_by_words
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.matching.sides import side_by_side, with_coverage
from cdec.matching.trees import of_trees

_OPTIONS = {"key": "key_labels", "response": "labels"}  # that say where labels hold


def match(
    response: Annotation,
    key: Corpus | Annotation,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    across: bool = True,
    same_labels: bool = False,
) -> Alignment:
    """Match a response with the selected mentions of a corpus (a part), or with a key file.

    Mentions are the same if document and tokens are the same, or by the rule of the policy. A span
    without a gap also matches a mention with a gap and the same first and last token, unless the
    response names tokens. In a corpus, a response mention of another kind is twinless and keeps its
    id; one that the key leaves out, by its variant or a patch, is left out, and so are mentions in
    documents outside this part. CoNLL files with a common ``#begin document`` name are compared as
    by the reference scorer: by position in the block. Of a key file, missing documents count as
    empty, and a mention that it has in several chains is in the one that opens first.

    ``across``: whether chains can cross documents, for singletons that each side of two files
    drops; if so, ``same_labels``: the caller says that the same label is the same chain.

    Raises ScoringError for mentions that the whole corpus does not have, for many mentions of
    another kind, for texts that differ in length or in half of their words, and for a response
    without any mention of the key (unless ``policy.allow_empty``).

    >>> from cdec.formats import mention_table
    >>> key, response = (
    ...     Annotation(name, "jsonl", mention_table(["d"] * 2, at, at, ["x", "x"]), {"d": None})
    ...     for name, at in (("k", [0, 1]), ("r", [1, 2]))
    ... )
    >>> matched = match(response, key, across=False)
    >>> matched.key, [notice.code for notice in matched.notices]
    (Clustering(2 mentions in 1 chain), ['missing-mention', 'twinless'])
    """
    log = Log()
    usual = "error" if isinstance(key, Corpus) else "twinless"
    # The signature has this choice only if it is not the usual one.
    about_unknown = policy.unknown if policy.unknown != usual else None
    signed_policy = replace(policy, unknown=about_unknown)
    policy = replace(policy, unknown=policy.unknown or usual)
    home = key
    if isinstance(home, Corpus):
        response = settle_labels(response, "response", policy.noise)
        if response.trees is not None:
            response = across_documents(response)
    else:
        same = same_labels if across else None
        response, home = _settle_both(response, home, policy, log, same_labels=same)
    have_trees = isinstance(home, Annotation) and home.trees is not None
    if have_trees and response.trees is not None:
        match_trees = of_trees("matched")
        of_room = match_trees(home, response, signed_policy, log, across=across)
        return cast("Alignment", of_room)
    response, home = name_documents(response, home, policy, log)
    response, home = place_tokens(response, home, log)
    response, home = identify_mentions(response, home, policy, log, across=across)
    if isinstance(home, Corpus):
        # Ids of a corpus name documents: only now each mention has one.
        stated = None if policy.labels is None else policy.labels_of(response.name)
        response = with_label_scope(response, "response", stated)
    aligned = side_by_side(response, home, policy, log)
    return with_coverage(aligned, home.name, log, policy=signed_policy, across=across)


def ids_in_corpus(response: Annotation, corpus: Corpus, log: Log) -> dict[int, str]:
    """Return row → id in ``corpus`` of mentions that are given by ids of any form.

    A mention in a document of another part has the id '', and of all of them there is a notice.
    Mentions that the whole corpus does not have are left out.
    """
    policy = FilePolicy(unknown="drop")
    of_documents = Log()
    named, home = name_documents(response, corpus, policy, of_documents)
    placed, _ = place_tokens(named, home, log)
    rows = placed.mentions.index
    by_row = replace(placed, mentions=placed.mentions.assign(row=rows))
    identified, _ = identify_mentions(by_row, corpus, policy, log, across=True)
    log += [notice for notice in of_documents if notice.code == "outside-split"]
    of_other_parts = response.mentions.index.difference(rows)
    id_of_row = dict(
        zip(identified.mentions["row"], identified.mentions.index, strict=True)
    )
    return dict.fromkeys(of_other_parts.tolist(), "") | id_of_row


# ---- tokens ----


def place_tokens(response: Annotation, home: Home, log: Log) -> tuple[Annotation, Home]:
    """Return response and home with token numbers that mean the same; compare their words.

    Beside a corpus, NO_TOKENS is in the column ``unknown`` of mentions outside their document or
    sentence. Raises ScoringError with ``file:line`` for another text.
    """
    if not isinstance(home, Corpus):
        key, response = tokens.counted_alike(home, response, log)
        return response, key
    texts = {doc: home.documents[doc].tokens for doc in response.documents}
    layout = response.layout
    is_same_text = all(
        text in (None, texts[doc])  # a file without words can have lines
        and (doc not in layout or len(layout[doc].lines) == len(texts[doc]))
        for doc, text in response.documents.items()
    )
    if not is_same_text:
        response = tokens.fitted(response, home, log)
    if (response.mentions.filter(["mention", "words"]) != "").any(axis=None):
        sentences = sentences_of(home, response.documents)
        text_starts = text_starts_of(home)
        response = place_by_words(response, texts, sentences, text_starts, log)
    is_known = response.mentions["unknown"] == ""
    if ((response.mentions["sentence"] >= 0) & is_known).any():
        response = tokens.in_sentences_of(home, response, log)
    table = response.mentions
    sizes = table["doc"].map({doc: len(text) for doc, text in texts.items()})
    is_beyond = (table["unknown"] == "") & (table["end"] >= sizes)
    if is_beyond.any():
        table = table.assign(unknown=table["unknown"].mask(is_beyond, NO_TOKENS))
    return replace(response, mentions=table), home


# ---- labels ----


def _settle_both(
    response: Annotation,
    key: Annotation,
    policy: FilePolicy,
    log: Log,
    *,
    same_labels: bool | None,
) -> tuple[Annotation, Annotation]:
    """Return two files with settled labels.

    ``same_labels``: the caller says of both that the same label is the same chain; None if no chain
    crosses documents. Raises FormatError for labels that may hold in their documents or in the
    corpus.
    """
    key = settle_labels(key.as_key(), "key", policy.noise)
    if key.trees is not None:
        response = of_trees("placed")(response, key.trees)
    response = settle_labels(response, "response", policy.noise)
    if same_labels is None:
        return response, key
    key = _with_scope(key, "key", policy.key_labels, log, same_labels=same_labels)
    stated = policy.labels_of(response.name)
    response = _with_scope(response, "response", stated, log, same_labels=same_labels)
    return response, key


def settle_labels(file: Annotation, side: Side, noise: str | None) -> Annotation:
    """Return the annotation with settled labels, without mentions of no chain, and with notices.

    Raises ScoringError for a label of no chain without ``noise``, FormatError for a
    missing one.
    """
    if file.broken is not None:
        file = replace(file.unbroken(), broken=None)
    if noise is None:
        file.labelled()
    labels = file.mentions.set_index("line")["chain"]
    chains = chains_of(labels, side, noise, place=file.place)
    rows = np.flatnonzero(chains.codes >= 0)
    names = object_array(map(str, chains.labels))[chains.codes[rows]]
    table = file.mentions
    if len(rows) < len(table):
        table = table.iloc[rows]
    table = table.reset_index(drop=True)
    return replace(
        file,
        notices=(*file.notices, *chains.notices),
        mentions=table.assign(chain=pd.Series(names, dtype=object)),
        trees=None if file.trees is None else file.trees.take(rows),
    )


def across_documents(file: Annotation) -> Annotation:
    """Return the annotation with the labels of chains across documents, if the file names these.

    In such a file, CoNLL-U with the field ``identity``, the label of any other chain is local.
    """
    identity = None if file.trees is None else file.trees.identity
    if identity is None:
        return file
    table = file.mentions
    local = reading.in_documents(table["doc"], table["chain"])
    labels = local.where(identity == "", identity)
    of_file = {"labels": reading.Choice("corpus", "file")}
    return replace(
        file, mentions=table.assign(chain=labels), reading={**file.reading, **of_file}
    )


def _with_scope(
    file: Annotation, side: Side, stated: str | None, log: Log, *, same_labels: bool
) -> Annotation:
    """Return one of two files with labels of chains that can cross documents.

    ``stated`` is what the call says of its labels. With ``same_labels`` the caller says of both
    that the same label is the same chain; there is a warning if labels look otherwise.
    """
    if file.trees is not None:
        file = across_documents(file)
    located = with_documents(file).mentions
    if same_labels and stated is None:
        documents = located["doc"]
        labels = located["chain"]
        if "labels" not in file.reading and reading.look_local(documents, labels):
            message = (
                f"the {side} numbers its chains anew in each document, and a label is read as one "
                f"chain of all documents; if it is not, say {spelled(_OPTIONS[side], 'document')}"
            )
            recurring = reading.recurring_labels(documents, labels)
            log.append(notice("scope-ambiguous", message, recurring))
        return file
    settled = with_label_scope(replace(file, mentions=located), side, stated)
    mentions = file.mentions.assign(chain=settled.mentions["chain"])
    return replace(file, mentions=mentions, reading=settled.reading)


def with_label_scope(file: Annotation, side: Side, stated: str | None) -> Annotation:
    """Return the file with labels that hold in the whole corpus, and what decided about them.

    ``stated`` is what the call says. Raises FormatError if the labels may hold in their documents
    or in the corpus, and neither the file nor the call says it.
    """
    if "labels" in file.reading and stated is None:
        return file
    table = file.mentions
    choice = reading.label_choice(
        table["doc"],
        table["chain"],
        stated,
        option=_OPTIONS[side],
        place=file.name,
        what=f"the {side}",
    )
    if choice.value == "document":
        table = table.assign(chain=reading.in_documents(table["doc"], table["chain"]))
    return replace(file, mentions=table, reading={**file.reading, "labels": choice})
