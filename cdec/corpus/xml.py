"""One ECB+ document: XML bytes → Document, mention rows and the defects that were met.

The format (Cybulska & Vossen 2014, CAT and CROMER exports): tokens, then markables, of which
those with ``token_anchor`` children are mentions and the others instances (the targets of
relations), then relations from mentions to an instance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from cdec.corpus.model import Document
from cdec.errors import CorpusError

EVENT_TAGS = ("ACTION_", "NEG_ACTION_")
CROSS_DOC, INTRA_DOC = "CROSS_DOC_COREF", "INTRA_DOC_COREF"
RELATIONS = {CROSS_DOC: "cross_doc", INTRA_DOC: "intra_doc"}
UNKNOWN_INSTANCE = "UNKNOWN_INSTANCE_TAG"

# README of the release: 30 tags. A markable with another one is kept and counted.
ACTIONS = ("OCCURRENCE", "STATE", "REPORTING", "PERCEPTION", "ASPECTUAL", "CAUSATIVE", "GENERIC")
TAGS = {
    *(f"{sign}ACTION_{name}" for sign in ("", "NEG_") for name in ACTIONS),
    *(f"HUMAN_PART_{name}" for name in ("PER", "ORG", "GPE", "FAC", "VEH", "MET", "GENERIC")),
    *("NON_HUMAN_PART", "NON_HUMAN_PART_GENERIC", "LOC_GEO", "LOC_FAC", "LOC_OTHER"),
    *("TIME_DATE", "TIME_OF_THE_DAY", "TIME_DURATION", "TIME_REPETITION"),
}

_FILE_NAME = re.compile(r"(?P<topic>[^_/]+)_(?P<number>\d+)(?P<suffix>\D\w*)\.xml")


class Defect(NamedTuple):
    """Something odd that was read on purpose: kind, and the document, token or mention."""

    kind: str
    item: str


class Row(NamedTuple):
    """One mention: the columns of ``cdec.corpus.model.COLUMNS`` that one file can tell."""

    id: str
    sentence: int
    start: int
    end: int
    tokens: tuple[int, ...]
    text: str
    tag: str
    is_event: bool
    chain: str
    relation: str
    descriptor: str


@dataclass
class ParsedFile:
    """What one file says."""

    document: Document
    rows: list[Row] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)


class _Link(NamedTuple):
    chain: str
    relation: str
    descriptor: str
    tag: str


def parse_file(name: str, data: bytes) -> ParsedFile:
    """Return the document, mentions and defects of ``data``, read from the file ``name``.

    Raises CorpusError, with file and line, for malformed XML, a DTD, a file that is not ECB+, a
    mention anchored to a missing token and a relation to a missing mention.
    """
    return _Reader(name, _root(name, data)).read()


def _root(name: str, data: bytes) -> etree._Element:
    at = data.find(b"<!DOCTYPE")
    if at >= 0:
        line = data.count(b"\n", 0, at) + 1
        raise CorpusError(
            "a document type definition is not accepted", place=f"{name}:{line}", cure="remove it"
        )
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise CorpusError(
            f"not well-formed XML: {error.msg}",
            place=f"{name}:{error.lineno or 1}",
            cure="the file is damaged: install the corpus again",
        ) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise CorpusError("a document type definition is not accepted", place=f"{name}:1")
    if root.tag != "Document" or root.find("token") is None or root.find("Markables") is None:
        raise CorpusError(
            f"not an ECB+ document: <{root.tag}> without tokens and markables",
            place=f"{name}:1",
            cure="expected <Document> with <token>, <Markables> and <Relations>",
        )
    return root


class _Reader:
    """Reads one tree; its parts need each other's identifiers."""

    def __init__(self, name: str, root: etree._Element) -> None:
        self.name, self.root = name, root
        match = _FILE_NAME.fullmatch(name.rpartition("/")[2])
        if match is None:
            raise CorpusError(
                "the file name does not tell topic and sub-topic",
                place=name,
                cure="expected <topic>_<number><sub-topic>.xml, as in 1_10ecbplus.xml",
            )
        self.id = f"{match['topic']}_{match['number']}{match['suffix']}"
        self.topic, self.suffix = match["topic"], match["suffix"]
        self.defects: list[Defect] = []

    def read(self) -> ParsedFile:
        self.index, self.sentence_of, sentences = self._tokens()
        document = Document(
            self.id,
            self.topic,
            self.topic + self.suffix,
            sentences,
            text_start=1 if self.suffix == "ecbplus" else 0,
        )
        self.tokens = document.tokens
        self.markables = self._markables()
        links = self._links()
        rows = [self._row(m_id, el, links) for m_id, el in self.markables.items() if len(el)]
        self._shared_tokens(rows)
        return ParsedFile(document, rows, self.defects)

    def _fail(self, el: etree._Element, message: str) -> CorpusError:
        return CorpusError(message, place=f"{self.name}:{el.sourceline}")

    def _note(self, kind: str, local_id: str | None = None) -> None:
        item = self.id if local_id is None else f"{self.id}/{local_id}"
        self.defects.append(Defect(kind, item))

    def _get(self, el: etree._Element, attribute: str) -> str:
        value = el.get(attribute)
        if value is None:
            raise self._fail(el, f"<{el.tag}> has no {attribute}")
        return value

    def _tokens(self) -> tuple[dict[str, int], list[int], tuple[tuple[str, ...], ...]]:
        index: dict[str, int] = {}
        sentence_of: list[int] = []
        sentences: list[list[str]] = []
        for el in self.root.iterchildren("token"):
            t_id, text = self._get(el, "t_id"), el.text or ""
            if t_id in index:
                raise self._fail(el, f"token {t_id} stands twice")
            if len(el):
                raise self._fail(el, f"token {t_id} holds other elements")
            sentence = self._sentence_number(el, len(sentences) - 1)
            if sentence == len(sentences):
                sentences.append([])
            index[t_id] = len(index)
            sentence_of.append(sentence)
            sentences[sentence].append(text)
            self._odd_text(t_id, text)
        return index, sentence_of, tuple(map(tuple, sentences))

    def _sentence_number(self, el: etree._Element, last: int) -> int:
        text = self._get(el, "sentence")
        number = int(text) if text.isdecimal() else -1
        if number not in (last, last + 1) or number < 0:
            raise self._fail(el, f"sentence '{text}' follows sentence {last}")
        return number

    def _odd_text(self, t_id: str, text: str) -> None:
        if not text.isascii() and "\N{REPLACEMENT CHARACTER}" in text:
            self._note("replacement-character", f"t{t_id}")
        if not text.strip():
            self._note("blank-token", f"t{t_id}")
        elif len(text.split()) > 1 or text != text.strip():
            self._note("white-space-in-token", f"t{t_id}")

    def _markables(self) -> dict[str, etree._Element]:
        markables: dict[str, etree._Element] = {}
        for el in self.root.iterfind("Markables/*"):
            m_id = self._get(el, "m_id")
            if m_id in markables:
                raise self._fail(el, f"markable {m_id} stands twice")
            if el.tag not in TAGS:
                self._note(
                    "unknown-tag" if el.tag != UNKNOWN_INSTANCE else "unknown-instance", m_id
                )
            markables[m_id] = el
        return markables

    def _links(self) -> dict[str, _Link]:
        """Return mention → what its relation says of it."""
        links: dict[str, _Link] = {}
        for el in self.root.iterfind("Relations/*"):
            link = self._link(el)
            sources = [self._get(source, "m_id") for source in el.iterchildren("source")]
            if not sources:
                self._note("relation-without-source", f"r{el.get('r_id')}")
            for m_id in sources:
                self._check_source(el, m_id, links)
                links[m_id] = link
        return links

    def _link(self, el: etree._Element) -> _Link:
        if el.tag not in RELATIONS:
            raise self._fail(el, f"unknown relation <{el.tag}>")
        targets = [self._get(target, "m_id") for target in el.iterchildren("target")]
        if len(targets) != 1 or targets[0] not in self.markables:
            raise self._fail(el, f"relation to a missing markable (targets: {targets or 'none'})")
        instance = self.markables[targets[0]]
        local = f"{self.id}/r{self._get(el, 'r_id')}"
        chain = self._get(el, "note") if el.tag == CROSS_DOC else local
        if not chain.strip():
            raise self._fail(el, "an empty note names no instance")
        return _Link(
            chain, RELATIONS[el.tag], instance.get("TAG_DESCRIPTOR", ""), str(instance.tag)
        )

    def _check_source(self, el: etree._Element, m_id: str, links: dict[str, _Link]) -> None:
        if m_id not in self.markables or not len(self.markables[m_id]):
            raise self._fail(el, f"relation from a missing mention (m_id {m_id})")
        if m_id in links:
            raise self._fail(el, f"mention {m_id} stands in two relations or twice in one")

    def _row(self, m_id: str, el: etree._Element, links: dict[str, _Link]) -> Row:
        tag, tokens = str(el.tag), self._anchors(m_id, el)
        is_event = tag.startswith(EVENT_TAGS)
        id_ = f"{self.id}/{m_id}"
        link = links.get(m_id, _Link(id_, "none", "", tag))
        self._compare_tags(m_id, tag, is_event, link)
        if tokens[-1] - tokens[0] >= len(tokens):
            self._note("gap-in-event" if is_event else "gap-in-argument", m_id)
        if self.sentence_of[tokens[0]] != self.sentence_of[tokens[-1]]:
            self._note("spans-sentences", m_id)
        return Row(
            id=id_,
            sentence=self.sentence_of[tokens[0]],
            start=tokens[0],
            end=tokens[-1],
            tokens=tokens,
            text=" ".join(self.tokens[i] for i in tokens),
            tag=tag,
            is_event=is_event,
            chain=link.chain,
            relation=link.relation,
            descriptor=link.descriptor,
        )

    def _anchors(self, m_id: str, el: etree._Element) -> tuple[int, ...]:
        anchors = [self._get(anchor, "t_id") for anchor in el.iterchildren("token_anchor")]
        for t_id in anchors:
            if t_id not in self.index:
                raise self._fail(el, f"mention {m_id} is anchored to the missing token {t_id}")
        if not anchors:
            raise self._fail(el, f"mention {m_id} has no token_anchor")
        tokens = sorted({self.index[t_id] for t_id in anchors})
        if len(tokens) < len(anchors):
            self._note("anchored-twice", m_id)
        return tuple(tokens)

    def _compare_tags(self, m_id: str, tag: str, is_event: bool, link: _Link) -> None:
        if link.tag in (tag, UNKNOWN_INSTANCE):
            return
        event_chain = link.tag.startswith(EVENT_TAGS)
        clash = is_event != event_chain
        self._note("event-in-argument-chain" if clash else "tag-differs-from-instance", m_id)

    def _shared_tokens(self, rows: list[Row]) -> None:
        """Note pairs of event mentions on one token."""
        used = Counter(token for row in rows if row.is_event for token in row.tokens)
        t_ids = list(self.index)
        for token in _repeated(used):
            self._note("token-in-two-events", f"t{t_ids[token]}")


def _repeated(counter: Counter[int]) -> Iterator[int]:
    return (item for item, times in counter.items() if times > 1)
