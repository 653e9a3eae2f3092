"""Annotation → CoNLL: document, sentence or part, token number, token, brackets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdec.errors import FormatError
from cdec.formats.annotation import Annotation
from cdec.formats.conll.blocks import begin_line, split_id
from cdec.formats.conll.brackets import Span, render_column
from cdec.formats.conll.escape import escape, escape_name
from cdec.io.source import Fail

_OTHER = "jsonl, csv and json can hold it"


def write(annotation: Annotation) -> Iterator[str]:
    """Yield the text of the file, a document at a time.

    The token column is left out of a document without text. A mention with a gap is written as
    its full span. Raises FormatError for what brackets cannot tell: a mention that has only an id,
    two mentions with the same ends but different gaps, two of one chain that overlap crosswise.
    """
    mentions = annotation.mentions
    _refuse_ids(annotation)
    _refuse_shared_ends(annotation)
    groups = {str(doc): group for doc, group in mentions.groupby("doc", sort=False)}
    none = mentions.iloc[:0]
    for doc in dict.fromkeys([*annotation.documents, *groups]):
        yield _document(annotation, doc, groups.get(doc, none))


def _document(annotation: Annotation, doc: str, mentions: pd.DataFrame) -> str:
    tokens = annotation.documents.get(doc)
    last = int(mentions["end"].max()) if len(mentions) else -1
    size = last + 1 if tokens is None else len(tokens)
    fail = _failing(annotation, doc)
    if last >= size:
        raise fail(last, f"a mention ends at token {last} of {size}", "tokens count from 0")
    spans = map(Span._make, mentions[["start", "end", "chain"]].itertuples(index=False, name=None))
    cells = render_column(size, list(spans), fail)
    name, part = split_id(doc)
    head = escape_name(name)
    middle = [""] * size if tokens is None else [f"{escape(token)}\t" for token in tokens]
    sentences = _sentence_numbers(annotation, doc, size, part)
    rows = [
        f"{head}\t{sentence}\t{number}\t{text}{cell}\n"
        for number, (sentence, text, cell) in enumerate(zip(sentences, middle, cells, strict=True))
    ]
    for row in np.flatnonzero(np.diff(sentences)) + 1:
        rows[row] = f"\n{rows[row]}"
    return "".join([begin_line(doc), "\n", *rows, "#end document\n"])


def _sentence_numbers(annotation: Annotation, doc: str, size: int, part: int) -> list[int]:
    layout = annotation.layout.get(doc)
    if layout is None or layout.sentences is None or len(layout.sentences) != size:
        return [part] * size
    numbers: list[int] = layout.sentences.tolist()
    return numbers


def _failing(annotation: Annotation, doc: str) -> Fail:
    def fail(row: int, message: str, hint: str) -> FormatError:
        return FormatError(f"{message} (document '{doc}')", place=annotation.name, hint=hint)

    return fail


def _refuse_ids(annotation: Annotation) -> None:
    bare = annotation.mentions[annotation.mentions["start"] < 0]
    if len(bare):
        message = f"mention '{bare['mention'].iloc[0]}' has an id but no tokens"
        raise FormatError(message, place=annotation.name, hint=_OTHER)


def _refuse_shared_ends(annotation: Annotation) -> None:
    spans = annotation.mentions.drop_duplicates(["doc", "start", "end", "tokens"])
    twice = spans[spans.duplicated(["doc", "start", "end"])]
    if len(twice):
        doc, start, end = twice.iloc[0][["doc", "start", "end"]]
        message = f"two mentions share the ends {start}–{end} of '{doc}' and differ in a gap"
        raise FormatError(message, place=annotation.name, hint=_OTHER)
