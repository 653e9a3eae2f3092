"""ECB+ (Cybulska & Vossen 2014): XML, file names, list of reviewed sentences.

A file contains tokens, then markables, then relations. A markable with ``token_anchor`` children
is a mention; any other is an instance, the target of relations. A relation links mentions to an
instance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cdec.corpus.build import build
from cdec.corpus.formats import CorpusFormat
from cdec.corpus.model import ENTITY, EVENT, Corpus, Document, natural_key
from cdec.corpus.source import HINT, Source, list_kind
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
    mentions: Mentions = []
    for name, data in source:
        with source.next_file():
            file = _File(source, name, data)
            document, numbers = file.document()
            mentions += file.mentions(document, numbers)
            documents[name] = document
    listed: set[tuple[str, int]] = set()
    with source.next_file():
        listed = set(_reviewed(source))
    if source.errors:
        raise source.errors[0]
    names = Counter(document.id for document in documents.values())
    if twice := next((id_ for id_, count in names.items() if count > 1), None):
        files = ", ".join(name for name, document in documents.items() if document.id == twice)
        message, hint = f"duplicate document '{twice}': {files}", "keep one of them"
        raise CorpusError("corpus-invalid", message, place=source.path, hint=hint)
    lengths = {document.id: len(document.sentences) for document in documents.values()}
    for id_, number in sorted(listed, key=lambda entry: (natural_key(entry[0]), entry[1])):
        if id_ not in lengths:
            source.remarks.append(f"{FORMAT.reviewed}: document {id_} is not in the corpus")
        elif number >= lengths[id_]:
            source.remarks.append(f"{FORMAT.reviewed}: document {id_} has no sentence {number}")
    return build(documents.values(), mentions, reviewed=listed)


def _reviewed(source: Source) -> Iterator[tuple[str, int]]:
    """Yield (document id, sentence number) of the fully reviewed sentences; none without list.

    Raises CorpusError with the line of an invalid header or row.
    """
    if source.reviewed is None:
        return
    kind, name = list_kind(FORMAT), FORMAT.reviewed
    text = kind.decode(source.reviewed, name)
    rows = table_rows(text, ",", lambda line, why: kind.refuse(f"{name}:{line}", why))
    _, header = next(rows, (1, []))
    if header[-1:] != [_LAST_TITLE]:
        raise kind.refuse(f"{name}:1", f"the last column must be '{_LAST_TITLE}'")
    for line, row in rows:
        number = integer(row[2].strip()) if len(row) == 3 else -1
        if number < 0:
            raise kind.refuse(f"{name}:{line}", f"expected topic, file, sentence number, got {row}")
        yield f"{row[0].strip()}_{row[1].strip()}", number


class _File:
    """One file of ECB+: its tree, and errors and defects in it."""

    def __init__(self, source: Source, name: str, data: bytes) -> None:
        self.source, self.name = source, name
        self.root = parse_tree(name, data)
        match = FILE_NAME.fullmatch(name.rpartition("/")[2])
        if match is None:
            message = "the file name does not give topic and sub-topic"
            hint = "expected <topic>_<number><sub-topic>.xml, as in 1_10ecbplus.xml"
            raise CorpusError("corpus-invalid", message, place=name, hint=hint)
        self.id, self.topic = match[0].removesuffix(".xml"), match["topic"]
        self.half = match["suffix"]

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

    def document(self) -> tuple[Document, dict[str, int]]:
        """Return the document, and ``t_id`` → index of the token.

        Raises CorpusError for a duplicate token or a sentence out of order.
        """
        numbers: dict[str, int] = {}
        sentences: list[list[str]] = []
        before = None  # the sentence number of the token before, as text
        for el in self.root.iterchildren("token"):
            t_id, text = self.get(el, "t_id"), el.text or ""
            if t_id in numbers:
                raise self.error(el, f"duplicate token {t_id}")
            if len(el):
                raise self.error(el, f"token {t_id} contains other elements")
            sentence, last = self.get(el, "sentence"), len(sentences) - 1
            if sentence != before:
                number = integer(sentence)
                if number < 0 or number not in (last, last + 1):
                    message = f"sentence '{sentence}' after sentence {last}"
                    raise self.error(el, message, "number the sentences from 0, without gaps")
                if number > last:
                    sentences.append([])
            before = sentence
            numbers[t_id] = len(numbers)
            sentences[-1].append(text)
            if not text.isalnum():
                self._note_odd_text(f"t{t_id}", text)
        text_start = 1 if self.half == ADDED_HALF else 0
        alias = self.root.get("doc_id")
        names = {"alias": alias} if alias else {}
        levels = (self.topic, self.topic + self.half)
        text_of = tuple(map(tuple, sentences))
        return Document(self.id, *levels, text_of, text_start, names), numbers

    def _note_odd_text(self, token: str, text: str) -> None:
        if not text.isascii() and "\N{REPLACEMENT CHARACTER}" in text:
            self.note("replacement-character", token)
        if not text.strip():
            self.note("blank-token", token)
        elif len(text.split()) > 1 or text != text.strip():
            self.note("white-space-in-token", token)

    def mentions(self, document: Document, numbers: dict[str, int]) -> Mentions:
        """Return the mentions in the order of the file.

        Raises CorpusError for a duplicate markable, and for a mention that is anchored to a missing
        token.
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
        relations = self._relations(markables)
        rows: Mentions = []
        for m_id, el in markables.items():
            if not len(el):
                continue
            tag, tokens = str(el.tag), self._tokens(el, m_id, numbers)
            kind = kind_of(tag)
            chain, relation, descriptor, instance = relations.get(
                m_id, (f"{self.id}/{m_id}", "none", "", tag)
            )
            if instance not in (tag, _UNKNOWN_INSTANCE):
                clash = kind != kind_of(instance)
                self.note("event-in-argument-chain" if clash else "tag-differs-from-instance", m_id)
            place = {"id": f"{self.id}/{m_id}", "doc": self.id, "tokens": tokens, "chain": chain}
            about = {"kind": kind, "tag": tag, "relation": relation, "descriptor": descriptor}
            rows.append({**place, **about})
        used = Counter(token for row in rows if row["kind"] == EVENT for token in row["tokens"])
        t_ids = list(numbers)
        for token, times in used.items():
            if times > 1:
                self.note("token-in-two-events", f"t{t_ids[token]}")
        return rows

    def _tokens(self, el: Element, m_id: str, numbers: dict[str, int]) -> tuple[int, ...]:
        """Return the token indices of the mention, ascending."""
        anchors = [self.get(anchor, "t_id") for anchor in el.iterchildren("token_anchor")]
        for t_id in anchors:
            if t_id not in numbers:
                raise self.error(el, f"mention {m_id} is anchored to the missing token {t_id}")
        if not anchors:
            raise self.error(el, f"mention {m_id} has no token_anchor")
        tokens = sorted({numbers[t_id] for t_id in anchors})
        if len(tokens) < len(anchors):
            self.note("anchored-twice", m_id)
        return tuple(tokens)

    def _relations(self, markables: dict[str, Element]) -> dict[str, tuple[str, str, str, str]]:
        """Return ``m_id`` of a mention → its chain, relation, and descriptor and tag of the chain.

        Raises CorpusError for an unknown relation, for a missing source or target, and for a
        mention in more than one relation.
        """
        relations: dict[str, tuple[str, str, str, str]] = {}
        for el in self.root.iterfind("Relations/*"):
            if el.tag not in RELATIONS:
                raise self.error(el, f"unknown relation <{el.tag}>")
            targets = [self.get(target, "m_id") for target in el.iterchildren("target")]
            if len(targets) != 1 or targets[0] not in markables:
                found = ", ".join(targets) or "none"
                raise self.error(el, f"expected one existing markable as target, got {found}")
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
                if m_id not in markables or not len(markables[m_id]):
                    message = f"the source of a relation, mention {m_id}, is missing from the "
                    raise self.error(el, f"{message}document")
                if m_id in relations:
                    raise self.error(el, f"mention {m_id} is a source more than once")
                relations[m_id] = (chain, *about)
        return relations


def parse_tree(name: str, data: bytes) -> Element:
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
    splits=("ycf", "cybulska"),
    # Kinds of argument by the prefix of their tags (annotation guidelines).
    argument_kinds={
        "HUMAN_": "participant",
        "NON_HUMAN_": "participant",
        "TIME_": "time",
        "LOC_": "location",
    },
    release="ECB+ 1.0",
    folder="ECB+",
    archive="ECB+.zip",
    reviewed="ECBplus_coreference_sentences.csv",
)
