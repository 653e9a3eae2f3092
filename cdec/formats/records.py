"""Mentions as records with named fields: JSON Lines, CSV, TSV, frames, and JSON with chains.

==========  =====================================================================
doc         document name
start, end  indices of the first and the last token (inclusive) in the document, from 0
tokens      indices of all tokens in the document (instead of start and end)
chain       chain label, string or integer; missing or blank: no chain (``cdec.clustering``)
mention     mention id such as 37_4ecbplus/36 (instead of doc and tokens)
m_id        the part of the mention id after the document name (with doc)
sentence    number of the sentence, in which start, end and tokens may count
words       words of the mention (``text`` and other names), which must be at the place
==========  =====================================================================

Other names of these fields: ``fields``. Other fields are ignored, also sentences as text. A mention
with a gap has ``tokens``: a list in JSON, ``3 4 6`` or ``[3, 4, 6]`` in a table. An empty field of
a table is a missing value. The separator of CSV is a comma or a semicolon. A whole float such as
``5.0``, which pandas writes in a column with a missing value, is an integer at every door, but an
id is text.

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
from dataclasses import replace
from sys import intern
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import FormatError, spelled
from cdec.files.input import TextFile, integer
from cdec.files.strict_json import parse_at, shown
from cdec.formats.annotation import Annotation, gaps, mention_table
from cdec.formats.fields import (
    COLUMNS,
    NEEDED,
    are_integers,
    canonical,
    cluster_fields,
    cut_row,
    guessed_rows,
    is_field,
    may_be_chain,
    normal,
    objects,
    resolve,
    stated_columns,
    unknown_names,
    unread_notices,
    whole,
)
from cdec.formats.reading import Choice
from cdec.records import Columns, Fields, Tokens

MAX_TOKEN = 10_000_000
_SPANS = re.compile(r'\[\{"start": ?[0-9]+, ?"end"')
_PLAIN = {str, int, type(None)}
_HINT = (
    'write JSON such as {"chain 1": [["doc", 3, 4], ["doc", 9, 9]]}, '
    '[["24_1ecb/12", "24_2ecb/7"]] or {"24_1ecb/12": "chain 1"}'
)
# In JSON, the lists of a chain's mentions, and names of a chain besides those of ``fields``.
_MEMBERS = ("mentions", "mention_ids")
_CHAIN = ("event", "event_id", "entity", "entity_id", "id", "name")
_COUNTED = re.compile("[A-Za-z]*([0-9]{1,9})")  # an id that counts, such as 1 or T1
Record = dict[str, Any]


def read_lines(source: TextFile) -> Annotation:
    """Read a JSON Lines file; raises FormatError with ``file:line``."""
    return from_records(source, objects(source), "jsonl")


def read_chains(source: TextFile) -> Annotation:
    """Read a JSON file with chains or mentions; raises FormatError."""
    value = parse_at(source.text, 1, source.error, last=True)
    names = cluster_fields(value) if isinstance(value, dict) else {}
    response = _of_chains(source, value[names["chain"]] if names else value)
    if "gold" in names:
        return replace(response, gold=_of_chains(source, value[names["gold"]]))
    return response


def _of_chains(source: TextFile, value: Any) -> Annotation:
    """Return the Annotation of a list or mapping of chains or mentions."""
    if isinstance(value, dict):
        labels = whole([*value.values()])
        if labels and {*map(type, labels)} <= _PLAIN:
            records = [
                {"mention": mention, "chain": label} for mention, label in value.items()
            ]
            if any(canonical(name) for name in value):
                # The names of fields are no mentions: this is the record of one.
                records = [value]
            return from_records(source, ((0, record) for record in records), "json")
        chains = value
    elif not isinstance(value, list):
        raise source.error(
            "format-undetected", 0, "expected a list or an object of chains", _HINT
        )
    elif value and all(isinstance(item, dict) for item in value):
        names = [
            name
            for name in _MEMBERS
            if all(isinstance(i.get(name), list) for i in value)
        ]
        if not names:
            return from_records(source, ((0, record) for record in value), "json")
        chains = _chains_of_objects(source, value, names[0])
    else:
        chains = {str(number): chain for number, chain in enumerate(value)}
    annotation = from_records(source, _members(source, chains), "json")
    # A list of the mentions of a chain says itself which mentions are in it.
    return replace(annotation, reading={"labels": Choice("corpus", "file")})


def _chains_of_objects(
    source: TextFile, objects_: Sequence[Record], members: str
) -> dict[str, list[Any]]:
    """Return label → mentions of chains that are objects, whose mentions are in ``members``."""
    chains = {}
    for number, chain in enumerate(objects_):
        label = str(number)
        for name in chain:
            if canonical(name) == "chain" or name in _CHAIN:
                label = str(chain[name])
                break
        if label in chains:
            raise source.error(
                "field-invalid", 0, f"two chains '{label[:40]}'", "join them"
            )
        chains[label] = chain[members]
    return chains


def _members(source: TextFile, chains: Fields) -> Iterator[tuple[int, Record]]:
    """Yield line (unknown: 0) and record of each mention of these chains."""
    for label, chain in chains.items():
        for number, item in enumerate(
            chain if isinstance(chain, list) else [chain], start=1
        ):
            where = f"chain '{label[:40]}', mention {number}: "
            record = _mention(item)
            if record is None or not isinstance(chain, list):
                raise source.error(
                    "format-undetected",
                    0,
                    f"{where}{json.dumps(item)[:60]} is not a mention",
                    _HINT,
                )
            for name in filter(may_be_chain, record):
                raise source.error(
                    "field-invalid",
                    0,
                    f"{where}'{name}' is a second chain",
                    "remove or rename the field",
                )
            yield 0, {**record, "chain": label}


def _mention(item: object) -> Record | None:
    """Return the record of a mention in a chain; None if it is none."""
    if isinstance(item, list) and len(item) == 3:
        return dict(zip(("doc", "start", "end"), item, strict=True))
    if isinstance(item, str) or type(item) is int:
        return {"mention": str(item)}
    return item if isinstance(item, dict) else None


def from_records(
    source: TextFile, records: Iterable[tuple[int, Record]], format_: str
) -> Annotation:
    """Return the Annotation of ``records``: line (0 if unknown) and fields of each mention."""
    lines: list[int] = []
    columns: dict[str, Any] = {}
    names: dict[str, None] = {}
    for line, record in records:
        if type(record) is not dict:
            raise source.error(
                "format-undetected", line, "expected a JSON object", NEEDED
            )
        if not record.keys() <= names.keys():
            for name in record:
                if name in names:
                    continue
                names[name] = None
                if is_field(name) or stated_columns([name], source.columns):
                    columns[name] = [None] * len(lines)
        for name, column in columns.items():
            value = record.get(name)
            # Equal texts as one object take less memory, and less time to compare.
            column.append(intern(value) if type(value) is str else value)
        lines.append(line)
    fields = resolve(sorted(names), source.name, source.columns)
    values = {field: columns[name] for field, name in fields.items()}
    _refuse_local_ids(source, fields, values, lines)
    return _checked(source.name, values, lines, format_, titles=[*names], fields=fields)


def _refuse_local_ids(
    source: TextFile,
    fields: Mapping[str, str],
    columns: Mapping[str, list[Any]],
    lines: Sequence[int],
) -> None:
    """Raise FormatError if ids count the mentions of a place, and begin again in the next.

    ``fields`` has the name of each field, of which only ``id`` may be such an id; ``columns`` has
    its values. In another document, ids may begin again.
    """
    if normal(fields.get("mention", "")) != "id":
        return
    documents = columns.get("doc", [None] * len(lines))
    first: dict[str, str] = {}
    last: dict[str, int] = {}
    for document, value, line in zip(documents, columns["mention"], lines, strict=True):
        parts = _COUNTED.fullmatch(str(value))
        if parts is None:
            return
        place = str(document)
        number = int(parts[1])
        begins_again = str(value) == first.get(place) and number < last[place]
        if begins_again and number in (0, 1):
            option = spelled("columns", {"doc": "NAME", "start": "NAME", "end": "NAME"})
            raise source.error(
                "mention-unknown",
                line,
                f"the id {value} begins again: it does not say who a mention is",
                "give document and tokens of each mention, or say which column is which, such as "
                f"{option}",
            )
        first.setdefault(place, str(value))
        last[place] = number


def read_table(source: TextFile) -> Annotation:
    """Read a CSV or TSV file; raises FormatError with ``file:line``."""
    rows = guessed_rows(source)
    line, header = next(rows)
    fields = resolve(header, source.place(line), source.columns, table=True)
    index_of = {field: header.index(name) for field, name in fields.items()}
    lines = []
    cells: dict[str, list[str]] = {field: [] for field in fields}
    for line, row in rows:
        lines.append(line)
        for field, index in index_of.items():
            cells[field].append(intern(row[index]))
    values = {}
    for field, column in cells.items():
        convert = COLUMN_VALUES.get(field, _text)
        value_of = {cell: convert(cell) for cell in {*column}}
        values[field] = [value_of[cell] for cell in column]
    _refuse_local_ids(source, fields, values, lines)
    annotation = _checked(
        source.name, values, lines, "csv", titles=header, fields=fields
    )
    return replace(annotation, notices=(*annotation.notices, *cut_row(source)))


def _text(value: str) -> str | None:
    return value if value.strip() else None


def _integer(value: str) -> int | str | None:
    number = integer(value.strip().removesuffix(".0"), 15)
    return _text(value) if number < 0 else number


def _tokens(value: str) -> list[int | str | None] | None:
    parts = value.strip(" []()").replace(",", " ").split()
    return [_integer(part) for part in parts] if value.strip() else None


# Fields that are not text → the value of a cell.
COLUMN_VALUES: dict[str, Callable[[str], object]] = {
    "start": _integer, "end": _integer, "sentence": _integer, "tokens": _tokens,
}  # fmt: skip


def from_frame(
    frame: pd.DataFrame,
    name: str = "frame",
    *,
    unlabelled: bool = False,
    columns: Columns | None = None,
) -> Annotation:
    """Return the Annotation of a frame; a missing value is None or NaN, other columns are ignored.

    ``unlabelled``: a mention may lack a chain label, which is then ''. ``columns``: field → name of
    the column that holds it. Raises FormatError with the row, counted from 0.

    >>> frame = pd.DataFrame({"doc": ["d"], "sentence": [2], "start": [0], "end": [1], "chain": 7})
    >>> from_frame(frame).mentions[["sentence", "start", "end", "chain"]].values.tolist()
    [[2, 0, 1, '7']]
    """
    titles = list(map(str, frame.columns))
    fields = resolve(titles, name, columns, table=True)
    table = frame.set_axis(titles, axis=1)[[*dict.fromkeys(fields.values())]].astype(
        object
    )
    table = table.where(table.notna(), None)
    values = {field: table[title].tolist() for field, title in fields.items()}
    annotation = _checked(
        name, values, [0] * len(frame), "frame", titles=titles, fields=fields
    )
    return annotation if unlabelled else annotation.labelled()


def words_of(value: object) -> str:
    """Return the words of a mention, which are text or a list of words; '' for something else."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)
    return value if isinstance(value, str) else ""


def _is_name(value: object) -> bool:
    return (type(value) is str and bool(value.strip())) or type(value) is int


def _is_label(value: object) -> bool:
    # A blank label may be noise; a list in the cell of a table has the spans of an annotation tool.
    return type(value) in {str, int} and not _SPANS.match(str(value))


def _is_integer(value: object) -> bool:
    return type(value) is int


def _is_index(value: int) -> bool:
    return 0 <= value <= MAX_TOKEN


def _are_indices(value: Sequence[int]) -> bool:
    return all(map(_is_index, value)) and len({*value}) == len(value)


# Fields, what their values must be, the code of the error for another value, and the words for it.
_CHECKS: tuple[tuple[tuple[str, ...], Callable[[Any], bool], str, str], ...] = (
    (
        ("doc", "mention", "m_id"),
        _is_name,
        "field-invalid",
        "a name, as text or an integer",
    ),
    (("chain", "gold"), _is_label, "field-invalid", "a label, as text or an integer"),
    (("start", "end", "sentence"), _is_integer, "field-invalid", "an integer"),
    (
        ("start", "end", "sentence"),
        _is_index,
        "tokens-invalid",
        "an index; tokens count from 0",
    ),
    (
        ("tokens",),
        are_integers,
        "field-invalid",
        "a list of integers, such as [3, 4, 6]",
    ),
    (
        ("tokens",),
        _are_indices,
        "tokens-invalid",
        "a list of different indices, from 0",
    ),
)


def _checked(
    name: str,
    columns: Mapping[str, list[Any]],
    lines: Sequence[int],
    format_: str,
    *,
    titles: Sequence[str],
    fields: Mapping[str, str],
) -> Annotation:
    """Return the Annotation of ``columns``: field → values, one per mention, None if missing.

    ``titles`` are all names in the file, ``fields`` has the name of each field; ``lines`` are the
    lines of the mentions, 0 if unknown. Raises FormatError with the line or row for a missing
    value, a wrong type or a wrong range.
    """

    def fail(code: str, row: int, message: str) -> FormatError:
        place = name
        if format_ == "frame":
            place = f"{name}, row {row}"
        elif lines[row]:
            place = f"{name}:{lines[row]}"
        else:
            message = f"mention {row + 1}: {message}"
        return FormatError(code, message, place=place, hint=NEEDED)

    values = dict.fromkeys(COLUMNS, [None] * len(lines)) | _valid(columns, fail)
    docs = _texts(values["doc"])
    ids = _texts(values["mention"])
    for row, part in enumerate(_texts(values["m_id"])):
        if docs[row] and part and not ids[row]:
            ids[row] = f"{docs[row]}/{part}"
    tokens: list[Tokens] = [()] * len(lines)
    first = last = np.full(len(lines), -1)
    if "tokens" in columns:
        tokens = [tuple(sorted(indices or ())) for indices in values["tokens"]]
        first = np.array([indices[0] if indices else -1 for indices in tokens])
        last = np.array([indices[-1] if indices else -1 for indices in tokens])
    start = _numbers(values["start"])
    end = _numbers(values["end"])
    has_tokens = first >= 0
    has_start = start >= 0
    has_place = has_tokens | has_start
    lacks_half = has_start != (end >= 0)
    differs = (first != start) | (last != end)
    reverse = "end is before start; it is the index of the last token"
    unequal = "tokens do not begin at start and end at end"
    nobody = "the mention has neither tokens nor an id"
    for is_wrong, code, message in (
        (~has_tokens & lacks_half, "field-invalid", "start or end is missing"),
        (~has_tokens & (end < start), "tokens-invalid", reverse),
        (has_tokens & has_start & differs, "tokens-invalid", unequal),
        (has_place & (np.array(docs, object) == ""), "field-invalid", "doc is missing"),
        (~has_place & (np.array(ids, object) == ""), "field-invalid", nobody),
    ):
        if is_wrong.any():
            raise fail(code, int(is_wrong.argmax()), message)
    start = np.where(has_tokens, first, start)
    end = np.where(has_tokens, last, end)
    if not has_place.all():
        docs = [
            doc or id_.rpartition("/")[0] for doc, id_ in zip(docs, ids, strict=True)
        ]
    if has_tokens.any():
        tokens = gaps(pd.DataFrame({"start": start, "end": end, "tokens": tokens}))
    mentions = mention_table(
        doc=docs,
        start=start,
        end=end,
        chain=_texts(values["chain"]),
        tokens=tokens,
        line=lines,
        mention=ids,
        sentence=np.where(start < 0, -1, _numbers(values["sentence"])),
        words=[words_of(value) for value in columns["words"]]
        if "words" in columns
        else None,
    )
    documents = dict.fromkeys(mentions["doc"])
    annotation = Annotation(
        name, format_, mentions, documents, names_tokens=bool(has_tokens.any())
    )
    gold = None
    if "gold" in columns:
        chain = pd.Series(_texts(values["gold"]), mentions.index, dtype=object)
        gold = replace(annotation, mentions=mentions.assign(chain=chain))
    read = fields.values()
    unread = tuple(title for title in titles if title and title not in read)
    # Records may have many fields about other things: only what may be a mention's is said.
    listed = unread if format_ == "csv" else unknown_names(titles, fields)
    return replace(
        annotation,
        gold=gold,
        notices=tuple(unread_notices(listed, name)),
        columns=tuple(titles),
        unread=unread,
    )


def _valid(
    columns: Mapping[str, list[Any]], fail: Callable[[str, int, str], FormatError]
) -> dict[str, list[Any]]:
    """Return the values, without texts of sentences; raise for a wrong type or range."""
    values = {}
    distinct = {}
    for field, column in columns.items():
        # A file has fewer names than mentions; of Python, 1 and True are one value.
        is_plain = {*map(type, column)} <= _PLAIN
        values[field] = column if is_plain else whole(column)
        distinct[field] = {*column} if is_plain else values[field]
    sentences = (value for value in values.get("sentence", ()) if value is not None)
    if not isinstance(next(sentences, 0), int | float):
        del values["sentence"], distinct["sentence"]
    for fields, is_valid, code, expectation in _CHECKS:
        for field in fields:
            found = distinct.get(field, ())
            if all(value is None or is_valid(value) for value in found):
                continue
            for row, value in enumerate(values[field]):
                if value is not None and not is_valid(value):
                    message = f"{field} {shown(value)} is not {expectation}"
                    raise fail(code, row, message)
    return values


def _texts(values: Sequence[str | int | None]) -> list[str]:
    # Equal texts are one object, which takes less memory than a string per mention.
    texts = {value: str(value) for value in {*values} - {None}}
    return [texts.get(value, "") for value in values]


def _numbers(values: Sequence[int | None]) -> Ints:
    return np.array([-1 if value is None else value for value in values], np.int64)
