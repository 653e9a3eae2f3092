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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sys import intern
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import label_text
from cdec.errors import FormatError
from cdec.files.input import Fail, TextFile, failing, integer
from cdec.files.strict_json import parse_at
from cdec.formats.annotation import Annotation, mention_table
from cdec.formats.fields import NEEDED, canonical, is_field, is_place, refuse_pairs, resolve
from cdec.formats.layouts import table_rows

MAX_TOKEN = 10_000_000
_FROM_ZERO = f"tokens count from 0, at most {MAX_TOKEN}"
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
_NUMBERS = frozenset({"sentence", "start", "end"})
# A mention id has a document in front: 36_1ecb/12, 36_1ecb_0_5_5.
_ID = re.compile(r".+[/_][^/_]+", re.DOTALL)
_BRACKETS = re.compile(r"[-*_]|.*[()].*", re.DOTALL)
Record = dict[str, Any]


def read_lines(source: TextFile) -> Annotation:
    """Read a JSON Lines file; raises FormatError with ``file:line``."""

    def objects() -> Iterator[tuple[int, Record]]:
        for number, line in enumerate(source.lines, start=1):
            if line and not line.isspace():
                value = parse_at(line, number, source.error)
                if type(value) is not dict:
                    message = "the line is not a JSON object"
                    raise source.error("format-undetected", number, message, NEEDED)
                yield number, value

    return from_records(source, objects(), "jsonl")


def read_chains(source: TextFile) -> Annotation:
    """Read a JSON file with chains or mentions; raises FormatError."""
    value = parse_at(source.text, 1, source.error)
    if isinstance(value, dict) and isinstance(value.get("clusters"), list | dict):
        value = value["clusters"]
    if isinstance(value, dict) and value and all(map(_is_label, value.values())):
        value = [{"mention": mention, "chain": label} for mention, label in value.items()]
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        lists = next((n for n in _MEMBERS if all(isinstance(i.get(n), list) for i in value)), None)
        value = value if lists is None else _chains(source, value, lists)
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return from_records(source, ((0, record) for record in value), "json")
    if isinstance(value, list):
        value = {str(number): chain for number, chain in enumerate(value)}
    if not isinstance(value, dict):
        raise source.error("format-undetected", 0, "expected a list or an object of chains", _HINT)
    found: list[tuple[int, Record]] = []
    for label, chain in value.items():
        if not isinstance(chain, list):
            message = f"chain '{label[:40]}' is not a list of mentions"
            raise source.error("format-undetected", 0, message, _HINT)
        for number, item in enumerate(chain, start=1):
            where = f"chain '{label[:40]}', mention {number}"
            found.append((0, {**_mention(source, where, item), "chain": label}))
    return from_records(source, found, "json")


def _chains(source: TextFile, items: list[Record], lists: str) -> dict[str, Any]:
    """Return label → mentions of chains that are objects with a list of mentions."""
    found: dict[str, Any] = {}
    for number, item in enumerate(items):
        names = [name for name in item if canonical(name) == "chain" or name in _CHAIN]
        label = str(item[names[0]] if names else number)
        if label in found:
            raise source.error("field-invalid", 0, f"two chains '{label[:40]}'", "join them")
        found[label] = item[lists]
    return found


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
    return _checked(source.name, named, at, failing(source, at), format_)


def read_csv(source: TextFile) -> Annotation:
    """Read a CSV file; raises FormatError with ``file:line``."""
    (head,) = source.beginning(1)
    return _table(source, "," if "," in head else ";", "csv")


def read_tsv(source: TextFile) -> Annotation:
    """Read a TSV file; raises FormatError with ``file:line``."""
    return _table(source, "\t", "tsv")


def bare_columns(row: Sequence[str]) -> tuple[str, ...] | None:
    """Return the columns if ``row`` is a mention in a table without header, else None.

    Brackets as the last field are those of a CoNLL file without documents.
    """
    names = BARE.get(len(row))
    if names is None or any(map(canonical, row)) or _BRACKETS.fullmatch(row[-1]):
        return None
    numbers = (v.strip() for n, v in zip(names, row, strict=True) if n in _NUMBERS)
    is_bare = all(integer(number, 15) >= 0 for number in numbers)
    return names if is_bare and (len(row) > 2 or _ID.fullmatch(row[0])) else None


def _table(source: TextFile, separator: str, format_: str) -> Annotation:
    def fail(line: int, reason: str) -> FormatError:
        return source.error("file-invalid", line, reason, "check the quotes")

    rows = table_rows(source.text, separator, fail)
    line, first = next(rows, (1, []))
    names = bare_columns(first) if separator == "\t" else None
    header = list(names or first)
    known = resolve(header, source.place(line))
    if "chain" not in known or not is_place(known):
        message = f"a column is missing in the header '{', '.join(header)[:80]}'"
        raise source.error("field-invalid", line, message, NEEDED)
    lines, columns = ([line], [[value] for value in first]) if names else ([], [[] for _ in first])
    used = [(columns[header.index(name)], header.index(name)) for name in known.values()]
    for number, row in rows:
        if len(row) != len(first):
            message = f"expected {len(first)} fields as in the first row, got {len(row)}"
            hint = "quote a field that contains the separator"
            raise source.error("file-invalid", number, message, hint)
        lines.append(number)
        for column, at in used:
            column.append(intern(row[at]))
    at_line = np.array(lines, dtype=np.int64)
    values = {
        field: list(map(COLUMN_VALUES.get(field, _text), columns[header.index(name)]))
        for field, name in known.items()
    }
    return _checked(source.name, values, at_line, failing(source, at_line), format_)


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
    refuse_pairs(titles, name)
    known = resolve(titles, name)
    if "chain" not in known or not is_place(known):
        message = f"the frame lacks a column; it has: {', '.join(titles)[:80] or 'none'}"
        raise FormatError("field-invalid", message, place=name, hint=NEEDED)

    def fail(code: str, row: int, message: str, hint: str) -> FormatError:
        return FormatError(code, message, place=f"{name}, row {row}", hint=hint)

    named = frame.set_axis(titles, axis=1)
    columns = {field: [_value(value) for value in named[title]] for field, title in known.items()}
    made = _checked(name, columns, np.zeros(len(frame), np.int64), fail, "frame")
    return made if unlabelled else made.labelled()


def _value(value: Any) -> Any:
    """Return a value as JSON has it; an integer that pandas made a float is an integer again."""
    if isinstance(value, list | tuple | np.ndarray):
        return [_value(item) for item in value]
    if pd.isna(value):
        return None
    plain = value.item() if isinstance(value, np.generic) else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain


def _checked(
    name: str, columns: Mapping[str, Sequence[Any]], lines: Ints, fail: Fail, format_: str
) -> Annotation:
    """Return the Annotation of ``columns``: field → values, one per mention, None if missing.

    Raises the error that ``fail`` builds for a missing value, a wrong type or a wrong range.
    """
    none = [None] * len(lines)

    def texts(field: str) -> list[str | None]:
        return _texts(field, columns.get(field, none), fail)

    doc, ids = texts("doc"), [text or "" for text in texts("mention")]
    if "m_id" in columns:
        parts = zip(ids, doc, texts("m_id"), strict=True)
        ids = [i or ("" if d is None or m is None else f"{d}/{m}") for i, d, m in parts]
    start, end = (_integers(field, columns.get(field, none), fail) for field in ("start", "end"))
    tokens = _spans(columns.get("tokens", ()), start, end, fail)
    for row, (named, id_, first, last) in enumerate(
        zip(doc, ids, start.tolist(), end.tolist(), strict=True)
    ):
        if (first < 0) != (last < 0):
            missing = "start" if first < 0 else "end"
            raise fail("field-invalid", row, f"{missing} is missing", NEEDED)
        if last < first:
            message, hint = f"end {last} is before start {first}", "end is the last token's index"
            raise fail("tokens-invalid", row, message, hint)
        if first >= 0 and named is None:
            raise fail("field-invalid", row, "doc is missing", NEEDED)
        if first < 0 and not id_:
            raise fail("field-invalid", row, "the mention has neither tokens nor an id", NEEDED)
    sentence = columns.get("sentence", none)
    if type(next((v for v in sentence if v is not None), None)) is not int:
        sentence = none  # the texts of sentences
    mentions = mention_table(
        doc=[d if d is not None else i.rpartition("/")[0] for d, i in zip(doc, ids, strict=True)],
        start=start,
        end=end,
        chain=[text or "" for text in texts("chain")],
        tokens=tokens,
        line=lines,
        mention=ids,
        sentence=np.where(start < 0, -1, _integers("sentence", sentence, fail)),
    )
    # Both chains are in the file: those of the key count if it is used as a key.
    gold = tuple(text or "" for text in texts("gold")) if "gold" in columns else None
    whole = any(value is not None for value in columns.get("tokens", ()))
    known = dict.fromkeys(mentions["doc"])
    return Annotation(name, format_, mentions, known, gold=gold, names_tokens=whole)


def _texts(field: str, values: Sequence[Any], fail: Fail) -> list[str | None]:
    """Return texts and whole numbers as text; raise the error for another value, or a blank one."""
    if {*map(type, values)} == {str} and all(map(str.strip, values)):
        return list(values)
    is_label = field in ("chain", "gold")  # a blank label may be noise
    found = []
    for row, value in enumerate(values):
        if is_label and type(value) is float and value.is_integer():
            text = label_text(value)
        elif type(value) in (str, int):
            text = str(value)
        elif value is None:
            text = None
        else:
            message = f"{field} {_shown(value)} is not a string"
            hint = f"{field} must be a string or an integer"
            raise fail("field-invalid", row, message, hint)
        if text is not None and not is_label and not text.strip():
            raise fail("field-invalid", row, f"{field} is blank", NEEDED)
        found.append(text)
    return found


def _integers(field: str, values: Sequence[Any], fail: Fail) -> Ints:
    """Return token or sentence numbers, −1 for None; raise the error for another value."""
    for row, value in enumerate(values):
        if type(value) is not int and value is not None:
            hint = "give an integer such as 3; tokens count from 0"
            raise fail("field-invalid", row, f"{field} {_shown(value)} is not an integer", hint)
        if value is not None and not 0 <= value <= MAX_TOKEN:
            raise fail(
                "tokens-invalid", row, f"{field} {_shown(value)} is out of range", _FROM_ZERO
            )
    return np.array([-1 if value is None else value for value in values], np.int64)


def _spans(values: Sequence[Any], start: Ints, end: Ints, fail: Fail) -> list[tuple[int, ...]]:
    """Fill ``start`` and ``end`` from lists of tokens, which are checked; return gaps."""
    gaps: list[tuple[int, ...]] = [()] * len(start)
    for row, value in enumerate(values):
        if value is None:
            continue
        if not isinstance(value, list) or set(map(type, value)) != {int}:
            message = f"tokens {_shown(value)} is not a list of integers"
            raise fail("field-invalid", row, message, "give a list such as [3, 4, 6]")
        tokens = tuple(sorted(value))
        first, last = tokens[0], tokens[-1]
        if first < 0 or last > MAX_TOKEN or len(set(tokens)) < len(tokens):
            message = f"tokens {_shown(value)} are out of range, or one is there twice"
            raise fail("tokens-invalid", row, message, _FROM_ZERO)
        if start[row] >= 0 and (first, last) != (start[row], end[row]):
            message = f"tokens {_shown(value)} do not span {start[row]} to {end[row]}"
            raise fail("tokens-invalid", row, message, "give either tokens or start and end")
        start[row], end[row] = first, last
        if len(tokens) <= last - first:
            gaps[row] = tokens
    return gaps


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**15 else "(a huge number)"
    return text if len(text) <= 40 else f"{text[:37]}..."
