"""Files in columns, a token in each line: their text, their sentences and their brackets.

The readers of this folder are below ``cdec.formats``, which reads key and response files: that
reader follows the reference scorer in every detail, this one reads what published corpora hold
(``| `` with a blank, inner tokens with the bare label), and tells what it cannot read.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cdec.corpus.reading import HINT, Span
from cdec.corpus.source import Source
from cdec.errors import CorpusError

_EMPTY = frozenset({"-", "_", "*", ""})
_PIECE = re.compile(r"(\()?([^()|\s]+)(\))?|([()])")
_MOST_EMPTY = 1000  # sentences without a token between two with one: more are a wrong number
_DIGITS = 9  # of a sentence number: Python does not convert thousands of digits
MASKED = "___"
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


_BEGIN = re.compile(r"#begin document \(?(.+?)\)?;?(?:\s+part\s+([0-9]+))?\s*")


@dataclass
class Block:
    """The lines between ``#begin document (id)`` and ``#end document``, with their numbers."""

    file: str
    id: str
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)


def blocks_of(source: Source, file: str) -> Iterator[Block]:
    """Yield the documents of a file; a part other than 0 is in the id, as ``name; part 001``.

    Blank lines are kept. Raises CorpusError for a line outside of a document, and a document
    without an end.
    """
    block: Block | None = None
    for number, line in enumerate(text_of(source, file).split("\n"), start=1):
        begin = _BEGIN.fullmatch(line) if line.startswith("#begin") else None
        if begin and block is None:
            name = f"{begin[1]}; part {begin[2]}" if int(begin[2] or 0) else begin[1]
            block = Block(file, name, number)
        elif line.startswith("#end document") and block is not None:
            yield block
            block = None
        elif line.startswith(("#begin", "#end")) or (block is None and line.strip()):
            message = f"'{line[:60]}' is not where a document begins or ends"
            raise error("document-structure", file, number, message)
        elif block is not None:
            block.lines.append((number, line))
    if block is not None:
        message = f"the document '{block.id}' does not end"
        raise error("document-structure", file, block.line, message)


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
    return CorpusError(code, message, place=f"{file}:{line}", hint=hint)


def number(text: str, file: str, line: int) -> int:
    """Return the number in a column. Raises CorpusError for other text."""
    if text.isascii() and text.isdecimal() and len(text) <= _DIGITS:
        return int(text)
    raise error("document-invalid", file, line, f"'{text[:40]}' is not a sentence number")


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
            raise error("token-invalid", self.file, line, message)
        self.sentences.extend([] for _ in range(sentence - last))
        self.sentences[sentence].append(token)
        if cell.strip() not in _EMPTY:
            self.cells.append((self.size, line, cell))
        self.size += 1

    @property
    def text(self) -> tuple[tuple[str, ...], ...]:
        """The sentences, as a Document has them."""
        return tuple(map(tuple, self.sentences))

    def spans(self) -> list[Span]:
        """Return the mentions. Raises CorpusError for a cell without brackets, or unbalanced ones.

        A closing bracket ends the innermost open mention of its chain. A bare label is that of an
        inner token of an open mention, and adds nothing.
        """
        spans: list[Span] = []
        half: dict[str, list[tuple[int, int]]] = {}
        for token, line, cell in self.cells:
            pieces = self._pieces(line, cell)
            for label in [label for opens, label, _ in pieces if opens]:
                half.setdefault(label, []).append((token, line))
            for opens, label, closes in pieces:
                if not closes and (opens or half.get(label)):
                    continue
                if not half.get(label):
                    message = f"'{label}' is closed, or goes on, but is not open"
                    raise error("brackets-unbalanced", self.file, line, message)
                spans.append(Span(half[label].pop()[0], token, label))
        for label, places in half.items():
            for _, line in places:
                message = f"'({label}' opens a mention that is not closed in the document"
                raise error("brackets-unbalanced", self.file, line, message)
        return sorted(spans)

    def _pieces(self, line: int, cell: str) -> list[tuple[str, str, str]]:
        found = _PIECE.findall(cell)
        if any(rest for *_, rest in found) or not found:
            message = f"'{cell.strip()[:40]}' is not a coreference annotation"
            raise error("brackets-invalid", self.file, line, message)
        pieces = [(opens, label, closes) for opens, label, closes, _ in found]
        return [piece for piece in pieces if any((piece[0], piece[2])) or piece[1] not in _EMPTY]


def is_masked(sentences: Sequence[Sequence[Sequence[str]]]) -> bool:
    """Return whether most tokens of these documents are masked."""
    tokens = [token for document in sentences for sentence in document for token in sentence]
    return tokens.count(MASKED) > _MASKED_SHARE * len(tokens)
