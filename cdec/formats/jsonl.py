"""JSON Lines: one mention per line, an object with the fields of ``fields.ALIASES``.

Examples: ``{"doc": "24_1ecb", "start": 3, "end": 4, "chain": "7"}``, or for a mention of the
corpus ``{"mention": "24_1ecb/12", "chain": "7"}``. A mention with a gap has ``tokens``. Other
fields are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from cdec.formats import fields
from cdec.formats.annotation import Annotation
from cdec.formats.json_lines import read_regular
from cdec.formats.records import Record, annotation, check_mentions, from_records, to_records
from cdec.io.source import Source, failing
from cdec.io.strict_json import parse, parse_at
from cdec.io.text_columns import Irregular

# End-to-end systems write such lines. They do not say which clusters of two documents are one.
_ONE_MENTION = (
    'write one mention per line, {"doc": "d", "start": 3, "end": 4, "chain": "7"}, or one JSON '
    'object for all documents, {"clusters": {"7": [["d", 3, 4]]}}'
)


def read(source: Source) -> Annotation:
    """Read a JSON Lines file; raises FormatError with ``file:line``."""
    try:
        return _regular(source)
    except Irregular:
        return _general(source)


def _regular(source: Source) -> Annotation:
    columns, lines = read_regular(source)
    if "clusters" in columns:
        raise Irregular
    known = fields.resolve(sorted(columns), source.name)
    values = {field: columns[name].tolist() for field, name in known.items()}
    return annotation(source.name, values, lines, failing(source, lines), "jsonl")


def _general(source: Source) -> Annotation:
    numbers = [n for n, line in enumerate(source.lines, start=1) if line and not line.isspace()]
    lines = np.array(numbers, dtype=np.int64)
    return from_records(source, _objects(source, numbers), lines, "jsonl")


def _objects(source: Source, numbers: list[int]) -> list[Record]:
    try:
        values = [parse(source.lines[n - 1]) for n in numbers]
    except ValueError:
        values = [parse_at(source, source.lines[n - 1], n) for n in numbers]
    for number, value in zip(numbers, values, strict=True):
        if type(value) is not dict:
            message = "the line is not a JSON object"
            raise source.error("json-structure", number, message, fields.NEEDED)
        if isinstance(value.get("clusters"), list | dict):
            message = "the line is a document with clusters, expected a mention"
            raise source.error("json-structure", number, message, _ONE_MENTION)
    return values


def write(written: Annotation) -> Iterator[str]:
    """Yield the lines of the file, one per mention; raises FormatError without a mention."""
    check_mentions(written)
    for record in to_records(written):
        yield json.dumps(record, ensure_ascii=False) + "\n"
