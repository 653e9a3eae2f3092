"""Write an annotation: CoNLL, documents, JSON Lines, JSON, CSV and TSV."""

from __future__ import annotations

import json
from collections.abc import Iterator
from csv import QUOTE_ALL
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import FormatError, counted
from cdec.formats.annotation import EXTRA, Annotation
from cdec.formats.brackets import Span, begin_line, render_column, split_id
from cdec.formats.escape import escape, escape_name

_OTHER = "use jsonl, csv or json"


def conll(annotation: Annotation) -> Iterator[str]:
    """Yield the text of a file in CoNLL, one document at a time.

    Columns: document, sentence or part, token number, token (unless the document has no text),
    brackets. A mention with a gap is written as its full span. Raises FormatError if brackets
    cannot express the annotation: a mention with an id only or with a sentence, mentions with the
    same first and last token but different gaps, crossing mentions of a chain, a document without
    name.
    """
    for doc, cells in bracket_columns(annotation):
        tokens, layout = annotation.documents.get(doc), annotation.layout.get(doc)
        name, part = split_id(doc)
        head, size = escape_name(name), len(cells)
        middle = [""] * size if tokens is None else [f"{escape(token)}\t" for token in tokens]
        sentences = np.full(size, part)
        if layout is not None and layout.sentences is not None and len(layout.sentences) == size:
            sentences = layout.sentences
        rows = [
            f"{head}\t{sentence}\t{number}\t{text}{cell}\n"
            for number, (sentence, text, cell) in enumerate(
                zip(sentences.tolist(), middle, cells, strict=True)
            )
        ]
        for row in np.flatnonzero(np.diff(sentences)) + 1:
            rows[row] = f"\n{rows[row]}"
        yield "".join([begin_line(doc), "\n", *rows, "#end document\n"])


def bracket_columns(annotation: Annotation) -> Iterator[tuple[str, list[str]]]:
    """Yield each document and the brackets of its tokens; raises as ``conll`` does."""

    def fail(code: str, _: int, message: str, hint: str) -> FormatError:
        return FormatError(code, message, place=annotation.name, hint=hint)

    spans = annotation.mentions.drop_duplicates(["doc", "start", "end", "tokens"])
    shared = spans[spans.duplicated(["doc", "start", "end"])]
    for doc, own, size in _placed(annotation):
        for start in shared["start"][shared["doc"] == doc]:
            message = f"brackets cannot express two mentions of '{doc}' from token {start} "
            raise fail("format-unsuitable", 0, f"{message} that differ only in a gap", _OTHER)
        rows = own[["start", "end", "chain"]].itertuples(index=False, name=None)
        yield doc, render_column(size, [Span(*row) for row in rows], fail)


def _placed(annotation: Annotation) -> Iterator[tuple[str, pd.DataFrame, int]]:
    """Yield each document, its mentions, and the number of its tokens."""
    mentions = annotation.mentions

    def fail(message: str, hint: str = _OTHER, code: str = "format-unsuitable") -> FormatError:
        return FormatError(code, message, place=annotation.name, hint=hint)

    for id_ in mentions["mention"][mentions["start"] < 0]:
        raise fail(f"mention '{id_}' has an id but no tokens")
    if (mentions["chain"].str.strip() == "").any():
        raise fail("a mention has a blank chain, which no reader accepts", "name it")
    inside = mentions[mentions["sentence"] >= 0]
    for doc, sentence in zip(inside["doc"], inside["sentence"], strict=True):
        raise fail(f"the tokens of a mention of '{doc}' may count in sentence {sentence}")
    groups = {str(doc): group for doc, group in mentions.groupby("doc", sort=False)}
    for doc in dict.fromkeys([*annotation.documents, *groups]):
        if not doc:
            raise fail("a document has no name", "name it")
        own = groups.get(doc, mentions.iloc[:0])
        tokens, last = annotation.documents.get(doc), int(own["end"].max() if len(own) else -1)
        size = last + 1 if tokens is None else len(tokens)
        if last >= size:
            message = f"a mention of '{doc}' ends at token {last}, but it has "
            message += counted(size, "token")
            raise fail(message, "tokens count from 0", "tokens-invalid")
        yield doc, own, size


def documents(annotation: Annotation) -> Iterator[str]:
    """Yield a JSON object for each document, in a line, with ``cluster_labels``.

    A mention with a gap is written as its full span. Raises FormatError for a mention with an id
    only or with a sentence, and a document without name.
    """
    for doc, own, size in _placed(annotation):
        tokens, layout = annotation.documents.get(doc), annotation.layout.get(doc)
        record: dict[str, Any] = {"doc_key": doc}
        if tokens is not None:
            bounds = [0, size]
            if layout is not None and layout.sentences is not None and size:
                bounds[1:1] = (np.flatnonzero(np.diff(layout.sentences)) + 1).tolist()
            record["sentences"] = [list(tokens[a:b]) for a, b in pairwise(bounds)]
        found = own.groupby("chain", sort=False)
        record["clusters"] = [chain[["start", "end"]].to_numpy().tolist() for _, chain in found]
        record["cluster_labels"] = [label for label, _ in found]
        yield json.dumps(record, ensure_ascii=False) + "\n"


def to_records(annotation: Annotation) -> Iterator[dict[str, Any]]:
    """Yield one object per mention, without empty fields.

    Raises FormatError for a blank name, id or label, which no reader of records accepts.
    """
    table = _not_blank(annotation)
    names = ("doc", "start", "end", "tokens", "mention", "chain", "sentence")
    more = table[[name for name in EXTRA if name in table]].to_dict("records")
    columns = [*(table[name].tolist() for name in names), more]
    for doc, start, end, tokens, mention, chain, sentence, extra in zip(*columns, strict=True):
        record: dict[str, Any] = {} if start < 0 else {"doc": doc, "start": start, "end": end}
        if sentence >= 0:
            record["sentence"] = sentence
        if start < 0 and doc != mention.rpartition("/")[0]:
            record["doc"] = doc
        if tokens:
            record["tokens"] = list(tokens)
        if mention:
            record["mention"] = mention
        yield {**record, "chain": chain, **extra}


def _not_blank(annotation: Annotation) -> pd.DataFrame:
    table = annotation.mentions
    for field, needed in (("chain", True), ("doc", table["start"] >= 0), ("mention", False)):
        blank = ~table[field].map(str.strip).astype(bool) & ((table[field] != "") | needed)
        if blank.any():
            message = f"a mention has a blank {field}: '{table[field][blank].iloc[0]}'"
            hint = "correct the input, or number the chains"
            raise FormatError("format-unsuitable", message, place=annotation.name, hint=hint)
    return table


def lines(annotation: Annotation) -> Iterator[str]:
    """Yield the lines of a JSON Lines file, one per mention."""
    for record in to_records(annotation):
        yield json.dumps(record, ensure_ascii=False) + "\n"


def chains(annotation: Annotation) -> Iterator[str]:
    """Yield a JSON object with ``clusters``, a mapping chain → mentions; one mention per line."""
    found: dict[str, list[str]] = {}
    for record in to_records(annotation):
        label = record.pop("chain")
        found.setdefault(label, []).append(json.dumps(record, ensure_ascii=False))
    inside = [
        f"{json.dumps(label, ensure_ascii=False)}: [\n  " + ",\n  ".join(mentions) + "\n]"
        for label, mentions in found.items()
    ]
    yield '{"clusters": {' + ",\n".join(inside) + "}}\n"


def csv(annotation: Annotation) -> Iterator[str]:
    """Yield the text of a CSV file; nothing without a mention."""
    yield from _table(annotation, ",")


def tsv(annotation: Annotation) -> Iterator[str]:
    """Yield the text of a TSV file; nothing without a mention."""
    yield from _table(annotation, "\t")


def _table(annotation: Annotation, separator: str) -> Iterator[str]:
    """Yield the columns that are not empty, as text."""
    table = _not_blank(annotation)
    if table.empty:
        return
    placed, counted_in = table["start"] >= 0, table["sentence"] >= 0
    frame = pd.DataFrame({"doc": table["doc"]})
    if placed.any():
        frame["start"] = table["start"].astype(str).where(placed, "")
        frame["end"] = table["end"].astype(str).where(placed, "")
    if table["tokens"].map(len).any():
        frame["tokens"] = table["tokens"].map(lambda tokens: " ".join(map(str, tokens)))
    if table["mention"].map(len).any():
        frame["mention"] = table["mention"]
    if counted_in.any():
        frame["sentence"] = table["sentence"].astype(str).where(counted_in, "")
    frame = frame.assign(chain=table["chain"], **{n: table[n] for n in EXTRA if n in table})
    text = frame.to_csv(index=False, sep=separator, lineterminator="\n")
    if "\0" in text:
        message = "a name or label has a NUL character, which CSV and TSV cannot contain"
        hint = "use jsonl or json"
        raise FormatError("format-unsuitable", message, place=annotation.name, hint=hint)
    if "\r" in text:  # the csv module quotes a carriage return only if it quotes every field
        text = frame.to_csv(index=False, sep=separator, lineterminator="\n", quoting=QUOTE_ALL)
    yield text
