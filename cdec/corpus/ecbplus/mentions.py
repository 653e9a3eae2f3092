"""The mentions of a document: markables with tokens, in the order of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from lxml import etree

from cdec.corpus.ecbplus.markables import Markables, Relation
from cdec.corpus.ecbplus.reading import Reading
from cdec.corpus.ecbplus.scheme import UNKNOWN_INSTANCE, is_event
from cdec.corpus.ecbplus.tokens import Tokens
from cdec.corpus.parsed import Row


def read_mentions(
    reading: Reading, tokens: Tokens, markables: Markables, relations: Mapping[str, Relation]
) -> list[Row]:
    """Return a row a mention; raises CorpusError for one that is anchored to a missing token."""
    rows = [
        _row(reading, tokens, m_id, el, relations.get(m_id))
        for m_id, el in markables.items()
        if len(el)
    ]
    _note_shared_tokens(reading, rows, tokens)
    return rows


def _row(
    reading: Reading, tokens: Tokens, m_id: str, el: etree._Element, relation: Relation | None
) -> Row:
    tag, anchors = str(el.tag), _anchors(reading, tokens, m_id, el)
    id_, event = f"{reading.document}/{m_id}", is_event(tag)
    chain = relation or Relation(id_, "none", "", tag)
    _compare_tags(reading, m_id, tag, chain.tag)
    if anchors[-1] - anchors[0] >= len(anchors):
        reading.note("gap-in-event" if event else "gap-in-argument", m_id)
    if tokens.sentence_of[anchors[0]] != tokens.sentence_of[anchors[-1]]:
        reading.note("spans-sentences", m_id)
    return Row(
        id=id_,
        sentence=tokens.sentence_of[anchors[0]],
        start=anchors[0],
        end=anchors[-1],
        tokens=anchors,
        text=" ".join(tokens.texts[i] for i in anchors),
        tag=tag,
        is_event=event,
        chain=chain.chain,
        relation=chain.kind,
        descriptor=chain.descriptor,
    )


def _anchors(reading: Reading, tokens: Tokens, m_id: str, el: etree._Element) -> tuple[int, ...]:
    """Return the numbers of the mention's tokens, rising."""
    anchors = [reading.get(anchor, "t_id") for anchor in el.iterchildren("token_anchor")]
    for t_id in anchors:
        if t_id not in tokens.index:
            raise reading.error(el, f"mention {m_id} is anchored to the missing token {t_id}")
    if not anchors:
        raise reading.error(el, f"mention {m_id} has no token_anchor")
    numbers = sorted({tokens.index[t_id] for t_id in anchors})
    if len(numbers) < len(anchors):
        reading.note("anchored-twice", m_id)
    return tuple(numbers)


def _compare_tags(reading: Reading, m_id: str, tag: str, instance: str) -> None:
    if instance in (tag, UNKNOWN_INSTANCE):
        return
    clash = is_event(tag) != is_event(instance)
    reading.note("event-in-argument-chain" if clash else "tag-differs-from-instance", m_id)


def _note_shared_tokens(reading: Reading, rows: Iterable[Row], tokens: Tokens) -> None:
    """Note the tokens that several event mentions have."""
    used = Counter(token for row in rows if row.is_event for token in row.tokens)
    t_ids = list(tokens.index)
    for token, times in used.items():
        if times > 1:
            reading.note("token-in-two-events", f"t{t_ids[token]}")
