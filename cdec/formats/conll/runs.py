"""Which rows of a file are which document, where a column names documents inside the blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cdec.arrays import Ints
from cdec.formats.conll.blocks import Block, TokenLines
from cdec.formats.conll.brackets import Brackets
from cdec.formats.conll.columns import Columns
from cdec.formats.conll.escape import unescape


class Run(NamedTuple):
    """The rows ``first`` up to ``stop`` of a block, which the document column calls ``name``."""

    name: str
    block: Block
    first: int
    stop: int


def find_runs(tokens: TokenLines, columns: Columns) -> tuple[list[Run], Ints | None]:
    """Return the runs of rows of one document name, and the sentence number of every row."""
    heads = [head for block in tokens.blocks for head in _heads(tokens.rows, block, columns)]
    runs: list[Run] = []
    for name, _, block, first, stop in heads:
        if runs and runs[-1].block is block and runs[-1].name == name:
            runs[-1] = runs[-1]._replace(stop=stop)
        else:
            runs.append(Run(name, block, first, stop))
    numbers = [number for _, number, _, first, stop in heads if stop > first]
    if columns.sentence is None or not all(n.isdecimal() and len(n) < 10 for n in numbers):
        return runs, None
    sizes = [stop - first for *_, first, stop in heads if stop > first]
    return runs, np.repeat(np.array(list(map(int, numbers)), dtype=np.int64), sizes)


def _heads(
    rows: list[str], block: Block, columns: Columns
) -> list[tuple[str, str, Block, int, int]]:
    """Return (document, sentence, block, first, stop) of each stretch of rows that begin alike."""
    if (columns.document is None and columns.sentence is None) or block.first == block.stop:
        return [(block.id, "0", block, block.first, block.stop)]
    starts, prefix = [], None
    for row in range(block.first, block.stop):
        if prefix is None or not rows[row].startswith(prefix):
            starts.append(row)
            prefix = columns.prefix(rows[row])
    found = []
    for first, stop in zip(starts, [*starts[1:], block.stop], strict=True):
        document, sentence = columns.head(rows[first])
        name = block.id if columns.document is None else unescape(document)
        found.append((name, sentence, block, first, stop))
    return found


def are_documents(runs: list[Run], brackets: Brackets) -> bool:
    """Tell whether the column names documents: each in one run, no parts, no mention across."""
    names = {run.name for run in runs}
    if len(names) < len(runs) or "" in names or any(run.block.part for run in runs):
        return False
    starts = [run.first for run in runs]
    sides = [np.searchsorted(starts, side, "right") for side in (brackets.start, brackets.end)]
    return bool((sides[0] == sides[1]).all())
