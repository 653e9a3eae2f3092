"""The content of a key or response file: a table of mentions, and the document texts if any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Bools, Ints, StrSeries
from cdec.clustering import chains_digest, is_no_chain, noise_hint
from cdec.errors import FormatError, Notices
from cdec.formats.reading import Reading
from cdec.records import Fields, Tokens, Words

LINES_OF_FILE = 2**40
"""In a folder, the number of the first line of a file is a multiple of this."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions of the tokens of one document in a file with one token per line.

    ``block`` is the name after ``#begin document`` and ``offset`` the position of the document's
    first token in that block. ``lines`` has the source line of each token, ``sentences`` its
    sentence number if the file has a column for it.
    """

    block: str
    offset: int
    lines: Ints = field(repr=False)
    sentences: Ints | None = field(default=None, repr=False)

    @classmethod
    def of(cls, block: str, sizes: Sequence[int]) -> Layout:
        """Return the layout of a document whose sentences have these sizes, without lines."""
        return cls(
            block,
            0,
            np.zeros(sum(sizes), np.int64),
            np.repeat(range(len(sizes)), sizes),
        )


@dataclass(frozen=True, eq=False)
class Annotation:
    """Mentions with their chains, read from a file or to be written to one.

    ``mentions`` has the columns of ``mention_table``. Two annotations have a mention in common if
    document and tokens are the same. In each document, the rows are in the order in which the
    chains first occur. ``documents`` maps a document to its tokens, or to None if the file has no
    text. Only formats with one token per line have a ``layout``. ``trees`` is what a format knows
    of mentions beside the table, such as heads: the room of the format matches two files with
    trees (``cdec.catalogue``, kind "trees"); ``trees.take(rows)`` keeps these mentions.
    ``notices`` has the irregularities that the reader accepted, ``digest`` the SHA-256 of the file,
    ``declared`` its declaration (``heading``).
    ``gold`` is what the file says as a key, if it has the chains of a key and of a response, such
    as ``clusters`` and ``predicted_clusters``. ``columns`` are the names of the columns, or of the
    fields of the records, that the file has; ``unread`` are those that no format of the core holds,
    or words for them. ``names_tokens``: the file lists the tokens of
    mentions, and so all gaps; brackets, and start and end, cannot express one. ``broken`` is not
    None for a text that a model may have changed: whether a bracket of each mention has no partner,
    so that its end is unknown.
    ``files`` are the names of the files of the documents if the annotation is of a folder, and
    ``parts`` the paths of its files, of which each has LINES_OF_FILE lines.
    ``reading`` has the choices that were made about what the file means (``cdec.formats.reading``).

    >>> table = mention_table(["d"], [0], [1], ["fire"])
    >>> annotation = Annotation("mine.jsonl", "jsonl", table, {"d": None})
    >>> len(annotation), annotation.place(3), annotation.numbered().mentions["chain"].tolist()
    (1, 'mine.jsonl:3', ['1'])
    """

    name: str
    format: str
    mentions: pd.DataFrame = field(repr=False)
    documents: Mapping[str, Words | None] = field(repr=False)
    layout: Mapping[str, Layout] = field(default_factory=dict, repr=False)
    notices: Notices = ()
    digest: str = ""
    declared: Fields = field(default_factory=dict, repr=False)
    trees: Any = field(default=None, repr=False)
    gold: Annotation | None = field(default=None, repr=False)
    columns: tuple[str, ...] = field(default=(), repr=False)
    unread: tuple[str, ...] = field(default=(), repr=False)
    names_tokens: bool = field(default=False, repr=False)
    broken: Bools | None = field(default=None, repr=False)
    reading: Reading = field(default_factory=dict, repr=False)
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    parts: tuple[str, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.mentions)

    def place(self, line: int) -> str:
        """Return ``file:line``, or the file name if the line is unknown (0)."""
        name = self.name
        if self.parts:
            number, line = divmod(line, LINES_OF_FILE)
            name = self.parts[number]
        return f"{name}:{line}" if line > 0 else name

    def labelled(self) -> Annotation:
        """Return the annotation; raise FormatError with ``file:line`` for a missing label."""
        labels = self.mentions["chain"]
        blank = [label for label in labels.unique() if not label.strip()]
        if blank:
            row = int(labels.isin(blank).argmax())
            place = self.place(int(self.mentions["line"].iloc[row]))
            if self.format == "frame":
                place = f"{self.name}, row {row}"
            raise FormatError(
                "field-invalid",
                f"the chain of mention {row + 1} is blank",
                place=place,
                hint=f"give each mention a chain, or {noise_hint()}",
            )
        return self

    def unbroken(self) -> Annotation:
        """Return the annotation; raise FormatError for a bracket without a partner."""
        if self.broken is None or not self.broken.any():
            return self
        row = self.mentions.iloc[int(self.broken.argmax())]
        raise FormatError(
            "brackets-invalid",
            f"a bracket of '{row['chain']}' has no partner",
            place=self.place(int(row["line"])),
            hint="close each bracket; `cdec score` accepts it in a response to a CoNLL-U key",
        )

    def as_key(self) -> Annotation:
        """Return what the file says as a key."""
        return self if self.gold is None else self.gold

    def numbered(self) -> Annotation:
        """Return a copy with the chain labels 1, 2, … in order of first row.

        The reference scorer accepts only numbers as labels.
        """
        codes = pd.factorize(self.mentions["chain"])[0] + 1
        return replace(self, mentions=self.mentions.assign(chain=codes.astype(str)))


def mention_table(
    doc: Sequence[str],
    start: Sequence[int] | Ints,
    end: Sequence[int] | Ints,
    chain: Sequence[str],
    *,
    tokens: Sequence[Tokens] | None = None,
    line: Sequence[int] | Ints | None = None,
    mention: Sequence[str] | None = None,
    sentence: Sequence[int] | Ints | None = None,
    words: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return a table of mentions; a value that is not given is (), 0, '' or, of ``sentence``, −1.

    ========  ==================================================================================
    doc       document name, as in the file
    start     index of the first token in the document, from 0; −1 if the mention has only an id
    end       index of the last token (inclusive); −1 if the mention has only an id
    tokens    tuple of the indices of all tokens if the mention has a gap, else ()
    chain     chain label, a string; '' if the mention has none
    line      line of the source file, from 1
    mention   mention id if the file has one, else ''
    sentence  sentence of the mention, in which the indices may count; −1 if not given
    words     words of the mention that the file repeats beside its place, which must be there
    ========  ==================================================================================

    >>> mention_table(["d"], [0], [1], ["x"])[["doc", "start", "end", "chain"]].to_dict("records")
    [{'doc': 'd', 'start': 0, 'end': 1, 'chain': 'x'}]
    """
    size = len(doc)
    texts = [""] * size
    # dtype object: strings are compared exactly.
    return pd.DataFrame(
        {
            "doc": pd.Series(list(doc), dtype=object),
            "start": np.asarray(start, np.int64),
            "end": np.asarray(end, np.int64),
            "tokens": pd.Series(list(tokens or [()] * size), dtype=object),
            "chain": pd.Series(list(chain), dtype=object),
            "line": np.asarray([0] * size if line is None else line, np.int64),
            "mention": pd.Series(
                list(texts if mention is None else mention), dtype=object
            ),
            "sentence": np.asarray(
                [-1] * size if sentence is None else sentence, np.int64
            ),
            "words": pd.Series(list(texts if words is None else words), dtype=object),
        }
    )


def within(labels: StrSeries, place: str) -> StrSeries:
    """Return the labels of chains that end with a place, as a file; those of no chain stay.

    >>> within(pd.Series(["1", "-1"]), "a").tolist()
    ['a/1', '-1']
    """
    return labels.where(labels.map(is_no_chain), f"{place}/" + labels)


def gaps(mentions: pd.DataFrame) -> list[Tokens]:
    """Return the tokens of each mention of a corpus if it has a gap, else ()."""
    columns = zip(mentions["start"], mentions["end"], mentions["tokens"], strict=True)
    return [
        tuple(tokens) if 0 < len(tokens) <= end - start else ()
        for start, end, tokens in columns
    ]


def object_array(values: Iterable[Any]) -> npt.NDArray[np.object_]:
    """Return a one-dimensional object array of these values, which may be tuples."""
    items = list(values)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


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
