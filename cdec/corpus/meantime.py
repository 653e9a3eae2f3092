"""Reader for MEANTIME (Minard et al. 2016) as converted by Zhukova, Hamborg and Gipp (2022).

``meantime.conll`` has document, sentence, token number, token and chains; a folder with the files
of one language, or folders ``en``, ``es``, ``it`` and ``nl``. Chains do not cross languages, so in
several languages their name is part of every id, topic and chain.

The conversion loses most of the original: of the 3,855 English event mentions it has 455.
Entities and events are in one column; the events are those in ``event_mentions.json``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from pydantic import BaseModel

from cdec.corpus.columns import Block, Columns, blocks_of, error, head_of, number
from cdec.corpus.model import ENTITY, EVENT, Document
from cdec.corpus.reading import Content, Span, reader
from cdec.corpus.records import records
from cdec.corpus.source import Layout, Source

_COLUMNS, _EVENTS = "meantime.conll", "event_mentions.json"
LAYOUT = Layout(
    name="meantime",
    title="MEANTIME",
    patterns=(f"*/{_COLUMNS}", _COLUMNS, f"*/{_EVENTS}", _EVENTS),
    expected="meantime.conll and event_mentions.json, in one folder or in one for each language",
    release="MEANTIME",
)
LANGUAGES = ("en", "es", "it", "nl")
_WIDTH = 5
_NUMBERS = re.compile(r"[0-9]{1,9}")


Place = tuple[str, str, int, int]
"""An event mention: document, chain, sentence, first token in the sentence."""


class _Event(BaseModel):
    conll_doc_key: str
    coref_chain: str
    sent_id: int | str
    tokens_number: list[int] | str

    def place(self) -> Place:
        """Return where the mention is."""
        found = _NUMBERS.findall(f"{self.sent_id} {self.tokens_number}")
        sentence, first = map(int, [*found, "-1", "-1"][:2])
        return self.conll_doc_key, self.coref_chain, sentence, first


def is_meantime(source: Source) -> bool:
    """Return whether any file has documents of MEANTIME."""
    heads = (head_of(source, file)[:2] for file in source.files if file.endswith(_COLUMNS))
    return any(len(head) == 2 and len(head[1].split("\t")) == _WIDTH for head in heads)


def read(source: Source, tick: Any) -> Content:
    """Return documents and mentions of every language."""
    content = Content(levels={"topic": "topic"})
    for file in source.files:
        if file.endswith(_COLUMNS):
            listed = file.replace(_COLUMNS, _EVENTS)
            events = records(source, listed, _Event) if listed in source.files else []
            places = {event.place() for event in events}
            for block in blocks_of(source, file):
                _add(content, _columns(block), places, source.path.name)
        tick()
    return content


def _columns(block: Block) -> Columns:
    columns = Columns(block.file, block.id, block.id.rpartition("/")[0])
    for line, text in block.lines:
        fields = text.split("\t")
        if len(fields) == _WIDTH and fields[0] == block.id:
            columns.add(line, number(fields[1], block.file, line), fields[3], fields[4])
        elif text.strip():
            message = f"expected {_WIDTH} columns separated by tabs, the first with '{block.id}'"
            raise error("document-invalid", block.file, line, message)
    return columns


def _add(content: Content, columns: Columns, events: set[Place], name: str) -> None:
    """Add a document; ``name`` is the folder of the corpus, which may be that of a language."""
    folder = columns.file.rpartition("/")[0]
    language = folder or name
    prefix = f"{folder}:" if folder else ""
    attributes = {"language": language} if language in LANGUAGES else {}
    document = Document(
        f"{prefix}{columns.id}", f"{prefix}{columns.topic}", "", columns.text, attributes=attributes
    )
    starts = document.sentence_starts

    def kind(span: Span) -> dict[str, str]:
        sentence = bisect_right(starts, span.start) - 1
        place = columns.id, span.chain.removeprefix(prefix), sentence, span.start - starts[sentence]
        return {"kind": EVENT if place in events else ENTITY}

    spans = [span._replace(chain=f"{prefix}{span.chain}") for span in columns.spans()]
    content.add(document, spans, kind)


ADAPTER = reader(LAYOUT, is_meantime, read)
