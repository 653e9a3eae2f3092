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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import PurePath
from sys import intern
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import CdecError, Notice, counted, notice
from cdec.files.input import STDIN, TextFile
from cdec.formats import reading
from cdec.formats.annotation import Annotation, Layout, mention_table
from cdec.formats.brackets import EMPTY, Blocks, Span, find_blocks, labels_of, parse_column
from cdec.formats.escape import unescape

_PLACEHOLDERS = frozenset({"-", "_", "*", "[WORD]"})
_FLAGS = frozenset({"True", "False"})
_NUMBER = re.compile("[0-9]{1,9}")
_LEADING = 8
_SAMPLE = 2000  # rows from which the columns are inferred
_TOGETHER = 1024  # rows that are split at a time: so their fields take little memory
# In a line: a carriage return that is not part of a line end, and other breaks before a token.
_BREAK = re.compile(r"\r(?!\r*(?:\n|\Z))|[\v\f](?=[^\r\n]*[^\s])")
_BREAKS = {"\r": "carriage return (CR)", "\v": "vertical tab (VT)", "\f": "form feed (FF)"}

_SURPLUS = "more fields than the other lines of the sentence: only the last is read"
_FALLS = (
    "a token number that is not greater than that of the line before; tokens are read in the order "
    "of the lines"
)
_DOUBLE = "a double antecedent such as (12+3), which is discarded"


class Columns(NamedTuple):
    """The indices of the columns, None for a missing one; ``number``: that of the token number."""

    document: int | None = None
    sentence: int | None = None
    text: int | None = None
    number: int | None = None


class Fields(NamedTuple):
    """The columns of all rows, None for a missing one: '' and −1 where a row is short.

    ``widths`` are the numbers of fields, ``marked`` the rows that may have a mention.
    """

    names: list[str] | None
    sentences: Ints | None
    texts: list[str] | None
    numbers: Ints | None
    widths: Ints
    marked: Ints


def read(source: TextFile) -> Annotation:
    """Read a CoNLL file; raises FormatError with ``file:line``."""
    if any(sign in source.text for sign in _BREAKS):
        _refuse_breaks(source)
    stem = "" if source.name == STDIN else PurePath(source.name).stem
    found = find_blocks(source.lines, source.error, stem)
    rows = [source.lines[line - 1] for line in found.lines.tolist()]
    separator = "\t" if all("\t" in row for row in rows) else None
    sample = [row.rstrip() for row in rows[:: max(1, len(rows) // _SAMPLE)]]
    columns = find_columns([row.split(separator) for row in sample])
    fields = _split(rows, separator, columns, has_references="&#" in source.text)
    names, sentences, _, numbers, widths, marked = fields

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

    def fail(code: str, row: int, message: str, hint: str) -> CdecError:
        if found.unfinished and row >= found.blocks[-1].first:
            hint += "; '#end document' is missing: is the file truncated?"
        return source.error(code, int(found.lines[row]), message, hint)

    spans, doubles = list[Span](), set[int]()
    for block in found.blocks:
        inside = marked[slice(*np.searchsorted(marked, [block.first, block.stop]))].tolist()
        cells = (
            rows[row].rsplit(None, 1)[-1] if words else rows[row].rstrip().rpartition("\t")[2]
            for row in inside
        )
        spans += parse_column(zip(inside, cells, strict=True), fail, doubles)

    changes = np.flatnonzero(np.diff(pd.factorize(np.array(names or [], object))[0])) + 1
    made = _annotated(source, found, fields, changes.tolist(), spans)
    if reading.lines_are_mentions([(span.start, span.end) for span in spans], len(rows)):
        texts = fields.texts or [""] * len(rows)
        unmasked = ["" if _is_masked(text) else text for text in texts]
        identity = reading.identity_of_lines(_places(found, fields), unmasked)
        made = replace(made, reading={reading.IDENTITY: identity})
    odd = {_SURPLUS: np.flatnonzero(widths > usual), _DOUBLE: np.array(sorted(doubles), np.int64)}
    if numbers is not None and numbers.min(initial=0) >= 0:
        # Numbers begin again with the first one, and in each sentence and document.
        falls = np.flatnonzero(np.diff(numbers) <= 0) + 1
        begins = [*breaks, *changes, *(block.first for block in found.blocks)]
        begins += [] if sentences is None else (np.flatnonzero(np.diff(sentences)) + 1).tolist()
        odd[_FALLS] = falls[(numbers[falls] != numbers[0]) & ~np.isin(falls, begins)]
    if found.unfinished or found.unnamed or any(map(len, odd.values())):
        return replace(made, notices=tuple(_notices(source, found, odd)))
    return made


def _is_masked(word: str) -> bool:
    return word in _PLACEHOLDERS or word.strip("_") == ""


def _places(found: Blocks, fields: Fields) -> list[tuple[object, ...]]:
    """Return block, document, sentence and token number of each line, without those it lacks."""
    sizes = [block.stop - block.first for block in found.blocks]
    columns: list[Sequence[object]] = [np.repeat(range(len(sizes)), sizes).tolist()]
    if fields.names is not None:
        columns.append(fields.names)
    numbers = (fields.sentences, fields.numbers)
    columns += [column.tolist() for column in numbers if column is not None]
    return list(zip(*columns, strict=True))


def find_columns(rows: Sequence[Sequence[str]]) -> Columns:
    """Return the columns of a file, inferred from these rows."""
    before = min(len(rows[0]) - 1, _LEADING - 1) if rows else 0
    rows = [row for row in rows if len(row) >= len(rows[0])]
    numeric = [all(map(_NUMBER.fullmatch, {row[k] for row in rows})) for k in range(before)]
    if before == _LEADING - 1 and all(numeric[3:5]) and _FLAGS.issuperset(r[6] for r in rows):
        return Columns(2, 3, 5, 4)
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


def _split(
    rows: list[str], separator: str | None, columns: Columns, *, has_references: bool
) -> Fields:
    """Return the fields of the rows; references are characters that are escaped (``escape``)."""
    values: list[list[str] | None] = [None if k is None else [] for k in columns]
    widths: list[int] = []
    marked: list[int] = []
    last = max(-1 if k is None else k for k in columns)
    for first in range(0, len(rows), _TOGETHER):
        split = [row.rstrip().split(separator) for row in rows[first : first + _TOGETHER]]
        widths += map(len, split)
        marked += [n for n, row in enumerate(split, first) if row[-1] not in EMPTY]
        if min(widths[first:]) <= last + 1:
            split = [row.split(separator) for row in rows[first : first + _TOGETHER]]
            split = [[*row[:-1], *[""] * (last + 2 - len(row))] for row in split]
        fields = list(zip(*split, strict=False))
        for k, column in zip(columns, values, strict=True):
            if k is not None and column is not None:
                column.extend(map(intern, fields[k]))  # a file has far fewer words than rows
    names, sentences, texts, numbers = values
    if has_references:
        names, texts = (each and [*map(cache(unescape), each)] for each in (names, texts))
    counts: list[Ints | None] = []
    for cells in (sentences, numbers):
        number = {cell: int(cell) if _NUMBER.fullmatch(cell) else -1 for cell in {*(cells or ())}}
        counts.append(None if cells is None else np.array([*map(number.get, cells)], np.int64))
    wide, with_mention = (np.array(each, np.int64) for each in (widths, marked))
    return Fields(names, counts[0], texts, counts[1], wide, with_mention)


def _annotated(
    source: TextFile,
    found: Blocks,
    fields: Fields,
    changes: Sequence[int],
    spans: Sequence[Span],
) -> Annotation:
    """Return the annotation; a document is a run of a name between ``changes``, or a block.

    Names count if each has one run, no block is a part, and no mention is in two runs.
    """
    start, end = (np.array([span[side] for span in spans], np.int64) for side in (0, 1))
    runs = [(block.id, block, block.first, block.stop) for block in found.blocks]
    if fields.names is not None and not any(block.part for block in found.blocks):
        named = []
        for block in found.blocks:
            inside = changes[bisect_right(changes, block.first) : bisect_left(changes, block.stop)]
            for first, stop in pairwise([block.first, *inside, block.stop]):
                name = fields.names[first] if first < stop else block.id
                named.append((name, block, first, stop))
        distinct, firsts = {name for name, *_ in named}, [first for _, _, first, _ in named]
        first_run, last_run = (np.searchsorted(firsts, side, "right") for side in (start, end))
        is_whole = np.array_equal(first_run, last_run)
        if is_whole and len(distinct) == len(named) and "" not in distinct:
            runs = named

    documents: dict[str, tuple[str, ...] | None] = {}
    layout = {}
    for name, block, first, stop in runs:
        own = None if fields.texts is None else tuple(fields.texts[first:stop])
        documents[name] = None if own and _PLACEHOLDERS.issuperset(own) else own
        sentences = None if fields.sentences is None else fields.sentences[first:stop]
        if sentences is not None and sentences.min(initial=0) < 0:
            sentences = None
        layout[name] = Layout(block.id, first - block.first, found.lines[first:stop], sentences)

    filled = [(name, first) for name, _, first, stop in runs if stop > first]
    offsets = np.array([first for _, first in filled], np.int64)
    at = np.searchsorted(offsets, start, "right") - 1
    mentions = mention_table(
        doc=[filled[run][0] for run in at.tolist()],
        start=start - offsets[at],
        end=end - offsets[at],
        chain=[span.chain for span in spans],
        line=found.lines[start],
    )
    return Annotation(source.name, "conll", mentions, documents, layout)


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
