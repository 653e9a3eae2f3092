"""Mentions as records with named fields (JSON Lines, CSV, TSV, JSON), with all checks.

==========  =====================================================================
doc         document name
start, end  indices of the first and the last token (inclusive) in the document, from 0
tokens      indices of all tokens in the document (instead of start and end)
chain       chain label, string or integer; missing or blank: no chain (``cdec.labels``)
mention     mention id such as 37_4ecbplus/36 (instead of doc and tokens)
m_id        the part of the mention id after the document name (with doc)
sentence    number of the sentence, in which start, end and tokens may count
==========  =====================================================================

Other names of these fields: ``fields``. A column of sentences as text is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from sys import intern
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import FormatError
from cdec.files.input import Fail, Source, failing
from cdec.formats.annotation import EXTRA, Annotation, TokenNumbers, mention_table
from cdec.formats.fields import NEEDED, is_field, resolve
from cdec.labels import label_text

MAX_TOKEN = 10_000_000
_FROM_ZERO = f"tokens count from 0, at most {MAX_TOKEN}"
Record = dict[str, Any]
Values = Sequence[Any]


def from_records(source: Source, records: Iterable[tuple[int, Record]], format_: str) -> Annotation:
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
    for values in columns.values():
        values.extend([None] * (len(lines) - len(values)))
    known = resolve(sorted(columns), source.name)
    numbers = np.array(lines, dtype=np.int64)
    named = {field: columns[name] for field, name in known.items()}
    return annotation(source.name, named, numbers, failing(source, numbers), format_)


def annotation(
    name: str, columns: Mapping[str, Values], lines: Ints, fail: Fail, format_: str
) -> Annotation:
    """Return the Annotation of ``columns``: field → values, as for ``table``."""
    mentions = table(columns, lines, fail)
    # Both chains are in the file: those of the key count if it is used as a key.
    gold = tuple(_labels(columns["gold"], fail)) if "gold" in columns else None
    texts = dict.fromkeys(mentions["doc"])
    whole = _has_tokens(columns)
    return Annotation(name, format_, mentions, texts, gold=gold, names_tokens=whole)


def _has_tokens(columns: Mapping[str, Values]) -> bool:
    return any(value is not None for value in columns.get("tokens", ()))


def check_mentions(annotation: Annotation) -> None:
    """Raise FormatError for an annotation without mentions: it would have no record."""
    if not len(annotation):
        message = "the annotation has no mentions, and a file in this format must have one"
        hint = "use conll or json"
        raise FormatError("format-unsuitable", message, place=annotation.name, hint=hint)


def to_records(annotation: Annotation) -> Iterator[Record]:
    """Yield one object per mention, without empty fields.

    Raises FormatError as ``refuse_blank`` does.
    """
    refuse_blank(annotation)
    table = annotation.mentions
    names = ("doc", "start", "end", "tokens", "mention", "chain", "sentence")
    more = table[[name for name in EXTRA if name in table]].to_dict("records")
    columns = [*(table[name].tolist() for name in names), more]
    for doc, start, end, tokens, mention, chain, sentence, extra in zip(*columns, strict=True):
        record: Record = {} if start < 0 else {"doc": doc, "start": start, "end": end}
        if sentence >= 0:
            record["sentence"] = sentence
        if start < 0 and doc != mention.rpartition("/")[0]:
            record["doc"] = doc
        if tokens:
            record["tokens"] = list(tokens)
        if mention:
            record["mention"] = mention
        yield {**record, "chain": chain, **extra}


def refuse_blank(annotation: Annotation) -> None:
    """Raise FormatError for a blank name, id or label, which no reader of records accepts."""
    table = annotation.mentions
    for field, needed in (("chain", True), ("doc", table["start"] >= 0), ("mention", False)):
        blank = ~table[field].map(str.strip).astype(bool) & ((table[field] != "") | needed)
        if blank.any():
            message = f"a mention has a blank {field}: '{table[field][blank].iloc[0]}'"
            hint = "correct the input, or number the chains"
            raise FormatError("format-unsuitable", message, place=annotation.name, hint=hint)


def table(columns: Mapping[str, Values], lines: Ints, fail: Fail) -> pd.DataFrame:
    """Return the mention table of ``columns``: field → values, one per mention, None if missing.

    Raises the error that ``fail`` builds for a missing value, a wrong type or a wrong range.
    """
    size = len(lines)
    chain = _labels(columns.get("chain", [None] * size), fail)
    doc = _names(columns.get("doc", [None] * size), "doc", fail)
    ids = _ids(columns, doc, fail)
    start, end, tokens = _places(columns, size, fail)
    _check(doc, ids, start, fail)
    sentence = np.where(start < 0, -1, _sentences(columns.get("sentence", ()), size, fail))
    docs = [d if d is not None else i.rpartition("/")[0] for d, i in zip(doc, ids, strict=True)]
    return mention_table(
        docs, start, end, chain, tokens=tokens, line=lines, mention=ids, sentence=sentence
    )


def _sentences(values: Values, size: int, fail: Fail) -> Ints:
    """Return the sentence numbers, −1 for missing, also if the column has the texts."""
    first = next((value for value in values if value is not None), None)
    return _integers(values if type(first) is int else None, size, "sentence", fail)


def _labels(values: Values, fail: Fail) -> list[str]:
    """Return the texts of labels, '' for a missing one; a whole float is an integer."""
    if set(map(type, values)) != {str}:
        values = [label_text(v) if type(v) is float and v.is_integer() else v for v in values]
    return [name or "" for name in _names(values, "chain", fail)]


def _names(values: Values, field: str, fail: Fail) -> list[str | None]:
    """Return strings and integers as strings; raises for another type or a blank name."""
    types = set(map(type, values))
    if types == {str} and all(map(str.strip, values)):
        return list(values)
    if types - {str, int, type(None)}:
        row = next(k for k, v in enumerate(values) if type(v) not in (str, int, type(None)))
        message = f"{field} {_shown(values[row])} is not a string"
        raise fail("field-invalid", row, message, f"{field} must be a string or an integer")
    texts = [v if v is None or type(v) is str else str(v) for v in values]
    blank = next((k for k, v in enumerate(texts) if v is not None and not v.strip()), None)
    if blank is not None and field != "chain":  # a blank label may be noise
        raise fail("field-invalid", blank, f"{field} is blank", NEEDED)
    return texts


def _ids(columns: Mapping[str, Values], doc: list[str | None], fail: Fail) -> list[str]:
    ids = _names(columns.get("mention", [None] * len(doc)), "mention", fail)
    if "m_id" not in columns:
        return [i or "" for i in ids]
    parts = _names(columns["m_id"], "m_id", fail)
    return [
        i or ("" if d is None or m is None else f"{d}/{m}")
        for i, d, m in zip(ids, doc, parts, strict=True)
    ]


def _places(
    columns: Mapping[str, Values], size: int, fail: Fail
) -> tuple[Ints, Ints, list[TokenNumbers] | None]:
    start = _integers(columns.get("start"), size, "start", fail)
    end = _integers(columns.get("end"), size, "end", fail)
    tokens = None
    if _has_tokens(columns):
        tokens = _from_tokens(columns["tokens"], start, end, fail)
    _check_spans(start, end, fail)
    return start, end, tokens


def _integers(values: Values | None, size: int, field: str, fail: Fail) -> Ints:
    """Return the values as integers, −1 for missing."""
    if values is None:
        return np.full(size, -1, dtype=np.int64)
    types = set(map(type, values))
    if types == {int} and min(values) >= 0 and max(values) <= MAX_TOKEN:
        return np.array(values, dtype=np.int64)
    if types - {int, type(None)}:
        row = next(k for k, v in enumerate(values) if type(v) not in (int, type(None)))
        message = f"{field} {_shown(values[row])} is not an integer"
        raise fail("field-invalid", row, message, "give an integer such as 3; tokens count from 0")
    wrong = next((k for k, v in enumerate(values) if v is not None and not 0 <= v <= MAX_TOKEN), -1)
    if wrong >= 0:
        message = f"{field} {_shown(values[wrong])} is out of range"
        raise fail("tokens-invalid", wrong, message, _FROM_ZERO)
    return np.fromiter((-1 if v is None else v for v in values), np.int64, size)


def _check_spans(start: Ints, end: Ints, fail: Fail) -> None:
    half = np.flatnonzero((start < 0) != (end < 0))
    if half.size:
        row = int(half[0])
        missing = "start" if start[row] < 0 else "end"
        raise fail("field-invalid", row, f"{missing} is missing", NEEDED)
    wrong = np.flatnonzero(end < start)
    if wrong.size:
        row = int(wrong[0])
        message = f"end {end[row]} is before start {start[row]}"
        raise fail("tokens-invalid", row, message, "give the index of the last token as end")


def _from_tokens(values: Values, start: Ints, end: Ints, fail: Fail) -> list[TokenNumbers]:
    """Fill ``start`` and ``end`` from the token lists; return the tokens of mentions with a gap."""
    gaps: list[TokenNumbers] = [()] * len(values)
    for row, value in enumerate(values):
        if value is None:
            continue
        indices = _indices(value, row, fail)
        bounds = (indices[0], indices[-1])
        if start[row] >= 0 and bounds != (start[row], end[row]):
            message = f"tokens {_shown(value)} do not span {start[row]} to {end[row]}"
            raise fail("tokens-invalid", row, message, "give either tokens or start and end")
        start[row], end[row] = bounds
        if len(indices) <= indices[-1] - indices[0]:
            gaps[row] = indices
    return gaps


def _indices(value: object, row: int, fail: Fail) -> TokenNumbers:
    good = isinstance(value, list) and value and set(map(type, value)) == {int}
    if not good or not isinstance(value, list):
        message = f"tokens {_shown(value)} is not a list of integers"
        raise fail("field-invalid", row, message, "give a list such as [3, 4, 6]")
    indices = tuple(sorted(value))
    if indices[0] < 0 or indices[-1] > MAX_TOKEN:
        message = f"tokens {_shown(value)} are out of range"
        raise fail("tokens-invalid", row, message, _FROM_ZERO)
    if len(set(indices)) < len(indices):
        message = f"tokens {_shown(value)} has a duplicate"
        raise fail("tokens-invalid", row, message, "give each token once")
    return indices


def _check(doc: list[str | None], ids: list[str], start: Ints, fail: Fail) -> None:
    placed = start >= 0
    for row in np.flatnonzero(~placed).tolist():
        if not ids[row]:
            raise fail("field-invalid", row, "the mention has neither tokens nor an id", NEEDED)
    if None in doc:
        for row in np.flatnonzero(placed).tolist():
            if doc[row] is None:
                raise fail("field-invalid", row, "doc is missing", NEEDED)


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**15 else "(a huge number)"
    return text if len(text) <= 40 else f"{text[:37]}..."
