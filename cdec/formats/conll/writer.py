"""Write CoNLL: document, sentence or part, token number, token, brackets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdec.columns.blocks import begin_line, split_id
from cdec.columns.brackets import Span, render_column
from cdec.columns.escape import escape, escape_name
from cdec.errors import FormatError, counted
from cdec.files.input import Fail
from cdec.formats.annotation import Annotation

_OTHER = "use jsonl, csv or json"


def write(annotation: Annotation) -> Iterator[str]:
    """Yield the text of the file, one document at a time.

    A document without text has no token column. A mention with a gap is written as its full span.
    Raises FormatError if brackets cannot express the annotation: a mention with an id only or
    with a sentence,
    mentions with the same first and last token but different gaps, crossing mentions of a chain,
    a document without name.
    """
    for doc, cells in bracket_columns(annotation):
        yield _document(annotation, doc, cells)


def bracket_columns(annotation: Annotation) -> Iterator[tuple[str, list[str]]]:
    """Yield each document and the brackets of its tokens; raises as ``write`` does."""
    mentions = annotation.mentions
    _refuse_inexpressible(annotation)
    _refuse_shared_ends(annotation)
    groups = {str(doc): group for doc, group in mentions.groupby("doc", sort=False)}
    none = mentions.iloc[:0]
    for doc in dict.fromkeys([*annotation.documents, *groups]):
        yield doc, _cells(annotation, doc, groups.get(doc, none))


def _cells(annotation: Annotation, doc: str, mentions: pd.DataFrame) -> list[str]:
    if not doc:
        message = "a document has no name"
        raise FormatError("format-unsuitable", message, place=annotation.name, hint="name it")
    tokens = annotation.documents.get(doc)
    last = int(mentions["end"].max()) if len(mentions) else -1
    size = last + 1 if tokens is None else len(tokens)
    fail = _failing(annotation, doc)
    if last >= size:
        message = f"a mention ends at token {last}, but the document has {counted(size, 'token')}"
        raise fail("tokens-invalid", last, message, "tokens count from 0")
    rows = mentions[["start", "end", "chain"]].itertuples(index=False, name=None)
    return render_column(size, [Span(*row) for row in rows], fail)


def _document(annotation: Annotation, doc: str, cells: list[str]) -> str:
    tokens, size = annotation.documents.get(doc), len(cells)
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
    def fail(code: str, row: int, message: str, hint: str) -> FormatError:
        message = f"{message} (document '{doc}')"
        return FormatError(code, message, place=annotation.name, hint=hint)

    return fail


def _refuse_inexpressible(annotation: Annotation) -> None:
    mentions = annotation.mentions
    bare = mentions[mentions["start"] < 0]
    if len(bare):
        id_ = bare["mention"].iloc[0]
        message = f"brackets cannot express mention '{id_}': it has an id but no tokens"
        raise FormatError("format-unsuitable", message, place=annotation.name, hint=_OTHER)
    if (mentions["chain"].str.strip() == "").any():
        message = "a mention has a blank chain, which no reader accepts"
        raise FormatError("format-unsuitable", message, place=annotation.name, hint="name it")
    inside = mentions[mentions["sentence"] >= 0]
    if len(inside):
        doc, sentence = inside.iloc[0][["doc", "sentence"]]
        message = f"the tokens of a mention of '{doc}' may count in sentence {sentence}"
        raise FormatError("format-unsuitable", message, place=annotation.name, hint=_OTHER)


def _refuse_shared_ends(annotation: Annotation) -> None:
    spans = annotation.mentions.drop_duplicates(["doc", "start", "end", "tokens"])
    shared = spans[spans.duplicated(["doc", "start", "end"])]
    if len(shared):
        doc, start, end = shared.iloc[0][["doc", "start", "end"]]
        message = (
            f"brackets cannot express two mentions of '{doc}' from token {start} to {end} "
            "that differ only in a gap"
        )
        raise FormatError("format-unsuitable", message, place=annotation.name, hint=_OTHER)
