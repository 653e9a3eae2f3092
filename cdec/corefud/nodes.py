"""The nodes of a CoNLL-U file as arrays: words and empty nodes, in sentences and documents."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from sys import intern

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.errors import counted
from cdec.files.input import TextFile, integer

ID, FORM, HEAD, DEPS, MISC = 0, 1, 6, 8, 9
ENTITY = "Entity="
WIDTH = 1024
"""Places of a word: the word itself, and the empty nodes after it."""
_COLUMNS = 10
_DIGITS = 9  # of the number of a word: more do not fit into the arrays
_ID = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?")
_RANGE = re.compile(r"[0-9]{1,9}-[0-9]{1,9}")
_COMMENT = re.compile(
    r"#[ \t]*(?:newdoc\b(?:[ \t]+id)?[ \t]*=?(?P<document>.*)|sent_id[ \t]*=(?P<sentence>.*))"
)


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a file, in its order; multiword ranges (3-4) are no nodes.

    ``lines`` are those of the file, ``line`` has the number of the line of each node, from 1.
    ``sub`` is the number after the point of an id: 1 for the empty node 5.1, 0 for word 5.
    ``sentence`` and ``document`` count from 0. ``names`` are the documents, ``sent_ids`` the ids of
    sentences, ``forms`` the words.
    """

    lines: list[str] = field(repr=False)
    line: Ints = field(repr=False)
    sub: Ints = field(repr=False)
    sentence: Ints = field(repr=False)
    document: Ints = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    sent_ids: list[str] = field(repr=False)
    forms: list[str] = field(repr=False)

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
        starts = np.flatnonzero(np.diff(self.sentence, prepend=-1))
        return self.before + self.is_word - self.before[starts][self.sentence]

    @cached_property
    def base(self) -> Ints:
        """The number of words and sentences before the sentence of each node."""
        return self.before + self.is_word - self.number + self.sentence

    @cached_property
    def place(self) -> Ints:
        """The place of each node, the same in two files with the same words: it increases."""
        return (self.base + self.number) * WIDTH + self.sub

    @cached_property
    def starts(self) -> Ints:
        """The first node of each document, and the number of nodes."""
        return np.append(np.flatnonzero(np.diff(self.document, prepend=-1)), len(self))

    @cached_property
    def word_in_document(self) -> Ints:
        """The number in its document, from 0, of each word; for an empty node of the next word."""
        return self.before - self.before[self.starts[self.document]]

    @cached_property
    def texts(self) -> dict[str, tuple[str, ...]]:
        """The words of each document."""
        ends = np.cumsum(np.bincount(self.document, self.is_word)).astype(int).tolist()
        bounds = zip(self.names, [0, *ends[:-1]], ends, strict=True)
        return {name: tuple(self.forms[start:end]) for name, start, end in bounds}

    def at(self, place: Ints) -> Ints:
        """Return the node at each place; −1 if there is none."""
        found = np.minimum(np.searchsorted(self.place, place), len(self) - 1)
        return np.where(self.place[found] == place, found, -1)

    def column(self, column: int, nodes: Ints | slice = slice(None)) -> list[str]:
        """Return a column (ID … MISC) of the file, of these nodes."""
        return [self.lines[n - 1].split("\t")[column] for n in self.line[nodes].tolist()]

    def ids(self, nodes: Ints) -> list[str]:
        """Return the ids of nodes: 5 or 5.1."""
        numbers = zip(self.number[nodes].tolist(), self.sub[nodes].tolist(), strict=True)
        return [f"{word}.{sub}" if sub else str(word) for word, sub in numbers]

    def arcs(self, node: int) -> list[tuple[int, str]]:
        """Return the arcs of a node in DEPS: the place of the parent, and ``:relation``."""
        base = int(self.base[node]) * WIDTH
        (cell,) = self.column(DEPS, np.array([node]))
        return [(base + place, relation) for place, relation in arcs_of(cell)]

    def parents(self, node: int) -> list[int]:
        """Return the parents of a node in DEPS."""
        places = np.array([place for place, _ in self.arcs(node)], np.int64)
        return [parent for parent in self.at(places).tolist() if parent >= 0]

    @cached_property
    def parent(self) -> Ints:
        """The parent of each word in HEAD; −1 for a root, and for an empty node."""
        heads = np.array([integer(text) for text in self.column(HEAD)], np.int64)
        found: Ints = np.where(self.is_word & (heads > 0), self.at((self.base + heads) * WIDTH), -1)
        return found


def arcs_of(cell: str) -> Iterator[tuple[int, str]]:
    """Yield the arcs of a cell of DEPS such as ``3:nsubj|5.1:conj``; none for ``_``.

    An arc is the place of the parent, counted from the word 0 of the sentence, and ``:relation``.
    """
    for item in cell.split("|"):
        parent, colon, relation = item.partition(":")
        number, _, sub = parent.partition(".")
        word, empty = integer(number, _DIGITS), integer(sub or "0", _DIGITS)
        if min(word, empty) >= 0:
            yield word * WIDTH + empty, colon + relation


def read_nodes(source: TextFile) -> Nodes:
    r"""Return the nodes of a file; raises FormatError with the line of a fault.

    >>> text = "# newdoc id = d\n1\tShe\tshe\tPRON\t_\t_\t0\troot\t_\t_\n"
    >>> nodes = read_nodes(TextFile("f", text))
    >>> nodes.forms, nodes.names, nodes.place.tolist()
    (['She'], ('d',), [1024])
    """
    line, sub, sentence = array("q"), array("q"), array("q")
    documents: list[int] = []  # of each sentence
    names: dict[str, int] = {}
    sent_ids, forms = list[str](), list[str]()
    heads, deps = list[str](), list[str]()
    ranges: list[tuple[int, int, str]] = []  # line, sentence and id of each
    marks, current = 0, -1  # comments that begin a document, and the document of the next sentence
    is_new, word, empty = True, 0, 0  # the last word, and the last empty node after it
    lines = source.lines if source.lines[-1] else source.lines[:-1]
    for number, text in enumerate(lines, start=1):
        if not text:
            is_new, word, empty = True, 0, 0
            continue
        if text[0] == "#":
            comment = _COMMENT.match(text)
            if comment and comment["sentence"] is not None:
                sent_ids.append(comment["sentence"].strip())
            elif comment:  # a document without an id has its number as name
                marks += 1
                current = names.setdefault(comment["document"].strip() or str(marks), len(names))
            continue
        cells = text.split("\t")
        if len(cells) != _COLUMNS:
            message = f"the line '{text[:40]}' has not ten columns"
            raise source.error("conll-structure", number, message, "separate them by tabs")
        sub_id = 0 if cells[ID] == str(word + 1) else _sub_id(source, number, cells, word, empty)
        if sub_id is None:  # a multiword range is no node
            ranges.append((number, len(documents) if is_new else len(documents) - 1, cells[ID]))
            continue
        if sub_id == 0:
            word += 1
            forms.append(intern(cells[FORM]))
        empty = sub_id
        if is_new:
            # Sentences before the first document are one without a name.
            current = names.setdefault("", 0) if current < 0 else current
            documents.append(current)
            is_new = False
        line.append(number)
        sub.append(sub_id)
        sentence.append(len(documents) - 1)
        heads.append(intern(cells[HEAD]))
        deps.append(intern(cells[DEPS]))
    if not line:
        raise source.error("file-empty", 0, "the file has no words", "check the file")
    used, codes = np.unique(documents, return_inverse=True)
    known = list(names)
    nodes = Nodes(
        lines=lines,
        line=np.array(line),
        sub=np.array(sub),
        sentence=np.array(sentence),
        document=codes[np.array(sentence)].astype(np.int64),
        names=tuple(known[number] for number in used.tolist()),
        sent_ids=sent_ids,
        forms=forms,
    )
    _check_documents(source, nodes, [known[number] for number in documents])
    _check_ranges(source, nodes, ranges)
    _check_parents(source, nodes, heads, deps)
    return nodes


def _check_documents(source: TextFile, nodes: Nodes, documents: Sequence[str]) -> None:
    """Raise FormatError for a document in two places; ``documents`` has that of each sentence."""
    back = np.flatnonzero(np.diff(nodes.document) < 0)
    if len(back):
        again = int(back[0]) + 1
        name = documents[int(nodes.sentence[again])]
        message = f"the document '{name}' occurs twice, not in one place"
        hint = "give each its own id"
        raise source.error("conll-structure", int(nodes.line[again]), message, hint)


def _check_ranges(source: TextFile, nodes: Nodes, ranges: Iterable[tuple[int, int, str]]) -> None:
    """Raise FormatError for a range beyond the words of its sentence, or inside another range."""
    sizes = np.bincount(nodes.sentence, nodes.is_word)
    before = (-1, 0)  # sentence and last word of the range before
    for line, sentence, text in ranges:
        start, end = map(int, text.split("-"))
        size = int(sizes[sentence]) if sentence < len(sizes) else 0
        if end > size:
            message = f"the range {text} is not in its sentence, which has "
            message += counted(size, "word")
            raise source.error("conll-structure", line, message, "give its first and last word")
        if before[0] == sentence and start <= before[1]:
            message, hint = f"the range {text} overlaps the one before", "give each word one range"
            raise source.error("conll-structure", line, message, hint)
        before = (sentence, end)


def _check_parents(
    source: TextFile, nodes: Nodes, heads: Sequence[str], deps: Sequence[str]
) -> None:
    """Raise FormatError for a parent in HEAD or DEPS that is not in the sentence.

    A HEAD is ``_``, 0 for the root, or another word; a parent in DEPS can be an empty node.
    """
    sizes = np.bincount(nodes.sentence, nodes.is_word).astype(np.int64)
    numbers = {text: 0 if text == "_" else integer(text, _DIGITS) for text in {*heads}}
    head = np.array([numbers[text] for text in heads], np.int64)
    is_itself = nodes.is_word & (head == nodes.number)
    wrong = np.flatnonzero((head < 0) | (head > sizes[nodes.sentence]) | is_itself)
    if len(wrong):
        node = int(wrong[0])
        message = f"'{heads[node][:20]}' in the column HEAD is not the head of this word"
        hint = f"give another word, from 1 to {int(sizes[nodes.sentence[node]])}, or 0 for the root"
        raise source.error("conll-structure", int(nodes.line[node]), message, hint)

    parents_of = {text: _parents_in(text) for text in {*deps}}
    pairs = [(node, place) for node, text in enumerate(deps) for place in parents_of[text]]
    child, place = np.array(pairs, np.int64).reshape(-1, 2).T
    is_beyond = (place < 0) | (place // WIDTH > sizes[nodes.sentence[child]])
    is_missing = (place != 0) & (nodes.at(nodes.base[child] * WIDTH + place) < 0)
    wrong = np.flatnonzero(is_beyond | is_missing)
    if len(wrong):
        node = int(child[wrong[0]])
        message = f"'{deps[node][:40]}' in the column DEPS names a parent that is no node"
        hint = "write parent:relation, as in 3:nsubj|5.1:conj, with ids of the sentence"
        raise source.error("conll-structure", int(nodes.line[node]), message, hint)


def _parents_in(cell: str) -> list[int]:
    """Return the places of the parents in a cell of DEPS, counted as in ``arcs_of``; −1: no id."""
    if cell == "_":
        return []
    places = []
    for item in cell.split("|"):
        match = _ID.fullmatch(item.partition(":")[0])
        empty = int(match[2] or 0) if match else WIDTH
        places.append(int(match[1]) * WIDTH + empty if match and empty < WIDTH else -1)
    return places


def _sub_id(source: TextFile, line: int, cells: list[str], word: int, empty: int) -> int | None:
    """Return i of the id n.i of an empty node after word n, the last; None for a range."""
    code, id_ = "conll-structure", cells[ID]
    match = _ID.fullmatch(id_)
    sub = int(match[2] or 0) if match else 0
    if _RANGE.fullmatch(id_):
        start, end = map(int, id_.split("-"))
        if f"|{ENTITY}" in f"|{cells[MISC]}":
            code, message = "brackets-invalid", "Entity= is at a multiword range"
            hint = "write it at the words"
        elif start == word + 1 and end >= start:
            return None
        else:
            message = f"the range {id_} is not valid here"
            hint = f"expected {word + 1}-n, before its first word, with n at least {word + 1}"
    elif match is None or (match[2] and not 0 < sub < WIDTH):
        message = f"'{id_[:20]}' is not a valid id of a word, an empty node or a range"
        hint = "as in 3, 3.1 or 3-4"
    elif int(match[1]) != word or sub <= empty:
        message = f"the id {id_} is out of order"
        hint = f"expected {f'{word}.n, with n increasing' if sub else word + 1}"
    else:
        return sub
    raise source.error(code, line, message, hint)
