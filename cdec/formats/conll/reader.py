"""CoNLL-2012 and variants: one token per line, coreference in the last column.

Supported variants, as published by the projects named (facts of the formats only):

* the CoNLL-2011/2012 shared tasks and the reference scorer's tests: tabs or spaces, brackets with
  or without ``|`` between them, several parts, ``-``, ``_`` or ``*`` for "no mention";
* key and response files with one mention per line under one ``#begin document
  (ECB+/ecbplus_all)``: two columns (Barhom et al. 2019, Kenyon-Dean et al. 2018, Eirew et al.
  2021), or five columns with mention ids as tokens (Ahmed et al. 2023);
* span-based files of Barhom et al. (one ``#begin document`` per topic) and Cattan et al. (2021; one
  for the whole split): five columns (document, sentence, token number, token, brackets) or eight
  (topic, sub-topic, document, sentence, token number, token, flag, brackets).

The rows between two directives are a *block*. If a column names the documents inside the blocks
(each in consecutive rows, no mention across two), token numbers count within these documents;
``Annotation.layout`` keeps the position in the block, which the reference scorer uses.

The meaning of the columns is inferred from their content. If this fails, the file counts as one
without text; then the words of key and response are not compared:

==========================================  =========================================
columns before the brackets                  read as
==========================================  =========================================
… name, integer, integer, **x** …            document, sentence (or part), token number, text
… name, integer, **x** …                     document, token number, text
integer, **x** / integer, integer, **x**     the same without document
eight columns, True or False before the      topic, sub-topic, document, sentence, number of the
brackets                                     token in the document, text
name, **x** where the name never changes     document, text
**x** that changes                           text
anything else                                no document, no text
==========================================  =========================================

Brackets cannot express a gap: a mention with a gap is written as its full span. Matching with a
corpus recovers the gap from the first and last token. White space in tokens: see ``escape``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import counted
from cdec.formats.annotation import Annotation, Layout, mention_table, object_array
from cdec.formats.conll.blocks import Block, TokenLines, read_blocks
from cdec.formats.conll.brackets import EMPTY, Brackets, LastColumn, parse_cell, parse_column
from cdec.formats.conll.escape import unescape
from cdec.formats.conll.lines import refuse_breaks, surplus
from cdec.io.source import Source, failing
from cdec.notices import Notice, notice

_PLACEHOLDERS = frozenset({"-", "_", "*", "[WORD]"})
_FLAGS = frozenset({"True", "False"})
_LEADING = 8
_SAMPLE = 2000


@dataclass(frozen=True)
class Columns:
    """The separator of the fields (None: white space) and the indices of the columns.

    ``brackets`` is the separator before the last column; it may be white space in a file with tabs.
    The index of a missing column is None; ``number`` is that of the token number in the document.
    """

    separator: str | None = None
    brackets: str | None = None
    document: int | None = None
    sentence: int | None = None
    text: int | None = None
    number: int | None = None


class Run(NamedTuple):
    """The rows ``first`` to ``stop`` (exclusive) of a block: those of the document ``name``."""

    name: str
    block: Block
    first: int
    stop: int


class Part(NamedTuple):
    """The tokens of a document and their numbers in its source, or None if the file has none."""

    tokens: tuple[str, ...] | None
    numbers: Ints | None = None


def read(source: Source) -> Annotation:
    """Read a CoNLL file; raises FormatError with ``file:line``."""
    refuse_breaks(source)
    tokens = read_blocks(source)
    columns = _find_columns(tokens.rows)
    brackets, fail = Brackets([], [], [], [], []), failing(source, tokens.lines)
    last = LastColumn(tokens, columns.separator, columns.brackets)
    for block in tokens.blocks:
        parse_column(last.cells(block, fail), brackets, fail)
    runs, sentences = _find_runs(tokens, columns)
    if not _are_documents(runs, brackets):
        runs = [Run(block.id, block, block.first, block.stop) for block in tokens.blocks]
    parts = {run.name: _text(tokens.rows[run.first : run.stop], columns) for run in runs}
    layout = {
        run.name: Layout(
            run.block.id,
            run.first - run.block.first,
            tokens.lines[run.first : run.stop],
            None if sentences is None else sentences[run.first : run.stop],
            parts[run.name].numbers,
        )
        for run in runs
    }
    return Annotation(
        name=source.name,
        format="conll",
        mentions=_table(tokens, runs, brackets),
        documents={name: part.tokens for name, part in parts.items()},
        layout=layout,
        notices=tuple(_notices(source, tokens, columns, brackets)),
    )


def _table(tokens: TokenLines, runs: list[Run], brackets: Brackets) -> pd.DataFrame:
    """Return the mentions, sorted by block, by first token of the chain and by last token."""
    order = np.argsort(np.array(brackets.chain, dtype=np.int64), kind="stable")
    start = np.array(brackets.start, dtype=np.int64)[order]
    end = np.array(brackets.end, dtype=np.int64)[order]
    first = np.array([run.first for run in runs if run.stop > run.first], dtype=np.int64)
    names = object_array(run.name for run in runs if run.stop > run.first)
    run = np.searchsorted(first, start, "right") - 1
    labels = object_array(brackets.labels)[np.array(brackets.chain, dtype=np.int64)[order]]
    return mention_table(
        doc=names[run].tolist(),
        start=start - first[run],
        end=end - first[run],
        chain=labels.tolist(),
        line=tokens.lines[start],
    )


def _find_columns(rows: Sequence[str]) -> Columns:
    """Infer the columns of a file from rows spread evenly over it."""
    if not rows:
        return Columns()
    separator = "\t" if all("\t" in row for row in rows) else None
    sample = rows[:: max(1, len(rows) // _SAMPLE)]
    fields = [row.rstrip().split(separator) for row in sample]
    width = len(fields[0])
    usable = [row for row in fields if len(row) >= width]
    before = min(width - 1, _LEADING - 1)
    document, sentence, text, number = _roles(usable, before)
    # Spaces in the last field separate either brackets, or a token and its brackets.
    last = [row.rpartition("\t")[2].split() for row in sample] if separator else []
    pieces = {piece for field in last for piece in field if piece not in EMPTY}
    words = any(parse_cell(piece) is None for piece in pieces)
    return Columns(separator, None if words else separator, document, sentence, text, number)


def _roles(
    rows: Sequence[Sequence[str]], before: int
) -> tuple[int | None, int | None, int | None, int | None]:
    """Return the indices of the columns document, sentence, text and number, below ``before``."""
    integer = [all(r[k].isdecimal() and len(r[k]) < 10 for r in rows) for k in range(before)]
    if before == _LEADING - 1 and all(integer[3:5]) and _FLAGS.issuperset(r[6] for r in rows):
        return 2, 3, 5, 4
    if any(integer):
        pairs = [k for k in range(before - 1) if integer[k] and integer[k + 1]]
        first = next((k for k in pairs if k > 0), pairs[0] if pairs else integer.index(True))
        text = first + 2 if pairs else first + 1
        document, sentence = first - 1 if first else None, first if pairs else None
        return document, sentence, text if text < before else None, None
    constant = before > 0 and len({row[0] for row in rows}) == 1
    if before == 1:
        return None, None, None if constant else 0, None
    return (0, None, 1, None) if constant and before == 2 else (None, None, None, None)


def _find_runs(tokens: TokenLines, columns: Columns) -> tuple[list[Run], Ints | None]:
    """Return the runs of consecutive rows of one document, and the sentence of every row."""
    runs: list[Run] = []
    numbers: list[str] = []
    sizes: list[int] = []
    for block in tokens.blocks:
        heads = _heads(tokens.rows, block, columns)
        stops = [*(first for *_, first in heads[1:]), block.stop]
        for (name, number, first), stop in zip(heads, stops, strict=True):
            if runs and runs[-1].block is block and runs[-1].name == name:
                runs[-1] = runs[-1]._replace(stop=stop)
            else:
                runs.append(Run(name, block, first, stop))
            numbers.append(number)
            sizes.append(stop - first)
    if columns.sentence is None or not all(n.isdecimal() and len(n) < 10 for n in numbers):
        return runs, None
    return runs, np.repeat(np.array(list(map(int, numbers)), dtype=np.int64), sizes)


def _heads(rows: list[str], block: Block, columns: Columns) -> list[tuple[str, str, int]]:
    """Return (document, sentence, first row) for each group of rows with the same first fields.

    A field is '' if the row is too short.
    """
    places = (columns.document, columns.sentence)
    size = 1 + max(-1 if column is None else column for column in places)
    if not size or block.first == block.stop:
        return [(block.id, "0", block.first)]
    heads, prefix = [], None
    for row in range(block.first, block.stop):
        if prefix is not None and rows[row].startswith(prefix):
            continue
        fields = rows[row].split(columns.separator, size)
        prefix = rows[row].removesuffix(fields[-1]) if len(fields) > size else rows[row]
        document, sentence = (
            fields[column] if column is not None and len(fields) > column + 1 else ""
            for column in places
        )
        name = block.id if columns.document is None else unescape(document)
        heads.append((name, sentence, row))
    return heads


def _are_documents(runs: list[Run], brackets: Brackets) -> bool:
    """Return whether the runs are documents: one run each, no parts, no mention across two."""
    names = {run.name for run in runs}
    if len(names) < len(runs) or "" in names or any(run.block.part for run in runs):
        return False
    starts = [run.first for run in runs]
    sides = [np.searchsorted(starts, side, "right") for side in (brackets.start, brackets.end)]
    return bool((sides[0] == sides[1]).all())


def _text(rows: list[str], columns: Columns) -> Part:
    """Return the tokens unless the text column is missing or has placeholders only."""
    column = columns.text
    if column is None:
        return Part(None)
    split = (row.split(columns.separator, column + 1) for row in rows)
    full = [f if len(f) == column + 2 else [""] * (column + 1) for f in split]
    fields = [f[column] for f in full]
    tokens = tuple([unescape(field) if "&#" in field else field for field in fields])
    numbers = None if columns.number is None else _numbers([f[columns.number] for f in full])
    return Part(None if tokens and _PLACEHOLDERS.issuperset(tokens) else tokens, numbers)


def _numbers(fields: Sequence[str]) -> Ints | None:
    """Return the fields as integers, or None if one is not."""
    if not all(field.isdecimal() and len(field) < 10 for field in fields):
        return None
    return np.array(list(map(int, fields)), dtype=np.int64)


def _notices(
    source: Source, tokens: TokenLines, columns: Columns, brackets: Brackets
) -> Iterator[Notice]:
    wide = [source.place(int(tokens.lines[row])) for row in surplus(tokens, columns.separator)]
    if wide:
        what = counted(len(wide), "line has", "lines have")
        message = f"{what} more fields than the other lines of the sentence: only the last is read"
        yield notice("surplus-fields", message, wide)
    places = [source.place(int(tokens.lines[row])) for row in brackets.discarded]
    if places:
        what = counted(len(places), "line has", "lines have")
        message = f"{what} a double antecedent such as (12+3), which is discarded"
        yield notice("double-antecedent", message, places)
    if tokens.unfinished:
        last = tokens.blocks[-1]
        message = f"'#end document' is missing after document '{last.id}'; is the file truncated?"
        yield notice("unfinished-document", message, [source.place(last.line)])
    if tokens.unnamed:
        first = tokens.blocks[0]
        message = f"the document has no name: it gets that of the file, '{first.id}'"
        yield notice("document-unnamed", message, [source.place(first.line)], warning=False)
