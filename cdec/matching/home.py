"""What the mentions of a response are placed in: a corpus, or a key file.

The steps of ``match`` ask a ``Home`` for words, sentences and mentions; where both are treated
alike, they do not ask what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, KeysView, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import chains_digest, is_no_chain
from cdec.corpus.model import Corpus, Document
from cdec.formats.annotation import Annotation, gaps, object_array

MENTION = "response mention"
SPAN = ["doc", "start", "end", "tokens"]
"""The columns of a table of mentions that name the words of a mention."""


@dataclass(frozen=True, eq=False)
class Home:
    """The documents and mentions of a corpus (the part under evaluation), or of a file.

    >>> from cdec.formats import mention_table
    >>> table = mention_table(["d"], [0], [1], ["fire"])
    >>> home = Home(Annotation("key.jsonl", "jsonl", table, {"d": ("a", "fire")}))
    >>> home.texts, home.sizes
    ({'d': ('a', 'fire')}, {'d': 2})
    """

    source: Corpus | Annotation

    @property
    def name(self) -> str:
        """The name of the corpus, or of the file."""
        return self.source.name

    @property
    def corpus(self) -> Corpus | None:
        """The corpus; None for a file."""
        return self.source if isinstance(self.source, Corpus) else None

    @property
    def file(self) -> Annotation:
        """The file. Raises TypeError for a corpus."""
        if isinstance(self.source, Corpus):
            raise TypeError(f"'{self.name}' is a corpus")
        return self.source

    @property
    def key_documents(self) -> KeysView[str]:
        """The documents with mentions of the key in a corpus, or all that a file has."""
        if self.corpus is None:
            return self.file.documents.keys()
        return dict.fromkeys(self.corpus.selected["doc"]).keys()

    @cached_property
    def texts(self) -> Mapping[str, tuple[str, ...] | None]:
        """Document → its words, or None if the file has no text."""
        if self.corpus is None:
            return self.file.documents
        return {
            name: document.tokens for name, document in self.corpus.documents.items()
        }

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Document → the number of its words, as far as it is known."""
        sizes = {doc: len(text) for doc, text in self.texts.items() if text is not None}
        if self.corpus is None:
            sizes |= {doc: len(part.lines) for doc, part in self.file.layout.items()}
        return sizes

    @cached_property
    def sentences(self) -> Mapping[str, Ints]:
        """Document → the sentence of each of its words, as far as it is known."""
        if self.corpus is not None:
            documents = self.corpus.documents.items()
            return {name: sentence_numbers(document) for name, document in documents}
        layout = self.file.layout.items()
        return {
            doc: part.sentences for doc, part in layout if part.sentences is not None
        }

    @cached_property
    def text_starts(self) -> Mapping[str, int]:
        """Document of a corpus → the number of sentences before its text, such as a URL."""
        if self.corpus is None:
            return {}
        return {
            name: document.text_start
            for name, document in self.corpus.documents.items()
        }

    @property
    def mentions(self) -> pd.DataFrame:
        """All mentions that the home has, with the columns doc, start and end."""
        return self.source.mentions


def sentence_numbers(document: Document) -> Ints:
    """Return the number of the sentence of each token of a document."""
    sizes = list(map(len, document.sentences))
    return np.repeat(np.arange(len(sizes)), sizes)


@lru_cache(maxsize=1)
def annotated(corpus: Corpus) -> pd.DataFrame:
    """Return all known mentions by place: also those outside the region, and those removed.

    ``name`` is the identity of each, as from ``mention_ids``; a mention has tokens if it has a gap.
    """
    others = [corpus.removed, *([corpus.region.outside] if corpus.region else [])]
    table = pd.concat([corpus.mentions, *(table for table in others if len(table))])
    table = table.sort_values(["start", "end"], kind="stable")
    table = table.assign(tokens=object_array(gaps(table)), mention="")
    return table.assign(name=mention_ids(table))


def mention_ids(mentions: pd.DataFrame) -> list[str]:
    """Return the identity of each mention as a string: equal strings are the same mention.

    ``doc/3-5`` for tokens 3 to 5, ``doc/3-4,6`` with a gap, ``doc/id`` for an id without tokens.
    """
    columns = (
        mentions[name].tolist() for name in ("doc", "start", "end", "tokens", "mention")
    )
    ids = []
    for doc, start, end, tokens, mention in zip(*columns, strict=True):
        if tokens:
            ids.append(f"{doc}/{runs(tokens)}")
        elif start >= 0:
            ids.append(f"{doc}/{start}-{end}")
        elif not doc or mention.startswith(f"{doc}/"):
            ids.append(mention)
        else:
            ids.append(f"{doc}/{mention}")
    return ids


def runs(tokens: Iterable[int]) -> str:
    """Return sorted token numbers as runs: ``3-4,6``."""
    bounds: list[list[int]] = []
    for token in tokens:
        if bounds and bounds[-1][1] == token - 1:
            bounds[-1][1] = token
        else:
            bounds.append([token, token])
    return ",".join(f"{a}-{b}" if a < b else str(a) for a, b in bounds)


def with_digest(file: Annotation) -> Annotation:
    """Return the annotation with a digest, of its content if it has none of a file.

    It is the same for any order of the rows and for other chain labels. Labels that mean "no chain"
    are told apart from others: how they count is another choice.
    """
    if file.digest:
        return file
    table = file.mentions
    columns = (
        table[name].tolist() for name in ("start", "mention", "sentence", "chain")
    )
    names = []
    for id_, start, mention, sentence, label in zip(
        mention_ids(table), *columns, strict=True
    ):
        parts = [id_]
        if start >= 0 and mention:
            parts.append(f"id {mention}")
        if sentence >= 0:
            parts.append(f"sentence {sentence}")
        if is_no_chain(label):
            parts.append(f"label {label}")
        names.append("\0".join(parts))
    digest = chains_digest(pd.Series(table["chain"].to_numpy(), names))
    if file.gold is not None:
        of_key = with_digest(replace(file.gold, digest="")).digest
        digest = sha256(f"{digest} {of_key}".encode()).hexdigest()
    return replace(file, digest=digest)
