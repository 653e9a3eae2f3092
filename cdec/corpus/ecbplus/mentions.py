"""Read the markables of a document: its mentions in the order of the file, and their relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from cdec.corpus.adapter import Defect
from cdec.corpus.ecbplus import CROSS_DOC, RELATIONS, TAGS, UNKNOWN_INSTANCE, kind_of
from cdec.corpus.model import EVENT, Document
from cdec.corpus.rows import Row
from cdec.errors import CorpusError

_HINT = "fix this line, or get the corpus again"
Markables = dict[str, etree._Element]


@dataclass(frozen=True)
class Reading:
    """Parser state: ``file`` is the name for error messages, ``document`` the document id."""

    file: str
    document: str
    defects: list[Defect] = field(default_factory=list)

    def error(self, code: str, el: etree._Element, message: str, hint: str = _HINT) -> CorpusError:
        """Return the error for an element, with its line as the place."""
        return CorpusError(code, message, place=f"{self.file}:{el.sourceline}", hint=hint)

    def get(self, el: etree._Element, attribute: str) -> str:
        """Return an attribute of an element. Raises CorpusError if it is missing."""
        value = el.get(attribute)
        if value is None:
            raise self.error(
                "corpus-file-invalid", el, f"<{el.tag}> has no attribute '{attribute}'"
            )
        return value

    def note(self, kind: str, local_id: str | None = None) -> None:
        """Add a defect of the document, or of its token or mention ``local_id``."""
        item = self.document if local_id is None else f"{self.document}/{local_id}"
        self.defects.append(Defect(kind, item))


class Relation(NamedTuple):
    """The relation of a mention: its chain, and descriptor and tag of the instance."""

    chain: str
    kind: str
    descriptor: str
    tag: str


def read_markables(reading: Reading, root: etree._Element) -> Markables:
    """Return ``m_id`` → element; raises CorpusError for a duplicate markable."""
    markables: Markables = {}
    for el in root.iterfind("Markables/*"):
        m_id = reading.get(el, "m_id")
        if m_id in markables:
            raise reading.error("corpus-file-invalid", el, f"duplicate markable {m_id}")
        if el.tag not in TAGS:
            reading.note("unknown-tag" if el.tag != UNKNOWN_INSTANCE else "unknown-instance", m_id)
        markables[m_id] = el
    return markables


def read_relations(
    reading: Reading, root: etree._Element, markables: Markables
) -> dict[str, Relation]:
    """Return ``m_id`` of a mention → its relation; a mention without one is left out.

    Raises CorpusError for an unknown relation, for a missing source or target, and for a mention in
    more than one relation.
    """
    relations: dict[str, Relation] = {}
    for el in root.iterfind("Relations/*"):
        relation = _relation(reading, el, markables)
        sources = [reading.get(source, "m_id") for source in el.iterchildren("source")]
        if not sources:
            reading.note("relation-without-source", f"r{el.get('r_id')}")
        for m_id in sources:
            if m_id not in markables or not len(markables[m_id]):
                message = f"the source of a relation, mention {m_id}, is missing from the document"
                raise reading.error("corpus-file-invalid", el, message)
            if m_id in relations:
                message = f"mention {m_id} is a source more than once"
                raise reading.error("corpus-file-invalid", el, message)
            relations[m_id] = relation
    return relations


def _relation(reading: Reading, el: etree._Element, markables: Markables) -> Relation:
    if el.tag not in RELATIONS:
        raise reading.error("corpus-file-invalid", el, f"unknown relation <{el.tag}>")
    targets = [reading.get(target, "m_id") for target in el.iterchildren("target")]
    if len(targets) != 1 or targets[0] not in markables:
        message = f"expected one existing markable as target, got {', '.join(targets) or 'none'}"
        raise reading.error("corpus-file-invalid", el, message)
    instance = markables[targets[0]]
    local = f"{reading.document}/r{reading.get(el, 'r_id')}"
    chain = reading.get(el, "note") if el.tag == CROSS_DOC else local
    if not chain.strip():
        raise reading.error("corpus-file-invalid", el, "the note, the label of the chain, is empty")
    descriptor = instance.get("TAG_DESCRIPTOR", "")
    return Relation(chain, RELATIONS[el.tag], descriptor, str(instance.tag))


def read_mentions(
    reading: Reading,
    document: Document,
    numbers: Mapping[str, int],
    markables: Markables,
    relations: Mapping[str, Relation],
) -> list[Row]:
    """Return a row for each mention; ``numbers`` maps ``t_id`` → token index in ``document``.

    Raises CorpusError for a mention that is anchored to a missing token.
    """
    rows = [
        _row(reading, document, el, anchors, relations.get(m_id))
        for m_id, el in markables.items()
        if len(el) and (anchors := _anchors(reading, numbers, m_id, el))
    ]
    _note_shared_tokens(reading, rows, numbers)
    return rows


def _row(
    reading: Reading,
    document: Document,
    el: etree._Element,
    anchors: tuple[int, ...],
    relation: Relation | None,
) -> Row:
    m_id, tag = reading.get(el, "m_id"), str(el.tag)
    kind = kind_of(tag)
    chain = relation or Relation(f"{document.id}/{m_id}", "none", "", tag)
    _compare_tags(reading, m_id, tag, chain.tag)
    if anchors[-1] - anchors[0] >= len(anchors):
        reading.note("gap-in-event" if kind == EVENT else "gap-in-argument", m_id)
    row = Row.from_tokens(
        document,
        m_id,
        anchors,
        chain.chain,
        kind=kind,
        tag=tag,
        relation=chain.kind,
        descriptor=chain.descriptor,
    )
    if row.end >= document.sentence_starts[row.sentence] + len(document.sentences[row.sentence]):
        reading.note("spans-sentences", m_id)
    return row


def _anchors(
    reading: Reading, numbers: Mapping[str, int], m_id: str, el: etree._Element
) -> tuple[int, ...]:
    """Return the token indices of the mention, ascending."""
    anchors = [reading.get(anchor, "t_id") for anchor in el.iterchildren("token_anchor")]
    for t_id in anchors:
        if t_id not in numbers:
            message = f"mention {m_id} is anchored to the missing token {t_id}"
            raise reading.error("corpus-file-invalid", el, message)
    if not anchors:
        raise reading.error("corpus-file-invalid", el, f"mention {m_id} has no token_anchor")
    tokens = sorted({numbers[t_id] for t_id in anchors})
    if len(tokens) < len(anchors):
        reading.note("anchored-twice", m_id)
    return tuple(tokens)


def _compare_tags(reading: Reading, m_id: str, tag: str, instance: str) -> None:
    if instance in (tag, UNKNOWN_INSTANCE):
        return
    clash = kind_of(tag) != kind_of(instance)
    reading.note("event-in-argument-chain" if clash else "tag-differs-from-instance", m_id)


def _note_shared_tokens(reading: Reading, rows: Iterable[Row], numbers: Mapping[str, int]) -> None:
    """Note each token that belongs to several event mentions."""
    used = Counter(token for row in rows if row.kind == EVENT for token in row.tokens)
    t_ids = list(numbers)
    for token, times in used.items():
        if times > 1:
            reading.note("token-in-two-events", f"t{t_ids[token]}")
