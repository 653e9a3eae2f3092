"""JSON Lines: one mention per line, an object with the fields of ``fields.ALIASES``.

Examples: ``{"doc": "24_1ecb", "start": 3, "end": 4, "chain": "7"}``, or for a mention of the
corpus ``{"mention": "24_1ecb/12", "chain": "7"}``. A mention with a gap has ``tokens``. Other
fields are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from cdec.formats import fields
from cdec.formats.annotation import Annotation
from cdec.formats.records import Record, check_mentions, from_records, to_records
from cdec.io.source import Source
from cdec.io.strict_json import parse_at

# End-to-end systems write such lines. They do not say which clusters of two documents are one.
_ONE_MENTION = (
    'write one mention per line, {"doc": "d", "start": 3, "end": 4, "chain": "7"}, or one JSON '
    'object for all documents, {"clusters": {"7": [["d", 3, 4]]}}'
)


def read(source: Source) -> Annotation:
    """Read a JSON Lines file; raises FormatError with ``file:line``."""
    return from_records(source, _objects(source), "jsonl")


def _objects(source: Source) -> Iterator[tuple[int, Record]]:
    """Yield line and object of each mention."""
    for number, line in enumerate(source.lines, start=1):
        if not line or line.isspace():
            continue
        value = parse_at(line, number, source.error)
        if type(value) is not dict:
            message = "the line is not a JSON object"
            raise source.error("json-structure", number, message, fields.NEEDED)
        if isinstance(value.get("clusters"), list | dict):
            message = "the line is a document with clusters, expected a mention"
            raise source.error("json-structure", number, message, _ONE_MENTION)
        yield number, value


def write(written: Annotation) -> Iterator[str]:
    """Yield the lines of the file, one per mention; raises FormatError without a mention."""
    check_mentions(written)
    for record in to_records(written):
        yield json.dumps(record, ensure_ascii=False) + "\n"
