"""Parse one file into its document and mentions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from cdec.corpus.adapter import Defect
from cdec.corpus.ecbplus.mentions import read_markables, read_mentions, read_relations
from cdec.corpus.ecbplus.reading import Reading, parse_tree
from cdec.corpus.ecbplus.scheme import ADDED_HALF
from cdec.corpus.model import Document
from cdec.corpus.rows import Row
from cdec.corpus.source import Source
from cdec.errors import CorpusError

_FILE_NAME = re.compile(r"(?P<topic>[^_/]+)_(?P<number>\d+)(?P<suffix>\D\w*)\.xml")
_DIGITS = 9  # of a sentence number: Python does not convert thousands of digits


@dataclass(frozen=True)
class ParsedFile:
    """A document, its mentions in the order of the file, and the defects of the file."""

    document: Document
    rows: list[Row] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)


def is_ecbplus(source: Source) -> bool:
    """Return whether any file has a name in the pattern of ECB+."""
    return any(_FILE_NAME.fullmatch(name.rpartition("/")[2]) for name in source.files)


def parse_file(name: str, data: bytes) -> ParsedFile:
    """Return the document, mentions and defects of ``data``, read from the file ``name``.

    Raises CorpusError, with file and line, for malformed XML, a DTD, a file that is not ECB+, a
    mention anchored to a missing token and a relation to a missing mention.
    """
    root = parse_tree(name, data)
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


def _parse_name(name: str) -> tuple[str, str, str]:
    """Return document id, topic, and half of the corpus (ecb or ecbplus) from the file name."""
    match = _FILE_NAME.fullmatch(name.rpartition("/")[2])
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
