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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import PurePath
from sys import intern
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import Notice, counted, notice
from cdec.files.input import STDIN, Fail, Source, failing, integer
from cdec.formats.annotation import Annotation, Layout, mention_table, object_array
from cdec.formats.brackets import (
    EMPTY,
    Block,
    Blocks,
    Brackets,
    Cell,
    find_blocks,
    no_brackets,
    parse_column,
    parse_loose,
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


class Run(NamedTuple):
    """The rows ``first`` to ``stop`` (exclusive) of a block: those of the document ``name``."""

    name: str
    block: Block
    first: int
    stop: int


def read(source: Source) -> Annotation:
    """Read a CoNLL file; raises FormatError with ``file:line``."""
    _refuse_breaks(source)
    stem = "" if source.name == STDIN else PurePath(source.name).stem
    found = find_blocks(source.lines, source.error, stem)
    rows = [source.lines[line - 1] for line in found.lines.tolist()]
    separator = "\t" if all("\t" in row for row in rows) else None
    sample = rows[:: max(1, len(rows) // _SAMPLE)]
    columns = find_columns([row.rstrip().split(separator) for row in sample])
    documents, texts, sentences, numbers, widths, marked = _split(rows, separator, columns)
    # Spaces in the last field separate either brackets, or a token and its brackets.
    last = {piece for row in sample for piece in row.rpartition("\t")[2].split()} - EMPTY
    pieces = map(parse_loose, last)
    words = separator is None or any(cell is None or cell.inside for cell in pieces)
    brackets = Brackets()
    fail = failing(source, found.lines)
    cells = _cells(rows, marked, found, fail, separator=separator, words=words)
    firsts = [block.first for block in found.blocks]
    for _, inside in groupby(cells, lambda cell: bisect_right(firsts, cell[0])):
        parse_column(inside, brackets, fail)
    changes = _changes(documents)
    runs = list(_runs(found.blocks, documents, changes))
    if not _are_documents(runs, brackets):
        runs = [Run(block.id, block, block.first, block.stop) for block in found.blocks]
    known: dict[str, tuple[str, ...] | None] = {}
    layout = {}
    numbered = sentences is not None and sentences.min(initial=0) >= 0
    for name, block, first, stop in runs:
        own = None if texts is None else tuple(texts[first:stop])
        known[name] = None if own and _PLACEHOLDERS.issuperset(own) else own
        count = numbers[first:stop] if numbers is not None and columns.in_document else None
        layout[name] = Layout(
            block.id,
            first - block.first,
            found.lines[first:stop],
            sentences[first:stop] if sentences is not None and numbered else None,
            None if count is None or count.min(initial=0) < 0 else count,
        )
    begins = [*found.sentences, *changes, *_changes(sentences)]
    jumps = _out_of_order(numbers, [*begins, *firsts])
    odd = zip(_ODD, (_surplus(widths, found.sentences), jumps, brackets.discarded), strict=True)
    notices = [_odd_lines(words, source, found, rows) for words, rows in odd if rows]
    table = _table(found, runs, brackets)
    return Annotation(
        source.name, "conll", table, known, layout, (*notices, *_of_ends(source, found))
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
    if separator:
        for row in marked:
            if rows[row][-1].isspace():
                widths[row] = len(rows[row].rstrip().split(separator))
    documents, texts, *counts = (
        None if k is None else column for k, column in zip(at, values, strict=True)
    )
    arrays = (None if column is None else np.array(column, dtype=np.int64) for column in counts)
    return documents, texts, *arrays, np.array(widths, dtype=np.int64), marked


def _cells(
    rows: list[str],
    marked: list[int],
    found: Blocks,
    fail: Fail,
    *,
    separator: str | None,
    words: bool,
) -> Iterator[tuple[int, Cell]]:
    """Yield (row, cell) for those ``marked`` rows with brackets in the last field.

    With ``words``, white space separates a token and its brackets; otherwise it separates brackets,
    like ``|``. A row that ends in a separator has either an empty last field or a superfluous
    separator. The number of fields of the rows without such an ending decides, in the same sentence
    or else in the file: CoNLL-2012 has one column such as ``(V*)`` per verb of the sentence. Raises
    the error that ``fail`` builds for other text in the field.
    """
    parsed, bounds = cache(parse_loose), found.sentences

    @cache
    def widths(first: int, stop: int) -> Counter[int]:
        closed = (row for row in rows[first:stop] if not row[-1].isspace())
        return Counter(len(row.split(separator)) for row in closed)

    def is_empty(row: int) -> bool:
        kept = len(rows[row].rstrip().split(separator))
        whole = rows[row].count(separator) + 1 if separator else kept + 1
        after = bisect_right(bounds, row)
        inside = widths(bounds[after - 1], bounds[after]), widths(0, len(rows))
        usual = next((one for one in inside if one[whole] != one[kept]), inside[1])
        return usual[whole] > usual[kept]

    for row in marked:
        line = rows[row]
        if words:
            text = line.rsplit(None, 1)[-1]
        else:
            pieces = line.rstrip().rpartition("\t")[2].split()
            text = "|".join(piece for piece in pieces if piece not in EMPTY)
        if text in EMPTY or (line[-1].isspace() and is_empty(row)):
            continue
        cell = parsed(text)
        if cell is None or (cell.inside and line[0] == "#"):
            raise fail("brackets-invalid", row, *no_brackets(text, line))
        yield row, cell


def _changes(values: Sequence[Any] | Ints | None) -> list[int]:
    """Return the rows whose value is not that of the row before."""
    if values is None:
        return []
    codes = pd.factorize(np.array(values, dtype=object))[0] if isinstance(values, list) else values
    rows: list[int] = (np.flatnonzero(np.diff(codes)) + 1).tolist()
    return rows


def _runs(
    blocks: Sequence[Block], documents: Sequence[str] | None, changes: Sequence[int]
) -> Iterator[Run]:
    """Yield the runs of consecutive rows of one document."""
    for block in blocks:
        if documents is None or block.first == block.stop:
            yield Run(block.id, block, block.first, block.stop)
            continue
        first, stop = bisect_right(changes, block.first), bisect_left(changes, block.stop)
        for pair in pairwise([block.first, *changes[first:stop], block.stop]):
            yield Run(unescape(documents[pair[0]]), block, *pair)


def _are_documents(runs: list[Run], brackets: Brackets) -> bool:
    """Return whether the runs are documents: one run each, no parts, no mention across two."""
    names = {run.name for run in runs}
    if len(names) < len(runs) or "" in names or any(run.block.part for run in runs):
        return False
    starts = [run.first for run in runs]
    sides = [np.searchsorted(starts, side, "right") for side in (brackets.start, brackets.end)]
    return bool((sides[0] == sides[1]).all())


def _table(found: Blocks, runs: list[Run], brackets: Brackets) -> pd.DataFrame:
    """Return the mentions, sorted by block, by first token of the chain and by last token."""
    chain = np.array(brackets.chain, dtype=np.int64)
    order = np.argsort(chain, kind="stable")
    start = np.array(brackets.start, dtype=np.int64)[order]
    end = np.array(brackets.end, dtype=np.int64)[order]
    filled = [run for run in runs if run.stop > run.first]
    first = np.array([run.first for run in filled], dtype=np.int64)
    at = np.searchsorted(first, start, "right") - 1
    return mention_table(
        doc=object_array(run.name for run in filled)[at].tolist(),
        start=start - first[at],
        end=end - first[at],
        chain=object_array(brackets.labels)[chain[order]].tolist(),
        line=found.lines[start],
    )


_ODD = (
    "more fields than the other lines of the sentence: only the last is read",
    "a token number that is not greater than that of the line before; tokens are read in the order "
    "of the lines",
    "a double antecedent such as (12+3), which is discarded",
)


def _odd_lines(words: str, source: Source, found: Blocks, rows: Sequence[int]) -> Notice:
    places = [source.place(int(found.lines[row])) for row in rows]
    message = f"{counted(len(rows), 'line has', 'lines have')} {words}"
    return notice("reading-assumed", message, places)


def _of_ends(source: Source, found: Blocks) -> Iterator[Notice]:
    if found.unfinished:
        last = found.blocks[-1]
        message = f"'#end document' is missing after document '{last.id}'; is the file truncated?"
        yield notice("reading-assumed", message, [source.place(last.line)])
    if found.unnamed:
        first = found.blocks[0]
        message = f"the document has no name: it gets that of the file, '{first.id}'"
        yield notice("document-unnamed", message, [source.place(first.line)], warning=False)


def _surplus(widths: Ints, bounds: Sequence[int]) -> list[int]:
    """Return the rows with more fields than expected in their sentence.

    ``bounds`` are those of the sentences. The expected number is the most frequent one in the
    sentence, because CoNLL-2012 has one column per verb. For a sentence of one row it is the
    largest expected number of the other sentences.
    """
    if not len(widths) or widths.min() == widths.max():
        return []

    def usual(values: list[int]) -> int:  # of equally frequent ones the smallest
        return max(sorted(Counter(values).items()), key=itemgetter(1))[0]

    values, sizes = widths.tolist(), np.diff(bounds)
    each = np.array([usual(values[a:b]) for a, b in pairwise(bounds)])
    largest = each[sizes > 1].max() if (sizes > 1).any() else usual(values)
    limit = np.where(sizes > 1, each, largest)
    rows: list[int] = np.flatnonzero(widths > np.repeat(limit, sizes)).tolist()
    return rows


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


def _refuse_breaks(source: Source) -> None:
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
