"""Documents as plain text, and mentions at their characters.

Places count Unicode characters of the text as it is in the file, from 0: CR LF is two, a byte-order
mark none. Sentences and tokens are by spaCy's rules for the language, without a model. A blank line
ends a sentence, so that a headline is one; a single line break does not.

A mention has ``from_char`` and ``to_char``, the first character and the one after the last, or
lists of these if it has a gap; ``text``, if given, must be what is there, but for white space and
the Unicode normal form. A mention whose offsets cut a token has the whole token.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np

from cdec.arrays import Ints
from cdec.corpus.model import ENGLISH, Document, natural_key
from cdec.errors import CorpusError, FormatError, Notice, notice
from cdec.files.input import FileKind, TextFile, integer
from cdec.files.progress import notebook
from cdec.formats.fields import DOCUMENT, LEVEL_NAMES, named_rows

ENDING = ".txt"
BEGIN, END = "from_char", "to_char"
_KIND = FileKind("a text file", FormatError, "file-empty", "give a UTF-8 text file", 2**24)
_NEEDED = "a table of texts has the columns id and text, and may have topic, subtopic, date, "
_NEEDED += "language and url"
_MENTIONS = "this seems to be the table of mentions: give TEXTS first, and it with --mentions"
_TABLE = FileKind("a table of texts", FormatError, "file-invalid", _NEEDED, 2**30)
_TEXTS = f"name a folder with plain text files ({ENDING}), or a table with the columns id and text"
_OF_SENTENCES = ("sentences", "lengths", "text_start", "reviewed")  # those of the text are ours
_NAMES = {"id": DOCUMENT, "text": ("body", "content"), **LEVEL_NAMES}
_COUNTED = "count Unicode characters of the file from 0; to_char is the one after the last; "
_COUNTED += "columns start and end count tokens"
_OFFSETS = FileKind("a place in the text", CorpusError, "corpus-invalid", _COUNTED)
_LARGEST = 10**12
_CLEAR = 0.95  # of the mentions must fit another reading of the offsets
Pieces = tuple[tuple[int, int], ...]
Place = Callable[[int], str]
Count = Callable[[str, int], int]  # text, offset → character


@dataclass(frozen=True, eq=False, repr=False)
class TextDocument:
    """A document with its text, its sentences, and the place of each token in the text.

    ``begin`` and ``end`` are the first character of each token and the one after its last;
    ``facts`` are topic, subtopic, date and others, as in a document of ``docs/interchange.md``.

    >>> document = text_document("", {"id": "a", "text": "A fire. It spread."})
    >>> document.sentences, document.begin.tolist(), document.tokens_at(2, 8)
    ((('A', 'fire', '.'), ('It', 'spread', '.')), [0, 2, 6, 8, 11, 17], (1, 2))
    """

    id: str
    text: str
    facts: Mapping[str, Any]
    sentences: tuple[tuple[str, ...], ...]
    begin: Ints
    end: Ints
    place: str = ""

    def tokens_at(self, begin: int, end: int) -> tuple[int, ...]:
        """Return the tokens that have one of these characters."""
        return tuple(range(bisect_right(self.end, begin), bisect_left(self.begin, end)))

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
    if path.is_file() and path.suffix.lower() != ENDING:
        rows = list(named_rows(TextFile(str(path), _TABLE.read_text(path)), _NAMES))
    else:
        files = files_in(path, ENDING, _TEXTS).items()
        rows = [(str(file), {"id": name, "text": _KIND.read_text(file)}) for name, file in files]
    if not rows:
        raise _TABLE.refuse(path, "it has no rows")
    texts: dict[str, TextDocument] = {}
    for place, row in notebook()(rows, len(rows), "splitting into sentences"):
        # As in CSV, numbers are text, but in the text of the document.
        numbers = {n: str(v) for n, v in row.items() if n != "text" and type(v) in (int, float)}
        own = {"language": language} if language else {}
        document = text_document(place, {**own, **row, **numbers})
        if texts.setdefault(document.id, document) is not document:
            first = texts[document.id].place
            why = f"duplicate document '{document.id}', first in {first}"
            raise _TABLE.refuse(place, why, "keep one")
    return texts


def files_in(folder: Path, ending: str, hint: str) -> dict[str, Path]:
    """Return the files with an ending in a folder and its folders, in natural order.

    The name of each is its path in the folder without the ending. Hidden ones, as macOS leaves one
    for each file, are left out. Raises FormatError without any.
    """
    visible = (p for p in folder.rglob(f"*{ending}") if p.is_file() and not p.name.startswith("."))
    named = {path.relative_to(folder).with_suffix("").as_posix(): path for path in visible}
    if not named:
        message = f"no folder with {ending} files"
        raise FormatError("corpus-invalid", message, place=folder, hint=hint)
    return {name: named[name] for name in sorted(named, key=natural_key)}


def text_document(place: str, row: Mapping[str, Any], kind: FileKind = _TABLE) -> TextDocument:
    """Return the document of a row with ``id``, ``text`` and facts. Raises the error of ``kind``.

    The facts are checked with the record of the document.
    """
    id_, text = row.get("id"), row.get("text")
    if not isinstance(id_, str) or not isinstance(text, str):
        wrong = "text" if isinstance(id_, str) else "id"
        hint = _MENTIONS if BEGIN in row or "chain" in row else None
        raise kind.refuse(place, f"'{wrong}' is missing, or not a string", hint)
    taken = next((name for name in _OF_SENTENCES if name in row), None)
    if taken:
        raise kind.refuse(place, f"'text' and '{taken}' in one row", "remove or rename one of them")
    if not any(map(str.isalnum, text)):
        raise kind.error("file-empty", "no words in the text", place=place, hint="remove it")
    facts = {name: value for name, value in row.items() if name not in ("id", "text")}
    language = str(facts.get("language", ""))
    try:
        nlp = _rules(Document("", "", "", (), attributes={"language": language}).language)
    except ImportError as error:
        message = f"spaCy has no tokeniser for the language '{language}': {error}"
        hint = f"install what it needs, or correct the code: {ENGLISH}, de, …; xx fits any language"
        raise CorpusError("package-missing", message, place=place, hint=hint) from None
    sentences: list[list[str]] = []
    begin, end, at_start = [], [], True
    for token in nlp(text):
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
    first, last = np.array(begin, np.int64), np.array(end, np.int64)
    return TextDocument(id_, text, facts, tuple(map(tuple, sentences)), first, last, place)


@lru_cache
def _rules(language: str) -> Any:
    import spacy  # noqa: PLC0415  takes a second

    nlp = spacy.blank(language)
    nlp.add_pipe("sentencizer")
    nlp.max_length = 2**30
    return nlp


# Mentions at characters.


class _Mention(NamedTuple):
    """The mention of a row (from 1): its pieces, and the text that the row gives."""

    row: int
    document: TextDocument
    pieces: Pieces
    text: str | None

    def at(self, pieces: Pieces) -> str:
        """Return the text at ``pieces``."""
        return " ".join(self.document.text[begin:end] for begin, end in pieces)

    def problem(self, pieces: Pieces) -> str:
        """Return what is wrong with the mention at ``pieces``: 'place', 'cut', or ''.

        At its place a mention has the given text; without one, a token in each piece. A cut mention
        begins or ends inside a token.
        """
        doc = self.document
        if not all(0 <= begin < end <= len(doc.text) for begin, end in pieces):
            return "place"
        tokens = [doc.tokens_at(*piece) for piece in pieces]
        texts = {"".join(normalize("NFC", t).split()) for t in (self.text or "", self.at(pieces))}
        if not all(tokens) if self.text is None else len(texts) > 1:
            return "place"
        found = [(own, *piece) for own, piece in zip(tokens, pieces, strict=True) if own]
        cut = any(doc.begin[own[0]] < begin or doc.end[own[-1]] > end for own, begin, end in found)
        return "cut" if cut else ""


def with_tokens(
    rows: list[dict[str, Any]], documents: Mapping[str, TextDocument], place: Place
) -> tuple[list[dict[str, Any]], list[Notice]]:
    """Return the rows with ``tokens`` instead of ``text``, and a notice of tokens that are cut.

    A row may have ``tokens`` instead of offsets, or those of its offsets. Raises CorpusError with
    the place of a row for a document that is not among ``documents``, and for offsets that are not
    in the text, or have another text or other tokens.
    """
    mentions = [_mention(n, row, documents, place(n)) for n, row in enumerate(rows, start=1)]
    placed = [mention for mention in mentions if mention is not None]
    problems = [mention.problem(mention.pieces) for mention in placed]
    wrong = [m for m, problem in zip(placed, problems, strict=True) if problem == "place"]
    for first in wrong[:1]:
        pieces = " and ".join(f"{begin} to {end}" for begin, end in first.pieces)
        wanted = "a word" if first.text is None else f"'{first.text[:60]}'"
        what = f"expected {wanted}, got '{first.at(first.pieces)[:60]}' at characters {pieces} of "
        what += f"document '{first.document.id}', which has {len(first.document.text):,}; "
        what += f"{len(wrong):,} of {len(placed):,} rows do not fit"
        hint = _explained(placed, "{}: ") + _COUNTED
        raise CorpusError("corpus-invalid", what, place=place(first.row), hint=hint)
    for mention in placed:
        row = rows[mention.row - 1]
        row.pop("text", None)
        if BEGIN in row:
            found = sorted({t for at in mention.pieces for t in mention.document.tokens_at(*at)})
            given = row.setdefault("tokens", found)
            if type(given) is not list or sorted(map(str, given)) != sorted(map(str, found)):
                why = f"the tokens are {given!s:.40}, but those at the offsets {found!s:.40}"
                raise _OFFSETS.refuse(place(mention.row), why, "correct or remove one of them")
            # As numbers, however the row has them.
            begin, end = map(list, zip(*mention.pieces, strict=True))
            row |= {BEGIN: begin, END: end} if len(begin) > 1 else {BEGIN: begin[0], END: end[0]}
    cut = [place(m.row) for m, problem in zip(placed, problems, strict=True) if problem]
    if not cut:
        return rows, []
    message = f"{len(cut):,} of {len(placed):,} mentions begin or end inside a token, and have all "
    return rows, [notice("reading-assumed", f"{message}of it{_explained(placed, '; {}')}", cut)]


def _mention(
    number: int, row: Mapping[str, Any], documents: Mapping[str, TextDocument], place: str
) -> _Mention | None:
    """Return the mention of a row; None if the row has no place, which is refused later."""
    document = documents.get(str(row.get("doc", "")))
    text = row["text"] if isinstance(row.get("text"), str) else None
    if BEGIN in row or END in row:
        if document is None:
            message = f"document '{row.get('doc', '')}' of the mention is not among the texts"
            hint = f"their ids are such as {', '.join(list(documents)[:3])}"
            raise CorpusError("corpus-invalid", message, place=place, hint=hint)
        begin, end = (_integers(row.get(name), name, place) for name in (BEGIN, END))
        pieces = tuple(zip(begin, end, strict=False))
        if len(begin) != len(end) or any(b < a for (_, a), (b, _) in pairwise(sorted(pieces))):
            why = f"{BEGIN} {str(begin)[:40]} and {END} {str(end)[:40]} are not pieces of a text"
            raise _OFFSETS.refuse(place, why)
        return _Mention(number, document, pieces, text)
    tokens, size = row.get("tokens"), 0 if document is None else len(document.begin)
    known = type(tokens) is list and all(type(t) is int and 0 <= t < size for t in tokens)
    if document is None or not isinstance(tokens, list) or not known:
        return None
    places = ((int(document.begin[token]), int(document.end[token])) for token in tokens)
    return _Mention(number, document, tuple(places), text)


def _integers(value: Any, name: str, place: str) -> list[int]:
    """Return the integers of a field: a number, a list, or text such as ``5`` and ``5 12``."""
    items = value.replace(";", " ").split() if isinstance(value, str) else value
    items = items if isinstance(items, list) else [items]
    numbers = [integer(i.removesuffix(".0"), 15) if isinstance(i, str) else i for i in items]
    whole = all(type(n) in (int, float) and 0 <= n < _LARGEST and n == int(n) for n in numbers)
    if not numbers or not whole:
        raise _OFFSETS.refuse(place, f"'{name}' is {value!r:.40}, not a whole number")
    return list(map(int, numbers))


def _explained(placed: list[_Mention], form: str) -> str:
    """Return what the offsets seem to count, '' if no reading fits much better."""
    counts = {}
    for name, (first, last) in {"": _AS_GIVEN, **_READINGS}.items():
        read = [
            tuple((first(one.document.text, a), last(one.document.text, b)) for a, b in one.pieces)
            for one in placed
        ]
        found = [one.problem(pieces) for one, pieces in zip(placed, read, strict=True)]
        # A given text confirms a place, also inside a token.
        fits = (
            f == "" or (f == "cut" and m.text is not None)
            for m, f in zip(placed, found, strict=True)
        )
        counts[name] = sum(fits)
    best = max(counts, key=lambda name: counts[name])
    if not best or counts[best] < _CLEAR * len(placed):
        return ""
    fit = f"{counts[best]:,} of {len(placed):,} mentions fit then"
    return form.format(f"the offsets {best} ({fit})")


def _units(size: Callable[[str, str], int]) -> tuple[Count, Count]:
    """Return the reading in units of which a character (with this one after it) has ``size``.

    An offset inside a character is read as −1.
    """

    @lru_cache(maxsize=64)
    def places(text: str) -> dict[int, int]:
        starts = [*accumulate(map(size, text, f"{text[1:]} "), initial=0)]
        return dict(zip(reversed(starts), range(len(text), -1, -1), strict=True))

    def count(text: str, at: int) -> int:
        return places(text).get(at, -1)

    return count, count


def _moved(by: int) -> Count:
    return lambda _, at: at + by


_AS_GIVEN = _moved(0), _moved(0)
# What offsets may count → the first character, and the one after the last, that are then meant.
_READINGS: Mapping[str, tuple[Count, Count]] = {
    "count UTF-16 code units, as Java and JavaScript do": _units(lambda c, _: 1 + (c > "\uffff")),
    "count bytes of UTF-8": _units(lambda c, _: len(c.encode("utf-8", "surrogatepass"))),
    "count CR LF as one character": _units(lambda c, after: c + after != "\r\n"),
    "are all one too large: they count from 1, or count a byte-order mark": (
        _moved(-1),
        _moved(-1),
    ),
    "have the last character as to_char, not the one after it": (_moved(0), _moved(1)),
    "count from 1 and have the last character as to_char": (_moved(-1), _moved(0)),
}
