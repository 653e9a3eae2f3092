"""CoNLL-2012 and its cousins: one token a line, coreference in the last column.

Read are, as published by the projects named (facts of the formats only):

* the CoNLL-2011/2012 shared tasks and the reference scorer's tests: tabs or blanks, brackets with
  or without ``|`` between them, several parts, ``-``, ``_`` or ``*`` for "no mention";
* one-mention-a-line key and response files under one ``#begin document (ECB+/ecbplus_all)``, with
  two columns (Barhom et al. 2019, Kenyon-Dean et al. 2018, Eirew et al. 2021), or five columns
  with mention ids as tokens (Ahmed et al. 2023);
* span-based files of Barhom et al. (a ``#begin document`` a topic) and of Cattan et al. 2021: five
  columns (document, sentence, token number, token, brackets) or eight (topic, sub-topic, document,
  sentence, token number, token, flag, brackets) with one ``#begin document`` for the whole split.

A part is a *block*; where a column names the documents inside the blocks (each in one run, no
mention across two) mentions are numbered within these documents and ``Annotation.layout`` keeps
the place in the block, which is what the reference scorer goes by.

Brackets cannot express a gap: a mention with a gap is written as its full span, and matching
against a corpus finds it again by its ends. ``escape`` tells how white space in a token is kept.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdec.errors import counted
from cdec.formats.annotation import Annotation, Layout, mention_table, object_array
from cdec.formats.conll.blocks import TokenLines, read_blocks
from cdec.formats.conll.brackets import Brackets, parse_column
from cdec.formats.conll.columns import (
    Columns,
    LastColumn,
    Run,
    are_documents,
    find_columns,
    find_runs,
)
from cdec.formats.conll.escape import unescape
from cdec.io.source import Source, failing
from cdec.notices import Notice, notice

_PLACEHOLDERS = frozenset({"-", "_", "*", "[WORD]"})


def read(source: Source) -> Annotation:
    """Return the Annotation of a CoNLL-like file; raises FormatError with ``file:line``."""
    tokens = read_blocks(source)
    columns = find_columns(tokens.rows)
    brackets, fail = Brackets([], [], [], [], []), failing(source, tokens.lines)
    last = LastColumn(tokens, columns)
    for block in tokens.blocks:
        parse_column(last.cells(block, fail), brackets, fail)
    runs, sentences = find_runs(tokens, columns)
    if not are_documents(runs, brackets):
        runs = [Run(block.id, block, block.first, block.stop) for block in tokens.blocks]
    texts = {run.name: _text(tokens.rows[run.first : run.stop], columns) for run in runs}
    layout = {
        run.name: Layout(
            run.block.id,
            run.first - run.block.first,
            tokens.lines[run.first : run.stop],
            None if sentences is None else sentences[run.first : run.stop],
        )
        for run in runs
    }
    return Annotation(
        name=source.name,
        format="conll",
        mentions=_table(tokens, runs, brackets),
        documents=texts,
        layout=layout,
        notices=tuple(_notices(source, tokens, brackets)),
    )


def _table(tokens: TokenLines, runs: list[Run], brackets: Brackets) -> pd.DataFrame:
    """Return the mentions by block, there by chain as they open, there as they close."""
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


def _text(rows: list[str], columns: Columns) -> tuple[str, ...] | None:
    """Return the tokens, or None without a text column or with a mere placeholder in it."""
    column = columns.text
    if column is None:
        return None
    split = (row.split(columns.separator, column + 1) for row in rows)
    fields = [f[column] if len(f) == column + 2 else "" for f in split]
    tokens = tuple([unescape(field) if "&#" in field else field for field in fields])
    return None if tokens and _PLACEHOLDERS.issuperset(tokens) else tokens


def _notices(source: Source, tokens: TokenLines, brackets: Brackets) -> Iterator[Notice]:
    places = [source.place(int(tokens.lines[row])) for row in brackets.discarded]
    if places:
        what = counted(len(places), "line has", "lines have")
        message = f"{what} a double antecedent such as (12+3), discarded as in the reference"
        yield notice("double-antecedent", message, places)
    if tokens.unfinished:
        last = tokens.blocks[-1]
        message = f"'#end document' is missing after document '{last.id}': is the file cut off?"
        yield notice("unfinished-document", message, [source.place(last.line)])
