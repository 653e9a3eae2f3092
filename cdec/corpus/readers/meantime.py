"""MEANTIME (Minard et al. 2016) as converted by Zhukova, Hamborg and Gipp (2022).

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

from pydantic import BaseModel

from cdec.corpus.model import ANNOTATED, ENTITY, EVENT, Corpus, Document, Variants
from cdec.corpus.readers.columns import Columns, Placed, blocks_of, corpus_at
from cdec.corpus.readers.records import records
from cdec.corpus.source import CorpusFormat, Source, error

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


class _Event(BaseModel):
    conll_doc_key: str
    coref_chain: str
    sent_id: int | str
    tokens_number: list[int] | str

    def place(self) -> tuple[str, str, int, int]:
        """Return document, chain, sentence and first token; -1 for one that is not given."""
        found = map(int, _NUMBERS.findall(f"{self.sent_id} {self.tokens_number}"))
        sentence, first, *_ = (*found, -1, -1)
        return self.conll_doc_key, self.coref_chain, sentence, first


def is_meantime(source: Source) -> bool:
    """Return whether any file has documents of MEANTIME."""
    heads = (source.head(file)[:2] for file in source.files if file.endswith(_COLUMNS))
    return any(len(head) == 2 and len(head[1].split("\t")) == _WIDTH for head in heads)


def read(source: Source) -> Corpus:
    """Return the corpus, of one language or several."""
    documents: list[Document] = []
    mentions: list[Placed] = []
    for file, _ in source:
        if file.endswith(_COLUMNS):
            _read_language(source, file, documents, mentions)
    is_split = any("joined" in about for *_, about in mentions)
    variants = VARIANTS if is_split else {}
    return corpus_at(source, documents, mentions, levels={"topic": "topic"}, variants=variants)


def _read_language(
    source: Source, file: str, documents: list[Document], mentions: list[Placed]
) -> None:
    """Add the documents and mentions of one language.

    Chains that differ in the prefix only are noted.
    """
    listed, folder = file.replace(_COLUMNS, _EVENTS), file.rpartition("/")[0]
    events = records(source, listed, _Event) if listed in source.files else []
    places = {event.place() for event in events}
    read = [_filled(*block) for block in blocks_of(source, file)]
    spans = [columns.spans() for columns in read]
    language = _language(read, folder or source.path.name)
    instances: dict[str, set[str]] = {}
    for label in sorted({span.chain for each in spans for span in each}):
        instances.setdefault(_PREFIX.sub("", label, count=1), set()).add(label)
    split = {label: id_ for id_, labels in instances.items() if len(labels) > 1 for label in labels}
    linked = {event.coref_chain for event in events}
    for id_ in dict.fromkeys(split.values()):
        kind = EVENT if instances[id_] & linked else "argument"
        source.note(f"split-{kind}-chain", f"{language}:{'='.join(sorted(instances[id_]))}")
    prefix = f"{folder}:" if folder else ""
    attributes = {"language": language} if language else {}
    for columns, each in zip(read, spans, strict=True):
        id_, topic = f"{prefix}{columns.id}", f"{prefix}{columns.topic}"
        documents.append(Document(id_, topic, "", columns.text, attributes=attributes))
        starts = documents[-1].sentence_starts
        for span in each:
            sentence = bisect_right(starts, span.start) - 1
            place = (columns.id, span.chain, sentence, span.start - starts[sentence])
            about = {"kind": EVENT if place in places else ENTITY, "state": ANNOTATED}
            if span.chain in split:
                about |= {"state": SPLIT, "joined": f"{prefix}{split[span.chain]}"}
            mentions.append((id_, span._replace(chain=f"{prefix}{span.chain}"), about))


def _filled(columns: Columns, _: int, lines: list[tuple[int, str]]) -> Columns:
    columns.topic = columns.id.rpartition("/")[0]
    for line, text in lines:
        fields = text.split("\t")
        if len(fields) != _WIDTH or fields[0] != columns.id:
            message = f"expected {_WIDTH} columns separated by tabs, the first with '{columns.id}'"
            raise error(columns.file, "corpus-invalid", line, message)
        columns.add(line, fields[1], fields[3], fields[4])
    return columns


def _language(documents: list[Columns], folder: str) -> str:
    """Return the language that the folder names, else the one of the most frequent words."""
    if folder in LANGUAGES:
        return folder
    counts = Counter(w for columns in documents for words in columns.sentences for w in words)
    numbers = {name: sum(counts[word] for word in words) for name, words in _WORDS.items()}
    return max(numbers, key=lambda name: numbers[name]) if any(numbers.values()) else ""


FORMAT = CorpusFormat(
    "meantime",
    "MEANTIME",
    patterns=(f"*/{_COLUMNS}", _COLUMNS, f"*/{_EVENTS}", _EVENTS),
    expected="meantime.conll and event_mentions.json, in one folder or one for each language",
    sniff=is_meantime,
    read=read,
    schema="2",
)
