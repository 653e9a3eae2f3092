"""The head token of every mention, with form, lemma and part of speech."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
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


def heads(corpus: Corpus, name: str = "hanta", progress: Progress = silent) -> pd.DataFrame:
    """Return the table of heads, one row for each row of ``corpus.mentions``, with ``COLUMNS``.

    The head is the mention's syntactic root if the pipeline has a parser, else the result of
    ``head_by_tags``; tokens in a gap of the mention do not count. Only sentences with mentions are
    annotated, if the pipeline can do that. Raises the errors of ``annotate``.
    """
    known = _last.setdefault(corpus, {})
    if name in known:
        return known[name].copy(deep=False)
    documents, mentions = corpus.documents, corpus.mentions[["doc", "tokens"]]
    seen = {(doc, at) for doc, tokens in mentions.itertuples(index=False) for at in tokens}
    only = {(doc, bisect_right(documents[doc].sentence_starts, at) - 1) for doc, at in seen}
    words = annotate(corpus, name, progress, only)
    # The row of each token of each mention.
    row = {doc: number for number, doc in enumerate(documents)}
    tokens, lengths = mentions["tokens"], mentions["tokens"].map(len)
    at = np.fromiter(chain.from_iterable(tokens), np.int64)
    places = pd.MultiIndex.from_arrays([np.repeat(mentions["doc"].map(row), lengths), at])
    rows = pd.MultiIndex.from_frame(words[["doc", "token"]]).get_indexer(places)
    parents, pos = (words[column].to_numpy()[rows].tolist() for column in ("head", "pos"))
    chosen, begin = [], 0
    for own in tokens:
        end = begin + len(own)
        parsed = parents[begin] >= 0
        head = head_by_parse(own, parents[begin:end]) if parsed else head_by_tags(pos[begin:end])
        chosen.append(begin + head)
        begin = end
    table = words.iloc[rows[chosen]].set_axis(mentions.index).assign(head=at[chosen])
    forms = zip(mentions["doc"], table["head"], strict=True)
    table["form"] = [documents[doc].tokens[head] for doc, head in forms]
    texts = dict.fromkeys(COLUMNS[1:], "str")
    known[name] = table[COLUMNS].astype(texts)
    return known[name].copy(deep=False)


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
    places = range(len(tags))
    verbs = [i for i in places if tags[i] == "VERB"]
    if verbs:
        return verbs[0]
    border = next((i for i in places if i and tags[i] == "ADP"), len(tags))
    nouns = [i for i in places if tags[i] in _NOUNS]
    before = [i for i in nouns if i < border]
    adjectives = [i for i in places if tags[i] == "ADJ"]
    words = [i for i in places if tags[i] not in _LAST_RESORT]
    candidates = (before, nouns, adjectives, words)
    return next((group[-1] for group in candidates if group), len(tags) - 1)


def head_by_parse(tokens: Sequence[int], parents: Sequence[int]) -> int:
    """Return the position of the syntactic root among the tokens: the first with a head outside.

    ``parents`` has the head of each of the tokens; the root of a sentence is its own head.
    """
    inside = set(tokens)
    pairs = zip(tokens, parents, strict=True)
    return next(i for i, (at, above) in enumerate(pairs) if above == at or above not in inside)
