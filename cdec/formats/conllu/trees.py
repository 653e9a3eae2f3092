"""The nodes of a CoNLL-U file as arrays: words, empty nodes, sentences, documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cdec.arrays import Bools, Ints

WIDTH = 1024
"""Places of a word: the word itself, and the empty nodes after it."""

FORM, UPOS, HEAD, DEPREL, DEPS, MISC = 1, 3, 6, 7, 8, 9
DIGITS = 9
"""Of the number of a word in HEAD and DEPS: more do not fit into the arrays."""


def arcs_of(cell: str) -> Iterator[tuple[int, str]]:
    """Yield the arcs of a cell of DEPS such as ``3:nsubj|5.1:conj``; none for ``_``.

    An arc is the place of the parent, counted from the word 0 of the sentence, and ``:relation``.
    """
    for item in cell.split("|"):
        parent, colon, relation = item.partition(":")
        number, _, sub = parent.partition(".")
        if all(n.isdecimal() and len(n) <= DIGITS for n in (number, sub or "0")):
            yield int(number) * WIDTH + int(sub or 0), colon + relation


class Texts(Mapping[str, tuple[str, ...]]):
    """The words of each document, decoded when they are needed.

    ``forms`` has each word with a tab behind it, ``bounds`` the byte where a document begins.
    """

    def __init__(self, names: tuple[str, ...], forms: bytes, bounds: Ints) -> None:
        self._at = {name: number for number, name in enumerate(names)}
        self.forms, self.bounds = forms, bounds

    def __getitem__(self, name: str) -> tuple[str, ...]:
        at = self._at[name]
        part = self.forms[self.bounds[at] : self.bounds[at + 1]]
        return tuple(part.decode().split("\t")[:-1])

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)


class SentenceIds(Sequence[bytes]):
    """The ids of the sentences, read from their comments (``sent_id = …``) when they are needed."""

    def __init__(self, comments: bytes) -> None:
        self.comments = comments

    @cached_property
    def _ids(self) -> list[bytes]:
        texts = [line.removeprefix(b"sent_id").strip() for line in self.comments.splitlines()]
        return [text[1:].strip() for text in texts if text.startswith(b"=")]

    def __getitem__(self, at: Any) -> Any:
        return self._ids[at]

    def __len__(self) -> int:
        return len(self._ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SentenceIds):
            return NotImplemented
        return self.comments == other.comments or self._ids == other._ids

    def __hash__(self) -> int:
        return hash(tuple(self._ids))


@dataclass(frozen=True, eq=False)
class Trees:
    """The nodes of a file, in its order; multiword ranges (3-4) are no nodes.

    ``number`` and ``sub`` are those of the id: 5 and 0 for word 5, 5 and 1 for the empty node 5.1.
    ``sentence`` and ``document`` count from 0 in the file. ``start`` and ``end`` are the bytes of
    ``data`` where the line begins and ends, ``line`` its number. ``names`` are the documents,
    ``sent_ids`` those of the sentences. ``values`` has the values of Entity=, each with a line end,
    ``value_nodes`` their nodes, ``empty_deps`` the DEPS of the empty nodes. ``again`` returns the
    content of the file, which is not kept if it is large.
    """

    again: Callable[[], bytes] = field(repr=False)
    number: Ints = field(repr=False)
    sub: Ints = field(repr=False)
    sentence: Ints = field(repr=False)
    document: Ints = field(repr=False)
    start: Ints = field(repr=False)
    end: Ints = field(repr=False)
    line: Ints = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    sent_ids: SentenceIds = field(repr=False)
    texts: Texts = field(repr=False)
    values: bytes = field(repr=False)
    value_nodes: Ints = field(repr=False)
    empty_deps: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.number)

    @cached_property
    def data(self) -> bytes:
        """The content of the file, with Unix line ends; raises FormatError if it has changed."""
        return self.again()

    @cached_property
    def is_word(self) -> Bools:
        """Whether a node is a word, not empty."""
        words: Bools = self.sub == 0
        return words

    @cached_property
    def before(self) -> Ints:
        """The number of words before each node (of an empty node: up to its word)."""
        return np.cumsum(self.is_word) - self.is_word

    @cached_property
    def place(self) -> Ints:
        """The place of each node: the same in two files with the same words.

        It is (b + i)·1024 + j for node i.j, where b counts the words and sentences before the
        sentence.
        """
        first = np.flatnonzero(np.diff(self.sentence, prepend=-1))
        base = self.before[first] + np.arange(len(first))
        return (base[self.sentence] + self.number) * WIDTH + self.sub

    @cached_property
    def word_in_document(self) -> Ints:
        """The number in its document, from 0, of each word; for an empty node of the next word."""
        first = np.flatnonzero(np.diff(self.document, prepend=-1))
        sizes = np.diff(first, append=len(self))
        return self.before - np.repeat(self.before[first], sizes)

    @cached_property
    def sentence_in_document(self) -> Ints:
        """The number of the sentence in its document, from 1."""
        first = np.flatnonzero(np.diff(self.document, prepend=-1))
        sizes = np.diff(first, append=len(self))
        return self.sentence - np.repeat(self.sentence[first], sizes) + 1

    def cells(self, column: int, nodes: Ints | None = None) -> list[str]:
        """Return a column (0: id … 9: MISC) of these nodes, by default of all."""
        chosen = slice(None) if nodes is None else nodes
        lines = zip(self.start[chosen].tolist(), self.end[chosen].tolist(), strict=True)
        data = self.data
        return [data[start:end].split(b"\t")[column].decode() for start, end in lines]

    def deps_of_empty(self, nodes: Ints) -> list[str]:
        """Return DEPS of these empty nodes."""
        return [self.empty_deps[k] for k in np.searchsorted(self.empty, nodes).tolist()]

    @cached_property
    def empty(self) -> Ints:
        """The empty nodes."""
        return np.flatnonzero(~self.is_word)

    def id_of(self, node: int) -> str:
        """Return the id of a node as in the file: ``5`` or ``5.1``."""
        sub = int(self.sub[node])
        return f"{self.number[node]}.{sub}" if sub else str(self.number[node])
