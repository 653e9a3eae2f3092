"""The rows of a table in CSV, TSV or JSON, and the names of the fields of a mention in them.

A mention of uCDCR has ``tokens_number`` and ``sent_id``: its tokens count in the sentence, and its
document is ``doc``, because ``doc_id`` is not unique. A mention of WEC has the first name only: its
tokens count in the paragraph ``mention_context``, so that its id identifies it.

A mention of Cattan et al. has its words as ``tokens`` and their numbers as ``tokens_ids``.
``words``, ``text`` and similar fields (``reading.WORDS_FIELDS``) have the words of the mention.
``id`` is the id of a mention that has no place otherwise.

A file with both ``coref_chain`` and ``predicted_coref_chain`` has the chains of the key and of the
response.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from json import JSONDecodeError
from typing import Any

import numpy as np

from cdec.errors import FormatError
from cdec.files.input import TextFile
from cdec.files.strict_json import parse, parse_at
from cdec.formats.reading import WORDS_FIELDS, words_field

# Names of a field in the tables of documents, of topics and of mentions.
DOCUMENT = ("doc", "document", "doc_id", "document_id", "doc_key")
LEVEL_NAMES = {"topic": ("topic_id",), "subtopic": ("subtopic_id",)}
ALIASES = {
    "doc": DOCUMENT,
    "start": ("start", "begin", "start_token"),
    "end": ("end", "end_token"),
    "tokens": ("tokens", "token_ids", "token_indices"),
    "chain": (
        "chain", "chain_id", "coref_chain", "predicted_coref_chain",
        "cluster", "cluster_id", "coref_id", "label",
    ),
    "mention": ("mention", "mention_id"),
    "m_id": ("m_id",),
    "sentence": ("sentence", "sentence_id", "sent_id", "sentence_number"),
}  # fmt: skip
NEEDED = "a mention needs 'chain' and one of doc+start+end, doc+tokens, mention, doc+m_id"
# The names of the two mentions of a pair, in lists of pairs.
PAIR = (
    ("a", "first", "mention_1", "mention1", "mention_id_1"),
    ("b", "second", "mention_2", "mention2", "mention_id_2"),
)
_CANONICAL = {alias: field for field, aliases in ALIASES.items() for alias in aliases}
_UCDCR = {"doc": "doc", "tokens_number": "tokens", "sent_id": "sentence"}
_CATTAN = {"tokens_ids": "tokens"}
_FIELDS = {*_CANONICAL, *_UCDCR, *_CATTAN, *WORDS_FIELDS, "id", *PAIR[0], *PAIR[1]}


def normal(name: str) -> str:
    """Return a name in lower case, with ``_`` for hyphens and spaces."""
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def canonical(name: str) -> str | None:
    """Return the field of which ``name`` is an alias (ignoring case), or None."""
    return _CANONICAL.get(normal(name))


@lru_cache
def is_field(name: str) -> bool:
    """Return whether ``name`` may be a field of a mention or a pair; others are ignored."""
    return normal(name) in _FIELDS


def resolve(names: Collection[str], place: str, *, table: bool = False) -> dict[str, str]:
    """Return field → name in the file; names that are not a field are left out.

    The field ``gold`` is the chain of the key in a file that has the chain of the response too, and
    ``words`` the words of a mention.
    Raises FormatError for two names of the same field and for a list of mention pairs; if these are
    all names of a ``table``, also for a mention without a place or a chain.
    """
    plain = [(name, normal(name)) for name in names]
    present = {alias for _, alias in plain}
    known = dict(_CANONICAL)
    if "predicted_coref_chain" in present:
        known["coref_chain"] = "gold"
    ucdcr = _UCDCR if {"tokens_number", "sent_id"} <= present else {}
    own = {alias: field for alias, field in {**ucdcr, **_CATTAN}.items() if alias in present}
    known = {alias: f for alias, f in known.items() if f not in own.values()} | own
    fields = _by_field(((name, known.get(alias)) for name, alias in plain), place)
    if "id" in present and not is_place(fields):
        fields["mention"] = next(name for name, alias in plain if alias == "id")
    if not is_place(fields) and (pair := pair_names(names)):
        message = f"expected chains, got a list of mention pairs ('{pair[0]}' and '{pair[1]}')"
        hint = "write a chain for each mention; `cdec pairs` reads lists of pairs"
        raise FormatError("format-undetected", message, place=place, hint=hint)
    if table and not ("chain" in fields and is_place(fields)):
        message = f"a column is missing; there are: {', '.join(names)[:80] or 'none'}"
        raise FormatError("field-invalid", message, place=place, hint=NEEDED)
    words = words_field(name for name in names if name not in fields.values())
    if words is not None:
        fields["words"] = words
    return fields


def _by_field(names: Iterable[tuple[str, str | None]], place: str) -> dict[str, str]:
    """Return field → name; raise FormatError for two names of the same field."""
    fields: dict[str, str] = {}
    for name, field in names:
        if field in fields:
            message = f"'{fields[field]}' and '{name}' both mean the field '{field}'"
            hint = "rename or remove one of them"
            raise FormatError("field-invalid", message, place=place, hint=hint)
        if field is not None:
            fields[field] = name
    return fields


def is_place(fields: Collection[str]) -> bool:
    """Return whether these fields identify a mention."""
    spans = "tokens" in fields or {"start", "end"} <= set(fields) or "m_id" in fields
    return "mention" in fields or ("doc" in fields and spans)


def pair_names(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the names of the two mentions of a pair; None if both are not among ``names``.

    >>> pair_names(["score", "Mention 1", "Mention 2"]), pair_names(["mention", "chain"])
    (('Mention 1', 'Mention 2'), None)
    """
    known = {normal(name): name for name in names}
    first, second = (next((known[n] for n in side if n in known), None) for side in PAIR)
    return (first, second) if first is not None and second is not None else None


def whole(value: Any) -> Any:
    """Return a value as JSON has it, with whole floats as integers: pandas makes floats of them.

    >>> whole((5.0, 5.5, np.int64(6)))
    [5, 5.5, 6]
    """
    if isinstance(value, list | tuple | np.ndarray):
        return [whole(item) for item in value]
    plain = value.item() if isinstance(value, np.generic) else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain


def table_rows(
    text: str, separator: str, fail: Callable[[int, str], Exception]
) -> Iterator[tuple[int, list[str]]]:
    r"""Yield the first line and the fields of each row that is not blank.

    Raises the error that ``fail`` builds for the line and the reason of invalid quotes.

    >>> list(table_rows('doc,chain\n\n"a, b",7\n', ",", lambda line, why: ValueError(why)))
    [(1, ['doc', 'chain']), (3, ['a, b', '7'])]
    """
    # From bytes: StringIO would need four bytes for each character.
    stream = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")
    reader = csv.reader(stream, delimiter=separator, strict=True)
    line = 1
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise fail(line, f"invalid table: {error}") from None


def guessed_rows(source: TextFile) -> Iterator[tuple[int, list[str]]]:
    """Yield line and fields of each row that is not blank; the first line shows the separator.

    Raises FormatError for a row that has not as many fields as the first.
    """

    def fail(line: int, reason: str) -> FormatError:
        hint = "quote a field that contains the separator, a line break or quotes"
        return source.error("file-invalid", line, reason, hint)

    head = next(filter(str.strip, source.lines))
    separator = next((sign for sign in "\t,;" if sign in head), ",")
    width = 0
    for line, row in table_rows(source.text, separator, fail):
        width = width or len(row)
        if len(row) != width:
            raise fail(line, f"expected {width} fields as in the first row, got {len(row)}")
        yield line, row


def objects(source: TextFile) -> Iterator[tuple[int, Any]]:
    r"""Yield line (0 if unknown) and value of each record of JSON Lines, a JSON list, or one value.

    Raises FormatError with the line of invalid JSON.

    >>> list(objects(TextFile("a", '{"a": 1}\n\n{"a": 2}\n')))
    [(1, {'a': 1}), (3, {'a': 2})]
    """
    try:
        by_line = type(parse(next(filter(str.strip, source.lines)))) is dict
    except ValueError as error:  # a value of several lines, or one that is invalid in itself
        by_line = not isinstance(error, JSONDecodeError)
    if by_line:
        filled = [(n, line) for n, line in enumerate(source.lines, start=1) if line.strip()]
        for at, line in filled:
            yield at, parse_at(line, at, source.error, last=at == filled[-1][0])
    else:
        value = parse_at(source.text, 1, source.error, last=True)
        yield from ((0, item) for item in (value if isinstance(value, list) else [value]))


def named_rows(
    source: TextFile, names: Mapping[str, Collection[str]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    r"""Yield place and fields of each row: CSV or TSV with a header, JSON Lines, or a JSON list.

    A field is under its name in ``names``, which maps it → its aliases: of a name, only letters and
    digits count, and not their case; other fields keep their name. Fields without a value are left
    out, and rows without any, such as ``,,`` at the end of a table of a spreadsheet. Raises
    FormatError with the place of an invalid row, and of two names of one field.

    >>> list(named_rows(TextFile("a.csv", "Doc ID;text\n1;Fire\n2;\n"), {"id": ["doc_id"]}))
    [('a.csv:2', {'id': '1', 'text': 'Fire'}), ('a.csv:3', {'id': '2'})]
    """
    known = {plain_name(alias): field for field, more in names.items() for alias in (field, *more)}
    is_json = source.text.lstrip()[:1] in ("[", "{")
    header: list[str] = []
    for number, (line, row) in enumerate(objects(source) if is_json else guessed_rows(source)):
        if not is_json and not header:
            header = [name.strip() for name in row]
            continue
        place = source.place(line) if line else f"{source.name}, record {number + 1}"
        if is_json and type(row) is not dict:
            message, hint = "the row is not a JSON object", "write one object for each row"
            raise FormatError("file-invalid", message, place=place, hint=hint)
        cells = row.items() if is_json else zip(header, row, strict=True)
        filled = [(name, value) for name, value in cells if name and not _is_blank(value)]
        fields = _by_field(((name, known.get(plain_name(name), name)) for name, _ in filled), place)
        if values := dict(filled):
            yield place, {field: values[name] for field, name in fields.items()}


def _is_blank(value: Any) -> bool:
    return not value.strip() if type(value) is str else value is None


def plain_name(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))
