"""Any cross-document key in CoNLL columns.

* The eight columns of Cattan et al. (2021): topics and sub-topics are in the file. A level is
  ignored if every unit above it contains one unit of it.
* CoNLL-2012: documents between ``#begin document (name)`` and ``#end document``, sentences between
  blank lines. The token is the fourth column; the third of four, where it is not a number; else
  there is no text. There are no levels.

Mentions are events, because such files do not say what they are. Escaped characters are decoded
(``cdec.formats.escape``).
"""

from __future__ import annotations

from collections.abc import Iterable

from cdec.corpus.model import LEVELS, Corpus, Document
from cdec.corpus.readers.columns import (
    MASKED,
    Columns,
    Placed,
    blocks_of,
    corpus_at,
    eight_columns,
    first_token,
)
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.files.input import integer
from cdec.formats.escape import unescape

_LEAST = 3  # columns: document, token number, chains
_NO_LEVEL = "-"  # in the column of a level that the corpus does not have
_MASKED_SHARE = 0.5  # of the tokens of a corpus without text; the published ones have 0.95


def is_conll(source: Source) -> bool:
    """Return whether any file is in CoNLL columns."""
    return any(
        first_token(source, file) or "".join(source.head(file)[:1]).startswith("#begin document")
        for file in source.files
    )


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with file and line."""
    documents: list[Document] = []
    mentions: list[Placed] = []
    for file, _ in source:
        wide = bool(first_token(source, file))
        for columns in eight_columns(source, file) if wide else _conll_2012(source, file):
            named = (columns.topic, columns.subtopic)
            topic, subtopic = ("" if name == _NO_LEVEL else unescape(name) for name in named)
            text = tuple(tuple(map(unescape, sentence)) for sentence in columns.text)
            documents.append(Document(columns.id, topic, subtopic, text))
            mentions += ((columns.id, span, {}) for span in columns.spans())
    topics = {document.topic for document in documents}
    subtopics = {(document.topic, document.subtopic) for document in documents}
    there = {"topic": topics != {""}, "subtopic": len(subtopics) > len(topics)}
    tokens = [token for each in documents for sentence in each.sentences for token in sentence]
    masked = tokens.count(MASKED) > _MASKED_SHARE * len(tokens)
    return corpus_at(
        source,
        documents,
        mentions,
        levels={level: LEVELS[level] for level in LEVELS if there[level]},
        text="none" if masked else "full",
    )


def _conll_2012(source: Source, file: str) -> Iterable[Columns]:
    for columns, first, lines in blocks_of(source, file):
        last, sentence, token = first, 0, -2
        for line, text in lines:
            fields = text.split("\t") if "\t" in text else text.split()
            if line > last + 1:
                sentence = len(columns.sentences)
            last = line
            if len(fields) < _LEAST:
                message = f"expected {_LEAST} columns or more, got {len(fields)}"
                raise error(file, "corpus-invalid", line, message)
            if token == -2:
                named = len(fields) == 4 and integer(fields[2]) < 0
                token = 3 if len(fields) > 4 else 2 if named else -1
            if token >= len(fields) - 1:
                message = f"the line has {len(fields)} columns, others have more"
                raise error(file, "corpus-invalid", line, message)
            columns.add(line, sentence, MASKED if token < 0 else fields[token], fields[-1])
        yield columns


FORMAT = CorpusFormat(
    "conll",
    "CoNLL",
    patterns=("*.conll", "*.conll.gz", "*_conll"),
    expected="a key in CoNLL-2012 or in the eight columns of Cattan et al.",
    sniff=is_conll,
    read=read,
    schema="2",
)
