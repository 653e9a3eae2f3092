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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from sys import intern
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import label_text
from cdec.errors import FormatError, spelled
from cdec.files.input import TextFile, integer
from cdec.files.strict_json import parse_at, shown
from cdec.formats.annotation import Annotation, mention_table
from cdec.formats.fields import (
    NEEDED,
    canonical,
    chains_by_side,
    cut_row,
    guessed_rows,
    is_field,
    may_be_chain,
    normal,
    objects,
    resolve,
    side_of,
    stated_columns,
    unknown_names,
    unread_notices,
    whole,
)
from cdec.formats.reading import Choice

MAX_TOKEN = 10_000_000
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
    of_sides = cluster_names(value)
    response = _of_chains(source, value[of_sides["chain"]] if of_sides else value)
    if "gold" in of_sides:
        return replace(response, gold=_of_chains(source, value[of_sides["gold"]]))
    return response


def cluster_names(value: Any) -> dict[str, str]:
    """Return ``chain`` and, if it has both sides, ``gold`` → the name of the clusters of an object.

    >>> cluster_names({"clusters": [], "predicted_clusters": [], "text": ""})
    {'chain': 'predicted_clusters', 'gold': 'clusters'}
    """
    if not isinstance(value, dict):
        return {}
    names = [
        name
        for name, clusters in value.items()
        if isinstance(clusters, list | dict) and side_of(name)[1] == "clusters"
    ]
    return {side: of_side[0] for side, of_side in chains_by_side(names, lambda _: True).items()}


def _of_chains(source: TextFile, value: Any) -> Annotation:
    """Return the Annotation of a list or mapping of chains or mentions."""
    labels = whole([*value.values()]) if isinstance(value, dict) else []
    are_labels = {*map(type, labels)} <= {str, int, type(None)}
    if labels and are_labels and any(canonical(name) for name in value):
        # The names of fields are no mentions: this is the record of one.
        return from_records(source, [(0, value)], "json")
    if labels and are_labels:
        value = [{"mention": mention, "chain": label} for mention, label in value.items()]
    if not isinstance(value, dict | list):
        raise source.error("format-undetected", 0, "expected a list or an object of chains", _HINT)
    chains: dict[str, Any] = value if isinstance(value, dict) else {}
    if not chains and value and all(isinstance(item, dict) for item in value):
        lists = next((n for n in _MEMBERS if all(isinstance(i.get(n), list) for i in value)), None)
        if lists is None:
            return from_records(source, ((0, record) for record in value), "json")
        for number, item in enumerate(value):
            names = [name for name in item if canonical(name) == "chain" or name in _CHAIN]
            label = str(item[names[0]] if names else number)
            if label in chains:
                raise source.error("field-invalid", 0, f"two chains '{label[:40]}'", "join them")
            chains[label] = item[lists]
    elif not chains:
        chains = {str(number): chain for number, chain in enumerate(value)}
    found: list[tuple[int, Record]] = []
    for label, chain in chains.items():
        for number, item in enumerate(chain if isinstance(chain, list) else [chain], start=1):
            record, where = _mention(item), f"chain '{label[:40]}', mention {number}: "
            if record is None or not isinstance(chain, list):
                message = f"{where}{json.dumps(item)[:60]} is not a mention"
                raise source.error("format-undetected", 0, message, _HINT)
            for name in filter(may_be_chain, record):
                message = f"{where}'{name}' is a second chain"
                raise source.error("field-invalid", 0, message, "remove or rename the field")
            found.append((0, {**record, "chain": label}))
    annotation = from_records(source, found, "json")
    # A list of the mentions of a chain says itself which mentions are in it.
    return replace(annotation, reading={"labels": Choice("corpus", "file")})


def _mention(item: Any) -> Record | None:
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
    columns: dict[str, list[Any]] = {}
    names: dict[str, None] = {}
    for line, record in records:
        if type(record) is not dict:
            raise source.error("format-undetected", line, "expected a JSON object", NEEDED)
        for name in record:
            if name in names:
                continue
            names[name] = None
            if is_field(name) or stated_columns([name], source.columns):
                columns[name] = [None] * len(lines)
        for name, column in columns.items():
            column.append(record.get(name))
        lines.append(line)
    fields = resolve(sorted(names), source.name, source.columns)
    unknown = unknown_names(sorted(names), fields)
    named = {field: columns[name] for field, name in fields.items()}
    if normal(fields.get("mention", "")) == "id":
        _refuse_local_ids(source, named, lines)
    made = _checked(source.name, named, np.array(lines, np.int64), format_)
    return replace(made, columns=(*names,), notices=(*unread_notices(unknown, source.name),))


def _refuse_local_ids(
    source: TextFile, columns: Mapping[str, list[Any]], lines: Sequence[int]
) -> None:
    """Raise FormatError if ids count the mentions of a place, and begin again in the next.

    ``columns`` has the values of each field; in another document, ids may begin again.
    """
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
            message = f"the id {value} begins again: it does not say who a mention is"
            option = spelled("columns", {"doc": "NAME", "start": "NAME", "end": "NAME"})
            hint = (
                "give document and tokens of each mention, or say which column is which, such as "
                f"{option}"
            )
            raise source.error("mention-unknown", line, message, hint)
        first.setdefault(place, str(value))
        last[place] = number


def read_table(source: TextFile) -> Annotation:
    """Read a CSV or TSV file; raises FormatError with ``file:line``."""
    rows = guessed_rows(source)
    line, header = next(rows)
    fields = resolve(header, source.place(line), source.columns, table=True)
    unknown = unknown_names(header, fields)
    at = {field: header.index(name) for field, name in fields.items()}
    lines: list[int] = []
    cells: dict[str, list[str]] = {field: [] for field in at}
    for line, row in rows:
        lines.append(line)
        for field, n in at.items():
            cells[field].append(intern(row[n]))
    columns: dict[str, list[Any]] = {}
    for field, column in cells.items():
        form = COLUMN_VALUES.get(field, _text)
        values = {cell: form(cell) for cell in {*column}}
        columns[field] = [values[cell] for cell in column]
    if normal(fields.get("mention", "")) == "id":
        _refuse_local_ids(source, columns, lines)
    made = _checked(source.name, columns, np.array(lines, np.int64), "csv")
    notices = (*unread_notices(unknown, source.name), *cut_row(source))
    return replace(made, columns=tuple(header), notices=notices)


def _text(value: str) -> str | None:
    return value if value.strip() else None


def _integer(value: str) -> int | str | None:
    """Return digits as an integer; anything else is refused with its row."""
    number = integer(value.strip().removesuffix(".0"), 15)
    return _text(value) if number < 0 else number


def _tokens(value: str) -> list[int | str | None] | None:
    parts = value.strip(" []()").replace(",", " ").split()
    return [_integer(part) for part in parts] if value.strip() else None


# Fields that are not text → the value of a cell.
COLUMN_VALUES: dict[str, Callable[[str], Any]] = {
    "start": _integer, "end": _integer, "sentence": _integer, "tokens": _tokens,
}  # fmt: skip


def from_frame(
    frame: pd.DataFrame,
    name: str = "frame",
    *,
    unlabelled: bool = False,
    columns: Mapping[str, str] | None = None,
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
    unknown = unknown_names(titles, fields)
    named = frame.set_axis(titles, axis=1)[[*dict.fromkeys(fields.values())]].astype(object)
    named = named.where(named.notna(), None)
    values = {field: named[title].tolist() for field, title in fields.items()}
    made = _checked(name, values, np.zeros(len(frame), np.int64), "frame")
    made = replace(made, columns=tuple(titles), notices=(*unread_notices(unknown, name),))
    return made if unlabelled else made.labelled()


def _is_name(value: Any) -> bool:
    return (type(value) is str and bool(value.strip())) or type(value) is int


def words_of(value: object) -> str:
    """Return the words of a mention, which are text or a list of words; '' for something else."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)
    return value if isinstance(value, str) else ""


def _is_label(value: Any) -> bool:
    return type(value) in {str, int}  # a blank label may be noise


def _are_numbers(value: Any) -> bool:
    return type(value) is list and {*map(type, value)} == {int}


def _are_indices(value: Sequence[int]) -> bool:
    return min(value) >= 0 and max(value) <= MAX_TOKEN and len({*value}) == len(value)


_INDEX = "an index; tokens count from 0"
# What the value of each field must be, if it has one.
_CHECKS: tuple[tuple[Sequence[str], Callable[[Any], bool], str, str], ...] = (
    (("doc", "mention", "m_id"), _is_name, "field-invalid", "a name, as text or an integer"),
    (("chain", "gold"), _is_label, "field-invalid", "a label, as text or an integer"),
    (("start", "end", "sentence"), lambda v: type(v) is int, "field-invalid", "an integer"),
    (("start", "end", "sentence"), lambda at: 0 <= at <= MAX_TOKEN, "tokens-invalid", _INDEX),
    (("tokens",), _are_numbers, "field-invalid", "a list of integers, such as [3, 4, 6]"),
    (("tokens",), _are_indices, "tokens-invalid", "a list of different indices, from 0"),
)


def _checked(name: str, columns: Mapping[str, list[Any]], lines: Ints, format_: str) -> Annotation:
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

    given: dict[str, list[Any]] = {}
    different: dict[str, Collection[Any]] = {}  # the values but None, most of them once
    for field in {field for checked, *_ in _CHECKS for field in checked}:
        values = columns.get(field) or [None] * len(lines)
        kinds = {*map(type, values)} - {type(None)}
        if not kinds <= {str, int}:
            values = list(map(whole, values))
            kinds = {*map(type, values)} - {type(None)}
        first = next((value for value in values if value is not None), 0)
        if field == "sentence" and not isinstance(first, int | float):
            values, kinds = [None] * len(lines), set()  # the texts of sentences
        is_plain = kinds <= {str} or kinds <= {int}
        given[field] = values
        different[field] = {*values} - {None} if is_plain else [v for v in values if v is not None]
    for checked, is_right, code, wanted in _CHECKS:
        for field in checked:
            if not all(map(is_right, different[field])):
                rows = (row for row, v in enumerate(given[field]) if not (v is None or is_right(v)))
                row = next(rows)
                message = f"{field} {shown(given[field][row])} is not {wanted}"
                raise fail(code, row, message, NEEDED)

    def texts(field: str) -> list[str]:
        # Equal texts are one object, which takes less memory than a string per mention.
        known = {v: v if type(v) is str else label_text(v) for v in different[field]}
        return list(map((known | {None: ""}).__getitem__, given[field]))

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
        words=[words_of(value) for value in columns.get("words", [None] * len(lines))],
    )
    documents, names = dict.fromkeys(mentions["doc"]), bool(listed.any())
    made = Annotation(name, format_, mentions, documents, names_tokens=names)
    if "gold" in columns:
        gold = mentions.assign(chain=pd.Series(texts("gold"), mentions.index, dtype=object))
        return replace(made, gold=replace(made, mentions=gold))
    return made
