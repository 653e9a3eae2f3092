"""From the bytes of a file to its document and mentions."""

from __future__ import annotations

import re

from cdec.corpus.ecbplus.markables import read_markables, read_relations
from cdec.corpus.ecbplus.mentions import read_mentions
from cdec.corpus.ecbplus.reading import Reading
from cdec.corpus.ecbplus.tokens import read_tokens
from cdec.corpus.ecbplus.tree import tree
from cdec.corpus.model import Document
from cdec.corpus.parsed import ParsedFile
from cdec.errors import CorpusError

_FILE_NAME = re.compile(r"(?P<topic>[^_/]+)_(?P<number>\d+)(?P<suffix>\D\w*)\.xml")
# The added half, whose sentence 0 is the page's URL.
_ADDED = "ecbplus"


def parse_file(name: str, data: bytes) -> ParsedFile:
    """Return the document, mentions and defects of ``data``, read from the file ``name``.

    Raises CorpusError, with file and line, for malformed XML, a DTD, a file that is not ECB+, a
    mention anchored to a missing token and a relation to a missing mention.
    """
    root = tree(name, data)
    id_, topic, suffix = _named(name)
    reading = Reading(name, id_)
    tokens = read_tokens(reading, root)
    text_start = 1 if suffix == _ADDED else 0
    document = Document(id_, topic, topic + suffix, tokens.sentences, text_start)
    markables = read_markables(reading, root)
    relations = read_relations(reading, root, markables)
    rows = read_mentions(reading, tokens, markables, relations)
    return ParsedFile(document, rows, reading.defects)


def _named(name: str) -> tuple[str, str, str]:
    """Return what the file name tells: the document's id, its topic, and the half it belongs to."""
    match = _FILE_NAME.fullmatch(name.rpartition("/")[2])
    if match is None:
        raise CorpusError(
            "the file name does not tell topic and sub-topic",
            place=name,
            cure="expected <topic>_<number><sub-topic>.xml, as in 1_10ecbplus.xml",
        )
    return match[0].removesuffix(".xml"), match["topic"], match["suffix"]
