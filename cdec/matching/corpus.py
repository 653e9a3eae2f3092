"""A response file matched with the corpus: the key is gold, so every setting applies."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.formats.annotation import Annotation, gaps, id_index, object_array
from cdec.matching.corpus_view import corpus_view
from cdec.matching.files import Matched, clustering, with_coverage
from cdec.matching.labels import missing_labels
from cdec.matching.names import align
from cdec.matching.repeats import settle
from cdec.matching.view import View, mention_ids
from cdec.notices import Notice, documents_left_out, documents_missing, notice
from cdec.wording import counted

_COLUMNS = ["doc", "topic", "subtopic", "sentence", "start", "end", "tokens", "text"]


def match_corpus(
    response: Annotation,
    corpus: Corpus,
    *,
    repeated: str = "first",
    allow_empty: bool = False,
    outside: Collection[str] = (),
) -> Matched:
    """Match a response with the event mentions of ``corpus``, the part under evaluation.

    Documents are found by name, mentions by their tokens; a span without gap also means the event
    mention with a gap that has the same ends. A response mention that is an argument in the corpus
    is twinless, under its own id. ``outside`` holds the documents of the corpus that are not in
    this part: what the response says of them is left out. Raises ScoringError as ``match_files``
    does, and for mention ids and tokens that the corpus does not have.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from cdec.formats import from_corpus
    >>> match_corpus(from_corpus(corpus, corpus.gold), corpus).notices[0].message
    "'sample' is the gold annotation: was the key given?"
    """
    view, left_out = corpus_view(response, corpus)
    ids = _corpus_ids(view.mentions, corpus)
    events = corpus.events
    in_key = id_index(ids).isin(events.index)
    settled, found = settle(view, ids, in_key, repeated)
    gold = corpus.gold
    matched = Matched(
        mentions=_table(corpus, settled),
        key=gold,
        response=clustering(settled),
        notices=(
            *response.notices,
            *_document_notices(corpus, view, left_out, set(outside)),
            *found,
            *missing_labels(settled, "response"),
            *_argument_notices(corpus, settled),
            *_gold_again(corpus, settled, response.name),
        ),
    )
    return with_coverage(matched, corpus.name, response.name, allow_empty=allow_empty)


def _corpus_ids(mentions: pd.DataFrame, corpus: Corpus) -> list[str]:
    """Return the corpus id of each mention, or ``doc/start-end`` where it is none of the corpus.

    In this order: the event mention of these tokens, the event mention with a gap between these
    ends, the argument mention of these tokens.
    """
    events = _by_tokens(corpus.mentions[corpus.mentions["is_event"]])
    arguments = _by_tokens(corpus.mentions[~corpus.mentions["is_event"]])
    ends = _by_ends(corpus.events)
    named = mentions["mention"].where(mentions["start"] < 0, "")
    return [
        name or events.get(place) or ends.get(place) or arguments.get(place) or place
        for name, place in zip(named, mention_ids(mentions), strict=True)
    ]


def _by_tokens(mentions: pd.DataFrame) -> dict[str, str]:
    places = mention_ids(mentions.assign(tokens=object_array(gaps(mentions)), mention=""))
    return dict(zip(reversed(places), reversed(mentions.index.tolist()), strict=True))


def _by_ends(events: pd.DataFrame) -> dict[str, str]:
    """Return ``doc/start-end`` → event mention with a gap, where there is only one such."""
    gapped = events[[bool(tokens) for tokens in gaps(events)]]
    alone = gapped[~gapped.duplicated(["doc", "start", "end"], keep=False)]
    places = mention_ids(alone.assign(tokens=object_array([()] * len(alone)), mention=""))
    return dict(zip(places, alone.index.tolist(), strict=True))


def _table(corpus: Corpus, settled: pd.DataFrame) -> pd.DataFrame:
    """Return all mentions of key and response in text order with the columns of the corpus."""
    events = corpus.events[_COLUMNS]
    events = events.assign(line=settled["line"].reindex(events.index, fill_value=0))
    twinless = settled[~settled.index.isin(events.index)]
    table = pd.concat([events, _described(corpus, twinless)]) if len(twinless) else events
    rank = table["doc"].map({doc: number for number, doc in enumerate(corpus.documents)})
    order = np.lexsort((table["end"], table["start"], rank))
    return table.iloc[order]


def _described(corpus: Corpus, twinless: pd.DataFrame) -> pd.DataFrame:
    """Return twinless mentions with topic, sub-topic, sentence and text."""
    known = corpus.mentions.reindex(twinless.index)
    given = twinless["start"].to_numpy() < 0
    for name in ("start", "end", "tokens"):
        twinless = twinless.assign(**{name: twinless[name].where(~given, known[name])})
    documents = [corpus.documents[doc] for doc in twinless["doc"]]
    columns = [twinless[name] for name in ("start", "end", "tokens")]
    rows = list(zip(documents, *columns, strict=True))
    sentence = [bisect_right(d.sentence_starts, s) - 1 for d, s, _, _ in rows]
    text = [" ".join(d.tokens[k] for k in t or range(int(s), int(e) + 1)) for d, s, e, t in rows]
    return twinless.assign(
        topic=[d.topic for d in documents],
        subtopic=[d.subtopic for d in documents],
        sentence=sentence,
        text=text,
    )[[*_COLUMNS, "line"]]


def _document_notices(
    corpus: Corpus, view: View, left_out: dict[str, int], outside: set[str]
) -> Iterator[Notice]:
    beyond = align(left_out, outside, view.source.name)
    kinds = {
        "outside-split": (list(beyond), f"in '{corpus.part}'"),
        "unknown-document": ([d for d in left_out if d not in beyond], "in the corpus"),
    }
    for kind, (docs, where) in kinds.items():
        if docs:
            lost = sum(left_out[doc] for doc in docs)
            yield documents_left_out(kind, docs, lost, where)
    gold = dict.fromkeys(corpus.events["doc"])
    missing = [doc for doc in gold if doc not in view.texts]
    if missing:
        yield documents_missing(missing)


def _argument_notices(corpus: Corpus, settled: pd.DataFrame) -> Iterator[Notice]:
    known = corpus.mentions.index[~corpus.mentions["is_event"]]
    arguments = [str(i) for i in settled.index[settled.index.isin(known)]]
    if arguments:
        what = counted(
            len(arguments), "response mention is an argument", "response mentions are arguments"
        )
        message = f"{what} in the corpus, no event: twinless"
        yield notice("argument-mention", message, arguments)


def _gold_again(corpus: Corpus, settled: pd.DataFrame, name: str) -> Iterator[Notice]:
    """Notice a response that is the gold annotation itself."""
    gold = corpus.gold.labels
    if not settled.index.isin(gold.index).all() or len(settled) != len(gold):
        return
    ours = pd.factorize(gold)[0]
    theirs = pd.factorize(settled["chain"].reindex(gold.index))[0]
    if 1 < ours.max() + 1 < len(gold) and np.array_equal(ours, theirs):
        yield Notice("swapped", 1, f"'{name}' is the gold annotation: was the key given?", (name,))
