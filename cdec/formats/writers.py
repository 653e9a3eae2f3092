"""Write an annotation: CoNLL, documents, JSON Lines, JSON, CSV and TSV."""

from __future__ import annotations

import json
from collections.abc import Iterator
from csv import QUOTE_ALL
from functools import partial
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
    spans = annotation.mentions.drop_duplicates(["doc", "start", "end", "tokens"])
    shared = spans[spans.duplicated(["doc", "start", "end"])]

    def fail(code: str, _: int, message: str, hint: str) -> FormatError:
        return FormatError(code, message, place=annotation.name, hint=hint)

    for doc, own, size, sentences in _placed(annotation):
        for start in shared["start"][shared["doc"] == doc]:
            message = f"brackets cannot express two mentions of '{doc}' from token {start} "
            raise _unsuitable(annotation, f"{message} that differ only in a gap")
        rows = own[["start", "end", "chain"]].itertuples(index=False, name=None)
        cells = render_column(size, [Span(*row) for row in rows], fail)
        tokens, (name, part) = annotation.documents.get(doc), split_id(doc)
        middle = [""] * size if tokens is None else [f"{escape(token)}\t" for token in tokens]
        numbers = np.full(size, part) if sentences is None else sentences
        lines = [
            f"{escape_name(name)}\t{sentence}\t{number}\t{text}{cell}\n"
            for number, (sentence, text, cell) in enumerate(
                zip(numbers.tolist(), middle, cells, strict=True)
            )
        ]
        for row in np.flatnonzero(np.diff(numbers)) + 1:
            lines[row] = f"\n{lines[row]}"
        yield "".join([begin_line(doc), "\n", *lines, "#end document\n"])


def documents(annotation: Annotation) -> Iterator[str]:
    """Yield a JSON object for each document, in a line, with ``cluster_labels``.

    A mention with a gap is written as its full span. Raises FormatError for a mention with an id
    only or with a sentence, and a document without name.
    """
    for doc, own, size, sentences in _placed(annotation):
        tokens = annotation.documents.get(doc)
        record: dict[str, Any] = {"doc_key": doc}
        if tokens is not None:
            numbers = np.zeros(size) if sentences is None else sentences
            bounds = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), size] if size else []
            record["sentences"] = [list(tokens[a:b]) for a, b in pairwise(bounds)]
        found = own.groupby("chain", sort=False)
        record["clusters"] = [chain[["start", "end"]].to_numpy().tolist() for _, chain in found]
        record["cluster_labels"] = [label for label, _ in found]
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _placed(
    annotation: Annotation,
) -> Iterator[tuple[str, pd.DataFrame, int, Any]]:
    """Yield each document, its mentions, the number of its tokens, and their sentences if known.

    Raises FormatError for what no format with a text can express.
    """
    mentions = annotation.mentions
    for id_ in mentions["mention"][mentions["start"] < 0]:
        raise _unsuitable(annotation, f"mention '{id_}' has an id but no tokens")
    if (mentions["chain"].str.strip() == "").any():
        raise _unsuitable(annotation, "a mention has a blank chain", "number the chains")
    inside = mentions[mentions["sentence"] >= 0]
    for doc, sentence in zip(inside["doc"], inside["sentence"], strict=True):
        message = f"the tokens of a mention of '{doc}' may count in sentence {sentence}"
        raise _unsuitable(annotation, message)
    groups = {str(doc): group for doc, group in mentions.groupby("doc", sort=False)}
    for doc in dict.fromkeys([*annotation.documents, *groups]):
        if not doc:
            raise _unsuitable(annotation, "a document has no name", "name it")
        own = groups.get(doc, mentions.iloc[:0])
        tokens, layout = annotation.documents.get(doc), annotation.layout.get(doc)
        last = int(own["end"].max()) if len(own) else -1
        size = last + 1 if tokens is None else len(tokens)
        if last >= size:
            message = f"a mention of '{doc}' ends at token {last}, but it has "
            message += f"{counted(size, 'token')}"
            raise _unsuitable(annotation, message, "tokens count from 0", "tokens-invalid")
        numbers = None if layout is None else layout.sentences
        yield doc, own, size, numbers if numbers is not None and len(numbers) == size else None


def _unsuitable(
    annotation: Annotation, message: str, hint: str = _OTHER, code: str = "format-unsuitable"
) -> FormatError:
    return FormatError(code, message, place=annotation.name, hint=hint)


def to_records(annotation: Annotation) -> Iterator[dict[str, Any]]:
    """Yield one object per mention, without empty fields.

    Raises FormatError for a blank name, id or label, which no reader of records accepts.
    """
    table = _not_blank(annotation)
    names = ["doc", "start", "end", "sentence", "tokens", "mention", "chain"]
    names += [name for name in EXTRA if name in table]
    for values in zip(*(table[name].tolist() for name in names), strict=True):
        record = dict(zip(names, values, strict=True))
        record["tokens"] = list(record["tokens"])
        if record["start"] < 0:
            del record["start"], record["end"]
            if record["doc"] == record["mention"].rpartition("/")[0]:
                del record["doc"]
        empty = {"sentence": -1, "tokens": [], "mention": ""}
        yield {n: v for n, v in record.items() if n not in empty or v != empty[n]}


def _not_blank(annotation: Annotation) -> pd.DataFrame:
    table = annotation.mentions
    for field, needed in (("chain", True), ("doc", table["start"] >= 0), ("mention", False)):
        blank = ~table[field].map(str.strip).astype(bool) & ((table[field] != "") | needed)
        if blank.any():
            message = f"a mention has a blank {field}: '{table[field][blank].iloc[0]}'"
            raise _unsuitable(annotation, message, "correct the input, or number the chains")
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


def table(annotation: Annotation, separator: str) -> Iterator[str]:
    """Yield the text of a CSV or TSV file, without empty columns; nothing without a mention."""
    mentions = _not_blank(annotation)
    if mentions.empty:
        return
    numbers = ["start", "end", "sentence"]
    frame = mentions.assign(
        tokens=mentions["tokens"].map(lambda tokens: " ".join(map(str, tokens))),
        **{n: mentions[n].astype(str).where(mentions[n] >= 0, "") for n in numbers},
    )
    names = ["doc", "start", "end", "tokens", "mention", "sentence", "chain", *EXTRA]
    optional = {*numbers, "tokens", "mention"}
    given = [n for n in names if n in frame and (n not in optional or (frame[n] != "").any())]
    write = partial(frame[given].to_csv, index=False, sep=separator, lineterminator="\n")
    text = write() or ""
    if "\0" in text:
        message = "a name or label has a NUL character, which CSV and TSV cannot contain"
        raise _unsuitable(annotation, message, "use jsonl or json")
    if "\r" in text:  # the csv module quotes a carriage return only if it quotes every field
        text = write(quoting=QUOTE_ALL) or ""
    yield text
