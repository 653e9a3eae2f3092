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
from dataclasses import replace
from functools import cache
from itertools import pairwise, repeat
from pathlib import PurePath
from sys import intern
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.errors import CdecError, Notice, counted, notice
from cdec.files.input import STDIN, TextFile, integer
from cdec.formats import reading
from cdec.formats.annotation import Annotation, Layout, mention_table
from cdec.formats.brackets import (
    EMPTY,
    Blocks,
    Span,
    find_blocks,
    labels_of,
    parse_column,
)
from cdec.formats.escape import unescape
from cdec.records import Words

_PLACEHOLDERS = frozenset({"-", "_", "*", "[WORD]"})
_FLAGS = frozenset({"True", "False"})
_LEADING = 8
_SAMPLE = 2000  # rows from which the columns are inferred
_AT_ONCE = 4096  # rows that are split together
# In a line: a carriage return that is not part of a line end, and other breaks before a token.
_BREAK = re.compile(r"\r(?!\r*(?:\n|\Z))|[\v\f](?=[^\r\n]*[^\s])")
_BREAKS = {
    "\r": "carriage return (CR)",
    "\v": "vertical tab (VT)",
    "\f": "form feed (FF)",
}

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

    ``widths`` are the numbers of fields, ``cells`` the last fields.
    """

    names: list[str] | None
    sentences: Ints | None
    texts: list[str] | None
    numbers: Ints | None
    widths: Ints
    cells: list[str]


def read(source: TextFile) -> Annotation:
    """Read a CoNLL file; raises FormatError with ``file:line``."""
    if any(sign in source.text for sign in _BREAKS):
        _refuse_breaks(source)
    stem = "" if source.name == STDIN else PurePath(source.name).stem
    blocks = find_blocks(source.lines, source.error, stem)
    lines = [source.lines[line - 1] for line in blocks.lines.tolist()]
    rows = list(map(str.rstrip, lines))
    # Rows that end in a separator do not count: the last field of such a row is empty if it has one
    # field less than usual.
    is_open = np.array([*map(len, lines)]) > np.array([*map(len, rows)])
    if not all(map(str.count, lines, repeat("\t"))):  # blanks separate fields
        rows = lines = ["\t".join(row.split()) for row in rows]
    sample = rows[:: max(1, len(rows) // _SAMPLE)]
    columns = find_columns([row.split("\t") for row in sample])
    fields = _split(rows, lines, columns, has_references="&#" in source.text)

    sentence_starts = np.flatnonzero(np.diff(blocks.lines) > 1) + 1
    usual = fields.widths
    if len({*usual.tolist()}) > 1:
        usual = _usual_widths(usual, is_open, sentence_starts)
    has_empty_end = is_open & (fields.widths == usual - 1)
    spans, doubles = _spans(source, blocks, fields.cells, has_empty_end, sample)
    names = np.array(fields.names or [], object)
    name_starts = np.flatnonzero(np.diff(pd.factorize(names)[0])) + 1
    annotation = _annotation(source, blocks, fields, name_starts.tolist(), spans)
    more = int(usual.max(initial=0)) - len(set(columns) - {None}) - 1
    if more > 0:
        unread = (counted(more, "column"),)
        annotation = replace(annotation, unread=unread)
    if reading.lines_are_mentions(
        [(span.start, span.end) for span in spans], len(rows)
    ):
        identity = _identity(blocks, fields, len(rows))
        annotation = replace(annotation, reading={reading.IDENTITY: identity})

    odd_rows = {_SURPLUS: np.flatnonzero(fields.widths > usual), _DOUBLE: doubles}
    if fields.numbers is not None and fields.numbers.min(initial=0) >= 0:
        # Numbers begin again with the first one, and in each sentence and document.
        falls = np.flatnonzero(np.diff(fields.numbers) <= 0) + 1
        starts = [
            *sentence_starts,
            *name_starts,
            *(block.first for block in blocks.blocks),
        ]
        if fields.sentences is not None:
            starts += (np.flatnonzero(np.diff(fields.sentences)) + 1).tolist()
        begins_again = (fields.numbers[falls] == fields.numbers[0]) | np.isin(
            falls, starts
        )
        odd_rows[_FALLS] = falls[~begins_again]
    if blocks.unfinished or blocks.unnamed or any(map(len, odd_rows.values())):
        return replace(annotation, notices=tuple(_notices(source, blocks, odd_rows)))
    return annotation


def find_columns(rows: Sequence[Sequence[str]]) -> Columns:
    """Return the columns of a file, inferred from these rows."""
    if not rows:
        return Columns()
    before = min(len(rows[0]) - 1, _LEADING - 1)
    rows = [row for row in rows if len(row) >= len(rows[0])]
    numeric = [all(integer(row[k]) >= 0 for row in rows) for k in range(before)]
    has_flags = before == _LEADING - 1 and all(row[6] in _FLAGS for row in rows)
    if has_flags and all(numeric[3:5]):
        return Columns(2, 3, 5, 4)
    if any(numeric):
        # The token number is the second of two numbers, the first of which is not at the beginning.
        pairs = [k for k in range(before - 1) if numeric[k] and numeric[k + 1]]
        after_name = [k for k in pairs if k > 0]
        sentence = next(iter(after_name or pairs), None)
        number = numeric.index(True) if sentence is None else sentence + 1
        first = number if sentence is None else sentence
        document = first - 1 if first > 0 else None
        text = number + 1 if number + 1 < before else None
        return Columns(document, sentence, text, number)
    constant = before > 0 and len({row[0] for row in rows}) == 1
    if before == 1 and not constant:
        return Columns(text=0)
    if before == 2 and constant:
        return Columns(document=0, text=1)
    return Columns()


def _split(
    rows: list[str], lines: list[str], columns: Columns, *, has_references: bool
) -> Fields:
    """Return the fields of the rows; references are characters that are escaped (``escape``).

    ``lines`` are the rows with the white space at their ends.
    """
    widths = np.array([*map(str.count, rows, repeat("\t"))], np.int64) + 1
    indices = {k for k in columns if k is not None}
    before = max(indices, default=-1) + 1
    width = int(widths.max(initial=0))
    if width <= before or (widths < width).any():
        width = before + 1
        rows = [_cut(*row, before) for row in zip(rows, lines, strict=True)]
    text: Callable[[str], str] = intern  # few words, many times
    if has_references:
        text = cache(unescape)
    number = cache(integer)
    values_of: dict[int | None, Callable[[str], Any]] = {
        columns.document: text,
        columns.sentence: number,
        columns.text: text,
        columns.number: number,
        width - 1: str,
    }
    values_of.pop(None, None)  # of columns that the file does not have
    values: dict[int | None, list[Any]] = {k: [] for k in values_of}
    for first in range(0, len(rows), _AT_ONCE):
        fields = "\t".join(rows[first : first + _AT_ONCE]).split("\t")
        for k, value_of in values_of.items():
            values[k].extend(map(value_of, fields[k::width]))
    numbers = {
        k: np.array(values[k], np.int64)
        for k in (columns.sentence, columns.number)
        if k in values
    }
    return Fields(
        values.get(columns.document),
        numbers.get(columns.sentence),
        values.get(columns.text),
        numbers.get(columns.number),
        widths,
        values[width - 1],
    )


def _cut(row: str, line: str, before: int) -> str:
    """Return the first fields of a row, '' for one that it does not have, and its last field."""
    fields = row.split("\t")
    cell = fields[-1]
    if len(fields) <= before:  # the brackets are no field of the text
        fields = line.split("\t")[:-1]
        fields += [""] * before
    return "\t".join([*fields[:before], cell])


def _usual_widths(widths: Ints, is_open: Bools, sentence_starts: Ints) -> Ints:
    """Return the usual number of fields of each row.

    CoNLL-2012 has one column per verb of a sentence: the median of a sentence is usual, of one row
    the largest number of the others. Rows that are ``is_open`` do not count.
    """
    counts = pd.Series(np.where(is_open, np.nan, widths))
    sentence = np.isin(np.arange(len(widths)), sentence_starts).cumsum()
    by_sentence = counts.groupby(sentence)
    medians = by_sentence.transform("median")
    is_single = by_sentence.transform("size") == 1
    medians[is_single & counts.notna()] = medians[~is_single].max()
    usual = medians.fillna(counts.median()).fillna(pd.Series(widths))
    return usual.to_numpy(np.int64)


def _spans(
    source: TextFile,
    blocks: Blocks,
    cells: Sequence[str],
    has_empty_end: Bools,
    sample: Sequence[str],
) -> tuple[list[Span], Ints]:
    """Return the mentions in the last fields of rows, and the rows that have double antecedents.

    Spaces in the last field separate either brackets, or a token and its brackets. A row that
    ``has_empty_end`` has no brackets.
    """

    def fail(code: str, row: int, message: str, hint: str) -> CdecError:
        if blocks.unfinished and row >= blocks.blocks[-1].first:
            hint += "; '#end document' is missing: is the file truncated?"
        return source.error(code, int(blocks.lines[row]), message, hint)

    pieces = {piece for row in sample for piece in row.rpartition("\t")[2].split()}
    if any(kind == "" for piece in pieces for kind, _ in labels_of(piece)):
        cells = ["".join(cell.split()[-1:]) for cell in cells]
    may_be_open = source.is_truncated and blocks.unfinished
    spans: list[Span] = []
    doubles: set[int] = set()
    for block in blocks.blocks:
        marked = [
            (row, cells[row])
            for row in range(block.first, block.stop)
            if cells[row] not in EMPTY and not has_empty_end[row]
        ]
        spans += parse_column(
            marked,
            fail,
            doubles,
            is_truncated=may_be_open and block is blocks.blocks[-1],
        )
    return spans, np.array(sorted(doubles), np.int64)


def _identity(blocks: Blocks, fields: Fields, size: int) -> reading.Choice:
    """Return what says who the mention of a line is: block, document, sentence, number or text."""
    block_sizes = [block.stop - block.first for block in blocks.blocks]
    columns: list[Sequence[object]] = [
        np.repeat(range(len(block_sizes)), block_sizes).tolist()
    ]
    if fields.names is not None:
        columns.append(fields.names)
    if fields.sentences is not None:
        columns.append(fields.sentences.tolist())
    if fields.numbers is not None:
        columns.append(fields.numbers.tolist())
    texts = fields.texts or [""] * size
    is_masked = [text in _PLACEHOLDERS or text.strip("_") == "" for text in texts]
    unmasked = [
        "" if masked else text for masked, text in zip(is_masked, texts, strict=True)
    ]
    return reading.identity_of_lines(list(zip(*columns, strict=True)), unmasked)


def _annotation(
    source: TextFile,
    blocks: Blocks,
    fields: Fields,
    name_starts: Sequence[int],
    spans: Sequence[Span],
) -> Annotation:
    """Return the annotation; a document is a run of a name from ``name_starts``, or a block.

    Names count if each has one run, no block is a part, and no mention is in two runs.
    """
    start = np.array([span.start for span in spans], np.int64)
    end = np.array([span.end for span in spans], np.int64)
    runs = [(block.id, block, block.first, block.stop) for block in blocks.blocks]
    if fields.names is not None and not any(block.part for block in blocks.blocks):
        named_runs = []
        for block in blocks.blocks:
            from_first = bisect_right(name_starts, block.first)
            inside = name_starts[from_first : bisect_left(name_starts, block.stop)]
            for first, stop in pairwise([block.first, *inside, block.stop]):
                name = fields.names[first] if first < stop else block.id
                named_runs.append((name, block, first, stop))
        distinct = {name for name, *_ in named_runs}
        firsts = [first for _, _, first, _ in named_runs]
        run_of_start = np.searchsorted(firsts, start, "right")
        run_of_end = np.searchsorted(firsts, end, "right")
        are_whole = np.array_equal(run_of_start, run_of_end)
        if are_whole and len(distinct) == len(named_runs) and "" not in distinct:
            runs = named_runs

    documents: dict[str, Words | None] = {}
    layout = {}
    for name, block, first, stop in runs:
        documents[name] = None
        if fields.texts is not None:
            text = tuple(fields.texts[first:stop])
            if not text or not _PLACEHOLDERS.issuperset(text):
                documents[name] = text
        sentences = None
        if (
            fields.sentences is not None
            and fields.sentences[first:stop].min(initial=0) >= 0
        ):
            sentences = fields.sentences[first:stop]
        layout[name] = Layout(
            block.id, first - block.first, blocks.lines[first:stop], sentences
        )
    if source.is_truncated and blocks.unfinished:
        # The text of the last document is not whole: it cannot be compared with that of the key.
        documents[name] = None
        del layout[name]

    offsets = np.array([first for _, _, first, _ in runs], np.int64)
    run_of_mention = np.searchsorted(offsets, start, "right") - 1
    mentions = mention_table(
        doc=[runs[run][0] for run in run_of_mention.tolist()],
        start=start - offsets[run_of_mention],
        end=end - offsets[run_of_mention],
        chain=[span.chain for span in spans],
        line=blocks.lines[start],
    )
    return Annotation(source.name, "conll", mentions, documents, layout)


def _notices(
    source: TextFile, blocks: Blocks, odd_rows: Mapping[str, Ints]
) -> Iterator[Notice]:
    """Yield the notices on odd rows, by what is odd, and on a missing end or name of a document."""
    for what, rows in odd_rows.items():
        if len(rows):
            places = [source.place(int(blocks.lines[row])) for row in rows]
            message = f"{counted(len(rows), 'line has', 'lines have')} {what}"
            yield notice("reading-assumed", message, places)
    if blocks.unfinished:
        last = blocks.blocks[-1]
        message = f"'#end document' is missing after document '{last.id}'; is the file truncated?"
        yield notice("reading-assumed", message, [source.place(last.line)])
    if blocks.unnamed:
        first = blocks.blocks[0]
        message = f"the document has no name: it gets that of the file, '{first.id}'"
        yield notice(
            "document-unnamed", message, [source.place(first.line)], warning=False
        )


def _refuse_breaks(source: TextFile) -> None:
    """Raise FormatError for a line with a carriage return, vertical tab or form feed inside."""
    text = source.text
    if "\n" not in text:  # lines end in a carriage return
        text = text.replace("\r", "\n")
    match = _BREAK.search(text)
    if match is not None:
        sign = match[0]
        line = text.count("\n", 0, match.start()) + 1
        raise source.error(
            "conll-structure",
            line,
            f"{_BREAKS[sign]} in the line",
            f"end every line with LF; inside a token write '&#{ord(sign)};'",
        )
