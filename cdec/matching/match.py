"""Match the mentions of a response with those of a key: a file and a corpus, or two files.

Names are read (``names``), tokens counted as in the key (``tokens``), mentions aligned: equal ones,
and others by a rule. ``notices`` says what is irregular. What the rooms add as "trees" (CoNLL-U) is
found by name: two files with trees are matched by it, it knows the rules, and it counts words.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any, cast

import numpy as np
import pandas as pd

from cdec.arrays import NAME, found
from cdec.clustering import Side, chains_digest, chains_of
from cdec.corpus.model import Corpus
from cdec.errors import Notice, ScoringError, UsageError, counted
from cdec.formats.annotation import Annotation, Layout, object_array
from cdec.matching import notices as of
from cdec.matching.alignment import Alignment
from cdec.matching.names import (
    annotated,
    ids_of,
    mention_ids,
    pair_documents,
    read_names,
    whole_ids,
    with_documents,
    with_tokens,
)
from cdec.matching.policy import BY_HEAD, DEFAULT_POLICY, FIRST, FilePolicy
from cdec.matching.tokens import file_words, in_corpus, in_files, renamed
from cdec.rooms import added, imported

SPAN = ["doc", "start", "end", "tokens"]
"""The columns of a table of mentions that name the words of a mention."""
# Mentions of another kind that a system of this kind does not have: their share, and number. Of the
# mentions that published systems detect as events on ECB+, up to 20 % are gold entities; in a
# response of all kinds they are 54 %.
_MANY, _SEVERAL = 1 / 3, 10
_COLUMNS = ["doc", "topic", "subtopic", "sentence", "start", "end", "tokens", "text", "kind"]
_EVERY = "; one not in the key counts each time, in mentions and BLANC once (as in the scorer)"


def of_trees(name: str) -> Any:
    """Return what the rooms add for trees: matched, placed, aligned or words.

    Raises UsageError if no room adds it.
    """
    if (text := added("trees").get(name)) is None:
        message = "the room cdec.corefud is not installed: mentions match by the same tokens only"
        raise UsageError("argument-invalid", message, hint="use --match exact, or reinstall")
    return imported(text)


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
    "the response 'sample' is identical to the gold annotation; is it the key?"
    """
    response = _labelled(response, "response", policy.noise)
    if any(one.code == "document-unnamed" for one in response.notices):
        response = _by_text(response, corpus)
    read, pairs = read_names(response, corpus)
    placed, said = _in_corpus(read, pairs, corpus)
    response = replace(response, digest=response.digest or chains_digest(placed.mentions["chain"]))
    if corpus.region:
        placed, cut = _inside_region(placed, corpus)
        said += cut
    key = corpus.selected
    mentions, repeated = _aligned(key, placed, policy, corpus)
    said = [*_documents_of(corpus, read, pairs), *said, *repeated]
    twinless = mentions[~found(mentions.index, key.index)]
    if len(twinless):
        dropped, twinless, more = _twinless(corpus, twinless, len(mentions), response.name)
        mentions, said = mentions.drop(index=dropped), [*said, *more]
    if len(mentions) == len(key) and not len(twinless):
        said += of.identical(corpus, mentions, response.name)
    sides = key[[*_COLUMNS, "chain"]], mentions, twinless
    aligned = _side_by_side(*sides, corpus.documents, response, notices=said)
    if policy.alignment in BY_HEAD:
        aligned = replace(aligned, about={**aligned.about, "heads": policy.nlp})
    return of.with_coverage(aligned, corpus.name, policy=policy)


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
    key = _labelled(key.as_key(), "key", policy.noise)
    if key.trees is not None:
        response = of_trees("placed")(response, key.trees)
    response = _labelled(response, "response", policy.noise)
    if key.trees is not None and response.trees is not None:
        return cast("Alignment", of_trees("matched")(key, response, policy, across=across))
    ours, theirs = _named(key, response)
    pairs = pair_documents(theirs.documents, ours.documents, response.name)
    codes = {notice.code for side in (key, response) for notice in side.notices}
    is_only = len(ours.documents) == len(theirs.documents) == 1
    if not pairs and is_only and "document-unnamed" in codes:
        # The only documents of two files are the same if one of them has the name of its file only.
        pairs = dict(zip(theirs.documents, ours.documents, strict=True))
    pairs = {doc: pairs.get(doc, doc) for doc in theirs.documents}
    ours, placed = in_files(ours, renamed(theirs, pairs))
    said = file_words(ours, placed)
    for side, table, other in (("key", ours, placed), ("response", placed, ours)):
        if len(other) and not (other.mentions["mention"] != "").any():
            lost = table.mentions["mention"][table.mentions["start"] < 0]
            rest = "with an id but no tokens, and the other file has no ids"
            said += of.said("mention-unknown", lost, f"mention of the {side}", rest)
    if policy.singletons == "drop":
        ours, placed = _without_singletons(ours, across), _without_singletons(placed, across)
    ours, placed, contrary = _indexed(ours, placed)
    gold = ours.mentions[[*SPAN, "chain"]]
    mentions, repeated = _aligned(gold, placed, policy)
    unknown = [doc for doc, name in pairs.items() if name not in ours.documents]
    beyond = unknown if theirs.mentions["doc"].isin(unknown).any() else []
    rest = "not in the key: all mentions are twinless"
    notices = [
        *key.notices,
        *of.said("unknown-document", beyond, "response document", rest),
        *of.missing_and_renamed(ours.documents, pairs),
        *of.exchanged(key, response),
        *said,
        *contrary,
        *repeated,
        *of.recurring_labels(gold, mentions),
    ]
    sides = gold, mentions, mentions[~found(mentions.index, gold.index)]
    documents = {**ours.documents, **placed.documents}
    aligned = _side_by_side(*sides, documents, response, notices=notices)
    return of.with_coverage(aligned, key.name, policy=policy, across=across)


def _side_by_side(
    key: pd.DataFrame,
    response: pd.DataFrame,
    twinless: pd.DataFrame,
    documents: Iterable[str],
    file: Annotation,
    *,
    notices: Iterable[Notice],
) -> Alignment:
    """Return key and response as an ``Alignment``, without notices on what one side lacks.

    ``twinless`` are the mentions of the response that are not in the key, with its columns;
    ``documents`` are in text order.
    """
    table = key.drop(columns="chain")
    table = pd.concat([table, twinless[table.columns]]) if len(twinless) else table
    rank = table["doc"].map({doc: number for number, doc in enumerate(documents)})
    table = table.iloc[np.lexsort((table["end"], table["start"], rank))]
    if NAME in response:
        names = response[NAME].reindex(table.index)
        table = table.assign(**{NAME: names.fillna(table.index.to_series())})
    own = response["place"].where((response["place"] != response.index).to_numpy(), "")
    mentions = table.assign(
        line=response["line"].reindex(table.index, fill_value=0),
        key=key["chain"].astype(object).reindex(table.index),
        response=response["chain"].astype(object).reindex(table.index),
        place=own.reindex(table.index, fill_value=""),
    )
    return Alignment(
        mentions,
        notices=(*file.notices, *notices),
        about={"response_digest": file.digest},
        system=file.name,
        words=partial(word_counts, key[SPAN], response[SPAN]),
    )


def word_counts(key: pd.DataFrame, response: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of ``mor`` for the mentions of both, tables with the columns SPAN."""
    known = "words" in added("trees")
    return cast("pd.DataFrame", of_trees("words")(key, response)) if known else pd.DataFrame()


def ids_in_corpus(response: Annotation, corpus: Corpus) -> tuple[dict[int, str], list[Notice]]:
    """Return row → id in ``corpus`` of mentions that are given by ids of any form, and notices.

    A mention in a document of another part has the id '', and of all of them there is a notice.
    Rows of unknown documents are left out. Raises ScoringError for an id that is not in the corpus.
    """
    read, pairs = read_names(response, corpus)
    placed, notices = _in_corpus(read, pairs, corpus)
    away = [one for one in _documents_of(corpus, read, pairs) if one.code == "outside-split"]
    docs, beyond = read.mentions["doc"], [doc for one in away for doc in one.all_cases]
    rows = docs.index[docs.isin(list(pairs))].tolist()
    ids = dict(zip(rows, placed.mentions.index.tolist(), strict=True))
    return dict.fromkeys(docs.index[docs.isin(beyond)].tolist(), "") | ids, [*notices, *away]


# ---- each side ----


def _labelled(given: Annotation, side: Side, noise: str | None) -> Annotation:
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
        gold=None,
    )


def _by_text(response: Annotation, corpus: Corpus) -> Annotation:
    """Name documents without a name as the documents of the corpus that have the same words.

    Names stay as they are unless each has exactly one such document, and no two the same.
    """
    texts = pd.Series({id_: document.tokens for id_, document in corpus.documents.items()})
    known = {text: id_ for id_, text in texts[~texts.duplicated(keep=False)].items()}
    chosen = {own: known.get(words) for own, words in response.documents.items()}
    if None in chosen.values() or len({*chosen.values()}) < len(chosen):
        return response
    said = "documents without a name are those of the corpus with the same words"
    notices = tuple(
        replace(one, message=said, warning=False) if one.code == "document-unnamed" else one
        for one in response.notices
    )
    return replace(renamed(response, cast("dict[str, str]", chosen)), notices=notices)


def _in_corpus(
    read: Annotation, pairs: Mapping[str, str], corpus: Corpus
) -> tuple[Annotation, list[Notice]]:
    """Return the mentions in documents of the corpus, indexed by their ids there, and notices.

    A mention that the corpus does not have is indexed by document and tokens. Of the mentions of
    the corpus with its tokens one counts, in this order: the selected one; unless the response
    names tokens, the only selected one with a gap and this first and last token; another. A mention
    that is given by its id has the tokens of the corpus.
    """
    placed, notices = in_corpus(read, pairs, corpus)
    known, table = annotated(corpus), placed.mentions
    selected = pd.Series(found(known.index, corpus.selected.index), known.index)
    gapped = known[selected & (known["tokens"].map(len) > 0) & (not placed.names_tokens)]
    ends = gapped["doc"] + "/" + gapped["start"].astype(str) + "-" + gapped["end"].astype(str)
    names = [known["name"][selected], ends[~ends.duplicated(keep=False)], known["name"][~selected]]
    by_name = pd.concat(names).drop_duplicates()  # of several mentions the first counts
    ids = dict(zip(by_name, by_name.index, strict=True))
    index = pd.Index([ids.get(name, name) for name in mention_ids(table)], dtype=object)
    if (table["mention"] != "").any():
        given, by_number = ids_of(placed, corpus)
        bare = (table["start"] < 0).to_numpy()
        index = pd.Index(np.where(bare, given, index), dtype=object)
        spans = known[SPAN[1:]].reindex(given[bare])
        table = table.copy()
        for name in SPAN[1:]:
            table.loc[bare, name] = spans[name].to_numpy()
        notices += [*by_number, *_contrary(placed, given, known)]
    return replace(placed, mentions=table.set_index(index)), notices


def _contrary(given: Annotation, ids: pd.Series[str], known: pd.DataFrame) -> list[Notice]:
    """Return a notice on mentions with the id of one mention of the key and tokens of another.

    ``ids`` are those that the mentions give. Numbers that never fit are the file's own.
    """
    table = given.mentions
    table = table[(table["start"] >= 0) & ids.isin(known.index)]
    ids = ids[table.index]
    spans = known.loc[~known.index.duplicated(), ["start", "end"]].loc[ids.tolist()]
    differs = (spans.to_numpy() != table[["start", "end"]].to_numpy()).any(axis=1)
    if differs.all() and not (table["mention"] == ids).any():
        return []
    lines = map(given.place, table["line"][differs])
    cases = [f"{id_} at {line}" for id_, line in zip(ids[differs], lines, strict=True)]
    rest = "with the id of one mention of the key and the tokens of another: the tokens count"
    return of.said("reading-assumed", cases, of.MENTION, rest)


def _inside_region(given: Annotation, corpus: Corpus) -> tuple[Annotation, list[Notice]]:
    """Return the mentions without those outside the region of the part, and a notice."""
    table, region = given.mentions, corpus.region
    if region is None:
        return given, []
    start = table["start"].to_numpy(np.int64)
    outside = ~region.contains(corpus.documents, table["doc"], start)
    if region.listed:
        outside = ~table.index.isin(list(region.listed))
    left = table[outside]
    pairs = zip(mention_ids(left), left["line"], strict=True)  # a system's mentions have no line
    cases = [given.place(line) if line else name for name, line in pairs]
    return replace(given, mentions=table[~outside]), of.outside_region(corpus, cases)


def _named(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation]:
    """Return both files by block or by document, so that their names match."""
    blocks = [{at.block for at in side.layout.values()} for side in (key, response)]
    if all(blocks) and pair_documents(sorted(blocks[1]), sorted(blocks[0]), response.name):
        return _by_block(key), _by_block(response)
    ids = [{*side.mentions["mention"][side.mentions["start"] >= 0]} for side in (key, response)]
    ours, theirs = with_tokens(key, ids[1]), with_tokens(response, ids[0])
    if ("" in ours.documents) == ("" in theirs.documents):
        return ours, theirs
    return with_documents(ours), with_documents(theirs)


def _by_block(given: Annotation) -> Annotation:
    """Return the file with token numbers that count within each ``#begin document``."""
    layout, docs = given.layout, given.mentions["doc"]
    shift = docs.map({doc: at.offset for doc, at in layout.items()}).astype(np.int64)
    moved = given.mentions.assign(
        doc=docs.map({doc: at.block for doc, at in layout.items()}).astype(object),
        start=given.mentions["start"] + shift,
        end=given.mentions["end"] + shift,
    )
    texts: dict[str, tuple[str, ...] | None] = {}
    blocks: dict[str, Layout] = {}
    for doc, at in layout.items():
        text, before = given.documents[doc], texts.get(at.block, ())
        texts[at.block] = None if text is None or before is None else before + text
        lines = blocks[at.block].lines if at.block in blocks else at.lines[:0]
        blocks[at.block] = Layout(at.block, 0, np.append(lines, at.lines))
    return replace(given, mentions=moved, documents=texts, layout=blocks)


def _without_singletons(given: Annotation, across: bool) -> Annotation:
    """Return the file without chains of one mention; repeats in a chain count once.

    ``across``: whether a label in two documents is one chain.
    """
    chain = ["chain"] if across else ["doc", "chain"]
    table = given.mentions.assign(id=given.mentions["doc"] + "\0" + mention_ids(given.mentions))
    sizes = table.groupby(chain)["id"].transform("nunique")
    return replace(given, mentions=given.mentions[sizes > 1])


def _indexed(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation, list[Notice]]:
    """Return both files with mentions indexed by document and tokens, and a notice.

    Brackets cannot express a gap, so gaps are filled if one file is CoNLL, unless another mention
    has the same first and last token. If one side has only the id of a mention, the tokens are
    those of the other side. Raises ScoringError for a duplicate mention in the key.
    """
    files, sides = (key, response), []
    for table in (key.mentions, response.mentions):
        places = pd.Series(mention_ids(table), table.index, dtype=object)
        if "conll" in {key.format, response.format}:
            flat = mention_ids(table.assign(tokens=object_array([()] * len(table))))
            filled = pd.Series(flat, table.index, dtype=object)
            places = places.where(filled.duplicated(keep=False), filled)
        sides.append((whole_ids(table), places, table["start"] < 0))
    named = [dict(zip(ids[~bare], places[~bare], strict=True)) for ids, places, bare in sides]
    indices = [
        places.where(~bare, ids.map(lambda id_, other=other: other.get(id_)).fillna(places))
        for (ids, places, bare), other in zip(sides, [named[1], named[0]], strict=True)
    ]
    for row in np.flatnonzero(indices[0].duplicated())[:1]:
        again = indices[0].iloc[row]
        lines = key.mentions["line"][indices[0] == again]
        message = f"duplicate mention '{again}' in the key, first at {key.place(lines.iloc[0])}"
        hint = "keep one"
        if indices[1].is_unique:
            hint += "; are key and response swapped?"
        place = key.place(lines.iloc[1])
        raise ScoringError("mention-duplicate", message, place=place, hint=hint)
    ours, theirs = (
        replace(file, mentions=file.mentions.set_index(pd.Index(index, dtype=object)))
        for file, index in zip(files, indices, strict=True)
    )
    known = key.mentions.set_axis(sides[0][0])[(key.mentions["start"] >= 0).to_numpy()]
    return ours, theirs, _contrary(response, sides[1][0], known.drop(index="", errors="ignore"))


def _documents_of(corpus: Corpus, read: Annotation, pairs: Mapping[str, str]) -> list[Notice]:
    """Return notices on documents that are not in the part, are missing, or have another name."""
    unpaired = [doc for doc in read.documents if doc not in pairs]
    beyond = pair_documents(unpaired, corpus.elsewhere, read.name) if unpaired else {}
    unknown, known = [doc for doc in unpaired if doc not in beyond], {**pairs, **beyond}
    covered = {known[doc] for doc in read.mentions["doc"].unique() if doc in known}
    notices = []
    for code, docs, where in (
        ("outside-split", [*beyond], f"in '{corpus.part}'"),
        ("unknown-document", unknown, "in the corpus"),
    ):
        inside = counted(int(read.mentions["doc"].isin(docs).sum()), "mention")
        rest = f"not {where}, ignored with {inside}"
        notices += of.said(code, docs, "response document", rest)
    notices += of.missing_and_renamed(dict.fromkeys(corpus.selected["doc"]), pairs)
    if corpus.elsewhere and covered != corpus.documents.keys():
        notices += of.other_split(corpus, covered)
    return notices


# ---- aligned mentions ----


def _aligned(
    gold: pd.DataFrame, response: Annotation, policy: FilePolicy, corpus: Corpus | None = None
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the mentions of the response with the ids of their key mentions, and notices.

    The mentions of ``gold`` are indexed by id, so are those of ``response``: a mention that equals
    one of the key has its id, any other the id of its place, which the result has as the column
    ``place``.

    Of repeats, the occurrence in the chain that opens first in the document counts, as in the
    reference scorer (v8.01), which stops after ten duplicates. A duplicate twinless mention is kept
    each time (as ``id#2``, …, NAME has the id), because the reference scorer looks for duplicates
    among the key mentions only.
    """
    table = response.mentions.assign(place=response.mentions.index)
    if policy.alignment != "exact" and len(gold) and len(table):
        table = table.set_axis(of_trees("aligned")(gold, table, policy, corpus))
    if table.index.is_unique:
        return table, []
    chains = pd.factorize(table["doc"] + "\0" + table["chain"])[0]
    table = table.iloc[np.argsort(chains, kind="stable")]
    again, known = table.index.duplicated(), table.index.isin(gold.index)
    places = [*map(response.place, table["line"].tolist())]
    cases = object_array(f"{id_} at {at}" for id_, at in zip(table.index, places, strict=True))
    rest = f"repeated; {FIRST}{'' if known[again].all() else _EVERY}"
    notices = of.said("mention-duplicate", cases[again], of.MENTION, rest)
    table = table[~again | ~known]
    if table.index.is_unique:
        return table, notices
    ids = distinct(table.index, {*gold.index.difference(table.index)})
    return table.assign(**{NAME: table.index}).set_axis(pd.Index(ids, dtype=object)), notices


def distinct(names: Iterable[str], taken: set[str]) -> list[str]:
    """Return the names, with a number behind each that is taken, from 2."""
    chosen = []
    for name in names:
        choices = chain([name], (f"{name}#{number}" for number in count(2)))
        chosen.append(next(choice for choice in choices if choice not in taken))
        taken.add(chosen[-1])
    return chosen


def _twinless(
    corpus: Corpus, mentions: pd.DataFrame, size: int, name: str
) -> tuple[list[str], pd.DataFrame, list[Notice]]:
    """Return the ids to leave out, the mentions as rows of the corpus, and notices.

    The ``mentions`` are not in the key; those that the corpus has, but leaves out of it, are left
    out. ``size`` is the number of all mentions of the response. Raises ScoringError if many of them
    are of another kind than the selected.
    """
    dropped, notices = of.left_out(corpus, mentions.index)
    kinds = annotated(corpus)["kind"].reindex(mentions.index.drop(dropped))
    other = kinds[kinds.notna() & (kinds != corpus.kind)].sort_index()
    why = "of another kind in the corpus"
    if len(other) >= max(_SEVERAL, _MANY * size):
        message = f"{counted(len(other), of.MENTION)} {why}, such as {other.iloc[0]}"
        fit = other.iloc[0] if size == len(mentions) and len({*other}) == 1 else "all"
        hint = f"use mentions={fit}, or remove them; mentions={corpus.kind} is in use"
        raise ScoringError("input-mismatch", message, place=name, hint=hint)
    notices = [*of.said("mention-left-out", other.index, of.MENTION, f"{why}: twinless"), *notices]
    left, rows = mentions.loc[kinds.index], []
    for doc, start, end, tokens in zip(*(left[name] for name in SPAN), strict=True):
        home = corpus.documents[doc]
        sentence = bisect_right(home.sentence_starts, start) - 1
        text = " ".join(home.tokens[at] for at in tokens or range(start, end + 1))
        rows.append((home.topic, home.subtopic, sentence, text))
    facts = pd.DataFrame(rows, left.index, ["topic", "subtopic", "sentence", "text"])
    described = left.drop(columns="sentence").join(facts).assign(kind=kinds.fillna("unknown"))
    return dropped, described, [*notices, *of.unreviewed(corpus, described)]
