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

A line that probably contains two tokens, because a line end was lost or replaced, is an error or a
notice: as in the reference scorer (v8.01), mentions are read from the last field of a line only, so
those of one of the two tokens would be lost without a message. Signs of such a line are another
line break character inside, or more fields than the other lines of the sentence have.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise
from pathlib import PurePath
from sys import intern
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.errors import CdecError, Notice, counted, notice
from cdec.files.input import STDIN, TextFile, failing, integer
from cdec.formats.annotation import Annotation, Layout, mention_table, object_array
from cdec.formats.brackets import (
    EMPTY,
    Block,
    Blocks,
    Brackets,
    find_blocks,
    labels_of,
    parse_column,
)
from cdec.formats.escape import unescape

_PLACEHOLDERS = frozenset({"-", "_", "*", "[WORD]"})
_FLAGS = frozenset({"True", "False"})
_NO_MENTION = EMPTY - {""}
_LEADING = 8
_SAMPLE = 2000  # rows from which the columns are inferred
_TOGETHER = 1024  # rows that are split at a time: so their fields take little memory


class Columns(NamedTuple):
    """The indices of the columns, None for a missing one.

    ``number`` is that of the token number, which counts ``in_document`` or perhaps in the sentence.
    """

    document: int | None = None
    sentence: int | None = None
    text: int | None = None
    number: int | None = None
    in_document: bool = False


def read(source: TextFile) -> Annotation:
    """Read a CoNLL file; raises FormatError with ``file:line``."""
    _refuse_breaks(source)
    stem = "" if source.name == STDIN else PurePath(source.name).stem
    found = find_blocks(source.lines, source.error, stem)
    rows = [source.lines[line - 1] for line in found.lines.tolist()]
    separator = "\t" if all("\t" in row for row in rows) else None
    sample = rows[:: max(1, len(rows) // _SAMPLE)]
    columns = find_columns([row.rstrip().split(separator) for row in sample])
    documents, texts, sentences, numbers, widths, marked = _split(rows, separator, columns)
    # A row that ends in a separator has an empty last field if it has one field less otherwise.
    open_rows = [row for row in marked if rows[row][-1].isspace()]
    is_open = np.zeros(len(rows), np.bool_)
    is_open[open_rows] = True
    widths[is_open] = [len(rows[row].rstrip().split(separator)) for row in open_rows]
    usual = _usual(widths, is_open, found.sentences)
    empty = is_open & (widths == usual - 1)
    # Spaces in the last field separate either brackets, or a token and its brackets.
    last = {piece for row in sample for piece in row.rpartition("\t")[2].split()} - EMPTY
    kinds = map(labels_of, last)
    words = separator is None or any(found is None or found[3] for found in kinds)
    brackets, at_row = Brackets(), failing(source, found.lines)

    def fail(code: str, row: int, message: str, hint: str) -> CdecError:
        if found.unfinished and row >= found.blocks[-1].first:
            hint += "; '#end document' is missing: is the file truncated?"
        return at_row(code, row, message, hint)

    def cell(row: int) -> tuple[int, str]:
        line = rows[row]
        if line[0] == "#" and "(" not in line and ")" not in line:
            message = f"comment inside a document: '{line.strip()[:40]}'"
            raise fail("brackets-invalid", row, message, "remove the comment")
        return row, line.rsplit(None, 1)[-1] if words else line.rstrip().rpartition("\t")[2]

    cells = (cell(row) for row in marked if not empty[row])
    firsts = [block.first for block in found.blocks]
    for _, inside in groupby(cells, lambda cell: bisect_right(firsts, cell[0])):
        parse_column(inside, brackets, fail)

    changes = _changes(documents)
    runs = _documents(found.blocks, documents, changes, brackets)
    known: dict[str, tuple[str, ...] | None] = {}
    layout = {}
    of_sentence, of_document = _known(sentences), numbers if columns.in_document else None
    for name, block, first, stop in runs:
        rows_of = slice(first, stop)
        own = None if texts is None else tuple(texts[rows_of])
        known[name] = None if own and _PLACEHOLDERS.issuperset(own) else own
        layout[name] = Layout(
            block.id,
            first - block.first,
            found.lines[rows_of],
            None if of_sentence is None else of_sentence[rows_of],
            None if of_document is None else _known(of_document[rows_of]),
        )
    begins = [*found.sentences, *changes, *_changes(sentences), *firsts]
    odd = np.flatnonzero(widths > usual), _out_of_order(numbers, begins), brackets.discarded
    return Annotation(
        source.name,
        "conll",
        _table(found, runs, brackets),
        known,
        layout,
        tuple(_notices(source, found, odd)),
    )


def find_columns(rows: Sequence[Sequence[str]]) -> Columns:
    """Return the columns of a file, inferred from these rows."""
    before = min(len(rows[0]) - 1, _LEADING - 1) if rows else 0
    rows = [row for row in rows if len(row) >= len(rows[0])]
    numeric = [all(integer(row[k]) >= 0 for row in rows) for k in range(before)]
    if before == _LEADING - 1 and all(numeric[3:5]) and _FLAGS.issuperset(r[6] for r in rows):
        return Columns(2, 3, 5, 4, in_document=True)
    if any(numeric):
        pairs = [k for k in range(before - 1) if numeric[k] and numeric[k + 1]]
        first = next((k for k in pairs if k > 0), pairs[0] if pairs else numeric.index(True))
        text = first + 2 if pairs else first + 1
        document, sentence = first - 1 if first else None, first if pairs else None
        return Columns(document, sentence, text if text < before else None, text - 1)
    constant = before > 0 and len({row[0] for row in rows}) == 1
    if before == 1 and not constant:
        return Columns(text=0)
    return Columns(document=0, text=1) if constant and before == 2 else Columns()


def _split(rows: list[str], separator: str | None, columns: Columns) -> tuple[Any, ...]:
    """Return document, text, sentence and token number of each row, its fields, the marked rows.

    Marked rows may have a mention. A column is None if there is none; a field is '', and a number
    −1, where a row is short.
    """
    # Equal tokens are one object: a file has far fewer words than rows.
    makes: tuple[Callable[[str], Any], ...] = (intern, cache(unescape), *2 * [cache(integer)])
    at = (columns.document, columns.text, columns.sentence, columns.number)
    values: tuple[list[Any], ...] = ([], [], [], [])
    widths: list[int] = []
    marked: list[int] = []
    last = 1 + max(-1 if k is None else k for k in at)
    for first in range(0, len(rows), _TOGETHER):
        split = [row.split(separator) for row in rows[first : first + _TOGETHER]]
        widths += map(len, split)
        marked += [n for n, row in enumerate(split, first) if row[-1] not in _NO_MENTION]
        if min(widths[first:]) <= last:
            split = [[*row[:-1], *[""] * (last + 1 - len(row))] for row in split]
        fields = list(zip(*split, strict=False))
        for k, make, column in zip(at, makes, values, strict=True):
            if k is not None:
                column.extend(map(make, fields[k]))
    documents, texts, *counts = (
        None if k is None else column for k, column in zip(at, values, strict=True)
    )
    arrays = (None if column is None else np.array(column, dtype=np.int64) for column in counts)
    return documents, texts, *arrays, np.array(widths, dtype=np.int64), marked


def _usual(widths: Ints, is_open: Bools, bounds: Sequence[int]) -> Ints:
    """Return the expected number of fields of each row: the most frequent one of its sentence.

    CoNLL-2012 has one column per verb of the sentence. Rows that end in a separator do not count;
    a sentence of such rows only has the number of the file, any other sentence of one row the
    largest of the other sentences. ``bounds`` are those of the sentences.
    """
    if not len(widths) or widths.min() == widths.max():
        return widths

    def most(first: int, stop: int, otherwise: int = 0) -> int:
        known = widths[first:stop][~is_open[first:stop]]
        return int(np.bincount(known).argmax()) if len(known) else otherwise

    whole, sizes = most(0, len(widths)), np.diff(bounds)
    each = np.array([most(*pair, whole) for pair in pairwise(bounds)])
    lone = sizes == 1
    lone[lone] = ~is_open[np.array(bounds[:-1])[lone]]
    each[lone] = each[sizes > 1].max(initial=0) or whole
    return np.repeat(each, sizes)


def _changes(values: Sequence[Any] | Ints | None) -> list[int]:
    """Return the rows whose value is not that of the row before."""
    if values is None:
        return []
    codes = pd.factorize(np.array(values, dtype=object))[0] if isinstance(values, list) else values
    rows: list[int] = (np.flatnonzero(np.diff(codes)) + 1).tolist()
    return rows


def _known(numbers: Ints | None) -> Ints | None:
    """Return the numbers, or None if one is missing."""
    return numbers if numbers is not None and numbers.min(initial=0) >= 0 else None


def _documents(
    blocks: Sequence[Block],
    names: Sequence[str] | None,
    changes: Sequence[int],
    brackets: Brackets,
) -> list[tuple[str, Block, int, int]]:
    """Return name, block, first row and end of each document: the runs of a name, or the blocks.

    Names count if each has one run, no block is a part, and no mention is in two runs.
    """
    whole = [(block.id, block, block.first, block.stop) for block in blocks]
    if names is None or any(block.part for block in blocks):
        return whole
    runs = []
    for block in blocks:
        first, stop = bisect_right(changes, block.first), bisect_left(changes, block.stop)
        for start, end in pairwise([block.first, *changes[first:stop], block.stop]):
            name = unescape(names[start]) if start < end else block.id
            runs.append((name, block, start, end))
    distinct, starts = {name for name, *_ in runs}, [start for _, _, start, _ in runs]
    first_run, last_run = (
        np.searchsorted(starts, side, "right") for side in (brackets.start, brackets.end)
    )
    is_whole = np.array_equal(first_run, last_run)
    is_named = len(distinct) == len(runs) and "" not in distinct and is_whole
    return runs if is_named else whole


def _table(
    found: Blocks, runs: Sequence[tuple[str, Block, int, int]], brackets: Brackets
) -> pd.DataFrame:
    """Return the mentions, sorted by block, by first token of the chain and by last token."""
    order = np.argsort(np.array(brackets.chain, dtype=np.int64), kind="stable")
    chain, start, end = (
        np.array(values, dtype=np.int64)[order]
        for values in (brackets.chain, brackets.start, brackets.end)
    )
    filled = [(name, first) for name, _, first, stop in runs if stop > first]
    first = np.array([first for _, first in filled], dtype=np.int64)
    at = np.searchsorted(first, start, "right") - 1
    return mention_table(
        doc=object_array(name for name, _ in filled)[at].tolist(),
        start=start - first[at],
        end=end - first[at],
        chain=object_array(brackets.labels)[chain].tolist(),
        line=found.lines[start],
    )


_ODD = (
    "more fields than the other lines of the sentence: only the last is read",
    "a token number that is not greater than that of the line before; tokens are read in the order "
    "of the lines",
    "a double antecedent such as (12+3), which is discarded",
)


def _notices(
    source: TextFile, found: Blocks, odd: Sequence[Sequence[int] | Ints]
) -> Iterator[Notice]:
    """Yield the notices on odd rows, and on a missing end or name of a document."""
    for words, rows in zip(_ODD, odd, strict=True):
        if len(rows):
            places = [source.place(int(found.lines[row])) for row in rows]
            message = f"{counted(len(rows), 'line has', 'lines have')} {words}"
            yield notice("reading-assumed", message, places)
    if found.unfinished:
        last = found.blocks[-1]
        message = f"'#end document' is missing after document '{last.id}'; is the file truncated?"
        yield notice("reading-assumed", message, [source.place(last.line)])
    if found.unnamed:
        first = found.blocks[0]
        message = f"the document has no name: it gets that of the file, '{first.id}'"
        yield notice("document-unnamed", message, [source.place(first.line)], warning=False)


def _out_of_order(numbers: Ints | None, begins: Sequence[int]) -> list[int]:
    """Return the rows whose token number does not grow, unless numbers begin again.

    They begin again at ``begins``, the first rows of sentences and documents, or with the first
    number of the sentence if no line separates sentences.
    """
    if numbers is None or numbers.min(initial=0) < 0:
        return []
    falls = np.flatnonzero(np.diff(numbers) <= 0) + 1
    heads = np.unique(np.array(begins, dtype=np.int64))
    first = heads[np.searchsorted(heads, falls, "right") - 1]
    found: list[int] = falls[(first != falls) & (numbers[falls] != numbers[first])].tolist()
    return found


# A carriage return that is not part of a line end; used only if the file has line feeds.
_LONE_RETURN = re.compile(r"\r(?!\r*(?:\n|\Z))")
_BREAKS = {"\r": "carriage return (CR)", "\v": "vertical tab (VT)", "\f": "form feed (FF)"}


def _refuse_breaks(source: TextFile) -> None:
    """Raise FormatError for a line with a carriage return, vertical tab or form feed inside."""
    text, line, sign = source.text, 0, "\r"
    if "\n" in text and (match := _LONE_RETURN.search(text)):
        line = text.count("\n", 0, match.start()) + 1
    elif "\v" in text or "\f" in text:
        for number, row in enumerate(source.lines, start=1):
            if match := re.search(r"[\v\f]", row.rstrip()):
                line, sign = number, match[0]
                break
    if line:
        hint = f"end every line with LF; inside a token write '&#{ord(sign)};'"
        raise source.error("conll-structure", line, f"{_BREAKS[sign]} inside the line", hint)
