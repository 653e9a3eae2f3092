"""ECB+ (Cybulska & Vossen 2014): XML, file names, list of reviewed sentences.

A file contains tokens, then markables, then relations. A markable with ``token_anchor`` children
is a mention; any other is an instance, the target of relations. A relation links mentions to an
instance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from cdec.corpus.build import build
from cdec.corpus.model import ENTITY, EVENT, Corpus, Document, natural_key
from cdec.corpus.source import HINT, LARGEST, CorpusFormat, Source, error, odd
from cdec.errors import CorpusError
from cdec.files.input import FileKind, integer
from cdec.formats.fields import table_rows

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
_LIST, _LAST_TITLE = "ECBplus_coreference_sentences.csv", "Sentence Number"
_AGAIN = f"get {_LIST} again, or remove it"
_REVIEWED = FileKind("a list of reviewed sentences", CorpusError, "file-invalid", _AGAIN, LARGEST)
_ENDS = ("source", "target")
_RULES = {
    "Markables/*/*[not(@t_id)] | Relations/*[not(@r_id)] | Relations/*/*[not(@m_id)]": (
        "has no attribute with its id"
    ),
    "token[*]": "contains other elements",
    "Markables/*[*][not(token_anchor)]": "is a mention that is anchored to no token",
    "Relations/*[not(self::CROSS_DOC_COREF or self::INTRA_DOC_COREF) or count(target) != 1]": (
        "is not a known relation with one existing markable as target"
    ),
    "Relations/CROSS_DOC_COREF[not(normalize-space(@note))]": "has no note, the label of a chain",
}
"""XPath of elements that are not valid → what is wrong with them."""
Mentions = list[dict[str, Any]]


def kind_of(tag: str) -> str:
    """Return the kind of a markable with this tag: an event (an action) or an entity."""
    return EVENT if tag.startswith(_EVENT_TAGS) else ENTITY


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with file and line."""
    documents: dict[str, Document] = {}
    mentions: Mentions = []
    for name, data in source:
        document, rows = _read(source, name, data)
        if documents.setdefault(document.id, document) is not document:
            raise error(name, "corpus-invalid", 0, "another file has this name", "keep one")
        mentions += rows
    listed = _reviewed(source)
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
    text = _REVIEWED.decode(source.reviewed, _LIST)
    head, *rows = table_rows(text, ",", lambda line, why: _REVIEWED.refuse(f"{_LIST}:{line}", why))
    wrong = [head] if head[1][2:] != [_LAST_TITLE] else []
    wrong += [each for each in rows if len(each[1]) != 3 or integer(each[1][2].strip()) < 0]
    for line, row in wrong[:1]:
        why = f"expected topic, file, {_LAST_TITLE}, got {row}"
        raise _REVIEWED.refuse(f"{_LIST}:{line}", why)
    return {(f"{topic.strip()}_{file.strip()}", int(n)) for _, (topic, file, n) in rows}


def _read(source: Source, name: str, data: bytes) -> tuple[Document, Mentions]:
    """Return the document of a file, and its mentions in the order of the file.

    Raises CorpusError with file and line.
    """
    root, match = _parse(name, data), FILE_NAME.fullmatch(name.rpartition("/")[2])
    if match is None:
        message = "the file name does not give topic and sub-topic"
        hint = "expected <topic>_<number><sub-topic>.xml, as in 1_10ecbplus.xml"
        raise error(name, "corpus-invalid", 0, message, hint)
    for path, message in _RULES.items():
        wrong: Any = root.xpath(path)
        for el in wrong[:1]:
            raise _error(name, el, message)
    id_, topic, half = match[0].removesuffix(".xml"), match[1], match[3]
    tokens = _named(name, root.iterfind("token"), "t_id")
    sentences: list[tuple[str, ...]] = []
    for sentence, elements in groupby(tokens.values(), lambda el: el.get("sentence", "")):
        first, *others = elements
        if integer(sentence) != len(sentences):
            message = f"sentence '{sentence}' after sentence {len(sentences) - 1}"
            raise _error(name, first, message, "number the sentences from 0, without gaps")
        sentences.append(tuple([el.text or "" for el in (first, *others)]))
    names = {"alias": root.get("doc_id", "")} if root.get("doc_id") else {}
    start = 1 if half == ADDED_HALF else 0
    document = Document(id_, topic, topic + half, tuple(sentences), start, names)
    text = " ".join(document.tokens)
    if "\N{REPLACEMENT CHARACTER}" in text or text.split() != [*document.tokens]:
        for t_id, kinds in zip(tokens, map(odd, document.tokens), strict=True):
            for kind in kinds:
                source.note(kind, f"{id_}/t{t_id}")
    return document, _mentions(source, root, name, document, list(tokens))


def _error(name: str, el: Element, message: str, hint: str = HINT) -> CorpusError:
    return error(f"{name}:{el.sourceline}", "corpus-invalid", 0, f"<{el.tag}> {message}", hint)


def _named(name: str, elements: Iterable[Element], attribute: str) -> dict[str, Element]:
    """Return the elements by an attribute. Raises CorpusError if it is missing or repeated."""
    given = [*elements]
    names = [el.get(attribute, "") for el in given]
    if "" in names:
        raise _error(name, given[names.index("")], f"has no attribute {attribute}")
    if len(set(names)) < len(names):
        at = next(at for at, own in enumerate(names) if own in names[:at])
        raise _error(name, given[at], f"{names[at]} is a duplicate")
    return dict(zip(names, given, strict=True))


def _mentions(
    source: Source, root: Element, name: str, document: Document, t_ids: Sequence[str]
) -> Mentions:
    """Return the mentions of a document, whose tokens have these ids."""
    markables = _named(name, root.iterfind("Markables/*"), "m_id")
    for m_id, el in markables.items():
        if el.tag not in _TAGS:
            kind = "unknown-instance" if el.tag == _UNKNOWN_INSTANCE else "unknown-tag"
            source.note(kind, f"{document.id}/{m_id}")
    # Mention → chain, relation, and descriptor and tag of the chain.
    relations: dict[str, tuple[str, str, str, str]] = {}
    for el in root.iterfind("Relations/*"):
        r_id, id_ = el.get("r_id", ""), document.id
        sources, (target,) = ([e.get("m_id", "") for e in el.iterchildren(end)] for end in _ENDS)
        wrong = [
            m for m in sources if m in relations or m not in markables or not len(markables[m])
        ]
        wrong += [target] * (target not in markables)
        if wrong:
            raise _error(name, el, f"{wrong[0]} is in two relations, or missing from the document")
        if not sources:
            source.note("relation-without-source", f"{id_}/r{r_id}")
        instance, label = markables[target], el.get("note", "") if el.tag == CROSS_DOC else ""
        about = RELATIONS[el.tag], instance.get("TAG_DESCRIPTOR", ""), str(instance.tag)
        relations |= dict.fromkeys(sources, (label or f"{id_}/r{r_id}", *about))
    number_of = {t_id: number for number, t_id in enumerate(t_ids)}
    rows: Mentions = []
    for m_id, el in ((m_id, el) for m_id, el in markables.items() if len(el)):
        anchors = [anchor.get("t_id", "") for anchor in el.iterchildren("token_anchor")]
        if missing := [t_id for t_id in anchors if t_id not in number_of]:
            raise _error(name, el, f"{m_id} is anchored to the missing token {missing[0]}")
        tokens = tuple(sorted({number_of[t_id] for t_id in anchors}))
        id_, tag = f"{document.id}/{m_id}", str(el.tag)
        if len(tokens) < len(anchors):
            source.note("anchored-twice", id_)
        chain, relation, descriptor, target = relations.get(m_id, (id_, "none", "", tag))
        if target not in (tag, _UNKNOWN_INSTANCE):
            clash = kind_of(tag) != kind_of(target)
            source.note("event-in-argument-chain" if clash else "tag-differs-from-instance", id_)
        place = {"id": id_, "doc": document.id, "tokens": tokens, "chain": chain}
        about_it = {"tag": tag, "relation": relation, "descriptor": descriptor}
        rows.append({**place, "kind": kind_of(tag), **about_it})
    used = Counter(token for row in rows if row["kind"] == EVENT for token in row["tokens"])
    for number in (number for number, times in used.items() if times > 1):
        source.note("token-in-two-events", f"{document.id}/t{t_ids[number]}")
    return rows


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
        hint = "the file is damaged: install the corpus again"
        raise refuse(problem.lineno or 1, f"invalid XML: {problem.msg}", hint) from None
    if root.getroottree().docinfo.internalDTD is not None:
        message = "the file has a document type definition (DTD), which is not allowed"
        raise refuse(data.partition(b"<!DOCTYPE")[0].count(b"\n") + 1, message, "remove it")
    if root.tag != "Document" or root.find("token") is None or root.find("Markables") is None:
        message = f"not an ECB+ document: the root <{root.tag}> has no tokens or no markables"
        raise refuse(1, message, "expected <Document> with <token>, <Markables> and <Relations>")
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
