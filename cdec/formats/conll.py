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
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import PurePath
from sys import intern
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import CdecError, Notice, counted, notice
from cdec.files.input import STDIN, TextFile, integer
from cdec.formats.annotation import Annotation, Layout, mention_table, object_array
from cdec.formats.brackets import EMPTY, Block, Blocks, Span, find_blocks, labels_of, parse_column
from cdec.formats.escape import unescape

_PLACEHOLDERS = frozenset({"-", "_", "*", "[WORD]"})
_FLAGS = frozenset({"True", "False"})
_LEADING = 8
_SAMPLE = 2000  # rows from which the columns are inferred
_TOGETHER = 1024  # rows that are split at a time: so their fields take little memory
# In a line: a carriage return that is not part of a line end, and other breaks before a token.
_BREAK = re.compile(r"\r(?!\r*(?:\n|\Z))|[\v\f](?=[^\r\n]*[^\s])")
_BREAKS = {"\r": "carriage return (CR)", "\v": "vertical tab (VT)", "\f": "form feed (FF)"}


_SURPLUS = "more fields than the other lines of the sentence: only the last is read"
_NUMBER = (
    "a token number that is not greater than that of the line before; tokens are read in the order "
    "of the lines"
)
_DOUBLE = "a double antecedent such as (12+3), which is discarded"


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
    blocks = found.blocks
    rows = [source.lines[line - 1] for line in found.lines.tolist()]
    separator = "\t" if all("\t" in row for row in rows) else None
    sample = [row.rstrip() for row in rows[:: max(1, len(rows) // _SAMPLE)]]
    columns = find_columns([row.split(separator) for row in sample])
    names, texts, sentences, numbers, widths, marked = _split(rows, separator, columns)

    # CoNLL-2012 has one column per verb of a sentence: the median of a sentence is usual, of one
    # row the largest number of the others. Rows that end in a separator do not count: the last
    # field of such a row is empty if it has one field less than usual.
    breaks = np.flatnonzero(np.diff(found.lines) > 1) + 1
    is_open = np.array([row[-1].isspace() for row in rows], dtype=np.bool_)
    known = pd.Series(np.where(is_open, np.nan, widths))
    by_sentence = known.groupby(np.isin(np.arange(len(widths)), breaks).cumsum())
    medians, is_single = by_sentence.transform("median"), by_sentence.transform("size") == 1
    medians[is_single & known.notna()] = medians[~is_single].max()
    usual = medians.fillna(known.median()).fillna(pd.Series(widths)).to_numpy(np.int64)
    marked = marked[~(is_open & (widths == usual - 1))[marked]]
    # Spaces in the last field separate either brackets, or a token and its brackets.
    pieces = {piece for row in sample for piece in row.rpartition("\t")[2].split()}
    words = separator is None or any(kind == "" for piece in pieces for kind, _ in labels_of(piece))
    at_row, doubles = source.failing(found.lines), set[int]()

    def fail(code: str, row: int, message: str, hint: str) -> CdecError:
        if found.unfinished and row >= blocks[-1].first:
            hint += "; '#end document' is missing: is the file truncated?"
        return at_row(code, row, message, hint)

    spans: list[Span] = []
    for block in blocks:
        inside = marked[slice(*np.searchsorted(marked, [block.first, block.stop]))].tolist()
        cells = (
            rows[row].rsplit(None, 1)[-1] if words else rows[row].rstrip().rpartition("\t")[2]
            for row in inside
        )
        spans += parse_column(zip(inside, cells, strict=True), fail, doubles)

    start, end = (np.array([span[side] for span in spans], np.int64) for side in (0, 1))
    changes = _changes(names)
    runs = _documents(blocks, names, changes, start, end)
    documents: dict[str, tuple[str, ...] | None] = {}
    layout = {}
    for name, block, first, stop in runs:
        own = None if texts is None else tuple(texts[first:stop])
        documents[name] = None if own and _PLACEHOLDERS.issuperset(own) else own
        counts = (sentences, numbers if columns.in_document else None)
        of_sentence, of_document = (
            None if each is None or each[first:stop].min(initial=0) < 0 else each[first:stop]
            for each in counts
        )
        lines = found.lines[first:stop]
        layout[name] = Layout(block.id, first - block.first, lines, of_sentence, of_document)
    filled = [(name, first) for name, _, first, stop in runs if stop > first]
    firsts = np.array([first for _, first in filled], np.int64)
    at = np.searchsorted(firsts, start, "right") - 1
    mentions = mention_table(
        doc=object_array(name for name, _ in filled)[at].tolist(),
        start=start - firsts[at],
        end=end - firsts[at],
        chain=[span.chain for span in spans],
        line=found.lines[start],
    )

    odd = {_SURPLUS: np.flatnonzero(widths > usual), _NUMBER: np.empty(0, np.int64)}
    if numbers is not None and numbers.min(initial=0) >= 0:
        # Numbers begin again with the first one, and in each sentence and document.
        falls = np.flatnonzero(np.diff(numbers) <= 0) + 1
        begins = [*breaks, *changes, *_changes(sentences), *(block.first for block in blocks)]
        odd[_NUMBER] = falls[(numbers[falls] != numbers[0]) & ~np.isin(falls, begins)]
    odd[_DOUBLE] = np.array(sorted(doubles), np.int64)
    notices = tuple(_notices(source, found, odd))
    return Annotation(source.name, "conll", mentions, documents, layout, notices)


def find_columns(rows: Sequence[Sequence[str]]) -> Columns:
    """Return the columns of a file, inferred from these rows."""
    before = min(len(rows[0]) - 1, _LEADING - 1) if rows else 0
    rows = [row for row in rows if len(row) >= len(rows[0])]
    numeric = [all(integer(cell) >= 0 for cell in {row[k] for row in rows}) for k in range(before)]
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
    values: list[list[Any] | None] = [None if k is None else [] for k in at]
    widths: list[int] = []
    marked: list[int] = []
    last = max(-1 if k is None else k for k in at)
    for first in range(0, len(rows), _TOGETHER):
        split = [row.rstrip().split(separator) for row in rows[first : first + _TOGETHER]]
        widths += map(len, split)
        marked += [n for n, row in enumerate(split, first) if row[-1] not in EMPTY]
        if min(widths[first:]) <= last + 1:
            split = [row.split(separator) for row in rows[first : first + _TOGETHER]]
            split = [[*row[:-1], *[""] * (last + 2 - len(row))] for row in split]
        fields = list(zip(*split, strict=False))
        for k, make, column in zip(at, makes, values, strict=True):
            if k is not None and column is not None:
                column.extend(map(make, fields[k]))
    names, texts, *counts = values
    arrays = (None if column is None else np.array(column, dtype=np.int64) for column in counts)
    return names, texts, *arrays, np.array(widths, np.int64), np.array(marked, np.int64)


def _changes(values: Sequence[Any] | Ints | None) -> list[int]:
    """Return the rows whose value is not that of the row before."""
    codes = pd.factorize(np.array([] if values is None else values, dtype=object))[0]
    rows: list[int] = (np.flatnonzero(np.diff(codes)) + 1).tolist()
    return rows


def _documents(
    blocks: Sequence[Block],
    names: Sequence[str] | None,
    changes: Sequence[int],
    start: Ints,
    end: Ints,
) -> list[tuple[str, Block, int, int]]:
    """Return name, block, first row and end of each document: the runs of a name, or the blocks.

    Names count if each has one run, no block is a part, and no mention is in two runs.
    """
    whole = [(block.id, block, block.first, block.stop) for block in blocks]
    if names is None or any(block.part for block in blocks):
        return whole
    runs = []
    for block in blocks:
        inside = changes[bisect_right(changes, block.first) : bisect_left(changes, block.stop)]
        for first, stop in pairwise([block.first, *inside, block.stop]):
            name = unescape(names[first]) if first < stop else block.id
            runs.append((name, block, first, stop))
    distinct, firsts = {name for name, *_ in runs}, [first for _, _, first, _ in runs]
    first_run, last_run = (np.searchsorted(firsts, side, "right") for side in (start, end))
    is_whole = np.array_equal(first_run, last_run)
    is_named = is_whole and len(distinct) == len(runs) and "" not in distinct
    return runs if is_named else whole


def _notices(source: TextFile, found: Blocks, odd: Mapping[str, Ints]) -> Iterator[Notice]:
    """Yield the notices on odd rows, by what is odd, and on a missing end or name of a document."""
    for what, rows in odd.items():
        if len(rows):
            places = [source.place(int(found.lines[row])) for row in rows]
            message = f"{counted(len(rows), 'line has', 'lines have')} {what}"
            yield notice("reading-assumed", message, places)
    if found.unfinished:
        last = found.blocks[-1]
        message = f"'#end document' is missing after document '{last.id}'; is the file truncated?"
        yield notice("reading-assumed", message, [source.place(last.line)])
    if found.unnamed:
        first = found.blocks[0]
        message = f"the document has no name: it gets that of the file, '{first.id}'"
        yield notice("document-unnamed", message, [source.place(first.line)], warning=False)


def _refuse_breaks(source: TextFile) -> None:
    """Raise FormatError for a line with a carriage return, vertical tab or form feed inside."""
    # Without a line feed, lines end in a carriage return.
    text = source.text if "\n" in source.text else source.text.replace("\r", "\n")
    if any(sign in text for sign in _BREAKS) and (found := _BREAK.search(text)):
        hint = f"end every line with LF; inside a token write '&#{ord(found[0])};'"
        line, message = text.count("\n", 0, found.start()) + 1, f"{_BREAKS[found[0]]} in the line"
        raise source.error("conll-structure", line, message, hint)
