"""The corpus as a system sees it: without gold annotation, names or topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import pandas as pd

from cdec.arrays import AnySeries
from cdec.corpus.model import ALL_KINDS, Corpus
from cdec.records import Tokens

# Every other column is gold or reveals the topic: tag and kind are an annotator's choice, and the
# reviewed sentences show where the annotated events are.
SEEN = ["doc", "sentence", "start", "end", "tokens", "text"]
_SHORT = 16  # hexadecimal digits of a fingerprint that make a document id


@dataclass(frozen=True, eq=False, repr=False)
class Blinded:
    """A blind corpus; ``original`` and ``documents``: blind → original id of mention, document.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> len(blind(corpus).original) == len(corpus.selected)
    True
    """

    corpus: Corpus
    original: AnySeries
    documents: Mapping[str, str]


@lru_cache(maxsize=2)
def blind(corpus: Corpus, *, mentions: bool = True) -> Blinded:
    """Return ``corpus`` with its selected mentions only, without gold, and with ids from content.

    A document's id is its fingerprint (with a counter for a repeated text); topic and sub-topic
    are empty, and of its attributes only the language is kept. Documents are ordered by id and
    mentions by position; a mention's id is ``"<document>/<ordinal>"``. So file names and file
    order reveal nothing. The columns of ``mentions`` are ``SEEN``: the key of a blind corpus is a
    KeyError. Without ``mentions`` it has the texts only.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> "chain" in corpus.mentions, "chain" in blind(corpus).corpus.mentions
    (True, False)
    """
    if not mentions:
        corpus = replace(corpus, mentions=corpus.mentions.iloc[:0])
    # Documents with the same text are ordered by the spans of their visible mentions; if these are
    # equal too, the documents are interchangeable.
    spans: dict[str, list[Tokens]] = {id_: [] for id_ in corpus.documents}
    selected = corpus.selected
    for doc, tokens in zip(selected["doc"].tolist(), selected["tokens"], strict=True):
        spans[doc].append(tokens)
    keys = {
        id_: (one.fingerprint, sorted(spans[id_]))
        for id_, one in corpus.documents.items()
    }
    copies = Counter[str]()
    names = {}
    documents = {}
    for id_ in sorted(keys, key=keys.__getitem__):
        name = keys[id_][0][:_SHORT]
        copies[name] += 1
        if copies[name] > 1:
            name += f"-{copies[name]}"
        names[id_] = name
        document = corpus.documents[id_]
        kept = {k: value for k, value in document.attributes.items() if k == "language"}
        documents[name] = replace(
            document, id=name, topic="", subtopic="", attributes=kept
        )
    rank = selected["doc"].map({id_: place for place, id_ in enumerate(names)})
    by = ["rank", "start", "end", "tokens"]
    seen = selected[SEEN].assign(rank=rank).sort_values(by, kind="stable")[SEEN]
    seen["doc"] = seen["doc"].map(names)
    ordinal = seen.groupby("doc", sort=False).cumcount().astype(str)
    ids = pd.Index(seen["doc"] + "/" + ordinal, name=seen.index.name)
    # A corpus anew, so that no other field of the original can say more.
    hidden = Corpus(
        corpus.name,
        corpus.digest,
        documents,
        seen.set_axis(ids),
        corpus.part,
        kind=ALL_KINDS,
        levels=corpus.levels,
        text=corpus.text,
    )
    return Blinded(
        hidden, pd.Series(seen.index, index=ids), {names[id_]: id_ for id_ in names}
    )
