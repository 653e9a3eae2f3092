"""The nodes of a CoNLL-U file as arrays: words, empty nodes, sentences, documents."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.files.input import Source, integer

WIDTH = 1024
"""Places of a word: the word itself, and the empty nodes after it."""

ID, FORM, UPOS, HEAD, DEPREL, DEPS, MISC = 0, 1, 3, 6, 7, 8, 9
DIGITS = 9
"""Of the number of a word in HEAD and DEPS: more do not fit into the arrays."""


def lines_of(source: Source) -> Iterator[str]:
    r"""Yield the lines of a file one by one, each with ``\n``; raises FormatError if it is no text.

    >>> list(lines_of(Source("f", b"a\r\n\r\nb")))
    ['a\n', '\n', 'b']
    """
    data = source.data
    if b"\0" in data or data.isspace() or not data:
        _ = source.text  # raises
    try:
        yield from io.TextIOWrapper(io.BytesIO(data), "utf-8-sig")
    except UnicodeDecodeError:
        _ = source.text  # raises
        raise


def arcs_of(cell: str) -> Iterator[tuple[int, str]]:
    """Yield the arcs of a cell of DEPS such as ``3:nsubj|5.1:conj``; none for ``_``.

    An arc is the place of the parent, counted from the word 0 of the sentence, and ``:relation``.
    """
    for item in cell.split("|"):
        parent, colon, relation = item.partition(":")
        number, _, sub = parent.partition(".")
        word, empty = integer(number, DIGITS), integer(sub or "0", DIGITS)
        if min(word, empty) >= 0:
            yield word * WIDTH + empty, colon + relation


@dataclass(frozen=True, eq=False)
class Trees:
    """The nodes of a file, in its order; multiword ranges (3-4) are no nodes.

    ``sub`` is the number after the point of an id: 1 for the empty node 5.1, 0 for word 5.
    ``sentence`` and ``document`` count from 0 in the file, ``line`` is the line of each node.
    ``names`` are the documents, ``sent_ids`` those of the sentences, ``forms`` the words,
    ``empty_deps`` the DEPS of the empty nodes. ``again`` returns the file for what is not kept.
    """

    again: Callable[[], Source] = field(repr=False)
    sub: Ints = field(repr=False)
    sentence: Ints = field(repr=False)
    document: Ints = field(repr=False)
    line: Ints = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    sent_ids: list[str] = field(repr=False)
    forms: list[str] = field(repr=False)
    empty_deps: Mapping[int, str] = field(repr=False)

    def __len__(self) -> int:
        return len(self.sub)

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
    def number(self) -> Ints:
        """The number before the point of each id: 5 for the word 5 and the empty node 5.1."""
        return self.before + self.is_word - self.before[self._starts][self.sentence]

    @cached_property
    def place(self) -> Ints:
        """The place of each node: the same in two files with the same words.

        It is (b + i)·1024 + j for node i.j, where b counts the words and sentences before the
        sentence.
        """
        base = self.before[self._starts] + np.arange(len(self._starts))
        return (base[self.sentence] + self.number) * WIDTH + self.sub

    @cached_property
    def word_in_document(self) -> Ints:
        """The number in its document, from 0, of each word; for an empty node of the next word."""
        return self.before - self.before[self._document_starts]

    @cached_property
    def sentence_in_document(self) -> Ints:
        """The number of the sentence in its document, from 1."""
        return self.sentence - self.sentence[self._document_starts] + 1

    @cached_property
    def _starts(self) -> Ints:
        """The first node of each sentence."""
        return np.flatnonzero(np.diff(self.sentence, prepend=-1))

    @cached_property
    def _document_starts(self) -> Ints:
        """The first node of the document of each node."""
        return np.flatnonzero(np.diff(self.document, prepend=-1))[self.document]

    @cached_property
    def texts(self) -> dict[str, tuple[str, ...]]:
        """The words of each document."""
        ends = np.cumsum(np.bincount(self.document, self.is_word)).astype(int).tolist()
        bounds = zip(self.names, [0, *ends], ends, strict=False)
        return {name: tuple(self.forms[start:end]) for name, start, end in bounds}

    @cached_property
    def deps(self) -> list[str]:
        """DEPS of each node."""
        return self.column(DEPS)

    def column(self, column: int) -> list[str]:
        """Return a column (0: id … 9: MISC); raises FormatError if the file has changed."""
        is_node = np.zeros(int(self.line[-1]) + 1, dtype=np.bool_)
        is_node[self.line] = True
        lines = zip(is_node[1:].tolist(), lines_of(self.again()), strict=False)
        return [line.rstrip("\n").split("\t")[column] for node, line in lines if node]

    def spans_of(self, nodes: Ints, begin: Ints, end: Ints) -> list[str]:
        """Return the places of mentions in their documents: sentence and ids (``3:2-4,6.1``).

        Mention i has the nodes from ``begin[i]`` to ``end[i]`` − 1 of ``nodes``.
        """
        first, last = nodes[begin], nodes[end - 1]
        empty = np.concatenate([[0], np.cumsum(~self.is_word)])
        words_only = empty[last + 1] == empty[first]
        simple = (last - first + 1 == end - begin) & words_only
        columns = self.sentence_in_document[first], self.number[first], self.number[last], simple
        return [
            (f"{sentence}:{low}-{high}" if low < high else f"{sentence}:{low}")
            if plain
            else f"{sentence}:{self._span(nodes[begin[row] : end[row]])}"
            for row, (sentence, low, high, plain) in enumerate(
                zip(*(values.tolist() for values in columns), strict=True)
            )
        ]

    def _span(self, nodes: Ints) -> str:
        """Return the ids of nodes as runs; empty nodes inside a run of nodes are part of it."""
        runs = np.split(nodes, np.flatnonzero(np.diff(nodes) > 1) + 1)
        ids = [(self._id(run[0]), self._id(run[-1])) for run in runs]
        return ",".join(low if low == high else f"{low}-{high}" for low, high in ids)

    def _id(self, node: int) -> str:
        sub = self.sub[node]
        return f"{self.number[node]}.{sub}" if sub else str(self.number[node])
