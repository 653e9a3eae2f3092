"""JSON Lines, with a mention in each line, and JSON with the chains of a whole file.

* JSON Lines: objects with the fields of ``fields.ALIASES``, such as ``{"doc": "24_1ecb", "start":
  3, "end": 4, "chain": "7"}``, or for a mention of the corpus ``{"mention": "24_1ecb/12", "chain":
  "7"}``. A mention with a gap has ``tokens``. Other fields are ignored.
* JSON: a list of chains, a mapping chain label → mentions, or mention id → chain label. A mention
  is an object as above without the chain, ``[doc, start, end]``, or an id such as
  ``"37_4ecbplus/36"`` (any string or integer if two files are scored). The reader also accepts a
  list of mention objects with a chain field, and an object with ``clusters`` as written by the
  scorer scorch (Grobol) and by end-to-end systems (one document: ``doc_key``, clusters of ``[start,
  end]``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cdec.files.input import Source
from cdec.files.strict_json import parse_at
from cdec.formats import fields
from cdec.formats.annotation import Annotation
from cdec.formats.records import Record, check_mentions, from_records, to_records

# End-to-end systems write such lines. They do not say which clusters of two documents are one.
_ONE_MENTION = (
    'write one mention per line, {"doc": "d", "start": 3, "end": 4, "chain": "7"}, or one JSON '
    'object for all documents, {"clusters": {"7": [["d", 3, 4]]}}'
)
_HINT = (
    'write JSON such as {"chain 1": [["doc", 3, 4], ["doc", 9, 9]]}, '
    '[["24_1ecb/12", "24_2ecb/7"]] or {"24_1ecb/12": "chain 1"}'
)


def read_lines(source: Source) -> Annotation:
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
            raise source.error("format-undetected", number, message, fields.NEEDED)
        if isinstance(value.get("clusters"), list | dict):
            message = "the line is a document with clusters, expected a mention"
            raise source.error("format-undetected", number, message, _ONE_MENTION)
        yield number, value


def write_lines(annotation: Annotation) -> Iterator[str]:
    """Yield the lines of the file, one per mention; raises FormatError without a mention."""
    check_mentions(annotation)
    for record in to_records(annotation):
        yield json.dumps(record, ensure_ascii=False) + "\n"


def read_chains(source: Source) -> Annotation:
    """Read a JSON clusters file; raises FormatError."""
    value = parse_at(source.text, 1, source.error)
    return from_records(source, ((0, record) for record in _records(source, value)), "json")


def _records(source: Source, value: Any) -> list[Record]:
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return value
    doc = None
    if isinstance(value, dict) and isinstance(value.get("clusters"), list | dict):
        doc = next((v for k, v in value.items() if fields.canonical(k) == "doc"), None)
        value = value["clusters"]
    elif isinstance(value, dict) and value and all(map(_is_label, value.values())):
        return [{"mention": mention, "chain": label} for mention, label in value.items()]
    if isinstance(value, list):
        value = {str(number): chain for number, chain in enumerate(value)}
    if not isinstance(value, dict):
        raise source.error("format-undetected", 0, "expected a list or an object of chains", _HINT)
    return [
        {**_mention(source, label, number, item, doc), "chain": label}
        for label, chain in value.items()
        for number, item in enumerate(_chain(source, label, chain), start=1)
    ]


def _is_label(value: object) -> bool:
    return type(value) in {str, int, type(None)} or (type(value) is float and value.is_integer())


def _chain(source: Source, label: str, chain: object) -> list[Any]:
    if isinstance(chain, list):
        return chain
    message = f"chain '{label[:40]}' is not a list of mentions"
    raise source.error("format-undetected", 0, message, _HINT)


def _mention(source: Source, label: str, number: int, item: object, doc: object) -> Record:
    """Return the record of one mention, without its chain."""
    known = fields.resolve(item, source.name) if isinstance(item, dict) else {}
    if "chain" in known:
        second = f"the field '{known['chain']}' is a second chain"
        message = f"chain '{label[:40]}', mention {number}: {second}"
        raise source.error("field-invalid", 0, message, "remove or rename the field")
    if isinstance(item, dict) and fields.is_place(known):
        return {field: item[name] for field, name in known.items()}
    if isinstance(item, list) and len(item) == 3:
        return dict(zip(("doc", "start", "end"), item, strict=True))
    if isinstance(item, list) and len(item) == 2 and doc is not None:
        return {"doc": doc, "start": item[0], "end": item[1]}
    if isinstance(item, str) or type(item) is int:
        return {"mention": str(item)}
    shown = json.dumps(item)[:60]
    message = f"chain '{label[:40]}', mention {number}: {shown} is not a mention"
    raise source.error("format-undetected", 0, message, _HINT)


def write_chains(annotation: Annotation) -> Iterator[str]:
    """Yield a JSON object with ``clusters``, a mapping chain → mentions; one mention per line."""
    chains: dict[str, list[str]] = {}
    for record in to_records(annotation):
        label = record.pop("chain")
        chains.setdefault(label, []).append(json.dumps(record, ensure_ascii=False))
    inside = [
        f"{json.dumps(label, ensure_ascii=False)}: [\n  " + ",\n  ".join(mentions) + "\n]"
        for label, mentions in chains.items()
    ]
    yield '{"clusters": {' + ",\n".join(inside) + "}}\n"
