"""Reader for the Gun Violence Corpus (Vossen et al. 2018), in the layout of its ``gold.conll``.

A line has token id, token, DCT, TITLE or BODY, and the chain in brackets. The token id is the
document, a dot, and ``DCT`` (the date), ``t1.N`` (title) or ``bS.N`` (sentence S of the body), so
that sentence 0 is the date, 1 the title, and S + 1 sentence S: as published mention ids count.

The table ``gvc_doc_to_event.csv`` of Bugert et al. (2021) gives the incident of each document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from cdec.columns.brackets import Span
from cdec.columns.tables import table_rows
from cdec.corpus.columns import Block, Columns, blocks_of, error, head_of, text_of
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import ANNOTATED, Document, Variants
from cdec.corpus.reading import Content, reader
from cdec.corpus.source import Source
from cdec.errors import CorpusError

TOPIC = "gun-violence"
NO_EVENT, _NO_EVENT_CHAIN = "no-event", "0"
VARIANTS: Variants = {
    "left-out": {NO_EVENT: "drop"},
    "singletons": {NO_EVENT: "single"},
    "one-chain": {NO_EVENT: "keep"},
}
_TOKEN = re.compile(r"(?P<doc>.+)\.(?:DCT|(?P<part>[tb])(?P<sentence>[0-9]{1,9})\.[0-9]+)")
_NEWLINE = "NEWLINE"  # a paragraph break that the corpus writes as a token
_HEADER = ["doc-id", "event-id"]


def is_gvc(source: Source) -> bool:
    """Return whether the second line of any file is a date of GVC."""
    heads = (head_of(source, file)[:2] for file in source.files if file.endswith(".conll"))
    return any(len(head) == 2 and ".DCT\t" in head[1] for head in heads)


def read(source: Source, tick: Any) -> Content:
    """Return documents and mentions. Raises CorpusError with file and line."""
    incidents = _incidents(source)
    levels = {"topic": "topic"} | ({"subtopic": "incident"} if incidents else {})
    content = Content(levels=levels)
    for file in source.files:
        if file.endswith(".conll"):
            for block in blocks_of(source, file):
                columns = _columns(block, content)
                content.add(_document(columns, incidents), columns.spans(), _state)
        tick()
    return content


def _state(span: Span) -> Mapping[str, Any]:
    return {"state": NO_EVENT if span.chain == _NO_EVENT_CHAIN else ANNOTATED}


def _document(columns: Columns, incidents: Mapping[str, str]) -> Document:
    if incidents and columns.id not in incidents:
        message = f"document '{columns.id}' has no incident in the table of incidents"
        hint = "add it to the table, or remove the table"
        raise CorpusError("corpus-file-invalid", message, place=columns.file, hint=hint)
    incident = incidents.get(columns.id, "")
    date = " ".join(columns.sentences[0]) if columns.sentences else ""
    attributes = {"date": date} if date else {}
    return Document(columns.id, TOPIC, incident, columns.text, 1, attributes)


def _columns(block: Block, content: Content) -> Columns:
    """Return the document in a block, without NEWLINE tokens."""
    columns = Columns(block.file, block.id)
    for number, line in block.lines:
        _add(columns, number, line, content)
    return columns


def _add(columns: Columns, number: int, line: str, content: Content) -> None:
    fields = line.split("\t")
    match = _TOKEN.fullmatch(fields[0])
    if len(fields) != 4 or match is None:
        message = "expected token id, token, DCT, TITLE or BODY, and chain, separated by tabs"
        raise error("corpus-file-invalid", columns.file, number, message)
    if match["doc"] != columns.id:
        message = f"a token of '{match['doc'][:60]}' in document '{columns.id}'"
        raise error("corpus-file-invalid", columns.file, number, message)
    if fields[1] == _NEWLINE:
        content.note("newline-token", columns.id)
        return
    place = {"t": 0, "b": 1, None: 0}[match["part"]] + int(match["sentence"] or 0)
    columns.add(number, place, fields[1], fields[3])


def _incidents(source: Source) -> dict[str, str]:
    """Return document → incident of the tables; empty without a table."""
    incidents: dict[str, str] = {}
    for file in source.files:
        if not file.endswith(".csv"):
            continue
        rows = table_rows(text_of(source, file), ",", partial(error, "table-invalid", file))
        for number, (line, row) in enumerate(rows):
            if row != _HEADER if number == 0 else len(row) != 2 or not all(row):
                message = f"expected {' and '.join(_HEADER)}, got {row[:3]}"
                raise error("table-invalid", file, line, message)
            if number:
                incidents[row[0]] = row[1]
    return incidents


# A chain is an incident, a type of event and its participants (README of the corpus).
ADAPTER = reader(
    LAYOUTS["gvc"], is_gvc, read, linked_within="subtopic", variants=VARIANTS, splits=("gvc",)
)
