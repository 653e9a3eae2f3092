"""The Gun Violence Corpus (Vossen et al. 2018), in the layout of its ``gold.conll``.

A line has token id, token, DCT, TITLE or BODY, and the chain in brackets. The token id is the
document, a dot, and ``DCT`` (the date), ``t1.N`` (title) or ``bS.N`` (sentence S of the body), so
that sentence 0 is the date, 1 the title, and S + 1 sentence S: as published mention ids count.

The table ``gvc_doc_to_event.csv`` of Bugert et al. (2021) gives the incident of each document.
"""

from __future__ import annotations

import re
from functools import partial

from cdec.corpus.model import ANNOTATED, Corpus, Document
from cdec.corpus.readers.columns import Columns, Placed, blocks_of, corpus_at
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.errors import CorpusError
from cdec.formats.layouts import table_rows

TOPIC = "gun-violence"
NO_EVENT, _NO_EVENT_CHAIN = "no-event", "0"
_TOKEN = re.compile(r"(?P<doc>.+)\.(?:DCT|(?P<part>[tb])(?P<sentence>[0-9]{1,9})\.[0-9]+)")
_NEWLINE = "NEWLINE"  # a paragraph break that the corpus writes as a token
_HEADER = ["doc-id", "event-id"]


def is_gvc(source: Source) -> bool:
    """Return whether the second line of any file is a date of GVC."""
    heads = (source.head(file)[:2] for file in source.files if file.endswith(".conll"))
    return any(len(head) == 2 and ".DCT\t" in head[1] for head in heads)


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with file and line."""
    incidents = _incidents(source)
    documents: list[Document] = []
    mentions: list[Placed] = []
    for file, _ in source:
        for columns, _, lines in blocks_of(source, file) if file.endswith(".conll") else ():
            for number, line in lines:
                _add(source, columns, number, line)
            if incidents and columns.id not in incidents:
                message = f"document '{columns.id}' has no incident in the table of incidents"
                hint = "add it to the table, or remove the table"
                raise CorpusError("corpus-invalid", message, place=file, hint=hint)
            date = " ".join(columns.sentences[0]) if columns.sentences else ""
            about = {"date": date} if date else {}
            place = (TOPIC, incidents.get(columns.id, ""))
            documents.append(Document(columns.id, *place, columns.text, 1, about))
            for span in columns.spans():
                state = NO_EVENT if span.chain == _NO_EVENT_CHAIN else ANNOTATED
                mentions.append((columns.id, span, {"state": state}))
    levels = {"topic": "topic"} | ({"subtopic": "incident"} if incidents else {})
    return corpus_at(
        source,
        documents,
        mentions,
        levels=levels,
        # A chain is an incident, a type of event and its participants (README of the corpus).
        linked_within="subtopic",
        variants={
            "left-out": {NO_EVENT: "drop"},
            "singletons": {NO_EVENT: "single"},
            "one-chain": {NO_EVENT: "keep"},
        },
        splits=("gvc",),
    )


def _add(source: Source, columns: Columns, number: int, line: str) -> None:
    fields = line.split("\t")
    match = _TOKEN.fullmatch(fields[0])
    if len(fields) != 4 or match is None or match["doc"] != columns.id:
        message = f"expected the id of a token of '{columns.id}', the token, DCT, TITLE or BODY, "
        message += "and the chain, separated by tabs"
        raise error(columns.file, "corpus-invalid", number, message)
    if fields[1] == _NEWLINE:
        source.note("newline-token", columns.id)
        return
    place = {"t": 0, "b": 1, None: 0}[match["part"]] + int(match["sentence"] or 0)
    columns.add(number, place, fields[1], fields[3])


def _incidents(source: Source) -> dict[str, str]:
    """Return document → incident of the tables; empty without a table."""
    incidents: dict[str, str] = {}
    for file in (file for file in source.files if file.endswith(".csv")):
        rows = list(table_rows(source.text(file), ",", partial(error, file, "file-invalid")))
        for line, row in rows:
            if len(row) != 2 or not all(row) or (row == _HEADER) != (line == rows[0][0]):
                message = f"expected {' and '.join(_HEADER)}, got {row[:3]}"
                raise error(file, "file-invalid", line, message)
        incidents |= {document: incident for _, (document, incident) in rows[1:]}
    return incidents


FORMAT = CorpusFormat(
    "gvc",
    "GVC",
    patterns=("gold*.conll", "*doc_to_event.csv"),
    expected="gold.conll of the corpus, and gvc_doc_to_event.csv beside it",
    sniff=is_gvc,
    read=read,
)
