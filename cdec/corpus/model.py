"""The data model of a corpus: documents with their tokens, and one table of mentions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.catalogue import imported
from cdec.clustering import Clustering
from cdec.errors import Notices, UsageError, one_of
from cdec.files.output import save
from cdec.plugins import part_of_room
from cdec.records import Fields, Row, Tokens, Words

if TYPE_CHECKING:
    from cdec.render.analysis import HasPage

# The columns of every mention: document; topic and sub-topic of the document, '' if the corpus has
# none; number of the sentence of the first token, as in the source; first and last token in the
# document (from 0, included); all tokens, not contiguous if the mention has a gap; their texts
# joined by one space; event or entity; label of the gold chain, unique for a mention without a
# relation; annotated, or a state that a variant of the key treats differently, as no-event.
CORE = (
    "doc", "topic", "subtopic", "sentence", "start", "end", "tokens", "text", "kind", "chain",
    "state",
)  # fmt: skip
# Attributes that commands of cdec use, and their values in a corpus that lacks them: the tag of the
# source; the kind of annotation of the chain (cross_doc, intra_doc or none); the descriptor of its
# instance; whether the sentence is listed as fully reviewed. Further attributes are columns too.
ATTRIBUTES: Fields = {
    "tag": "",
    "relation": "",
    "descriptor": "",
    "reviewed": False,
}
EVENT, ENTITY, ALL_KINDS = "event", "entity", "all"
KINDS = (EVENT, ENTITY, ALL_KINDS)
ANNOTATED = "annotated"
PART = "part"  # the attribute of a document: its part of the official split
ENGLISH = "en"
LEVELS: Mapping[str, str] = {"topic": "topic", "subtopic": "sub-topic"}
"""The levels above the document, and their names in ECB+."""

Text = Literal["full", "contexts", "none"]
Treatment = Literal["keep", "single", "join", "drop"]
Variants = Mapping[str, Mapping[str, Treatment]]


@dataclass(frozen=True)
class Document:
    """A document: id, topic, sub-topic, and its tokens by sentence.

    ``text_start`` is the number of the first sentence of text (1 if sentence 0 is the page's URL).
    ``attributes`` are further facts, such as date, language, url, and ``part``: the part of the
    official split, where the files of the corpus say so; ``alias`` is another unique name, which
    some response files use (the id inside ECB+'s XML).

    >>> document = Document("1_1a", "1", "1a", (("Fire", "spread"), ("It", "rained")))
    >>> document.tokens, document.sentence_starts
    (('Fire', 'spread', 'It', 'rained'), (0, 2))
    """

    id: str
    topic: str
    subtopic: str
    sentences: tuple[Words, ...] = field(repr=False)
    text_start: int = 0
    attributes: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)

    @cached_property
    def tokens(self) -> Words:
        """All tokens in order; a mention's ``start``, ``end`` and ``tokens`` index into it."""
        return tuple(chain.from_iterable(self.sentences))

    @property
    def language(self) -> str:
        """The language as a code of ISO 639-1, from ``attributes``; 'en' if they do not say it.

        >>> Document("a", "", "", (), attributes={"language": "NL-be"}).language
        'nl'
        """
        return (
            re.split("[-_]", self.attributes.get("language", "").strip().lower())[0]
            or ENGLISH
        )

    @cached_property
    def sentence_starts(self) -> Tokens:
        """The index of each sentence's first token."""
        return (0, *accumulate(len(s) for s in self.sentences))[:-1]

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of text and language; id and topic do not enter.

        A language other than English counts, as annotations depend on it.
        """
        language = "" if self.language == ENGLISH else ascii(self.language)
        return sha256((language + ascii(self.sentences)).encode()).hexdigest()


Documents: TypeAlias = Mapping[str, Document]


@dataclass(frozen=True, eq=False)
class Region:
    """Where a mention of a part can be right or wrong: the sentences reviewed in full, or a list.

    ``sentences`` are (document id, index of the sentence in the document); ``listed``, if not
    empty, are the ids of the only mentions that count, in any sentence. ``outside`` has the rows of
    the corpus's other mentions, which are not part of the key.

    >>> documents = {"a": Document("a", "1", "1x", (("Fire", "spread"), ("It", "rained")))}
    >>> region = Region(frozenset({("a", 1)}), pd.DataFrame())
    >>> region.contains(documents, ["a", "a"], np.array([1, 2])).tolist()
    [False, True]
    """

    sentences: frozenset[tuple[str, int]]
    outside: pd.DataFrame = field(repr=False)
    listed: frozenset[str] = frozenset()

    def contains(self, documents: Documents, docs: Iterable[str], start: Ints) -> Bools:
        """Return whether the sentences of these tokens are in the region.

        ``docs`` and ``start`` have the document and the first token of each mention.
        """
        inside = (
            (doc, bisect_right(documents[doc].sentence_starts, first) - 1)
            in self.sentences
            for doc, first in zip(docs, start.tolist(), strict=True)
        )
        return np.fromiter(inside, np.bool_, len(start))


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents and mentions, immutable after reading.

    ``documents`` maps id → Document in natural order; ``mentions`` is a table indexed by mention
    id (``"<doc>/<m_id>"``) in text order, with the columns ``CORE`` and ``ATTRIBUTES`` and any
    further attributes. ``digest`` is the SHA-256 of the source files; a part of the corpus
    (``part``) has the digest of the whole.

    * ``kind``: the mentions to cluster and score: event, entity or all (``select``);
    * ``variant``: the reading of the key, one of ``variants``, which maps name → (state of a
      mention → keep, single (a chain of its own), join (the chain in the column ``joined``,
      if it has one) or drop); '' if there is only one reading;
    * ``levels``: the levels above the document that the corpus has → their names in the corpus;
    * ``linked_within``: the level inside which annotators linked mentions; '' if none is known;
    * ``format``: the name of the adapter that reads the corpus;
    * ``text``: ``full``; ``contexts``, if documents have the text around their mentions only; or
      ``none``, if tokens are masked;
    * ``split_digest``: the definition of a part if its name does not identify it (see ``splits``);
    * ``correction``: the patch applied to the key, if any, as fields of a signature; ``removed``
      has the rows of the mentions that it removes, which are left out of responses, too;
    * ``elsewhere``: the corpus's documents outside this part, by id;
    * ``reviewed``: the fully reviewed sentences, as (document id, sentence), if they are listed;
    * ``region``: the sentences to which this part is restricted, if any;
    * ``argument_kinds``: prefix of a tag → kind of argument;
    * ``splits``: names of splits of cdec, or paths of split files; the first that fits the corpus
      is its default;
    * ``undecided``: nobody chose a part, so that a response is scored on the part that it covers
      (``cdec.evaluation.parts``); ``notices`` say how this part was chosen;
    * ``release``: version, licence, citation and address of the corpus, as far as known;
    * ``reader``: the package that reads the corpus, '' for cdec itself.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> corpus.about["split"], len(corpus.selected), corpus.gold
    ('sample-test', 389, Clustering(389 mentions in 231 chains))
    >>> len(corpus.select("entity").selected), len(corpus.select("all").selected)
    (284, 673)
    """

    name: str
    digest: str
    documents: Documents = field(repr=False)
    mentions: pd.DataFrame = field(repr=False)
    part: str = "all"
    kind: str = EVENT
    variant: str = ""
    variants: Variants = field(default_factory=dict, repr=False)
    levels: Mapping[str, str] = field(default_factory=lambda: LEVELS, repr=False)
    linked_within: str = field(default="", repr=False)
    format: str = field(default="", repr=False)
    text: Text = "full"
    split_digest: str = field(default="", repr=False)
    correction: Mapping[str, str] = field(default_factory=dict, repr=False)
    removed: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    elsewhere: Documents = field(default_factory=dict, repr=False)
    reviewed: frozenset[tuple[str, int]] = field(default=frozenset(), repr=False)
    region: Region | None = field(default=None, repr=False)
    argument_kinds: Mapping[str, str] = field(default_factory=dict, repr=False)
    splits: tuple[str, ...] = field(default=(), repr=False)
    release: Mapping[str, str] = field(default_factory=dict, repr=False)
    reader: str = field(default="", repr=False)
    undecided: bool = field(default=False, repr=False)
    notices: Notices = field(default=(), repr=False)

    def __getstate__(self) -> Row:
        """Return the fields, without the values that are cached."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def about(self) -> dict[str, str]:
        """The fields of a signature: corpus, digest, reader, split, kind, variant, correction."""
        choices = {
            "reader": self.reader,
            "split": self.part,
            "split_digest": self.split_digest,
            "kind": "" if self.kind == EVENT else self.kind,
            "key_variant": self.variant,
        }
        stated = {name: value for name, value in choices.items() if value}
        return {"corpus": self.name, "digest": self.digest, **stated, **self.correction}

    @cached_property
    def selected(self) -> pd.DataFrame:
        """The rows of ``mentions`` of this kind, as the variant of the key has them."""
        # A column without rows has the type object.
        table = self.mentions
        if self.kind != ALL_KINDS:
            table = table[(table["kind"] == self.kind).astype(bool)]
        for state, treatment in self.variants.get(self.variant, {}).items():
            inside = (table["state"] == state).to_numpy(bool)
            chain_of = table["chain"]
            if treatment == "single":
                alone = chain_of.mask(inside, table.index.to_series())
                table = table.assign(chain=alone)
            elif treatment == "join":
                joined = table.get("joined", chain_of)
                table = table.assign(
                    chain=chain_of.mask(inside & joined.notna(), joined)
                )
            elif treatment == "drop":
                table = table[~inside]
        return table

    @cached_property
    def gold(self) -> Clustering:
        """The key: selected mention → gold chain."""
        return Clustering(self.selected["chain"])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of mention that the corpus has."""
        present = set(self.mentions["kind"])
        return tuple(kind for kind in (EVENT, ENTITY) if kind in present)

    def select(self, kind: str | None = None, *, variant: str | None = None) -> Corpus:
        """Return the corpus whose selected mentions are of ``kind``, under a variant of its key.

        Raises UnknownNameError.
        """
        if kind is None:
            kind = self.kind
        one_of("mention kind", kind, KINDS)
        if variant is None:
            variant = self.variant
        elif variant != self.variant:
            one_of("key variant", variant, self.variants)
        if (kind, variant) == (self.kind, self.variant):
            return self
        return replace(self, kind=kind, variant=variant)

    def __str__(self) -> str:
        """Return name and part, and the counts of documents, levels, tokens, mentions and chains.

        >>> from cdec import load_corpus
        >>> str(load_corpus("sample", "test")).partition(", 3 ")[0]
        'sample, sample-test: 18 documents'
        """
        counts = imported("cdec.corpus.stats:counts")(self)
        texts = [f"{number:,} {noun}" for noun, number in counts.items()]
        return f"{self.name}, {self.part}: {', '.join(texts)}"

    def show(self, document: str, response: Any = None) -> HasPage:
        """Return a document with its mentions, coloured by chain in a notebook or as HTML.

        With a ``response``, as ``cdec.evaluate`` takes it, its chains are beside those of the key.
        Raises UnknownNameError, and as ``evaluate`` does.
        """
        show: HasPage = part_of_room("view", "document")(self, document, response)
        return show

    def save(self, path: Path | str) -> None:
        """Write documents and mentions in the interchange format: a corpus for ``load_corpus``.

        The file ends in .jsonl. Raises UsageError for another ending, FormatError if it cannot be
        written.

        >>> import tempfile
        >>> from cdec import load_corpus
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     load_corpus("sample", "test").save(f"{folder}/part.jsonl")
        ...     len(load_corpus(f"{folder}/part.jsonl").documents)
        18
        """
        if not str(path).endswith(".jsonl"):
            raise UsageError(
                "file-unwritable",
                "a corpus is saved as .jsonl",
                place=path,
                hint="choose this ending",
            )
        save(imported("cdec.corpus.interchange:lines")(self), path)


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that orders ``2`` before ``10`` inside names."""
    pieces = []
    for piece in re.findall(r"\d+|\D+", text):
        # Python does not convert thousands of digits: they are compared as text.
        is_number = piece.isdecimal() and len(piece) < 640
        pieces.append((0, int(piece), "") if is_number else (1, 0, piece))
    # Names that differ in leading zeros only have a fixed order too.
    return (*pieces, (-1, 0, text))
