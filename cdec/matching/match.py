"""Match the mentions of a response with those of a key: a file and a corpus, or two files.

Names are read (``names``), tokens counted as in the key (``tokens``), mentions aligned (``align``);
``notices`` says what is irregular. Two files with trees are matched by these.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TypeAlias, cast

import numpy as np
import pandas as pd

from cdec.arrays import NAME, Ints, found
from cdec.clustering import Side, chains_digest, chains_of
from cdec.corpus.model import Corpus
from cdec.errors import Notice, ScoringError, counted
from cdec.formats.annotation import Annotation, Layout, object_array
from cdec.matching import notices as of
from cdec.matching.align import SPAN, Spans, paired, word_counts
from cdec.matching.alignment import Alignment
from cdec.matching.names import (
    annotated,
    mention_ids,
    pair_documents,
    read_names,
    whole_id,
    with_documents,
    with_tokens,
)
from cdec.matching.policy import DEFAULT_POLICY, REPEATED, FilePolicy
from cdec.matching.tokens import file_words, in_corpus, in_files, renamed
from cdec.rooms import added, imported

# Mentions of another kind that a system of this kind does not have: their share, and number. Of the
# mentions that published systems detect as events on ECB+, up to 20 % are gold entities; in a
# response of all kinds they are 54 %.
_MANY, _SEVERAL = 1 / 3, 10
_COLUMNS = ["doc", "topic", "subtopic", "sentence", "start", "end", "tokens", "text", "kind"]
_EVERY = (
    "every occurrence of a mention that is not in the key counts, except in mentions and BLANC, "
    "which count one (as in the reference scorer)"
)
# A table with doc, start, end and tokens → the number of each head in its document, −1 if unknown.
Heads: TypeAlias = Callable[[pd.DataFrame], Ints]


def corpus_heads(corpus: Corpus, nlp: str, mentions: pd.DataFrame) -> Ints:
    """Return the heads of mentions in the documents of ``corpus``, found by a pipeline."""
    from cdec.language.heads import heads  # noqa: PLC0415  # only some rules need heads

    columns = (mentions[name] for name in ("start", "end", "tokens"))
    tokens = [t or tuple(range(s, e + 1)) for s, e, t in zip(*columns, strict=True)]
    spans = mentions[["doc"]].assign(tokens=pd.Series(tokens, index=mentions.index))
    return heads(replace(corpus, mentions=spans), nlp)["head"].to_numpy()


def match_corpus(
    response: Annotation,
    corpus: Corpus,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    heads: Heads | None = None,
) -> Alignment:
    """Match a response with the selected mentions of ``corpus``, the part under evaluation.

    Documents are matched by name, mentions by their tokens. A span without a gap also matches a
    mention with a gap and the same first and last token, unless the response names tokens. A
    response mention of another kind is twinless and keeps its id; one that the key leaves out, by
    its variant or a patch, is left out, and so are mentions in documents outside this part.
    ``heads`` finds the heads of mentions for a rule of alignment that needs them. Raises
    ScoringError as ``match_files`` does, for mention ids and tokens that are not in the corpus, and
    if many mentions are of another kind.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from cdec.formats import from_corpus
    >>> match_corpus(from_corpus(corpus, corpus.gold), corpus).notices[0].message
    "the response 'sample' is identical to the gold annotation; is it the key?"
    """
    response = _by_text(_labelled(response, "response", policy.noise), corpus)
    read, pairs = read_names(response, corpus)
    placed, irregular = _in_corpus(read, pairs, corpus)
    inside, cut = _inside_region(placed, corpus)
    key = corpus.selected
    mentions, repeated = _aligned(key, inside, policy, heads)
    mentions, of_others = _of_kind(corpus, mentions, response.name)
    twinless = _described(corpus, mentions[~found(mentions.index, key.index)])
    said = [
        *_corpus_documents(corpus, read, pairs),
        *irregular,
        *cut,
        *repeated,
        *of_others,
        *of.identical(corpus, mentions, response.name),
        *of.unreviewed(corpus, twinless),
    ]
    response = replace(response, digest=response.digest or chains_digest(placed.mentions["chain"]))
    key = key[[*_COLUMNS, "chain"]]
    aligned = _side_by_side((key, mentions), twinless, corpus.documents, response, said)
    return of.with_coverage(aligned, corpus.name, response.name, policy=policy)


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
        response = imported(added("trees")["placed"])(response, key.trees)
    response = _labelled(response, "response", policy.noise)
    if key.trees is not None and response.trees is not None:
        match_trees = imported(added("trees")["matched"])
        return cast("Alignment", match_trees(key, response, policy, across=across))
    ours, theirs = _named(key, response)
    pairs = pair_documents(theirs.documents, ours.documents, response.name)
    codes = {notice.code for side in (key, response) for notice in side.notices}
    is_only = len(ours.documents) == len(theirs.documents) == 1
    if not pairs and is_only and "document-unnamed" in codes:
        # The only documents of two files are the same if one of them has the name of its file only.
        pairs = dict(zip(theirs.documents, ours.documents, strict=True))
    pairs = {doc: pairs.get(doc, doc) for doc in theirs.documents}
    ours, placed = in_files(ours, renamed(theirs, pairs))
    irregular = [*file_words(ours, placed), *of.lost_ids(ours.mentions, placed.mentions)]
    if policy.singletons == "drop":
        ours, placed = _without_singletons(ours, across), _without_singletons(placed, across)
    ours, placed = _indexed(ours, placed)
    gold = ours.mentions[[*SPAN, "chain"]]
    mentions, repeated = _aligned(gold, placed, policy)
    unknown = [doc for doc, name in pairs.items() if name not in ours.documents]
    twinless = mentions[~found(mentions.index, gold.index)]
    beyond = unknown if theirs.mentions["doc"].isin(unknown).any() else []
    words = "response document is", "response documents are"
    said = [
        *of.said("unknown-document", beyond, words, "not in the key: all mentions are twinless"),
        *of.missing_and_renamed(ours.documents, pairs),
        *of.exchanged(key, response),
        *irregular,
        *repeated,
        *of.recurring_labels(gold, mentions),
    ]
    documents = {**ours.documents, **placed.documents}
    aligned = _side_by_side((gold, mentions), twinless, documents, response, [*key.notices, *said])
    return of.with_coverage(aligned, key.name, response.name, policy=policy, across=across)


def _side_by_side(
    sides: tuple[pd.DataFrame, pd.DataFrame],
    twinless: pd.DataFrame,
    documents: Iterable[str],
    file: Annotation,
    notices: Iterable[Notice],
) -> Alignment:
    """Return key and response as an ``Alignment``, without notices on what one side lacks.

    ``sides`` are the mentions of key and response; ``twinless`` those of the response that are not
    in the key, with its columns; ``documents`` are in text order.
    """
    key, response = sides
    chains = key["chain"].astype(object)
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
        key=chains.reindex(table.index),
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


def ids_in_corpus(response: Annotation, corpus: Corpus) -> tuple[dict[int, str], list[Notice]]:
    """Return row → id in ``corpus`` of mentions that are given by ids of any form, and notices.

    A mention in a document of another part has the id '', and of all of them there is a notice.
    Rows of unknown documents are left out. Raises ScoringError for an id that is not in the corpus.
    """
    read, pairs = read_names(response, corpus)
    unpaired = [doc for doc in read.documents if doc not in pairs]
    beyond = [*pair_documents(unpaired, corpus.elsewhere, response.name)]
    elsewhere = read.mentions.index[read.mentions["doc"].isin(beyond)].tolist()
    rows = read.mentions.index[read.mentions["doc"].isin(list(pairs))].tolist()
    placed, notices = _in_corpus(read, pairs, corpus)
    where = f"in '{corpus.part}'"
    notices += of.documents_left_out("outside-split", beyond, read.mentions, where)
    ids = dict(zip(rows, placed.mentions.index.tolist(), strict=True))
    return dict.fromkeys(elsewhere, "") | ids, notices


# ---- each side ----


def _labelled(given: Annotation, side: Side, noise: str | None) -> Annotation:
    """Return the annotation with settled labels, without mentions of no chain, and with notices.

    Raises ScoringError for a label of no chain without ``noise``, FormatError for a missing one.
    """
    given = replace(given.unbroken(), broken=None)
    if noise is None:
        given.labelled()
    labels = given.mentions.set_index("line")["chain"]
    chains = chains_of(labels, side, noise, place=given.place)
    given = replace(given, notices=(*given.notices, *chains.notices))
    rows = np.flatnonzero(chains.codes >= 0)
    settled = object_array([*chains.texts])[chains.codes[rows]]
    mentions = given.mentions.iloc[rows].assign(chain=settled).reset_index(drop=True)
    trees = None if given.trees is None else given.trees.take(rows)
    return replace(given, mentions=mentions, trees=trees, gold=None)


def _by_text(response: Annotation, corpus: Corpus) -> Annotation:
    """Name documents without a name as the documents of the corpus that have the same words.

    Names stay as they are unless each has exactly one such document, and no two the same.
    """
    unnamed = [one for one in response.notices if one.code == "document-unnamed"]
    if not unnamed:
        return response
    ids: dict[object, list[str]] = {}
    for document in corpus.documents.values():
        ids.setdefault(document.tokens, []).append(document.id)
    names = {own: ids.get(words or (), []) for own, words in response.documents.items()}
    chosen = {own: found[0] for own, found in names.items() if len(found) == 1}
    if len({*chosen.values()}) < len(names):
        return response
    said = "documents without a name are those of the corpus with the same words"
    kept = [one for one in response.notices if one not in unnamed]
    notices = (*kept, *(replace(one, message=said, warning=False) for one in unnamed))
    return replace(renamed(response, chosen), notices=notices)


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
    selected = found(known.index, corpus.selected.index)
    # Of several mentions with the same tokens the first counts.
    rows = [*zip(known["name"].tolist(), known.index.tolist(), selected, strict=True)][::-1]
    ids = {name: id_ for name, id_, is_selected in rows if not is_selected}
    if not placed.names_tokens:
        gapped = known[selected & (known["tokens"].map(len) > 0).to_numpy()]
        alone = gapped[~gapped.duplicated(["doc", "start", "end"], keep=False)]
        whole = mention_ids(alone.assign(tokens=object_array([()] * len(alone))))
        ids |= zip(whole, alone.index, strict=True)
    ids |= {name: id_ for name, id_, is_selected in rows if is_selected}
    bare = (table["start"] < 0).to_numpy()
    own = zip(mention_ids(table), bare, strict=True)
    index = pd.Index([name if is_id else ids.get(name, name) for name, is_id in own], dtype=object)
    if bare.any():
        spans = known[SPAN[1:]].reindex(index[bare])
        columns = {name: table[name].astype(object).to_numpy(copy=True) for name in SPAN[1:]}
        for name, column in columns.items():
            column[bare] = spans[name].to_numpy()
        table = table.assign(**columns).astype({"start": np.int64, "end": np.int64})
    return replace(placed, mentions=table.set_index(index)), notices


def _inside_region(given: Annotation, corpus: Corpus) -> tuple[Annotation, list[Notice]]:
    """Return the mentions without those outside the region of the part, and a notice."""
    table, region = given.mentions, corpus.region
    if region is None:
        return given, []
    if region.listed:
        outside = ~table.index.isin(list(region.listed))
    else:
        start = table["start"].to_numpy(np.int64)
        outside = ~region.contains(corpus.documents, table["doc"], start)
    left = table[outside]
    lines = (given.place(line) if line else "" for line in left["line"])
    # A system's own mentions have no line.
    cases = [line or name for line, name in zip(lines, mention_ids(left), strict=True)]
    return replace(given, mentions=table[~outside]), of.outside_region(corpus, cases)


def _named(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation]:
    """Return both files by block or by document, so that their names match."""
    blocks = [{at.block for at in side.layout.values()} for side in (key, response)]
    if all(blocks) and pair_documents(sorted(blocks[1]), sorted(blocks[0]), response.name):
        return _by_block(key), _by_block(response)
    ids = [set(side.mentions["mention"][side.mentions["start"] >= 0]) for side in (key, response)]
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


def _indexed(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation]:
    """Return both files with mentions indexed by document and tokens.

    Brackets cannot express a gap, so gaps are filled if one file is CoNLL, unless another mention
    has the same first and last token. If one side has only the id of a mention, the tokens are
    those of the other side. Raises ScoringError for a duplicate mention in the key.
    """
    tables, ids, named = (key.mentions, response.mentions), [], []
    for table in tables:
        own = mention_ids(table)
        if "conll" in {key.format, response.format}:
            flat = mention_ids(table.assign(tokens=object_array([()] * len(table))))
            shared = pd.Series(flat, dtype=object).duplicated(keep=False)
            own = [one if kept else full for one, full, kept in zip(own, flat, shared, strict=True)]
        ids.append(own)
        whole = zip(table["doc"], table["mention"], strict=True)
        named.append([whole_id(doc, name) if name else "" for doc, name in whole])
    sides = []
    for side, other in ((0, 1), (1, 0)):
        placed = (tables[other]["start"] >= 0).tolist()
        pairs = zip(named[other], ids[other], placed, strict=True)
        known = {name: id_ for name, id_, usable in pairs if name and usable}
        bare = (tables[side]["start"] < 0).tolist()
        rows = zip(named[side], ids[side], bare, strict=True)
        sides.append([known.get(name, id_) if is_id else id_ for name, id_, is_id in rows])
    for row in np.flatnonzero(pd.Series(sides[0], dtype=object).duplicated())[:1]:
        lines = tables[0]["line"].iloc[[sides[0].index(sides[0][row]), row]].tolist()
        first, place = map(key.place, lines)
        message = f"duplicate mention '{sides[0][row]}' in the key, first at {first}"
        is_swapped = len({*sides[1]}) == len(sides[1])
        hint = "keep one" + ("; are key and response swapped?" if is_swapped else "")
        raise ScoringError("mention-duplicate", message, place=place, hint=hint)
    ours, theirs = (
        replace(file, mentions=table.set_index(pd.Index(index, dtype=object)))
        for file, table, index in zip((key, response), tables, sides, strict=True)
    )
    return ours, theirs


def _corpus_documents(corpus: Corpus, read: Annotation, pairs: Mapping[str, str]) -> list[Notice]:
    """Return notices on documents that are not in the part, are missing, or have another name."""
    unpaired = [doc for doc in read.documents if doc not in pairs]
    beyond = pair_documents(unpaired, corpus.elsewhere, read.name) if unpaired else {}
    unknown, known = [doc for doc in unpaired if doc not in beyond], {**pairs, **beyond}
    covered = {known[doc] for doc in read.mentions["doc"].unique() if doc in known}
    is_part = bool(corpus.elsewhere) and covered != corpus.documents.keys()
    left, where = partial(of.documents_left_out, mentions=read.mentions), f"in '{corpus.part}'"
    return [
        *left("outside-split", [*beyond], where=where),
        *left("unknown-document", unknown, where="in the corpus"),
        *of.missing_and_renamed(dict.fromkeys(corpus.selected["doc"]), pairs),
        *(of.other_split(corpus, covered) if is_part else ()),
    ]


# ---- aligned mentions ----


def _aligned(
    gold: pd.DataFrame, response: Annotation, policy: FilePolicy, heads: Heads | None = None
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the mentions of the response with the ids of their key mentions, and notices.

    The mentions of ``gold`` are indexed by id, so are those of ``response``: a mention that equals
    one of the key has its id, any other the id of its place, which the result has as the column
    ``place``.

    Of repeats, policy ``first`` gives the numbers of the reference scorer (v8.01), which stops
    after ten duplicates: the occurrence in the chain that opens first in the document counts. A
    duplicate twinless mention is kept each time (as ``id#2``, …, NAME has the id), because the
    reference scorer looks for duplicates among the key mentions only. Policy ``error`` raises
    ScoringError with ``file:line``; ``drop`` removes all occurrences.
    """
    table = response.mentions.assign(place=response.mentions.index)
    if policy.rule.kind != "exact" and len(gold) and len(table):
        table = table.set_axis(_ids_by_rule(gold, table, policy, heads))
    if table.index.is_unique:
        return table, []
    in_order = np.argsort(pd.factorize(table["doc"] + "\0" + table["chain"])[0], kind="stable")
    table = table.iloc[in_order]
    again, known = table.index.duplicated(), table.index.isin(gold.index)
    places = [*map(response.place, table["line"].tolist())]
    if policy.repeated == "error":
        row = int(again.argmax())
        message = f"duplicate mention '{table.index[row]}' in the response"
        hint = "keep one, or use repeated=first or repeated=drop"
        raise ScoringError("mention-duplicate", message, place=places[row], hint=hint)
    cases = np.array(
        [f"{id_} at {at}" for id_, at in zip(table.index, places, strict=True)], object
    )
    same = pd.MultiIndex.from_arrays([table.index, table["chain"]]).duplicated()
    notices = []
    for mask, words, what in (
        (same, ("mention is", "mentions are"), "repeated in the same chain of the response"),
        (again & ~same, ("response mention is", "response mentions are"), "in a second chain"),
    ):
        effect = REPEATED[policy.repeated]
        if policy.repeated == "first" and not known[mask].all():
            effect = f"{effect}; {_EVERY}"
        notices += of.said("mention-duplicate", cases[mask], words, f"{what}; {effect}")
    if policy.repeated == "drop":
        return table[~table.index.duplicated(keep=False)], notices
    table = table[~again | ~known]
    if table.index.is_unique:
        return table, notices
    taken, ids = {*table.index, *gold.index}, []
    for id_, number in zip(table.index, table.groupby(level=0).cumcount(), strict=True):
        names = (f"{id_}#{n}" for n in count(number + 1))
        ids.append(next(name for name in names if name not in taken) if number else id_)
        taken.add(ids[-1])
    return table.assign(**{NAME: table.index}).set_axis(pd.Index(ids, dtype=object)), notices


def _ids_by_rule(
    gold: pd.DataFrame, table: pd.DataFrame, policy: FilePolicy, heads: Heads | None
) -> pd.Index[str]:
    """Return the id of the key mention that each mention is aligned with, or its own.

    All occurrences of a repeated mention get the same id. Raises ScoringError if the rule needs
    heads and the key has none.
    """
    rule, once = policy.rule, table[~table.index.duplicated()]
    of_key = heads(gold) if rule.needs_heads and heads else None
    if rule.needs_heads and (of_key is None or (of_key < 0).all()):
        message = f"the mentions of the key have no heads, which the alignment {rule.kind} needs"
        hint = "align by overlap:0.5, or use a CoNLL-U key"
        raise ScoringError("annotation-missing", message, hint=hint)
    of_response = heads(once) if rule.kind == "head" and heads else None
    key, response = Spans.of_tables((gold, once), (of_key, of_response))
    partner = paired(key, response, rule, gold.index.get_indexer(once.index))
    ids = np.where(partner < 0, once.index, gold.index[partner])
    return pd.Index(ids[once.index.get_indexer(table.index)], dtype=object)


def _of_kind(
    corpus: Corpus, mentions: pd.DataFrame, name: str
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the mentions without those that the key leaves out, and notices.

    Raises ScoringError if many mentions are of another kind than the selected.
    """
    known = found(mentions.index, corpus.selected.index)
    kinds = corpus.mentions["kind"].reindex(sorted(mentions.index[~known]))
    other = kinds[kinds.notna() & (kinds != corpus.kind)]
    dropped, left = of.left_out_of_key(corpus, kinds.index)
    words, rest = ("response mention is", "response mentions are"), "of another kind in the corpus"
    if len(other) >= max(_SEVERAL, _MANY * len(mentions)):
        message = f"{counted(len(other), *words)} {rest}, such as {other.iloc[0]}"
        fit = other.iloc[0] if not known.any() and len({*other}) == 1 else "all"
        hint = f"use mentions={fit}, or remove them; mentions={corpus.kind} is in use"
        raise ScoringError("input-mismatch", message, place=name, hint=hint)
    notices = of.said("mention-left-out", other.index, words, f"{rest}: twinless")
    return mentions.drop(index=dropped), [*notices, *left]


def _described(corpus: Corpus, twinless: pd.DataFrame) -> pd.DataFrame:
    """Return twinless mentions with topic, sub-topic, sentence, text and kind."""
    if twinless.empty:
        return twinless
    kinds = annotated(corpus)["kind"].reindex(twinless.index).fillna("unknown")
    homes = [corpus.documents[doc] for doc in twinless["doc"]]
    columns = (twinless[name] for name in SPAN[1:])
    rows = []
    for home, start, end, tokens in zip(homes, *columns, strict=True):
        sentence = bisect_right(home.sentence_starts, start) - 1
        text = " ".join(home.tokens[at] for at in tokens or range(start, end + 1))
        rows.append((home.topic, home.subtopic, sentence, text))
    facts = pd.DataFrame(rows, twinless.index, ["topic", "subtopic", "sentence", "text"])
    return twinless.drop(columns="sentence").join(facts).assign(kind=kinds)
