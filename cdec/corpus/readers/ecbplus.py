"""ECB+ (Cybulska & Vossen 2014): XML, file names, list of reviewed sentences.

A file contains tokens, then markables, then relations. A markable with ``token_anchor`` children
is a mention; any other is an instance, the target of relations. A relation links mentions to an
instance.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from cdec.corpus.build import build
from cdec.corpus.model import ENTITY, EVENT, Corpus, Document, natural_key
from cdec.corpus.source import HINT, CorpusFormat, Source, list_kind
from cdec.errors import CorpusError
from cdec.files.input import integer
from cdec.formats.layouts import table_rows

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

FILE_NAME = re.compile(r"(?P<topic>[^_/]+)_(?P<number>\d+)(?P<suffix>\D\w*)\.xml")
# The added half of the documents; their sentence 0 is the page's URL.
ADDED_HALF = "ecbplus"
CROSS_DOC, INTRA_DOC = "CROSS_DOC_COREF", "INTRA_DOC_COREF"
RELATIONS = {CROSS_DOC: "cross_doc", INTRA_DOC: "intra_doc"}
# Kinds of argument by the prefix of their tags (annotation guidelines).
_ARGUMENTS = {
    "HUMAN_": "participant",
    "NON_HUMAN_": "participant",
    "TIME_": "time",
    "LOC_": "location",
}
_UNKNOWN_INSTANCE = "UNKNOWN_INSTANCE_TAG"
_EVENT_TAGS = ("ACTION_", "NEG_ACTION_")
_ACTIONS = ("OCCURRENCE", "STATE", "REPORTING", "PERCEPTION", "ASPECTUAL", "CAUSATIVE", "GENERIC")
# README of the release: 30 tags. A markable with another tag is kept and counted.
_TAGS = {
    *(f"{sign}ACTION_{name}" for sign in ("", "NEG_") for name in _ACTIONS),
    *(f"HUMAN_PART_{name}" for name in ("PER", "ORG", "GPE", "FAC", "VEH", "MET", "GENERIC")),
    *("NON_HUMAN_PART", "NON_HUMAN_PART_GENERIC", "LOC_GEO", "LOC_FAC", "LOC_OTHER"),
    *("TIME_DATE", "TIME_OF_THE_DAY", "TIME_DURATION", "TIME_REPETITION"),
}
_LAST_TITLE = "Sentence Number"
Mentions = list[dict[str, Any]]


def kind_of(tag: str) -> str:
    """Return the kind of a markable with this tag: an event (an action) or an entity."""
    return EVENT if tag.startswith(_EVENT_TAGS) else ENTITY


def is_ecbplus(source: Source) -> bool:
    """Return whether any file has a name in the pattern of ECB+."""
    return any(FILE_NAME.fullmatch(name.rpartition("/")[2]) for name in source.files)


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with file and line."""
    documents: dict[str, Document] = {}
    files: dict[str, str] = {}
    mentions: Mentions = []
    for name, data in source:
        with source.next_file():
            document, rows = _File(source, name, data).read()
            first = files.setdefault(document.id, name)
            if first != name:
                message, hint = f"duplicate document '{document.id}', first in {first}", "keep one"
                raise CorpusError("corpus-invalid", message, place=name, hint=hint)
            documents[document.id] = document
            mentions += rows
    listed: set[tuple[str, int]] = set()
    with source.next_file():
        listed = _reviewed(source)
    if source.errors:
        raise source.errors[0]
    for id_, number in sorted(listed, key=lambda entry: (natural_key(entry[0]), entry[1])):
        if id_ not in documents or number >= len(documents[id_].sentences):
            source.note("sentence-missing", f"{id_}/{number}")
    return build(
        documents.values(),
        mentions,
        reviewed=listed,
        splits=("ycf", "cybulska"),
        argument_kinds=_ARGUMENTS,
    )


def _reviewed(source: Source) -> set[tuple[str, int]]:
    """Return (document id, sentence number) of the fully reviewed sentences; none without list.

    Raises CorpusError with the line of an invalid header or row.
    """
    if source.reviewed is None:
        return set()
    kind, name = list_kind(FORMAT), FORMAT.reviewed
    text = kind.decode(source.reviewed, name)
    rows = list(table_rows(text, ",", lambda line, why: kind.refuse(f"{name}:{line}", why)))
    for line, row in rows:
        is_header = line == rows[0][0]
        if row[-1:] != [_LAST_TITLE] if is_header else len(row) != 3 or integer(row[2].strip()) < 0:
            why = f"expected topic, file, {_LAST_TITLE}, got {row}"
            raise kind.refuse(f"{name}:{line}", why)
    return {
        (f"{topic.strip()}_{file.strip()}", int(number)) for _, (topic, file, number) in rows[1:]
    }


class _File:
    """One file of ECB+: its tree, and errors and defects in it."""

    def __init__(self, source: Source, name: str, data: bytes) -> None:
        self.source, self.name, self.root = source, name, _parse(name, data)
        match = FILE_NAME.fullmatch(name.rpartition("/")[2])
        if match is None:
            message = "the file name does not give topic and sub-topic"
            hint = "expected <topic>_<number><sub-topic>.xml, as in 1_10ecbplus.xml"
            raise CorpusError("corpus-invalid", message, place=name, hint=hint)
        self.id, self.topic, self.half = match[0].removesuffix(".xml"), match[1], match[3]

    def error(self, el: Element, message: str, hint: str = HINT) -> CorpusError:
        """Return the error for an element, with its line as the place."""
        place = f"{self.name}:{el.sourceline}"
        return CorpusError("corpus-invalid", message, place=place, hint=hint)

    def get(self, el: Element, attribute: str) -> str:
        """Return an attribute of an element. Raises CorpusError if it is missing."""
        value = el.get(attribute)
        if value is None:
            raise self.error(el, f"<{el.tag}> has no attribute '{attribute}'")
        return value

    def note(self, kind: str, local_id: str) -> None:
        """Add a defect of a token or mention."""
        self.source.note(kind, f"{self.id}/{local_id}")

    def read(self) -> tuple[Document, Mentions]:
        """Return the document, and its mentions in the order of the file.

        Raises CorpusError for a repeated token and a sentence out of order.
        """
        numbers: dict[str, int] = {}  # t_id → index of the token
        sentences: list[list[str]] = []
        for el in self.root.iterchildren("token"):
            t_id, text, last = self.get(el, "t_id"), el.text or "", len(sentences) - 1
            if t_id in numbers or len(el):
                raise self.error(el, f"token {t_id} is repeated, or contains other elements")
            number = integer(self.get(el, "sentence"))
            if number < 0 or number not in (last, last + 1):
                message = f"sentence '{el.get('sentence')}' after sentence {last}"
                raise self.error(el, message, "number the sentences from 0, without gaps")
            if number > last:
                sentences.append([])
            numbers[t_id] = len(numbers)
            sentences[-1].append(text)
            if not text.isalnum():
                if "\N{REPLACEMENT CHARACTER}" in text:
                    self.note("replacement-character", f"t{t_id}")
                if text.split() != [text]:
                    kind = "white-space-in-token" if text.strip() else "blank-token"
                    self.note(kind, f"t{t_id}")
        alias = self.root.get("doc_id")
        names = {"alias": alias} if alias else {}
        levels = (self.topic, self.topic + self.half)
        text_start = 1 if self.half == ADDED_HALF else 0
        text_of = tuple(map(tuple, sentences))
        return Document(self.id, *levels, text_of, text_start, names), self.mentions(numbers)

    def mentions(self, numbers: dict[str, int]) -> Mentions:
        """Return the mentions; ``numbers`` maps ``t_id`` → index of the token.

        Raises CorpusError for a duplicate markable, and for a mention without a known token.
        """
        markables: dict[str, Element] = {}
        for el in self.root.iterfind("Markables/*"):
            m_id = self.get(el, "m_id")
            if m_id in markables:
                raise self.error(el, f"duplicate markable {m_id}")
            if el.tag not in _TAGS:
                known = el.tag == _UNKNOWN_INSTANCE
                self.note("unknown-instance" if known else "unknown-tag", m_id)
            markables[m_id] = el
        relations = self.relations(markables)
        rows: Mentions = []
        for m_id, el in markables.items():
            if not len(el):
                continue
            anchors = [self.get(anchor, "t_id") for anchor in el.iterchildren("token_anchor")]
            missing = [t_id for t_id in anchors if t_id not in numbers]
            if missing or not anchors:
                token = f"the missing token {missing[0]}" if missing else "no token"
                raise self.error(el, f"mention {m_id} is anchored to {token}")
            tokens = tuple(sorted({numbers[t_id] for t_id in anchors}))
            if len(tokens) < len(anchors):
                self.note("anchored-twice", m_id)
            tag, own = str(el.tag), (f"{self.id}/{m_id}", "none", "", str(el.tag))
            chain, relation, descriptor, instance = relations.get(m_id, own)
            if instance not in (tag, _UNKNOWN_INSTANCE):
                clash = kind_of(tag) != kind_of(instance)
                self.note("event-in-argument-chain" if clash else "tag-differs-from-instance", m_id)
            place = {"id": f"{self.id}/{m_id}", "doc": self.id, "tokens": tokens, "chain": chain}
            about = {"tag": tag, "relation": relation, "descriptor": descriptor}
            rows.append({**place, "kind": kind_of(tag), **about})
        used = Counter(token for row in rows if row["kind"] == EVENT for token in row["tokens"])
        t_ids = list(numbers)
        for number in (number for number, times in used.items() if times > 1):
            self.note("token-in-two-events", f"t{t_ids[number]}")
        return rows

    def relations(self, markables: dict[str, Element]) -> dict[str, tuple[str, str, str, str]]:
        """Return ``m_id`` of a mention → its chain, relation, and descriptor and tag of the chain.

        Raises CorpusError for an unknown relation, for a missing source or target, and for a
        mention in more than one relation.
        """
        relations: dict[str, tuple[str, str, str, str]] = {}
        for el in self.root.iterfind("Relations/*"):
            targets = [self.get(target, "m_id") for target in el.iterchildren("target")]
            if el.tag not in RELATIONS or len(targets) != 1 or targets[0] not in markables:
                message = f"<{el.tag}> is not a known relation with one existing markable as target"
                raise self.error(el, message)
            local = f"{self.id}/r{self.get(el, 'r_id')}"
            chain = self.get(el, "note") if el.tag == CROSS_DOC else local
            if not chain.strip():
                raise self.error(el, "the note, the label of the chain, is empty")
            sources = [self.get(source, "m_id") for source in el.iterchildren("source")]
            if not sources:
                self.note("relation-without-source", f"r{el.get('r_id')}")
            instance = markables[targets[0]]
            about = RELATIONS[el.tag], instance.get("TAG_DESCRIPTOR", ""), str(instance.tag)
            for m_id in sources:
                if m_id in relations or m_id not in markables or not len(markables[m_id]):
                    message = f"mention {m_id} is in two relations, or missing from the document"
                    raise self.error(el, message)
                relations[m_id] = (chain, *about)
        return relations


def _parse(name: str, data: bytes) -> Element:
    """Return the root of the document in ``data``, read from the file ``name``.

    Raises CorpusError for malformed XML, a DTD (which allows entity bombs and external files) and
    a root that is not an ECB+ document.
    """
    from lxml import etree  # noqa: PLC0415  a cached corpus is loaded without it

    def refuse(message: str, line: int, hint: str) -> CorpusError:
        return CorpusError("corpus-invalid", message, place=f"{name}:{line}", hint=hint)

    a_dtd = "the file has a document type definition (DTD), which is not allowed"
    at = data.find(b"<!DOCTYPE")
    if at >= 0:  # before parsing; a DTD in UTF-16 is detected in the tree only
        raise refuse(a_dtd, data.count(b"\n", 0, at) + 1, "remove it")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as problem:
        hint = "the file is damaged: install the corpus again"
        raise refuse(f"invalid XML: {problem.msg}", problem.lineno or 1, hint) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise refuse(a_dtd, 1, "remove it")
    if root.tag != "Document" or root.find("token") is None or root.find("Markables") is None:
        message = f"not an ECB+ document: the root <{root.tag}> has no tokens or no markables"
        raise refuse(message, 1, "expected <Document> with <token>, <Markables> and <Relations>")
    return root


FORMAT = CorpusFormat(
    "ecbplus",
    "ECB+",
    patterns=("*/*.xml",),
    expected="<topic>/<topic>_<number>ecb.xml, as in the release",
    sniff=is_ecbplus,
    read=read,
    schema="2",
    folder="ECB+",
    reviewed="ECBplus_coreference_sentences.csv",
)
