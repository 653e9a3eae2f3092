"""Match a response file with the gold annotation of a corpus, for all settings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.formats.annotation import Annotation
from cdec.matching.align import corpus_places, exact, settle
from cdec.matching.coverage import Matched, in_text_order, missing_labels, with_coverage
from cdec.matching.names import (
    by_token_ids,
    left_out,
    missing_and_renamed,
    pair_documents,
    with_documents,
)
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.matching.rule import Heads, by_rule, head_column, standing, with_words
from cdec.matching.view import View, by_document, mention_ids
from cdec.matching.words import in_corpus
from cdec.notices import Notice, notice

_COLUMNS = ["doc", "topic", "subtopic", "sentence", "start", "end", "tokens", "text"]


def match_corpus(
    response: Annotation,
    corpus: Corpus,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    outside: Collection[str] = (),
    heads: Heads = head_column,
) -> Matched:
    """Match a response with the event mentions of ``corpus``, the part under evaluation.

    Documents are matched by name, mentions by their tokens. A span without a gap also matches an
    event mention with a gap and the same first and last token. A response mention that is an
    argument in the corpus is twinless and keeps its id. ``outside``: documents of the corpus that
    are not in this part; their mentions are left out. ``heads`` finds the heads of mentions for a
    rule of alignment that needs them. Raises ScoringError as ``match_files`` does,
    and for mention ids and tokens that are not in the corpus.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from cdec.formats import from_corpus
    >>> match_corpus(from_corpus(corpus, corpus.gold), corpus).notices[0].message
    "the response 'sample' is identical to the gold annotation; is it the key?"
    """
    view = with_documents(by_document(response))
    pairs = pair_documents(view.texts, corpus.documents, response.name)
    if not pairs:  # the tokens may be mention ids, which contain the document names
        view = by_token_ids(view)
        pairs = pair_documents(view.texts, corpus.documents, response.name)
    placed, irregular = in_corpus(view, pairs, corpus, policy.words)
    places = mention_ids(placed.mentions)
    aligned = exact(placed.mentions, places, corpus_places(corpus))
    ruled = by_rule(corpus.events, aligned, policy.rule, heads).assign(place=aligned.index)
    settled, repeated = settle(placed, ruled, corpus.events.index, policy.repeated)
    twinless = settled[~settled.index.isin(corpus.events.index)]
    described = _described(corpus, twinless) if len(twinless) else twinless
    table = in_text_order(corpus.events[_COLUMNS], settled, described, corpus.documents)
    places = pd.Series(standing(settled["place"], settled.index), index=settled.index, dtype=object)
    table = table.assign(place=places.reindex(table.index, fill_value=""))
    matched = Matched(
        mentions=with_words(table, corpus.events, _placed_by_id(corpus, settled)),
        key=corpus.gold,
        response=Clustering(settled["chain"].astype(object)),
        notices=(
            *response.notices,
            *_document_notices(corpus, view, pairs, outside),
            *irregular,
            *repeated,
            *missing_labels(settled, "response"),
            *_known_notices(corpus, settled, response.name),
        ),
    )
    return with_coverage(matched, corpus.name, response.name, allow_empty=policy.allow_empty)


def _document_notices(
    corpus: Corpus, view: View, pairs: Mapping[str, str], outside: Collection[str]
) -> Iterator[Notice]:
    unpaired = [doc for doc in view.texts if doc not in pairs]
    counts = view.mentions["doc"].value_counts()
    beyond = pair_documents(unpaired, set(outside), view.source.name)
    for code, docs, where in (
        ("outside-split", list(beyond), f"in '{corpus.part}'"),
        ("unknown-document", [doc for doc in unpaired if doc not in beyond], "in the corpus"),
    ):
        mentions = sum(int(counts.get(doc, 0)) for doc in docs)
        yield from left_out(code, docs, mentions, where)
    yield from missing_and_renamed(dict.fromkeys(corpus.events["doc"]), pairs)


def _described(corpus: Corpus, twinless: pd.DataFrame) -> pd.DataFrame:
    """Return twinless mentions with topic, sub-topic, sentence and text."""
    known = corpus.mentions.reindex(twinless.index)
    by_id = twinless["start"].to_numpy() < 0
    for name in ("start", "end", "tokens"):
        twinless = twinless.assign(**{name: twinless[name].where(~by_id, known[name])})
    homes = [corpus.documents[doc] for doc in twinless["doc"]]
    columns = [twinless[name] for name in ("start", "end", "tokens")]
    rows = list(zip(homes, *columns, strict=True))
    sentence = [bisect_right(d.sentence_starts, s) - 1 for d, s, _, _ in rows]
    text = [" ".join(d.tokens[k] for k in t or range(int(s), int(e) + 1)) for d, s, e, t in rows]
    return twinless.assign(
        topic=[d.topic for d in homes],
        subtopic=[d.subtopic for d in homes],
        sentence=sentence,
        text=text,
    )[[*_COLUMNS, "line"]]


def _placed_by_id(corpus: Corpus, settled: pd.DataFrame) -> pd.DataFrame:
    """Return mentions with the tokens of the corpus where the response gives only an id."""
    columns = ["start", "end", "tokens"]
    known = corpus.mentions.reindex(settled.index)[columns]
    return settled.assign(
        **{name: settled[name].where(settled["start"] >= 0, known[name]) for name in columns}
    )


def _known_notices(corpus: Corpus, settled: pd.DataFrame, name: str) -> Iterator[Notice]:
    """Yield notices on argument mentions and on a response that is the gold annotation."""
    known = corpus.mentions.index[~corpus.mentions["is_event"]]
    arguments = [str(i) for i in settled.index[settled.index.isin(known)]]
    if arguments:
        what = counted(
            len(arguments), "response mention is an argument", "response mentions are arguments"
        )
        message = f"{what}, not events, in the corpus: twinless"
        yield notice("argument-mention", message, arguments)
    gold = corpus.gold.labels
    if len(settled) == len(gold) and settled.index.isin(gold.index).all():
        ours = pd.factorize(gold)[0]
        theirs = pd.factorize(settled["chain"].reindex(gold.index))[0]
        if 1 < ours.max() + 1 < len(gold) and np.array_equal(ours, theirs):
            message = f"the response '{name}' is identical to the gold annotation; is it the key?"
            yield Notice("swapped", 1, message, (name,))
