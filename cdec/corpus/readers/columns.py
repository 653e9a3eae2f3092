"""Files with a token in each line, and mentions at spans of tokens.

A reader names the columns of its lines (``rows_of``), says which document, sentence, token and
chains they hold, and gets the documents with their mentions (``documents_of``). Several corpora are
in ``EIGHT``, the columns of Cattan et al. (2021), for all documents between one
``#begin document`` and ``#end document``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import BoolSeries
from cdec.corpus.build import build
from cdec.corpus.labels import with_chains
from cdec.corpus.model import Corpus, Document
from cdec.corpus.source import HINT, Source, error
from cdec.errors import CorpusError
from cdec.files.input import integer
from cdec.formats.brackets import EMPTY, Span, find_blocks, parse_column
from cdec.formats.escape import unescape
from cdec.records import Row

MASKED = "___"
EIGHT = ("topic", "subtopic", "doc", "sentence", "number", "token", "flag", "cell")
IN_EIGHT = (
    r"(?:#.*\n)*(?!#)(?:[^\t\n]*\t){3}\d+\t\d+\t[^\t\n]*\t[^\t\n]*\t[^\t\n]*(?:\n|$)"
)
_MOST_EMPTY = (
    1000  # sentences without a token between two with one: more are a wrong number
)

Placed = list[tuple[Document, list[tuple[Span, Row]]]]
"""Documents with their mentions: the span of each, and its kind, state and attributes."""


def check(
    file: str,
    rows: pd.DataFrame,
    wrong: BoolSeries,
    message: str,
    *,
    hint: str = HINT,
    code: str = "corpus-invalid",
) -> None:
    """Raise CorpusError with the line of the first row that is wrong.

    The values of its columns can be named in the message, as ``{doc}``.
    """
    for row in rows[wrong].head(1).to_dict("records"):
        values = {str(name): f"{value!s:.60}" for name, value in row.items()}
        raise error(file, code, row["line"], message.format_map(values), hint)


def rows_of(source: Source, file: str, names: Sequence[str] = ()) -> pd.DataFrame:
    """Return the token rows of a file: ``line``, ``block``, ``text``, and its fields by name.

    Without fields of these names, ``topic`` and ``subtopic`` are blank.
    ``block`` is the id of ``#begin document``: ``name``, or ``name; part 001`` for a part other
    than 0. Raises CorpusError for a token outside of a document, a document without tokens or
    end, and another number of fields.
    """
    lines = source.text(file).split("\n")
    content = find_blocks(lines, partial(error, file))
    if content.unfinished:
        last = content.blocks[-1]
        raise error(
            file, "conll-structure", last.line, f"the document '{last.id}' does not end"
        )
    for block in content.blocks:
        if block.first == block.stop:
            raise error(
                file,
                "conll-structure",
                block.line,
                f"the document '{block.id}' has no tokens",
            )
    ids = np.array([block.id for block in content.blocks], dtype=object)
    sizes = [block.stop - block.first for block in content.blocks]
    text = [lines[number - 1] for number in content.lines.tolist()]
    rows = pd.DataFrame(
        {"line": content.lines, "block": np.repeat(ids, sizes), "text": text}
    ).assign(topic="", subtopic="")
    if names:
        width = rows["text"].str.count("\t") + 1
        check(
            file,
            rows.assign(width=width),
            width != len(names),
            f"expected {len(names)} columns separated by tabs, got {{width}}",
        )
        rows[list(names)] = [line.split("\t") for line in text]
    return rows


def eight_columns(source: Source, file: str) -> pd.DataFrame:
    """Return the rows of a file in eight columns."""
    rows = rows_of(source, file, EIGHT)
    return rows.assign(doc=rows["doc"].map(unescape))


def documents_of(
    file: str, rows: pd.DataFrame
) -> Iterator[tuple[Document, list[Span]]]:
    """Yield the documents of a file with their mentions.

    Columns: ``line``, ``doc``, ``topic``, ``subtopic``, ``sentence`` (a number), ``token``; perhaps
    ``cell`` (chains in brackets). Raises CorpusError with the line of a document that is
    interrupted by another, a sentence out of order, and invalid brackets.
    """
    begins = rows["doc"] != rows["doc"].shift()
    check(file, rows, rows["doc"].str.strip() == "", "no document id")
    again = begins & rows["doc"].where(begins).duplicated()
    check(
        file,
        rows,
        again,
        "document '{doc}' is interrupted by another",
        code="conll-structure",
    )
    number = rows["sentence"].astype(str).map(integer)
    step = number.groupby(rows["doc"]).diff().fillna(number + 1)
    wrong = (number < 0) | ~step.between(0, _MOST_EMPTY)
    check(file, rows, wrong, "sentence '{sentence}' is out of order")
    for doc, lines in rows.assign(sentence=number).groupby("doc", sort=False):
        sentences: list[list[str]] = [[] for _ in range(lines["sentence"].iloc[-1] + 1)]
        for sentence, token in zip(lines["sentence"], lines["token"], strict=True):
            sentences[sentence].append(token)
        document = Document(
            str(doc),
            str(lines["topic"].iloc[0]),
            str(lines["subtopic"].iloc[0]),
            tuple(map(tuple, sentences)),
        )
        yield document, _spans(file, lines)


def _spans(file: str, lines: pd.DataFrame) -> list[Span]:
    """Return the mentions in the cells of a document."""
    numbers = lines["line"].tolist()

    def fail(code: str, row: int, message: str, hint: str) -> CorpusError:
        return error(file, code, numbers[row], message, hint)

    cells = [
        (row, cell)
        for row, cell in enumerate(lines.get("cell", ()))
        if cell.strip() not in EMPTY
    ]
    return sorted(parse_column(cells, fail))


def corpus_at(
    source: Source, placed: Placed, *, own_labels: bool = False, **facts: Any
) -> Corpus:
    """Return the corpus of documents with their mentions; ``facts`` are those of ``build``.

    The name of a mention is ``sentence_start_end``, with token numbers from 0 in the sentence. A
    span that a chain repeats is left out, which is a defect of ``source``; one in several chains is
    kept in each. ``own_labels``: nothing is known of the labels, which have the choices of
    ``cdec.corpus.labels``.
    """
    rows = []
    for document, mentions in placed:
        spans = set()
        counts = Counter[str]()
        for span, about in mentions:
            sentence = bisect_right(document.sentence_starts, span.start) - 1
            first = document.sentence_starts[sentence]
            name = f"{document.id}/{sentence}_{span.start - first}_{span.end - first}"
            if span in spans:
                source.note("repeated-span", name)
                continue
            spans.add(span)
            counts[name] += 1
            rows.append(
                {
                    "id": name if counts[name] == 1 else f"{name}_{counts[name]}",
                    "doc": document.id,
                    "tokens": span.tokens or tuple(range(span.start, span.end + 1)),
                    "chain": span.chain,
                    **about,
                }
            )
    if own_labels:
        rows = with_chains(
            rows,
            key_labels=source.key_labels,
            noise=source.noise,
            file=str(source.path),
            place=lambda number: str(rows[number - 1]["id"]),
        )
    return build((document for document, _ in placed), rows, **facts)
