"""Parse one file into its document and mentions."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from cdec.corpus.adapter import Defect
from cdec.corpus.ecbplus import ADDED_HALF, FILE_NAME
from cdec.corpus.ecbplus.mentions import Reading, read_markables, read_mentions, read_relations
from cdec.corpus.model import Document
from cdec.corpus.rows import Row
from cdec.errors import CorpusError

_DIGITS = 9  # of a sentence number: Python does not convert thousands of digits


@dataclass(frozen=True)
class ParsedFile:
    """A document, its mentions in the order of the file, and the defects of the file."""

    document: Document
    rows: list[Row] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)


def parse_file(name: str, data: bytes) -> ParsedFile:
    """Return the document, mentions and defects of ``data``, read from the file ``name``.

    Raises CorpusError, with file and line, for malformed XML, a DTD, a file that is not ECB+, a
    mention anchored to a missing token and a relation to a missing mention.
    """
    root = _parse_tree(name, data)
    id_, topic, suffix = _parse_name(name)
    reading = Reading(name, id_)
    numbers, sentences = _read_tokens(reading, root)
    text_start = 1 if suffix == ADDED_HALF else 0
    alias = root.get("doc_id")
    names = {"alias": alias} if alias else {}
    document = Document(id_, topic, topic + suffix, sentences, text_start, names)
    markables = read_markables(reading, root)
    relations = read_relations(reading, root, markables)
    rows = read_mentions(reading, document, numbers, markables, relations)
    return ParsedFile(document, rows, reading.defects)


def _parse_tree(name: str, data: bytes) -> etree._Element:
    """Return the root of the document in ``data``, read from the file ``name``.

    Raises CorpusError for malformed XML, a DTD (which allows entity bombs and external files) and
    a root that is not an ECB+ document.
    """
    at = data.find(b"<!DOCTYPE")
    if at >= 0:  # before parsing; a DTD in UTF-16 is detected in the tree only
        raise _doctype(name, data.count(b"\n", 0, at) + 1)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise CorpusError(
            "corpus-file-invalid",
            f"invalid XML: {error.msg}",
            place=f"{name}:{error.lineno or 1}",
            hint="the file is damaged: install the corpus again",
        ) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise _doctype(name, 1)
    if root.tag != "Document" or root.find("token") is None or root.find("Markables") is None:
        raise CorpusError(
            "corpus-file-invalid",
            f"not an ECB+ document: the root <{root.tag}> has no tokens or no markables",
            place=f"{name}:1",
            hint="expected <Document> with <token>, <Markables> and <Relations>",
        )
    return root


def _doctype(name: str, line: int) -> CorpusError:
    message = "the file has a document type definition (DTD), which is not allowed"
    return CorpusError("corpus-file-invalid", message, place=f"{name}:{line}", hint="remove it")


def _parse_name(name: str) -> tuple[str, str, str]:
    """Return document id, topic, and half of the corpus (ecb or ecbplus) from the file name."""
    match = FILE_NAME.fullmatch(name.rpartition("/")[2])
    if match is None:
        raise CorpusError(
            "corpus-file-invalid",
            "the file name does not give topic and sub-topic",
            place=name,
            hint="expected <topic>_<number><sub-topic>.xml, as in 1_10ecbplus.xml",
        )
    return match[0].removesuffix(".xml"), match["topic"], match["suffix"]


def _read_tokens(
    reading: Reading, root: etree._Element
) -> tuple[dict[str, int], tuple[tuple[str, ...], ...]]:
    """Return ``t_id`` → index of the token in the document, and the texts by sentence.

    Raises CorpusError for a duplicate token or a sentence out of order.
    """
    numbers: dict[str, int] = {}
    sentences: list[list[str]] = []
    before = None  # the sentence number of the token before, as text
    for el in root.iterchildren("token"):
        t_id, text = reading.get(el, "t_id"), el.text or ""
        if t_id in numbers:
            raise reading.error("corpus-file-invalid", el, f"duplicate token {t_id}")
        if len(el):
            raise reading.error("corpus-file-invalid", el, f"token {t_id} contains other elements")
        sentence = reading.get(el, "sentence")
        if sentence != before and _is_new(reading, el, sentence, len(sentences) - 1):
            sentences.append([])
        before = sentence
        numbers[t_id] = len(numbers)
        sentences[-1].append(text)
        if not text.isalnum():
            _note_odd_text(reading, t_id, text)
    return numbers, tuple(map(tuple, sentences))


def _is_new(reading: Reading, el: etree._Element, text: str, last: int) -> bool:
    """Return whether a token is of the sentence after ``last``, rather than of ``last``."""
    number = int(text) if text.isdecimal() and len(text) <= _DIGITS else -1
    if number not in (last, last + 1) or number < 0:
        message = f"sentence '{text}' after sentence {last}"
        hint = "number the sentences from 0, without gaps"
        raise reading.error("corpus-file-invalid", el, message, hint)
    return number > last


def _note_odd_text(reading: Reading, t_id: str, text: str) -> None:
    if not text.isascii() and "\N{REPLACEMENT CHARACTER}" in text:
        reading.note("replacement-character", f"t{t_id}")
    if not text.strip():
        reading.note("blank-token", f"t{t_id}")
    elif len(text.split()) > 1 or text != text.strip():
        reading.note("white-space-in-token", f"t{t_id}")
