"""The eight columns of Cattan et al. (2021), separated by tabs, for all documents of a corpus.

Topic, sub-topic, document, sentence, number of the token in the document, token, a flag (here
always True), chains in brackets.
"""

from __future__ import annotations

from collections.abc import Iterator

from cdec.columns.blocks import begin_line
from cdec.columns.escape import escape, escape_name
from cdec.corpus.columns import NO_LEVEL
from cdec.corpus.model import ALL_KINDS, Corpus, Document
from cdec.formats.conll.writer import bracket_columns
from cdec.formats.export import from_corpus


def write(corpus: Corpus) -> Iterator[str]:
    """Yield the text of the file, one document at a time; chains are numbered.

    A mention with a gap is written as its full span. Raises FormatError as the writer of CoNLL.
    """
    whole = corpus.select(ALL_KINDS)
    annotation = from_corpus(whole, whole.gold).numbered()
    yield begin_line(corpus.name) + "\n"
    for id_, cells in bracket_columns(annotation):
        yield "".join(_rows(corpus.documents[id_], cells))
    yield "#end document\n"


def _rows(document: Document, cells: list[str]) -> Iterator[str]:
    topic = escape_name(document.topic or NO_LEVEL)
    head = f"{topic}\t{escape(document.subtopic or NO_LEVEL)}\t{escape(document.id)}"
    number = 0
    for sentence, tokens in enumerate(document.sentences):
        for token in tokens:
            yield f"{head}\t{sentence}\t{number}\t{escape(token)}\tTrue\t{cells[number]}\n"
            number += 1
