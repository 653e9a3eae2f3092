"""The markables of a document, and what the relations say of those that are mentions."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from cdec.corpus.ecbplus.reading import Reading
from cdec.corpus.ecbplus.scheme import CROSS_DOC, RELATIONS, TAGS, UNKNOWN_INSTANCE

Markables = dict[str, etree._Element]


class Relation(NamedTuple):
    """What a relation says of a mention: its chain, and descriptor and tag of the instance."""

    chain: str
    kind: str
    descriptor: str
    tag: str


def read_markables(reading: Reading, root: etree._Element) -> Markables:
    """Return ``m_id`` → element; raises CorpusError for a markable that stands twice."""
    markables: Markables = {}
    for el in root.iterfind("Markables/*"):
        m_id = reading.get(el, "m_id")
        if m_id in markables:
            raise reading.error(el, f"markable {m_id} stands twice")
        if el.tag not in TAGS:
            reading.note("unknown-tag" if el.tag != UNKNOWN_INSTANCE else "unknown-instance", m_id)
        markables[m_id] = el
    return markables


def read_relations(
    reading: Reading, root: etree._Element, markables: Markables
) -> dict[str, Relation]:
    """Return ``m_id`` of a mention → its relation; a mention in none is left out.

    Raises CorpusError for an unknown relation, one from or to something missing, and a second one
    from a mention.
    """
    relations: dict[str, Relation] = {}
    for el in root.iterfind("Relations/*"):
        relation = _relation(reading, el, markables)
        sources = [reading.get(source, "m_id") for source in el.iterchildren("source")]
        if not sources:
            reading.note("relation-without-source", f"r{el.get('r_id')}")
        for m_id in sources:
            if m_id not in markables or not len(markables[m_id]):
                raise reading.error(el, f"relation from a missing mention (m_id {m_id})")
            if m_id in relations:
                raise reading.error(el, f"mention {m_id} stands in two relations or twice in one")
            relations[m_id] = relation
    return relations


def _relation(reading: Reading, el: etree._Element, markables: Markables) -> Relation:
    if el.tag not in RELATIONS:
        raise reading.error(el, f"unknown relation <{el.tag}>")
    targets = [reading.get(target, "m_id") for target in el.iterchildren("target")]
    if len(targets) != 1 or targets[0] not in markables:
        raise reading.error(el, f"relation to a missing markable (targets: {targets or 'none'})")
    instance = markables[targets[0]]
    local = f"{reading.document}/r{reading.get(el, 'r_id')}"
    chain = reading.get(el, "note") if el.tag == CROSS_DOC else local
    if not chain.strip():
        raise reading.error(el, "an empty note names no instance")
    descriptor = instance.get("TAG_DESCRIPTOR", "")
    return Relation(chain, RELATIONS[el.tag], descriptor, str(instance.tag))
