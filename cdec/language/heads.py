"""The head token of every mention, with form, lemma and part of speech."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.files.progress import Progress, silent
from cdec.language.annotate import annotate

COLUMNS = ["head", "form", "lemma", "pos", "tag"]
"""The head token as index in the document and as in the text; its lemma and tags."""
_NOUNS = {"NOUN", "PROPN"}
_LAST_RESORT = {"PUNCT", "SPACE", "SYM", "X"}
# The tables of the corpora in use: several systems ask for the same one.
_last: WeakKeyDictionary[Corpus, dict[str, pd.DataFrame]] = WeakKeyDictionary()


def heads(
    corpus: Corpus, name: str = "hanta", progress: Progress = silent
) -> pd.DataFrame:
    """Return the table of heads, one row for each row of ``corpus.mentions``, with ``COLUMNS``.

    The head is the mention's syntactic root if the pipeline has a parser, else the result of
    ``head_by_tags``; tokens in a gap of the mention do not count. Only sentences with mentions are
    annotated, if the pipeline can do that. Raises the errors of ``annotate``.
    """
    tables = _last.setdefault(corpus, {})
    if name not in tables:
        tables[name] = _head_table(corpus, name, progress)
    return tables[name].copy(deep=False)


def _head_table(corpus: Corpus, name: str, progress: Progress) -> pd.DataFrame:
    documents = corpus.documents
    mentions = corpus.mentions[["doc", "tokens"]]
    words = annotate(corpus, name, progress, _sentences_with_mentions(corpus))
    # The row of each token of each mention in the table of words.
    row_of_document = {doc: row for row, doc in enumerate(documents)}
    token = np.fromiter(chain.from_iterable(mentions["tokens"]), np.int64)
    doc = np.repeat(mentions["doc"].map(row_of_document), mentions["tokens"].map(len))
    # The words are sorted by document and token.
    size = int(words["token"].to_numpy().max(initial=0)) + 1
    row = np.searchsorted(words["doc"] * size + words["token"], doc * size + token)
    words = words.iloc[row]
    parents = words["head"].tolist()
    tags = words["pos"].tolist()
    by_tags = cache(head_by_tags)  # few sequences of tags, many times
    positions = []  # of the head of each mention among all tokens
    start = 0
    for tokens in mentions["tokens"]:
        end = start + len(tokens)
        is_parsed = parents[start] >= 0
        if is_parsed:
            head = head_by_parse(tokens, parents[start:end])
        else:
            head = by_tags(tuple(tags[start:end]))
        positions.append(start + head)
        start = end
    table = words.iloc[positions].set_axis(mentions.index).assign(head=token[positions])
    heads_by_document = zip(
        mentions["doc"].tolist(), table["head"].tolist(), strict=True
    )
    table["form"] = [
        documents[doc_id].tokens[head] for doc_id, head in heads_by_document
    ]
    return table[COLUMNS].astype(dict.fromkeys(COLUMNS[1:], "str"))


def _sentences_with_mentions(corpus: Corpus) -> set[tuple[str, int]]:
    """Return document id and number of each sentence that has a token of a mention."""
    sentences = set()
    docs = corpus.mentions["doc"].tolist()
    for doc, tokens in zip(docs, corpus.mentions["tokens"], strict=True):
        starts = corpus.documents[doc].sentence_starts
        for token in tokens:
            sentences.add((doc, bisect_right(starts, token) - 1))
    return sentences


def head_by_tags(tags: Sequence[str]) -> int:
    """Return the position of the head among a mention's tokens, from their universal tags.

    The first of these that exists:

    1. the first verb: "checked *into*" → checked, "opened fire" → opened, "co - hosting" → hosting;
    2. the last noun before the first preposition, except for a preposition at position 0: "tour of
       duty" → tour, "heart attack" → attack, "face - off" → face, "in rehab" → rehab;
    3. the last noun; 4. the last adjective; 5. the last word; 6. the last token.

    Chosen on the training and development splits, with the Lemma baseline (CoNLL F × 100 under
    SIMPLE-CDEC, train / dev): last token 52.0 / 64.9, first token 52.1 / 64.9, last noun
    52.1 / 64.9, this rule 52.1 / 65.3. Of these, only this rule returns the syntactic head.
    """
    positions = range(len(tags))
    verbs = [position for position in positions if tags[position] == "VERB"]
    if verbs:
        return verbs[0]
    prepositions = (position for position in positions[1:] if tags[position] == "ADP")
    border = next(prepositions, len(tags))
    nouns = [position for position in positions if tags[position] in _NOUNS]
    nouns_before_border = [position for position in nouns if position < border]
    adjectives = [position for position in positions if tags[position] == "ADJ"]
    words = [position for position in positions if tags[position] not in _LAST_RESORT]
    for candidates in (nouns_before_border, nouns, adjectives, words):
        if candidates:
            return candidates[-1]
    return len(tags) - 1


def head_by_parse(tokens: Sequence[int], parents: Sequence[int]) -> int:
    """Return the position of the syntactic root among the tokens: the first with a head outside.

    ``parents`` has the head of each of the tokens; the root of a sentence is its own head.
    """
    inside = set(tokens)
    is_root = [
        parent == token or parent not in inside
        for token, parent in zip(tokens, parents, strict=True)
    ]
    return is_root.index(True)
