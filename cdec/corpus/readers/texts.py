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
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from cdec.corpus.model import ENGLISH, Document, natural_key
from cdec.errors import CorpusError, FormatError, Notice, counted, notice, warn_of
from cdec.files.input import FileKind, TextFile, integer
from cdec.formats.fields import DOCUMENT, LEVEL_NAMES, named_rows, whole
from cdec.formats.reading import COUNTS, TO_LAST, TO_NEXT
from cdec.records import Fields, Row

ENDING = ".txt"
BEGIN, END = "from_char", "to_char"
_KIND = FileKind(
    "a text file", FormatError, "file-empty", "give a UTF-8 text file", 2**24
)
_NEEDED = (
    "a table of texts has the columns id and text, and may have topic, subtopic, date, "
    "language and url; mentions are in a table of their own"
)
_TABLE = FileKind("a table of texts", FormatError, "file-invalid", _NEEDED, 2**30)
_TEXTS = f"name a folder with plain text files ({ENDING}), or a table with the columns id and text"
_NAMES = {"id": DOCUMENT, "text": ("body", "content"), **LEVEL_NAMES}
_COUNTED = (
    "count Unicode characters of the file from 0; to_char is the one after the last; "
    "columns start and end count tokens"
)
_OFFSETS = FileKind("a place in the text", CorpusError, "corpus-invalid", _COUNTED)
_LARGEST = 10**12
_CLEAR = 0.95  # of the mentions must fit another reading of the offsets
Pieces = tuple[tuple[int, int], ...]


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


def read_texts(path: Path, language: str) -> list[tuple[str, Row]]:
    """Return place and fields of the texts: the files ``*.txt`` of a folder and its folders.

    The id of a file is its path in the folder without the ending. Or a table (CSV, TSV, JSON Lines,
    a JSON list) has ``id`` and ``text``, and may have the other fields of a document. ``language``
    is that of documents which state none, English without it. Raises FormatError for a folder
    without such files, a row without text, and a file that is not UTF-8.
    """
    if path.is_file() and path.suffix.lower() != ENDING:
        rows = list(named_rows(TextFile(str(path), _TABLE.read_text(path)), _NAMES))
    else:
        rows = [
            (str(file), {"id": name, "text": _KIND.read_text(file)})
            for name, file in files_in(path, ENDING, _TEXTS).items()
        ]
    if not rows:
        raise _TABLE.refuse(str(path), "there is no text")
    documents = []
    for place, row in rows:
        if type(row.get("text")) is not str:
            raise _TABLE.refuse(place, "there is no text")
        document: Row = {"language": language} if language else {}
        for name, value in row.items():
            # As in CSV, numbers are text.
            document[name] = str(value) if type(value) in (int, float) else value
        documents.append((place, document))
    return documents


def files_in(folder: Path, ending: str, hint: str) -> dict[str, Path]:
    """Return the files with an ending in a folder and its folders, in natural order.

    The name of each is its path in the folder without the ending. Hidden ones, as macOS leaves one
    for each file, are left out. Raises FormatError without any.
    """
    names = {}
    for path in folder.rglob(f"*{ending}"):
        if path.is_file() and not path.name.startswith("."):
            names[path.relative_to(folder).with_suffix("").as_posix()] = path
    if not names:
        raise FormatError(
            "corpus-invalid", f"no folder with {ending} files", place=folder, hint=hint
        )
    return {name: names[name] for name in sorted(names, key=natural_key)}


def text_document(place: str, row: Fields) -> TextDocument:
    """Return the document of a row with ``id``, ``text`` and perhaps ``language``.

    Raises CorpusError for a text without words, and for a language of which spaCy has no rules.
    """
    id_ = row.get("id")
    text = row["text"]
    language = str(row.get("language", ""))
    if not isinstance(id_, str) or not isinstance(text, str) or "sentences" in row:
        raise CorpusError(
            "corpus-invalid",
            "expected id and text, two strings, and no sentences",
            place=place,
            hint="correct this row",
        )
    if not any(map(str.isalnum, text)):
        raise CorpusError(
            "file-empty", "no words in the text", place=place, hint="remove it"
        )
    try:
        nlp = _rules(
            Document("", "", "", (), attributes={"language": language}).language
        )
    except ImportError as error:
        raise CorpusError(
            "package-missing",
            f"spaCy has no tokeniser for the language '{language}': {error}",
            place=place,
            hint=f"install what it needs, or correct the code: {ENGLISH}, de, …; xx fits any "
            "language",
        ) from None
    sentences: list[list[str]] = []
    begin = []
    end = []
    is_first = True  # token of a sentence
    for token in nlp(text):
        if token.is_sent_start:
            is_first = True
        if token.is_space:
            if token.text.count("\n") > 1:
                is_first = True
            continue
        if is_first:
            sentences.append([])
            is_first = False
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

    @property
    def text_in_document(self) -> str:
        return " ".join(self.document.text[begin:end] for begin, end in self.pieces)

    @property
    def tokens(self) -> list[list[int]]:
        """The tokens of each piece."""
        return [self.document.tokens_at(begin, end) for begin, end in self.pieces]

    @property
    def is_at_place(self) -> bool:
        """Whether the given text is at the place; without one, a token in each piece."""
        size = len(self.document.text)
        if not all(0 <= begin < end <= size for begin, end in self.pieces):
            return False
        if self.text is None:
            return all(self.tokens)
        return _letters(self.text) == _letters(self.text_in_document)

    @property
    def is_cut(self) -> bool:
        """Whether the mention begins or ends inside a token."""
        for (begin, end), tokens in zip(self.pieces, self.tokens, strict=True):
            if tokens and self.document.begin[tokens[0]] < begin:
                return True
            if tokens and self.document.end[tokens[-1]] > end:
                return True
        return False


def _letters(text: str) -> str:
    return "".join(normalize("NFC", text).split())


def with_tokens(
    rows: Sequence[Row], documents: Mapping[str, TextDocument], places: Sequence[str]
) -> None:
    """Give the rows of mentions ``tokens`` instead of ``text``, and warn of tokens that are cut.

    A row without offsets stays as it is; with them, it may have their ``tokens``, too. Raises
    CorpusError with the place of a row for a document that is not among ``documents``, and for
    offsets that are not in the text, or have another text or other tokens.
    """
    mentions = [
        _mention(place, row, documents)
        for place, row in zip(places, rows, strict=True)
        if BEGIN in row or END in row
    ]
    misplaced = [mention for mention in mentions if not mention.is_at_place]
    if misplaced:
        solutions = _solutions(mentions)
        if len(solutions) != 1:
            first = misplaced[0]
            pieces = " and ".join(f"{begin} to {end}" for begin, end in first.pieces)
            expected = "a word" if first.text is None else f"'{first.text[:60]}'"
            raise CorpusError(
                "corpus-invalid",
                f"expected {expected}, got '{first.text_in_document[:60]}' at characters {pieces} "
                f"of document '{first.document.id}', which has {len(first.document.text):,}; "
                f"{len(misplaced):,} of {len(mentions):,} rows do not fit",
                place=first.place,
                hint=_explained(mentions, "{}: ") + _COUNTED,
            )
        ((count, mentions),) = solutions.items()
        message = f"the offsets {count}, as the texts of {counted(len(mentions), 'mention')} show"
        warn_of([Notice("reading-assumed", len(mentions), message, (), warning=False)])
    for mention in mentions:
        _set_tokens(mention)
    cut = [mention.place for mention in mentions if mention.is_cut]
    if cut:
        message = (
            f"{len(cut):,} of {len(mentions):,} mentions begin or end inside a token, and "
            f"have all of it{_explained(mentions, '; {}')}"
        )
        warn_of([notice("reading-assumed", message, cut)])


def _set_tokens(mention: _Mention) -> None:
    """Give the row of a mention the tokens of its offsets, which must be those that it has."""
    row = mention.row
    row.pop("text", None)
    at_offsets = sorted({*chain.from_iterable(mention.tokens)})
    tokens = row.setdefault("tokens", at_offsets)
    is_list = type(tokens) is list
    if not is_list or sorted(map(str, tokens)) != sorted(map(str, at_offsets)):
        raise _OFFSETS.refuse(
            mention.place,
            f"the tokens are {tokens!s:.40}, but those at the offsets {at_offsets!s:.40}",
            "correct or remove one of them",
        )
    # As numbers, however the row has them.
    for name, numbers in zip(
        (BEGIN, END), zip(*mention.pieces, strict=True), strict=True
    ):
        row[name] = [*numbers] if len(numbers) > 1 else numbers[0]


def _mention(place: str, row: Row, documents: Mapping[str, TextDocument]) -> _Mention:
    """Return the mention of a row with offsets."""
    doc = str(row.get("doc", ""))
    document = documents.get(doc)
    if document is None:
        raise CorpusError(
            "corpus-invalid",
            f"document '{doc}' of the mention is not among the texts",
            place=place,
            hint=f"their ids are such as {', '.join(list(documents)[:3])}",
        )
    begins = _integers(row.get(BEGIN), BEGIN, place)
    ends = _integers(row.get(END), END, place)
    pieces = tuple(zip(begins, ends, strict=False))
    overlap = any(begin < end for (_, end), (begin, _) in pairwise(sorted(pieces)))
    if len(begins) != len(ends) or overlap:
        raise _OFFSETS.refuse(
            place,
            f"{BEGIN} {str(begins)[:40]} and {END} {str(ends)[:40]} are not pieces of a text",
        )
    text = row["text"] if isinstance(row.get("text"), str) else None
    return _Mention(place, row, document, pieces, text)


def _integers(value: Any, name: str, place: str) -> list[int]:
    """Return the integers of a field: a number, a list, or text such as ``5`` and ``5 12``."""
    items = value
    if isinstance(value, str):
        items = value.replace(";", " ").split()
    elif not isinstance(value, list):
        items = [value]
    numbers = [
        integer(item.removesuffix(".0"), 15) if isinstance(item, str) else whole(item)
        for item in items
    ]
    are_valid = [type(number) is int and 0 <= number < _LARGEST for number in numbers]
    if not numbers or not all(are_valid):
        raise _OFFSETS.refuse(place, f"'{name}' is {value!r:.40}, not a whole number")
    return numbers


# What offsets may count.


def _characters(_: str, __: str) -> int:
    return 1


# What the offsets do → the number of units in a character, before another one, and how they count.
_READINGS: dict[str, tuple[Callable[[str, str], int], str]] = {
    "": (_characters, TO_NEXT),
    "count UTF-16 code units, as Java and JavaScript do": (
        lambda sign, _: 1 + (sign > "\uffff"),
        TO_NEXT,
    ),
    "count bytes of UTF-8": (
        lambda sign, _: len(sign.encode("utf-8", "surrogatepass")),
        TO_NEXT,
    ),
    "count CR LF as one character": (
        lambda sign, following: 0 if sign + following == "\r\n" else 1,
        TO_NEXT,
    ),
    "are all one too large: they count from 1, or count a byte-order mark": (
        _characters,
        "from 1 to the next",
    ),
    "have the last character as to_char, not the one after it": (_characters, TO_LAST),
    "count from 1 and have the last character as to_char": (
        _characters,
        "from 1 to the last",
    ),
}


@lru_cache(maxsize=64)
def _character_at(text: str, size: Callable[[str, str], int]) -> dict[int, int]:
    """Return offset in units → character, for the beginnings of characters."""
    starts = [*accumulate(map(size, text, f"{text[1:]} "), initial=0)]
    return dict(zip(reversed(starts), range(len(text), -1, -1), strict=True))


def _read_as(mentions: Sequence[_Mention], name: str) -> list[_Mention]:
    """Return the mentions in a reading; an offset inside a character is read as −1."""
    size, count = _READINGS[name]
    add_begin, add_last = COUNTS[count]
    add_end = add_last - COUNTS[TO_NEXT][1]
    moved = []
    for mention in mentions:
        at = _character_at(mention.document.text, size)
        pieces = tuple(
            (at.get(begin + add_begin, -1), at.get(end + add_end, -1))
            for begin, end in mention.pieces
        )
        moved.append(mention._replace(pieces=pieces))
    return moved


def _solutions(mentions: Sequence[_Mention]) -> dict[str, list[_Mention]]:
    """Return the readings in which all mentions are at their places, each with the mentions.

    Of those with the same places it is the first. Mentions without a text are no evidence.
    """
    solutions: dict[str, list[_Mention]] = {}
    if all(mention.text is None for mention in mentions):
        return solutions
    for name in _READINGS:
        moved = _read_as(mentions, name)
        is_solution = all(mention.is_at_place for mention in moved)
        if is_solution and moved not in solutions.values():
            solutions[name] = moved
    return solutions


def _explained(mentions: Sequence[_Mention], form: str) -> str:
    """Return what the offsets seem to count, '' if no reading fits much better."""
    fits = dict.fromkeys(_READINGS, 0)
    for name in _READINGS:
        for mention in _read_as(mentions, name):
            # A given text confirms a place, also inside a token.
            is_whole = mention.text is not None or not mention.is_cut
            fits[name] += mention.is_at_place and is_whole
    best = max(fits, key=fits.__getitem__)
    if not best or fits[best] < _CLEAR * len(mentions):
        return ""
    return form.format(
        f"the offsets {best} ({fits[best]:,} of {len(mentions):,} mentions fit then)"
    )
