"""The nodes of a CoNLL-U file as arrays: words and empty nodes, in sentences and documents."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, pairwise
from sys import intern

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.errors import counted
from cdec.files.input import TextFile, integer
from cdec.formats.annotation import object_array
from cdec.records import Words

# The columns of a node.
ID, FORM, HEAD, DEPS, MISC = 0, 1, 6, 8, 9
ENTITY = "Entity="
WIDTH = 1024
"""Places of a word: the word itself, and the empty nodes after it."""
_COLUMNS = 10
# More than nine digits do not fit into the arrays.
_ID = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?")
_RANGE = re.compile(r"[0-9]{1,9}-[0-9]{1,9}")
_COMMENT = re.compile(
    r"#[ \t]*(?:newdoc\b(?:[ \t]+id)?[ \t]*=?(?P<document>.*)|sent_id[ \t]*=(?P<sentence>.*))"
)


@dataclass(frozen=True, eq=False, repr=False)
class Nodes:
    """The nodes of a file, in its order; multiword ranges (3-4) are no nodes.

    ``lines`` are those of the file, ``line`` has the number of the line of each node, from 1.
    ``sub`` is the number after the point of an id: 1 for the empty node 5.1, 0 for word 5.
    ``sentence`` and ``document`` count from 0. ``names`` are the documents, ``sent_ids`` the ids of
    sentences; ``forms``, ``heads`` and ``deps`` are columns of the file.
    """

    lines: list[str]
    line: Ints
    sub: Ints
    sentence: Ints
    document: Ints
    names: tuple[str, ...]
    sent_ids: list[str]
    forms: list[str]
    heads: list[str]
    deps: list[str]

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
    def sizes(self) -> Ints:
        """The number of words of each sentence."""
        return np.bincount(self.sentence, self.is_word).astype(np.int64)

    @cached_property
    def number(self) -> Ints:
        """The number before the point of each id: 5 for the word 5 and the empty node 5.1."""
        starts = np.flatnonzero(np.diff(self.sentence, prepend=-1))
        return self.before + self.is_word - self.before[starts][self.sentence]

    @cached_property
    def base(self) -> Ints:
        """The place of the word 0 of the sentence of each node, which is before its first word."""
        return self.place - self.number * WIDTH - self.sub

    @cached_property
    def place(self) -> Ints:
        """The place of each node, the same in two files with the same words: it increases."""
        return (self.before + self.is_word + self.sentence) * WIDTH + self.sub

    @cached_property
    def starts(self) -> Ints:
        """The first node of each document, and the number of nodes."""
        return np.append(np.flatnonzero(np.diff(self.document, prepend=-1)), len(self))

    @cached_property
    def word_in_document(self) -> Ints:
        """The number in its document, from 0, of each word; for an empty node of the next word."""
        return self.before - self.before[self.starts[self.document]]

    @cached_property
    def texts(self) -> dict[str, Words]:
        """The words of each document."""
        bounds = pairwise(self.starts.tolist())
        return {
            name: tuple(compress(self.forms[start:end], self.is_word[start:end]))
            for name, (start, end) in zip(self.names, bounds, strict=True)
        }

    def at(self, place: Ints) -> Ints:
        """Return the node at each place; −1 if there is none."""
        node = np.minimum(np.searchsorted(self.place, place), len(self) - 1)
        return np.where(self.place[node] == place, node, -1)

    def ids(self, nodes: Ints) -> list[str]:
        """Return the ids of nodes: 5 or 5.1."""
        numbers = zip(
            self.number[nodes].tolist(), self.sub[nodes].tolist(), strict=True
        )
        return [f"{word}.{sub}" if sub else str(word) for word, sub in numbers]

    def arcs(self, node: int) -> list[tuple[int, str]]:
        """Return the arcs of a node in DEPS: the place of the parent, and ``:relation``."""
        base = int(self.base[node])
        return [
            (base + place, relation) for place, relation in arcs_of(self.deps[node])
        ]

    def parents(self, node: int) -> list[int]:
        """Return the parents of a node in DEPS."""
        places = np.array([place for place, _ in self.arcs(node)], np.int64)
        return [parent for parent in self.at(places).tolist() if parent >= 0]

    @cached_property
    def parent(self) -> Ints:
        """The parent of each word in HEAD; −1 for a root, and for an empty node."""
        heads = np.array([integer(text) for text in self.heads], np.int64)
        has_parent = self.is_word & (heads > 0)
        return np.where(has_parent, self.at(self.base + heads * WIDTH), -1)


def arcs_of(cell: str) -> list[tuple[int, str]]:
    """Return the arcs of a cell of DEPS such as ``3:nsubj|5.1:conj``; none for ``_``.

    An arc is the place of the parent, counted from the word 0 of the sentence, and ``:relation``.
    The place is −1 for a text that is no id; ``read_nodes`` refuses a file with such a text.
    """
    if cell == "_":
        return []
    arcs = []
    for item in cell.split("|"):
        parent, colon, relation = item.partition(":")
        match = _ID.fullmatch(parent)
        place = -1
        if match is not None:
            empty = int(match[2] or 0)
            if empty < WIDTH:
                place = int(match[1]) * WIDTH + empty
        arcs.append((place, colon + relation))
    return arcs


def read_nodes(source: TextFile) -> Nodes:
    r"""Return the nodes of a file; raises FormatError with the line of a fault.

    >>> text = "# newdoc id = d\n1\tShe\tshe\tPRON\t_\t_\t0\troot\t_\t_\n"
    >>> nodes = read_nodes(TextFile("f", text))
    >>> nodes.forms, nodes.names, nodes.place.tolist()
    (['She'], ('d',), [1024])
    """
    lines = source.lines
    if not lines[-1]:
        lines = lines[:-1]
    # Columns of the nodes.
    line = array("q")
    sentence = array("q")
    sub = array("q")
    heads = []
    deps = []
    forms = []
    first_lines: list[int] = []  # of the sentences
    for number, index, sub_id, cells in _rows(source, lines):
        if index == len(first_lines):
            first_lines.append(number)
        line.append(number)
        sentence.append(index)
        sub.append(sub_id)
        forms.append(intern(cells[FORM]))
        heads.append(intern(cells[HEAD]))
        deps.append(intern(cells[DEPS]))
    if not line:
        raise source.error("file-empty", 0, "the file has no words", "check the file")

    marks, sent_ids = _comments(lines)
    # Sentences before the first document are one without a name.
    number_of_mark, names = pd.factorize(object_array(["", *marks.values()]))
    number_of_sentence = number_of_mark[np.searchsorted(list(marks), first_lines)]
    with_text, codes = np.unique(number_of_sentence, return_inverse=True)
    nodes = Nodes(
        lines=lines,
        line=np.array(line),
        sub=np.array(sub),
        sentence=np.array(sentence),
        document=codes[np.array(sentence)].astype(np.int64),
        names=tuple(names[with_text]),
        sent_ids=sent_ids,
        forms=forms,
        heads=heads,
        deps=deps,
    )
    _check_documents(source, nodes)
    _check_heads(source, nodes)
    _check_deps(source, nodes)
    return nodes


def _comments(lines: Iterable[str]) -> tuple[dict[int, str], list[str]]:
    """Return line → document, for the lines that begin a document, and the ids of sentences."""
    documents: dict[int, str] = {}
    sent_ids = []
    for number, text in enumerate(lines, start=1):
        comment = _COMMENT.match(text)
        if comment is None:
            continue
        if comment["sentence"] is not None:
            sent_ids.append(comment["sentence"].strip())
        else:  # a document without an id has its number as name
            documents[number] = comment["document"].strip() or str(len(documents) + 1)
    return documents, sent_ids


def _rows(
    source: TextFile, lines: Iterable[str]
) -> Iterator[tuple[int, int, int, list[str]]]:
    """Yield the line, the sentence, the number after the point of the id, and the cells of nodes.

    A sentence has nodes. Multiword ranges are checked and left out.
    """
    sentence = 0
    word = 0  # the last one of the sentence
    empty = 0  # the last empty node after it
    covered = 0  # the last word of the ranges of the sentence
    line_of_range = 0
    for line, text in enumerate(chain(lines, [""]), start=1):
        if not text:
            if covered > word:
                raise source.error(
                    "conll-structure",
                    line_of_range,
                    f"the range goes to word {covered} of a sentence of {counted(word, 'word')}",
                    "give its first and last word",
                )
            if word or empty:
                sentence += 1
            word = 0
            empty = 0
            covered = 0
            continue
        if text[0] == "#":
            continue
        cells = text.split("\t")
        if len(cells) != _COLUMNS:
            raise source.error(
                "conll-structure",
                line,
                f"the line '{text[:40]}' has not ten columns",
                "separate them by tabs",
            )
        if cells[ID] == str(word + 1):
            word += 1
            empty = 0
        elif _RANGE.fullmatch(cells[ID]):
            covered = _end_of_range(source, line, cells, word, covered)
            line_of_range = line
            continue
        else:
            empty = _number_of_empty(source, line, cells[ID], word, empty)
        yield line, sentence, empty, cells


def _end_of_range(
    source: TextFile, line: int, cells: list[str], word: int, covered: int
) -> int:
    """Return the last word of a multiword range; ``covered`` is that of the range before.

    Raises FormatError for a range with Entity=, one that is not before its first word, and one that
    overlaps another.
    """
    if f"|{ENTITY}" in f"|{cells[MISC]}":
        raise source.error(
            "brackets-invalid",
            line,
            "Entity= is at a multiword range",
            "write it at the words",
        )
    start, end = map(int, cells[ID].split("-"))
    if start != word + 1 or end < start:
        raise source.error(
            "conll-structure",
            line,
            f"the range {cells[ID]} is not valid here",
            f"expected {word + 1}-n, before its first word, with n at least {word + 1}",
        )
    if start <= covered:
        raise source.error(
            "conll-structure",
            line,
            f"the range {cells[ID]} overlaps the one before",
            "give each word one range",
        )
    return end


def _number_of_empty(
    source: TextFile, line: int, id_: str, word: int, empty: int
) -> int:
    """Return i of the id n.i of an empty node; n is the last word, and i more than ``empty``."""
    match = _ID.fullmatch(id_)
    if match is None or (match[2] and not 0 < int(match[2]) < WIDTH):
        raise source.error(
            "conll-structure",
            line,
            f"'{id_[:20]}' is not a valid id of a word, an empty node or a range",
            "as in 3, 3.1 or 3-4",
        )
    sub = int(match[2] or 0)
    if int(match[1]) != word or sub <= empty:
        expected = f"{word}.n, with n increasing" if sub else f"{word + 1}"
        raise source.error(
            "conll-structure",
            line,
            f"the id {id_} is out of order",
            f"expected {expected}",
        )
    return sub


def _check_documents(source: TextFile, nodes: Nodes) -> None:
    """Raise FormatError for a document in two places."""
    back = np.flatnonzero(np.diff(nodes.document) < 0)
    if len(back):
        node = int(back[0]) + 1
        raise source.error(
            "conll-structure",
            int(nodes.line[node]),
            f"the document '{nodes.names[nodes.document[node]]}' occurs twice, not in one place",
            "give each its own id",
        )


def _check_heads(source: TextFile, nodes: Nodes) -> None:
    """Raise FormatError for a HEAD that is not ``_``, 0 for the root, or another word."""
    size = nodes.sizes[nodes.sentence]
    head = np.array(
        [0 if text == "_" else integer(text) for text in nodes.heads], np.int64
    )
    is_itself = nodes.is_word & (head == nodes.number)
    wrong = np.flatnonzero((head < 0) | (head > size) | is_itself)
    if len(wrong):
        node = int(wrong[0])
        raise source.error(
            "conll-structure",
            int(nodes.line[node]),
            f"'{nodes.heads[node][:20]}' in the column HEAD is not the head of this word",
            f"give another word, from 1 to {int(size[node])}, or 0 for the root",
        )


def _check_deps(source: TextFile, nodes: Nodes) -> None:
    """Raise FormatError for a parent in DEPS that is no node of the sentence, and not the root."""
    arcs = {cell: arcs_of(cell) for cell in {*nodes.deps}}
    pairs = [
        (node, place) for node, cell in enumerate(nodes.deps) for place, _ in arcs[cell]
    ]
    child, place = np.array(pairs, np.int64).reshape(-1, 2).T
    is_beyond = (place < 0) | (place // WIDTH > nodes.sizes[nodes.sentence[child]])
    is_missing = (place != 0) & (nodes.at(nodes.base[child] + place) < 0)
    wrong = np.flatnonzero(is_beyond | is_missing)
    if len(wrong):
        node = int(child[wrong[0]])
        raise source.error(
            "conll-structure",
            int(nodes.line[node]),
            f"'{nodes.deps[node][:40]}' in the column DEPS names a parent that is no node",
            "write parent:relation, as in 3:nsubj|5.1:conj, with ids of the sentence",
        )
