"""Match the mentions of a response with those of a corpus (``files``: with those of a key file).

Names are read (``names``), tokens counted as in the key if they are not (``tokens``), mentions laid
side by side (``side_by_side``), and missing ones treated (``coverage``). What the rooms add as
"trees" (CoNLL-U) is found by name: it knows the rules of alignment, and it counts words.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
import pandas as pd

from cdec.arrays import NAME, StrIndex, StrSeries, found
from cdec.catalogue import added, imported
from cdec.clustering import Side, chains_digest, chains_of
from cdec.corpus.model import ALL_KINDS, Corpus, Document
from cdec.errors import Notice, ScoringError, UsageError, counted, spelled
from cdec.formats import reading
from cdec.formats.annotation import Annotation, object_array
from cdec.matching import names, offsets, tokens
from cdec.matching.alignment import Alignment
from cdec.matching.coverage import with_coverage
from cdec.matching.notices import (
    MENTION,
    contrary,
    left_out,
    on_documents,
    said,
    unreviewed,
)
from cdec.matching.policy import BY_HEAD, DEFAULT_POLICY, FilePolicy
from cdec.matching.repeats import distinct, twins, without_repeats
from cdec.matching.unknown import (
    NO_DOCUMENT,
    NO_ID,
    NO_TOKENS,
    check_unknown,
    is_invented,
)
from cdec.records import Row

SPAN = ["doc", "start", "end", "tokens"]
"""The columns of a table of mentions that name the words of a mention."""
# Mentions of another kind that a system of this kind does not have: their share, and number. Of the
# mentions that published systems detect as events on ECB+, up to 20 % are gold entities; in a
# response of all kinds they are 54 %.
_MANY = 1 / 3
_SEVERAL = 10
_COLUMNS = [
    "doc",
    "topic",
    "subtopic",
    "sentence",
    "start",
    "end",
    "tokens",
    "text",
    "kind",
]


def match_corpus(
    response: Annotation, corpus: Corpus, policy: FilePolicy = DEFAULT_POLICY
) -> Alignment:
    """Match a response with the selected mentions of ``corpus``, the part under evaluation.

    Documents are matched by name, mentions by their tokens. A span without a gap also matches a
    mention with a gap and the same first and last token, unless the response names tokens. A
    response mention of another kind is twinless and keeps its id; one that the key leaves out, by
    its variant or a patch, is left out, and so are mentions in documents outside this part. Raises
    ScoringError as ``match_files`` does, for mention ids and tokens that are not in the corpus, and
    if many mentions are of another kind.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from cdec.formats import from_corpus
    >>> match_corpus(from_corpus(corpus, corpus.gold), corpus).notices[0].message
    "the response 'sample' has the chains of the key; is it the key?"
    """
    response = labelled(response, "response", policy.noise)
    if response.trees is not None:
        response = across_documents(response)
    unknown = policy.unknown or "error"
    policy = replace(
        policy, unknown=None if unknown == "error" else unknown
    )  # it is signed
    read, pairs = names.read_names(response, corpus)
    if not pairs:
        reading.check_identity(response.reading, response.name)
    placed, notices = _in_corpus(read, pairs, corpus, unknown)
    stated = None
    if policy.labels is not None:
        stated = policy.labels_of(response.name)
    placed = with_label_scope(placed, "response", stated)
    table = placed.mentions.set_index("id")
    placed = replace(
        placed, mentions=table, digest=read.digest or chains_digest(table["chain"])
    )
    key = corpus.selected[[*_COLUMNS, "chain"]]
    docs = dict.fromkeys(key["doc"])
    if not docs.keys() == read.documents.keys() == {*read.mentions["doc"]}:
        notices = [*on_documents(docs, read, pairs, corpus, unknown), *notices]
    notices = [*read.notices, *notices]
    return side_by_side(key, placed, corpus, policy, notices, across=True)


def labelled(given: Annotation, side: Side, noise: str | None) -> Annotation:
    """Return the annotation with settled labels, without mentions of no chain, and with notices.

    Raises ScoringError for a label of no chain without ``noise``, FormatError for a missing one.
    """
    if given.broken is not None:
        given = replace(given.unbroken(), broken=None)
    if noise is None:
        given.labelled()
    labels = given.mentions.set_index("line")["chain"]
    chains = chains_of(labels, side, noise, place=given.place)
    rows = np.flatnonzero(chains.codes >= 0)
    settled = object_array([*chains.texts])[chains.codes[rows]]
    return replace(
        given,
        notices=(*given.notices, *chains.notices),
        mentions=given.mentions.iloc[rows].assign(chain=settled).reset_index(drop=True),
        trees=None if given.trees is None else given.trees.take(rows),
    )


def across_documents(given: Annotation) -> Annotation:
    """Return the annotation with the labels of chains across documents, if the file names these.

    In such a file, CoNLL-U with the field ``identity``, the label of any other chain is local.
    """
    identity = None if given.trees is None else given.trees.identity
    if identity is None:
        return given
    table = given.mentions
    local = reading.in_documents(table["doc"], table["chain"])
    labels = local.where(identity == "", identity)
    of_file = {"labels": reading.Choice("corpus", "file")}
    return replace(
        given, mentions=table.assign(chain=labels), reading={**given.reading, **of_file}
    )


def with_label_scope(file: Annotation, side: Side, stated: str | None) -> Annotation:
    """Return the file with labels that hold in the whole corpus, and what decided about them.

    ``stated`` is what the caller says of the labels of this side. Raises FormatError if the labels
    may hold in their documents or in the corpus, and nobody says it.
    """
    if "labels" in file.reading and stated is None:
        return file
    table = file.mentions
    choice = reading.label_choice(
        table["doc"],
        table["chain"],
        stated,
        option="key_labels" if side == "key" else "labels",
        place=file.name,
        what=f"the {side}",
    )
    if choice.value == "document":
        table = table.assign(chain=reading.in_documents(table["doc"], table["chain"]))
    return replace(file, mentions=table, reading={**file.reading, "labels": choice})


def _in_corpus(
    read: Annotation, pairs: Mapping[str, str], corpus: Corpus, unknown: str
) -> tuple[Annotation, list[Notice]]:
    """Return the mentions in documents of the corpus, with the column ``id`` of it, and notices.

    The id of a mention that the corpus does not have is its document and tokens. Of the mentions of
    the corpus with its tokens one counts, in this order: the selected one; unless the response
    names tokens, the only selected one with a gap and this first and last token; another. A mention
    that is given by its id alone has the tokens of the corpus; beside tokens, an id is only a name.
    Mentions that the whole corpus does not have are treated as ``unknown`` says. Raises
    ScoringError with ``file:line`` if texts differ from the corpus.
    """
    homes = {doc: corpus.documents[doc] for doc in pairs.values()}
    placed = read
    reasons = pd.Series(
        dtype=object
    )  # row of a mention that the corpus does not have → why
    if homes.keys() != read.documents.keys():
        placed = tokens.renamed(read, pairs)
        reasons = pd.Series(
            NO_DOCUMENT, _in_no_document(read, pairs, corpus), dtype=object
        )
    notices: list[Notice] = []
    layout = placed.layout
    is_same_text = all(
        placed.documents[doc]
        in (None, home.tokens)  # a file without words can have lines
        and (doc not in layout or len(layout[doc].lines) == len(home.tokens))
        for doc, home in homes.items()
    )
    if not is_same_text:
        placed, notices = tokens.fitted(placed, homes)
    names_and_words = placed.mentions.filter(["mention", "words"])
    if (names_and_words != "").any(axis=None):
        texts = {doc: home.tokens for doc, home in homes.items()}
        sentences = {doc: tokens.sentence_numbers(home) for doc, home in homes.items()}
        skipped = {doc: home.text_start for doc, home in homes.items()}
        placed, by_words = offsets.place_by_words(placed, texts, sentences, skipped)
        notices += by_words
    if (placed.mentions["sentence"] >= 0).any():
        placed, of_sentences, outside = tokens.in_document(
            placed, homes, corpus.mentions
        )
        notices += of_sentences
        reasons = pd.concat([reasons, pd.Series(NO_TOKENS, outside, dtype=object)])
        placed = replace(placed, mentions=placed.mentions.drop(index=outside))
    table = placed.mentions
    sizes = table["doc"].map({doc: len(home.tokens) for doc, home in homes.items()})
    outside = table.index[table["end"] >= sizes].difference(reasons.index)
    reasons = pd.concat([reasons, pd.Series(NO_TOKENS, outside, dtype=object)])

    table, of_ids, without_id = _identified(placed, corpus)
    notices += of_ids
    reasons = pd.concat([reasons, pd.Series(NO_ID, without_id, dtype=object)])
    if reasons.empty:
        return replace(placed, mentions=table), notices
    notices += check_unknown(read, reasons, unknown, f"the corpus '{corpus.name}'")
    if unknown == "drop":
        table = table.drop(index=reasons.index, errors="ignore")
    else:
        renamed = read.mentions.assign(doc=read.mentions["doc"].replace(dict(pairs)))
        table = _with_invented(
            table, renamed.loc[reasons.index], homes, names.annotated(corpus).index
        )
        documents = dict.fromkeys([*table["doc"], *placed.documents])
        placed = replace(placed, documents={**documents, **placed.documents})
    return replace(placed, mentions=table), notices


def _identified(
    placed: Annotation, corpus: Corpus
) -> tuple[pd.DataFrame, list[Notice], pd.Index[int]]:
    """Return the mentions with their ids in the corpus, notices, and rows whose id it lacks.

    Their tokens count in the documents of the corpus. See ``_in_corpus``.
    """
    table = placed.mentions
    known = names.annotated(corpus)
    selected = pd.Series(found(known.index, corpus.selected.index), known.index)
    gapped = known[
        selected & (known["tokens"].map(len) > 0) & (not placed.names_tokens)
    ]
    ends = (
        gapped["doc"]
        + "/"
        + gapped["start"].astype(str)
        + "-"
        + gapped["end"].astype(str)
    )
    place_names = known["name"]
    by_name = pd.concat(
        [
            place_names[selected],
            ends[~ends.duplicated(keep=False)],
            place_names[~selected],
        ]
    )
    by_name = by_name.drop_duplicates()  # of several mentions the first counts
    id_of_name = dict(zip(by_name, by_name.index, strict=True))
    ids = object_array(id_of_name.get(name, name) for name in names.mention_ids(table))
    notices = []
    without_id = table.index[:0]
    if (table["mention"] != "").any():
        stated, by_number, without_id = names.ids_of(placed, corpus)
        is_known = stated.isin(known.index)
        notices = [*by_number, *contrary(placed, stated, stated.where(is_known), ids)]
        bare = table["start"] < 0
        ids = np.where(bare, stated, ids)
        of_corpus = bare & is_known
        spans = known.reindex(stated[of_corpus])
        table = table.copy()
        for name in SPAN[1:]:
            table.loc[of_corpus, name] = spans[name].to_numpy()
    of_key = known[selected]
    has_twin = of_key["name"].duplicated(keep=False)
    if has_twin.any():
        notices += twins(of_key[has_twin], list(ids))
    return table.assign(id=ids), notices, without_id


def _with_invented(
    table: pd.DataFrame,
    invented: pd.DataFrame,
    homes: Mapping[str, Document],
    known: StrIndex,
) -> pd.DataFrame:
    """Return the mentions with those that the corpus does not have, in the order of the file.

    Some of the ``invented`` are in the table. None gets an id of the corpus, whose ids are
    ``known``; one without tokens is behind the last token of its document.
    """
    lost = invented.drop(index=table.index, errors="ignore")
    no_tokens = object_array([()] * len(lost))
    lost = lost.assign(id=names.mention_ids(lost), start=-1, end=-1, tokens=no_tokens)
    table = pd.concat([table, lost]).sort_index()
    is_taken = table.index.isin(invented.index) & table["id"].isin(known)
    bare = table["start"] < 0
    sizes = (
        table["doc"]
        .map({doc: len(home.tokens) for doc, home in homes.items()})
        .fillna(0)
    )
    return table.assign(
        id=table["id"].mask(is_taken, table["id"] + "?"),
        start=table["start"].mask(bare, sizes).astype(np.int64),
        end=table["end"].mask(bare, sizes).astype(np.int64),
    )


def _in_no_document(
    read: Annotation, pairs: Mapping[str, str], corpus: Corpus
) -> pd.Index[int]:
    """Return the rows of mentions in documents that the whole corpus does not have."""
    docs = read.mentions["doc"]
    unknown = [doc for doc in docs.unique() if doc not in pairs]
    if not unknown:
        return docs.index[:0]
    elsewhere = names.of_other_parts(unknown, corpus, read.name)
    return docs.index[docs.isin([doc for doc in unknown if doc not in elsewhere])]


def side_by_side(
    key: pd.DataFrame,
    response: Annotation,
    home: Corpus | Annotation,
    policy: FilePolicy,
    notices: list[Notice],
    *,
    across: bool,
) -> Alignment:
    """Return key and response, whose mentions are indexed by id, as an ``Alignment``.

    The id of a mention is that of the equal key mention, or of the one with which the rule aligns
    it; any other has its own. ``home`` is what the key is from.
    """
    corpus = home if isinstance(home, Corpus) else None
    table = response.mentions
    key_once = key[key[NAME] == key.index] if NAME in key else key
    if policy.alignment != "exact" and len(key) and len(table):
        table = _with_partners(key_once, table, policy, corpus)
    if not table.index.is_unique:
        table, repeated = without_repeats(table, response, key)
        notices = [*notices, *repeated]
    if not table.index.is_unique:  # only twinless mentions
        ids = distinct(table.index, {*key.index.difference(table.index)})
        table = table.assign(**{NAME: table.index}).set_axis(
            pd.Index(ids, dtype=object)
        )

    # The rows of both sides in text order.
    both = key.drop(columns=["chain", NAME], errors="ignore")
    is_twinless = ~found(table.index, key.index)
    if is_twinless.any():
        twinless = table[is_twinless]
        if corpus:
            dropped, twinless, of_twinless = _twinless(
                corpus, twinless, len(table), response.name
            )
            table = table.drop(index=dropped)
            notices = [*notices, *of_twinless]
        both = pd.concat([both, twinless[both.columns]])
    documents = [*{**home.documents, **response.documents}]
    rank = both["doc"].map({doc: number for number, doc in enumerate(documents)})
    both = both.iloc[np.lexsort((both["end"], both["start"], rank))]
    if NAME in key or NAME in table:
        both = both.assign(**{NAME: _names_of_occurrences(both.index, key, table)})
    mentions = both.assign(
        key=key["chain"].astype(object).reindex(both.index),
        response=table["chain"].astype(object).reindex(both.index),
    )

    about: Row = {"response_digest": response.digest}
    choices = reading.signed(response.reading)
    if isinstance(home, Annotation):
        for name, value in reading.signed(home.reading).items():
            choices[f"key_{name}"] = value
    if choices:
        about["reading"] = choices
    if corpus:
        chains_of_key = pd.factorize(mentions["key"])[0]
        chains = pd.factorize(mentions["response"])[0]
        is_one_chain = chains_of_key.max(initial=0) == 0
        are_singletons = chains_of_key.max(initial=0) == len(mentions) - 1
        is_plain = is_one_chain or are_singletons
        if not is_plain and np.array_equal(chains_of_key, chains):
            message = f"the response '{response.name}' has the chains of the key; is it the key?"
            notices = [*notices, Notice("swapped", 1, message, (response.name,))]
        if policy.alignment in BY_HEAD:
            about["heads"] = policy.nlp
    aligned = Alignment(
        mentions,
        tuple(notices),
        about,
        system=response.name,
        name=response.name,
        words=partial(word_counts, key_once[SPAN], table[SPAN]),
    )
    return with_coverage(aligned, home.name, policy=policy, across=across)


def _with_partners(
    key: pd.DataFrame, table: pd.DataFrame, policy: FilePolicy, corpus: Corpus | None
) -> pd.DataFrame:
    """Return the mentions of a response with the ids of the key mentions that the rule finds."""
    is_placed = np.ones(len(table), np.bool_)
    if corpus:
        is_placed = ~is_invented(table, corpus.documents)
    ids = table.index.to_numpy(copy=True)
    ids[is_placed] = of_trees("aligned")(key, table[is_placed], policy, corpus)
    return table.set_axis(pd.Index(ids, dtype=object))


def _names_of_occurrences(index: StrIndex, *sides: pd.DataFrame) -> StrSeries:
    """Return the id of the mention of which each row is an occurrence, on either side."""
    ids = index.to_series()
    for side in sides:
        if NAME in side:
            ids = side[NAME].reindex(index).fillna(ids)
    return ids


def _twinless(
    corpus: Corpus, mentions: pd.DataFrame, size: int, name: str
) -> tuple[list[str], pd.DataFrame, list[Notice]]:
    """Return the ids to leave out, the mentions as rows of the corpus, and notices.

    The ``mentions`` are not in the key; those that the corpus has, but leaves out of it, and those
    outside the region of the part are left out. ``size`` is the number of all mentions of the
    response. Raises ScoringError if many of them are of another kind than the selected.
    """
    invented = mentions.index[is_invented(mentions, corpus.documents)]
    dropped, of_dropped = left_out(corpus, mentions.drop(invented))
    kinds = names.annotated(corpus)["kind"].reindex(mentions.index.drop(dropped))
    other = kinds[kinds.notna() & (kinds != corpus.kind)].sort_index()
    if corpus.kind == ALL_KINDS:
        other = other[:0]
    why = "of another kind in the corpus"
    if len(other) >= max(_SEVERAL, _MANY * size):
        message = f"{counted(len(other), MENTION)} {why}, such as {other.iloc[0]}"
        kind_in_use = spelled("mentions", corpus.kind)
        raise ScoringError(
            "input-mismatch",
            message,
            place=name,
            hint=f"use {spelled('mentions', 'all')}, or remove them; {kind_in_use} is in use",
        )
    rows = []
    for mention, doc, start, end, gap in mentions.loc[kinds.index, SPAN].itertuples():
        home = corpus.documents.get(doc)
        sentence = -1
        text = ""
        if home and mention not in invented:
            sentence = bisect_right(home.sentence_starts, start) - 1
            text = " ".join(
                home.tokens[token] for token in gap or range(start, end + 1)
            )
        # A document that the corpus does not have is a topic by itself.
        levels = (home.topic, home.subtopic) if home else (doc, doc)
        rows.append((*levels, sentence, text))
    facts = pd.DataFrame(rows, kinds.index, ["topic", "subtopic", "sentence", "text"])
    described = mentions.loc[kinds.index].drop(columns="sentence").join(facts)
    described = described.assign(kind=kinds.fillna("unknown"))
    of_other_kind = said("mention-left-out", other.index, MENTION, f"{why}: twinless")
    return dropped, described, [*of_other_kind, *of_dropped, *unreviewed(corpus)]


def word_counts(key: pd.DataFrame, response: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of words of the mentions of both, tables with the columns SPAN."""
    if "words" not in added("trees"):
        return pd.DataFrame()
    return cast("pd.DataFrame", of_trees("words")(key, response))


def ids_in_corpus(
    response: Annotation, corpus: Corpus, unknown: str
) -> tuple[dict[int, str], list[Notice]]:
    """Return row → id in ``corpus`` of mentions that are given by ids of any form, and notices.

    A mention in a document of another part has the id '', and of all of them there is a notice.
    Mentions that the whole corpus does not have are refused, or left out, as ``unknown`` says.
    """
    read, pairs = names.read_names(response, corpus)
    if not pairs:
        reading.check_identity(response.reading, response.name)
    placed, notices = _in_corpus(read, pairs, corpus, unknown)
    on_docs = on_documents([], read, pairs, corpus, unknown)
    away = [one for one in on_docs if one.code == "outside-split"]
    docs = read.mentions["doc"]
    beyond = [doc for one in away for doc in one.all_cases]
    nowhere = dict.fromkeys(docs.index[docs.isin(beyond)].tolist(), "")
    return nowhere | placed.mentions["id"].to_dict(), [*notices, *away]


def of_trees(name: str) -> Any:
    """Return what the rooms add for trees: matched, placed, aligned or words.

    Raises UsageError if no room adds it.
    """
    text = added("trees").get(name)
    if text is None:
        raise UsageError(
            "argument-invalid",
            "the room cdec.corefud is not installed: mentions match by the same tokens only",
            hint=f"use {spelled('alignment', 'exact')}, or reinstall",
        )
    return imported(text)
