"""Match the mentions of a response with those of a key: a file and a corpus, or two files.

Names are read (``names``), tokens counted as in the key (``tokens``), mentions aligned (``align``);
``notices`` says what is irregular. Two files with trees are matched by these.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TypeAlias, cast

import numpy as np
import pandas as pd

from cdec.arrays import NAME, Ints, found
from cdec.clustering import Side, chains_digest
from cdec.corpus.model import Corpus
from cdec.errors import Notice, ScoringError, counted, notice
from cdec.formats.annotation import Annotation, Layout, gaps, object_array
from cdec.labels import chains_of
from cdec.matching.align import SPAN, Spans, paired, word_counts
from cdec.matching.alignment import Alignment
from cdec.matching.names import (
    annotated,
    flattened_ids,
    mention_ids,
    pair_documents,
    read_names,
    with_documents,
    with_places,
    with_tokens,
)
from cdec.matching.notices import (
    exchanged,
    identical,
    left_out,
    left_out_of_key,
    lost_ids,
    missing_and_renamed,
    other_split,
    outside_region,
    recurring_labels,
    unreviewed,
    with_coverage,
)
from cdec.matching.policy import DEFAULT_POLICY, REPEATED, FilePolicy, Rule
from cdec.matching.tokens import file_words, in_corpus, in_files, renamed

# Mentions of another kind that a system of this kind does not have: their share, and number. Of the
# mentions that published systems detect as events on ECB+, up to 20 % are gold entities; in a
# response of all kinds they are 54 %.
_MANY, _SEVERAL = 1 / 3, 10
_COLUMNS = ["doc", "topic", "subtopic", "sentence", "start", "end", "tokens", "text", "kind"]
_UNKNOWN = "unknown"  # the kind of a mention that is not in the corpus
_EVERY = (
    "every occurrence counts, except in mentions and BLANC, which count one (as in the reference "
    "scorer)"
)
# A table with doc, start, end and tokens → the number of each head in its document, −1 if unknown.
Heads: TypeAlias = Callable[[pd.DataFrame], Ints]


def corpus_heads(corpus: Corpus, nlp: str, mentions: pd.DataFrame) -> Ints:
    """Return the heads of mentions in the documents of ``corpus``, found by a pipeline."""
    from cdec.language.heads import heads  # noqa: PLC0415  # only some rules need heads

    columns = (mentions[name] for name in ("start", "end", "tokens"))
    tokens = [t or tuple(range(s, e + 1)) for s, e, t in zip(*columns, strict=True)]
    known = mentions["start"].to_numpy() >= 0
    spans = mentions[["doc"]].assign(tokens=pd.Series(tokens, index=mentions.index))[known]
    numbers = np.full(len(mentions), -1)
    numbers[known] = heads(replace(corpus, mentions=spans), nlp)["head"].to_numpy()
    return numbers


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
    response = _labelled(response, "response", policy.noise)
    read, pairs = read_names(response, corpus)
    placed, irregular = _in_corpus(read, pairs, corpus)
    inside, cut = _inside_region(placed, corpus)
    key = corpus.selected
    mentions, repeated = _aligned(key, inside, policy, heads)
    mentions, of_others = _of_kind(corpus, mentions, response.name)
    twinless = _described(corpus, mentions[~found(mentions.index, key.index)])
    table = _side_by_side(key[_COLUMNS], key["chain"], mentions, corpus.documents, twinless)
    aligned = Alignment(
        table,
        notices=(
            *response.notices,
            *_corpus_documents(corpus, read, pairs),
            *irregular,
            *cut,
            *repeated,
            *of_others,
            *identical(corpus, mentions, response.name),
            *unreviewed(corpus, twinless),
        ),
        about={"response_digest": response.digest or chains_digest(placed.mentions["chain"])},
        system=response.name,
        words=partial(word_counts, key[SPAN], mentions[SPAN], table[SPAN]),
    )
    return with_coverage(aligned, corpus.name, response.name, policy=policy)


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
        response = key.trees.placed(response)
    response = _labelled(response, "response", policy.noise)
    if key.trees is not None and response.trees is not None:
        return cast("Alignment", key.trees.match(key, response, policy, across=across))
    ours, theirs = _named(key, response)
    pairs = pair_documents(theirs.documents, ours.documents, response.name)
    codes = {notice.code for side in (key, response) for notice in side.notices}
    if not pairs and "document-unnamed" in codes:
        # The only documents of two files are the same if one of them has the name of its file only.
        both = zip(theirs.documents, ours.documents, strict=False)
        pairs = dict(both) if len(ours.documents) == len(theirs.documents) == 1 else {}
    pairs = {doc: pairs.get(doc, doc) for doc in theirs.documents}
    ours, placed = in_files(ours, renamed(theirs, pairs))
    irregular = [*file_words(ours, placed), *lost_ids(ours.mentions, placed.mentions)]
    if policy.singletons == "drop":
        ours, placed = _without_singletons(ours, across), _without_singletons(placed, across)
    ours, placed = _indexed(ours, placed)
    gold = ours.mentions
    mentions, repeated = _aligned(gold, placed, policy)
    twinless = mentions[~found(mentions.index, gold.index)]
    documents = {**ours.documents, **placed.documents}
    aligned = Alignment(
        _side_by_side(gold[SPAN], gold["chain"], mentions, documents, twinless),
        notices=(
            *key.notices,
            *response.notices,
            *_file_documents(ours, theirs, pairs),
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


def ids_in_corpus(response: Annotation, corpus: Corpus) -> tuple[dict[int, str], list[Notice]]:
    """Return row → id in ``corpus`` of mentions that are given by ids of any form, and notices.

    A mention in a document of another part has the id '', and of all of them there is a notice.
    Rows of unknown documents are left out. Raises ScoringError for an id that is not in the corpus.
    """
    read, pairs = read_names(response, corpus)
    unpaired = [doc for doc in read.documents if doc not in pairs]
    beyond = pair_documents(unpaired, corpus.elsewhere, response.name)
    elsewhere = read.mentions.index[read.mentions["doc"].isin(list(beyond))].tolist()
    rows = read.mentions.index[read.mentions["doc"].isin(list(pairs))].tolist()
    placed, notices = _in_corpus(read, pairs, corpus)
    if beyond:
        where = f"in '{corpus.part}'"
        notices = [*notices, left_out("outside-split", list(beyond), len(elsewhere), where)]
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
    if not chains.changed:
        return given
    rows = np.flatnonzero(chains.codes >= 0)
    settled = object_array([*chains.texts])[chains.codes[rows]]
    mentions = given.mentions.iloc[rows].assign(chain=settled).reset_index(drop=True)
    trees = None if given.trees is None else given.trees.take(rows)
    return replace(given, mentions=mentions, trees=trees, gold=None)


def _in_corpus(
    read: Annotation, pairs: Mapping[str, str], corpus: Corpus
) -> tuple[Annotation, list[Notice]]:
    """Return the mentions in documents of the corpus, indexed by their ids there, and notices.

    A mention that the corpus does not have is indexed by document and tokens. Of the mentions of
    the corpus with its tokens one counts, in this order: the selected one; unless the response
    names tokens, the only selected one with a gap and this first and last token; another.
    """
    placed, notices = in_corpus(read, pairs, corpus)
    known = annotated(corpus)
    known = known.assign(tokens=object_array(gaps(known)), mention="")
    selected = found(known.index, corpus.selected.index)
    names = pd.Series(known.index, index=mention_ids(known), dtype=object)
    ids = names[~selected][::-1].to_dict()  # of several the first counts
    if not placed.names_tokens:
        gapped = known[selected & (known["tokens"].map(len) > 0).to_numpy()]
        alone = gapped[~gapped.duplicated(["doc", "start", "end"], keep=False)]
        columns = (alone[name] for name in ("doc", "start", "end"))
        ends = [f"{doc}/{start}-{end}" for doc, start, end in zip(*columns, strict=True)]
        ids |= zip(ends, alone.index, strict=True)
    ids |= names[selected][::-1].to_dict()
    table = placed.mentions
    pairs_of = zip(mention_ids(table), table["start"] >= 0, strict=True)
    index = [ids.get(name, name) if has_tokens else name for name, has_tokens in pairs_of]
    return replace(placed, mentions=table.set_index(pd.Index(index, dtype=object))), notices


def _inside_region(given: Annotation, corpus: Corpus) -> tuple[Annotation, list[Notice]]:
    """Return the mentions without those outside the region of the part, and a notice."""
    table, region = given.mentions, corpus.region
    if region is None:
        return given, []
    start = table["start"].to_numpy(np.int64)
    outside = table["mention"].isin(region.outside.index).to_numpy(copy=True)
    placed = start >= 0
    outside[placed] = ~region.contains(corpus.documents, table["doc"][placed], start[placed])
    if region.listed:
        outside = ~table.index.isin(list(region.listed))
    columns = (table[outside][name] for name in ("line", "doc", "start", "end"))
    cases = [  # a system's own mentions have no line
        given.place(line) if line else f"{doc}/{first}-{last}"
        for line, doc, first, last in zip(*columns, strict=True)
    ]
    return replace(given, mentions=table[~outside]), outside_region(corpus, cases)


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

    Brackets cannot express a gap, so gaps are filled if one file is CoNLL. If one side has only the
    id of a mention, the tokens are those of the other side. Raises ScoringError for a duplicate
    mention in the key.
    """
    named = flattened_ids if "conll" in {key.format, response.format} else mention_ids
    tables = key.mentions, response.mentions
    ours, theirs = map(named, tables)
    of_key, of_response = (
        with_places(table, ids, *other) if (table["start"] < 0).any() else ids
        for table, ids, other in (
            (tables[0], ours, (tables[1], theirs)),
            (tables[1], theirs, (tables[0], ours)),
        )
    )
    for row in np.flatnonzero(pd.Series(of_key, dtype=object).duplicated())[:1]:
        lines = tables[0]["line"].iloc[[of_key.index(of_key[row]), row]].tolist()
        first, place = map(key.place, lines)
        message = f"duplicate mention '{of_key[row]}' in the key, first at {first}"
        is_swapped = len(set(of_response)) == len(of_response)
        hint = "keep one" + ("; are key and response swapped?" if is_swapped else "")
        raise ScoringError("mention-duplicate", message, place=place, hint=hint)
    key = replace(key, mentions=tables[0].set_index(pd.Index(of_key, dtype=object)))
    indexed = tables[1].set_index(pd.Index(of_response, dtype=object))
    return key, replace(response, mentions=indexed)


# ---- notices on documents ----


def _corpus_documents(
    corpus: Corpus, read: Annotation, pairs: Mapping[str, str]
) -> Iterator[Notice]:
    """Yield notices on documents that are not in the part, are missing, or have another name."""
    unpaired = [doc for doc in read.documents if doc not in pairs]
    beyond = pair_documents(unpaired, corpus.elsewhere, read.name) if unpaired else {}
    for code, docs, where in (
        ("outside-split", list(beyond), f"in '{corpus.part}'"),
        ("unknown-document", [doc for doc in unpaired if doc not in beyond], "in the corpus"),
    ):
        if docs:
            yield left_out(code, docs, int(read.mentions["doc"].isin(docs).sum()), where)
    yield from missing_and_renamed(dict.fromkeys(corpus.selected["doc"]), pairs)
    known = {**pairs, **beyond}
    covered = {known[doc] for doc in read.mentions["doc"].unique() if doc in known}
    if corpus.elsewhere and covered != corpus.documents.keys():
        yield from other_split(corpus, covered)


def _file_documents(
    key: Annotation, response: Annotation, pairs: Mapping[str, str]
) -> Iterator[Notice]:
    unknown = [doc for doc, name in pairs.items() if name not in key.documents]
    if mentions := int(response.mentions["doc"].isin(unknown).sum()):
        what = counted(len(unknown), "response document is", "response documents are")
        twinless = counted(mentions, "mention is twinless", "mentions are twinless")
        yield notice("unknown-document", f"{what} not in the key: {twinless}", unknown)
    yield from missing_and_renamed(key.documents, pairs)


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
        table = table.set_axis(_ids_by_rule(gold, table, policy.rule, heads))
    if table.index.is_unique:
        return table, []
    in_order = np.argsort(pd.factorize(table["doc"] + "\0" + table["chain"])[0], kind="stable")
    table = table.iloc[in_order]
    again, known = table.index.duplicated(), table.index.isin(gold.index)
    if policy.repeated == "error":
        row = int(again.argmax())
        message = f"duplicate mention '{table.index[row]}' in the response"
        place = response.place(int(table["line"].iloc[row]))
        hint = "keep one, or use repeated=first or repeated=drop"
        raise ScoringError("mention-duplicate", message, place=place, hint=hint)
    same = pd.MultiIndex.from_arrays([table.index, table["chain"]]).duplicated()
    notices = []
    for mask, forms, what in (
        (same, ("mention is", "mentions are"), "repeated in the same chain of the response"),
        (again & ~same, ("response mention is", "response mentions are"), "in a second chain"),
    ):
        if number := int(mask.sum()):
            twinless, effect = int((~known[mask]).sum()), REPEATED[policy.repeated]
            if policy.repeated != "drop" and twinless == number:
                effect = f"not in the key: {_EVERY}"
            elif policy.repeated != "drop" and twinless:
                effect += f"; of mentions not in the key ({twinless:,}) {_EVERY}"
            places = map(response.place, table["line"][mask].tolist())
            cases = [f"{id_} at {at}" for id_, at in zip(table.index[mask], places, strict=True)]
            message = f"{counted(number, *forms)} {what}; {effect}"
            notices.append(notice("mention-duplicate", message, cases))
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
    gold: pd.DataFrame, table: pd.DataFrame, rule: Rule, heads: Heads | None
) -> pd.Index[str]:
    """Return the id of the key mention that each mention is aligned with, or its own.

    All occurrences of a repeated mention get the same id. Raises ScoringError if the rule needs
    heads and the key has none.
    """
    of_key = heads(gold) if rule.needs_heads and heads else None
    if rule.needs_heads and (of_key is None or (of_key < 0).all()):
        message = f"the mentions of the key have no heads, which the alignment {rule.kind} needs"
        hint = "align by overlap:0.5, or use a CoNLL-U key"
        raise ScoringError("annotation-missing", message, hint=hint)
    once = table[~table.index.duplicated()]
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
    twinless = mentions.index[~found(mentions.index, corpus.selected.index)]
    kinds = corpus.mentions["kind"].reindex(sorted(twinless))
    other = kinds[kinds.notna() & (kinds != corpus.kind)]
    dropped, left = left_out_of_key(corpus, kinds.index)
    notices = []
    if len(other):
        what = counted(len(other), "response mention is", "response mentions are")
        message = f"{what} {other.iloc[0]} mentions in the corpus"
        if len(other) >= max(_SEVERAL, _MANY * len(mentions)):
            alone = not found(mentions.index, corpus.selected.index).any()
            fit = other.iloc[0] if alone and len({*other}) == 1 else "all"
            hint = f"use mentions={fit}, or remove them; mentions={corpus.kind} is in use"
            raise ScoringError("input-mismatch", message, place=name, hint=hint)
        notices = [notice("mention-left-out", f"{message}: twinless", other.index.tolist())]
    return mentions.drop(index=dropped), [*notices, *left]


def _described(corpus: Corpus, twinless: pd.DataFrame) -> pd.DataFrame:
    """Return twinless mentions with topic, sub-topic, sentence, text and kind."""
    if twinless.empty:
        return twinless
    known = annotated(corpus).reindex(twinless.index)
    placed = twinless["start"] >= 0
    places = {name: twinless[name].where(placed, known[name]) for name in SPAN[1:]}
    homes = [corpus.documents[doc] for doc in twinless["doc"]]
    spans = list(zip(homes, *places.values(), strict=True))
    sentence = [bisect_right(d.sentence_starts, s) - 1 for d, s, _, _ in spans]
    text = [" ".join(d.tokens[k] for k in t or range(int(s), int(e) + 1)) for d, s, e, t in spans]
    return twinless.assign(
        **places,
        topic=[d.topic for d in homes],
        subtopic=[d.subtopic for d in homes],
        sentence=sentence,
        text=text,
        kind=known["kind"].fillna(_UNKNOWN),
    )


def _side_by_side(
    key: pd.DataFrame,
    chains: pd.Series[str],
    response: pd.DataFrame,
    documents: Mapping[str, object],
    twinless: pd.DataFrame,
) -> pd.DataFrame:
    """Return key and response side by side, as ``Alignment.mentions``.

    ``chains`` are those of the mentions of the ``key``; ``twinless`` are the mentions of the
    ``response`` that are not in the key; ``documents`` are in text order.
    """
    table = pd.concat([key, twinless[[*key.columns]]]) if len(twinless) else key
    rank = table["doc"].map({doc: number for number, doc in enumerate(documents)})
    table = table.iloc[np.lexsort((table["end"], table["start"], rank))]
    if NAME in response:
        names = response[NAME].reindex(table.index)
        table = table.assign(**{NAME: names.fillna(table.index.to_series())})
    own = response["place"].where((response["place"] != response.index).to_numpy(), "")
    return table.assign(
        line=response["line"].reindex(table.index, fill_value=0),
        key=chains.astype(object).reindex(table.index),
        response=response["chain"].astype(object).reindex(table.index),
        place=own.reindex(table.index, fill_value=""),
    )
