"""The data model of a corpus: documents with their tokens, and one table of mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import pandas as pd

from cdec.clustering import Clustering

if TYPE_CHECKING:
    from cdec.corpus.region import Region

COLUMNS = {
    "doc": "document id",
    "topic": "topic of the document",
    "subtopic": "sub-topic of the document",
    "sentence": "number of the sentence of the first token, as in the source",
    "start": "index of the first token in the document, from 0",
    "end": "index of the last token in the document, included",
    "tokens": "tuple of the indices of all tokens; not contiguous if the mention has a gap",
    "text": "the token texts joined by one space",
    "tag": "markable tag of the source",
    "is_event": "whether the mention is an event (else an argument)",
    "chain": "gold chain label; unique for a mention without a relation",
    "relation": "'cross_doc', 'intra_doc' or 'none': the kind of annotation of the chain",
    "descriptor": "the instance's human-friendly name, or ''",
    "reviewed": "whether the sentence is in the list of fully reviewed sentences",
}


@dataclass(frozen=True)
class Document:
    """A document: id, topic, sub-topic, and its tokens by sentence.

    ``text_start`` is the number of the first sentence of text (1 if sentence 0 is the page's URL).

    >>> document = Document("1_1a", "1", "1a", (("Fire", "spread"), ("It", "rained")))
    >>> document.tokens, document.sentence_starts
    (('Fire', 'spread', 'It', 'rained'), (0, 2))
    """

    id: str
    topic: str
    subtopic: str
    sentences: tuple[tuple[str, ...], ...] = field(repr=False)
    text_start: int = 0

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """All tokens in order; a mention's ``start``, ``end`` and ``tokens`` index into it."""
        return tuple(chain.from_iterable(self.sentences))

    @cached_property
    def sentence_starts(self) -> tuple[int, ...]:
        """The index of each sentence's first token."""
        return (0, *accumulate(len(s) for s in self.sentences))[:-1]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents and mentions, immutable after reading.

    ``documents`` maps id → Document in natural order; ``mentions`` is a table indexed by mention
    id (``"<doc>/<m_id>"``) in text order with the columns of ``COLUMNS``. ``digest`` is the
    SHA-256 of the source files; a part of the corpus (``part``) has the digest of the whole.
    ``split_digest`` identifies the definition of a part if its name does not (see ``splits``).
    ``correction`` identifies the patch applied to the key, if any, as fields of a signature.
    ``elsewhere`` maps the corpus's documents outside this part → topic. ``reviewed`` has the fully
    reviewed sentences, as (document id, sentence), if the corpus lists them; ``region`` restricts a
    part to some sentences. ``argument_kinds`` maps
    the prefix of a tag → kind of argument. ``reader`` is the package that reads the corpus, '' for
    cdec itself.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> corpus.about["split"], len(corpus.events), corpus.gold
    ('sample-test', 389, Clustering(389 mentions in 231 chains))
    >>> len(corpus.subset(list(corpus.documents)[:2], "two").documents)
    2
    """

    name: str
    digest: str
    documents: Mapping[str, Document] = field(repr=False)
    mentions: pd.DataFrame = field(repr=False)
    part: str = "all"
    split_digest: str = field(default="", repr=False)
    correction: Mapping[str, str] = field(default_factory=dict, repr=False)
    elsewhere: Mapping[str, str] = field(default_factory=dict, repr=False)
    reviewed: frozenset[tuple[str, int]] = field(default=frozenset(), repr=False)
    region: Region | None = field(default=None, repr=False)
    argument_kinds: Mapping[str, str] = field(default_factory=dict, repr=False)
    reader: str = field(default="", repr=False)

    @property
    def about(self) -> dict[str, str]:
        """The fields of a signature: corpus, digest, reader, split, correction."""
        corpus = {"corpus": self.name, "digest": self.digest}
        reader = {"reader": self.reader} if self.reader else {}
        split = {"split": self.part}
        if self.split_digest:
            split["split_digest"] = self.split_digest
        return corpus | reader | split | dict(self.correction)

    @cached_property
    def events(self) -> pd.DataFrame:
        """The rows of ``mentions`` that are event mentions."""
        # A column without rows has the type object.
        return self.mentions[self.mentions["is_event"].astype(bool)]

    @cached_property
    def gold(self) -> Clustering:
        """The key: event mention → gold chain."""
        return Clustering(self.events["chain"])

    def subset(self, documents: Iterable[str], part: str) -> Corpus:
        """Return the sub-corpus of these document ids, with the name ``part``, in corpus order."""
        wanted = set(documents)
        kept = {id_: doc for id_, doc in self.documents.items() if id_ in wanted}
        mentions = self.mentions[self.mentions["doc"].isin(wanted)]
        left = {id_: doc.topic for id_, doc in self.documents.items() if id_ not in wanted}
        elsewhere = {**self.elsewhere, **left}
        return replace(self, documents=kept, mentions=mentions, part=part, elsewhere=elsewhere)


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that orders ``2`` before ``10`` inside names."""
    pieces = re.findall(r"\d+|\D+", text)
    # Python does not convert thousands of digits: they are compared as text.
    key = ((0, int(p), "") if p.isdecimal() and len(p) < 640 else (1, 0, p) for p in pieces)
    # Names that differ in leading zeros only have a fixed order too.
    return (*key, (-1, 0, text))
