"""Mentions at spans of tokens, and files with a token in each line.

What a column means, and how sentences count, is up to the reader of each corpus. Two layouts are
common:

* documents between ``#begin document (id)`` and ``#end document`` (``blocks_of``);
* the eight columns of Cattan et al. (2021), separated by tabs: topic, sub-topic, document,
  sentence, token number, token, a flag, and chains in brackets, for all documents of a corpus
  between one ``#begin document`` and ``#end document`` (``eight_columns``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from cdec.corpus.build import build
from cdec.corpus.model import Corpus, Document
from cdec.corpus.source import Source, error
from cdec.errors import CorpusError
from cdec.files.input import integer
from cdec.formats.brackets import EMPTY, Span, find_blocks, parse_column
from cdec.formats.escape import unescape

MASKED = "___"
_MOST_EMPTY = 1000  # sentences without a token between two with one: more are a wrong number
_WIDTH = 8  # columns of Cattan et al.


Placed = tuple[str, Span, Mapping[str, Any]]
"""A mention: the id of its document, its span, and its kind, state and attributes."""


def corpus_at(
    source: Source, documents: Iterable[Document], mentions: Iterable[Placed], **facts: Any
) -> Corpus:
    """Return the corpus of documents and mentions; ``facts`` are those of ``build``.

    The name of a mention is ``sentence_start_end``, with token numbers from 0 in the sentence. A
    span that a chain repeats is left out, and one in several chains is kept in each: both are
    defects of ``source``.
    """
    known = {document.id: document for document in documents}
    seen: set[tuple[str, Any]] = set()
    names: Counter[str] = Counter()
    rows = []
    for doc, span, about in mentions:
        starts = known[doc].sentence_starts
        sentence = bisect_right(starts, span.start) - 1
        first = starts[sentence]
        name = f"{doc}/{sentence}_{span.start - first}_{span.end - first}"
        if (doc, span) in seen:
            source.note("repeated-span", name)
            continue
        tokens = span.tokens or tuple(range(span.start, span.end + 1))
        if (doc, tokens) in seen:
            source.note("span-in-two-chains", name)
        seen |= {(doc, span), (doc, tokens)}
        names[name] += 1
        id_ = name if names[name] == 1 else f"{name}_{names[name]}"
        rows.append({"id": id_, "doc": doc, "tokens": tokens, "chain": span.chain, **about})
    return build(documents, rows, **facts)


@dataclass
class Columns:
    """A document: its tokens by sentence, and the last columns with a label (token, line, cell)."""

    file: str
    id: str
    topic: str = ""
    subtopic: str = ""
    sentences: list[list[str]] = field(default_factory=list)
    cells: list[tuple[int, int, str]] = field(default_factory=list)
    size: int = 0

    def add(self, line: int, sentence: int | str, token: str, cell: str = "") -> None:
        """Add the token of a line.

        Raises CorpusError if the sentence is no number, before the last one or far ahead.
        """
        last = len(self.sentences) - 1
        number = integer(sentence) if isinstance(sentence, str) else sentence
        if number < 0 or not last <= number <= last + _MOST_EMPTY:
            message = f"sentence '{str(sentence)[:40]}' after sentence {last}"
            raise error(self.file, "corpus-invalid", line, message)
        self.sentences.extend([] for _ in range(number - last))
        self.sentences[number].append(token)
        if cell.strip() not in EMPTY:
            self.cells.append((self.size, line, cell))
        self.size += 1

    @property
    def text(self) -> tuple[tuple[str, ...], ...]:
        """The sentences, as a Document has them."""
        return tuple(map(tuple, self.sentences))

    def spans(self) -> list[Span]:
        """Return the mentions. Raises CorpusError for a cell without brackets, or unbalanced ones.

        A bare label is that of an inner token of an open mention, and adds nothing.
        """
        lines = {token: line for token, line, _ in self.cells}

        def fail(code: str, token: int, message: str, hint: str) -> CorpusError:
            return error(self.file, code, lines[token], message, hint)

        return sorted(parse_column(((token, cell) for token, _, cell in self.cells), fail))


def blocks_of(source: Source, file: str) -> Iterator[tuple[Columns, int, list[tuple[int, str]]]]:
    """Yield the documents of a file, still empty, each with its first line and its lines.

    A part other than 0 is in the id, as ``name; part 001``. Lines have their numbers; blank ones
    are left out, so that the number of a line says where sentences end. Raises CorpusError for a
    line outside of a document, and a document without an end.
    """
    lines = source.text(file).split("\n")
    found = find_blocks(lines, partial(error, file))
    if found.outside:
        message = f"'{lines[found.outside - 1][:60]}' is not where a document begins or ends"
        raise error(file, "conll-structure", found.outside, message)
    if found.unfinished:
        last = found.blocks[-1]
        raise error(file, "conll-structure", last.line, f"the document '{last.id}' does not end")
    for block in found.blocks:
        numbers = found.lines[block.first : block.stop].tolist()
        inside = [(number, lines[number - 1]) for number in numbers]
        yield Columns(file, block.id), block.line, inside


def first_token(source: Source, file: str) -> list[str]:
    """Return the first row of a file in eight columns; none if it is not in these columns."""
    lines = (line for line in source.head(file) if not line.startswith("#"))
    row = next(lines, "").split("\t")
    return row if len(row) == _WIDTH and min(map(integer, row[3:5])) >= 0 else []


def eight_columns(source: Source, file: str) -> Iterator[Columns]:
    """Yield the documents of a file, in its order. Raises CorpusError with file and line."""
    columns: Columns | None = None
    seen: set[str] = set()
    at, ended = 0, False
    lines = enumerate(source.text(file).split("\n"), start=1)
    for at, line in ((at, line) for at, line in lines if line.strip()):
        if line.startswith("#begin document"):
            continue
        if ended := line.startswith("#end document"):
            continue
        fields = line.split("\t")
        if len(fields) != _WIDTH:
            message = f"expected {_WIDTH} columns separated by tabs, got {len(fields)}"
            raise error(file, "corpus-invalid", at, message)
        topic, subtopic, name, sentence, _, token, _, cell = fields
        id_ = unescape(name)
        if columns is None or columns.id != id_:
            if columns is not None:
                yield columns
            if not id_.strip() or id_ in seen:
                message = f"document '{id_}' is interrupted by another" if id_ else "no document id"
                raise error(file, "conll-structure", at, message)
            seen.add(id_)
            columns = Columns(file, id_, topic, subtopic)
        columns.add(at, sentence, token, cell)
    if not ended:
        raise error(file, "conll-structure", at, "the file has no '#end document' at its end")
    if columns is not None:
        yield columns
