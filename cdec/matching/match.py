"""Match the mentions of a response with those of a corpus (``files``: with those of a key file).

Names are read (``names``), tokens counted as in the key if they are not (``tokens``), mentions laid
side by side (``side_by_side``), and missing ones treated (``coverage``). What the rooms add as
"trees" (CoNLL-U) is found by name: it knows the rules of alignment, and it counts words.
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
from cdec.clustering import SIDES, Side, chains_digest, chains_of
from cdec.corpus.model import Corpus
from cdec.errors import Notice, ScoringError, UsageError, counted
from cdec.formats.annotation import Annotation, object_array
from cdec.matching import names, tokens
from cdec.matching.alignment import Alignment
from cdec.matching.coverage import with_coverage
from cdec.matching.notices import MENTION, contrary, left_out, on_documents, said, unreviewed
from cdec.matching.policy import BY_HEAD, DEFAULT_POLICY, FIRST, FilePolicy
from cdec.rooms import added, imported

SPAN = ["doc", "start", "end", "tokens"]
"""The columns of a table of mentions that name the words of a mention."""
# Mentions of another kind that a system of this kind does not have: their share, and number. Of the
# mentions that published systems detect as events on ECB+, up to 20 % are gold entities; in a
# response of all kinds they are 54 %.
_MANY, _SEVERAL = 1 / 3, 10
_COLUMNS = ["doc", "topic", "subtopic", "sentence", "start", "end", "tokens", "text", "kind"]
_REPEATED = f"repeated; {FIRST}; one not in the key counts each time, in mentions and BLANC once"


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
    if any(one.code == "document-unnamed" for one in response.notices):
        response = _by_text(response, corpus)
    read, pairs = names.read_names(response, corpus)
    placed, notices = _in_corpus(read, pairs, corpus)
    table = placed.mentions.set_index("id")
    placed = replace(placed, mentions=table, digest=read.digest or chains_digest(table["chain"]))
    key = corpus.selected[[*_COLUMNS, "chain"]]
    docs = dict.fromkeys(key["doc"])
    if not docs.keys() == read.documents.keys() == {*read.mentions["doc"]}:
        notices = [*on_documents(docs, read, pairs, corpus), *notices]
    notices = [*response.notices, *notices]
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
    return replace(tokens.renamed(response, cast("dict[str, str]", chosen)), notices=notices)


def _in_corpus(
    read: Annotation, pairs: Mapping[str, str], corpus: Corpus
) -> tuple[Annotation, list[Notice]]:
    """Return the mentions in documents of the corpus, with the column ``id`` of it, and notices.

    The id of a mention that the corpus does not have is its document and tokens. Of the mentions of
    the corpus with its tokens one counts, in this order: the selected one; unless the response
    names tokens, the only selected one with a gap and this first and last token; another. A mention
    that is given by its id alone has the tokens of the corpus; beside tokens, an id is only a name.
    Raises ScoringError with ``file:line`` if texts or token numbers differ from the corpus.
    """
    homes = {doc: corpus.documents[doc] for doc in pairs.values()}
    placed = read if homes.keys() == read.documents.keys() else tokens.renamed(read, pairs)
    notices, layout = list[Notice](), placed.layout
    is_same_text = all(
        placed.documents[doc] in (None, home.tokens)  # a file without words can have lines
        and (doc not in layout or len(layout[doc].lines) == len(home.tokens))
        for doc, home in homes.items()
    )
    if not is_same_text:
        placed, notices = tokens.fitted(placed, homes)
    if (placed.mentions["sentence"] >= 0).any():
        placed, more = tokens.in_document(placed, homes, corpus.mentions)
        notices += more
    table = placed.mentions
    sizes = table["doc"].map({doc: len(home.tokens) for doc, home in homes.items()})
    if (beyond := table["end"] >= sizes).any():
        raise tokens.outside(placed, table[beyond])

    # Ids, by tokens or as given.
    known = names.annotated(corpus)
    selected = pd.Series(found(known.index, corpus.selected.index), known.index)
    gapped = known[selected & (known["tokens"].map(len) > 0) & (not placed.names_tokens)]
    ends = gapped["doc"] + "/" + gapped["start"].astype(str) + "-" + gapped["end"].astype(str)
    own = known["name"]
    by_name = pd.concat([own[selected], ends[~ends.duplicated(keep=False)], own[~selected]])
    by_name = by_name.drop_duplicates()  # of several mentions the first counts
    ids = dict(zip(by_name, by_name.index, strict=True))
    index = object_array(ids.get(name, name) for name in names.mention_ids(table))
    if (table["mention"] != "").any():
        given, by_number = names.ids_of(placed, corpus)
        there = given.where(given.isin(known.index))
        notices += [*by_number, *contrary(placed, given, there, index)]
        bare = table["start"] < 0
        index = np.where(bare, given, index)
        table, spans = table.copy(), known.reindex(given[bare])
        for name in SPAN[1:]:
            table.loc[bare, name] = spans[name].to_numpy()
    return replace(placed, mentions=table.assign(id=index)), notices


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
    if policy.alignment != "exact" and len(key) and len(table):
        table = table.set_axis(of_trees("aligned")(key, table, policy, corpus))
    if not table.index.is_unique:
        table, repeated = _without_repeats(table, response, key.index)
        notices = [*notices, *repeated]

    # The rows of both sides in text order.
    both, is_twinless = key.drop(columns="chain"), ~found(table.index, key.index)
    if is_twinless.any():
        twinless = table[is_twinless]
        if corpus:
            dropped, twinless, more = _twinless(corpus, twinless, len(table), response.name)
            table, notices = table.drop(index=dropped), [*notices, *more]
        both = pd.concat([both, twinless[both.columns]])
    in_order = enumerate({**home.documents, **response.documents})
    rank = both["doc"].map({doc: number for number, doc in in_order})
    both = both.iloc[np.lexsort((both["end"], both["start"], rank))]
    if NAME in table:
        repeats = table[NAME].reindex(both.index)
        both = both.assign(**{NAME: repeats.fillna(both.index.to_series())})
    mentions = both.assign(
        key=key["chain"].astype(object).reindex(both.index),
        response=table["chain"].astype(object).reindex(both.index),
    )
    about: dict[str, Any] = {"response_digest": response.digest}
    if corpus:
        ours, theirs = (pd.factorize(mentions[side])[0] for side in SIDES)
        if 0 < ours.max(initial=0) < len(ours) - 1 and np.array_equal(ours, theirs):
            message = f"the response '{response.name}' has the chains of the key; is it the key?"
            notices = [*notices, Notice("swapped", 1, message, (response.name,))]
        about |= {"heads": policy.nlp} if policy.alignment in BY_HEAD else {}
    words = partial(word_counts, key[SPAN], table[SPAN])
    name = response.name
    aligned = Alignment(mentions, tuple(notices), about, name, name, words)
    return with_coverage(aligned, home.name, policy=policy, across=across)


def _twinless(
    corpus: Corpus, mentions: pd.DataFrame, size: int, name: str
) -> tuple[list[str], pd.DataFrame, list[Notice]]:
    """Return the ids to leave out, the mentions as rows of the corpus, and notices.

    The ``mentions`` are not in the key; those that the corpus has, but leaves out of it, and those
    outside the region of the part are left out. ``size`` is the number of all mentions of the
    response. Raises ScoringError if many of them are of another kind than the selected.
    """
    dropped, notices = left_out(corpus, mentions)
    kinds = names.annotated(corpus)["kind"].reindex(mentions.index.drop(dropped))
    other = kinds[kinds.notna() & (kinds != corpus.kind)].sort_index()
    why = "of another kind in the corpus"
    if len(other) >= max(_SEVERAL, _MANY * size):
        message = f"{counted(len(other), MENTION)} {why}, such as {other.iloc[0]}"
        hint = f"use mentions=all, or remove them; mentions={corpus.kind} is in use"
        raise ScoringError("input-mismatch", message, place=name, hint=hint)
    notices = [*said("mention-left-out", other.index, MENTION, f"{why}: twinless"), *notices]
    left, rows = mentions.loc[kinds.index], []
    for doc, start, end, gap in zip(*(left[column] for column in SPAN), strict=True):
        home = corpus.documents[doc]
        sentence = bisect_right(home.sentence_starts, start) - 1
        text = " ".join(home.tokens[at] for at in gap or range(start, end + 1))
        rows.append((home.topic, home.subtopic, sentence, text))
    facts = pd.DataFrame(rows, left.index, ["topic", "subtopic", "sentence", "text"])
    described = left.drop(columns="sentence").join(facts).assign(kind=kinds.fillna("unknown"))
    return dropped, described, [*notices, *unreviewed(corpus)]


def _without_repeats(
    table: pd.DataFrame, response: Annotation, key: pd.Index[str]
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the mentions of the response, each id once, and notices.

    Of repeats, the occurrence in the chain that opens first in the document counts, as in the
    reference scorer (v8.01), which stops after ten duplicates. A duplicate twinless mention is kept
    each time (as ``id#2``, …, NAME has the id), because the reference scorer looks for duplicates
    among the key mentions only.
    """
    chains = pd.factorize(table["doc"] + "\0" + table["chain"])[0]
    table = table.iloc[np.argsort(chains, kind="stable")]
    again, known = table.index.duplicated(), table.index.isin(key)
    places = [*map(response.place, table["line"].tolist())]
    cases = object_array(f"{id_} at {at}" for id_, at in zip(table.index, places, strict=True))
    notices = said("mention-duplicate", cases[again], MENTION, _REPEATED)
    table = table[~again | ~known]
    if table.index.is_unique:
        return table, notices
    ids = distinct(table.index, {*key.difference(table.index)})
    return table.assign(**{NAME: table.index}).set_axis(pd.Index(ids, dtype=object)), notices


def distinct(given: Iterable[str], taken: set[str]) -> list[str]:
    """Return the names, with a number behind each that is taken, from 2."""
    chosen = []
    for name in given:
        choices = chain([name], (f"{name}#{number}" for number in count(2)))
        chosen.append(next(choice for choice in choices if choice not in taken))
        taken.add(chosen[-1])
    return chosen


def word_counts(key: pd.DataFrame, response: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of ``mor`` for the mentions of both, tables with the columns SPAN."""
    known = "words" in added("trees")
    return cast("pd.DataFrame", of_trees("words")(key, response)) if known else pd.DataFrame()


def ids_in_corpus(response: Annotation, corpus: Corpus) -> tuple[dict[int, str], list[Notice]]:
    """Return row → id in ``corpus`` of mentions that are given by ids of any form, and notices.

    A mention in a document of another part has the id '', and of all of them there is a notice.
    Rows of unknown documents are left out. Raises ScoringError for an id that is not in the corpus.
    """
    read, pairs = names.read_names(response, corpus)
    placed, notices = _in_corpus(read, pairs, corpus)
    on_docs = on_documents([], read, pairs, corpus)
    away = [one for one in on_docs if one.code == "outside-split"]
    docs, beyond = read.mentions["doc"], [doc for one in away for doc in one.all_cases]
    nowhere = dict.fromkeys(docs.index[docs.isin(beyond)].tolist(), "")
    return nowhere | placed.mentions["id"].to_dict(), [*notices, *away]


def of_trees(name: str) -> Any:
    """Return what the rooms add for trees: matched, placed, aligned or words.

    Raises UsageError if no room adds it.
    """
    if (text := added("trees").get(name)) is None:
        message = "the room cdec.corefud is not installed: mentions match by the same tokens only"
        raise UsageError("argument-invalid", message, hint="use --match exact, or reinstall")
    return imported(text)
