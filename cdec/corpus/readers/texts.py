"""Documents as plain text, and mentions at their characters.

Places count Unicode characters of the text as it is in the file, from 0: CR LF is two, a byte-order
mark none. Sentences and tokens are by spaCy's rules for the language, without a model. A blank line
ends a sentence, so that a headline is one; a single line break does not.

A mention has ``from_char`` and ``to_char``, the first character and the one after the last, or
lists of these if it has a gap; ``text``, if given, must be what is there, but for white space and
the Unicode normal form. If it is not, offsets that count otherwise (``_READINGS``) are read so if
the texts of all mentions are there then. A mention whose offsets cut a token has the whole token.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from cdec.corpus.model import ENGLISH, Document, natural_key
from cdec.errors import CorpusError, FormatError, Notice, counted, notice, warn_of
from cdec.files.input import FileKind, TextFile, integer
from cdec.formats.fields import DOCUMENT, LEVEL_NAMES, named_rows
from cdec.formats.reading import COUNTS, TO_LAST, TO_NEXT

ENDING = ".txt"
BEGIN, END = "from_char", "to_char"
_KIND = FileKind("a text file", FormatError, "file-empty", "give a UTF-8 text file", 2**24)
_NEEDED = "a table of texts has the columns id and text, and may have topic, subtopic, date, "
_NEEDED += "language and url; mentions are in a table of their own"
_TABLE = FileKind("a table of texts", FormatError, "file-invalid", _NEEDED, 2**30)
_TEXTS = f"name a folder with plain text files ({ENDING}), or a table with the columns id and text"
_NAMES = {"id": DOCUMENT, "text": ("body", "content"), **LEVEL_NAMES}
_COUNTED = "count Unicode characters of the file from 0; to_char is the one after the last; "
_COUNTED += "columns start and end count tokens"
_OFFSETS = FileKind("a place in the text", CorpusError, "corpus-invalid", _COUNTED)
_LARGEST = 10**12
_CLEAR = 0.95  # of the mentions must fit another reading of the offsets
Row = dict[str, Any]
Pieces = tuple[tuple[int, int], ...]
Read = Callable[[str, Pieces], Pieces]


class TextDocument(NamedTuple):
    """A text with its sentences, and the place of each token.

    ``begin`` and ``end`` are the first character of each token and the one after its last.

    >>> document = text_document("", {"id": "a", "text": "A fire. It spread."})
    >>> document.sentences, document.begin, document.tokens_at(2, 8)
    ([['A', 'fire', '.'], ['It', 'spread', '.']], [0, 2, 6, 8, 11, 17], [1, 2])
    """

    id: str
    text: str
    sentences: list[list[str]]
    begin: list[int]
    end: list[int]

    def tokens_at(self, begin: int, end: int) -> list[int]:
        """Return the tokens that have one of these characters."""
        return [*range(bisect_right(self.end, begin), bisect_left(self.begin, end))]


def read_texts(path: Path, language: str = "") -> list[tuple[str, Row]]:
    """Return place and fields of the texts: the files ``*.txt`` of a folder and its folders.

    The id of a file is its path in the folder without the ending. Or a table (CSV, TSV, JSON Lines,
    a JSON list) has ``id`` and ``text``, and may have the other fields of a document. ``language``
    is that of documents which state none, English without it. Raises FormatError for a folder
    without such files, a row without text, and a file that is not UTF-8.
    """
    if path.is_file() and path.suffix.lower() != ENDING:
        rows = list(named_rows(TextFile(str(path), _TABLE.read_text(path)), _NAMES))
    else:
        files = files_in(path, ENDING, _TEXTS).items()
        rows = [(str(file), {"id": name, "text": _KIND.read_text(file)}) for name, file in files]
    for place, row in rows or [(str(path), {})]:
        if type(row.get("text")) is not str:
            raise _TABLE.refuse(place, "there is no text")
    # As in CSV, numbers are text.
    own = {"language": language} if language else {}
    return [
        (place, own | {n: str(v) if type(v) in (int, float) else v for n, v in row.items()})
        for place, row in rows
    ]


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


def text_document(place: str, row: Mapping[str, Any]) -> TextDocument:
    """Return the document of a row with ``id``, ``text`` and perhaps ``language``.

    Raises CorpusError for a text without words, and for a language of which spaCy has no rules.
    """
    id_, text, language = row.get("id"), row["text"], str(row.get("language", ""))
    if not isinstance(id_, str) or not isinstance(text, str) or "sentences" in row:
        message, hint = "expected id and text, two strings, and no sentences", "correct this row"
        raise CorpusError("corpus-invalid", message, place=place, hint=hint)
    if not any(map(str.isalnum, text)):
        raise CorpusError("file-empty", "no words in the text", place=place, hint="remove it")
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
    return TextDocument(id_, text, sentences, begin, end)


@lru_cache
def _rules(language: str) -> Any:
    import spacy  # noqa: PLC0415  takes a second

    nlp = spacy.blank(language)
    nlp.add_pipe("sentencizer")
    nlp.max_length = 2**30
    return nlp


# Mentions at characters.


class _Mention(NamedTuple):
    """The mention of a row: its pieces, and the text that the row gives."""

    place: str
    row: Row
    document: TextDocument
    pieces: Pieces
    text: str | None

    def at(self, pieces: Pieces) -> str:
        """Return the text at ``pieces``."""
        return " ".join(self.document.text[begin:end] for begin, end in pieces)

    def counted(self, read: Read) -> _Mention:
        """Return the mention with offsets that count otherwise; tokens stay as they are."""
        if BEGIN not in self.row:
            return self
        return self._replace(pieces=read(self.document.text, self.pieces))

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
    rows: list[Row], documents: Mapping[str, TextDocument], place: Callable[[int], str]
) -> None:
    """Give the rows of mentions ``tokens`` instead of ``text``, and warn of tokens that are cut.

    A row may have ``tokens`` instead of offsets, or those of its offsets. Raises CorpusError with
    the place of a row for a document that is not among ``documents``, and for offsets that are not
    in the text, or have another text or other tokens.
    """
    found = (_mention(place(n), row, documents) for n, row in enumerate(rows, start=1))
    placed = [mention for mention in found if mention is not None]
    problems = [mention.problem(mention.pieces) for mention in placed]
    wrong = [m for m, problem in zip(placed, problems, strict=True) if problem == "place"]
    count = _count_of_all(placed) if wrong else ""
    if count:
        placed = [mention.counted(_READINGS[count]) for mention in placed]
        problems = [mention.problem(mention.pieces) for mention in placed]
        wrong = []
        message = f"the offsets {count}, as the texts of {counted(len(placed), 'mention')} show"
        warn_of([Notice("reading-assumed", len(placed), message, (), warning=False)])
    for first in wrong[:1]:
        pieces = " and ".join(f"{begin} to {end}" for begin, end in first.pieces)
        wanted = "a word" if first.text is None else f"'{first.text[:60]}'"
        what = f"expected {wanted}, got '{first.at(first.pieces)[:60]}' at characters {pieces} of "
        what += f"document '{first.document.id}', which has {len(first.document.text):,}; "
        what += f"{len(wrong):,} of {len(placed):,} rows do not fit"
        hint = _explained(placed, "{}: ") + _COUNTED
        raise CorpusError("corpus-invalid", what, place=first.place, hint=hint)
    for mention in placed:
        row = mention.row
        row.pop("text", None)
        if BEGIN in row:
            at = sorted({t for piece in mention.pieces for t in mention.document.tokens_at(*piece)})
            given = row.setdefault("tokens", at)
            if type(given) is not list or sorted(map(str, given)) != sorted(map(str, at)):
                why = f"the tokens are {given!s:.40}, but those at the offsets {at!s:.40}"
                raise _OFFSETS.refuse(mention.place, why, "correct or remove one of them")
            # As numbers, however the row has them.
            begin, end = map(list, zip(*mention.pieces, strict=True))
            row |= {BEGIN: begin, END: end} if len(begin) > 1 else {BEGIN: begin[0], END: end[0]}
    if cut := [m.place for m, problem in zip(placed, problems, strict=True) if problem]:
        message = f"{len(cut):,} of {len(placed):,} mentions begin or end inside a token, and have "
        message += f"all of it{_explained(placed, '; {}')}"
        warn_of([notice("reading-assumed", message, cut)])


def _mention(place: str, row: Row, documents: Mapping[str, TextDocument]) -> _Mention | None:
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
        return _Mention(place, row, document, pieces, text)
    tokens, size = row.get("tokens"), 0 if document is None else len(document.begin)
    known = type(tokens) is list and all(type(t) is int and 0 <= t < size for t in tokens)
    if document is None or not isinstance(tokens, list) or not known:
        return None
    pieces = tuple((document.begin[token], document.end[token]) for token in tokens)
    return _Mention(place, row, document, pieces, text)


def _integers(value: Any, name: str, place: str) -> list[int]:
    """Return the integers of a field: a number, a list, or text such as ``5`` and ``5 12``."""
    items = value.replace(";", " ").split() if isinstance(value, str) else value
    items = items if isinstance(items, list) else [items]
    numbers = [integer(i.removesuffix(".0"), 15) if isinstance(i, str) else i for i in items]
    whole = all(type(n) in (int, float) and 0 <= n < _LARGEST and n == int(n) for n in numbers)
    if not numbers or not whole:
        raise _OFFSETS.refuse(place, f"'{name}' is {value!r:.40}, not a whole number")
    return list(map(int, numbers))


def _count_of_all(placed: list[_Mention]) -> str:
    """Return the only reading under which the texts of all mentions are at their places, or ''.

    Mentions without a text are no evidence.
    """
    if all(mention.text is None for mention in placed):
        return ""
    fits = dict[tuple[Pieces, ...], str]()
    for name, read in _READINGS.items():
        mentions = [mention.counted(read) for mention in placed]
        if not any(mention.problem(mention.pieces) == "place" for mention in mentions):
            fits.setdefault(tuple(mention.pieces for mention in mentions), name)
    return next(iter(fits.values())) if len(fits) == 1 else ""


def _explained(placed: list[_Mention], form: str) -> str:
    """Return what the offsets seem to count, '' if no reading fits much better."""
    fits = {}
    for name, read in _READINGS.items():
        found = [(m, m.problem(read(m.document.text, m.pieces))) for m in placed]
        # A given text confirms a place, also inside a token.
        fits[name] = sum(f == "" or (f == "cut" and m.text is not None) for m, f in found)
    best = max(fits, key=fits.__getitem__)
    if not best or fits[best] < _CLEAR * len(placed):
        return ""
    fit = f"{fits[best]:,} of {len(placed):,} mentions fit then"
    return form.format(f"the offsets {best} ({fit})")


def _reading(size: Callable[[str, str], int] = lambda *_: 1, count: str = TO_NEXT) -> Read:
    """Return the reading in units of which a character (with this one after it) has ``size``.

    ``count`` is one of ``reading.COUNTS``. An offset inside a character is read as −1.
    """
    begin, end = COUNTS[count]
    end -= COUNTS[TO_NEXT][1]  # pieces have the character after the last

    @lru_cache(maxsize=64)
    def places(text: str) -> dict[int, int]:
        starts = [*accumulate(map(size, text, f"{text[1:]} "), initial=0)]
        return dict(zip(reversed(starts), range(len(text), -1, -1), strict=True))

    def read(text: str, pieces: Pieces) -> Pieces:
        at = places(text)
        return tuple((at.get(a + begin, -1), at.get(b + end, -1)) for a, b in pieces)

    return read


_FROM_1 = "are all one too large: they count from 1, or count a byte-order mark"
# What offsets may count → the reading: the pieces that are then meant.
_READINGS = {
    "": _reading(),
    "count UTF-16 code units, as Java and JavaScript do": _reading(lambda c, _: 1 + (c > "\uffff")),
    "count bytes of UTF-8": _reading(lambda c, _: len(c.encode("utf-8", "surrogatepass"))),
    "count CR LF as one character": _reading(lambda c, after: c + after != "\r\n"),
    _FROM_1: _reading(count="from 1 to the next"),
    "have the last character as to_char, not the one after it": _reading(count=TO_LAST),
    "count from 1 and have the last character as to_char": _reading(count="from 1 to the last"),
}
