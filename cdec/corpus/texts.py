"""Documents as plain text: from files, with the place of each token in the text.

Places count Unicode characters of the text as it is in the file, from 0: CR LF is two, a byte-order
mark none. Sentences and tokens are by spaCy's rules for the language, without a model. A blank line
ends a sentence, so that a headline is one; a single line break does not.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cdec.arrays import Ints
from cdec.corpus.model import ENGLISH, Document, natural_key
from cdec.errors import CorpusError, FormatError
from cdec.files.input import FileKind, Source
from cdec.files.progress import notebook
from cdec.formats.layouts import DOCUMENT, LEVEL_NAMES, named_rows

ENDING = ".txt"
_LARGEST = 2**24
_KIND = FileKind("a text file", FormatError, "file-empty", "give a UTF-8 text file", _LARGEST)
_NEEDED = "a table of texts has the columns id and text, and may have topic, subtopic, date, "
_NEEDED += "language and url"
_MENTIONS = "this seems to be the table of mentions: give TEXTS first, and it with --mentions"
_TABLE = FileKind("a table of texts", FormatError, "table-invalid", _NEEDED, 2**30)
_OF_SENTENCES = ("sentences", "lengths", "text_start", "reviewed")  # those of the text are ours
_NAMES = {
    "id": DOCUMENT,
    "text": ("body", "content"),
    **LEVEL_NAMES,
}


@dataclass(frozen=True, eq=False)
class TextDocument:
    """A document with its text, its sentences, and the place of each token in the text.

    ``begin`` and ``end`` are the first character of each token and the one after its last;
    ``facts`` are topic, subtopic, date and others, as in a document of ``docs/interchange.md``.

    >>> document = text_document("", {"id": "a", "text": "A fire. It spread."})
    >>> document.sentences, document.begin.tolist(), document.tokens_at(2, 8)
    ((('A', 'fire', '.'), ('It', 'spread', '.')), [0, 2, 6, 8, 11, 17], (1, 2))
    """

    id: str
    text: str = field(repr=False)
    facts: Mapping[str, Any] = field(repr=False)
    sentences: tuple[tuple[str, ...], ...] = field(repr=False)
    begin: Ints = field(repr=False)
    end: Ints = field(repr=False)
    place: str = ""

    def tokens_at(self, begin: int, end: int) -> tuple[int, ...]:
        """Return the tokens that have one of these characters."""
        first = bisect_right(self.end, begin)
        return tuple(range(first, bisect_left(self.begin, end)))

    @property
    def record(self) -> dict[str, Any]:
        """The fields of the document, with its sentences."""
        return {**self.facts, "id": self.id, "sentences": [list(s) for s in self.sentences]}


def read_texts(path: Path, language: str = "") -> dict[str, TextDocument]:
    """Return the documents in the files ``*.txt`` of a folder and its folders, or in a table.

    The id of a file is its path in the folder without the ending. A table (CSV, TSV, JSON Lines, a
    JSON list) has ``id`` and ``text``, and may have the other fields of a document. ``language`` is
    that of documents which state none, English without it. Raises FormatError for a folder without
    such files, and for a text that is not UTF-8 or has no words.
    """
    tabular = path.is_file() and path.suffix.lower() != ENDING
    rows = _of_table(path) if tabular else _of_folder(path)
    texts: dict[str, TextDocument] = {}
    for place, row in notebook()(rows, len(rows), "splitting into sentences"):
        document = text_document(place, {"language": language, **row} if language else row)
        if texts.setdefault(document.id, document) is not document:
            first = texts[document.id].place
            why = f"duplicate document '{document.id}', first in {first}"
            raise _TABLE.refuse(place, why, "keep one")
    return texts


def _of_table(path: Path) -> list[tuple[str, dict[str, Any]]]:
    rows = list(named_rows(Source(str(path), _TABLE.read_text(path)), _NAMES))
    if not rows:
        raise _TABLE.refuse(path, "it has no rows")
    return [(place, _as_in_csv(row)) for place, row in rows]


def _as_in_csv(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with text for the numbers of JSON, but in the text of the document."""
    numbers = {n: str(v) for n, v in row.items() if n != "text" and type(v) in (int, float)}
    return {**row, **numbers}


def _of_folder(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    if not folder.is_dir():
        what = "expected a folder, got a file" if folder.exists() else "the folder does not exist"
        hint = f"name a folder with {ENDING} files, or a table with the columns id and text"
        raise FormatError("corpus-empty", what, place=folder, hint=hint)
    paths = files_in(folder, ENDING, f"put plain text files with the ending {ENDING} there")
    return [(str(p), {"id": name_in(folder, p), "text": _KIND.read_text(p)}) for p in paths]


def files_in(folder: Path, ending: str, hint: str) -> list[Path]:
    """Return the files with an ending in a folder and its folders, in natural order.

    Hidden ones, as macOS leaves one for each file, are left out. Raises FormatError without any.
    """
    visible = (p for p in folder.rglob(f"*{ending}") if p.is_file() and not p.name.startswith("."))
    paths = sorted(visible, key=lambda path: natural_key(path.relative_to(folder).as_posix()))
    if not paths:
        raise FormatError("corpus-empty", f"no {ending} file", place=folder, hint=hint)
    return paths


def name_in(folder: Path, path: Path) -> str:
    """Return the document id of a file: its path in the folder without the ending."""
    return path.relative_to(folder).with_suffix("").as_posix()


def text_document(place: str, row: Mapping[str, Any], kind: FileKind = _TABLE) -> TextDocument:
    """Return the document of a row with ``id``, ``text`` and facts. Raises the error of ``kind``.

    The facts are checked with the record of the document.
    """
    id_, text = row.get("id"), row.get("text")
    missing = next((name for name in ("id", "text") if name not in row), None)
    if missing or not isinstance(id_, str) or not isinstance(text, str):
        wrong = "text" if isinstance(id_, str) else "id"
        why = f"the row has no '{missing}'" if missing else f"'{wrong}' is not a string"
        swapped = "from_char" in row or "chain" in row
        raise kind.refuse(place, why, _MENTIONS if swapped else None)
    taken = next((name for name in _OF_SENTENCES if name in row), None)
    if taken:
        raise kind.refuse(place, f"'text' and '{taken}' in one row", "remove or rename one of them")
    if not any(map(str.isalnum, text)):
        raise kind.error("file-empty", "no words in the text", place=place, hint="remove it")
    facts = {name: value for name, value in row.items() if name not in ("id", "text")}
    sentences, begin, end = _split(text, str(facts.get("language", "")), place)
    return TextDocument(id_, text, facts, sentences, begin, end, place)


def _split(text: str, language: str, place: str) -> tuple[tuple[tuple[str, ...], ...], Ints, Ints]:
    """Return the sentences, and the places of all tokens."""
    code = Document("", "", "", (), attributes={"language": language}).language
    sentences: list[list[str]] = []
    begin, end = [], []
    at_start = True
    for token in _pipeline(code, place)(text):
        at_start |= bool(token.is_sent_start)
        if token.is_space:
            at_start |= token.text.count("\n") > 1
            continue
        if at_start:
            sentences.append([])
        at_start = False
        sentences[-1].append(token.text)
        begin.append(token.idx)
        end.append(token.idx + len(token.text))
    return tuple(map(tuple, sentences)), np.array(begin, np.int64), np.array(end, np.int64)


def _pipeline(language: str, place: str) -> Any:
    try:
        return _blank(language)
    except ImportError as error:
        message = f"spaCy has no tokeniser for the language '{language}': {error}"
        hint = f"install what it needs, or correct the code: {ENGLISH}, de, …; xx fits any language"
        raise CorpusError("package-missing", message, place=place, hint=hint) from None


@lru_cache
def _blank(language: str) -> Any:
    import spacy  # noqa: PLC0415  takes a second

    nlp = spacy.blank(language)
    nlp.add_pipe("sentencizer")
    nlp.max_length = 2**30
    return nlp
