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
from collections import Counter
from collections.abc import Iterator
from itertools import compress, groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.columns.blocks import Block, Blocks
from cdec.columns.brackets import Brackets
from cdec.errors import FormatError, counted
from cdec.errors.notices import Notice, notice
from cdec.files.input import Source, failing, integer
from cdec.formats.annotation import Annotation, Layout, mention_table, object_array
from cdec.formats.conll.rows import Rows


class Run(NamedTuple):
    """The rows ``first`` to ``stop`` (exclusive) of a block: those of the document ``name``."""

    name: str
    block: Block
    first: int
    stop: int


def read(source: Source) -> Annotation:
    """Read a CoNLL file; raises FormatError with ``file:line``."""
    refuse_breaks(source)
    rows = Rows.of(source)
    found = rows.found
    brackets = rows.brackets(failing(source, found.lines))
    runs, sentences = _find_runs(rows)
    if not _are_documents(runs, brackets):
        runs = [Run(block.id, block, block.first, block.stop) for block in found.blocks]
    parts = {run.name: rows.part(run.first, run.stop) for run in runs}
    layout = {
        run.name: Layout(
            run.block.id,
            run.first - run.block.first,
            found.lines[run.first : run.stop],
            None if sentences is None else sentences[run.first : run.stop],
            parts[run.name].numbers,
        )
        for run in runs
    }
    return Annotation(
        name=source.name,
        format="conll",
        mentions=_table(found, runs, brackets),
        documents={name: part.tokens for name, part in parts.items()},
        layout=layout,
        notices=tuple(_notices(source, rows, brackets)),
    )


def _table(found: Blocks, runs: list[Run], brackets: Brackets) -> pd.DataFrame:
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
        line=found.lines[start],
    )


def _find_runs(rows: Rows) -> tuple[list[Run], Ints | None]:
    """Return the runs of consecutive rows of one document, and the sentence of every row."""
    runs: list[Run] = []
    numbers: list[int] = []
    sizes: list[int] = []
    for block in rows.found.blocks:
        heads = rows.heads(block)
        numbers.extend(integer(number) for _, number, _ in heads)
        sizes.extend(np.diff([*(first for *_, first in heads), block.stop]).tolist())
        named = [(name, next(group)[2]) for name, group in groupby(heads, itemgetter(0))]
        stops = [*(first for _, first in named[1:]), block.stop]
        runs.extend(
            Run(n, block, first, stop) for (n, first), stop in zip(named, stops, strict=True)
        )
    if rows.columns.sentence is None or min(numbers, default=0) < 0:
        return runs, None
    return runs, np.repeat(np.array(numbers, dtype=np.int64), sizes)


def _are_documents(runs: list[Run], brackets: Brackets) -> bool:
    """Return whether the runs are documents: one run each, no parts, no mention across two."""
    names = {run.name for run in runs}
    if len(names) < len(runs) or "" in names or any(run.block.part for run in runs):
        return False
    starts = [run.first for run in runs]
    sides = [np.searchsorted(starts, side, "right") for side in (brackets.start, brackets.end)]
    return bool((sides[0] == sides[1]).all())


def _notices(source: Source, rows: Rows, brackets: Brackets) -> Iterator[Notice]:
    found = rows.found
    wide = [source.place(int(found.lines[k])) for k in surplus(rows.widths(), found.sentences)]
    if wide:
        what = counted(len(wide), "line has", "lines have")
        message = f"{what} more fields than the other lines of the sentence: only the last is read"
        yield notice("surplus-fields", message, wide)
    shuffled = [source.place(int(found.lines[k])) for k in _out_of_order(rows)]
    if shuffled:
        what = counted(len(shuffled), "line has", "lines have")
        message = (
            f"{what} a token number that is not greater than that of the line before; tokens are "
            "read in the order of the lines"
        )
        yield notice("token-order", message, shuffled)
    places = [source.place(int(found.lines[row])) for row in brackets.discarded]
    if places:
        what = counted(len(places), "line has", "lines have")
        message = f"{what} a double antecedent such as (12+3), which is discarded"
        yield notice("double-antecedent", message, places)
    if found.unfinished:
        last = found.blocks[-1]
        message = f"'#end document' is missing after document '{last.id}'; is the file truncated?"
        yield notice("unfinished-document", message, [source.place(last.line)])
    if found.unnamed:
        first = found.blocks[0]
        message = f"the document has no name: it gets that of the file, '{first.id}'"
        yield notice("document-unnamed", message, [source.place(first.line)], warning=False)


def _out_of_order(rows: Rows) -> list[int]:
    """Return the rows whose token number does not grow, unless numbers begin again.

    They begin again with a sentence or document, or with the first number of the sentence if no
    line separates sentences.
    """
    numbers = rows.order()
    if numbers is None:
        return []
    falls = np.flatnonzero(np.diff(numbers) <= 0) + 1
    found = rows.found
    falls = np.setdiff1d(falls, found.sentences)
    if not len(falls):
        return []
    heads = [row for block in found.blocks for *_, row in rows.heads(block)]
    starts = np.union1d(found.sentences, heads)
    first = starts[np.searchsorted(starts, falls, "right") - 1].astype(np.int64)
    again = numbers[falls] == numbers[first]
    kept: list[int] = falls[(first != falls) & ~again].tolist()
    return kept


# A carriage return that is not part of a line end; used only if the file has line feeds.
_LONE_RETURN = re.compile(r"\r(?!\r*(?:\n|\Z))")
_OTHER_BREAK = re.compile(r"[\v\f]")
_NAMES = {"\r": "carriage return (CR)", "\v": "vertical tab (VT)", "\f": "form feed (FF)"}


def refuse_breaks(source: Source) -> None:
    """Raise FormatError for a line with a carriage return, vertical tab or form feed inside."""
    text = source.text
    match = _LONE_RETURN.search(text) if "\n" in text else None
    if match:
        raise _broken(source, text.count("\n", 0, match.start()) + 1, "\r")
    if "\v" in text or "\f" in text:
        for number, line in enumerate(source.lines, start=1):
            match = _OTHER_BREAK.search(line.rstrip())
            if match:
                raise _broken(source, number, match.group())


def _broken(source: Source, line: int, sign: str) -> FormatError:
    message = f"{_NAMES[sign]} inside the line"
    hint = f"end every line with LF; inside a token write '&#{ord(sign)};'"
    return source.error("conll-structure", line, message, hint)


def surplus(widths: Ints, bounds: list[int]) -> list[int]:
    """Return the rows with more fields than expected in their sentence.

    ``widths`` has a number for each row that grows with its number of fields, without white space
    at its end; ``bounds`` are those of the sentences. The expected number is the most frequent one
    in the sentence, because CoNLL-2012 has one column per verb. For a sentence of one row it is the
    largest expected number of the other sentences.
    """
    if not len(widths) or widths.min() == widths.max():
        return []
    values = widths.tolist()
    usual = [_most_frequent(values[a:b]) for a, b in pairwise(bounds)]
    several = np.diff(bounds) > 1
    largest = max(compress(usual, several), default=_most_frequent(values))
    limit = np.where(several, usual, largest)
    return np.flatnonzero(widths > np.repeat(limit, np.diff(bounds))).tolist()


def _most_frequent(widths: list[int]) -> int:
    """Return the most frequent number; the smallest if several are equally frequent."""
    return max(sorted(Counter(widths).items()), key=lambda item: item[1])[0]
