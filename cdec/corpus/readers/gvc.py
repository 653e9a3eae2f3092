"""The Gun Violence Corpus (Vossen et al. 2018), in the layout of its ``gold.conll``.

A line has token id, token, DCT, TITLE or BODY, and the chain in brackets. The token id is the
document, a dot, and ``DCT`` (the date), ``t1.N`` (title) or ``bS.N`` (sentence S of the body), so
that sentence 0 is the date, 1 the title, and S + 1 sentence S: as published mention ids count.

The table ``gvc_doc_to_event.csv`` of Bugert et al. (2021) gives the incident of each document.
"""

from __future__ import annotations

from dataclasses import replace

from cdec.corpus.model import ANNOTATED, Corpus
from cdec.corpus.readers.columns import check, corpus_at, documents_of, rows_of
from cdec.corpus.source import HINT, CorpusFormat, Source
from cdec.errors import CorpusError
from cdec.files.input import TextFile
from cdec.formats.fields import named_rows

TOPIC = "gun-violence"
NO_EVENT, _NO_EVENT_CHAIN = "no-event", "0"
_PLACE = r"^(?P<doc>.+)\.(?:DCT|(?P<part>[tb])(?P<sentence>[0-9]{1,9})\.[0-9]+)$"
_EXPECTED = "expected the id of a token of '{block}', the token, DCT, TITLE or BODY, and the chain"
_NEWLINE = "NEWLINE"  # a paragraph break that the corpus writes as a token
_HEADER = {"doc-id": (), "event-id": ()}


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with file and line."""
    incidents = _incidents(source)
    found = []
    for file, _ in source:
        if not file.endswith(".conll"):
            continue
        rows = rows_of(source, file, ("id", "token", "section", "cell"))
        at = rows["id"].str.extract(_PLACE)
        check(file, rows, at["doc"] != rows["block"], _EXPECTED)
        unknown = ~rows["block"].isin(incidents) & bool(incidents)
        check(
            file,
            rows,
            unknown,
            "document '{block}' has no incident in the table of incidents",
            hint="add it to the table, or remove the table",
        )
        sentence = at["sentence"].fillna("0").astype(int) + (at["part"] == "b")
        is_break = rows["token"] == _NEWLINE
        source.defects.extend(("newline-token", doc) for doc in rows["block"][is_break])
        text = rows.assign(doc=rows["block"], sentence=sentence)[~is_break]
        for document, spans in documents_of(file, text):
            date = " ".join(document.sentences[0])
            renamed = replace(
                document,
                topic=TOPIC,
                subtopic=incidents.get(document.id, ""),
                text_start=1,
                attributes={"date": date} if date else {},
            )
            states = {_NO_EVENT_CHAIN: NO_EVENT}
            mentions = [
                (span, {"state": states.get(span.chain, ANNOTATED)}) for span in spans
            ]
            found.append((renamed, mentions))
    return corpus_at(
        source,
        found,
        levels={"topic": "topic"} | ({"subtopic": "incident"} if incidents else {}),
        # A chain is an incident, a type of event and its participants (README of the corpus).
        linked_within="subtopic",
        variants={
            "left-out": {NO_EVENT: "drop"},
            "singletons": {NO_EVENT: "single"},
            "one-chain": {NO_EVENT: "keep"},
        },
        splits=("gvc",),
    )


def _incidents(source: Source) -> dict[str, str]:
    """Return document → incident of the tables; empty without a table."""
    incidents = {}
    for file in source.files:
        if not file.endswith(".csv"):
            continue
        rows = list(named_rows(TextFile(file, source.text(file)), _HEADER))
        for place, row in rows or [(f"{file}:1", {})]:
            if row.keys() != _HEADER.keys():
                raise CorpusError(
                    "file-invalid",
                    f"expected {' and '.join(_HEADER)}, got {str(row)[:60]}",
                    place=place,
                    hint=HINT,
                )
            incidents[row["doc-id"]] = row["event-id"]
    return incidents


FORMAT = CorpusFormat(
    "gvc",
    "GVC",
    patterns=("gold*.conll", "*doc_to_event.csv"),
    begins=r"[^\n]*\n[^\n]*\.DCT\t",  # the second line is a date
    read=read,
)
