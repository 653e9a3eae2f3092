"""Files of corpora with a token in each line: their documents, sentences and mentions.

Blocks and brackets are read as in key and response files (``cdec.columns``); what a column means,
and how sentences count, is up to the reader of each corpus. Two layouts are common:

* documents between ``#begin document (id)`` and ``#end document`` (``blocks_of``);
* the eight columns of Cattan et al. (2021), separated by tabs: topic, sub-topic, document,
  sentence, token number, token, a flag, and chains in brackets, for all documents of a corpus
  between one ``#begin document`` and ``#end document`` (``eight_columns``).
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from cdec.columns.blocks import find_blocks
from cdec.columns.brackets import (
    EMPTY,
    Brackets,
    Cell,
    Span,
    no_brackets,
    parse_column,
    parse_loose,
)
from cdec.columns.escape import unescape
from cdec.corpus.reading import HINT
from cdec.corpus.source import Source
from cdec.errors import CorpusError
from cdec.files.input import Fail, integer

_MOST_EMPTY = 1000  # sentences without a token between two with one: more are a wrong number
WIDTH = 8  # columns of Cattan et al.
MASKED = "___"
NO_LEVEL = "-"  # in the column of a level that the corpus does not have
_MASKED_SHARE = 0.5  # of the tokens of a corpus without text; the published ones have 0.95


def text_of(source: Source, file: str) -> str:
    """Return the text of a file, which may be packed by gzip, with LF line ends.

    Raises CorpusError for other content, damaged compression and a text beyond the size limit.
    """
    data, kind = source.files[file], source.layout.document
    text = kind.decode(kind.unpacked(data, file) if file.endswith(".gz") else data, file)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def lines_of(source: Source, file: str) -> Iterator[tuple[int, str]]:
    """Yield line number and text of the lines that are not blank."""
    for number, line in enumerate(text_of(source, file).split("\n"), start=1):
        if line.strip():
            yield number, line


@dataclass
class Block:
    """The lines between ``#begin document (id)`` and ``#end document``, with their numbers."""

    file: str
    id: str
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)


def blocks_of(source: Source, file: str) -> Iterator[Block]:
    """Yield the documents of a file; a part other than 0 is in the id, as ``name; part 001``.

    Blank lines are left out, so that the number of a line says where sentences end. Raises
    CorpusError for a line outside of a document, and a document without an end.
    """
    lines = text_of(source, file).split("\n")
    found = find_blocks(lines, partial(error_at, file))
    if found.outside:
        message = f"'{lines[found.outside - 1][:60]}' is not where a document begins or ends"
        raise error("conll-structure", file, found.outside, message)
    if found.unfinished:
        last = found.blocks[-1]
        message = f"the document '{last.id}' does not end"
        raise error("conll-structure", file, last.line, message)
    numbers = found.lines.tolist()
    for block in found.blocks:
        inside = [(number, lines[number - 1]) for number in numbers[block.first : block.stop]]
        yield Block(file, block.id, block.line, inside)


def head_of(source: Source, file: str, size: int = 4096) -> list[str]:
    """Return the first lines of a file for detection of its format; never raises."""
    data = source.files[file]
    if file.endswith(".gz"):
        try:
            with gzip.open(io.BytesIO(data)) as packed:
                data = packed.read(size)
        except (OSError, EOFError, zlib.error):
            return []
    lines = data[:size].decode("utf-8-sig", "replace").replace("\r", "\n").split("\n")
    return [line for line in lines if line.strip()]


def error(code: str, file: str, line: int, message: str, hint: str = HINT) -> CorpusError:
    """Return the error for a line of a file."""
    return error_at(file, code, line, message, hint)


def error_at(file: str, code: str, line: int, message: str, hint: str) -> CorpusError:
    """Return the error for a line of ``file``, 0 if unknown; its other arguments are a ``Fail``."""
    return CorpusError(code, message, place=f"{file}:{line}" if line else file, hint=hint)


def number(text: str, file: str, line: int) -> int:
    """Return the number in a column. Raises CorpusError for other text."""
    if (value := integer(text)) < 0:
        raise error("corpus-file-invalid", file, line, f"'{text[:40]}' is not a sentence number")
    return value


@dataclass
class Columns:
    """A document in columns while it is read.

    ``sentences`` has the tokens; numbers that the file leaves out are empty sentences, so that a
    sentence has the number that the file gives it. ``cells`` has (token, line, cell) for each
    token with something in the coreference column.
    """

    file: str
    id: str
    topic: str = ""
    subtopic: str = ""
    sentences: list[list[str]] = field(default_factory=list)
    cells: list[tuple[int, int, str]] = field(default_factory=list)
    size: int = 0

    def add(self, line: int, sentence: int, token: str, cell: str) -> None:
        """Add the token of a line. Raises CorpusError if sentences go back, or far ahead."""
        last = len(self.sentences) - 1
        if not last <= sentence <= last + _MOST_EMPTY:
            message = f"sentence {sentence} after sentence {last}"
            raise error("corpus-file-invalid", self.file, line, message)
        self.sentences.extend([] for _ in range(sentence - last))
        self.sentences[sentence].append(token)
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
            return error_at(self.file, code, lines[token], message, hint)

        result = Brackets()
        parse_column(
            ((token, _labels(token, cell, fail)) for token, _, cell in self.cells), result, fail
        )
        chains = (result.labels[chain] for chain in result.chain)
        return sorted(map(Span, result.start, result.end, chains))


def _labels(token: int, text: str, fail: Fail) -> Cell:
    """Return the labels in a cell, in which white space separates like ``|``."""
    pieces = text.replace("|", " ").split()
    cell = parse_loose("|".join(piece for piece in pieces if piece not in EMPTY))
    if cell is None:
        raise fail("brackets-invalid", token, *no_brackets(text.strip()))
    # Only scorers discard double antecedents.
    return cell._replace(single=(*cell.single, *cell.discarded), discarded=())


def first_token(source: Source, file: str) -> list[str]:
    """Return the first row of a file in eight columns; none if it is not in these columns."""
    lines = (line for line in head_of(source, file) if not line.startswith("#"))
    row = next(lines, "").split("\t")
    return row if len(row) == WIDTH and min(map(integer, row[3:5])) >= 0 else []


def eight_columns(source: Source, file: str) -> Iterator[Columns]:
    """Yield the documents of a file, in its order. Raises CorpusError with file and line."""
    columns: Columns | None = None
    seen: set[str] = set()
    ended = 0
    for at, line in lines_of(source, file):
        if line.startswith("#begin document") or (ended := line.startswith("#end document")):
            continue
        fields = line.split("\t")
        if len(fields) != WIDTH:
            message = f"expected {WIDTH} columns separated by tabs, got {len(fields)}"
            raise error("corpus-file-invalid", file, at, message)
        topic, subtopic, name, sentence, _, token, _, cell = fields
        id_ = unescape(name)
        if columns is None or columns.id != id_:
            if columns is not None:
                yield columns
            if not id_.strip() or id_ in seen:
                message = f"document '{id_}' is interrupted by another" if id_ else "no document id"
                raise error("conll-structure", file, at, message)
            seen.add(id_)
            columns = Columns(file, id_, topic, subtopic)
        columns.add(at, number(sentence, file, at), token, cell)
    if not ended:
        raise error("conll-structure", file, at, "the file has no '#end document' at its end")
    if columns is not None:
        yield columns


def is_masked(sentences: Sequence[Sequence[Sequence[str]]]) -> bool:
    """Return whether most tokens of these documents are masked."""
    tokens = [token for document in sentences for sentence in document for token in sentence]
    return tokens.count(MASKED) > _MASKED_SHARE * len(tokens)
