"""Mentions as records with named fields: JSON Lines, CSV, TSV, frames, and JSON with chains.

==========  =====================================================================
doc         document name
start, end  indices of the first and the last token (inclusive) in the document, from 0
tokens      indices of all tokens in the document (instead of start and end)
chain       chain label, string or integer; missing or blank: no chain (``cdec.clustering``)
mention     mention id such as 37_4ecbplus/36 (instead of doc and tokens)
m_id        the part of the mention id after the document name (with doc)
sentence    number of the sentence, in which start, end and tokens may count
==========  =====================================================================

Other names of these fields: ``fields``. Other fields are ignored, also sentences as text. A mention
with a gap has ``tokens``: a list in JSON, ``3 4 6`` or ``[3, 4, 6]`` in a table. An empty field of
a table is a missing value. The separator of CSV is a comma or a semicolon. A TSV file may lack the
header if its columns are those of ``BARE``.

JSON has a list of chains, a mapping chain label → mentions, or mention id → chain label. A mention
is an object as above without the chain, ``[doc, start, end]``, or an id such as
``"37_4ecbplus/36"`` (any string or integer if two files are scored). The reader also accepts a list
of mention objects with a chain field, a list of chains such as ``{"event": "7", "mention_ids":
["37_4ecbplus/36"]}``, and an object with ``clusters`` as written by the scorer scorch (Grobol).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from sys import intern
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import label_text
from cdec.errors import FormatError
from cdec.files.input import TextFile, integer
from cdec.files.strict_json import parse_at, shown
from cdec.formats.annotation import Annotation, mention_table
from cdec.formats.fields import (
    NEEDED,
    canonical,
    guessed_rows,
    is_field,
    is_place,
    objects,
    resolve,
)

MAX_TOKEN = 10_000_000
_HINT = (
    'write JSON such as {"chain 1": [["doc", 3, 4], ["doc", 9, 9]]}, '
    '[["24_1ecb/12", "24_2ecb/7"]] or {"24_1ecb/12": "chain 1"}'
)
# Columns of a TSV file without header, by their number.
BARE = {
    2: ("mention", "chain"),
    3: ("doc", "m_id", "chain"),
    4: ("doc", "start", "end", "chain"),
    5: ("doc", "sentence", "start", "end", "chain"),
}
# In JSON, the lists of a chain's mentions, and names of a chain besides those of ``fields``.
_MEMBERS = ("mentions", "mention_ids")
_CHAIN = ("event", "event_id", "entity", "entity_id", "id", "name")
# A mention id has a document in front: 36_1ecb/12, 36_1ecb_0_5_5.
_ID = re.compile(r".+[/_][^/_]+", re.DOTALL)
_BRACKETS = re.compile(r"[-*_]|.*[()].*", re.DOTALL)
Record = dict[str, Any]


def read_lines(source: TextFile) -> Annotation:
    """Read a JSON Lines file; raises FormatError with ``file:line``."""
    return from_records(source, objects(source), "jsonl")


def read_chains(source: TextFile) -> Annotation:
    """Read a JSON file with chains or mentions; raises FormatError."""
    value = parse_at(source.text, 1, source.error, last=True)
    if isinstance(value, dict) and isinstance(value.get("clusters"), list | dict):
        value = value["clusters"]
    if isinstance(value, dict) and value and all(map(_is_label, value.values())):
        value = [{"mention": mention, "chain": label} for mention, label in value.items()]
    chains: list[tuple[str, Any]]
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        lists = next((n for n in _MEMBERS if all(isinstance(i.get(n), list) for i in value)), None)
        if lists is None:
            return from_records(source, ((0, record) for record in value), "json")
        chains = []
        for number, item in enumerate(value):
            names = [name for name in item if canonical(name) == "chain" or name in _CHAIN]
            chains.append((str(item[names[0]] if names else number), item[lists]))
    elif isinstance(value, list | dict):
        numbered = {str(n): chain for n, chain in enumerate(value)}
        chains = list((value if isinstance(value, dict) else numbered).items())
    else:
        raise source.error("format-undetected", 0, "expected a list or an object of chains", _HINT)
    labels: set[str] = set()
    found: list[tuple[int, Record]] = []
    for label, chain in chains:
        if label in labels:
            raise source.error("field-invalid", 0, f"two chains '{label[:40]}'", "join them")
        labels.add(label)
        for number, item in enumerate(chain if isinstance(chain, list) else [None], start=1):
            where = f"chain '{label[:40]}', mention {number}"
            found.append((0, {**_mention(source, where, item), "chain": label}))
    return from_records(source, found, "json")


def _is_label(value: object) -> bool:
    return type(value) in {str, int, type(None)} or (type(value) is float and value.is_integer())


def _mention(source: TextFile, where: str, item: object) -> Record:
    """Return the record of one mention, without its chain."""
    known = resolve(item, source.name) if isinstance(item, dict) else {}
    if "chain" in known:
        message = f"{where}: the field '{known['chain']}' is a second chain"
        raise source.error("field-invalid", 0, message, "remove or rename the field")
    if isinstance(item, dict) and is_place(known):
        return {field: item[name] for field, name in known.items()}
    if isinstance(item, list) and len(item) == 3:
        return dict(zip(("doc", "start", "end"), item, strict=True))
    if isinstance(item, str) or type(item) is int:
        return {"mention": str(item)}
    message = f"{where}: {json.dumps(item)[:60]} is not a mention"
    raise source.error("format-undetected", 0, message, _HINT)


def from_records(
    source: TextFile, records: Iterable[tuple[int, Record]], format_: str
) -> Annotation:
    """Return the Annotation of ``records``: line (0 if unknown) and fields of each mention."""
    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    for size, (line, record) in enumerate(records):
        if type(record) is not dict:
            raise source.error("format-undetected", line, "expected a JSON object", NEEDED)
        lines.append(line)
        for name, value in record.items():
            column = columns.get(name)
            if column is None:
                if not is_field(name):
                    continue
                column = columns[name] = []
            if len(column) < size:
                column += [None] * (size - len(column))
            # Equal names are one object, which takes less memory than a string per mention.
            column.append(intern(value) if type(value) is str else value)
    for column in columns.values():
        column.extend([None] * (len(lines) - len(column)))
    known = resolve(sorted(columns), source.name)
    at = np.array(lines, dtype=np.int64)
    named = {field: columns[name] for field, name in known.items()}
    return _checked(source.name, named, at, format_)


def bare_columns(row: Sequence[str]) -> tuple[str, ...] | None:
    """Return the columns if ``row`` is a mention in a table without header, else None.

    Brackets as the last field are those of a CoNLL file without documents.
    """
    names = BARE.get(len(row))
    if names is None or any(map(canonical, row)) or _BRACKETS.fullmatch(row[-1]):
        return None
    given = dict(zip(names, row, strict=True))
    numbers = (given[name].strip() for name in ("sentence", "start", "end") if name in given)
    is_bare = all(integer(number, 15) >= 0 for number in numbers)
    return names if is_bare and (len(row) > 2 or _ID.fullmatch(row[0])) else None


def read_table(source: TextFile) -> Annotation:
    """Read a CSV or TSV file; raises FormatError with ``file:line``."""
    rows = guessed_rows(source)
    line, first = next(rows)
    names = bare_columns(first) if "\t" in next(filter(str.strip, source.lines)) else None
    header = list(names or first)
    known = resolve(header, source.place(line), whole=True)
    at = {field: header.index(name) for field, name in known.items()}
    lines = [line] if names else []
    columns: dict[str, list[str]] = {field: [first[n]] if names else [] for field, n in at.items()}
    for number, row in rows:
        lines.append(number)
        for field, n in at.items():
            columns[field].append(intern(row[n]))
    values: dict[str, list[Any]] = {}
    for field, cells in columns.items():
        form = COLUMN_VALUES.get(field, _text)
        known_cells = {cell: form(cell) for cell in {*cells}}
        values[field] = [known_cells[cell] for cell in cells]
    return _checked(source.name, values, np.array(lines, np.int64), "csv")


def _text(value: str) -> str | None:
    return value if value.strip() else None


def _integer(value: str) -> int | str | None:
    """Return digits as an integer; anything else is refused with its row."""
    number = integer(value.strip(), 15)
    return _text(value) if number < 0 else number


def _tokens(value: str) -> list[int | str | None] | None:
    parts = value.strip(" []()").replace(",", " ").split()
    return [_integer(part) for part in parts] if value.strip() else None


# Fields that are not text → the value of a cell.
COLUMN_VALUES: dict[str, Callable[[str], Any]] = {
    "start": _integer, "end": _integer, "sentence": _integer, "tokens": _tokens,
}  # fmt: skip


def from_frame(frame: pd.DataFrame, name: str = "frame", *, unlabelled: bool = False) -> Annotation:
    """Return the Annotation of a frame; a missing value is None or NaN, other columns are ignored.

    ``unlabelled``: a mention may lack a chain label, which is then ''. Raises FormatError with the
    row, counted from 0.

    >>> frame = pd.DataFrame({"doc": ["d"], "sentence": [2], "start": [0], "end": [1], "chain": 7})
    >>> from_frame(frame).mentions[["sentence", "start", "end", "chain"]].values.tolist()
    [[2, 0, 1, '7']]
    """
    titles = list(map(str, frame.columns))
    known = resolve(titles, name, whole=True)
    named = frame.set_axis(titles, axis=1)
    columns = {field: [_value(value) for value in named[title]] for field, title in known.items()}
    made = _checked(name, columns, np.zeros(len(frame), np.int64), "frame")
    return made if unlabelled else made.labelled()


def _value(value: Any) -> Any:
    """Return a value as JSON has it; an integer that pandas made a float is an integer again."""
    if isinstance(value, list | tuple | np.ndarray):
        return [_value(item) for item in value]
    if pd.isna(value):
        return None
    plain = value.item() if isinstance(value, np.generic) else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain


def _is_name(value: Any) -> bool:
    return (type(value) is str and bool(value.strip())) or type(value) is int


def _is_chain(value: Any) -> bool:
    return value is not None and _is_label(value)  # a blank label may be noise


def _are_numbers(value: Any) -> bool:
    return type(value) is list and {*map(type, value)} == {int}


def _are_indices(value: Sequence[int]) -> bool:
    return min(value) >= 0 and max(value) <= MAX_TOKEN and len({*value}) == len(value)


_INDEX = "an index; tokens count from 0"
# What the value of each field must be, if it has one.
_CHECKS: tuple[tuple[Sequence[str], Callable[[Any], bool], str, str], ...] = (
    (("doc", "mention", "m_id"), _is_name, "field-invalid", "a name, as text or an integer"),
    (("chain", "gold"), _is_chain, "field-invalid", "a label, as text or an integer"),
    (("start", "end", "sentence"), lambda v: type(v) is int, "field-invalid", "an integer"),
    (("start", "end", "sentence"), lambda at: 0 <= at <= MAX_TOKEN, "tokens-invalid", _INDEX),
    (("tokens",), _are_numbers, "field-invalid", "a list of integers, such as [3, 4, 6]"),
    (("tokens",), _are_indices, "tokens-invalid", "a list of different indices, from 0"),
)


def _checked(
    name: str, columns: Mapping[str, Sequence[Any]], lines: Ints, format_: str
) -> Annotation:
    """Return the Annotation of ``columns``: field → values, one per mention, None if missing.

    ``lines`` are the lines of the mentions, 0 if unknown. Raises FormatError with the line or row
    for a missing value, a wrong type or a wrong range.
    """

    def fail(code: str, row: int, message: str, hint: str) -> FormatError:
        place, line = name, int(lines[row])
        if format_ == "frame":
            place = f"{name}, row {row}"
        elif line:
            place = f"{name}:{line}"
        else:
            message = f"mention {row + 1}: {message}"
        return FormatError(code, message, place=place, hint=hint)

    absent = [None] * len(lines)
    given = {field: columns.get(field) or absent for checked, *_ in _CHECKS for field in checked}
    if type(next((v for v in given["sentence"] if v is not None), None)) is not int:
        given["sentence"] = absent  # the texts of sentences
    different = {field: _different(values) for field, values in given.items()}
    for checked, is_right, code, wanted in _CHECKS:
        for field in checked:
            if not all(map(is_right, different[field])):
                rows = (row for row, v in enumerate(given[field]) if not (v is None or is_right(v)))
                row = next(rows)
                message = f"{field} {shown(given[field][row])} is not {wanted}"
                raise fail(code, row, message, NEEDED)

    def texts(field: str) -> list[str]:
        values = given[field]
        return ["" if v is None else v if type(v) is str else label_text(v) for v in values]

    doc, ids = texts("doc"), texts("mention")
    if "m_id" in columns:
        parts = zip(ids, doc, texts("m_id"), strict=True)
        ids = [id_ or (f"{d}/{m}" if d and m else "") for id_, d, m in parts]
    start, end, sentence = (
        np.array([-1 if v is None else v for v in given[f]], np.int64)
        for f in ("start", "end", "sentence")
    )
    tokens = [() if value is None else tuple(sorted(value)) for value in given["tokens"]]
    listed = np.array(list(map(bool, tokens)), np.bool_)
    first, last = np.full((2, len(lines)), -1)
    first[listed], last[listed] = ([some[n] for some in tokens if some] for n in (0, -1))
    named, known = (np.array(list(map(bool, texts)), np.bool_) for texts in (doc, ids))
    spans = start >= 0
    for broken, code, message in (
        (~listed & (spans != (end >= 0)), "field-invalid", "start or end is missing"),
        (
            ~listed & (end < start),
            "tokens-invalid",
            "end is before start; it is the index of the last token",
        ),
        (
            listed & spans & ((first != start) | (last != end)),
            "tokens-invalid",
            "tokens do not begin at start and end at end",
        ),
        ((listed | spans) & ~named, "field-invalid", "doc is missing"),
        (~listed & ~spans & ~known, "field-invalid", "the mention has neither tokens nor an id"),
    ):
        if broken.any():
            raise fail(code, int(broken.argmax()), message, NEEDED)
    start, end = np.where(listed, first, start), np.where(listed, last, end)
    mentions = mention_table(
        doc=[d or i.rpartition("/")[0] for d, i in zip(doc, ids, strict=True)],
        start=start,
        end=end,
        chain=texts("chain"),
        tokens=[t if len(t) <= e - s else () for t, s, e in zip(tokens, start, end, strict=True)],
        line=lines,
        mention=ids,
        sentence=np.where(start < 0, -1, sentence),
    )
    # Both chains are in the file: those of the key count if it is used as a key.
    gold = tuple(texts("gold")) if "gold" in columns else None
    documents = dict.fromkeys(mentions["doc"])
    whole = bool(listed.any())
    return Annotation(name, format_, mentions, documents, gold=gold, names_tokens=whole)


def _different(values: Sequence[Any]) -> Iterable[Any]:
    """Return the values but None; each once if all are strings, or all integers."""
    kinds = {*map(type, values)} - {type(None)}
    if kinds <= {str} or kinds <= {int}:
        return {*values} - {None}
    return [value for value in values if value is not None]
