"""Mentions as objects with the fields of ``fields.ALIASES``, as JSON has them, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cdec.arrays import Ints
from cdec.formats import fields, records
from cdec.formats.annotation import Annotation
from cdec.io.failing import failing
from cdec.io.source import Source

Record = dict[str, Any]


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
