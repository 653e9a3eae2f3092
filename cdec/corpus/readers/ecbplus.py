"""ECB+ (Cybulska & Vossen 2014): XML, file names, list of reviewed sentences.

A file contains tokens, then markables, then relations. A markable with ``token_anchor`` children
is a mention; any other is an instance, the target of relations. A relation links mentions to an
instance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from cdec.configs import read_toml
from cdec.corpus.build import build
from cdec.corpus.model import ENTITY, EVENT, Corpus, Document
from cdec.corpus.source import HINT, LARGEST, CorpusFormat, Source, error, odd
from cdec.errors import CdecError, CorpusError
from cdec.files.input import FileKind, integer
from cdec.formats.fields import table_rows
from cdec.records import Row, Words

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
# Of a mention: its chain, how that links it, and the descriptor and tag of the chain.
Relation = tuple[str, str, str, str]
_UNKNOWN_INSTANCE = "UNKNOWN_INSTANCE_TAG"
EVENT_TAGS = ("ACTION_", "NEG_ACTION_")
# A markable with another tag is kept and counted.
_TAGS = read_toml("corpora/kinds.toml")["tags"]["ecbplus"]
_LIST = "ECBplus_coreference_sentences.csv"
_LAST_TITLE = "Sentence Number"
_AGAIN = f"get {_LIST} again, or remove it"
_REVIEWED = FileKind(
    "a list of reviewed sentences", CorpusError, "file-invalid", _AGAIN, LARGEST
)
_RULES = {
    "token[not(string(@t_id))] | Markables/*[not(string(@m_id))] | Markables/*/*[not(@t_id)] | "
    "Relations/*[not(@r_id)] | Relations/*/*[not(@m_id)]": "has no attribute with its id",
    "token[*]": "contains other elements",
    "Markables/*[*][not(token_anchor)]": "is a mention that is anchored to no token",
    "Relations/*[not(self::CROSS_DOC_COREF or self::INTRA_DOC_COREF) or count(target) != 1]": (
        "is not a known relation with one existing markable as target"
    ),
    "Relations/CROSS_DOC_COREF[not(normalize-space(@note))]": "has no note, the label of a chain",
}
"""XPath of elements that are not valid → what is wrong with them."""
Mentions = list[Row]


def kind_of(tag: str) -> str:
    """Return the kind of a markable with this tag: an event (an action) or an entity."""
    return EVENT if tag.startswith(EVENT_TAGS) else ENTITY


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with file and line."""
    documents: dict[str, Document] = {}
    mentions: Mentions = []
    for name, data in source:
        document, rows = _read(source, name, data)
        if documents.setdefault(document.id, document) is not document:
            raise error(
                name, "corpus-invalid", 0, "another file has this name", "keep one"
            )
        mentions += rows
    listed = _reviewed(source)
    for id_, number in sorted(listed):
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
    text = _REVIEWED.decode(source.reviewed, _LIST)

    def refuse(line: int, message: str) -> CdecError:
        return _REVIEWED.refuse(f"{_LIST}:{line}", message)

    sentences = set()
    for number, (line, row) in enumerate(table_rows(text, ",", refuse)):
        is_header = number == 0
        is_valid = len(row) == 3 and integer(row[2].strip()) >= 0
        if is_header:
            is_valid = row[2:] == [_LAST_TITLE]
        if not is_valid:
            raise refuse(line, f"expected topic, file, {_LAST_TITLE}, got {row}")
        if not is_header:
            topic, file, sentence = row
            sentences.add((f"{topic.strip()}_{file.strip()}", int(sentence)))
    return sentences


def _read(source: Source, name: str, data: bytes) -> tuple[Document, Mentions]:
    """Return the document of a file, and its mentions in the order of the file.

    Raises CorpusError with file and line.
    """
    root = _parse(name, data)
    match = FILE_NAME.fullmatch(name.rpartition("/")[2])
    if match is None:
        raise error(
            name,
            "corpus-invalid",
            0,
            "the file name does not give topic and sub-topic",
            "expected <topic>_<number><sub-topic>.xml, as in 1_10ecbplus.xml",
        )
    for path, message in _RULES.items():
        invalid: Any = root.xpath(path)
        if invalid:
            raise _error(name, invalid[0], message)
    id_ = match[0].removesuffix(".xml")
    topic = match["topic"]
    half = match["suffix"]
    tokens = _named(name, root.iterfind("token"), "t_id")
    sentences: list[Words] = []
    for sentence, elements in groupby(
        tokens.values(), lambda el: el.get("sentence", "")
    ):
        words = list(elements)
        if integer(sentence) != len(sentences):
            raise _error(
                name,
                words[0],
                f"sentence '{sentence}' after sentence {len(sentences) - 1}",
                "number the sentences from 0, without gaps",
            )
        sentences.append(tuple([el.text or "" for el in words]))
    alias = root.get("doc_id")
    document = Document(
        id_,
        topic,
        topic + half,
        tuple(sentences),
        text_start=1 if half == ADDED_HALF else 0,
        attributes={"alias": alias} if alias else {},
    )
    for t_id, kinds in zip(tokens, map(odd, document.tokens), strict=True):
        for kind in kinds:
            source.note(kind, f"{id_}/t{t_id}")
    return document, _mentions(source, root, name, document, list(tokens))


def _error(name: str, el: Element, message: str, hint: str = HINT) -> CorpusError:
    return error(
        f"{name}:{el.sourceline}", "corpus-invalid", 0, f"<{el.tag}> {message}", hint
    )


def _named(
    name: str, elements: Iterable[Element], attribute: str
) -> dict[str, Element]:
    """Return the elements by an attribute. Raises CorpusError if it is repeated."""
    by_name: dict[str, Element] = {}
    for el in elements:
        id_ = el.get(attribute, "")
        if id_ in by_name:
            raise _error(name, el, f"{id_} is a duplicate")
        by_name[id_] = el
    return by_name


def _mentions(
    source: Source, root: Element, name: str, document: Document, t_ids: Sequence[str]
) -> Mentions:
    """Return the mentions of a document, whose tokens have these ids."""
    markables = _named(name, root.iterfind("Markables/*"), "m_id")
    for m_id, el in markables.items():
        if el.tag not in _TAGS:
            kind = "unknown-instance" if el.tag == _UNKNOWN_INSTANCE else "unknown-tag"
            source.note(kind, f"{document.id}/{m_id}")
    relations = _relations(source, root, name, document.id, markables)
    number_of = {t_id: number for number, t_id in enumerate(t_ids)}
    rows: Mentions = []
    for m_id, el in markables.items():
        if not len(el):
            continue
        anchors = [anchor.get("t_id", "") for anchor in el.iterchildren("token_anchor")]
        missing = [t_id for t_id in anchors if t_id not in number_of]
        if missing:
            raise _error(
                name, el, f"{m_id} is anchored to the missing token {missing[0]}"
            )
        tokens = tuple(sorted({number_of[t_id] for t_id in anchors}))
        id_ = f"{document.id}/{m_id}"
        tag = str(el.tag)
        if len(tokens) < len(anchors):
            source.note("anchored-twice", id_)
        chain, relation, descriptor, target = relations.get(
            m_id, (id_, "none", "", tag)
        )
        if target not in (tag, _UNKNOWN_INSTANCE):
            clash = kind_of(tag) != kind_of(target)
            source.note(
                "event-in-argument-chain" if clash else "tag-differs-from-instance", id_
            )
        rows.append(
            {
                "id": id_,
                "doc": document.id,
                "tokens": tokens,
                "chain": chain,
                "kind": kind_of(tag),
                "tag": tag,
                "relation": relation,
                "descriptor": descriptor,
            }
        )
    counts = Counter(
        token for row in rows if row["kind"] == EVENT for token in row["tokens"]
    )
    for number, count in counts.items():
        if count > 1:
            source.note("token-in-two-events", f"{document.id}/t{t_ids[number]}")
    return rows


def _relations(
    source: Source, root: Element, name: str, id_: str, markables: Mapping[str, Element]
) -> dict[str, Relation]:
    """Return mention → chain, relation, and descriptor and tag of the chain."""
    relations: dict[str, Relation] = {}
    for el in root.iterfind("Relations/*"):
        r_id = el.get("r_id", "")
        mentions = [end.get("m_id", "") for end in el.iterchildren("source")]
        (target,) = [end.get("m_id", "") for end in el.iterchildren("target")]
        invalid = [
            m_id
            for m_id in mentions
            if m_id in relations or m_id not in markables or not len(markables[m_id])
        ]
        if target not in markables:
            invalid.append(target)
        if invalid:
            raise _error(
                name,
                el,
                f"{invalid[0]} is in two relations, or missing from the document",
            )
        if not mentions:
            source.note("relation-without-source", f"{id_}/r{r_id}")
        instance = markables[target]
        label = el.get("note", "") if el.tag == CROSS_DOC else f"{id_}/r{r_id}"
        descriptor = instance.get("TAG_DESCRIPTOR", "")
        relation = (label, RELATIONS[el.tag], descriptor, str(instance.tag))
        relations |= dict.fromkeys(mentions, relation)
    return relations


def _parse(name: str, data: bytes) -> Element:
    """Return the root of the document in ``data``, read from the file ``name``.

    Raises CorpusError for malformed XML, a DTD (which allows entity bombs and external files) and
    a root that is not an ECB+ document.
    """
    from lxml import etree  # noqa: PLC0415  a cached corpus is loaded without it

    refuse = partial(error, name, "corpus-invalid")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as problem:
        raise refuse(
            problem.lineno or 1,
            f"invalid XML: {problem.msg}",
            "the file is damaged: install the corpus again",
        ) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise refuse(
            data.partition(b"<!DOCTYPE")[0].count(b"\n") + 1,
            "the file has a document type definition (DTD), which is not allowed",
            "remove it",
        )
    if (
        root.tag != "Document"
        or root.find("token") is None
        or root.find("Markables") is None
    ):
        raise refuse(
            1,
            f"not an ECB+ document: the root <{root.tag}> has no tokens or no markables",
            "expected <Document> with <token>, <Markables> and <Relations>",
        )
    return root


FORMAT = CorpusFormat(
    "ecbplus",
    "ECB+",
    patterns=("*/*.xml",),
    begins=r"(?:<\?[^>]*>\s*)?<Document\b",
    read=read,
    schema="2",
    folder="ECB+",
    reviewed=_LIST,
)
