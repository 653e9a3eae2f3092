"""Reader for MEANTIME (Minard et al. 2016) as converted by Zhukova, Hamborg and Gipp (2022).

``meantime.conll`` has document, sentence, token number, token and chains; a folder with the files
of one language, or folders ``en``, ``es``, ``it`` and ``nl``. Chains do not cross languages, so in
several languages their name is part of every id, topic and chain.

The conversion loses most of the original: of the 3,855 English event mentions it has 455.
Entities and events are in one column; the events are those in ``event_mentions.json``.

It splits chains, too: the label of an instance has the prefix ``cross_``, ``cross_intra_`` or
``intra_``, which depends on the document. The variant ``joined`` of the key ignores the prefix.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

from cdec.columns.brackets import Span
from cdec.corpus.columns import Block, Columns, blocks_of, error, head_of, number
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import ENTITY, EVENT, Document, Variants
from cdec.corpus.reading import Content, reader
from cdec.corpus.records import records
from cdec.corpus.source import Source

_COLUMNS, _EVENTS = "meantime.conll", "event_mentions.json"
LANGUAGES = ("en", "es", "it", "nl")
SPLIT = "split-chain"
VARIANTS: Variants = {"as-converted": {SPLIT: "keep"}, "joined": {SPLIT: "join"}}
_PREFIX = re.compile(r"(cross_intra|cross|intra)_")
# Frequent words that tell the language of a corpus from the other three.
_WORDS = {
    "en": ("the", "of", "and"),
    "es": ("el", "los", "y"),
    "it": ("il", "di", "che"),
    "nl": ("het", "een", "van"),
}
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
            documents = [_columns(block) for block in blocks_of(source, file)]
            language = _language(documents, file.rpartition("/")[0] or source.path.name)
            _add_all(content, documents, places, language)
        tick()
    if any(row.state == SPLIT for _, rows in content.documents for row in rows):
        content.variants = VARIANTS
    return content


def _columns(block: Block) -> Columns:
    columns = Columns(block.file, block.id, block.id.rpartition("/")[0])
    for line, text in block.lines:
        fields = text.split("\t")
        if len(fields) == _WIDTH and fields[0] == block.id:
            columns.add(line, number(fields[1], block.file, line), fields[3], fields[4])
        else:
            message = f"expected {_WIDTH} columns separated by tabs, the first with '{block.id}'"
            raise error("corpus-file-invalid", block.file, line, message)
    return columns


def _language(documents: list[Columns], folder: str) -> str:
    """Return the language that the folder names, else the one of the most frequent words."""
    if folder in LANGUAGES:
        return folder
    counts = Counter(w for columns in documents for words in columns.sentences for w in words)
    numbers = {name: sum(counts[word] for word in words) for name, words in _WORDS.items()}
    return max(numbers, key=lambda name: numbers[name]) if any(numbers.values()) else ""


def _add_all(content: Content, documents: list[Columns], events: set[Place], language: str) -> None:
    """Add the documents of one language; chains that differ in the prefix only are noted."""
    spans = [columns.spans() for columns in documents]
    labels: dict[str, set[str]] = {}
    for label in sorted({span.chain for each in spans for span in each}):
        labels.setdefault(_PREFIX.sub("", label, count=1), set()).add(label)
    split = {label: id_ for id_, each in labels.items() if len(each) > 1 for label in each}
    linked = {chain for _, chain, _, _ in events}
    for id_ in dict.fromkeys(split.values()):
        kind = EVENT if labels[id_] & linked else "argument"
        content.note(f"split-{kind}-chain", f"{language}:{'='.join(sorted(labels[id_]))}")
    for columns, each in zip(documents, spans, strict=True):
        _add(content, columns, each, _Facts(events, split, language))


class _Facts(NamedTuple):
    """What the mentions of one language are: events, split chains → instance, language."""

    events: set[Place]
    split: Mapping[str, str]
    language: str


def _add(content: Content, columns: Columns, spans: list[Span], facts: _Facts) -> None:
    """Add a document."""
    folder = columns.file.rpartition("/")[0]
    prefix = f"{folder}:" if folder else ""
    attributes = {"language": facts.language} if facts.language else {}
    document = Document(
        f"{prefix}{columns.id}", f"{prefix}{columns.topic}", "", columns.text, attributes=attributes
    )
    starts = document.sentence_starts

    def more(span: Span) -> dict[str, str]:
        sentence = bisect_right(starts, span.start) - 1
        label = span.chain.removeprefix(prefix)
        place = columns.id, label, sentence, span.start - starts[sentence]
        kind = {"kind": EVENT if place in facts.events else ENTITY}
        if label not in facts.split:
            return kind
        return {**kind, "state": SPLIT, "joined": f"{prefix}{facts.split[label]}"}

    content.add(document, [s._replace(chain=f"{prefix}{s.chain}") for s in spans], more)


ADAPTER = reader(LAYOUTS["meantime"], is_meantime, read, schema="2")
