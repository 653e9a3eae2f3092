"""JSON Lines: one mention a line, as an object with the fields of ``records.ALIASES``.

``{"doc": "24_1ecb", "start": 3, "end": 4, "chain": "7"}``; a mention with a gap has ``tokens``;
``{"mention": "24_1ecb/12", "chain": "7"}`` names a mention of the corpus by its id. Other fields
are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from cdec.formats import records
from cdec.formats.annotation import Annotation
from cdec.formats.records import Record, from_records, to_records
from cdec.io.source import Source
from cdec.io.strict_json import parse, parse_at

# The output of end-to-end systems: what its clusters mean across documents is not said in it.
_ONE_MENTION = (
    'write one mention a line, {"doc": "d", "start": 3, "end": 4, "chain": "7"}, or one JSON value '
    'for all documents, {"clusters": {"7": [["d", 3, 4]]}}'
)


def read(source: Source) -> Annotation:
    """Return the Annotation of a JSON Lines file; raises FormatError with ``file:line``."""
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
            raise source.error(number, "the line is no JSON object", records.NEEDED)
        if isinstance(value.get("clusters"), list | dict):
            raise source.error(number, "the line is a document with its clusters", _ONE_MENTION)
    return values


def write(annotation: Annotation) -> Iterator[str]:
    """Yield the lines of the file, one mention each."""
    for record in to_records(annotation):
        yield json.dumps(record, ensure_ascii=False) + "\n"
