"""JSON Lines: one mention a line, as an object with the fields of ``fields.ALIASES``.

``{"doc": "24_1ecb", "start": 3, "end": 4, "chain": "7"}``; a mention with a gap has ``tokens``;
``{"mention": "24_1ecb/12", "chain": "7"}`` names a mention of the corpus by its id. Other fields
are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cdec.arrays import Ints
from cdec.errors import FormatError
from cdec.formats import fields, records
from cdec.formats.annotation import Annotation
from cdec.formats.parsing import parse, parse_at
from cdec.formats.source import Source

Record = dict[str, Any]
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


def from_records(source: Source, objects: list[Record], lines: Ints, format_: str) -> Annotation:
    """Return the Annotation of one object a mention, the line of each given (0 if unknown)."""
    names: dict[str, None] = {}
    for found in {tuple(record) for record in objects}:
        names.update(dict.fromkeys(found))
    known = fields.resolve(sorted(names), source.name)
    columns = {field: [r.get(name) for r in objects] for field, name in known.items()}
    mentions = records.table(columns, lines, failing(source, lines))
    documents = dict.fromkeys(mentions["doc"])
    return Annotation(source.name, format_, mentions, documents)


def failing(source: Source, lines: Ints) -> Callable[[int, str, str], FormatError]:
    """Return what makes the error of a row."""

    def fail(row: int, message: str, cure: str) -> FormatError:
        line = int(lines[row])
        return source.error(line, message if line else f"mention {row + 1}: {message}", cure)

    return fail


def _objects(source: Source, numbers: list[int]) -> list[Record]:
    try:
        values = [parse(source.lines[n - 1]) for n in numbers]
    except ValueError:
        values = [parse_at(source, source.lines[n - 1], n) for n in numbers]
    for number, value in zip(numbers, values, strict=True):
        if type(value) is not dict:
            raise source.error(number, "the line is no JSON object", fields.NEEDED)
        if isinstance(value.get("clusters"), list | dict):
            raise source.error(number, "the line is a document with its clusters", _ONE_MENTION)
    return values


def write(annotation: Annotation) -> Iterator[str]:
    """Yield the lines of the file, one mention each."""
    for record in to_records(annotation):
        yield json.dumps(record, ensure_ascii=False) + "\n"


def to_records(annotation: Annotation) -> Iterator[Record]:
    """Yield one object a mention, with the fields it has."""
    table = annotation.mentions
    names = ("doc", "start", "end", "tokens", "mention", "chain")
    columns = [table[name].tolist() for name in names]
    for doc, start, end, tokens, mention, chain in zip(*columns, strict=True):
        record: Record = {} if start < 0 else {"doc": doc, "start": start, "end": end}
        if tokens:
            record["tokens"] = list(tokens)
        if mention:
            record["mention"] = mention
        yield {**record, "chain": chain}
