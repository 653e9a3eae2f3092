"""stanza, CoreNLP, BookNLP and MAVEN-ERE.

stanza marks each word of a mention: ``start``, ``middle``, ``end`` or ``unit``, with the number of
the chain, and ``repr`` in the representative mention of the chain, which can have another mention
of it inside. Documents of one CoNLL-U file begin where ``sent_id`` returns to its first value.
CoreNLP counts words in the sentence from 1, and the end is the word after the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from csv import QUOTE_NONE, DictReader
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from cdec.errors import FormatError, notice
from cdec.files.input import TextFile, integer
from cdec.files.strict_json import parse_at, shown
from cdec.formats import documents
from cdec.formats.annotation import Annotation
from cdec.formats.fields import objects
from cdec.formats.records import from_records
from cdec.records import Row
from cdec.tools.links import field_of

_CHAIN = re.compile(r"(start|middle|end|unit)-(repr-)?id([0-9]+)")
_MARKS = "coref_chains="
_CELLS = 10  # of a line of CoNLL-U
_STANZA_HINT = "write the file again with stanza's CoNLL.write_doc2conll"
_CORENLP_HINT = "give the JSON of CoreNLP with 'sentences' and 'corefs'"


class Mark(NamedTuple):
    """What a word says of a mention: whether it begins or ends here, and its chain."""

    begins: bool
    ends: bool
    chain: int
    representative: bool


@dataclass
class StanzaDocument:
    """The words of a document by sentence, and its mentions: chain → first and last word."""

    name: str = ""
    sentences: list[list[str]] = field(default_factory=list)
    chains: dict[int, list[list[int]]] = field(default_factory=dict)
    size: int = 0
    zeros: int = 0
    _open: dict[tuple[int, bool], list[int]] = field(default_factory=dict)

    def add(self, word: str, marks: Sequence[Mark], place: str) -> None:
        """Add a word to the last sentence. Raises FormatError for a mention that has not begun."""
        self.sentences[-1].append(word)
        for mark in marks:
            starts = self._open.setdefault((mark.chain, mark.representative), [])
            if mark.begins:
                starts.append(self.size)
            if not starts:
                raise FormatError(
                    "brackets-invalid",
                    f"'{word}' is in a mention of chain {mark.chain}, and none has begun",
                    place=place,
                    hint=_STANZA_HINT,
                )
            if mark.ends:
                mentions = self.chains.setdefault(mark.chain, [])
                mentions.append([starts.pop(), self.size])
        self.size += 1

    def record(self, place: str) -> Row:
        """Return the record of the document. Raises FormatError for a mention without an end."""
        for (chain, _), starts in self._open.items():
            if starts:
                raise FormatError(
                    "brackets-invalid",
                    f"a mention of chain {chain} does not end",
                    place=place,
                    hint=_STANZA_HINT,
                )
        record: Row = {"sentences": self.sentences, "clusters": [*self.chains.values()]}
        if self.name:
            record["doc_key"] = self.name
        return record


def read_stanza(source: TextFile) -> Annotation:
    """Read CoNLL-U of stanza; raises FormatError with ``file:line``."""
    texts: list[StanzaDocument] = []
    first_id = ""
    begins_document = True
    begins_sentence = True
    name = ""
    for number, line in enumerate(source.lines, start=1):
        place = source.place(number)
        comment = re.match(r"#\s*(newdoc|sent_id)(?:\s+id)?\s*=?\s*(.*)", line)
        if comment is not None and comment[1] == "newdoc":
            begins_document = True
            name = comment[2].strip()
        elif comment is not None:
            first_id = first_id or comment[2]
            if comment[2] == first_id and texts and texts[-1].sentences:
                begins_document = True
        if not line.strip() or line.startswith("#"):
            begins_sentence = True
            continue
        cells = line.split("\t")
        if len(cells) != _CELLS:
            raise source.error(
                "field-invalid",
                number,
                f"expected {_CELLS} columns, got {len(cells)}",
                _STANZA_HINT,
            )
        marks = _marks(cells[-1], place)
        if "-" in cells[0]:
            continue
        if begins_document:
            texts.append(StanzaDocument(name))
            name = ""
        if begins_document or begins_sentence:
            texts[-1].sentences.append([])
        begins_document = False
        begins_sentence = False
        if "." in cells[0]:
            texts[-1].zeros += len(marks)
            continue
        texts[-1].add(cells[1], marks, place)
    return _of_documents(source, texts)


def _marks(misc: str, place: str) -> list[Mark]:
    """Return the marks in the last column of a line. Raises FormatError for another one."""
    marks = []
    for item in misc.split("|"):
        if not item.startswith(_MARKS):
            continue
        for text in item.removeprefix(_MARKS).split(","):
            match = _CHAIN.fullmatch(text)
            if match is None:
                raise FormatError(
                    "brackets-invalid",
                    f"'{text[:40]}' is not a mark of a chain",
                    place=place,
                    hint=_STANZA_HINT,
                )
            kind, representative, chain = match.groups()
            begins = kind in ("start", "unit")
            ends = kind in ("end", "unit")
            marks.append(Mark(begins, ends, int(chain), representative is not None))
    return marks


def read_stanza_json(source: TextFile) -> Annotation:
    """Read JSON of stanza: the sentences of a document, or a list of documents."""
    value = parse_at(source.text, 1, source.error, last=True)
    is_document = bool(value) and bool(value[0]) and isinstance(value[0][0], dict)
    texts = []
    for sentences in [value] if is_document else value:
        document = StanzaDocument()
        for sentence in sentences:
            document.sentences.append([])
            for word in sentence:
                marks = [
                    Mark(
                        chain.get("is_start", False),
                        chain.get("is_end", False),
                        chain["index"],
                        chain.get("is_representative", False),
                    )
                    for chain in word.get("coref_chains", ())
                ]
                numbers = word["id"]  # several of a range of words, and an empty word
                if isinstance(numbers, list) and len(numbers) > 1:
                    document.zeros += len(marks)
                else:
                    document.add(word["text"], marks, source.name)
        texts.append(document)
    return _of_documents(source, texts)


def _of_documents(source: TextFile, texts: Sequence[StanzaDocument]) -> Annotation:
    annotation = documents.of_records(
        source, [(0, document.record(source.name)) for document in texts]
    )
    zeros = sum(document.zeros for document in texts)
    if not zeros:
        return annotation
    message = f"{zeros:,} marks of chains on empty words are not read"
    left_out = notice("reading-assumed", message, [source.name])
    return replace(annotation, notices=(*annotation.notices, left_out))


# ---- CoreNLP ----


def read_corenlp(source: TextFile) -> Annotation:
    """Read JSON of CoreNLP, one document or several; or the value of ``corefs`` alone."""
    items = list(objects(source))
    fail = partial(_fail, source)
    if all("corefs" in item for _, item in items if isinstance(item, dict)):
        records = [(line, _corenlp_record(item, fail)) for line, item in items]
        return documents.of_records(source, records)
    mentions = [
        (line, mention) for line, item in items for mention in _loose(item, fail)
    ]
    return from_records(source, mentions, "jsonl")


def _fail(source: TextFile, message: str) -> FormatError:
    return source.error("field-invalid", 0, message, _CORENLP_HINT)


def _corenlp_record(item: Row, fail: Any) -> Row:
    """Return the record of a document: the places of mentions are in their sentences."""
    record: Row = {"sentences": [], "coref_chains": [], "mention_texts": []}
    if item.get("docId"):
        record["doc_key"] = item["docId"]
    for sentence in item.get("sentences", ()):
        record["sentences"].append([token["word"] for token in sentence["tokens"]])
    for mentions in item["corefs"].values():
        places = [_corenlp_place(mention, fail) for mention in mentions]
        record["coref_chains"].append(places)
        record["mention_texts"].append([mention.get("text") for mention in mentions])
    return record


def _corenlp_place(mention: Row, fail: Any) -> list[int]:
    """Return sentence, first and last word, from 0."""
    return [
        field_of(mention, "sentNum", int, fail) - 1,
        field_of(mention, "startIndex", int, fail) - 1,
        field_of(mention, "endIndex", int, fail) - 2,
    ]


def _loose(item: Row, fail: Any) -> Iterator[Row]:
    """Yield the mentions of ``corefs`` alone, which has no words: one document without a name."""
    for chain, mentions in item.items():
        if not isinstance(mentions, list):
            raise fail(f"'{chain[:40]}' is {shown(mentions)}, not a list of mentions")
        for mention in mentions:
            sentence, first, last = _corenlp_place(mention, fail)
            yield {
                "doc": "0",
                "sentence": sentence,
                "start": first,
                "end": last,
                "chain": chain,
                "words": mention.get("text"),
            }


# ---- BookNLP ----


def read_booknlp(source: TextFile) -> Annotation:
    """Read ``.entities`` of BookNLP: words of the book from 0, and the words of mentions."""
    chains: dict[str, list[list[int]]] = {}
    words: dict[str, list[str | None]] = {}
    rows = DictReader(source.lines, delimiter="\t", quoting=QUOTE_NONE)
    for row in filter(any, rows):
        places = [integer(row[name] or "") for name in ("start_token", "end_token")]
        chains.setdefault(row["COREF"], []).append(places)
        words.setdefault(row["COREF"], []).append(row.get("text"))
        if min(places) < 0:
            raise source.error(
                "field-invalid",
                rows.line_num,
                "start_token and end_token are not numbers",
                "give the file as BookNLP has written it",
            )
    record = {"clusters": [*chains.values()], "cluster_texts": [*words.values()]}
    return documents.of_records(source, [(0, record)])


# ---- MAVEN-ERE ----


def read_maven(source: TextFile) -> Annotation:
    """Read MAVEN-ERE (Wang et al. 2022): the mentions of events; times and relations are not read.

    The offset of a mention counts words of its sentence; the second is the word after the last.
    """
    records = []
    for line, item in objects(source):
        chains = []
        words = []
        for event in item["events"]:
            words.append([mention["trigger_word"] for mention in event["mention"]])
            chains.append(
                [
                    [mention["sent_id"], mention["offset"][0], mention["offset"][1] - 1]
                    for mention in event["mention"]
                ]
            )
        record = {
            "doc_key": item["id"],
            "sentences": item["tokens"],
            "coref_chains": chains,
            "mention_texts": words,
        }
        records.append((line, record))
    return documents.of_records(source, records)
